"""Forget: erase everywhere, then prove it. The one change that cannot be undone.

What is asked for is gathered with all that hangs on it: every version of an item, the items that
only a forgotten turn supports, entities nobody else speaks of. In one transaction each kind erases
its own records: rows, words, vectors, links and what the ledger kept beside its chain; the chain
itself holds no text and stays whole. Then the store is made to let go of old pages, and every byte
of its files is searched for what was erased.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from omoide.forgetting.portions import ALL, Portion, portions
from omoide.forgetting.proof import exported_before, prove
from omoide.forgetting.targets import Gathered, gather, pointing
from omoide.forgetting.unsay import unsay
from omoide.models import clear_caches
from omoide.nouns.change import Because
from omoide.nouns.clock import Clock
from omoide.nouns.errors import InvalidInput, NotFound, StoreError, StoreFull, UnknownName
from omoide.nouns.item import Category, Item, Source
from omoide.nouns.kind import Kind
from omoide.nouns.receipt import SORTS, Cut, Receipt, Target
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.record_kind import RecordKind, all_kinds
from omoide.nouns.scope import GLOBAL, Scope
from omoide.nouns.sender import Sender, own_user
from omoide.nouns.session import Participant
from omoide.store.base import Store, Transaction
from omoide.tables.documents import Documents
from omoide.tables.items import Items
from omoide.tables.jobs import Jobs
from omoide.tables.meta import Meta
from omoide.tables.sessions import Sessions
from omoide.tables.turns import Turns
from omoide.write.apply import Door, through
from omoide.write.checks import ORIGIN_LIMIT, check_line
from omoide.write.erasing import note_erased
from omoide.write.preview import Supposed


@frozen_record
class Erased:
    """What was erased: counts by kind of record, every text that went, whose it was (the empty text
    is nobody's), the users that are held still, and whether procedures went.
    """

    counts: Mapping[str, int] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)
    users: frozenset[str] = frozenset()
    others: list[str] = field(default_factory=list)
    procedures: bool = False

    @property
    def any(self) -> bool:
        """Whether there was anything to erase."""
        return any(self.counts.values())

    def __add__(self, other: Erased) -> Erased:
        counts = Counter(self.counts)
        counts.update(other.counts)
        return Erased(
            counts=dict(counts),
            texts=self.texts + other.texts,
            users=self.users | other.users,
            others=list(dict.fromkeys(self.others + other.others)),
            procedures=self.procedures or other.procedures,
        )


NOTHING = Erased()


TARGETS = ("id", "session", "origin", "entity", "user", "everything")
# what targets are called that are not there, where not by their name
SOUGHT = {"id": "item or turn", "everything": "record of the sort"}
_FILES = (
    "a SKILL.md file that a forgotten procedure was written to, if there is one, is not looked for;"
    " delete it"
)


def forget(store: Store, clock: Clock, scope: Scope, because: Because, target: Target) -> Receipt:
    """Erase what a target stands for; the receipt says what went and what still has to.

    Raises:
        InvalidInput: not exactly one target.
        UnknownName: everything of a sort that there is not.
        NotFound: nothing in this scope is meant by it.
        StoreFull, StoreBusy, StoreError: nothing was erased. What stops the search for what is left
            is told by the receipt instead, and so is a source of which a part could not be erased.
    """
    _check(scope, target)
    order = _ErasureOrder(scope, target, clock.new_id())
    erased, left = _erase_portions(store, clock, replace(because, cause=order.receipt), order)
    _check_found(target, erased)
    clear_caches()
    proof = prove(store, erased.texts)
    return Receipt(
        id=order.receipt,
        at=clock.now(),
        erased=erased.counts,
        searched=proof.searched,
        residue=proof.residue,
        pending=left + proof.pending + _left(store, scope.tenant, erased),
    )


@dataclass(frozen=True, slots=True)
class _ErasureOrder:
    """What is to be forgotten, for whom, and the id of the receipt."""

    scope: Scope
    target: Target
    receipt: str


def _erase_portions(
    store: Store, clock: Clock, because: Because, order: _ErasureOrder
) -> tuple[Erased, tuple[str, ...]]:
    """Erase portion by portion; what was erased, and what could not be."""
    erased, tenant = NOTHING, order.scope.tenant
    for portion in portions(store, order.scope, order.target):

        def change(tx: Transaction, door: Door, portion: Portion = portion) -> Erased:
            return _carry_out(order, _look(order, portion, tx, door), tx, door)

        try:
            erased += _tried(partial(through, store, clock, because, change, tenant=tenant))
        except StoreError as error:
            if not erased.any:
                raise
            return erased, (f"not all of it could be erased ({error}); forget it again",)
    return erased, ()


def _tried(erase: Callable[[], Erased]) -> Erased:
    try:
        return erase()
    except StoreFull:  # the store has let go of its ballast by now
        return erase()


def _check_found(target: Target, erased: Erased) -> None:
    """That something was meant.

    Raises:
        NotFound: nothing was.
    """
    if not erased.any:
        named = _named(target)
        raise NotFound(SOUGHT.get(named, named), str(getattr(target, named)))


def _left(store: Store, tenant: str, erased: Erased) -> tuple[str, ...]:
    """Where something may still be of what was erased, beside the store's files."""
    others = tuple(
        f"{user} is a user of its own, of whom something is held still; forget that one too"
        for user in erased.others
    )
    copies = exported_before(store, tenant, erased.users)
    return (*copies, *others, *((_FILES,) if erased.procedures else ()))


def foresee(store: Store, clock: Clock, scope: Scope, because: Because, target: Target) -> Receipt:
    """The receipt of what forget would erase, with the sessions that it would cut. Nothing is
    erased, since what finds it out is undone.

    Raises:
        InvalidInput, UnknownName, NotFound: as forget does.
    """
    _check(scope, target)
    change = partial(_foresee, _ErasureOrder(scope, target, clock.new_id()))
    return through(Supposed(store), clock, because, change, tenant=scope.tenant)


def _check(scope: Scope, target: Target) -> None:
    named = [name for name in TARGETS if getattr(target, name) is not None]
    if len(named) != 1:
        raise InvalidInput("forget", f"name exactly one of {', '.join(TARGETS)}")
    if not check_line(getattr(target, named[0]), named[0], ORIGIN_LIMIT):
        raise InvalidInput(named[0], "must not be empty")
    if target.user is not None and scope.user not in (None, target.user):
        raise NotFound("user", target.user)
    if target.everything not in (None, *SORTS) and not isinstance(
        target.everything, Source | Category
    ):
        raise UnknownName("what", str(target.everything), SORTS)


def _foresee(order: _ErasureOrder, tx: Transaction, door: Door) -> Receipt:
    gathered = _look(order, ALL, tx, door)
    done = _carry_out(order, gathered, tx, door)
    _check_found(order.target, done)
    cuts = tuple(_cuts(tx, order.scope.tenant, gathered))
    return Receipt(id="", at=door.now, erased=done.counts, preview=True, sessions=cuts)


def _cuts(tx: Transaction, tenant: str, gathered: Gathered) -> Iterator[Cut]:
    """The sessions that something is taken out of, or that go, once it is erased."""
    turns: Counter[str] = Counter(turn.session for turn in gathered.turns.values())
    for id in sorted({*turns, *gathered.sessions}):
        session = gathered.sessions.get(id) or Sessions(tx).find(tenant, id)
        if session is not None:
            left, whole = Turns(tx).shown(tenant, id), id in gathered.sessions
            yield Cut(session=session, turns=turns[id], left=left, whole=whole)


def _look(order: _ErasureOrder, portion: Portion, tx: Transaction, door: Door) -> Gathered:
    """Gather it, with other writers made to wait before, so that nothing is added meanwhile: also
    those of users whom it turns out to touch.
    """
    scope, target = order.scope, order.target
    users, locked = {"", scope.user or "", target.user or ""}, set[str]()
    while users - locked:
        door.lock_users(scope, users - locked)
        locked |= users
        gathered = gather(tx, scope, target, portion)
        users = _partitions(tx, scope.tenant, gathered)
    return gathered


def _carry_out(order: _ErasureOrder, gathered: Gathered, tx: Transaction, door: Door) -> Erased:
    """Erase what was gathered."""
    scope, user = order.scope, order.target.user
    users = _users(tx, scope.tenant, gathered)
    unsaid, merged = unsay(tx, door, scope, gathered.source, gathered.spared)
    gathered.items.update({item.id: item for item in merged})
    counts = _erase(tx, door, scope, gathered) | {"unsaid": unsaid}
    if user is not None:
        _leave_shared(tx, scope.tenant, user)
    if any(counts.values()):  # other processes drop what they hold of texts
        Meta(tx).set("forgotten", order.receipt)
    return Erased(
        counts=counts,
        texts=gathered.texts(),
        users=users | {user or scope.user or ""},
        others=_own_users(tx, gathered.records["sender"].values()),
        procedures=bool(gathered.records["procedure"]),
    )


def _users(tx: Transaction, tenant: str, found: Gathered) -> frozenset[str]:
    """Whose records go; the empty text is nobody's."""
    scopes = (
        scope
        for kind in all_kinds()
        for record in found.records[kind.name].values()
        for scope in kind.scopes(tx, tenant, record)
    )
    return frozenset(scope.user or "" for scope in scopes)


def _named(target: Target) -> str:
    """Which of the targets was named."""
    return next(name for name in TARGETS if getattr(target, name) is not None)


def _own_users(tx: Transaction, linked: Iterable[Sender]) -> list[str]:
    """The users that forgotten senders were before they were linked, as far as something is held of
    them.
    """
    own = {own_user(one.channel, one.sender): one.scope.tenant for one in linked}
    return [
        user
        for user, tenant in own.items()
        if Items(tx).of_user(tenant, user) or Sessions(tx).of_user(tenant, user)
    ]


def erase_item(tx: Transaction, door: Door, item: Item) -> int:
    """Erase an item with all its versions as forget does, but for the proof; how many items."""
    scope = replace(item.scope, context=GLOBAL)
    return _erase(tx, door, scope, gather(tx, scope, Target(id=item.id)))["items"]


def _erase(tx: Transaction, door: Door, scope: Scope, found: Gathered) -> dict[str, int]:
    """Erase it, what hangs on others first; counts by kind of record."""
    tenant = scope.tenant
    users = _partitions(tx, tenant, found)
    documents = _erase_documents(tx, door, scope, found, users)
    _let_go(tx, door, tenant, found)
    gone = found.gone
    for kind in reversed(all_kinds()):
        _erase_kind(tx, door, scope, kind, found.records[kind.name], gone)
    _forget_answers(tx, tenant, found, users)
    return found.counts() | {"documents": documents}


def _erase_documents(
    tx: Transaction, door: Door, scope: Scope, found: Gathered, users: Set[str]
) -> int:
    """Erase what search finds it by, in the partitions of these users; how many documents."""
    seqs = door.lock_users(scope, users)
    return sum(
        Documents(tx).forget(scope.tenant, Kind(kind.name), id, seqs)
        for kind in all_kinds()
        if kind.rows
        for id in found.records[kind.name]
    )


def _erase_kind(
    tx: Transaction,
    door: Door,
    scope: Scope,
    kind: RecordKind[Any],
    records: Mapping[str, Any],
    gone: Mapping[str, Any],
) -> None:
    """Erase records of a kind, and leave a change of each that stands on the ledger."""
    if kind.erase:
        kind.erase(tx, door, scope, records, gone)
        return
    for record in records.values():
        assert kind.table
        kind.table(tx).forget(scope.tenant, record.id)
        if kind.noted:
            note_erased(tx, door, Kind(kind.name), record)


def _partitions(tx: Transaction, tenant: str, found: Gathered) -> set[str]:
    """The users in whose partitions something changes; the empty text is nobody's."""
    users = {
        kind.scopes(tx, tenant, record)[0].user or ""
        for kind in all_kinds()
        for record in found.records[kind.name].values()
    }
    rows = (
        row
        for kind in all_kinds()
        if kind.rows
        for id in found.records[kind.name]
        for row in Documents(tx).of(tenant, Kind(kind.name), id)
    )
    return users | {row["user_id"] for row in rows}


def _let_go(tx: Transaction, door: Door, tenant: str, found: Gathered) -> None:
    """Let what stays be without what goes."""
    for kind in (kind for kind in all_kinds() if kind.let_go):
        staying = {
            record.id: record
            for edge in kind.edges
            for record in pointing(tx, tenant, kind, edge, found.records)
            if record.id not in found.records[kind.name]
        }
        for record in staying.values():
            assert kind.let_go
            kind.let_go(tx, door, record, found.gone)


def _forget_answers(tx: Transaction, tenant: str, found: Gathered, users: Set[str]) -> None:
    """Erase what a model said in jobs that stay, if it may have seen what is forgotten."""
    for user in sorted(users):
        Jobs(tx).forget_answers(tenant, user)
    for session in sorted({turn.session for turn in found.turns.values()} - found.sessions.keys()):
        Jobs(tx).forget_answers_about(tenant, session)


def _leave_shared(tx: Transaction, tenant: str, user: str) -> None:
    """Take a user's name out of the sessions shared with others, which stay shared."""
    for session in Sessions(tx).shared(tenant):
        if user in session.users:
            nobody = Participant(name="(forgotten)", user=f"forgotten-{secrets.token_hex(8)}")
            others = (nobody if p.user == user else p for p in session.participants)
            owner = None if session.owner == user else session.owner
            Sessions(tx).describe(replace(session, participants=tuple(others), owner=owner))
