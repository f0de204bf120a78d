"""What an archive may bring in: nothing that the verbs would refuse, and secrets only masked."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from omoide.nouns.errors import InvalidInput
from omoide.nouns.record_kind import RecordKind
from omoide.write.checks import check_scope


def fit(kind: RecordKind[Any], record: Any, tenant: str, now: datetime) -> Any:
    """The record as the verbs would have made it.

    Raises:
        InvalidInput, InvalidTime, TooLong, NotFound, Forbidden: a verb would have refused it.
    """
    if record.scope.tenant != tenant:
        raise InvalidInput(
            "tenant", f"it is of {record.scope.tenant!r}, while the archive is of {tenant!r}"
        )
    check_scope(record.scope)
    return kind.fit(record, now) if kind.fit else record
