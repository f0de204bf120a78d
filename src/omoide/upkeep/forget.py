"""Forget: erase everywhere, then prove it. The one change that cannot be undone.

What is asked for is gathered with all that hangs on it: every version of an item, the items that only a
forgotten turn supports, entities nobody else speaks of. One transaction erases rows, words, vectors,
links and what the ledger kept beside its chain; the chain itself holds no text and stays whole. Then
the store is made to let go of old pages, and every byte of its files is searched for what was erased.
"""

from __future__ import annotations

import json
import secrets
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Protocol, runtime_checkable

from omoide.access import may_take_back, owns, takes_part
from omoide.clock import Clock
from omoide.errors import InvalidInput, NotFound, UnknownName
from omoide.models import clear_caches
from omoide.procedures import Procedure
from omoide.proposals import Proposal
from omoide.records import GLOBAL, Action, Because, Entity, EntityId, Item, Kind, Participant, Receipt, Scope, Session, Turn
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
from omoide.text.secrets.fields import mask_line
from omoide.text.words import fold
from omoide.upkeep import unlearn, unreflect
from omoide.upkeep.supposed import Supposed
from omoide.upkeep.unpropose import is_unsaid, rehome, sources_of, texts_of
from omoide.upkeep.unreflect import Hanging
from omoide.upkeep.unsay import Source, is_correction, is_others, said_by_others, unsay
from omoide.users import Sender, own_user
from omoide.write.apply import Door, through
from omoide.write.check import ORIGIN_LIMIT, check_line
from omoide.write.entities import names_in

TARGETS = ("id", "session", "origin", "entity", "user", "everything")
SOUGHT = {"id": "item or turn", "everything": "record of the sort"}  # what targets are called that are not there, where not by their name
SORTS = ("items", "turns", "all")
SHORTEST = 12  # bytes: a shorter text is no proof either way, it stands in other texts too
_FILES = "a SKILL.md file that a forgotten procedure was written to, if there is one, is not looked for; delete it"
NEEDLE = 48  # bytes of a text that are searched for


@runtime_checkable
class Erasing(Protocol):
    """A store that can let go of old pages and search its own files."""

    def checkpoint(self) -> bool:
        """Let go of old pages; False while a reader still holds some."""
        ...

    def scan(self, needles: Sequence[bytes]) -> dict[bytes, int] | None:
        """How often each needle that is there stands in the store's files; None where these cannot be read from here."""
        ...

    def set_aside(self, needles: Sequence[bytes] | None) -> list[Path]:
        """Copies that were set aside beside the store and hold a needle, or cannot be looked into; with None every copy."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Target:
    """What to forget: exactly one of these."""

    id: str | None = None  # an item with all its versions, a turn, or a proposal
    session: str | None = None
    origin: str | None = None  # all that one document, page or import brought, and nothing else
    entity: str | None = None  # an entity and every item linked to it
    user: str | None = None  # everything of one user
    everything: str | None = None  # of the asker's own: "items", "turns" or "all"


@dataclass(frozen=True, kw_only=True, slots=True)
class Cut:
    """A session of which turns would be erased: how many, how many that are seen stay, and whether it goes as a whole."""

    session: Session
    turns: int
    left: int
    whole: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Foreseen:
    """What forget would erase: counts by kind of record, and the sessions that it is in, by their ids."""

    erased: Mapping[str, int]
    cuts: tuple[Cut, ...]


@dataclass(slots=True)
class Gathered:
    """All that a target stands for."""

    items: dict[str, Item]
    turns: dict[str, Turn]
    sessions: dict[str, Session]
    entities: dict[str, Entity]
    proposals: dict[str, Proposal] = field(default_factory=dict)
    procedures: dict[str, Procedure] = field(default_factory=dict)
    hanging: Hanging = field(default_factory=Hanging)
    origins: frozenset[str] = frozenset()  # of a source that is forgotten: what others said stays, as they said it
    spared: dict[str, Item] = field(default_factory=dict)  # such items as they stay, by the ids of those that go

    @property
    def source(self) -> Source:
        """All of it as who said something."""
        return Source(items=self.items, turns=self.turns, sessions=self.sessions, origins=self.origins)

    def texts(self) -> list[str]:
        """Every text that is about to be erased."""
        waiting = [text for one in self.proposals.values() for text in texts_of(one)]
        quotes = (item.quote for item in self.items.values() if item.quote)
        escaped = (json.dumps(text)[1:-1] for text in waiting if not text.isascii())  # as they stand in their column
        known = (*(item.text for item in self.items.values()), *quotes, *(turn.text for turn in self.turns.values()))
        advice = [json.dumps(text)[1:-1] for one in self.procedures.values() for text in one.texts()]
        return [*known, *waiting, *escaped, *advice, *self.hanging.texts()]


def forget(store: Store, clock: Clock, scope: Scope, because: Because, target: Target) -> Receipt:
    """Erase what a target stands for; the receipt says what went and what still has to.

    Raises:
        InvalidInput: not exactly one target.
        UnknownName: everything of a sort that there is not.
        NotFound: nothing in this scope is meant by it.
    """
    _check(scope, target)
    receipt_id = clock.new_id()
    because = replace(because, cause=receipt_id)
    counts, texts, others, with_procedures = through(store, clock, because, partial(_forget, scope, target, receipt_id))
    clear_caches()
    pending, searched, residue = _prove(store, texts)
    pending += tuple(f"{user} is a user of its own, of whom something is held still; forget that one too" for user in others)
    pending += (_FILES,) if with_procedures else ()
    return Receipt(id=receipt_id, at=clock.now(), erased=counts, searched=searched, residue=residue, pending=pending)


def foresee(store: Store, clock: Clock, scope: Scope, because: Because, target: Target) -> Foreseen:
    """What forget would erase; nothing is, since what finds it out is undone.

    Raises:
        InvalidInput, UnknownName, NotFound: as forget does.
    """
    _check(scope, target)
    return through(Supposed(store), clock, because, partial(_foresee, scope, target, clock.new_id()))


def _check(scope: Scope, target: Target) -> None:
    named = [name for name in TARGETS if getattr(target, name) is not None]
    if len(named) != 1:
        raise InvalidInput("forget", f"name exactly one of {', '.join(TARGETS)}")
    if not check_line(getattr(target, named[0]), named[0], ORIGIN_LIMIT):
        raise InvalidInput(named[0], "must not be empty")
    if target.user is not None and scope.user not in (None, target.user):
        raise NotFound("user", target.user)
    if target.everything not in (None, *SORTS):
        raise UnknownName("everything", str(target.everything), SORTS)


def _foresee(scope: Scope, target: Target, receipt: str, tx: Transaction, door: Door) -> Foreseen:
    gathered = _look(scope, target, tx, door)
    erased = _carry_out(scope, target, receipt, gathered, tx, door)[0]
    turns: Counter[str] = Counter(turn.session for turn in gathered.turns.values())
    named = ((id, gathered.sessions.get(id) or Sessions(tx).find(scope.tenant, id)) for id in sorted({*turns, *gathered.sessions}))
    cuts = (
        Cut(session=session, turns=turns[id], left=Turns(tx).shown(scope.tenant, id), whole=id in gathered.sessions)
        for id, session in named
        if session is not None
    )
    return Foreseen(erased=erased, cuts=tuple(cuts))


def _forget(scope: Scope, target: Target, receipt: str, tx: Transaction, door: Door) -> tuple[dict[str, int], list[str], list[str], bool]:
    return _carry_out(scope, target, receipt, _look(scope, target, tx, door), tx, door)


def _look(scope: Scope, target: Target, tx: Transaction, door: Door) -> Gathered:
    """Gather it, with other writers made to wait before, so that nothing is added meanwhile."""
    for user in sorted({"", scope.user or "", target.user or ""}):
        door.lock(replace(scope, user=user or None))
    return gather(tx, scope, target)


def _carry_out(
    scope: Scope, target: Target, receipt: str, gathered: Gathered, tx: Transaction, door: Door
) -> tuple[dict[str, int], list[str], list[str], bool]:
    """Erase it: counts by kind of record, every text that went, users that are held still, and whether procedures went."""
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
        counts["jobs"] += Jobs(tx).forget_kind(scope.tenant, scope.user, LESSON_JOB)  # what failed is told in them
    if not any(counts.values()):
        (named, value), *_ = ((name, getattr(target, name)) for name in TARGETS if getattr(target, name) is not None)
        raise NotFound(SOUGHT.get(named, named), str(value))
    Meta(tx).set("forgotten", receipt)  # tells other processes to drop what they hold of texts
    texts = [*gathered.texts(), *(sender.sender for sender in linked)]
    return counts, texts, _own_users(tx, linked), bool(gathered.procedures)


def _own_users(tx: Transaction, linked: Sequence[Sender]) -> list[str]:
    """The users that forgotten senders were before they were linked, as far as something is held of them."""
    own = {own_user(one.channel, one.sender): one.scope.tenant for one in linked}
    return [user for user, tenant in own.items() if Items(tx).of_user(tenant, user) or Sessions(tx).of_user(tenant, user)]


def erase_item(tx: Transaction, door: Door, item: Item) -> int:
    """Erase an item with all its versions as forget does, but for the proof; how many items."""
    scope = replace(item.scope, context=GLOBAL)
    return _erase(tx, door, scope, gather(tx, scope, Target(id=item.id)))["items"]


def gather(tx: Transaction, scope: Scope, target: Target) -> Gathered:
    """What a target stands for, as far as the asker may see it."""
    found = Gathered({}, {}, {}, {})
    if target.id is not None:
        _gather_id(tx, scope, target.id, found)
    elif target.session is not None:
        session = Sessions(tx).find(scope.tenant, target.session)
        if session is not None:
            _gather_session(tx, scope, session, found)
    elif target.origin is not None:
        found.origins = frozenset({target.origin, mask_line(target.origin)})
        _gather_origin(tx, scope, target.origin, found)
    elif target.entity is not None:
        entity = Entities(tx).by_name(scope, target.entity)
        if entity is not None:
            found.entities[entity.id] = entity
            _take_items(tx, scope, Items(tx).of_entity(scope.tenant, entity.id), found)
        else:
            _take_gone_entities(tx, scope, target.entity, found)
    elif target.user is not None:
        _gather_user(tx, scope, target.user, found)
    elif target.everything is not None:
        _gather_own(tx, scope, target.everything, found)
    _take_derived(tx, scope, found)
    if target.origin is not None:
        _take_emptied(tx, scope, found)
    _take_lone_entities(tx, scope, found)
    found.hanging = unreflect.hanging_on(
        tx, scope, turns=found.turns, items=found.items, sessions=found.sessions, user=target.user, id=target.id
    )
    found.proposals |= {one.id: one for one in Proposals(tx).of_tenant(scope.tenant) if _goes(tx, one, scope, target, found)}
    found.procedures = unlearn.made_of(tx, scope.tenant, found.turns.keys() | found.sessions.keys(), _procedures(tx, scope, target))
    return found


def _procedures(tx: Transaction, scope: Scope, target: Target) -> list[Procedure]:
    """The procedures that a target stands for by itself; one with all its versions."""
    if target.user is not None:
        return unlearn.of_owner(tx, scope, target.user, of_every_agent=True)
    if target.everything == "all" and scope.user:
        return unlearn.of_owner(tx, scope, scope.user, of_every_agent=False)
    return unlearn.versions(tx, scope, target.id) if target.id is not None else []


def _goes(tx: Transaction, waiting: Proposal, scope: Scope, target: Target, found: Gathered) -> bool:
    """Whether what waits for review goes too: it came from what is forgotten, rests on it, would close it, or is what is meant."""
    item = waiting.item
    going = {*found.sessions, *found.turns, *found.items, *found.hanging.reflections, *found.hanging.digests}
    if waiting.target in going or (waiting.what is None and is_unsaid(tx, waiting, going)):
        return True
    if waiting.what is not None and not going.isdisjoint({waiting.session, *sources_of(waiting)}):
        return True
    if target.user is not None:
        return waiting.scope.user == target.user
    theirs = waiting.scope.user in (None, scope.user) and waiting.scope.agent in (None, scope.agent)
    if not theirs or (target.everything is not None and waiting.scope.user != scope.user):
        return False
    names = {fold(name) for entity in found.entities.values() for name in (entity.name, *entity.aliases)}
    named = target.entity is not None and item is not None and any(fold(name) in names for name in item.entities)
    meant = target.origin is not None and waiting.origin in (target.origin, mask_line(target.origin))
    everything = target.everything == "all" or (target.everything == "items" and waiting.kind is Kind.ITEM)
    return named or meant or everything or target.id == waiting.id


def _gather_id(tx: Transaction, scope: Scope, id: str, found: Gathered) -> None:
    item = Items(tx).get(scope, id)
    if item is not None:
        _take_items(tx, scope, [item], found)
    elif "#" in id:
        turn = Turns(tx).find(scope.tenant, id)
        if turn is not None and _is_theirs(tx, scope, turn):
            found.turns[turn.id] = turn


def _gather_session(tx: Transaction, scope: Scope, session: Session, found: Gathered) -> None:
    """A session as far as it is the asker's: its owner's but for what another user said there alone; of others what they said."""
    if not owns(scope, session) and not takes_part(scope, session):
        return
    if Sessions(tx).lock(scope.tenant, session.id) is None:  # nothing is said there until it is gone
        return
    turns = Turns(tx).all_of_session(scope.tenant, session.id)
    mine = [turn for turn in turns if _is_theirs(tx, scope, turn)]
    found.turns |= {turn.id: turn for turn in mine}
    if owns(scope, session):
        if len(mine) == len(turns):
            found.sessions[session.id] = session
        only = Items(tx).only_in(scope.tenant, session.id)
        _take_items(tx, scope, (i for i in only if i.scope.user in (None, scope.user)), found)


def _is_theirs(tx: Transaction, scope: Scope, turn: Turn) -> bool:
    """Whether a turn is the asker's to forget."""
    home, _ = Turns(tx).home(scope.tenant, turn)
    session = Sessions(tx).find(scope.tenant, turn.session)
    mine = home.user in (None, scope.user) and home.agent in (None, scope.agent)
    return mine and (session is None or may_take_back(scope, session, turn))


def _gather_origin(tx: Transaction, scope: Scope, origin: str, found: Gathered) -> None:
    if (masked := mask_line(origin)) != origin:  # as it was stored, if it came through the door
        _gather_origin(tx, scope, masked, found)
    found.turns |= {turn.id: turn for turn in Turns(tx).of_origin(scope.tenant, origin) if _is_theirs(tx, scope, turn)}
    brought = Items(tx).of_origin(scope.tenant, origin)
    theirs = (i for i in brought if i.scope.user in (None, scope.user) and i.scope.agent in (None, scope.agent))
    mine = [i for i in theirs if not is_others(tx, i, found.source)]
    _take_items(tx, scope, mine, found)


def _gather_user(tx: Transaction, scope: Scope, user: str, found: Gathered) -> None:
    tenant = scope.tenant
    for session in Sessions(tx).of_user(tenant, user):
        _gather_session(tx, replace(scope, user=user), session, found)
    found.turns |= {t.id: t for t in (*Turns(tx).of_user(tenant, user), *Turns(tx).by_author(tenant, user))}
    found.items |= {item.id: item for item in Items(tx).of_user(tenant, user)}
    found.entities |= {entity.id: entity for entity in Entities(tx).of_user(tenant, user)}
    _take_gone_entities(tx, replace(scope, user=user), None, found, of_every_agent=True)


def _gather_own(tx: Transaction, scope: Scope, sort: str, found: Gathered) -> None:
    """The asker's own partition, as far as their agent may see it: without a user, what is of nobody in particular."""
    owner = scope.user or ""
    if sort != "turns":
        mine = (i for i in Items(tx).of_user(scope.tenant, owner) if i.scope.agent in (None, scope.agent))
        _take_items(tx, scope, mine, found)
        _take_gone_entities(tx, scope, None, found)
    if sort != "items":
        for session in Sessions(tx).of_user(scope.tenant, owner):
            _gather_session(tx, scope, session, found)


def _take_items(tx: Transaction, scope: Scope, items: Iterable[Item], found: Gathered) -> None:
    """Items with all their versions: an older or newer wording is the same memory. Of a source's, only what corrects them."""
    waiting = list(items)
    while waiting:
        item = waiting.pop()
        if item.id in found.items:
            continue
        found.items[item.id] = item
        later = Items(tx).successors(scope.tenant, item.id)
        if found.origins:
            said = said_by_others(tx, item, found.source)
            found.spared |= {} if said is None else {item.id: said}
            waiting += [other for other in later if said is None and is_correction(tx, other)]
            continue
        others = [Items(tx).find(scope.tenant, id) for id in (item.supersedes, item.superseded_by) if id]
        waiting += [other for other in (*others, *later) if other is not None]


def _take_derived(tx: Transaction, scope: Scope, found: Gathered) -> None:
    """Items that rest on what is forgotten alone, turns and items; what others support too stays."""
    waiting = [item for turn in found.turns for item in Items(tx).of_turn(scope.tenant, turn)]
    above = set[str]()
    while True:
        for item in waiting:
            gone = found.items.keys() - found.spared.keys()
            if (item.comes_from(found.turns) or not item.source_turns) and all(base in gone for base in item.bases):
                _take_items(tx, scope, [item], found)
        fresh = found.items.keys() - above
        if not fresh:
            return
        above |= fresh
        waiting += [item for id in sorted(fresh) for item in Items(tx).of_base(scope.tenant, id)]


def _take_emptied(tx: Transaction, scope: Scope, found: Gathered) -> None:
    """Sessions that a source began or spoke in, and in which nothing is left once it is gone."""
    began = {session.id for origin in found.origins for session in Sessions(tx).of_origin(scope.tenant, origin)}
    for id in sorted(began | {turn.session for turn in found.turns.values()}):
        session = Sessions(tx).lock(scope.tenant, id)  # nothing is said there until it is gone
        if session is not None and owns(scope, session) and not _holds_more(tx, session, found):
            found.sessions[id] = session


def _holds_more(tx: Transaction, session: Session, found: Gathered) -> bool:
    """Whether there is something else in a session: turns, what is known in it alone, or calls of tools."""
    tenant = session.scope.tenant
    stays = any(turn.id not in found.turns for turn in Turns(tx).all_of_session(tenant, session.id))
    known = any(item.id not in found.items or item.id in found.spared for item in Items(tx).only_in(tenant, session.id))
    return stays or known or ToolCalls(tx).made_in(tenant, session.id)


def _take_lone_entities(tx: Transaction, scope: Scope, found: Gathered) -> None:
    """Entities that nothing else speaks of, nor another who said the same: their names are text too."""
    stay = {fold(name) for said in found.spared.values() for name in said.entities}
    for item in list(found.items.values()):
        for name in item.entities:
            entity = Entities(tx).by_name(item.scope, name)
            if entity is None or not stay.isdisjoint(map(fold, (entity.name, *entity.aliases))):
                continue
            if all(link in found.items for link, _ in Entities(tx).links(scope.tenant, entity.id)):
                found.entities[entity.id] = entity


def _take_gone_entities(tx: Transaction, scope: Scope, name: str | None, found: Gathered, *, of_every_agent: bool = False) -> None:
    """Entities that were made and unmade, of that name or of any: the ledger keeps their names, to make them again."""
    for past in Ledger(tx).of_gone_entities(scope.tenant, scope.user):
        agent = past.before.get("agent") or None
        if (of_every_agent or agent in (None, scope.agent)) and (name is None or fold(name) in names_in(past.before)):
            id = EntityId(past.change.record)
            found.entities[id] = Entity(id=id, scope=Scope(tenant=scope.tenant, agent=agent, user=scope.user), name=name or id)


def _erase(tx: Transaction, door: Door, scope: Scope, found: Gathered) -> dict[str, int]:
    documents, tenant = Documents(tx), scope.tenant
    refs = [(Kind.TURN, id) for id in found.turns] + [(Kind.ITEM, id) for id in found.items]
    users = {i.scope.user or "" for i in found.items.values()}
    users |= {row["user_id"] for kind, ref in refs for row in documents.of(tenant, kind, ref)}
    users |= found.hanging.users
    seqs = {user: door.lock(replace(scope, user=user or None)) for user in sorted(users)}
    counts = {"documents": sum(documents.forget(tenant, kind, ref, seqs) for kind, ref in refs)}
    agents = {id: Turns(tx).home(tenant, turn)[0].agent or "" for id, turn in found.turns.items()}
    for turn in found.turns.values():
        _loosen(tx, tenant, turn)
        Turns(tx).forget(tenant, turn.id)
        door.note(Action.FORGET, Kind.TURN, turn.id, scope, before={"agent": agents[turn.id]})
    _shorten(tx, tenant, found)
    counts |= unreflect.erase(tx, door, found.hanging)
    unlearn.erase(tx, door, tenant, found.procedures)
    for item in found.items.values():
        Items(tx).forget(item)
        Pairs(tx).forget(tenant, item.id)
    _forget_namings(tx, tenant, found.entities)
    for entity in found.entities.values():
        for link, _ in Entities(tx).links(tenant, entity.id):
            Entities(tx).unlink(tenant, link, entity.id)
        Entities(tx).forget(tenant, entity.id)
    _erase_rows(tx, tenant, found)
    whole: dict[Kind, Mapping[str, Item | Entity | Session | Proposal | Procedure]] = {
        Kind.ITEM: found.items, Kind.ENTITY: found.entities, Kind.SESSION: found.sessions, Kind.PROPOSAL: found.proposals,
        Kind.PROCEDURE: found.procedures,
    }  # fmt: skip
    for kind, records in whole.items():
        for record in records.values():
            Ledger(tx).forget(tenant, record.id)
            change = door.note(Action.FORGET, kind, record.id, record.scope, before={"agent": record.scope.agent or ""})
            if kind is Kind.ITEM:
                door.topple(tenant, record.id, change)
    counts["tool_calls"] = sum(ToolCalls(tx).forget_session(tenant, session) for session in found.sessions)
    counts["jobs"] = _forget_jobs(tx, tenant, found, users)
    names = ("items", "turns", "sessions", "entities", "proposals", "procedures")
    sizes = {name: len(getattr(found, name)) for name in names}
    return sizes | counts


def _shorten(tx: Transaction, tenant: str, found: Gathered) -> None:
    """Let sessions that stay be of the turns that are left, with what the ledger kept of these alone."""
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
    """Erase the jobs about forgotten sessions, and what a model said in jobs that stay, if they may have seen what is forgotten."""
    erased = sum(Jobs(tx).forget_session(tenant, session) for session in sorted(found.sessions))
    for user in sorted(users | {session.scope.user or "" for session in found.sessions.values()}):
        Jobs(tx).forget_answers(tenant, user)
    for session in sorted({turn.session for turn in found.turns.values()} - found.sessions.keys()):
        Jobs(tx).forget_answers_about(tenant, session)
    return erased


def _forget_namings(tx: Transaction, tenant: str, forgotten: Mapping[str, Entity]) -> None:
    """Erase what the ledger kept for undo of entities that stay, where it has a forgotten one's names."""
    names = {folded for id in forgotten for folded in Entities(tx).aliases(tenant, id)} | {fold(e.name) for e in forgotten.values()}
    for user in sorted({entity.scope.user or "" for entity in forgotten.values()}):
        for other in Entities(tx).of_user(tenant, user):
            kept = (past.before for past in Ledger(tx).of_record(tenant, other.id)) if other.id not in forgotten else ()
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
        Items(tx).lose_source(item, turn.id, quote_too=bool(item.quote) and str(item.quote) in turn.text)


def _needles(texts: Iterable[str]) -> list[bytes]:
    """Bytes to search for: a piece of each erased text that is long enough to prove anything."""
    raws = (text.encode("utf-8", "surrogatepass") for text in texts)
    pieces = (raw[:NEEDLE].decode("utf-8", "ignore") for raw in raws if len(raw) >= SHORTEST)
    return [piece.encode() for piece in pieces if piece.isprintable()]


def _prove(store: Store, erased: Sequence[str]) -> tuple[tuple[str, ...], int, int]:
    """What is still pending, how many texts were searched for, and in how many places one was still found that no record holds."""
    texts = dict.fromkeys(erased)
    needles = _needles(texts)
    if not isinstance(store, Erasing):
        return ("this store cannot search its own files for what was erased",), 0, 0
    pending = [] if store.checkpoint() else ["an open reader still holds old pages; they go with the next checkpoint after it ends"]
    found = store.scan(needles)
    sure = len(needles) == len(texts) > 0
    pending += [f"{path} was set aside and may hold it; delete it" for path in store.set_aside(needles if sure else None)]
    with store.transaction(write=False) as tx:
        pending += [f"backup {path} was made before and may still hold it" for path in Meta(tx).backups()]
        held = {piece for piece in found or () if tx.rows("texts.held", piece=piece.decode())[0]["total"]}
    if found is None:
        pending.append("the server's files cannot be searched from here; old pages go with its next vacuum and checkpoint")
    searched = len(needles) if found is not None else 0
    return tuple(pending), searched, sum(count for piece, count in (found or {}).items() if piece not in held)
