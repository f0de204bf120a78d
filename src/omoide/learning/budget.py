"""The books of a store: every call of a language model is noted, and none is made once what may be
spent in a day is spent.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta

from omoide.nouns.clock import Clock
from omoide.nouns.errors import OutOfBudget, PriceUnknown, SpendLimit, StoreError, TokenLimit
from omoide.store.base import Store, read_only
from omoide.tables.calls import ModelCalls
from omoide.telemetry.logs import get_logger
from omoide.telemetry.model_calls import ModelCall, payer

LOOK_AGAIN = timedelta(hours=1)  # whether a price is known by now

_log = get_logger(__name__)


class StoreBooks:
    """Books in a store. A day is one of UTC, and what may be spent in it that of all tenants; 0 for
    no limit.

    Where money is limited, no model is called whose price is not known: it would never meet the
    limit.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        *,
        tenant: str,
        limit_usd: float = 0.0,
        limit_tokens: int = 0,
    ) -> None:
        """tenant: whose the calls are of which nobody says whose."""
        self._store, self._clock, self._tenant = store, clock, tenant
        self._limit_usd, self._limit_tokens = limit_usd, limit_tokens
        self._warned: tuple[date, str] | None = None

    def check(self, model: str, *, priced: bool) -> None:
        """That a model may be called now; the first time on a day that one may not, the log says
        so.

        Raises:
            OutOfBudget: what may be spent today is spent, or nobody can tell what the model costs.
        """
        over = self._over(model, priced=priced) if self._limit_usd or self._limit_tokens else None
        if over is not None:
            today = (self._clock.now().date(), type(over).__name__)
            if self._warned != today:
                self._warned = today
                _log.warning("language models are not called", error=str(over))
            raise over

    def _over(self, model: str, *, priced: bool) -> OutOfBudget | None:
        now = self._clock.now()
        today, tomorrow = midnight(now), midnight(now) + timedelta(days=1)
        if self._limit_usd and not priced:
            return PriceUnknown(model, now + LOOK_AGAIN)
        with read_only(self._store, None) as tx:
            usd, tokens = ModelCalls(tx).spent(today)
        if self._limit_usd and usd >= self._limit_usd:
            return SpendLimit(usd, self._limit_usd, tomorrow)
        if self._limit_tokens and tokens >= self._limit_tokens:
            return TokenLimit(tokens, self._limit_tokens, tomorrow)
        return None

    def note(self, call: ModelCall) -> None:
        """Note a call. A store that cannot hold it loses the note, not the answer."""
        now, tenant = self._clock.now(), payer() or self._tenant
        try:
            # a crash may lose the last moments' calls, as it does those under way
            with self._store.transaction(tenant=tenant, durable=False) as tx:
                ModelCalls(tx).add(tenant, self._clock.new_id(), call, now)
        except StoreError as error:
            _log.warning("a call of a model was not noted", error=type(error).__name__)


def midnight(now: datetime) -> datetime:
    """The beginning of a day."""
    return now.replace(hour=0, minute=0, second=0, microsecond=0)
