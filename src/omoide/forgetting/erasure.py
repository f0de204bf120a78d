"""Forget: erase everywhere, then prove it. The one change that cannot be undone.

What is asked for is gathered with all that hangs on it: every version of an item, the items that
only a forgotten turn supports, entities nobody else speaks of. One transaction erases rows, words,
vectors, links and what the ledger kept beside its chain; the chain itself holds no text and stays
whole. Then the store is made to let go of old pages, and every byte of its files is searched for
what was erased.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial

from omoide.forgetting import unlearn, unreflect
from omoide.forgetting.proof import prove
from omoide.forgetting.targets import SORTS, Gathered, Target, gather
from omoide.forgetting.unpropose import rehome
from omoide.forgetting.unsay import unsay
from omoide.models import clear_caches
from omoide.nouns.change import Action, Because
from omoide.nouns.clock import Clock
from omoide.nouns.entity import Entity
from omoide.nouns.errors import InvalidInput, NotFound, StoreFull, UnknownName
from omoide.nouns.item import Category, Item, Source
from omoide.nouns.kind import Kind
from omoide.nouns.procedure import Procedure
from omoide.nouns.proposal import Proposal
from omoide.nouns.receipt import Cut, Receipt
from omoide.nouns.scope import GLOBAL, Scope
from omoide.nouns.sender import Sender, own_user
from omoide.nouns.session import Participant, Session
from omoide.nouns.turn import Turn
from omoide.store.base import Store, Transaction
from omoide.tables.documents import Documents
from omoide.tables.entities import Entities
from omoide.tables.items import Items
from omoide.tables.jobs import LESSON_JOB, Jobs
from omoide.tables.ledger import Ledger
from omoide.tables.meta import Meta
from omoide.tables.pairs import Pairs
from omoide.tables.proposals import Proposals
from omoide.tables.senders import Senders
from omoide.tables.sessions import Sessions
from omoide.tables.tools import ToolCalls
from omoide.tables.turns import Turns
from omoide.text.words import fold
from omoide.write.apply import Door, through
from omoide.write.checks import ORIGIN_LIMIT, check_line
from omoide.write.dry_run import Supposed
from omoide.write.entities import names_in

TARGETS = ("id", "session", "origin", "entity", "user", "everything")
SOUGHT = {
    "id": "item or turn",
    "everything": "record of the sort",
}  # what targets are called that are not there, where not by their name
_FILES = (
    "a SKILL.md file that a forgotten procedure was written to, if there is one, is not looked for;"
    " delete it"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Foreseen:
    """What forget would erase: counts by kind of record, and the sessions that it is in, by their
    ids.
    """

    erased: Mapping[str, int]
    cuts: tuple[Cut, ...]


def forget(store: Store, clock: Clock, scope: Scope, because: Because, target: Target) -> Receipt:
    """Erase what a target stands for; the receipt says what went and what still has to.

    Raises:
        InvalidInput: not exactly one target.
        UnknownName: everything of a sort that there is not.
        NotFound: nothing in this scope is meant by it.
        StoreFull, StoreBusy, StoreError: nothing was erased. What stops the search for what is left
            is told by the receipt instead.
    """
    _check(scope, target)
    receipt_id = clock.new_id()
    because = replace(because, cause=receipt_id)
    erase = partial(
        through,
        store,
        clock,
        because,
        partial(_forget, scope, target, receipt_id),
        tenant=scope.tenant,
    )
    try:
        counts, texts, others, with_procedures = erase()
    except StoreFull:  # the store has let go of its ballast by now
        counts, texts, others, with_procedures = erase()
    clear_caches()
    proof = prove(store, texts)
    pending = proof.pending
    pending += tuple(
        f"{user} is a user of its own, of whom something is held still; forget that one too"
        for user in others
    )
    pending += (_FILES,) if with_procedures else ()
    return Receipt(
        id=receipt_id,
        at=clock.now(),
        erased=counts,
        searched=proof.searched,
        residue=proof.residue,
        pending=pending,
    )


def foresee(store: Store, clock: Clock, scope: Scope, because: Because, target: Target) -> Foreseen:
    """What forget would erase; nothing is, since what finds it out is undone.

    Raises:
        InvalidInput, UnknownName, NotFound: as forget does.
    """
    _check(scope, target)
    return through(
        Supposed(store),
        clock,
        because,
        partial(_foresee, scope, target, clock.new_id()),
        tenant=scope.tenant,
    )


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
        raise UnknownName("everything", str(target.everything), SORTS)


def _foresee(scope: Scope, target: Target, receipt: str, tx: Transaction, door: Door) -> Foreseen:
    gathered = _look(scope, target, tx, door)
    erased = _carry_out(scope, target, receipt, gathered, tx, door)[0]
    turns: Counter[str] = Counter(turn.session for turn in gathered.turns.values())
    named = (
        (id, gathered.sessions.get(id) or Sessions(tx).find(scope.tenant, id))
        for id in sorted({*turns, *gathered.sessions})
    )
    cuts = (
        Cut(
            session=session,
            turns=turns[id],
            left=Turns(tx).shown(scope.tenant, id),
            whole=id in gathered.sessions,
        )
        for id, session in named
        if session is not None
    )
    return Foreseen(erased=erased, cuts=tuple(cuts))


def _forget(
    scope: Scope, target: Target, receipt: str, tx: Transaction, door: Door
) -> tuple[dict[str, int], list[str], list[str], bool]:
    return _carry_out(scope, target, receipt, _look(scope, target, tx, door), tx, door)


def _look(scope: Scope, target: Target, tx: Transaction, door: Door) -> Gathered:
    """Gather it, with other writers made to wait before, so that nothing is added meanwhile."""
    for user in sorted({"", scope.user or "", target.user or ""}):
        door.lock(scope.of_user(user or None))
    return gather(tx, scope, target)


def _carry_out(
    scope: Scope, target: Target, receipt: str, gathered: Gathered, tx: Transaction, door: Door
) -> tuple[dict[str, int], list[str], list[str], bool]:
    """Erase it: counts by kind of record, every text that went, users that are held still, and
    whether procedures went.
    """
    leaving = target.user or (scope.user if target.everything == "all" else None)
    linked = Senders(tx).of(scope.tenant, leaving) if leaving else []
    unsaid, merged = unsay(tx, door, scope.tenant, gathered.source, gathered.spared)
    gathered.items |= {item.id: item for item in merged}
    counts = _erase(tx, door, scope, gathered) | {"unsaid": unsaid}
    counts["senders"] = Senders(tx).forget(scope.tenant, leaving) if leaving else 0
    if target.user is not None:
        _leave_shared(tx, scope.tenant, target.user)
        counts["jobs"] += Jobs(tx).forget(scope.tenant, target.user)
        counts["tool_calls"] += ToolCalls(tx).forget_user(scope.tenant, target.user)
    elif target.everything == "all" and scope.user:
        # what failed is told in them
        counts["jobs"] += Jobs(tx).forget_kind(scope.tenant, scope.user, LESSON_JOB)
    if not any(counts.values()):
        (named, value), *_ = (
            (name, getattr(target, name)) for name in TARGETS if getattr(target, name) is not None
        )
        raise NotFound(SOUGHT.get(named, named), str(value))
    Meta(tx).set("forgotten", receipt)  # tells other processes to drop what they hold of texts
    texts = [*gathered.texts(), *(sender.sender for sender in linked)]
    return counts, texts, _own_users(tx, linked), bool(gathered.procedures)


def _own_users(tx: Transaction, linked: Sequence[Sender]) -> list[str]:
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
    tenant, users = scope.tenant, _partitions(tx, scope.tenant, found)
    seqs = {user: door.lock(scope.of_user(user or None)) for user in sorted(users)}
    counts = {
        "documents": sum(
            Documents(tx).forget(tenant, kind, ref, seqs) for kind, ref in _searchable(found)
        )
    }
    _erase_turns(tx, door, scope, found)
    counts |= unreflect.erase(tx, door, found.hanging)
    unlearn.erase(tx, door, tenant, found.procedures)
    for item in found.items.values():
        Items(tx).forget(item)
        Pairs(tx).forget(tenant, item.id)
    _erase_entities(tx, tenant, found)
    _erase_rows(tx, tenant, found)
    _note_erased(tx, door, tenant, found)
    counts["tool_calls"] = sum(
        ToolCalls(tx).forget_session(tenant, session) for session in found.sessions
    )
    counts["jobs"] = _forget_jobs(tx, tenant, found, users)
    names = ("items", "turns", "sessions", "entities", "proposals", "procedures")
    sizes = {name: len(getattr(found, name)) for name in names}
    return sizes | counts


def _searchable(found: Gathered) -> list[tuple[Kind, str]]:
    """What of it stands in the search index."""
    turns: list[tuple[Kind, str]] = [(Kind.TURN, id) for id in found.turns]
    return turns + [(Kind.ITEM, id) for id in found.items]


def _partitions(tx: Transaction, tenant: str, found: Gathered) -> set[str]:
    """The users in whose partitions something changes; the empty text is nobody's."""
    users = {item.scope.user or "" for item in found.items.values()} | found.hanging.users
    rows = (row for kind, ref in _searchable(found) for row in Documents(tx).of(tenant, kind, ref))
    return users | {row["user_id"] for row in rows}


def _erase_turns(tx: Transaction, door: Door, scope: Scope, found: Gathered) -> None:
    """Erase turns, each with a change of its own, and what items and sessions kept of them."""
    turns, tenant = Turns(tx), scope.tenant
    agents = {id: turns.home(tenant, turn)[0].agent or "" for id, turn in found.turns.items()}
    for turn in found.turns.values():
        _loosen(tx, tenant, turn)
        turns.forget(tenant, turn.id)
        door.note(Action.FORGET, Kind.TURN, turn.id, scope, before={"agent": agents[turn.id]})
    _shorten(tx, tenant, found)


def _erase_entities(tx: Transaction, tenant: str, found: Gathered) -> None:
    """Erase entities with their links, and their names in what the ledger kept of others."""
    _forget_namings(tx, tenant, found.entities)
    for entity in found.entities.values():
        for link, _ in Entities(tx).links(tenant, entity.id):
            Entities(tx).unlink(tenant, link, entity.id)
        Entities(tx).forget(tenant, entity.id)


def _note_erased(tx: Transaction, door: Door, tenant: str, found: Gathered) -> None:
    """Note what was erased as a whole, a change a record, and doubt what rested on the items."""
    whole: dict[Kind, Mapping[str, Item | Entity | Session | Proposal | Procedure]] = {
        Kind.ITEM: found.items,
        Kind.ENTITY: found.entities,
        Kind.SESSION: found.sessions,
        Kind.PROPOSAL: found.proposals,
        Kind.PROCEDURE: found.procedures,
    }
    for kind, records in whole.items():
        for record in records.values():
            Ledger(tx).forget(tenant, record.id)
            before = {"agent": record.scope.agent or ""}
            change = door.note(Action.FORGET, kind, record.id, record.scope, before=before)
            if kind is Kind.ITEM:
                door.topple(tenant, record.id, change)


def _shorten(tx: Transaction, tenant: str, found: Gathered) -> None:
    """Let sessions that stay be of the turns that are left, with what the ledger kept of these
    alone.
    """
    gone: dict[str, list[Turn]] = {}
    for turn in found.turns.values():
        gone.setdefault(turn.session, []).append(turn)
    for id, turns in gone.items():
        Ledger(tx).forget_turns(tenant, id, {turn.position for turn in turns})
        if id not in found.sessions:
            Sessions(tx).shorten(tenant, id, turns)


def _erase_rows(tx: Transaction, tenant: str, found: Gathered) -> None:
    """Erase what has no links to others but its id."""
    for session in found.sessions.values():
        Sessions(tx).forget(tenant, session.id)
    for proposal in found.proposals.values():
        Proposals(tx).forget(tenant, proposal.id)
    if found.sessions:
        rehome(tx, tenant, found.sessions, found.proposals)


def _forget_jobs(tx: Transaction, tenant: str, found: Gathered, users: Set[str]) -> int:
    """Erase the jobs about forgotten sessions, and what a model said in jobs that stay, if they may
    have seen what is forgotten.
    """
    erased = sum(Jobs(tx).forget_session(tenant, session) for session in sorted(found.sessions))
    for user in sorted(users | {session.scope.user or "" for session in found.sessions.values()}):
        Jobs(tx).forget_answers(tenant, user)
    for session in sorted({turn.session for turn in found.turns.values()} - found.sessions.keys()):
        Jobs(tx).forget_answers_about(tenant, session)
    return erased


def _forget_namings(tx: Transaction, tenant: str, forgotten: Mapping[str, Entity]) -> None:
    """Erase what the ledger kept for undo of entities that stay, where it has a forgotten one's
    names.
    """
    names = {folded for id in forgotten for folded in Entities(tx).aliases(tenant, id)} | {
        fold(e.name) for e in forgotten.values()
    }
    for user in sorted({entity.scope.user or "" for entity in forgotten.values()}):
        for other in Entities(tx).of_user(tenant, user):
            kept = (
                (past.before for past in Ledger(tx).of_record(tenant, other.id))
                if other.id not in forgotten
                else ()
            )
            if any(not names.isdisjoint(names_in(before)) for before in kept):
                Ledger(tx).forget(tenant, other.id)


def _leave_shared(tx: Transaction, tenant: str, user: str) -> None:
    """Take a user's name out of the sessions shared with others, which stay shared."""
    for session in Sessions(tx).shared(tenant):
        if user in session.users:
            nobody = Participant(name="(forgotten)", user=f"forgotten-{secrets.token_hex(8)}")
            others = (nobody if p.user == user else p for p in session.participants)
            owner = None if session.owner == user else session.owner
            Sessions(tx).describe(replace(session, participants=tuple(others), owner=owner))


def _loosen(tx: Transaction, tenant: str, turn: Turn) -> None:
    """Take a forgotten turn, and a quote from it, out of the items that stay."""
    for item in Items(tx).of_turn(tenant, turn.id):
        Items(tx).lose_source(
            item, turn.id, quote_too=bool(item.quote) and str(item.quote) in turn.text
        )
