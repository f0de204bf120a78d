"""What the product has to know of the records of users."""

from __future__ import annotations

from collections.abc import Container, Mapping
from datetime import datetime

from omoide.nouns.clock import check_moment, zone_named
from omoide.nouns.errors import InvalidInput
from omoide.nouns.receipt import Target
from omoide.nouns.record_kind import RecordKind, Table
from omoide.nouns.scope import Scope
from omoide.nouns.sender import UserRecord
from omoide.store.base import Transaction
from omoide.tables.users import UserRecords
from omoide.write.apply import Door
from omoide.write.loading import check_of_user

MOST = 1_000_000  # users of a tenant in an archive


def _meant(tx: Transaction, scope: Scope, target: Target) -> list[UserRecord]:
    leaving = target.user or (scope.user if target.sort == "all" else None)
    found = UserRecords(tx).find(scope.tenant, leaving) if leaving else None
    return [found] if found else []


def _exported(tx: Transaction, tenant: str, user: str | None) -> list[UserRecord]:
    if user is None:
        return UserRecords(tx).after(tenant, "", MOST)
    found = UserRecords(tx).find(tenant, user)
    return [found] if found else []


def _fit(record: UserRecord, now: datetime) -> UserRecord:
    if record.changed_at is None:
        raise InvalidInput("changed_at", "is missing")
    check_moment(record.changed_at, "changed_at")
    remedy = "what is set for a user belongs to that user, and to nothing else"
    check_of_user(record.scope, remedy)
    zone_named(record.zone)
    return record


def _load(
    tx: Transaction, door: Door, record: UserRecord, told: Container[str]
) -> Mapping[str, int]:
    """What is set here stays."""
    if UserRecords(tx).find(record.scope.tenant, record.id) is not None:
        return {}
    UserRecords(tx).save(record)
    return {"user": 1}


USER = RecordKind(
    name="user",
    record=UserRecord,
    plural="users",
    tables=(Table("users", ("tenant", "user_id")),),
    table=UserRecords,
    noted=False,
    meant=_meant,
    exported=_exported,
    fit=_fit,
    load=_load,
)
