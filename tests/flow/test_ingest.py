"""The log: every turn verbatim, once, before anything thinks about it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from omoide.memory import Memory
from omoide.models.embedders.fake import FakeEmbedder, Fault
from omoide.nouns.change import Because
from omoide.nouns.errors import (
    InvalidInput,
    InvalidTime,
    ModelError,
    NotFound,
    TooLong,
    UnknownName,
)
from omoide.nouns.kind import Kind
from omoide.nouns.query import Query
from omoide.nouns.scope import Scope
from omoide.nouns.session import Conversation, Participant
from omoide.nouns.turn import TURN_LIMIT, Message, Role, Turn
from omoide.store.base import Store
from omoide.tables.sessions import Sessions
from omoide.text.words import index_terms
from omoide.write.checks import NAME_LIMIT
from tests.fix_memory import ANA, BEN, NINE, NOBODY, OpenMemory, on_sqlite, session_of, turn_of
from tests.flow.test_remember import HARD_TEXTS

Texts = Callable[..., list[str]]
S = Scope(user="ana", session="s")


def said(memory: Memory, *texts: str, scope: Scope = S) -> None:
    """Log what Ana says."""
    memory.ingest([{"content": text} for text in texts], scope)


@pytest.mark.covers("GM-10", "GM-35", "AD-5", "LS-82")
def test_both_sides_are_kept_in_order(memory: Memory) -> None:
    """Word for word, with roles, speakers and times; none is echoed."""
    memory.ingest(
        [
            {"role": "user", "content": "Hi, I'm Ana", "timestamp": NINE},
            {
                "role": "assistant",
                "content": "Hello Ana",
                "timestamp": NINE + timedelta(minutes=1),
                "name": "Omi",
            },
            {"role": "tool", "content": "{}"},
            {"role": "system", "content": "be kind"},
        ],
        S,
    )

    turns = memory.sessions.turns("s")
    assert [(t.role, t.speaker, t.user, t.text) for t in turns] == [
        (Role.USER, "ana", "ana", "Hi, I'm Ana"),
        (Role.ASSISTANT, "Omi", None, "Hello Ana"),
        (Role.TOOL, "tool", None, "{}"),
        (Role.SYSTEM, "system", None, "be kind"),
    ]
    assert [t.position for t in turns] == [0, 1, 2, 3]
    assert turns[1].at == NINE + timedelta(minutes=1)


@pytest.mark.parametrize("name", HARD_TEXTS)
def test_hard_texts_are_logged_verbatim(name: str, memory: Memory) -> None:
    """Through the log, by id, and found by their own words."""
    text = HARD_TEXTS[name]

    logged = memory.ingest([Message(text=text, speaker=None, metadata={"raw": text})], S)

    turn = memory.get(logged.turns[0])
    assert isinstance(turn, Turn)
    assert (turn.text, turn.metadata) == (text, {"raw": text})
    if index_terms(text):  # what has no words is found by its date alone
        assert memory.recall(text).hits[0].text == text


@on_sqlite
@pytest.mark.parametrize("name", HARD_TEXTS)
def test_hard_names_are_taken(name: str, memory: Memory) -> None:
    """A speaker, title or channel of an export may hold anything; it is kept as far as a name can
    hold it.
    """
    text = HARD_TEXTS[name]
    talk = Conversation(
        id="s",
        title=text,
        channel=text,
        messages=(Message(text="hi", speaker=text),),
        participants=(Participant(name=text),),
        metadata={"k": text},
    )

    memory.ingest(talk, ANA)

    (preview,) = memory.sessions.list()
    assert memory.sessions.turns("s")[0].speaker
    assert preview.session.title
    assert preview.session.metadata == {"k": text}
    if name not in ("NUL", "lone surrogate", "backslashes and NUL", "newlines"):
        assert (
            memory.sessions.turns("s")[0].speaker,
            preview.session.title,
            preview.session.channel,
        ) == (
            text,
            text,
            text,
        )


def test_the_speakers_own_hour_is_kept(memory: Memory) -> None:
    """The offset of a time survives, to the second."""
    at = datetime(2026, 1, 5, 23, 30, tzinfo=timezone(timedelta(hours=5, minutes=45)))

    memory.ingest([Message(text="late here", at=at)], S)

    assert memory.sessions.turns("s")[0].at.isoformat() == at.isoformat()


def test_a_very_long_turn_is_kept_whole_and_found_by_any_passage(memory: Memory) -> None:
    """A million characters come back unchanged; a word from the middle finds the turn, as one
    hit.
    """
    filler = "Lorem ipsum dolor sit amet. " * 18_000
    text = f"{filler} The zebra's friend is a quokka. {filler}"[:1_000_000]

    memory.ingest([Message(text=text)], S)

    hits = memory.recall("zebra quokka").hits
    assert [hit.kind for hit in hits] == [Kind.TURN]
    assert "quokka" in hits[0].text
    assert memory.sessions.turns("s")[0].text == text


@on_sqlite
@pytest.mark.covers("LS-46", "GM-15", "LS-17")
@pytest.mark.parametrize(
    ("bad", "error"),
    [
        ({"content": "x" * (TURN_LIMIT + 1)}, TooLong),
        ({"content": "x", "role": "judge"}, UnknownName),
        ({"content": "x", "colour": "red"}, UnknownName),
        ({"content": None}, InvalidInput),
        ({"role": "user"}, InvalidInput),
        ({"content": "x", "timestamp": "2026-01-01T25:00"}, InvalidTime),
        ({"content": "x", "timestamp": datetime(2026, 1, 1)}, InvalidTime),
        ({"content": "x", "timestamp": 12}, InvalidTime),
        ({"content": "x", "metadata": {"a": object()}}, InvalidInput),
        ({"content": "x", "user": ""}, InvalidInput),
        ({"content": "x", "id": "k\0"}, InvalidInput),
        ({"content": "x", "id": 12}, InvalidInput),
        ({"content": "x", "name": 12}, InvalidInput),
        (Message(text=3), InvalidInput),  # type: ignore[arg-type]
        (Message(text="x", at=datetime(2026, 1, 1)), InvalidTime),
        (Message(text="x", role="judge"), UnknownName),  # type: ignore[arg-type]
        ("just text", InvalidInput),
    ],
)
def test_one_bad_message_refuses_all(bad: Any, error: type[Exception], memory: Memory) -> None:
    """With a typed error that names it; the good ones before it are not stored either."""
    with pytest.raises(error):
        memory.ingest([{"content": "fine"}, bad], S)

    assert memory.sessions.list() == []
    assert memory.stats().changes == 0


@pytest.mark.parametrize("talk", ["hello", {"role": "user", "content": "hello"}])
def test_one_message_must_be_in_a_list(talk: Any, memory: Memory) -> None:
    """A text would be read letter by letter."""
    with pytest.raises(InvalidInput, match="list"):
        memory.ingest(talk, S)


@pytest.mark.covers("GM-35")
def test_messages_are_taken_as_chat_apis_have_them(memory: Memory) -> None:
    """Content in parts, of which those without a text leave their type; the developer is the
    system.
    """
    parts = [
        {"type": "text", "text": "Look:"},
        {"type": "image_url", "image_url": {"url": "x"}},
        {"type": "input_text", "text": "a boat"},
    ]
    talk: list[dict[str, Any]] = [
        {"role": "developer", "content": "Be brief"},
        {"role": "user", "content": parts},
    ]
    memory.ingest(talk, Scope(user="ana", session="s"))

    said = memory.sessions.turns("s")
    assert [(turn.role, turn.text) for turn in said] == [
        (Role.SYSTEM, "Be brief"),
        (Role.USER, "Look:\n[image_url]\na boat"),
    ]


def test_blank_messages_leave_no_turn(memory: Memory) -> None:
    """Nor an error; the others keep their order."""
    logged = memory.ingest([{"content": "one"}, {"content": "  \n"}, {"content": "two"}], S)

    assert logged.added == 2
    assert [t.text for t in memory.sessions.turns("s")] == ["one", "two"]


def test_a_message_with_a_known_key_is_logged_once(memory: Memory) -> None:
    """In one call or in several; its turn's id is given again."""
    first = memory.ingest(
        [Message(text="a", key="1"), Message(text="b", key="2"), Message(text="a", key="1")], S
    )
    again = memory.ingest(
        [
            Message(text="a", key="1"),
            Message(text="c", key="3"),
            Message(text="no key"),
            Message(text="no key"),
        ],
        S,
    )

    assert (first.added, first.repeated, first.turns) == (
        2,
        1,
        (turn_of("s", 0), turn_of("s", 1), turn_of("s", 0)),
    )
    assert (again.added, again.repeated, again.turns) == (
        3,
        1,
        (turn_of("s", 0), turn_of("s", 2), turn_of("s", 3), turn_of("s", 4)),
    )
    assert [t.text for t in memory.sessions.turns("s")] == ["a", "b", "c", "no key", "no key"]


def test_keys_belong_to_their_session(memory: Memory) -> None:
    """The same key in another session, or of another tenant, is another message."""
    for scope in (S, Scope(user="ana", session="s2"), Scope(user="ana", session="s", tenant="t")):
        assert memory.ingest([Message(text="a", key="1")], scope).added == 1


def test_no_session_named_is_a_new_session(memory: Memory) -> None:
    """Each call begins one."""
    one, two = (memory.ingest([{"content": "hi"}]).session for _ in range(2))

    assert one != two
    assert {p.session.id for p in memory.sessions.list()} == {one, two}


@pytest.mark.covers("AD-2", "GM-43", "LS-44")
def test_a_conversation_goes_on_after_a_restart(tmp_path: Any) -> None:
    """Positions go on where they were; closing twice is safe."""
    for text in ("one", "two"):
        memory = Memory.open(str(tmp_path / "m.db"), user="ana", background=False)
        memory.ingest([{"content": text}], S)
        memory.close()
        memory.close()
    with Memory.open(str(tmp_path / "m.db"), user="ana", background=False) as memory:
        assert [(t.position, t.text) for t in memory.sessions.turns("s")] == [
            (0, "one"),
            (1, "two"),
        ]


def test_many_writers_to_one_session_leave_no_gap(memory: Memory) -> None:
    """Each turn once, positions 0 to n - 1."""
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: memory.ingest([{"content": f"turn {n}"}], S), range(24)))

    turns = memory.sessions.turns("s")
    assert [t.position for t in turns] == list(range(24))
    assert {t.text for t in turns} == {f"turn {n}" for n in range(24)}
    assert memory.admin.verify().problems == ()


@pytest.mark.covers("LS-75", "CX-2")
@pytest.mark.parametrize("fault", [Fault.DOWN, Fault.NAN])
def test_the_log_needs_no_model(
    fault: Fault, memory: Memory, embedder: FakeEmbedder, texts: Texts
) -> None:
    """With the embedder down, a turn is stored and found by its words; recall says what waits;
    later it is made up for.
    """
    embedder.fault = fault
    said(memory, "The kitchen is painted green")
    with pytest.raises(ModelError):
        memory.admin.tidy()
    embedder.fault = None

    answer = memory.recall("kitchen painted")
    assert [h.text for h in answer.hits] == ["The kitchen is painted green"]
    assert answer.degraded == ("vector: 1 document waits for its vector",)

    memory.clock.move(minutes=10)  # type: ignore[attr-defined]
    assert memory.admin.tidy().vectors == 1
    assert memory.recall("kitchen painted").degraded == ()
    assert memory.stats().coverage[0].percent == 100


@pytest.mark.covers("LS-75")
def test_a_job_that_keeps_failing_is_put_aside(memory: Memory, embedder: FakeEmbedder) -> None:
    """After its tries it is dead, doctor says so, and tidying by hand tries it once more."""
    said(memory, "hello")
    embedder.fault = Fault.DOWN
    for _ in range(100):
        if memory.admin.doctor():  # a user's own jobs leave it out
            break
        memory.clock.move(days=1)  # type: ignore[attr-defined]
        with pytest.raises(ModelError):
            memory.admin.tidy()
    assert [f.place for f in memory.admin.doctor()] == ["jobs"]
    embedder.fault = None

    assert memory.admin.tidy().vectors == 1
    assert memory.admin.doctor() == []


def test_secrets_never_reach_the_log(memory: Memory, embedder: FakeEmbedder) -> None:
    """Nor the index, nor the embedder; the turn says where something was masked."""
    key = "sk-proj-" + "a1B2c3D4e5" * 5
    logged = memory.ingest([Message(text=f"use {key} please")], S)
    memory.admin.tidy()

    (turn,) = memory.sessions.turns("s")
    assert logged.masked == 1
    assert key not in turn.text
    assert turn.masks
    assert not any(key in text for text in embedder.asked)
    assert memory.recall(key).hits == () or key not in memory.recall(key).hits[0].text


def test_a_private_session_stays_within_itself(memory: Memory, texts: Texts) -> None:
    """Its turns are found only when asked from within it."""
    memory.ingest([Message(text="the surprise party is on Friday")], S, private=True)
    memory.admin.tidy()

    assert texts(memory, "surprise party") == []
    assert texts(memory, "surprise party", Scope(user="ana", session="other")) == []
    assert texts(memory, "surprise party", S) == ["the surprise party is on Friday"]
    assert memory.sessions.turns() == []
    assert len(memory.sessions.turns(None, S)) == len(memory.sessions.turns("s")) == 1
    assert [p.session.private for p in memory.sessions.list()] == [True]


def test_once_private_stays_private(memory: Memory, texts: Texts) -> None:
    """A later call that does not say so changes nothing."""
    memory.ingest([Message(text="the surprise party is on Friday")], S, private=True)
    memory.ingest([Message(text="the surprise cake is chosen")], S)

    assert texts(memory, "surprise") == []


def test_what_becomes_private_is_private_from_its_start(memory: Memory, texts: Texts) -> None:
    """Turns logged before leave recall from outside too."""
    said(memory, "the surprise party is on Friday")
    assert texts(memory, "surprise") != []
    memory.ingest([Message(text="the surprise cake is chosen")], S, private=True)

    assert texts(memory, "surprise") == []
    assert len(texts(memory, "surprise", S)) == 2
    assert memory.admin.doctor() == []


@pytest.mark.covers("GM-81", "GM-88")
def test_a_session_keeps_the_context_it_began_in(memory: Memory, texts: Texts) -> None:
    """Also when somebody goes on with it from another one."""
    said(memory, "wombat at work", scope=Scope(user="ana", session="s", context="work"))
    said(memory, "wombat still at work", scope=Scope(user="ana", session="s", context="home"))

    assert len(texts(memory, Query(text="wombat", contexts=frozenset({"work"})))) == 2
    assert memory.admin.doctor() == []


@pytest.mark.covers("LS-73")
def test_a_listing_shows_a_joiner_nothing_from_before(memory: Memory) -> None:
    """Neither the first words nor how many turns there were."""
    within = Scope(user="ben", session="s")
    said(memory, "Ana alone: the codeword is quokka")
    both = (Participant(name="Ana", user="ana"), Participant(name="Ben", user="ben"))
    memory.ingest(Conversation(id="s", messages=(), participants=both))
    said(memory, "Ben joins", scope=within)

    (preview,) = memory.sessions.list(within)
    assert (preview.preview, preview.session.turns) == ("Ben joins", 1)


def test_a_listing_counts_no_undone_turn(memory: Memory) -> None:
    """Nor shows one as the first thing said."""
    said(memory, "one", "two")
    change = memory.diff(NINE - timedelta(days=1)).changes[-1].id
    said(memory, "three")
    memory.undo(change)

    (preview,) = memory.sessions.list()
    assert (preview.preview, preview.session.turns) == ("three", 1)


@pytest.mark.covers("ED-6", "LS-73", "AD-30")
def test_who_joins_sees_nothing_from_before(memory: Memory, texts: Texts) -> None:
    """One session id, two users: what Ana said alone stays hers, what is said together is seen from
    within only.
    """
    both = [Scope(user="ana", session="s"), Scope(user="ben", session="s")]
    said(memory, "Ana alone: the codeword is quokka", scope=both[0])
    memory.remember("Ana keeps a quokka", ANA)
    assert texts(memory, "quokka", both[0]) != []

    memory.ingest(
        Conversation(id="s", messages=(), participants=(Participant(name="Ben", user="ben"),)),
        both[0],
    )
    said(memory, "Ben joins with a wombat", scope=both[1])

    assert texts(memory, "quokka", both[1]) == []
    assert [t.text for t in memory.sessions.turns("s", both[1])] == ["Ben joins with a wombat"]
    assert texts(memory, "quokka", both[0]) == [], "user memory is off while others listen"
    assert (
        texts(memory, "wombat", both[0])
        == texts(memory, "wombat", both[1])
        == ["Ben joins with a wombat"]
    )
    for outside in (ANA, BEN, NOBODY, Scope(user="ana", session="other")):
        assert "Ben joins with a wombat" not in texts(memory, "wombat", outside)
    assert (
        "the codeword" in texts(memory, "quokka", ANA)[0]
        or "keeps" in texts(memory, "quokka", ANA)[0]
    )


@pytest.mark.covers("ED-6", "AD-30")
def test_a_stranger_who_names_a_shared_session_sees_nothing(memory: Memory, texts: Texts) -> None:
    """Only those who take part do, and an agent without a user."""
    memory.ingest(
        [Message(text="the wombat plan", user="ana"), Message(text="agreed", user="ben")],
        Scope(session="g"),
    )
    cy = Scope(user="cy", session="g")

    assert texts(memory, "wombat", cy) == []
    with pytest.raises(NotFound):
        memory.sessions.turns("g", cy)
    with pytest.raises(NotFound):
        memory.get(turn_of("g", 0), cy)
    assert memory.sessions.list(cy) == []
    assert texts(memory, "wombat", Scope(user="ben", session="g"))[0] == "the wombat plan"
    assert texts(memory, "wombat", Scope(session="g"))[0] == "the wombat plan"


def test_another_agents_session_is_another(memory: Memory) -> None:
    """Two agents do not write into one conversation by accident."""
    a, b = (Scope(user="ana", agent=agent, session="s") for agent in "ab")
    said(memory, "to a", scope=a)
    said(memory, "to b", scope=b)

    assert [turn.text for turn in memory.sessions.turns("s", a)] == ["to a"]
    assert [turn.text for turn in memory.sessions.turns("s", b)] == ["to b"]


@pytest.mark.covers("LS-42", "GM-40")
def test_sessions_are_listed_latest_first_with_their_first_words(
    memory: Memory, embedder: FakeEmbedder
) -> None:
    """By when something was said last; the preview is the first thing the user said, not the
    smallest text.
    """
    later = NINE + timedelta(hours=1)
    memory.ingest(
        [Message(text="zebra first", at=NINE), Message(text="apple second", at=later)],
        Scope(user="ana", session="old"),
    )
    greeted = [
        Message(text="hello", role=Role.ASSISTANT, at=NINE),
        Message(text="b", at=later + timedelta(hours=1)),
    ]
    memory.ingest(greeted, Scope(user="ana", session="new"))

    listed = memory.sessions.list()

    assert [(p.session.name, p.preview, p.session.turns) for p in listed] == [
        ("new", "b", 2),
        ("old", "zebra first", 2),
    ]
    assert (listed[1].session.started_at, listed[1].session.last_at) == (NINE, later)
    assert [p.session.name for p in memory.sessions.list(limit=1, offset=1)] == ["old"]


@pytest.mark.covers("AD-30")
def test_logs_of_users_agents_and_tenants_do_not_mix(memory: Memory, texts: Texts) -> None:
    """By turns, sessions and recall; without a user there are no user's turns."""
    scopes = [
        Scope(user="ana"),
        Scope(user="ben"),
        Scope(user="ana", tenant="t"),
        Scope(user="ana", agent="a"),
        NOBODY,
    ]
    for n, scope in enumerate(scopes):
        said(
            memory,
            f"wombat {n}",
            scope=replace(scope, session=f"s{n}"),
        )

    seen = [set(texts(memory, "wombat", scope)) for scope in scopes]

    # what nobody in particular said is for everybody of the tenant; an agent sees its user's rows
    # of no agent too
    assert seen == [
        {"wombat 0", "wombat 4"},
        {"wombat 1", "wombat 4"},
        {"wombat 2"},
        {"wombat 0", "wombat 3", "wombat 4"},
        {"wombat 4"},
    ]
    assert [{t.text for t in memory.sessions.turns(None, scope)} for scope in scopes] == seen
    assert [len(memory.sessions.list(scope)) for scope in scopes] == [len(s) for s in seen]


def test_turns_are_read_from_a_position_and_since_a_time(memory: Memory) -> None:
    """In pages, in order."""
    memory.ingest([Message(text=f"t{n}", at=NINE + timedelta(days=n)) for n in range(5)], S)

    assert [t.text for t in memory.sessions.turns("s", first=1, limit=2)] == ["t1", "t2"]
    assert [t.text for t in memory.sessions.turns(since=NINE + timedelta(days=3))] == ["t3", "t4"]
    with pytest.raises(NotFound):
        memory.sessions.turns("none")


@on_sqlite
@pytest.mark.parametrize(
    "id",
    [
        turn_of("s", 1),
        "s#",
        "#",
        "s#-1",
        turn_of("s", 99999999999999999999999),
        "s#x",
        "none#0",
        "s#٣",
        "s\0#0",
        "\ud800",
    ],
)
def test_a_turn_that_is_not_there_is_not_found(id: str, memory: Memory) -> None:
    """Whatever stands for its id."""
    said(memory, "hi")

    with pytest.raises((NotFound, InvalidInput)):
        memory.get(id)


def test_a_person_on_two_channels_is_one_user(memory: Memory, texts: Texts) -> None:
    """Sessions carry the channel; memory follows the canonical user."""
    for channel in ("telegram", "mail"):
        talk = Conversation(
            id=f"ana:{channel}",
            channel=channel,
            messages=(Message(text=f"I wrote from {channel}", user="ana"),),
        )
        memory.ingest(talk, ANA)

    assert set(texts(memory, "wrote from")) == {"I wrote from telegram", "I wrote from mail"}
    assert {p.session.channel for p in memory.sessions.list()} == {"telegram", "mail"}


def test_who_and_why_stand_on_the_ledger(memory: Memory) -> None:
    """A logging is one change, put down to whoever acted."""
    memory.acting(Because(actor="importer", reason="first run", cause="import-1")).ingest(
        [{"content": "hi"}], S
    )

    (change,) = memory.diff(NINE - timedelta(days=1), scope=ANA).changes
    assert (change.actor, change.reason, change.cause, change.session, change.kind) == (
        "importer", "first run", "import-1", session_of("s"), Kind.SESSION,
    )  # fmt: skip


@on_sqlite
@pytest.mark.parametrize(
    "because", [Because(actor="a\0"), Because(reason="\ud800"), Because(cause="x" * 999)]
)
def test_who_and_why_must_be_fit_to_keep(because: Because, memory: Memory) -> None:
    """Refused before anything is done in that name."""
    with pytest.raises(InvalidInput):
        memory.acting(because)


def test_recall_can_leave_out_the_present_session(memory: Memory, texts: Texts) -> None:
    """What is in the prompt already need not be recalled into it."""
    said(memory, "the wombat plan")
    said(memory, "an older wombat", scope=Scope(user="ana", session="old"))

    assert texts(memory, Query(text="wombat", without_session="s"), S) == ["an older wombat"]


def test_the_background_makes_vectors(open_memory: OpenMemory) -> None:
    """Without being asked, soon after a turn was logged, also when the first try failed."""
    import time

    embedder = FakeEmbedder()
    memory = open_memory(embedder=embedder, background=True)
    said(memory, "hello")
    for _ in range(200):
        if memory.stats().coverage[0].percent == 100:
            break
        time.sleep(0.02)
    memory.close()

    assert any("hello" in text for text in embedder.asked)


@pytest.mark.covers("AD-30", "LS-72")
def test_what_one_named_user_says_is_theirs_without_a_scope(memory: Memory) -> None:
    """A talk logged without a user, in which one user alone is named, is that user's and not
    everybody's.
    """
    memory.ingest(
        Conversation(id="group", messages=(Message(text="my pelican is called Otto", user="ana"),)),
        NOBODY,
    )
    assert memory.recall("pelican", NOBODY).hits == ()
    assert len(memory.recall("pelican", ANA).hits) == 1
    both = (Participant(name="Ana", user="ana"), Participant(name="Ben", user="ben"))
    memory.ingest(
        Conversation(
            id="group",
            messages=(Message(text="mine is called Hugo", user="ben"),),
            participants=both,
        ),
        NOBODY,
    )
    assert [h.text for h in memory.recall("called", NOBODY).hits] == []
    assert [h.text for h in memory.recall("called", replace(BEN, session="group")).hits] == [
        "mine is called Hugo"
    ]


@pytest.mark.parametrize("field", ["title", "channel", "speaker", "participant"])
@pytest.mark.parametrize("name", ["x" * NAME_LIMIT, "é" * NAME_LIMIT])
def test_names_are_taken_up_to_a_limit(field: str, name: str, memory: Memory) -> None:
    """Titles, channels, speakers and participants of the longest kind are stored whole; one
    character more is refused, by name.
    """

    def talk(name: str) -> Conversation:
        names = {field: name} if field in ("title", "channel") else {}
        message = Message(text="hi", speaker=name if field == "speaker" else None)
        people = (Participant(name=name),) if field == "participant" else ()
        return Conversation(id="s", messages=(message,), participants=people, **names)  # type: ignore[arg-type]

    with pytest.raises(
        TooLong, match=rf"{field}: {NAME_LIMIT + 1} characters, the limit is {NAME_LIMIT}"
    ):
        memory.ingest(talk(name + "x"), ANA)
    assert memory.sessions.list(ANA) == []

    memory.ingest(talk(name), ANA)

    (session,) = [preview.session for preview in memory.sessions.list(ANA)]
    shown = {
        "title": session.title,
        "channel": session.channel,
        "speaker": memory.sessions.turns("s", ANA)[0].speaker,
    }
    assert (shown | {"participant": session.participants[0].name})[field] == name


def test_a_name_that_masking_makes_longer_is_held_to_the_limit_too(memory: Memory) -> None:
    """What is stored can be exported and loaded again."""
    title = "x" * (NAME_LIMIT - 22) + " password=swordfish123"

    with pytest.raises(TooLong, match="title"):
        memory.ingest(Conversation(id="s", messages=(Message(text="hi"),), title=title), ANA)


def test_a_session_stored_before_names_had_a_limit_is_read_and_goes_on(
    memory: Memory, store: Store
) -> None:
    """Its title stays as long as it is."""
    said(memory, "one")
    with store.transaction(tenant=None) as tx:
        stored = Sessions(tx).lock("default", session_of("s"))
        assert stored is not None
        Sessions(tx).describe(replace(stored, title="x" * 5_000))

    said(memory, "two")

    assert [len(preview.session.title) for preview in memory.sessions.list(ANA)] == [5_000]
