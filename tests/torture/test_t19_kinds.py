"""T19: kinds of record × ways to read × strangers. Each kind of the registry has a record here, each
verb is asked for it by each stranger, and nobody sees a text, an id, or that it exists.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

from omoide.kinds import KINDS
from omoide.memory import Memory
from omoide.nouns.access import Principal, Right
from omoide.nouns.change import Because
from omoide.nouns.clock import FixedClock
from omoide.nouns.errors import OmoideError
from omoide.nouns.item import Details, Item
from omoide.nouns.procedure import Procedure, ProcedureId, Provenance
from omoide.nouns.proposal import Proposal, ProposalId, Wish
from omoide.nouns.query import Query
from omoide.nouns.record_kind import RecordKind
from omoide.nouns.reflection import Digest, DigestId, DigestKind, Reflection, ReflectionId
from omoide.nouns.scope import Scope
from omoide.nouns.session import Conversation, Participant
from omoide.nouns.turn import Message
from omoide.store.base import Store
from omoide.tables.digests import Digests
from omoide.tables.jobs import Jobs
from omoide.tables.listing import Listing
from omoide.tables.procedures import Procedures
from omoide.tables.proposals import Proposals
from omoide.tables.reflections import Reflections
from omoide.testing import memory_for_tests
from omoide.verbs.groups import VERBS
from tests.flow.test_arguments import GIVEN

WORD = "zqheliotropeqz"
NOW = datetime(2026, 1, 5, 9, tzinfo=UTC)
MINE = Scope(user="ana", agent="clerk")
# each differs from the owner in one thing
STRANGERS = {
    "another user": Scope(user="ben", agent="clerk"),
    "another user in a session of that name": Scope(user="ben", agent="clerk", session=WORD),
    "another agent": Scope(user="ana", agent="cook"),
    "nobody": Scope(),
    "everybody": Scope(shared=True),
    "an agent of no user": Scope(agent="clerk"),
    "another tenant": Scope(tenant="other", user="ana", agent="clerk"),
}
STRANGER = Principal(name="stranger", rights=frozenset(Right) - {Right.ADMIN})
Nothing = dict[tuple[str, bool], dict[str, str]]
Make = Callable[[Memory], Any]  # makes a record that holds the word; gives its id


def an_item(memory: Memory) -> str:
    """An item with the word in every field that takes one."""
    about = Details(origin=WORD, quote=WORD, domain=WORD, metadata={WORD: WORD})
    made = memory.acting(Because(reason=WORD)).remember(
        f"The {WORD} is blue",
        MINE,
        entities=[f"person:{WORD}"],
        tags=[WORD],
        due_at=NOW + timedelta(days=1),
        details=about,
    )
    return made.id


def a_turn(memory: Memory) -> str:
    """A turn of a session named by the word, both Ana's."""
    said = Message(text=f"The {WORD} is blue", speaker=WORD, key=WORD, metadata={WORD: WORD})
    talk = Conversation(
        id=WORD, title=WORD, messages=(said,), participants=(Participant(name=WORD),)
    )
    return memory.ingest(talk, MINE).turns[0]


def a_job(memory: Memory) -> str:
    """A job about the session of that name."""
    a_turn(memory)
    args: Any = {"session": WORD, "agent": "clerk", "note": WORD}
    with memory.store.transaction(tenant="default") as tx:
        Jobs(tx).add("default", f"job-{WORD}", "extract", user="ana", args=args, run_at=NOW)
    return f"job-{WORD}"


def a_reflection(memory: Memory) -> str:
    """One about Ana, as her agent formed it."""
    made = Reflection(id=ReflectionId(f"r-{WORD}"), scope=MINE, text=WORD, formed_at=NOW)
    with memory.store.transaction(tenant="default") as tx:
        Reflections(tx).add(made, salt=b"salt")
    return made.id


def a_digest(memory: Memory) -> str:
    """One of Ana's reflections."""
    made = Digest(
        id=DigestId(f"d-{WORD}"),
        scope=MINE,
        kind=DigestKind.USER,
        version=1,
        text=WORD,
        word_limit=9,
        model=WORD,
        made_at=NOW,
    )
    with memory.store.transaction(tenant="default") as tx:
        Digests(tx).add(made, salt=b"salt")
    return made.id


def a_procedure(memory: Memory) -> str:
    """A how-to of Ana's agent."""
    made = Procedure(
        id=ProcedureId(f"p-{WORD}"),
        scope=MINE,
        name=WORD,
        when_to_use=WORD,
        discovery=WORD,
        activation=WORD,
        steps=(WORD,),
        provenance=Provenance.FAILURE,
        origin=f"failure:{WORD}",
        confidence=0.5,
        created_at=NOW,
    )
    with memory.store.transaction(tenant="default") as tx:
        Procedures(tx).add(made)
    return made.id


def a_proposal(memory: Memory) -> str:
    """An item that waits to be approved."""
    item = memory.get(an_item(memory), MINE)
    assert isinstance(item, Item)
    made = Proposal(
        id=ProposalId(f"w-{WORD}"),
        scope=MINE,
        wish=Wish.ADD,
        item=replace(item, id=type(item.id)(f"waits-{WORD}")),
        origin=WORD,
        made_at=NOW,
        expires_at=NOW + timedelta(days=9),
    )
    with memory.store.transaction(tenant="default") as tx:
        Proposals(tx).add(made)
    return made.id


def a_sender(memory: Memory) -> str:
    """An address that is Ana's."""
    memory.users.link("mail", WORD, "ana", MINE)
    return WORD


MAKES: dict[str, Make] = {
    "session": lambda memory: a_turn(memory).partition("#")[0],
    "sender": a_sender,
    "entity": lambda memory: an_item(memory) and f"person:{WORD}",
    "turn": a_turn,
    "item": an_item,
    "change": lambda memory: memory.history(an_item(memory), MINE).changes[0].id,
    "reflection": a_reflection,
    "digest": a_digest,
    "procedure": a_procedure,
    "proposal": a_proposal,
    "tool_call": lambda memory: (
        memory.tool_calls.record(WORD, MINE, args={"q": WORD}, result=WORD, error=WORD).id
    ),
    "job": a_job,
    "saved_search": lambda memory: memory.searches.save(WORD, WORD, MINE).name,
    # what an import brought, by which its items are forgotten
    "document": an_item,
}
WITHOUT_TEXTS = {
    "round": "what upkeep did, without ids of records",
    "user": "a time zone, found by a name that the asker gives",
}
# the operator's: they look at places in the store, or act on all of it, and give no texts
OPERATORS = frozenset("admin.backup admin.verify admin.tidy admin.doctor".split())
# they write files or read them, where they may
FILES = frozenset("procedures.read_skill procedures.write_skill".split())
BY_ID = frozenset("id session entity name what source target alias sender user origin".split())


# they make something new of what they are given, so that it is the stranger's own afterwards
WITHOUT_SCOPE = {"jobs.replay"}  # it takes up jobs again, and says nothing of them
UNKNOWN = "zqnothingqz"
MAKING = frozenset(
    "remember ingest sessions.start searches.save users.link users.edit users.merge entities.name"
    " entities.merge entities.split tool_calls.record items.add_many procedures.learn procedures.recipes".split()
)
# times, and what stands behind a session's id for an owner who is not the first to use it
SCRUBBED = re.compile(r"ms=[\d.e-]+|took_s=[\d.e-]+|(?<=ID)\.[0-9a-f]{10}")
# What may be seen nonetheless, by kind: a door asks whose message came before it knows who asks,
# and a sender belongs to a user, whichever of the user's agents asks.
MAY_SEE = {"sender": re.compile(r".*, users\.of$|another agent, users\.")}


@dataclass(frozen=True)
class Ask:
    """One way to read: a verb with its arguments, of which some name a record."""

    verb: str
    given: dict[str, Any]
    named: tuple[str, ...]  # the parameters that take an id

    def answer(self, memory: Memory, scope: Scope, id: str) -> str:
        """What comes of it, as text: a result, or an error with all that it says; times taken are
        left out.
        """
        given = self.given | dict.fromkeys(self.named, id) | {"scope": scope}
        asker = memory.for_principal(STRANGER)
        try:
            told = repr(attrgetter(self.verb)(asker)(**given))
        except OmoideError as error:
            told = f"{type(error).__name__} {error} {error.args!r}"
        return SCRUBBED.sub("", told.replace(id, "ID") if self.named else told)


def asks() -> Iterator[Ask]:
    """Every verb that acts in a scope, with usual arguments; with words asked for, the owner's."""
    for verb in VERBS:
        parameters = inspect.signature(verb.function).parameters
        apart = OPERATORS | FILES | MAKING
        if "scope" not in parameters or verb.full_name in apart or verb.right is Right.ADMIN:
            continue
        given = dict(GIVEN.get(verb.full_name, {}))
        named = tuple(name for name in given if name in BY_ID)
        for name, value in (("query", Query(text=WORD, include_sensitive=True)), ("goal", WORD)):
            if name in given:
                given[name] = value
        if "listing" in parameters:
            given["listing"] = Listing(sensitive=None, closed=True)
        if "since" in given:
            given["since"] = NOW - timedelta(days=9)
        yield Ask(verb.full_name, given, named)


@pytest.fixture(params=[kind for kind in KINDS if kind.name in MAKES], ids=lambda kind: kind.name)
def kind(request: pytest.FixtureRequest) -> RecordKind[Any]:
    """Each kind of record."""
    found: RecordKind[Any] = request.param
    return found


@pytest.fixture(scope="module")
def nothing() -> Nothing:
    """What strangers see of an empty store, by its engine and whether they ask for a turn: the same
    each time, so it is looked at once.
    """
    return {}


def test_every_kind_has_a_record_here() -> None:
    """A new kind fails here until there is one of it."""
    assert {kind.name for kind in KINDS} == MAKES.keys() | WITHOUT_TEXTS.keys()
    assert not MAKES.keys() & WITHOUT_TEXTS.keys()


def test_every_verb_is_a_way_to_read() -> None:
    """All are asked but those that stand on a list, and those that administrators alone may use."""
    tried = {ask.verb for ask in asks()} | OPERATORS | FILES | MAKING
    others = {verb.full_name for verb in VERBS if verb.right is not Right.ADMIN} - tried

    assert others <= WITHOUT_SCOPE


@pytest.mark.covers("LS-72", "LS-73", "CX-19")
@pytest.mark.parametrize("is_done", [True, False], ids=["done", "waiting"])
def test_no_stranger_sees_that_a_record_exists(
    kind: RecordKind[Any], store: Store, tmp_path: Path, nothing: Nothing, *, is_done: bool
) -> None:
    """Whatever a stranger asks, by words, by lists, by counts or by the record's own id, and
    whatever error comes, is what it is where there is no record at all; whether the work it makes
    is done or waits.
    """
    of = store.engine, kind.name == "turn"
    with memory_for_tests(store, clock=FixedClock(NOW), scope=Scope()) as memory:
        if of not in nothing:
            nothing[of] = looked_at(memory, UNKNOWN + "#0" * (kind.name == "turn"), tmp_path)
        before = nothing[of]
        id = str(MAKES[kind.name](memory))
        if is_done:
            memory.admin.tidy(only=["vectors"])
        after = looked_at(memory, id, tmp_path)

    may_see = MAY_SEE.get(kind.name)
    told = [
        f"{way}: {before[way]:.300} / {after[way]:.300}"
        for way in before
        if before[way] != after[way] and not (may_see and may_see.match(way))
    ]
    assert not told, "\n".join(told)


def looked_at(memory: Memory, id: str, folder: Path) -> dict[str, str]:
    """What each stranger sees, by way."""
    found = {}
    for name, scope in STRANGERS.items():
        for ask in asks():
            found[f"{name}, {ask.verb}"] = ask.answer(memory, scope, id)
        found[f"{name}, archive"] = exported(memory, scope, folder)
    return found


def exported(memory: Memory, scope: Scope, folder: Path) -> str:
    """The records of a scope's archive. An archive is a user's, of all agents, so none is made for
    Ana's.
    """
    if scope.user == "ana" and scope.tenant == "default":
        return ""
    path = folder / "archive.jsonl"
    path.unlink(missing_ok=True)
    try:
        memory.admin.export(path, scope)
    except OmoideError as error:
        return str(error)
    return "".join(line for line in path.read_text("utf-8").splitlines()[1:] if "zq" in line)
