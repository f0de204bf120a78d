"""Group chats taken in: whose words are the user's, what is learnt of the others', and what is said
where the user is nobody of them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from omoide.cli import run
from omoide.exchange.intake import Intake, take_in
from omoide.exchange.options import ImportOptions
from omoide.learning.teaching import Teaching
from omoide.memory import Memory
from omoide.models.chat.asker import Asker
from omoide.models.chat.base import Purpose
from omoide.models.chat.scripted import ScriptedModel
from omoide.nouns.item import Tier
from omoide.nouns.proposal import Wish
from omoide.nouns.query import Query
from omoide.nouns.scope import Scope
from omoide.nouns.sender import own_user
from omoide.nouns.session import Conversation, Participant, Session
from omoide.nouns.turn import Message
from tests.exchange.exports import written
from tests.fix_memory import ANA, BEN, NOBODY, OpenMemory
from tests.fix_teaching import Taught, note, says

SAID = (
    ("Ana", "Shall we meet on Tuesday?"),
    ("Bo", "I can't eat peanuts"),
    ("Ana", "Noted, no peanuts"),
)
ALLERGY = note("Bo can't eat peanuts", "I can't eat peanuts")


def whatsapp(folder: Path, said: tuple[tuple[str, str], ...] = SAID) -> Path:
    lines = (f"13/01/24, 10:{n:02d} - {name}: {text}" for n, (name, text) in enumerate(said))
    return written(folder / "WhatsApp Chat with Bo.txt", "\n".join(lines))


def telegram(folder: Path, said: tuple[tuple[str, str], ...] = SAID) -> Path:
    messages = [
        {
            "id": n,
            "type": "message",
            "date": f"2026-01-05T10:{n:02d}:00",
            "from": name,
            "from_id": f"user{name}",
            "text": text,
        }
        for n, (name, text) in enumerate(said)
    ]
    return written(
        folder / "result.json",
        {"name": "Bo", "type": "private_group", "id": 7, "messages": messages},
    )


def slack(folder: Path, said: tuple[tuple[str, str], ...] = SAID) -> Path:
    written(folder / "channels.json", [{"id": "C1", "name": "general"}])
    people = dict.fromkeys(name for name, _ in said)
    written(
        folder / "users.json",
        [{"id": f"U{name}", "name": name, "profile": {"display_name": name}} for name in people],
    )
    said_there = [
        {"type": "message", "user": f"U{name}", "text": text, "ts": f"17676{n:05d}.000100"}
        for n, (name, text) in enumerate(said)
    ]
    written(folder / "general" / "2026-01-05.json", said_there)
    return folder


Export = Callable[..., Path]
each_format = pytest.mark.parametrize("export", [whatsapp, telegram, slack])


def taken(memory: Memory, path: Path, scope: Scope = ANA, me: str | None = None) -> Intake:
    return take_in(memory, path, ImportOptions(zone="UTC", me=me, user=scope.user), scope)


def users(memory: Memory, scope: Scope = ANA) -> list[tuple[str, str | None]]:
    """The speakers of the one session, in order, each with their user."""
    return [
        (turn.speaker, turn.user) for turn in memory.sessions.turns(one(memory, scope).id, scope)
    ]


def one(memory: Memory, scope: Scope = ANA) -> Session:
    (preview,) = memory.sessions.list(scope)
    return preview.session


@each_format
@pytest.mark.parametrize("me", [None, "Ana"])
def test_others_are_not_the_user(
    memory: Memory, tmp_path: Path, export: Export, me: str | None
) -> None:
    """With a name said, or one that is the user's own id; the session lists each of them once."""
    report = taken(memory, export(tmp_path), me=me)

    assert users(memory) == [("Ana", "ana"), ("Bo", None), ("Ana", "ana")]
    assert sorted(one(memory).participants, key=lambda p: p.name) == [
        Participant(name="Ana", user="ana"),
        Participant(name="Bo"),
    ]
    assert report.strangers == ()


@each_format
def test_where_the_user_is_nobody_of_them_nobody_is(
    memory: Memory, tmp_path: Path, export: Export
) -> None:
    """Also where only one of them says anything; the report names them."""
    user = Scope(user="u-17")
    assert taken(memory, export(tmp_path / "both"), user).strangers == ("Ana", "Bo")
    assert {author for _, author in users(memory, user)} == {None}
    assert taken(memory, export(tmp_path / "one", SAID[1:2]), BEN).strangers == ("Bo",)
    assert users(memory, BEN) == [("Bo", None)]


@each_format
def test_what_others_say_is_in_the_users_log(
    memory: Memory, tmp_path: Path, export: Export
) -> None:
    """It is read, found and forgotten by the user, and by nobody else."""
    taken(memory, export(tmp_path), me="Ana")
    memory.admin.tidy()
    session = one(memory).id

    assert [hit.text for hit in memory.recall(Query(text="eat"), ANA).hits][:1] == [
        "I can't eat peanuts"
    ]
    assert (
        memory.recall("eat", BEN).hits,
        memory.recall("eat", NOBODY).hits,
        memory.sessions.list(BEN),
    ) == ((), (), [])
    assert memory.stats(ANA).log.turns == len(SAID)
    memory.forget(f"{session}#1", ANA)
    assert len(memory.sessions.turns(session, ANA)) == len(SAID) - 1
    assert memory.users.forget("ana").erased["turns"] == len(SAID) - 1
    assert memory.admin.doctor() == []


@each_format
def test_imported_again_it_adds_nothing(memory: Memory, tmp_path: Path, export: Export) -> None:
    """Whether or not the user is named this time; what is new in a later export is told apart."""
    path = export(tmp_path)
    assert taken(memory, path).added == len(SAID)
    before = users(memory)

    assert [taken(memory, path, me=me).added for me in (None, "Ana")] == [0, 0]
    assert users(memory) == before
    assert len(one(memory).participants) == len({name for name, _ in SAID})
    assert taken(memory, export(tmp_path, (*SAID, ("Bo", "Thanks"))), me="Ana").added == 1
    assert users(memory) == [*before, ("Bo", None)]


@each_format
def test_an_import_that_was_taken_back_is_imported_again_with_a_name(
    memory: Memory, tmp_path: Path, export: Export
) -> None:
    """Then that one is the user."""
    user, path = Scope(user="u-17"), export(tmp_path)
    memory.undo(taken(memory, path, user).id, user)

    report = taken(memory, path, user, me="Ana")

    assert (report.added, report.strangers) == (len(SAID), ())
    assert users(memory, user) == [("Ana", "u-17"), ("Bo", None), ("Ana", "u-17")]


def test_who_is_named_later_is_listed_once(memory: Memory, tmp_path: Path) -> None:
    """What was said before keeps whose it is; what is said from then on is the user's."""
    user, path = Scope(user="u-17"), whatsapp(tmp_path)
    taken(memory, path, user)
    taken(memory, path, user, me="Ana")
    session = one(memory, user)
    memory.ingest(
        [Message(text=name, speaker=name) for name in ("Ana", "Bo")],
        replace(user, session=session.id),
    )

    assert [p for p in session.participants if p.name == "Ana"] == [
        Participant(name="Ana", user="u-17")
    ]
    assert users(memory, user) == [
        *((name, None) for name, _ in SAID),
        ("Ana", "u-17"),
        ("Bo", None),
    ]


def test_what_an_older_version_took_for_the_users_stays_and_no_more_is(
    memory: Memory, tmp_path: Path
) -> None:
    """Importing the same again adds nothing; what is new has its own speaker."""
    path = whatsapp(tmp_path)
    taken(memory, path)
    session = one(memory)
    stored = tuple(
        Message(text=text, speaker=name, user="ana", key=f"old{n}")
        for n, (name, text) in enumerate(SAID)
    )
    memory.sessions.forget(session.id, scope=ANA)
    memory.ingest(Conversation(id=session.id, messages=stored), ANA)

    taken(memory, path)

    assert users(memory)[len(SAID) :] == [("Ana", "ana"), ("Bo", None), ("Ana", "ana")]


def test_a_linked_sender_is_the_user(memory: Memory, tmp_path: Path) -> None:
    """Then somebody is known to be, and it is said of nobody that they are strangers; so is a
    sender that is a user of its own.
    """

    own = Scope(user=own_user("whatsapp", "Ana"))
    assert taken(memory, whatsapp(tmp_path), own).strangers == ()
    memory.at(shared=True).users.link("whatsapp", "Bo", "u-17")
    assert taken(memory, whatsapp(tmp_path), Scope(user="u-17")).strangers == ()

    assert users(memory, Scope(user="u-17")) == [("Ana", None), ("Bo", "u-17"), ("Ana", None)]
    assert users(memory, own) == [("Ana", own.user), ("Bo", None), ("Ana", own.user)]


@pytest.mark.covers("ED-9")
@pytest.mark.parametrize("me", [None, "Ana"])
def test_what_another_says_is_learnt_as_another_persons_word(
    taught: Taught, tmp_path: Path, me: str | None
) -> None:
    """An agent's word in the user's memory, which never takes the place of what the user said."""
    memory = taught(says(ALLERGY | {"turn": 2}))
    taken(memory, whatsapp(tmp_path), me=me)

    memory.sessions.extract(one(memory).id, ANA)

    (item,) = memory.items.list(scope=ANA).items
    assert (item.text, item.tier, item.scope.user) == (ALLERGY["text"], Tier.AGENT, "ana")


def test_what_the_user_says_in_a_group_is_their_word(taught: Taught, tmp_path: Path) -> None:
    """As in a talk of their own."""
    memory = taught(says(note("Ana moved to Porto", "I moved to Porto")))
    taken(memory, whatsapp(tmp_path, (("Ana", "I moved to Porto"), ("Bo", "Nice"))), me="Ana")

    memory.sessions.extract(one(memory).id, ANA)

    assert [item.tier for item in memory.items.list(scope=ANA).items] == [Tier.USER]


def test_nobody_ends_what_another_person_said(open_memory: OpenMemory) -> None:
    """That something is no longer so is the user's to say; another's word for it waits."""
    ended = {
        "op": "delete",
        "ref": "k1",
        "was": "Ana lives in Porto",
        "quote": "I no longer live in Porto",
        "turn": 1,
    }
    model = ScriptedModel({Purpose.EXTRACT: lambda ask: says(ended), Purpose.DECIDE: []})
    memory = open_memory(teaching=Teaching(asker=Asker(model), strategy="one-call"))
    memory.remember("Ana lives in Porto", ANA)
    people = (Participant(name="Ana", user="ana"), Participant(name="Bo"))

    def told(name: str, session: str) -> list[str]:
        said = (Message(text="I no longer live in Porto", speaker=name),)
        memory.ingest(Conversation(id=session, messages=said, participants=people), ANA)
        return [
            found.fate.value
            for done in memory.sessions.extract(session, ANA)
            for found in done.considered
        ]

    assert told("Bo", "one") == ["waiting"]
    assert [waiting.proposal.wish for waiting in memory.review.list(ANA)] == [Wish.RETRACT]
    assert told("Ana", "two") == ["retracted"]


def test_a_program_tells_people_apart_by_participants(memory: Memory) -> None:
    """Message by message: who is listed without a user is not the caller's, and what is known of a
    session counts later.
    """
    within = replace(ANA, session="flat")
    first = Conversation(
        id="flat",
        messages=(Message(text="Hi", speaker="Bo"),),
        participants=(Participant(name="Bo"),),
    )
    memory.ingest(first, ANA)
    for name in ("Ana", "Bo", "Cy", None):
        memory.ingest([Message(text="Hello", speaker=name)], within)

    assert users(memory) == [
        ("Bo", None),
        ("Ana", "ana"),
        ("Bo", None),
        ("Cy", None),
        ("ana", "ana"),
    ]


def test_the_command_says_that_nobody_is_known_to_be_the_user(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On standard error, with what to do; not where the user is named, and in JSON as a list."""
    monkeypatch.setenv("OMOIDE_HOME", str(tmp_path / "home"))
    call = ["--user", "u-17", "import", str(whatsapp(tmp_path)), "--zone", "UTC"]

    assert run(call) == 0
    told = capsys.readouterr()
    said = " ".join(told.err.split())
    assert "none of Ana, Bo is known to be you" in said
    assert "--me NAME" in said
    assert run([*call, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["strangers"] == ["Ana", "Bo"]
    assert run(["--user", "ana", *call[2:]]) == 0
    assert "known to be" not in capsys.readouterr().err
