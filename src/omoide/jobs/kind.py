"""What the product has to know of jobs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from omoide.nouns.record_kind import Door, RecordKind
from omoide.store.base import Transaction
from omoide.tables.jobs import Jobs, JobTexts
from omoide.text.secrets.fields import mask_json
from omoide.text.secrets.records import IDS, without_secrets


def _page(tx: Transaction, tenant: str, last: JobTexts | None, limit: int) -> list[JobTexts]:
    return Jobs(tx).texts(tenant, last.id if last else "", limit)


def _mask(tx: Transaction, door: Door, tenant: str, texts: JobTexts) -> None:
    Jobs(tx).mask(without_secrets(texts))


def _mask_args(args: Mapping[str, Any]) -> dict[str, Any]:
    masked = mask_json(dict(args))
    assert isinstance(masked, dict)
    return {**masked, **{name: args[name] for name in IDS & args.keys()}}


JOB = RecordKind(
    name="job",
    record=JobTexts,
    tables=("jobs",),
    texts=("args", "answer"),
    masked_by={"args": _mask_args},
    page=_page,
    mask=_mask,
)
