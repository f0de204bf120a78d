"""What is meant to be forgotten, with all that hangs on it, as far as the asker may see it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field

from omoide.forgetting import unlearn, unreflect
from omoide.forgetting.unpropose import is_unsaid, sources_of, texts_of
from omoide.forgetting.unreflect import Hanging
from omoide.forgetting.unsay import Source, is_correction, is_others, said_by_others
from omoide.nouns.access import may_take_back, owns, takes_part
from omoide.nouns.entity import Entity
from omoide.nouns.ids import EntityId
from omoide.nouns.item import Item
from omoide.nouns.kind import Kind
from omoide.nouns.procedure import Procedure
from omoide.nouns.proposal import Proposal
from omoide.nouns.scope import Scope
from omoide.nouns.session import Session
from omoide.nouns.turn import Turn
from omoide.store.base import Transaction
from omoide.tables.entities import Entities
from omoide.tables.items import Items
from omoide.tables.ledger import Ledger
from omoide.tables.proposals import Proposals
from omoide.tables.sessions import Sessions
from omoide.tables.tools import ToolCalls
from omoide.tables.turns import Turns
from omoide.text.secrets.fields import mask_line
from omoide.text.words import fold
from omoide.write.entities import names_in

SORTS = ("items", "turns", "all")


@dataclass(frozen=True, kw_only=True, slots=True)
class Target:
    """What to forget: exactly one of these."""

    id: str | None = None  # an item with all its versions, a turn, or a proposal
    session: str | None = None
    origin: str | None = None  # all that one document, page or import brought, and nothing else
    entity: str | None = None  # an entity and every item linked to it
    user: str | None = None  # everything of one user
    everything: str | None = (
        None  # of the asker's own: "items", "turns" or "all", or items of a Source or Category
    )


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
    # of a source that is forgotten: what others said stays, as they said it
    origins: frozenset[str] = frozenset()
    # such items as they stay, by the ids of those that go
    spared: dict[str, Item] = field(default_factory=dict)

    @property
    def source(self) -> Source:
        """All of it as who said something."""
        return Source(
            items=self.items, turns=self.turns, sessions=self.sessions, origins=self.origins
        )

    def texts(self) -> list[str]:
        """Every text that is about to be erased."""
        waiting = [text for one in self.proposals.values() for text in texts_of(one)]
        quotes = (item.quote for item in self.items.values() if item.quote)
        # as they stand in their column
        escaped = (json.dumps(text)[1:-1] for text in waiting if not text.isascii())
        known = (
            *(item.text for item in self.items.values()),
            *quotes,
            *(turn.text for turn in self.turns.values()),
        )
        advice = [
            json.dumps(text)[1:-1] for one in self.procedures.values() for text in one.texts()
        ]
        return [*known, *waiting, *escaped, *advice, *self.hanging.texts()]


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
        tx,
        scope,
        turns=found.turns,
        items=found.items,
        sessions=found.sessions,
        user=target.user,
        id=target.id,
    )
    found.proposals |= {
        one.id: one
        for one in Proposals(tx).of_tenant(scope.tenant)
        if _goes(tx, one, scope, target, found)
    }
    found.procedures = unlearn.made_of(
        tx, scope.tenant, found.turns.keys() | found.sessions.keys(), _procedures(tx, scope, target)
    )
    return found


def _procedures(tx: Transaction, scope: Scope, target: Target) -> list[Procedure]:
    """The procedures that a target stands for by itself; one with all its versions."""
    if target.user is not None:
        return unlearn.of_owner(tx, scope, target.user, of_every_agent=True)
    if target.everything == "all" and scope.user:
        return unlearn.of_owner(tx, scope, scope.user, of_every_agent=False)
    return unlearn.versions(tx, scope, target.id) if target.id is not None else []


def _goes(
    tx: Transaction, waiting: Proposal, scope: Scope, target: Target, found: Gathered
) -> bool:
    """Whether what waits for review goes too: it came from what is forgotten, rests on it, would
    close it, or is what is meant.
    """
    item = waiting.item
    going = {
        *found.sessions,
        *found.turns,
        *found.items,
        *found.hanging.reflections,
        *found.hanging.digests,
    }
    if waiting.target in going or (waiting.what is None and is_unsaid(tx, waiting, going)):
        return True
    if waiting.what is not None and not going.isdisjoint({waiting.session, *sources_of(waiting)}):
        return True
    if target.user is not None:
        return waiting.scope.user == target.user
    theirs = waiting.scope.user in (None, scope.user) and waiting.scope.agent in (None, scope.agent)
    if not theirs or (target.everything is not None and waiting.scope.user != scope.user):
        return False
    names = {
        fold(name) for entity in found.entities.values() for name in (entity.name, *entity.aliases)
    }
    named = (
        target.entity is not None
        and item is not None
        and any(fold(name) in names for name in item.entities)
    )
    meant = target.origin is not None and waiting.origin in (
        target.origin,
        mask_line(target.origin),
    )
    everything = target.everything == "all" or (
        target.everything == "items" and waiting.kind is Kind.ITEM
    )
    return named or meant or everything or target.id == waiting.id


def _gather_id(tx: Transaction, scope: Scope, id: str, found: Gathered) -> None:
    item = Items(tx).get(scope, id, damaged=True)
    if item is not None:
        _take_items(tx, scope, [item], found)
    elif "#" in id:
        turn = Turns(tx).find(scope.tenant, id)
        if turn is not None and _is_theirs(tx, scope, turn):
            found.turns[turn.id] = turn


def _gather_session(tx: Transaction, scope: Scope, session: Session, found: Gathered) -> None:
    """A session as far as it is the asker's: its owner's but for what another user said there
    alone; of others what they said.
    """
    if not owns(scope, session) and not takes_part(scope, session):
        return
    # nothing is said there until it is gone
    if Sessions(tx).lock(scope.tenant, session.id) is None:
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
    found.turns |= {
        turn.id: turn
        for turn in Turns(tx).of_origin(scope.tenant, origin)
        if _is_theirs(tx, scope, turn)
    }
    brought = Items(tx).of_origin(scope.tenant, origin)
    theirs = (
        i
        for i in brought
        if i.scope.user in (None, scope.user) and i.scope.agent in (None, scope.agent)
    )
    mine = [i for i in theirs if not is_others(tx, i, found.source)]
    _take_items(tx, scope, mine, found)


def _gather_user(tx: Transaction, scope: Scope, user: str, found: Gathered) -> None:
    tenant = scope.tenant
    for session in Sessions(tx).of_user(tenant, user):
        _gather_session(tx, scope.of_user(user), session, found)
    found.turns |= {
        t.id: t for t in (*Turns(tx).of_user(tenant, user), *Turns(tx).by_author(tenant, user))
    }
    found.items |= {item.id: item for item in Items(tx).of_user(tenant, user)}
    found.entities |= {entity.id: entity for entity in Entities(tx).of_user(tenant, user)}
    _take_gone_entities(tx, scope.of_user(user), None, found, of_every_agent=True)


def _gather_own(tx: Transaction, scope: Scope, sort: str, found: Gathered) -> None:
    """The asker's own partition, as far as their agent may see it: without a user, what is of
    nobody in particular.
    """
    if sort not in SORTS:  # by identity: a source and a category may have the same name
        _take_items(
            tx,
            scope,
            (
                item
                for item in _own_items(tx, scope)
                if sort is item.source or sort is item.category
            ),
            found,
        )
        return
    if sort != "turns":
        _take_items(tx, scope, _own_items(tx, scope), found)
        _take_gone_entities(tx, scope, None, found)
    if sort != "items":
        for session in Sessions(tx).of_user(scope.tenant, scope.user or ""):
            _gather_session(tx, scope, session, found)


def _own_items(tx: Transaction, scope: Scope) -> list[Item]:
    return [
        item
        for item in Items(tx).of_user(scope.tenant, scope.user or "")
        if item.scope.agent in (None, scope.agent)
    ]


def _take_items(tx: Transaction, scope: Scope, items: Iterable[Item], found: Gathered) -> None:
    """Items with all their versions: an older or newer wording is the same memory. Of a source's,
    only what corrects them.
    """
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
        others = [
            Items(tx).find(scope.tenant, id) for id in (item.supersedes, item.superseded_by) if id
        ]
        waiting += [other for other in (*others, *later) if other is not None]


def _take_derived(tx: Transaction, scope: Scope, found: Gathered) -> None:
    """Items that rest on what is forgotten alone, turns and items; what others support too
    stays.
    """
    waiting = [item for turn in found.turns for item in Items(tx).of_turn(scope.tenant, turn)]
    above = set[str]()
    while True:
        for item in waiting:
            gone = found.items.keys() - found.spared.keys()
            if (item.comes_from(found.turns) or not item.source_turns) and all(
                base in gone for base in item.bases
            ):
                _take_items(tx, scope, [item], found)
        fresh = found.items.keys() - above
        if not fresh:
            return
        above |= fresh
        waiting += [item for id in sorted(fresh) for item in Items(tx).of_base(scope.tenant, id)]


def _take_emptied(tx: Transaction, scope: Scope, found: Gathered) -> None:
    """Sessions that a source began or spoke in, and in which nothing is left once it is gone."""
    began = {
        session.id
        for origin in found.origins
        for session in Sessions(tx).of_origin(scope.tenant, origin)
    }
    for id in sorted(began | {turn.session for turn in found.turns.values()}):
        session = Sessions(tx).lock(scope.tenant, id)  # nothing is said there until it is gone
        if session is not None and owns(scope, session) and not _holds_more(tx, session, found):
            found.sessions[id] = session


def _holds_more(tx: Transaction, session: Session, found: Gathered) -> bool:
    """Whether there is something else in a session: turns, what is known in it alone, or calls of
    tools.
    """
    tenant = session.scope.tenant
    stays = any(turn.id not in found.turns for turn in Turns(tx).all_of_session(tenant, session.id))
    known = any(
        item.id not in found.items or item.id in found.spared
        for item in Items(tx).only_in(tenant, session.id)
    )
    return stays or known or ToolCalls(tx).made_in(tenant, session.id)


def _take_lone_entities(tx: Transaction, scope: Scope, found: Gathered) -> None:
    """Entities that nothing else speaks of, nor another who said the same: their names are text
    too.
    """
    stay = {fold(name) for said in found.spared.values() for name in said.entities}
    for item in list(found.items.values()):
        for name in item.entities:
            entity = Entities(tx).by_name(item.scope, name)
            if entity is None or not stay.isdisjoint(map(fold, (entity.name, *entity.aliases))):
                continue
            if all(link in found.items for link, _ in Entities(tx).links(scope.tenant, entity.id)):
                found.entities[entity.id] = entity


def _take_gone_entities(
    tx: Transaction,
    scope: Scope,
    name: str | None,
    found: Gathered,
    *,
    of_every_agent: bool = False,
) -> None:
    """Entities that were made and unmade, of that name or of any: the ledger keeps their names, to
    make them again.
    """
    for past in Ledger(tx).of_gone_entities(scope.tenant, scope.user):
        agent = past.before.get("agent") or None
        if (of_every_agent or agent in (None, scope.agent)) and (
            name is None or fold(name) in names_in(past.before)
        ):
            id = EntityId(past.change.record)
            found.entities[id] = Entity(
                id=id,
                scope=Scope(tenant=scope.tenant, agent=agent, user=scope.user),
                name=name or id,
            )
