"""Our own archive: what is exported and loaded again is the same memory, and nothing else is taken
for one.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.exchange.migrate_store import TABLES, move_store
from omoide.faculties.procedures.door import add_procedure
from omoide.learning.teaching import Teaching
from omoide.memory import Memory
from omoide.nouns.change import Because
from omoide.nouns.clock import FixedClock, SystemClock
from omoide.nouns.errors import Conflict, ImportRefused, InvalidInput
from omoide.nouns.ids import ItemId
from omoide.nouns.item import Category, Details, Item, Tier
from omoide.nouns.procedure import Procedure, ProcedureId, Provenance
from omoide.nouns.query import Query
from omoide.nouns.scope import Scope
from omoide.nouns.session import Conversation
from omoide.nouns.turn import LoggedTurn, Message
from omoide.settings.retention import Retention
from omoide.store.queries import load_queries
from omoide.store.sqlite.engine import SqliteStore
from omoide.tables.listing import Listing
from omoide.telemetry.progress import watching
from omoide.testing import ANA, BEN, NOON, memory_for_tests
from omoide.wire.coding import decode, encode
from omoide.write.apply import Door
from omoide.write.proposals import propose

QUESTIONS = ("where does Ana live?", "tea", "the locker", "garden in spring", "who is Otto?")


def live(memory: Memory) -> None:
    """Two users with all sorts of records."""
    first = memory.remember(
        "Ana lives in Lisbon",
        entities=["person:ana"],
        tags=["home"],
        details=Details(metadata={"n": 1}),
    )
    memory.correct(first.id, "Ana lives in Porto")
    memory.remember(
        "the locker is number 12",
        details=Details(sensitive=True, tier=Tier.AGENT, valid_until=NOON + timedelta(days=400)),
    )
    memory.remember("pay the rent", category="reminder", due_at=NOON + timedelta(days=3))
    memory.remember("a garden in spring", replace(ANA, context="home"))
    memory.remember("Ben drinks tea", BEN)
    memory.entities.name("person:ana", "Anita")
    said = (
        Message(text="Otto is my pelican \0 \ud83d", at=NOON),
        Message(text="he likes tea"),
        Message(text="like the locker?"),
    )
    memory.ingest(Conversation(id="talk", title="birds", messages=said))
    shared = (
        Message(text="we plan the garden", user="ana"),
        Message(text="in spring, with tea", user="ben"),
    )
    memory.ingest(Conversation(id="family", messages=shared))
    undone = memory.ingest([{"role": "user", "content": "never mind the tea"}])
    memory.undo(undone.session)
    memory.admin.tidy()


@pytest.fixture
def lived(tmp_path: Path) -> Iterator[Memory]:
    with memory_for_tests(SqliteStore.open(tmp_path / "memory.db")) as memory:
        live(memory)
        yield memory


def everything(memory: Memory, scope: Scope = ANA) -> object:
    """All that an asker can get at, apart from the ledger."""
    answers = [
        memory.recall(Query(text=q, include_sensitive=True), scope, limit=20).hits
        for q in QUESTIONS
    ]
    recalls = [[(h.id, h.text, round(h.score, 6)) for h in hits] for hits in answers]
    held = memory.items.list(Listing(sensitive=None, closed=True, sort="text"), scope).items
    items = [encode(replace(i, uses=0, last_used_at=None, confidence=0)) for i in held]
    turns = [
        encode(t)
        for s in memory.sessions.list(scope)
        for t in memory.sessions.turns(s.session.id, scope)
    ]
    return (
        recalls,
        items,
        turns,
        [(e.name, e.aliases, e.items) for e in memory.entities.list(scope)],
    )


@pytest.mark.covers("GM-167")
def test_what_is_loaded_recalls_the_same(lived: Memory, tmp_path: Path) -> None:
    """A whole tenant goes out and comes in: items, turns, entities and every recall are equal, for
    each user.
    """
    before = [everything(lived, scope) for scope in (ANA, BEN)]
    assert before[0] != before[1]
    counts = lived.admin.export(tmp_path / "all.jsonl", ANA, everything=True).records
    assert counts["item"] == 6
    with memory_for_tests(SqliteStore.open(tmp_path / "new.db")) as fresh:
        assert fresh.admin.load(tmp_path / "all.jsonl", everything=True).added["item"] == 6
        fresh.admin.tidy()
        assert [everything(fresh, scope) for scope in (ANA, BEN)] == before
        assert fresh.admin.doctor() == []
        assert fresh.admin.verify().problems == ()


def test_loading_twice_changes_nothing(lived: Memory, tmp_path: Path) -> None:
    """What is there already is left alone."""
    lived.admin.export(tmp_path / "all.jsonl", ANA, everything=True)
    changes = lived.stats().changes
    assert lived.admin.load(tmp_path / "all.jsonl", everything=True).added == {}
    assert lived.stats().changes == changes


@pytest.mark.covers("AD-30")
def test_one_users_export_holds_nothing_of_another(lived: Memory, tmp_path: Path) -> None:
    """Everything held about Ana, what she said in shared talks included, and nothing that is
    Ben's.
    """
    lived.admin.export(tmp_path / "ana.jsonl", ANA)
    text = (tmp_path / "ana.jsonl").read_text()
    hers = (
        "Ana lives in Porto",
        "Ana lives in Lisbon",
        "the locker is number 12",
        "he likes tea",
        "we plan the garden",
        "person:ana",
    )
    for words in hers:
        assert words in text
    for words in ("Ben drinks tea", "in spring, with tea"):
        assert words not in text


def test_calls_of_tools_are_exported(lived: Memory, tmp_path: Path) -> None:
    """They are held about somebody too: a user's with the user, all with everything; and loaded."""
    lived.tool_calls.record("search", ANA, args={"q": "garden tools"})
    lived.tool_calls.record("search", Scope(user="cy"), args={"q": "strong tea"})

    assert lived.admin.export(tmp_path / "ana.jsonl", ANA).records["tool_call"] == 1
    assert "garden tools" in (tmp_path / "ana.jsonl").read_text()
    assert (
        lived.admin.export(tmp_path / "all.jsonl", ANA, everything=True).records["tool_call"] == 2
    )
    with memory_for_tests(SqliteStore.open(tmp_path / "new.db")) as fresh:
        assert fresh.admin.load(tmp_path / "ana.jsonl").added["tool_call"] == 1
        assert fresh.tool_calls.list(scope=ANA) == lived.tool_calls.list(scope=ANA)
        assert fresh.admin.load(tmp_path / "ana.jsonl").added == {}


def test_the_file_is_the_owners_alone(lived: Memory, tmp_path: Path) -> None:
    """An export is as private as the store, and never overwrites a file."""
    target = tmp_path / "ana.jsonl"
    lived.admin.export(target, ANA)
    assert target.stat().st_mode & 0o777 == 0o600
    with pytest.raises(Conflict):
        lived.admin.export(target, ANA)


def test_a_name_that_no_file_can_have_is_told_in_the_error(lived: Memory, tmp_path: Path) -> None:
    """One that is too long, too; it is no raw error of the system."""
    with pytest.raises(InvalidInput, match="cannot be written"):
        lived.admin.export(tmp_path / ("a" * 300), ANA)


def test_a_store_goes_out_however_long_that_takes(
    lived: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of one piece, in one read that no limit ends: into an archive, and into another store."""
    monkeypatch.setitem(SqliteStore.open.__func__.__kwdefaults__, "read_s", 0.02)  # type: ignore[attr-defined]
    lived.store.close()

    def slow(done: int) -> None:
        time.sleep(0.03)

    with memory_for_tests(SqliteStore.open(tmp_path / "memory.db")) as memory:
        with watching(slow):
            exported = memory.admin.export(tmp_path / "ana.jsonl", ANA)
        assert exported.records["item"] == 5
    assert (
        move_store(str(tmp_path / "memory.db"), str(tmp_path / "moved.db"), tell=slow)["items"] == 6
    )


def test_an_export_that_fails_leaves_nothing(lived: Memory, tmp_path: Path) -> None:
    """Half an archive would hold as much that is private as a whole one, and nobody would know of
    it.
    """

    def fail(done: int) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), watching(fail):
        lived.admin.export(tmp_path / "ana.jsonl", ANA)
    assert list(tmp_path.glob("ana*")) == []


@pytest.mark.parametrize("harm", ["cut", "flip", "empty", "binary", "other"])
def test_what_is_no_whole_archive_is_refused(lived: Memory, tmp_path: Path, harm: str) -> None:
    """A file that is cut, altered or something else stores nothing."""
    target = tmp_path / "all.jsonl"
    lived.admin.export(target, ANA, everything=True)
    data = target.read_bytes()
    harmed = {
        "cut": data[: len(data) // 2], "flip": data.replace(b"Porto", b"Parto", 1), "empty": b"",
        "binary": bytes(range(256)) * 40, "other": json.dumps([{"title": "a chat"}]).encode(),
    }[harm]  # fmt: skip
    target.write_bytes(harmed)
    with memory_for_tests(SqliteStore.open(tmp_path / "new.db")) as fresh:
        with pytest.raises(ImportRefused):
            fresh.admin.load(target)
        assert fresh.stats().changes == 0


def test_a_record_that_differs_is_a_conflict(lived: Memory, tmp_path: Path) -> None:
    """An id that stands for another text is never overwritten."""
    lived.admin.export(tmp_path / "all.jsonl", ANA, everything=True)
    with memory_for_tests(SqliteStore.open(tmp_path / "new.db")) as fresh:
        fresh.ingest(Conversation(id="talk", messages=(Message(text="something else"),)))
        with pytest.raises(Conflict):
            fresh.admin.load(tmp_path / "all.jsonl", everything=True)


texts = st.text(max_size=20)


@given(
    st.builds(
        Item,
        id=texts.map(ItemId),
        scope=st.just(ANA),
        category=st.sampled_from(list(Category)),
        text=texts,
        created_at=st.datetimes(timezones=st.just(UTC)),
        updated_at=st.just(NOON),
        recorded_at=st.just(NOON),
        valid_from=st.just(NOON),
        tags=st.lists(texts, max_size=3).map(tuple),
        tier=st.sampled_from(list(Tier)),
        confidence=st.floats(0, 1),
        due_at=st.none() | st.datetimes(timezones=st.just(UTC)),
        pinned=st.booleans(),
        uses=st.integers(0, 9),
        metadata=st.dictionaries(texts, st.integers() | texts | st.none(), max_size=3),
    )
)
def test_a_record_comes_back_as_it_went_out(item: Item) -> None:
    """Through JSON and back, nothing is lost."""
    assert decode(Item, json.loads(json.dumps(encode(item)))) == item


@pytest.mark.parametrize("told", [{}, {"turn": 3}, {"nonsense": 1}, {"scope": {"tenant": ""}}])
def test_a_record_of_another_form_is_refused(told: dict[str, object]) -> None:
    """Missing, unknown and wrong fields are named."""
    with pytest.raises(InvalidInput):
        decode(LoggedTurn, told)


def test_a_store_moves_whole(lived: Memory, tmp_path: Path) -> None:
    """Every row of every table is there afterwards, and the ledger is the same."""
    head, before = lived.admin.verify().head, everything(lived)
    lived.store.close()
    counts = move_store(str(tmp_path / "memory.db"), str(tmp_path / "moved.db"))
    assert counts["items"] == 6
    with memory_for_tests(SqliteStore.open(tmp_path / "moved.db")) as moved:
        assert moved.admin.verify(head).problems == ()
        assert everything(moved) == before
    with memory_for_tests(SqliteStore.open(tmp_path / "moved.db"), clock=SystemClock()) as moved:
        assert moved.remember("and life goes on").id  # numbers go on after those that were moved


@pytest.mark.postgres
def test_what_waits_or_is_in_the_archive_moves_too(tmp_path: Path, postgres_url: str) -> None:
    """A lesson that waits, one that was rejected, whose word a procedure is, and pruned tool calls,
    to Postgres and back.
    """
    kept = Retention(prune_after=timedelta(days=1), archive_for=timedelta(days=90))
    person, clock = Because(actor="ana", tier=Tier.USER), FixedClock()
    lesson = Procedure(
        id=ProcedureId("p1"),
        scope=ANA,
        name="Unlock",
        when_to_use="exporting",
        discovery="Unlock it first",
        activation="Unlock it, as it is locked",
        provenance=Provenance.FAILURE,
        origin="failure:t",
        confidence=0.8,
        tier=Tier.DOCUMENT,
        created_at=clock.now(),
    )
    store, keeping = SqliteStore.open(tmp_path / "memory.db"), Teaching(retention=kept)
    with Memory(store, scope=ANA, clock=clock, background=False, teaching=keeping) as memory:
        with memory.store.transaction(tenant=None) as tx, Door(tx, memory.clock, person) as door:
            add_procedure(tx, door, lesson)
            ids = [
                propose(
                    tx, clock, ANA, replace(lesson, name=name), target="p1", flags=(), session=None
                )
                for name in ("One", "Two")
            ]
        memory.acting(person).review.reject(ids[1])
        memory.tool_calls.record("search", ANA)
        clock.move(days=2)
        round_id, head = memory.admin.tidy(only=["prune"]).id, memory.admin.verify().head

    there = move_store(str(tmp_path / "memory.db"), postgres_url)
    assert move_store(postgres_url, str(tmp_path / "back.db")) == there

    with memory_for_tests(SqliteStore.open(tmp_path / "back.db"), clock=clock) as back:
        assert [(one.proposal.id, one.proposal.made) for one in back.review.list()] == [
            (ids[0], replace(lesson, name="One"))
        ]
        assert [one.tier for one in back.procedures.list()] == [Tier.DOCUMENT]
        assert back.tool_calls.list() == []
        back.undo(round_id)
        back.acting(person).undo(ids[1])
        assert (len(back.tool_calls.list()), len(back.review.list())) == (1, 2)
        assert back.admin.verify(head).problems == ()


@pytest.mark.postgres
def test_a_store_moves_to_postgres_and_back(
    lived: Memory, tmp_path: Path, postgres_url: str
) -> None:
    """There and back again, every row is equal."""
    before = everything(lived)
    lived.store.close()
    there = move_store(str(tmp_path / "memory.db"), postgres_url)
    assert move_store(postgres_url, str(tmp_path / "back.db")) == there
    with memory_for_tests(SqliteStore.open(tmp_path / "back.db")) as back:
        assert everything(back) == before


def test_a_store_moves_only_into_an_empty_one(lived: Memory, tmp_path: Path) -> None:
    """What is there is never mixed with what comes."""
    lived.store.close()
    with memory_for_tests(SqliteStore.open(tmp_path / "full.db")) as full:
        full.remember("somebody lives here")
    with pytest.raises(Conflict):
        move_store(str(tmp_path / "memory.db"), str(tmp_path / "full.db"))


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_moving_forgets_no_table(engine: str) -> None:
    """Each table of the schema has its queries for moving."""
    made = {
        name.removeprefix("copy.read_")
        for name in load_queries(engine)
        if name.startswith("copy.read_")
    }
    folder = Path(__file__).parents[2] / "src" / "omoide" / "store" / "migrations"
    lines = [
        line for file in folder.glob(f"*.{engine}.sql") for line in file.read_text().split("\n")
    ]
    tables = {line.split()[2] for line in lines if line.startswith("CREATE TABLE ")}
    assert made == tables == {table.name for table in TABLES}
