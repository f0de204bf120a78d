"""Whatever a program hands to a verb by mistake, it is told so in Omoide's own words, and nothing
breaks.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta, timezone
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

from omoide.memory import Memory
from omoide.nouns.change import Because
from omoide.nouns.errors import InvalidInput, InvalidTime, OmoideError
from omoide.nouns.item import Details
from omoide.nouns.procedure import Failed
from omoide.nouns.query import Query
from omoide.nouns.scope import Scope
from omoide.nouns.session import Conversation, Participant
from omoide.nouns.turn import Message
from omoide.tables.ledger import Head
from omoide.tables.listing import Listing
from omoide.verbs.groups import GROUPS, VERBS
from omoide.write.remember import Statement
from tests.fix_memory import ANA, OpenMemory, on_sqlite

pytestmark = on_sqlite

NAIVE = datetime(2026, 1, 1)
OUTSIDE = datetime.max.replace(tzinfo=timezone(timedelta(hours=-12)))
WRONG: tuple[Any, ...] = (
    *(
        None,
        True,
        0,
        -1,
        5,
        1.5,
        float("nan"),
        float("inf"),
        10**30,
        "",
        " ",
        "x",
        "abc",
        "\0",
        "\ud800",
        b"x",
        "x" * 70_000,
    ),
    *(
        [],
        [5],
        ["x"],
        [None],
        [[]],
        {},
        {"a": 1},
        {5: 5},
        {"a": object()},
        {"a": {"$gt": []}},
        {"$or": 1},
        {"x"},
        (),
        range(3),
    ),
    *(
        NAIVE,
        OUTSIDE,
        datetime.min.replace(tzinfo=UTC),
        datetime.max.replace(tzinfo=UTC),
        timedelta.max,
        timedelta.min,
    ),
    *(object(), Scope, Scope(), Because(), Details(), Query(), Listing(), Path("x"), lambda: None),
    *(
        Message(text="x"),
        Conversation(id="x", messages=()),
        Head(tenant="default", seq=1, hash="x"),
    ),
)

GIVEN: dict[str, dict[str, Any]] = {
    "acting": {"because": Because()},
    "remember": {"text": "Ana likes tea"},
    "ingest": {"talk": [{"content": "hello"}]},
    "items.add_many": {"statements": [Statement(text="Ana likes tea")]},
    "correct": {"id": "item", "text": "Ana likes coffee"},
    "items.edit": {"id": "item"},
    "sessions.window": {"session": "talk"},
    "items.pin": {"id": "item"},
    "items.feedback": {"id": "item", "helpful": True},
    "items.reopen": {"id": "item"},
    "undo": {"what": "nothing"},
    "forget": {"id": "nothing"},
    "items.forget": {"origin": "nothing"},
    "sessions.forget": {"session": "nothing"},
    "entities.forget": {"entity": "nothing"},
    "users.forget": {"user": "nothing"},
    "users.of": {"channel": "mail", "sender": "ana@example.org"},
    "users.link": {"channel": "mail", "sender": "ana@example.org", "user": "ana"},
    "users.unlink": {"channel": "mail", "sender": "rui@example.org"},
    "users.get": {"user": "ana"},
    "users.edit": {"user": "ana", "zone": "Europe/Berlin"},
    "users.merge": {"source": "rui", "target": "ana"},
    "admin.erase": {"what": "items", "preview": True},
    "searches.save": {"name": "tea", "question": "tea"},
    "searches.run": {"name": "nothing"},
    "searches.delete": {"name": "nothing"},
    "tool_calls.record": {"tool": "search"},
    "recall": {"query": "tea"},
    "context": {"query": "tea"},
    "ask": {"query": "tea"},
    "why_not": {"query": "tea", "id": "item"},
    "get": {"id": "item"},
    "history": {"id": "item"},
    "diff": {"recorded_since": datetime(2026, 1, 1, tzinfo=UTC)},
    "items.sources": {"id": "item"},
    "entities.name": {"entity": "person:ana"},
    "entities.merge": {"source": "person:ana", "target": "person:anita"},
    "entities.split": {"entity": "person:ana", "alias": "ana"},
    "sessions.extract": {"session": "nothing"},
    "sessions.end": {"session": "nothing"},
    "reflections.add": {"session": "nothing"},
    "review.approve": {"id": "nothing", "seal": "nothing"},
    "items.dependants": {"id": "item"},
    "jobs.answer": {"id": "nothing"},
    "review.reject": {"id": "nothing"},
    "review.confirm": {"id": "nothing"},
    "review.approve_all": {"session": "nothing"},
    "review.reject_all": {"session": "nothing"},
    "review.edit": {"id": "nothing", "text": "Ana likes tea"},
    "admin.backup": {"target": Path("copy.db")},
    "admin.export": {"path": Path("all.jsonl")},
    "admin.load": {"path": Path("all.jsonl")},
    "procedures.learn": {"failure": Failed(task="t")},
    "procedures.match": {"goal": "tea"},
    "procedures.enable": {"id": "item"},
    "procedures.share": {"id": "item", "agents": ["cook"]},
    "procedures.write_skill": {"id": "item", "folder": "skills"},
    "procedures.read_skill": {"path": "SKILL.md"},
}
EDITABLE = (
    "category domain tags metadata context confidence sensitive pinned muted due_at reminded_at"
    " expires_at valid_from valid_until".split()
)


def verbs() -> Iterator[str]:
    """Every verb of Memory and its groups."""
    yield "acting"
    yield from (verb.full_name for verb in VERBS)


def function_of(verb: str) -> Callable[..., Any]:
    """The function of a verb, unbound."""
    group, _, name = verb.rpartition(".")
    found: Callable[..., Any] = getattr(GROUPS[group] if group else Memory, name)
    return found


def calls(item: str) -> Iterator[tuple[str, str, Callable[[Memory, Any], Any]]]:
    """Each verb with each of its parameters, and a call in which that one has a given value."""
    for verb in verbs():
        usual = {
            name: item if value == "item" else value for name, value in GIVEN.get(verb, {}).items()
        }
        names = [
            n
            for n, p in inspect.signature(function_of(verb)).parameters.items()
            if n not in ("self", "attributes")
        ]
        for name in names + (EDITABLE if verb == "items.edit" else []):

            def call(
                memory: Memory, value: Any, verb: str = verb, name: str = name, usual: Any = usual
            ) -> Any:
                return attrgetter(verb)(memory)(**(usual | {name: value}))

            yield verb, name, call


def outcome(call: Callable[[], Any]) -> BaseException | None:
    """What a call raised, if anything."""
    try:
        call()
    except Exception as error:  # noqa: BLE001 - any at all is what is asked about
        return error
    return None


def test_no_verb_breaks_on_any_argument(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every parameter of every verb, with everything it cannot be: the only errors are Omoide's."""
    monkeypatch.chdir(tmp_path)
    broken = []
    for verb, name, call in calls(memory.remember("Ana likes tea").id):
        for value in WRONG:
            error = outcome(lambda call=call, value=value: call(memory, value))  # type: ignore[misc]
            if error is not None and not isinstance(error, OmoideError):
                broken.append(f"{verb}({name}={value!r:.60}): {error!r:.120}")
    assert broken == []


def test_the_argument_is_named(memory: Memory) -> None:
    """What can be no value of a parameter at all is refused with an error that names the
    parameter.
    """
    silent = []
    for verb, name, call in calls(memory.remember("Ana likes tea").id):
        error = outcome(lambda call=call: call(memory, object()))  # type: ignore[misc]
        if not isinstance(error, InvalidInput) or name not in str(error):
            silent.append(f"{verb}({name}): {error!r}")
    assert silent == []


RECORDS: tuple[tuple[Any, Callable[[Memory, Any], Any]], ...] = (
    (Query(text="tea"), lambda memory, query: memory.recall(query)),
    (Query(text="tea"), lambda memory, query: memory.why_not(query, "nothing")),
    (Listing(), lambda memory, listing: memory.items.list(listing)),
    (Listing(), lambda memory, listing: memory.due(listing=listing)),
    (Details(), lambda memory, details: memory.remember("Ana likes tea", details=details)),
    (Because(), lambda memory, because: memory.acting(because).remember("Ana likes tea")),
    (Head(tenant="default", seq=0, hash=""), lambda memory, head: memory.admin.verify(head)),
    (Message(text="hello"), lambda memory, message: memory.ingest([message])),
    (Conversation(id="s", messages=()), lambda memory, talk: memory.ingest(talk)),
    (
        Participant(name="Bo"),
        lambda memory, person: memory.ingest(
            Conversation(id="s", messages=(), participants=(person,))
        ),
    ),
    (Statement(text="Ana likes tea"), lambda memory, statement: memory.items.add_many([statement])),
)


@pytest.mark.parametrize(("record", "call"), RECORDS)
def test_no_field_of_a_record_breaks_a_verb(
    memory: Memory, record: Any, call: Callable[[Memory, Any], Any]
) -> None:
    """Records take any value when they are made; the verb they are handed to refuses what it cannot
    be, by name.
    """
    broken, silent = [], []
    for place in fields(record):
        for value in WRONG:
            error = outcome(
                lambda place=place, value=value: call(  # type: ignore[misc]
                    memory, replace(record, **{place.name: value})
                )
            )
            if error is not None and not isinstance(error, OmoideError):
                broken.append(f"{place.name}={value!r:.60}: {error!r:.120}")
        error = outcome(lambda place=place: call(memory, replace(record, **{place.name: object()})))  # type: ignore[misc]
        if not isinstance(error, InvalidInput) or place.name not in str(error):
            silent.append(f"{place.name}: {error!r}")
    assert broken == []
    assert silent == []


@pytest.mark.parametrize("limit", [-1, 0, True, 1.5, "3", 10**9])
def test_a_limit_is_a_number_within_reason(memory: Memory, limit: Any) -> None:
    """True is no 1, half a page no page, and a billion more than anybody reads."""
    for verb in (
        memory.sessions.list,
        memory.entities.list,
        memory.tool_calls.list,
        lambda limit: memory.recall("tea", limit=limit),
    ):
        with pytest.raises(InvalidInput, match="limit"):
            verb(limit=limit)


def test_times_are_named_that_have_no_zone(memory: Memory) -> None:
    """A naive time is refused by the name of its parameter, wherever it is given."""
    given = {
        "sessions.turns": "since",
        "diff": "recorded_since",
        "get": "known_at",
        "correct": "at",
    }
    for verb, name in given.items():
        with pytest.raises(InvalidTime, match=name):
            attrgetter(verb)(memory)(
                **({k: v for k, v in GIVEN.get(verb, {}).items()} | {name: NAIVE})
            )
    for name in ("since", "until", "as_of", "known_at"):
        with pytest.raises(InvalidTime, match=name):
            memory.recall(replace(Query(text="tea"), **{name: NAIVE}))  # type: ignore[arg-type]


def test_all_that_is_ever_due_can_be_asked_for(memory: Memory) -> None:
    """The longest time there is goes to the end of time, not over it."""
    memory.remember("pay the rent", due_at="2027-01-01")

    assert [item.text for item in memory.due(timedelta.max)] == ["pay the rent"]


def test_a_generator_of_statements_is_taken_one_by_one(open_memory: OpenMemory) -> None:
    """Looking at arguments uses none of them up."""
    with open_memory() as memory:
        assert len(memory.items.add_many(Statement(text=f"tea number {n}") for n in range(3))) == 3
        assert memory.ingest([{"content": "hello"}], ANA).added == 1


@pytest.mark.parametrize(
    ("verb", "keyword", "told"),
    [
        ("recall", "user", r"; give scope=Scope\(user=\.\.\.\)"),
        ("recall", "user_id", r"; did you mean scope=Scope\(user=\.\.\.\)\?"),
        ("remember", "metadata", r"; give details=Details\(metadata=\.\.\.\)"),
        ("recall", "k", r"; it takes query, scope, limit"),
        ("recall", "top_k", r"; did you mean 'limit'\?"),
        ("forget", "dry_run", r"; did you mean 'preview'\?"),
    ],
)
def test_an_unknown_keyword_is_told_where_it_belongs(
    memory: Memory, verb: str, keyword: str, told: str
) -> None:
    """A field of a record that the verb takes is given there, and a parameter that other libraries
    call so is named; else all that it takes is.
    """
    with pytest.raises(TypeError, match=rf"{verb}\(\) .* '{keyword}'{told}$"):
        getattr(memory, verb)("tea", **{keyword: "ana"})


def test_wrong_arguments_are_told_with_what_is_meant(memory: Memory) -> None:
    """An unknown keyword names the verb and the nearest parameter; a text is no list of texts."""
    with pytest.raises(TypeError, match=r"remember\(\).*'catgory'; did you mean 'category'"):
        memory.remember("Ana likes tea", catgory="fact")  # type: ignore[call-arg]
    with pytest.raises(InvalidInput, match=r"tags: must be a list of texts, such as \['tea'\]"):
        memory.remember("Ana likes tea", tags="abc")
    with pytest.raises(InvalidInput) as refused:
        memory.ingest("hello")  # type: ignore[arg-type]
    said = "must be a Conversation or a list, each a Message or a mapping, not str"
    assert str(refused.value) == f"talk: {said}"
