"""What the product has to know of jobs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from omoide.nouns.receipt import Target
from omoide.nouns.record_kind import AnyDoor, Edge, RecordKind, Rule, Table
from omoide.nouns.scope import Scope
from omoide.store.base import Transaction
from omoide.tables.jobs import LESSON_JOB, Jobs, JobTexts
from omoide.text.secrets.fields import mask_json
from omoide.text.secrets.records import IDS, without_secrets


def _mask(tx: Transaction, door: AnyDoor, tenant: str, texts: JobTexts) -> None:
    Jobs(tx).mask(without_secrets(texts))


def _mask_args(args: Mapping[str, Any]) -> dict[str, Any]:
    masked = mask_json(dict(args))
    assert isinstance(masked, dict)
    return {**masked, **{name: args[name] for name in IDS & args.keys()}}


def _meant(tx: Transaction, scope: Scope, target: Target) -> list[JobTexts]:
    """A user's jobs; of what somebody forgets of their own, those that tell of what failed."""
    if target.user is not None:
        return Jobs(tx).of_user(scope.tenant, target.user, "")
    if target.sort == "all" and scope.user:
        return Jobs(tx).of_user(scope.tenant, scope.user, LESSON_JOB)
    return []


JOB = RecordKind(
    name="job",
    record=JobTexts,
    plural="jobs",
    tables=(Table("jobs"),),
    texts=("args", "answer"),
    masked_by={"args": _mask_args},
    table=Jobs,
    noted=False,
    mask=_mask,
    edges=(Edge(rule=Rule.PART_OF, of=("session",), query="edges.jobs_of_sessions"),),
    meant=_meant,
)
