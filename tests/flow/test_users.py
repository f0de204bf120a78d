"""Who writes: senders of channels linked to users, and the handlers that answer them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import pytest

from omoide.dispatch import Dispatcher
from omoide.exchange.migrate_store import move_store
from omoide.memory import Memory
from omoide.nouns.errors import Conflict, Forbidden, ImportRefused, InvalidInput, NotFound
from omoide.nouns.scope import Scope
from omoide.nouns.sender import User
from omoide.nouns.session import Conversation, Participant
from omoide.nouns.turn import Message, Role
from omoide.store import open_store
from omoide.store.base import Row, Store, Transaction
from omoide.store.sqlite.engine import SqliteStore
from omoide.tables.turns import Turns
from omoide.testing import memory_for_tests
from omoide.verbs.users import UserVerbs
from tests.fix_memory import ANA, BEN, NOBODY, OpenMemory, session_of

PHONE, MAIL = ("whatsapp", "+351 912 345 678"), ("mail", "ana@example.org")
pytestmark = pytest.mark.covers("AD-29")


@pytest.fixture
def users(memory: Memory) -> UserVerbs:
    """The users of the tenant, for a caller that is none of them."""
    return memory.at(shared=True).users


def test_a_person_who_writes_from_two_channels_is_one_user(
    memory: Memory, users: UserVerbs
) -> None:
    """What was said by one is known where they write from the other."""
    users.link(*PHONE, "ana")
    users.link(*MAIL, "ana")
    memory.remember("Ana is allergic to cats", users.of(*PHONE).scope)

    assert users.of(*PHONE) == users.of(*MAIL) == User(id="ana", tenant="default", is_linked=True)
    assert [hit.text for hit in memory.recall("cats", users.of(*MAIL).scope).hits] == [
        "Ana is allergic to cats"
    ]
    assert [(one.channel, one.sender, one.user) for one in users.senders()] == [
        (*MAIL, "ana"),
        (*PHONE, "ana"),
    ]


def test_a_sender_that_is_not_linked_is_a_user_of_its_own(memory: Memory, users: UserVerbs) -> None:
    """Never all, never nobody, and no other: two channels, or two senders, are two users."""
    memory.remember("The door code is 4711", ANA)
    own = [users.of(*PHONE), users.of("sms", PHONE[1]), users.of("whatsapp", "+351 912")]

    assert len({user.id for user in own}) == 3
    assert not any(
        user.is_linked or not user.scope.user or memory.recall("door code", user.scope).hits
        for user in own
    )
    for channel, sender in (
        ("", "x"),
        ("x", ""),
        ("a:b", "c"),
        ("x", " y"),
        ("x", "y" * 255),
        ("x" * 200, "y" * 200),
    ):
        with pytest.raises(InvalidInput):
            users.of(channel, sender)


def test_users_are_listed_who_have_records(memory: Memory, users: UserVerbs) -> None:
    """Whatever they have; none who was forgotten, nobody's records, and no other tenant's users."""
    memory.remember("Ana has a cat", ANA)
    memory.ingest([Message(text="I have a dog")], Scope(user="ben", session="s"))
    users.link(*MAIL, "cleo")
    users.edit("dora", zone="Europe/Lisbon")
    memory.remember("The bins go out on Tuesday", Scope(shared=True))
    memory.remember("Eve was here", Scope(user="eve"))
    memory.remember("Fay is elsewhere", Scope(tenant="other", user="fay"))
    users.forget("eve")

    assert [(one.id, one.zone) for one in users.list()] == [
        ("ana", ""),
        ("ben", ""),
        ("cleo", ""),
        ("dora", "Europe/Lisbon"),
    ]


def test_a_user_is_shown_no_other_user(memory: Memory) -> None:
    """A scope with a user lists that user alone, or nobody where nothing is stored."""
    memory.remember("Ana has a cat", ANA)
    memory.remember("Ben has a dog", BEN)

    assert [one.id for one in memory.users.list(ANA)] == ["ana"]
    assert memory.users.list(Scope(user="eve")) == []


def test_no_sender_of_another_tenant_reaches_a_user(memory: Memory, users: UserVerbs) -> None:
    """The same sender there is nobody's, and may be linked to somebody else."""
    users.link(*PHONE, "ana")
    there = memory.at(tenant="other").users

    assert not there.of(*PHONE).is_linked
    assert there.senders() == []
    with pytest.raises(NotFound):
        there.unlink(*PHONE)
    with pytest.raises(NotFound):
        there.merge("ana", "eve")
    there.link(*PHONE, "eve")
    assert (users.of(*PHONE).id, there.of(*PHONE).scope) == (
        "ana",
        Scope(tenant="other", user="eve"),
    )


def test_who_is_a_user_links_to_themselves_alone(memory: Memory, users: UserVerbs) -> None:
    """Ben may take no sender of Ana's, link none to her, see none of hers and merge nobody."""
    users.link(*PHONE, "ana")
    bens = memory.at(user="ben").users

    with pytest.raises(Forbidden):
        bens.link(*MAIL, "ana")
    with pytest.raises(Conflict):
        bens.link(*PHONE, "ben")
    with pytest.raises(NotFound):
        bens.unlink(*PHONE)
    with pytest.raises(Forbidden):
        bens.merge("ana", "ben")
    assert bens.senders() == []
    assert bens.link(*MAIL, "ben") == bens.link(*MAIL, "ben")
    assert [one.user for one in bens.senders()] == ["ben"]


def test_unlinking_makes_a_user_of_its_own_again(users: UserVerbs) -> None:
    """From then on; a second time there is nothing to unlink."""
    users.link(*PHONE, "ana")
    users.unlink(*PHONE)

    assert not users.of(*PHONE).is_linked
    with pytest.raises(NotFound):
        users.unlink(*PHONE)


def test_two_users_who_are_one_person_are_merged(users: UserVerbs) -> None:
    """All senders of the one are the other's; a sender that was never linked goes by its own
    name.
    """
    users.link(*MAIL, "a.silva")
    users.link("slack", "U123", "a.silva")

    assert users.merge("a.silva", "ana") == 2
    assert users.merge(users.of(*PHONE).id, "ana") == 1
    assert {users.of(*sender).id for sender in (PHONE, MAIL, ("slack", "U123"))} == {"ana"}
    with pytest.raises(NotFound):
        users.merge("a.silva", "ana")
    with pytest.raises(InvalidInput):
        users.merge("ana", "ana")


def test_talk_of_a_channel_is_its_users(memory: Memory, users: UserVerbs) -> None:
    """Who is linked by channel and name is the user who said it, and takes part; a stranger, and
    another channel's, is as before.
    """
    users.link("whatsapp", "Ana S.", "ana")
    said = tuple(
        Message(text=text, speaker=name)
        for name, text in (("Ana S.", "The code is 4711"), ("Rui", "Thanks a lot for that"))
    )
    people = (
        Participant(name="Ana S."),
        Participant(name="Rui"),
        Participant(name="Ana S.", role=Role.ASSISTANT),
    )

    for channel in ("whatsapp", "telegram"):
        talk = Conversation(id=f"on {channel}", channel=channel, messages=said, participants=people)
        memory.ingest(talk, NOBODY)

    assert [turn.user for turn in memory.sessions.turns("on whatsapp", ANA)] == ["ana", None]
    assert [turn.user for turn in memory.sessions.turns("on telegram", NOBODY)] == [None, None]
    assert {hit.turn.session for hit in memory.recall("code", ANA).hits if hit.turn} == {
        session_of("on whatsapp", ANA),
        session_of("on telegram", NOBODY),
    }
    assert {hit.turn.session for hit in memory.recall("code", BEN).hits if hit.turn} == {
        session_of("on telegram", NOBODY)
    }


class Asked(Store):
    """A store that notes the names of the queries that are run on it."""

    def __init__(self, store: Store) -> None:
        self._store, self.names = store, list[str]()

    @contextmanager
    def transaction(
        self, *, tenant: str | None, write: bool = True, durable: bool = True
    ) -> Iterator[Transaction]:
        """As the store's."""
        with self._store.transaction(tenant=tenant, write=write, durable=durable) as tx:
            yield cast(Transaction, _Noted(tx, self.names))

    def close(self) -> None:
        """As the store's."""
        self._store.close()


class _Noted:
    def __init__(self, tx: Transaction, names: list[str]) -> None:
        self._tx, self._names = tx, names

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tx, name)

    def rows(self, query: str, /, **values: object) -> list[Row]:
        self._names.append(query)
        return self._tx.rows(query, **values)


def test_all_senders_of_a_talk_are_looked_up_at_once(memory: Memory, users: UserVerbs) -> None:
    """By one query, however many speak; by their names as they are kept, however these were
    written.
    """
    for n in range(0, 60, 2):
        users.link("whatsapp", f"José {n}", f"user{n}")
    said = tuple(Message(text=f"Good morning {n}", speaker=f"Jose\u0301 {n}") for n in range(60))
    asked = Asked(memory.store)

    Memory(asked, scope=NOBODY, background=False).ingest(
        Conversation(id="group", channel="whatsapp", messages=said)
    )

    assert [name for name in asked.names if name.startswith("senders.")] == ["senders.many"]
    with memory.store.transaction(tenant=None, write=False) as tx:
        assert [
            turn.user for turn in Turns(tx).all_of_session("default", session_of("group", NOBODY))
        ] == [None if n % 2 else f"user{n}" for n in range(60)]


def test_a_forgotten_user_has_no_senders_left(memory: Memory, users: UserVerbs) -> None:
    """Not in any file of the store; the sender is a user of its own again."""
    users.link(*PHONE, "ana")
    users.link(*MAIL, "ana")
    users.link("slack", "U123", "ben")

    receipt = memory.users.forget("ana", scope=NOBODY)

    assert (receipt.erased["senders"], receipt.residue) == (2, 0)
    assert not users.of(*PHONE).is_linked
    assert [one.user for one in users.senders()] == ["ben"]
    if isinstance(memory.store, SqliteStore):
        assert receipt.searched == 2


def test_what_a_sender_said_before_it_was_linked_is_named_when_its_user_is_forgotten(
    memory: Memory, users: UserVerbs
) -> None:
    """It is another user's still, and where its name stands there, or in another tenant, is no
    residue.
    """
    before = users.of(*PHONE).scope
    memory.remember("The door code is 4711", before)
    memory.ingest(
        Conversation(
            id="group",
            channel="whatsapp",
            messages=(Message(text="Good morning to you", speaker=PHONE[1]),),
        ),
        NOBODY,
    )
    users.link(*PHONE, "ana")
    memory.at(tenant="other").users.link(*PHONE, "eve")

    receipt = memory.users.forget("ana", scope=NOBODY)

    assert receipt.residue == 0
    assert [line for line in receipt.pending if str(before.user) in line]
    users.link(*PHONE, "ana")
    memory.users.forget(str(before.user), NOBODY)
    receipt = memory.users.forget("ana", scope=NOBODY)
    assert receipt.residue == 0
    assert not [line for line in receipt.pending if str(before.user) in line]


def test_a_user_who_forgets_all_has_no_senders_left(memory: Memory, users: UserVerbs) -> None:
    """Theirs alone."""
    users.link(*PHONE, "ana")
    users.link(*MAIL, "ben")

    assert memory.admin.erase("all", scope=ANA).erased["senders"] == 1
    assert [one.user for one in users.senders()] == ["ben"]


def test_senders_go_with_an_export(memory: Memory, users: UserVerbs, tmp_path: Path) -> None:
    """A user's with the user, and are loaded; one that is another user there is refused."""
    users.link(*PHONE, "ana")
    users.link(*MAIL, "ben")

    assert memory.admin.export(tmp_path / "ana.jsonl", ANA).records["sender"] == 1
    assert (
        memory.admin.export(tmp_path / "all.jsonl", NOBODY, everything=True).records["sender"] == 2
    )
    assert MAIL[1] not in (tmp_path / "ana.jsonl").read_text()
    with memory_for_tests(SqliteStore.open(tmp_path / "new.db")) as fresh:
        assert fresh.admin.load(tmp_path / "all.jsonl", everything=True).added["sender"] == 2
        assert fresh.at(shared=True).users.senders() == users.senders()
        assert "sender" not in fresh.admin.load(tmp_path / "ana.jsonl").added
        fresh.at(shared=True).users.unlink(*PHONE)
        fresh.at(shared=True).users.link(*PHONE, "eve")
        with pytest.raises((Conflict, ImportRefused)):
            fresh.admin.load(tmp_path / "ana.jsonl")


def test_senders_move_with_their_store(tmp_path: Path) -> None:
    """To the other place, as they were."""
    with memory_for_tests(SqliteStore.open(tmp_path / "old.db")) as old:
        old.at(shared=True).users.link(*PHONE, "ana")
        known = old.at(shared=True).users.senders()

    assert move_store(str(tmp_path / "old.db"), str(tmp_path / "new.db"))["senders"] == 1
    with memory_for_tests(open_store(str(tmp_path / "new.db"))) as new:
        assert new.at(shared=True).users.senders() == known


def test_each_user_has_one_handler_on_a_channel(memory: Memory, users: UserVerbs) -> None:
    """Whichever of their senders writes; on another channel, or for another user, another one. A
    new link counts at once.
    """
    users.link("mail", "ana@work.example", "ana")
    users.link(*MAIL, "ana")
    made: list[tuple[User, str]] = []

    def make(user: User, channel: str) -> object:
        made.append((user, channel))
        return object()

    dispatcher = Dispatcher(memory, make, scope=NOBODY)

    first = dispatcher.handler(*MAIL)
    assert dispatcher.handler("mail", "ana@work.example") is first
    before = dispatcher.handler(*PHONE)
    users.link(*PHONE, "ana")
    assert dispatcher.handler(*PHONE) not in (first, before)
    assert [(user.id, channel) for user, channel in made] == [
        ("ana", "mail"),
        (f"whatsapp:{PHONE[1]}", "whatsapp"),
        ("ana", "whatsapp"),
    ]


def test_a_handler_is_made_once_for_many_threads(open_memory: OpenMemory) -> None:
    """Those who come while it is made wait for it; another user's is not waited for."""
    memory, go, made = open_memory(scope=NOBODY), threading.Event(), list[str]()

    def make(user: User, channel: str) -> str:
        made.append(user.id)
        assert user.id != "chat:slow" or go.wait(10)
        return user.id

    dispatcher, got = Dispatcher(memory, make), list[str]()
    threads = [
        threading.Thread(target=lambda: got.append(dispatcher.handler("chat", "slow")))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    assert dispatcher.handler("chat", "quick") == "chat:quick"
    go.set()
    for thread in threads:
        thread.join(10)
    assert got == ["chat:slow"] * 8
    assert sorted(made) == ["chat:quick", "chat:slow"]


def test_handlers_are_kept_within_bounds(memory: Memory) -> None:
    """The one unused for longest goes first; one that could not be made is tried again."""
    made: list[str] = []

    def make(user: User, channel: str) -> str:
        made.append(user.id)
        if made == ["a:0"]:
            raise ConnectionError("not now")
        return user.id

    dispatcher = Dispatcher(memory, make, most=2)
    with pytest.raises(ConnectionError):
        dispatcher.handler("a", "0")
    for sender in "0102":
        dispatcher.handler("a", sender)
    assert len(dispatcher) == 2
    assert made == ["a:0", "a:0", "a:1", "a:2"]
    assert dispatcher.handler("a", "0") == "a:0"
    assert made[-1] == "a:2"
    with pytest.raises(InvalidInput):
        Dispatcher(memory, make, most=0)
