"""The books of a store: every call of a language model is noted, and none is made once the day's money is spent."""

from __future__ import annotations

import threading
from datetime import date, datetime, timedelta

from omoide.calls import ModelCall, payer
from omoide.clock import Clock
from omoide.errors import SpendLimit, StoreError
from omoide.logs import get_logger
from omoide.store.base import Store
from omoide.tables.calls import ModelCalls

KEPT = timedelta(days=400)

_log = get_logger(__name__)


class StoreBooks:
    """Books in a store. A day is one of UTC, and its money that of all tenants; 0 for no limit. Calls of unknown price cost nothing."""

    def __init__(self, store: Store, clock: Clock, *, tenant: str, limit_usd: float = 0.0) -> None:
        """tenant: whose the calls are of which nobody says whose."""
        self._store, self._clock, self._tenant, self._limit = store, clock, tenant, limit_usd
        self._tidied: date | None = None
        self._lock = threading.Lock()

    def check(self) -> None:
        """That there is money left today.

        Raises:
            SpendLimit: there is none; it says when the next day begins.
        """
        if not self._limit:
            return
        today = midnight(self._clock.now())
        with self._store.transaction(write=False) as tx:
            spent = ModelCalls(tx).spent(today)
        if spent >= self._limit:
            raise SpendLimit(spent, self._limit, today + timedelta(days=1))

    def note(self, call: ModelCall) -> None:
        """Note a call. A store that cannot hold it loses the note, not the answer; calls of more than a year ago are let go of."""
        now = self._clock.now()
        try:
            with self._store.transaction(durable=False) as tx:  # a crash may lose the last moments' calls, as it does those under way
                ModelCalls(tx).add(payer() or self._tenant, self._clock.new_id(), call, now)
                if self._first_of(now.date()):
                    ModelCalls(tx).drop(now - KEPT)
        except StoreError as error:
            _log.warning("a call of a model was not noted", error=type(error).__name__)

    def _first_of(self, day: date) -> bool:
        with self._lock:
            first, self._tidied = day != self._tidied, day
        return first


def midnight(now: datetime) -> datetime:
    """The beginning of a day."""
    return now.replace(hour=0, minute=0, second=0, microsecond=0)
