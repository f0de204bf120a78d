"""What a target stands for, in portions: a source that told much is erased in several transactions,
so that none of them makes other writers wait for long.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from omoide.nouns.receipt import Target
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.record_kind import all_kinds, kind_named
from omoide.nouns.scope import Scope
from omoide.store.base import Store, Transaction, read_only

PORTION = 200  # records of a source that are erased together, with all that hangs on them


@frozen_record
class Portion:
    """Some of the records that a target stands for, by kind and id (None: all of them), and the ids
    of those that follow.
    """

    refs: tuple[tuple[str, str], ...] | None = None
    later: frozenset[str] = frozenset()

    @property
    def is_last(self) -> bool:
        """Whether nothing follows."""
        return not self.later

    def records(self, tx: Transaction, scope: Scope, target: Target) -> Iterator[Any]:
        """The records, as far as they are still there."""
        if self.refs is None:
            yield from (record for _, record in _named(tx, scope, target))
            return
        found = (kind_named(kind).find(tx, scope.tenant, id) for kind, id in self.refs)
        yield from (record for record in found if record is not None)


ALL = Portion()


def portions(store: Store, scope: Scope, target: Target) -> Iterator[Portion]:
    """All that a target stands for; of a source also what it told while it was being erased."""
    if target.origin is None:
        yield ALL
        return
    tried: set[tuple[str, str]] = set()
    while True:
        new = [ref for ref in _refs(store, scope, target) if ref not in tried]
        if new or not tried:
            yield from _cut(new)
        if not new:
            return
        tried |= set(new)


def _refs(store: Store, scope: Scope, target: Target) -> dict[tuple[str, str], None]:
    """The records that a target stands for now, by kind and id."""
    with read_only(store, scope.tenant) as tx:
        found = (kind_named(kind).ref_of(one) for kind, one in _named(tx, scope, target))
        return dict.fromkeys(found)


def _cut(refs: list[tuple[str, str]]) -> Iterator[Portion]:
    for start in range(0, max(1, len(refs)), PORTION):
        end = start + PORTION
        later = frozenset(id for _, id in refs[end:])
        yield Portion(refs=tuple(refs[start:end]), later=later)


def _named(tx: Transaction, scope: Scope, target: Target) -> Iterator[tuple[str, Any]]:
    return ((kind.name, one) for kind in all_kinds() for one in kind.meant(tx, scope, target))
