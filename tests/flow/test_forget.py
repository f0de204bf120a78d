"""Forget: everywhere, with all that hangs on it, with a receipt."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from omoide.forgetting.erasure import foresee
from omoide.memory import Memory
from omoide.models.chat.base import Purpose
from omoide.models.embedders.fake import FakeEmbedder
from omoide.nouns.change import Action, Because
from omoide.nouns.clock import FixedClock
from omoide.nouns.errors import InvalidInput, NotFound, UnknownName
from omoide.nouns.item import Category, Details, Item, Source
from omoide.nouns.kind import Kind
from omoide.nouns.query import Query
from omoide.nouns.receipt import Target
from omoide.nouns.scope import Scope
from omoide.nouns.session import Conversation, Participant
from omoide.nouns.turn import Message
from omoide.store import open_store
from omoide.store.base import Store
from omoide.store.sqlite.backup import restore
from omoide.tables.ledger import Ledger
from omoide.tables.listing import Listing
from tests.fix_memory import ANA, BEN, NINE, NOBODY, on_sqlite, session_of, turn_of
from tests.fix_teaching import Taught
from tests.forgetting import forget

Texts = Callable[..., list[str]]
S = Scope(user="ana", session="s")


def everything(memory: Memory, scope: Scope = ANA) -> set[str]:
    """All texts that any read gives."""
    items = memory.items.list(Listing(closed=True, sensitive=None, limit=1000), scope).items
    hits = memory.recall(
        Query(text="wombat", include_sensitive=True, include_muted=True), scope, limit=99
    ).hits
    return (
        {i.text for i in items}
        | {t.text for t in memory.sessions.turns(None, scope)}
        | {h.text for h in hits}
    )


@pytest.mark.covers("GM-26", "CX-27")
def test_an_item_is_forgotten_with_all_its_versions(memory: Memory, clock: FixedClock) -> None:
    """From whichever version it is asked for; the others stay; the receipt counts them."""
    other = memory.remember("a koala sleeps").item
    for pick in range(3):
        chain = [memory.remember("the wombat lives in Rome").item]
        for city in ("Oslo", "Paris"):
            clock.move(days=1)
            chain.append(memory.correct(chain[-1].id, f"the wombat lives in {city}").item)

        receipt = memory.forget(chain[pick].id)

        assert receipt.erased["items"] == 3
        assert receipt.residue == 0
        assert everything(memory) == {other.text}
        for item in chain:
            with pytest.raises(NotFound):
                memory.get(item.id)
            with pytest.raises(NotFound):
                memory.history(item.id)
    assert memory.admin.doctor(deep=True) == []
    assert memory.admin.verify().problems == ()


def test_forgetting_leaves_an_entry_without_text(memory: Memory) -> None:
    """The ledger stays whole and says that, by whom and when, not what; reasons go with what they
    were about.
    """
    said = memory.acting(Because(actor="ana", reason="wombat reason"))
    item = said.remember("the wombat plan").item
    receipt = said.forget(item.id)

    changes = memory.diff(NINE - timedelta(days=1)).changes
    assert [(c.action, c.record) for c in changes] == [
        (Action.ADD, item.id),
        (Action.FORGET, item.id),
    ]
    assert changes[0].reason == ""
    assert changes[1].cause == receipt.id
    assert memory.admin.verify().problems == ()


@on_sqlite
@pytest.mark.parametrize("named", [{}, {"origin": "x", "category": "fact"}])
def test_exactly_one_target_is_named(named: dict[str, str], memory: Memory) -> None:
    """None or several are refused."""
    with pytest.raises(InvalidInput, match="exactly one"):
        memory.items.forget(None, **named)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["id", "session", "origin", "entity", "user"])
@pytest.mark.parametrize("value", ["none", turn_of("none", 0), "a\0b", "half \ud800", ""])
def test_what_is_not_there_is_not_forgotten(name: str, value: str, memory: Memory) -> None:
    """Not found, or no possible id; nothing is noted."""
    with pytest.raises((NotFound, InvalidInput)):
        forget(memory, ANA, **{name: value})
    assert memory.admin.verify().head.seq == 0


def test_a_turn_is_forgotten_with_what_rests_on_it_alone(memory: Memory) -> None:
    """Items with another source stay, and no longer name it nor quote it; derived ones go."""
    one, two = memory.ingest(
        [{"content": "my wombat is called Bob"}, {"content": "Bob the wombat eats grass"}], S
    ).turns
    alone = memory.remember(
        "the wombat Bob is Ana's", details=Details(source_turns=(one,), quote="called Bob")
    ).item
    both = memory.remember(
        "wombats eat grass all day", details=Details(source_turns=(one, two), quote="my wombat")
    ).item

    receipt = memory.forget(one)

    assert (receipt.erased["turns"], receipt.erased["items"]) == (1, 1)
    with pytest.raises(NotFound):
        memory.get(alone.id)
    kept = memory.get(both.id)
    assert isinstance(kept, Item)
    assert (kept.source_turns, kept.quote) == ((two,), None)
    assert [t.text for t in memory.sessions.turns("s")] == ["Bob the wombat eats grass"]
    assert memory.admin.doctor() == []
    assert memory.admin.verify().problems == ()


def test_a_session_is_forgotten_whole(memory: Memory) -> None:
    """Turns, session-only items, derived items; hidden ones too."""
    turn = memory.ingest([{"content": "wombat one"}, {"content": "wombat two"}], S).turns[0]
    memory.remember("a wombat draft", S, details=Details(session_only=True))
    memory.remember("derived wombat thing", details=Details(source_turns=(turn,)))
    memory.remember("wombat from elsewhere entirely")
    memory.undo(memory.diff(NINE - timedelta(days=1)).changes[0].id)
    assert memory.sessions.list() == []

    receipt = memory.sessions.forget("s")

    assert {k: receipt.erased[k] for k in ("turns", "sessions", "items")} == {
        "turns": 2,
        "sessions": 1,
        "items": 2,
    }
    assert everything(memory, S) == {"wombat from elsewhere entirely"}
    with pytest.raises(NotFound):
        memory.undo(turn_of("s", 0))
    assert memory.admin.doctor() == []
    assert memory.admin.verify().problems == ()


def test_the_id_of_a_forgotten_session_can_be_used_again(memory: Memory) -> None:
    """Its positions begin anew and nothing of the old one shows."""
    memory.ingest([Message(text="old wombat", key="k")], S)
    memory.sessions.forget("s")

    assert memory.ingest([Message(text="new wombat", key="k")], S).turns == (turn_of("s", 0),)
    assert everything(memory) == {"new wombat"}
    assert memory.admin.verify().problems == ()
    assert memory.admin.doctor() == []


def test_what_one_document_or_import_brought_is_forgotten(memory: Memory) -> None:
    """Items by their origin, sessions and turns by the import they came with; also turns added to a
    session of one's own.
    """
    run = memory.acting(Because(cause="import-1"))
    memory.ingest([{"content": "my own wombat"}], S)
    run.ingest(Conversation(id="c", messages=(Message(text="imported wombat"),)))
    run.ingest([{"content": "imported into mine, wombat"}], S)
    memory.remember("wombats in the handbook", details=Details(origin="handbook.pdf"))

    assert memory.items.forget(origin="import-1").erased["turns"] == 2
    assert everything(memory) == {"my own wombat", "wombats in the handbook"}
    assert memory.items.forget(origin="handbook.pdf").erased["items"] == 1
    assert everything(memory) == {"my own wombat"}
    assert memory.admin.doctor() == []
    assert memory.admin.verify().problems == ()


def test_an_entity_is_forgotten_with_its_items(memory: Memory) -> None:
    """By any of its names; others it was mentioned with stay, unless nothing else speaks of
    them.
    """
    memory.entities.name("person:bob", "Bobby")
    memory.remember("Bob feeds the wombat", entities=["Bobby", "animal:wombat", "place:zoo"])
    memory.remember("the wombat sleeps", entities=["animal:wombat"])

    receipt = memory.entities.forget("bobby")

    assert (receipt.erased["items"], receipt.erased["entities"]) == (1, 2)
    assert [e.name for e in memory.entities.list()] == ["animal:wombat"]
    assert everything(memory) == {"the wombat sleeps"}


def test_lone_entities_go_with_their_last_item(memory: Memory) -> None:
    """A name is text too; one that something else speaks of stays."""
    item = memory.remember("Bob met Cy", entities=["person:bob", "person:cy"]).item
    memory.remember("Cy likes tea", entities=["person:cy"])

    assert memory.forget(item.id).erased["entities"] == 1
    assert [e.name for e in memory.entities.list()] == ["person:cy"]


@pytest.mark.covers("LS-88")
def test_a_user_is_forgotten_whole(memory: Memory) -> None:
    """Hundreds of items and turns, sessions, entities, jobs; others keep all of theirs; a group
    keeps what others said.
    """
    for n in range(120):
        memory.remember(
            f"wombat fact {n} of ana", entities=[f"thing:{n}"], details=Details(domain=f"d{n}")
        )
    memory.ingest([{"content": f"ana says wombat {n}"} for n in range(120)], S)
    memory.remember("wombat of ben", BEN)
    memory.remember("wombat of all", NOBODY)
    group = [
        Message(text="ana in the group, wombat", user="ana"),
        Message(text="ben in the group, wombat", user="ben"),
    ]
    memory.ingest(group, Scope(session="g"))

    receipt = memory.users.forget("ana")

    assert receipt.erased["turns"] == 121
    assert receipt.erased["sessions"] == 1
    assert receipt.erased["items"] >= 1
    assert everything(memory) == {"wombat of all"}
    assert memory.items.list(Listing(closed=True)).total == 1
    assert not memory.entities.list()
    assert not memory.sessions.list()
    assert everything(memory, BEN) == {"wombat of ben", "wombat of all"}
    within = Scope(user="ben", session="g")
    assert [t.text for t in memory.sessions.turns("g", within)] == ["ben in the group, wombat"]
    names = {p.name for p in memory.sessions.list(within)[0].session.participants}
    assert "ana" not in names
    assert memory.admin.doctor() == []
    assert memory.admin.verify().problems == ()


def test_forgetting_a_user_after_others_joined_leaves_nothing_of_them(memory: Memory) -> None:
    """What was said before the session became shared is theirs too; the session stays for the
    others.
    """
    memory.ingest([{"content": "wombat alone"}], S)
    memory.ingest(
        Conversation(id="s", messages=(), participants=(Participant(name="Ben", user="ben"),))
    )
    memory.ingest([{"content": "wombat with ben"}], Scope(user="ben", session="s"))

    memory.users.forget("ana")

    within = Scope(user="ben", session="s")
    assert [t.text for t in memory.sessions.turns("s", within)] == ["wombat with ben"]
    assert memory.admin.verify().problems == ()


@pytest.mark.covers("AD-30")
def test_only_ones_own_is_forgotten(memory: Memory) -> None:
    """Nothing of another user, agent or tenant, by whatever name."""
    item = memory.remember(
        "wombat of ana", entities=["person:bob"], details=Details(origin="doc")
    ).item
    memory.ingest([{"content": "ana says wombat"}], S)
    memory.ingest(
        [Message(text="plan", user="ana"), Message(text="ok", user="ben")], Scope(session="g")
    )
    for scope in (BEN, NOBODY, Scope(user="ana", tenant="t")):
        for target in (
            {"id": item.id},
            {"id": turn_of("s", 0)},
            {"session": "s"},
            {"origin": "doc"},
            {"entity": "person:bob"},
        ):
            with pytest.raises(NotFound):
                forget(memory, scope, **target)
    for target in ({"session": "g"}, {"id": turn_of("g", 0)}, {"user": "ana"}):
        with pytest.raises(NotFound):
            forget(memory, Scope(user="cy", session="g"), **target)

    assert everything(memory) == {"wombat of ana", "ana says wombat"}
    assert len(memory.sessions.turns("g", Scope(user="ben", session="g"))) == 2


def test_another_agents_rows_stay(memory: Memory) -> None:
    """Forgetting by origin or entity stops at what the asker may see."""
    memory.remember(
        "wombat of agent a", Scope(user="ana", agent="a"), details=Details(origin="doc")
    )
    memory.remember("wombat of ana", details=Details(origin="doc"))

    assert memory.items.forget(origin="doc").erased["items"] == 1
    assert everything(memory, Scope(user="ana", agent="a")) == {"wombat of agent a"}


def test_no_byte_is_left_in_the_file(tmp_path: Path) -> None:
    """Every file of the store is searched; the receipt says that nothing was found, and names
    backups made before.
    """
    path = tmp_path / "m.db"
    memory = Memory(
        open_store(str(path)),
        scope=ANA,
        embedder=FakeEmbedder(),
        clock=FixedClock(NINE),
        background=False,
    )
    secret = "the wombat lives under the third oak in Zanzibar"
    item = memory.remember(
        secret,
        entities=["animal:zanzibombat"],
        details=Details(quote="third oak in Zanzibar, she said"),
    ).item
    memory.remember("an innocent fact about tea")
    memory.ingest([{"content": f"also: {secret}"}], S)
    memory.admin.backup(tmp_path / "before.db")

    receipt = memory.forget(item.id)
    assert any("before.db" in line for line in receipt.pending)
    receipt = memory.sessions.forget("s")

    assert receipt.residue == 0
    memory.close()
    left = b"".join(
        file.read_bytes()
        for file in tmp_path.iterdir()
        if file.is_file() and "before" not in file.name
    )
    for needle in (b"Zanzibar", b"zanzib", b"third oak", b"wombat"):
        assert needle not in left
    assert b"innocent" in left


def test_forgetting_is_seen_by_other_memories_of_the_store(
    memory: Memory, open_memory: Callable[[], Memory], texts: Texts
) -> None:
    """What another process holds in memory for its searches goes too, before its next answer."""
    other = open_memory()
    item = memory.remember("the wombat plan").item
    assert texts(other, "wombat") == ["the wombat plan"]

    memory.forget(item.id)

    assert texts(other, "wombat") == []
    assert other.recall("wombat plan").hits == ()


def test_ids_are_never_used_again(memory: Memory, texts: Texts) -> None:
    """A document made after a forgetting is not mistaken for the forgotten one."""
    first = memory.remember("the wombat plan").item
    memory.forget(first.id)
    memory.remember("tea at noon")

    assert texts(memory, "tea") == ["tea at noon"]
    assert texts(memory, "wombat plan") == [] or texts(memory, "wombat plan") == ["tea at noon"]


def test_a_receipt_has_its_id_and_time(memory: Memory, clock: FixedClock) -> None:
    """It is the cause of the changes it made."""
    item = memory.remember("the wombat plan").item
    clock.move(days=1)
    receipt = memory.forget(item.id)

    assert receipt.at == clock.now()
    (change,) = memory.diff(NINE + timedelta(hours=1)).changes
    assert (change.action, change.kind, change.cause) == (Action.FORGET, Kind.ITEM, receipt.id)


@pytest.mark.covers("LS-17")
def test_a_failure_while_forgetting_forgets_nothing(memory: Memory) -> None:
    """Rows, words, vectors and links are all there still."""
    from tests.flow.test_remember import Broken, Failing

    failing = Failing(memory.store)
    broken = Memory(
        failing, scope=ANA, embedder=FakeEmbedder(), clock=memory.clock, background=False
    )
    item = memory.remember("the wombat plan", entities=["animal:wombat"]).item
    for query in (
        "docs.forget",
        "items.forget",
        "entities.forget",
        "revisions.forget",
        "changes.add",
    ):
        failing.fail_at = query
        with pytest.raises((Broken, NotFound)):
            broken.forget(item.id)
        failing.fail_at = None
        assert memory.get(item.id) == item
        assert memory.admin.doctor(deep=True) == []
    assert memory.admin.verify().problems == ()


@pytest.mark.covers("GM-42")
def test_everything_of_ones_own_is_wiped(memory: Memory) -> None:
    """Items only, turns only, or both; the receipt counts them by kind; others keep theirs."""

    def fill(scope: Scope) -> None:
        memory.remember("wombat fact", scope, entities=["animal:wombat"])
        memory.ingest([Message(text="wombat said")], scope)

    for sort, left in (("items", {"wombat said"}), ("turns", {"wombat fact"}), ("all", set())):
        for scope in (ANA, BEN, Scope(user="ana", agent="a")):
            fill(scope)
        receipt = memory.admin.erase(sort)
        assert receipt.erased["items"] == (0 if sort == "turns" else 1)
        assert receipt.erased["turns"] == (0 if sort == "items" else 1)
        assert everything(memory) == left
        assert everything(memory, BEN) == everything(
            memory, Scope(user="ana", agent="a")
        ) - left | {"wombat fact", "wombat said"}
        memory.users.forget("ana")
        memory.users.forget("ben", scope=NOBODY)
    with pytest.raises(NotFound):
        memory.admin.erase("all")
    with pytest.raises(InvalidInput, match="items, turns, all"):
        memory.admin.erase("most")
    with pytest.raises(TypeError, match="missing a required argument: 'what'"):
        memory.admin.erase()  # type: ignore[call-arg]
    assert memory.admin.verify().problems == ()
    assert memory.admin.doctor() == []


def test_wiping_what_is_nobodys_leaves_every_users(memory: Memory) -> None:
    """Without a user, only rows of no user go; shared sessions stay."""
    memory.remember("wombat of ana")
    memory.remember("wombat of all", NOBODY)
    memory.ingest(
        [Message(text="plan wombat", user="ana"), Message(text="ok", user="ben")],
        Scope(session="g"),
    )

    memory.admin.erase("all", scope=NOBODY)

    assert everything(memory) == {"wombat of ana"}
    assert len(memory.sessions.turns("g", Scope(user="ben", session="g"))) == 2


@pytest.mark.parametrize(
    "target", [{"entity": "person:wombat"}, {"user": "ana"}, {"everything": "items"}]
)
def test_an_entity_whose_making_was_undone_leaves_no_name_behind(
    target: dict[str, str], memory: Memory, store: Store
) -> None:
    """The ledger kept its name to make it again; it can be forgotten by that name, and with all
    that is its user's.
    """
    memory.remember("Ana keeps a diary")
    memory.entities.name("person:wombat", "Wally")
    memory.undo(memory.diff(NINE - timedelta(days=1)).changes[-1].id)

    forget(memory, ANA, **target)

    records = {change.record for change in memory.diff(NINE - timedelta(days=1)).changes}
    with store.transaction(tenant=None, write=False) as tx:
        kept = [
            past.before for record in records for past in Ledger(tx).of_record("default", record)
        ]
    assert "ombat" not in str(kept)


@pytest.mark.parametrize(
    "said", ["the wombat sleeps all day long", "wombat", "the wombat\nsleeps all day long"]
)
def test_the_receipt_names_copies_set_aside_that_may_hold_it(said: str, tmp_path: Path) -> None:
    """Where the text is found, and where it is too short or too odd to be searched for."""
    with Memory.open(str(tmp_path / "memory.db"), embedder="none", user="ana") as memory:
        memory.remember(said)
        memory.admin.backup(tmp_path / "copy.db")
    restore(tmp_path / "copy.db", tmp_path / "memory.db", replace=True)

    with Memory.open(str(tmp_path / "memory.db"), embedder="none", user="ana") as memory:
        receipt = memory.admin.erase("all")

    assert (
        f"{tmp_path / 'memory.db.old-1'} was set aside and may hold it; delete it"
        in receipt.pending
    )


def test_the_receipt_names_no_copy_that_does_not_hold_it(tmp_path: Path) -> None:
    """A copy from before it was said is left in peace."""
    with Memory.open(str(tmp_path / "memory.db"), embedder="none", user="ana") as memory:
        memory.remember("a koala sleeps")
        memory.admin.backup(tmp_path / "copy.db")
    restore(tmp_path / "copy.db", tmp_path / "memory.db", replace=True)

    with Memory.open(str(tmp_path / "memory.db"), embedder="none", user="ana") as memory:
        receipt = memory.forget(memory.remember("the wombat sleeps all day long").id)

    assert not any("set aside" in note for note in receipt.pending)


def test_the_receipt_names_copies_set_aside_that_nobody_can_look_into(tmp_path: Path) -> None:
    """An encrypted copy may hold anything."""
    with Memory.open(
        str(tmp_path / "memory.db"), embedder="none", user="ana", passphrase="open sesame"
    ) as memory:
        memory.remember("a koala sleeps")
        memory.admin.backup(tmp_path / "copy.db")
    restore(tmp_path / "copy.db", tmp_path / "memory.db", passphrase="open sesame", replace=True)

    with Memory.open(
        str(tmp_path / "memory.db"), embedder="none", user="ana", passphrase="open sesame"
    ) as memory:
        receipt = memory.forget(memory.remember("the wombat sleeps all day long").id)

    assert any("memory.db.old-1 was set aside" in note for note in receipt.pending)


def test_what_only_looks_like_a_copy_hinders_no_forgetting(tmp_path: Path) -> None:
    """A folder of such a name cannot be searched: it is named, and nothing else is in the way."""
    (tmp_path / "memory.db.old-1").mkdir()
    with Memory.open(str(tmp_path / "memory.db"), embedder="none", user="ana") as memory:
        receipt = memory.forget(memory.remember("the wombat sleeps all day long").id)

    assert receipt.residue == 0
    assert any("memory.db.old-1 was set aside" in note for note in receipt.pending)


@on_sqlite
def test_the_receipt_says_how_much_was_searched_for(memory: Memory) -> None:
    """A text of a few letters stands in other texts too: searching for it would prove nothing, and
    is not claimed.
    """
    short, long = memory.remember("Pia 7"), memory.remember("The spare key hangs behind the clock")

    receipts = [memory.forget(one.id) for one in (short, long)]

    assert [receipt.searched for receipt in receipts] == [0, 1]


@pytest.mark.covers("GM-26")
def test_what_would_be_forgotten_is_told_and_stays(memory: Memory, clock: FixedClock) -> None:
    """With the counts that the receipt then has, and not a change on the ledger; what is not there
    is said as by forget.
    """
    item = memory.remember("the wombat lives in Rome", ANA, entities=["animal:wombat"]).item
    clock.move(days=1)
    memory.correct(item.id, "the wombat lives in Oslo", ANA)
    memory.ingest([{"role": "user", "content": "the wombat sleeps"}], S)
    before, head = everything(memory), memory.admin.verify().head

    for target in (
        Target(id=item.id),
        Target(session=session_of("s")),
        Target(user="ana"),
        Target(everything="all"),
    ):
        told = foresee(memory.store, clock, ANA, Because(actor="test"), target)
        assert sum(told.erased.values()) > 1
        assert (everything(memory), memory.admin.verify().head) == (before, head)
    with pytest.raises(NotFound):
        foresee(memory.store, clock, ANA, Because(actor="test"), Target(id="nothing"))

    told = foresee(memory.store, clock, ANA, Because(actor="test"), Target(id=item.id))
    assert memory.forget(item.id, ANA).erased == told.erased
    assert memory.admin.doctor(deep=True) == []


@pytest.mark.covers("GM-27")
def test_all_of_a_source_or_a_category_goes_at_once(memory: Memory) -> None:
    """Of one's own alone, with how many; what came to be in another way stays, and is found."""
    for text in ("Python is installed", "Ana uses zsh"):
        memory.remember(text, details=Details(source=Source.DISCOVERY))
    memory.remember("Ben uses fish", BEN, details=Details(source=Source.DISCOVERY))
    kept = memory.remember(
        "Ana likes tea", category="preference", details=Details(source=Source.USER)
    )
    memory.remember("Tea is in the tin", category="note")

    assert memory.items.forget(source=Source.DISCOVERY).erased["items"] == 2
    assert memory.stats().by_source == {"user": 1, "tool": 1}
    assert memory.items.forget(category=Category.NOTE).erased["items"] == 1
    assert [hit.id for hit in memory.recall("Python zsh tea tin").hits] == [kept.id]
    assert memory.stats(BEN).by_source == {"discovery": 1}
    with pytest.raises(NotFound, match="discovery"):
        memory.items.forget(source=Source.DISCOVERY)
    with pytest.raises(UnknownName, match="items"):
        memory.admin.erase("discovery")


def test_what_goes_together_stands_on_the_ledger_in_the_order_it_was_made(
    taught: Taught, clock: FixedClock
) -> None:
    """On every engine: two versions of a profile go with the item that both were made of."""
    line = {"text": "Ben does not like tea", "from": ["k1", "k2"]}
    memory = taught(script={Purpose.PROFILE: lambda ask: {"lines": [line]}})
    item = memory.remember("Ben does not like tea", entities=["person:ben"])
    memory.reflections.profile()
    memory.remember("Zoë likes 12 cups of tea", entities=["person:zoë"])
    memory.reflections.profile()
    memory.forget(item.id)

    changes = memory.diff(NINE - timedelta(days=1)).changes
    gone = [c.record for c in changes if (c.action, c.kind) == (Action.FORGET, Kind.DIGEST)]
    assert len(gone) == 2
    assert gone == sorted(gone)
