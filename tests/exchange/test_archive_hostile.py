"""An archive brings in nothing that the verbs would have refused."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from omoide.nouns.errors import Conflict, ImportRefused
from omoide.nouns.item import TEXT_LIMIT, Details
from omoide.nouns.session import Conversation, Session
from omoide.nouns.turn import TURN_LIMIT, Message, Turn
from omoide.store.sqlite.engine import SqliteStore
from omoide.tables.listing import Listing
from omoide.tables.sessions import Sessions
from omoide.testing import ANA, BEN, memory_for_tests
from tests.fix_memory import NINE, session_of, turn_of

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
LATER = "2099-01-01T00:00:00+00:00"
DEEP: Any = json.loads('{"a":' * 20 + "1" + "}" * 20)
LONG: Any = {"a": "x" * 20_000}
NO_METADATA: tuple[Any, ...] = (LONG, [], "x", {"a": float("nan")}, DEEP)
NO_NAMES: tuple[Any, ...] = ("nothing", None, [], 99)
Lines = list[dict[str, Any]]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A small archive: a session with a turn, an entity, an item that comes from the turn."""
    folder = tmp_path_factory.mktemp("small")
    with memory_for_tests(SqliteStore.open(folder / "old.db")) as memory:
        turn = memory.ingest(
            Conversation(
                id="talk", messages=(Message(text="I moved to Porto", key="k1"),), title="home"
            )
        ).turns[0]
        details = Details(
            source_turns=(turn,),
            quote="moved to Porto",
            metadata={"n": 1},
            domain="home",
            origin="a letter",
        )
        memory.remember(
            "Ana lives in Porto", tags=["home"], entities=["person:ana"], details=details
        )
        memory.admin.export(folder / "small.jsonl", ANA, everything=True)
    return (folder / "small.jsonl").read_bytes()


@pytest.fixture
def archive(small: bytes, tmp_path: Path) -> Path:
    """That archive, to be altered."""
    path = tmp_path / "small.jsonl"
    path.write_bytes(small)
    return path


def altered(path: Path, alter: Callable[[Lines], object]) -> Path:
    """The archive with its lines changed, and a checksum that fits."""
    lines = [json.loads(line) for line in path.read_text().splitlines()][:-1]
    alter(lines)
    body = "".join(json.dumps(line) + "\n" for line in lines)
    path.write_text(
        body + json.dumps({"end": {}, "sha256": hashlib.sha256(body.encode()).hexdigest()}) + "\n"
    )
    return path


def of(lines: Lines, kind: str) -> dict[str, Any]:
    """The first record of a kind."""
    return next(line for line in lines if line.get("type") == kind)


WRONG: tuple[tuple[str, str, Any], ...] = (
    *(("item", "text", text) for text in ("", " ", "x" * (TEXT_LIMIT + 1), 5, None, ["x"])),
    *(("item", "quote", quote) for quote in ("x" * (TEXT_LIMIT + 1), 5)),
    *(
        ("item", "confidence", confidence)
        for confidence in (1.5, -0.1, float("nan"), float("inf"), True, "1")
    ),
    *(
        ("item", "tags", tags)
        for tags in (["a\nb"], [""], "abc", [5], ["x"] * 3 + [str(n) for n in range(70)])
    ),
    *(("item", "entities", names) for names in (["a\0b"], ["x" * 300], "abc")),
    *(("item", "metadata", metadata) for metadata in NO_METADATA),
    *(
        ("item", "source_turns", turns)
        for turns in (["nothing"], ["talk#x"], turn_of("talk", 0), [5])
    ),
    *(
        ("item", "created_at", moment)
        for moment in (LATER, "2026-01-05T09:00:00", "yesterday", 5, None)
    ),
    *(("item", "recorded_at", moment) for moment in (LATER, "0001-01-01T00:00:00+14:00")),
    *(
        ("item", "valid_until", moment)
        for moment in ("1999-01-01T00:00:00+00:00", "9999-12-31T23:59:59-14:00")
    ),
    *(
        ("item", name, moment)
        for name in ("closed_at", "superseded_at")
        for moment in (LATER, "2026-01-05T09:00:00+00:00")
    ),
    *(("item", name, LATER) for name in ("updated_at", "last_used_at", "reminded_at")),
    *(
        ("item", name, value)
        for name in ("uses", "helpful", "harmful")
        for value in (-1, 10**30, 1.5, True)
    ),
    *(
        ("item", name, value)
        for name in ("pinned", "sensitive", "muted")
        for value in (1, "true", None)
    ),
    *(
        ("item", "masks", masks)
        for masks in (
            [{"kind": "x", "start": -5, "end": 2}],
            [{"kind": "password", "start": 0, "end": 18}],
            5,
        )
    ),
    *(("item", name, value) for name in ("category", "source", "tier") for value in NO_NAMES),
    *(("item", name, "a\nb") for name in ("domain", "origin", "id")),
    *(("item", name, TOKEN) for name in ("id", "supersedes")),
    *(("item", "superseded_by", id) for id in ("", "someone else")),
    *(
        ("item", "scope", scope)
        for scope in ({"tenant": "other"}, {"tenant": "default", "user": TOKEN}, {"user": 5}, 5)
    ),
    *(("item", name, 5) for name in ("nonsense", "sha256")),
    *(("session", "title", title) for title in (5, None, "x" * 1_001)),
    ("session", "channel", "x" * 1_001),
    *(
        ("session", "participants", people)
        for people in (
            [{"name": 5}],
            [{"name": "x" * 1_001}],
            [{"name": "Bo", "user": TOKEN}],
            "Bo",
        )
    ),
    ("session", "participants", [{"name": "Bo", "role": "king"}]),
    *(("session", "private", private) for private in (1, "no")),
    *(("session", "metadata", metadata) for metadata in ({"a": "x" * 20_000}, 5)),
    *(("session", "id", id) for id in ("", TOKEN, " x")),
    *(("entity", "name", name) for name in ("", "a\nb", 5)),
    *(("entity", "aliases", names) for names in ("abc", [""], ["x" * 300])),
)
WRONG_TURNS: tuple[tuple[str, Any], ...] = (
    *(("text", text) for text in ("", "x" * (TURN_LIMIT + 1), 5)),
    *(("position", position) for position in (-1, 1, 2**40, 10**30, True)),
    *(("id", id) for id in (turn_of("talk", 1), turn_of("other", 0), "")),
    *(("session", session) for session in (TOKEN, "", "other")),
    *(("user", user) for user in (TOKEN, "a\nb", 5)),
    *(("recorded_at", moment) for moment in (LATER, "2026-01-05T09:00:00")),
    *(("at", moment) for moment in ("2026-01-05T09:00:00", "9999-12-31T23:59:59-14:00")),
    ("speaker", "x" * 1_001),
    *(("key", key) for key in ("a\nb", "\x010:k", "x" * 2_000, 5)),
    *(("role", role) for role in ("king", None)),
    *(("metadata", metadata) for metadata in ({"a": "x" * 20_000}, 5)),
)


def refused(path: Path, tmp_path: Path) -> None:
    """Nothing of it is loaded, and the place is named."""
    with memory_for_tests(SqliteStore.open(tmp_path / "new.db")) as fresh:
        with pytest.raises(ImportRefused, match=r"line \d+"):
            fresh.admin.load(path)
        assert fresh.stats().changes == 0
        assert fresh.sessions.list() == []


@pytest.mark.parametrize(("kind", "field", "value"), WRONG)
def test_a_record_that_no_verb_would_make_is_refused(
    archive: Path, tmp_path: Path, kind: str, field: str, value: Any
) -> None:
    """Limits, ranges, times, lineage, ids, kinds of values: the whole archive is refused before
    anything is stored.
    """
    refused(altered(archive, lambda lines: of(lines, kind).update({field: value})), tmp_path)


@pytest.mark.parametrize(("field", "value"), WRONG_TURNS)
def test_a_turn_that_ingest_would_not_log_is_refused(
    archive: Path, tmp_path: Path, field: str, value: Any
) -> None:
    """As other records are."""
    refused(
        altered(archive, lambda lines: of(lines, "turn")["turn"].update({field: value})), tmp_path
    )


@pytest.mark.parametrize(
    "harm", [{"made_at": 5}, {"made_at": TOKEN}, {"tenant": 5}, {"tenant": ""}, {"tenant": "other"}]
)
def test_a_first_line_that_is_none_is_refused(
    archive: Path, tmp_path: Path, harm: dict[str, Any]
) -> None:
    """When and of which tenant it was made is told in it, and is no place for other things."""
    altered(archive, lambda lines: lines[0].update(harm))
    with (
        memory_for_tests(SqliteStore.open(tmp_path / "new.db")) as fresh,
        pytest.raises(ImportRefused),
    ):
        fresh.admin.load(archive)


def leak(lines: Lines) -> None:
    """A secret in every field of an archive that was written before they were masked."""
    said = {"password": "swordfish", "list": [f"with {TOKEN}"]}
    of(lines, "item").update(
        text=f"the wombat key is {TOKEN}",
        quote=f"use {TOKEN}",
        tags=[f"key {TOKEN}"],
        entities=[f"key:{TOKEN}"],
        domain=TOKEN,
        origin=f"https://example.org/?t={TOKEN}",
        metadata=said,
    )
    of(lines, "turn")["turn"].update(
        text=f"use {TOKEN}", speaker=f"Bo {TOKEN}", key=TOKEN, metadata=said
    )
    of(lines, "session").update(
        title=TOKEN,
        channel=TOKEN,
        participants=[{"name": f"Bo {TOKEN}", "user": "ana"}],
        metadata=said,
    )
    of(lines, "entity").update(name=f"key:{TOKEN}", aliases=[TOKEN])


def test_secrets_of_an_old_archive_are_masked(archive: Path, tmp_path: Path) -> None:
    """They are loaded like everything else that comes in: with marks in their places."""
    altered(archive, leak)
    with memory_for_tests(SqliteStore.open(tmp_path / "new.db")) as fresh:
        assert fresh.admin.load(archive).added["item"] == 1
        assert fresh.admin.scan() == []
        (item,) = fresh.items.list(Listing(sensitive=None)).items
        assert item.text == "the wombat key is [secret: github-token]"
        assert [item.text[mask.start : mask.end] for mask in item.masks] == [
            "[secret: github-token]"
        ]
        turn = fresh.get(turn_of("talk", 0))
        assert isinstance(turn, Turn)
        told = repr((item, turn, fresh.sessions.list(), fresh.entities.list()))
        assert TOKEN not in told
        assert "swordfish" not in told


def test_marks_keep_their_places_when_more_are_made() -> None:
    """An earlier mark behind a new one is still found where the record says."""
    with memory_for_tests() as memory:
        item = memory.remember(f"use {TOKEN} for wombats").item
        assert [item.text[mask.start : mask.end] for mask in item.masks] == [
            "[secret: github-token]"
        ]


def test_sources_that_are_nowhere_are_left_out_and_counted(archive: Path, tmp_path: Path) -> None:
    """An export of one user lacks what others said; what rests on it is loaded without that
    source.
    """
    altered(
        archive,
        lambda lines: of(lines, "item").update(
            source_turns=[turn_of("talk", 0), turn_of("elsewhere", 3)]
        ),
    )
    with memory_for_tests(SqliteStore.open(tmp_path / "new.db")) as fresh:
        assert fresh.admin.load(archive).added["missing source"] == 1
        (item,) = fresh.items.list().items
        assert item.source_turns == (turn_of("talk", 0),)
        assert fresh.admin.load(archive).added == {}


def test_a_session_of_somebody_else_gets_no_turns(archive: Path, tmp_path: Path) -> None:
    """A session id that is taken is another conversation."""
    with memory_for_tests(SqliteStore.open(tmp_path / "new.db")) as fresh:
        taken = Session(id=session_of("talk"), scope=BEN, owner="ben")
        with fresh.store.transaction(tenant=None) as tx:
            assert Sessions(tx).add(taken, origin="", at=NINE)
        with pytest.raises(Conflict, match="another's"):
            fresh.admin.load(archive)
        assert fresh.sessions.turns(taken.id, BEN) == []


def test_what_is_loaded_can_be_exported_and_loaded_again(archive: Path, tmp_path: Path) -> None:
    """What passes the checks once passes them again."""
    altered(archive, leak)
    with memory_for_tests(SqliteStore.open(tmp_path / "new.db")) as fresh:
        fresh.admin.load(archive)
        fresh.admin.export(tmp_path / "again.jsonl", ANA, everything=True)
    with memory_for_tests(SqliteStore.open(tmp_path / "third.db")) as third:
        assert third.admin.load(tmp_path / "again.jsonl").added["item"] == 1
        assert third.admin.scan() == []
        assert third.admin.doctor() == []
