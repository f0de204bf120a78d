"""The model_calls table: what language models were called for, and what that took. It holds no
text.
"""

from __future__ import annotations

from datetime import datetime

from omoide.nouns.clock import to_micros
from omoide.tables.rows import Rows
from omoide.telemetry.model_calls import ANSWERED, ModelCall, ModelUse

MICROS = 1_000_000  # of a dollar


class ModelCalls(Rows):
    """Calls as rows, inside the caller's transaction."""

    def add(self, tenant: str, id: str, call: ModelCall, at: datetime) -> None:
        """Note a call."""
        self._tx.run(
            "calls.add",
            tenant=tenant,
            id=id,
            purpose=call.purpose,
            model=call.model,
            outcome=call.outcome,
            input_tokens=call.input_tokens,
            output_tokens=call.output_tokens,
            cost=None if call.cost_usd is None else round(call.cost_usd * MICROS),
            ms=round(call.seconds * 1000),
            at=to_micros(at),
        )

    def uses(self, tenant: str, since: datetime) -> list[ModelUse]:
        """What the tenant's calls since a time add up to, by purpose and model, most calls
        first.
        """
        rows = self._tx.rows("calls.sums", tenant=tenant, since=to_micros(since), answered=ANSWERED)
        return [
            ModelUse(
                purpose=row["purpose"],
                model=row["model"],
                calls=row["calls"],
                failures=int(row["failures"]),
                input_tokens=int(row["input_tokens"]),
                output_tokens=int(row["output_tokens"]),
                cost_usd=None if row["cost"] is None else int(row["cost"]) / MICROS,
                mean_seconds=float(row["ms"]) / 1000,
            )
            for row in rows
        ]

    def spent(self, since: datetime) -> tuple[float, int]:
        """US dollars spent since a time, for all tenants, as far as prices are known; and tokens,
        read and written.
        """
        row = self._tx.rows("calls.spent", since=to_micros(since))[0]
        return int(row["cost"]) / MICROS, int(row["tokens"])

    def drop(self, before: datetime) -> int:
        """Let go of calls made before a time; how many."""
        return self._tx.run("calls.drop", before=to_micros(before))
