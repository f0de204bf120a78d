"""Which documents of a partition a search may see: what is bound as its filters, row by row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from omoide.nouns.clock import to_micros
from omoide.nouns.match import Where
from omoide.store.base import FOREVER
from omoide.store.search.columns import Columns, RowMask, TakenRows
from omoide.store.search.places import NO_ROW
from omoide.store.search.postings import RowNumbers


@dataclass(frozen=True, slots=True)
class Sight:
    """The documents of one partition of the asker's tenant and user, as a search filters them."""

    columns: Columns
    alive: RowMask
    # least and greatest of each time column, to skip comparing what all fulfil
    bounds: Mapping[str, tuple[int, int]]
    user: str  # whose they are

    def seen(self, where: Where, rows: RowNumbers | None) -> RowMask:
        """Whether a search may see each of some rows, or each of all."""
        mask = self.alive.copy() if rows is None else self.alive[rows]
        if not len(mask):
            return mask
        columns: Columns | TakenRows = (
            self.columns if rows is None else TakenRows(self.columns, rows)
        )
        self._keep_names(mask, columns, where)
        self._keep_dates(mask, columns, where)
        self._keep_valid(mask, columns, where)
        self._keep_held(mask, columns, where)
        for name, is_wanted in (
            ("sensitive", where.include_sensitive),
            ("muted", where.include_muted),
            ("unconfirmed", not where.confirmed_only),
        ):
            if not is_wanted:
                mask &= ~columns[name]
        return mask

    def open_to(self, where: Where) -> RowMask:
        """Which living rows are neither of other agents nor closed to all but another session."""
        mask = self.alive.copy()
        self._keep(mask, self.columns, _walls(where))
        return mask

    def _keep(
        self,
        mask: RowMask,
        columns: Columns | TakenRows,
        wanted: Mapping[str, Iterable[str] | None],
    ) -> None:
        """Leave out what has none of the wanted names in a column; None: any will do."""
        for column, names in wanted.items():
            if names is not None:
                codes = self.columns.names[column]
                allowed = [code for name in names if (code := codes.get(name)) is not None]
                if len(set(allowed)) < len(codes):
                    among = np.zeros(len(codes), bool)
                    among[allowed] = True
                    mask &= among[columns[column]]

    def _keep_names(self, mask: RowMask, columns: Columns | TakenRows, where: Where) -> None:
        wanted: dict[str, Iterable[str] | None] = {
            **_walls(where),
            "kind": where.kinds,
            "category": where.categories,
            "context": where.contexts,
        }
        self._keep(mask, columns, wanted)
        if where.off:
            self._keep_levels(mask, columns, where)
        if where.without_session is not None:
            mask &= columns["session_id"] != self.columns.names["session_id"].get(
                where.without_session, NO_ROW
            )

    def _keep_levels(self, mask: RowMask, columns: Columns | TakenRows, where: Where) -> None:
        """Leave out what is of a level that is off, but for what the asker's session holds."""
        names = self.columns.names
        if self.user:
            off = np.full(len(mask), "user" in where.off)
        else:
            nobodys = columns["agent"] == names["agent"].get("", NO_ROW)
            off = np.where(nobodys, "shared" in where.off, "agent" in where.off)
        if where.scope.session:
            mine = names["session_id"].get(where.scope.session, NO_ROW - 1)
            off &= columns["session_id"] != mine
        mask &= ~off

    def _keep_dates(self, mask: RowMask, columns: Columns | TakenRows, where: Where) -> None:
        """Leave out what is not of the time that is asked about, or was not yet known."""
        not_before = [] if where.since is None else [("at", to_micros(where.since))]
        not_after = [("recorded_at", _known_at(where))]
        if where.until is not None:
            not_after.append(("at", to_micros(where.until) - 1))
        self._keep_between(mask, columns, not_before, not_after)

    def _keep_valid(self, mask: RowMask, columns: Columns | TakenRows, where: Where) -> None:
        """Leave out what does not hold yet, or no more by its own dates."""
        as_of = _as_of(where)
        ends = [("valid_until", as_of + 1), ("expires_at", as_of + 1)]
        self._keep_between(mask, columns, ends, [])
        # the clock of whoever recorded something may be ahead of ours: of that, now is no earlier
        # than when it was recorded
        if self.bounds["valid_from"][1] > as_of:
            latest = as_of if where.as_of else np.maximum(columns["recorded_at"], as_of)
            mask &= columns["valid_from"] <= latest

    def _keep_held(self, mask: RowMask, columns: Columns | TakenRows, where: Where) -> None:
        """Leave out what was closed by then, as far as that is known."""
        as_of, known_at = _as_of(where), _known_at(where)
        if self.bounds["superseded_at"][0] > known_at:
            return
        learnt, latest = columns["superseded_at"], as_of
        if not where.as_of:
            latest = np.maximum(np.maximum(learnt, columns["recorded_at"]), as_of)
        mask &= (learnt > known_at) | (columns["closed_at"] > latest)

    def _keep_between(
        self,
        mask: RowMask,
        columns: Columns | TakenRows,
        not_before: Iterable[tuple[str, int]],
        not_after: Iterable[tuple[str, int]],
    ) -> None:
        for name, moment in not_before:
            if self.bounds[name][0] < moment:
                mask &= columns[name] >= moment
        for name, moment in not_after:
            if self.bounds[name][1] > moment:
                mask &= columns[name] <= moment


def _as_of(where: Where) -> int:
    return to_micros(where.as_of or where.now)


def _known_at(where: Where) -> int:
    return FOREVER - 1 if where.known_at is None else to_micros(where.known_at)


def _walls(where: Where) -> dict[str, tuple[str, str]]:
    """Whose a document may be that an asker sees at all: by its agent, and the only session it is
    of.
    """
    return {
        "agent": ("", where.scope.agent or ""),
        "only_session": ("", where.scope.session or ""),
    }
