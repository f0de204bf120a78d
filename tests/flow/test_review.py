"""Review: what waits is approved as it was shown, by a person, once; or worded anew, rejected, or
let go in its time.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from datetime import timedelta
from random import Random

import pytest

from omoide.learning.teaching import Teaching
from omoide.memory import Memory
from omoide.nouns.change import Action, Because
from omoide.nouns.clock import FixedClock
from omoide.nouns.errors import CannotUndo, Forbidden, InvalidInput, LookAgain, NotFound
from omoide.nouns.ids import ItemId, SessionId
from omoide.nouns.item import Category, Details, Item, Source, Tier
from omoide.nouns.kind import Kind
from omoide.nouns.proposal import ForReview, ProposalId
from omoide.nouns.scope import Scope
from omoide.settings.switches import Switches, Use
from omoide.tables.listing import Listing
from omoide.tables.proposals import Proposals
from omoide.write.proposals import propose
from omoide.write.remember import Statement, draft
from tests.fix_memory import ANA, BEN, NINE, OpenMemory, session_of
from tests.forgetting import forget

PERSON = Because(actor="ana", tier=Tier.USER)


@pytest.fixture
def ana(memory: Memory) -> Memory:
    """Ana herself at her memory."""
    return memory.acting(PERSON)


def wait(
    memory: Memory,
    text: str = "Ana likes tea",
    *,
    scope: Scope = ANA,
    target: str | None = None,
    **details: object,
) -> ProposalId:
    """Let something wait that a job read in a document."""
    told = Details(source=Source.LLM_EXTRACT, tier=Tier.DOCUMENT, **details)  # type: ignore[arg-type]
    item = draft(Statement(text=text, details=told), scope, memory.clock)
    with memory.store.transaction(tenant=None) as tx:
        return propose(
            tx,
            memory.clock,
            scope,
            item,
            target=ItemId(target) if target else None,
            flags=["no_quote"],
            session=None,
        )


def wait_to_close(memory: Memory, target: str) -> ProposalId:
    """Let the closing of an item wait."""
    with memory.store.transaction(tenant=None) as tx:
        return propose(
            tx,
            memory.clock,
            ANA,
            None,
            target=ItemId(target),
            flags=["negation"],
            session=SessionId("s"),
        )


def shown(memory: Memory, id: str) -> ForReview:
    """A proposal as it is shown now."""
    return next(one for one in memory.review.list() if one.proposal.id == id)


def approved(memory: Memory, id: str, look: ForReview, *, as_mine: bool = False) -> Item:
    """Approve an item, or the closing of one, as it was shown."""
    item = memory.review.approve(id, look.seal, as_mine=as_mine)
    assert isinstance(item, Item)
    return item


def held(memory: Memory) -> list[str]:
    """The texts of all open items."""
    return sorted(item.text for item in memory.items.list(Listing(limit=1000)).items)


def test_what_waits_is_not_known_until_it_is_approved(
    ana: Memory, texts: Callable[..., list[str]]
) -> None:
    """A proposal is in no recall and no listing; approved, it is."""
    id = wait(ana)
    assert (held(ana), texts(ana, "tea")) == ([], [])

    item = approved(ana, id, shown(ana, id))

    assert held(ana) == ["Ana likes tea"]
    assert texts(ana, "tea") == ["Ana likes tea"]
    assert item.tier is Tier.DOCUMENT
    assert ana.review.list() == []


def test_an_approval_is_the_persons_act(ana: Memory, clock: FixedClock) -> None:
    """The ledger names who approved, and by the proposal's id it is taken back."""
    id = wait(ana)
    clock.move(minutes=1)

    item = approved(ana, id, shown(ana, id))

    (change,) = ana.history(item.id).changes
    assert (change.actor, change.reason, change.cause, change.action) == (
        "ana",
        "approved",
        id,
        Action.ADD,
    )
    assert item.recorded_at == NINE + timedelta(minutes=1)
    ana.undo(id)
    assert held(ana) == []


def test_only_a_person_settles(memory: Memory) -> None:
    """An agent that uses the memory cannot let through what waits for a person, nor make it go
    away.
    """
    id = wait(memory)
    seal = shown(memory, id).seal

    with pytest.raises(Forbidden):
        memory.review.approve(id, seal)
    with pytest.raises(Forbidden):
        memory.review.edit(id, "Ana likes coffee")
    with pytest.raises(Forbidden):
        memory.review.reject(id)
    assert held(memory) == []


def test_a_document_approved_stays_a_document_unless_made_ones_own(ana: Memory) -> None:
    """Approving says that it may be known, not that the user said it."""
    one, other = wait(ana), wait(ana, "Ana likes long walks")

    ana.review.approve(one, shown(ana, one).seal)
    mine = approved(ana, other, shown(ana, other), as_mine=True)

    assert (mine.tier, mine.source) == (Tier.USER, Source.USER)
    assert {item.tier for item in ana.items.list().items} == {Tier.DOCUMENT, Tier.USER}


def test_a_supersession_is_shown_as_a_difference_and_happens(ana: Memory) -> None:
    """What would go and what would come, word by word."""
    old = ana.remember("Ana works in Rome", details=Details(source=Source.USER)).id
    id = wait(ana, "Ana works in Milan now", target=old)

    look = shown(ana, id)
    assert look.changes == (("=", "Ana works in "), ("-", "Rome"), ("+", "Milan now"))
    item = approved(ana, id, look)

    assert held(ana) == ["Ana works in Milan now"]
    assert item.supersedes == old


def test_a_closing_is_approved(ana: Memory) -> None:
    """The item is no longer held; undone, it is."""
    old = ana.remember("Ana works in Rome").id
    id = wait_to_close(ana, old)

    look = shown(ana, id)
    assert (look.text, look.changes, look.target and look.target.id) == (
        "",
        (("-", "Ana works in Rome"),),
        old,
    )
    assert not approved(ana, id, look).is_open
    ana.undo(id)
    assert held(ana) == ["Ana works in Rome"]


def test_what_is_known_meanwhile_is_not_added_again(ana: Memory) -> None:
    """The same words, learnt otherwise in between, are one item."""
    id = wait(ana)
    known = ana.remember("Ana likes  tea", details=Details(source=Source.IMPORT)).id

    assert ana.review.approve(id, shown(ana, id).seal).id == known
    assert len(held(ana)) == 1


def test_a_near_item_does_not_give_way_to_what_was_shown_as_new(ana: Memory) -> None:
    """An approval of an addition closes nothing."""
    id = wait(ana, "Ana has 3 cats")
    ana.remember("Ana has 2 cats", details=Details(source=Source.IMPORT))

    ana.review.approve(id, shown(ana, id).seal)

    assert held(ana) == ["Ana has 2 cats", "Ana has 3 cats"]


def test_a_reworded_proposal_is_the_reviewers_word(ana: Memory) -> None:
    """It waits on, without its flags; what was shown before no longer counts."""
    id = wait(ana, "Ana likes tee", quote="I like tee")
    before = shown(ana, id)

    after = ana.review.edit(id, "Ana likes tea")

    assert (after.proposal.flags, after.text, before.seal == after.seal) == (
        (),
        "Ana likes tea",
        False,
    )
    with pytest.raises(LookAgain):
        ana.review.approve(id, before.seal)
    item = approved(ana, id, after)
    assert (item.text, item.tier, item.source, item.quote) == (
        "Ana likes tea",
        Tier.USER,
        Source.USER,
        None,
    )


def test_a_closing_has_no_wording(ana: Memory) -> None:
    """There is nothing to word in what only closes an item."""
    id = wait_to_close(ana, ana.remember("Ana works in Rome").id)

    with pytest.raises(InvalidInput):
        ana.review.edit(id, "something")


def test_a_rejected_proposal_waits_no_more(ana: Memory) -> None:
    """It is not there any more, and the ledger says that it was rejected."""
    id = wait(ana)
    seal = shown(ana, id).seal

    ana.review.reject(id)

    assert ana.review.list() == []
    assert ana.stats().waiting == 0
    with pytest.raises(LookAgain):
        ana.review.approve(id, seal)
    (change,) = ana.diff(NINE - timedelta(days=1)).changes
    assert (change.action, change.kind, change.record, change.actor) == (
        Action.REJECT,
        Kind.PROPOSAL,
        id,
        "ana",
    )
    assert ana.admin.verify().problems == ()


@pytest.mark.parametrize("by", ["change", "proposal"])
def test_a_rejection_is_taken_back(ana: Memory, memory: Memory, clock: FixedClock, by: str) -> None:
    """By its id or the proposal's: it waits again as it was, for thirty days; and that can be
    undone too, by a person.
    """
    id = wait(ana)
    ana.review.reject(id)
    (change,) = ana.diff(NINE - timedelta(days=1)).changes
    clock.move(days=60)

    (undoing,) = ana.undo(change.id if by == "change" else id)

    look = shown(ana, id)
    assert (look.text, look.proposal.expires_at) == (
        "Ana likes tea",
        clock.now() + timedelta(days=30),
    )
    with pytest.raises(CannotUndo, match="undone already"):
        ana.undo(change.id)
    with pytest.raises(Forbidden):
        memory.undo(undoing)
    ana.undo(undoing)
    assert ana.review.list() == []
    with pytest.raises(LookAgain):
        ana.review.approve(id, look.seal)
    assert ana.admin.verify().problems == ()


def test_what_was_rejected_goes_when_its_time_in_the_archive_is_over(
    ana: Memory, clock: FixedClock
) -> None:
    """Until then it is there, for undo and for forget; afterwards nothing of it is."""
    ana.remember("Ana works in Rome")
    id = wait(ana)
    ana.review.reject(id)

    clock.move(days=89)
    assert ana.admin.tidy(only=["prune"]).count("prune", "erased") == 0
    clock.move(days=1)
    assert ana.admin.tidy(only=["prune"]).count("prune", "erased") == 1

    with ana.store.transaction(tenant=None, write=False) as tx:
        assert Proposals(tx).after("default", "", 10) == []
    with pytest.raises(CannotUndo, match="no longer waits"):
        ana.undo(id)


def test_what_was_rejected_is_forgotten_at_once_by_its_id(ana: Memory, clock: FixedClock) -> None:
    """Whoever rejects something may want it out of the store now."""
    id = wait(ana)
    ana.review.reject(id)

    assert ana.forget(id=id).erased["proposals"] == 1
    with pytest.raises(CannotUndo):
        ana.undo(id)


def test_nobody_looks_at_it_for_a_month_and_it_goes(ana: Memory, clock: FixedClock) -> None:
    """Then it is listed no more, cannot be approved, and the ledger says that it expired."""
    id = wait(ana)
    clock.move(days=29, hours=23, minutes=55)
    look = shown(ana, id)
    assert look.sealed_until == NINE + timedelta(days=30)
    clock.move(minutes=5)

    with pytest.raises(LookAgain):
        ana.review.approve(id, look.seal)
    assert ana.review.list() == []
    (change,) = ana.diff(NINE - timedelta(days=1)).changes
    assert (change.action, change.record) == (Action.EXPIRE, id)


def test_the_same_is_proposed_once(ana: Memory) -> None:
    """What waits already is not made to wait a second time; for another it is another thing."""
    assert wait(ana) == wait(ana)
    assert wait(ana) != wait(ana, scope=BEN)
    assert len(ana.review.list()) == 1


def test_nobody_sees_or_settles_what_waits_for_another(ana: Memory) -> None:
    """Ben's proposals look to Ana as if they were not there, and a seal of his is no use to her."""
    id = wait(ana, "Ben likes tea", scope=BEN)
    (bens,) = ana.review.list(BEN)

    assert ana.review.list() == []
    for settle in (
        lambda: ana.review.approve(id, bens.seal),
        lambda: ana.review.reject(id),
        lambda: ana.review.edit(id, "Ben likes coffee"),
    ):
        with pytest.raises(NotFound):
            settle()
    assert len(ana.review.list(BEN)) == 1


def test_an_approval_does_not_close_what_another_closed(ana: Memory) -> None:
    """Where the target changed after it was shown, it has to be looked at again."""
    old = ana.remember("Ana works in Rome").id
    id = wait(ana, "Ana works in Milan now", target=old)
    seal = shown(ana, id).seal
    ana.correct(old, "Ana works in Turin", details=Details(source=Source.USER))

    with pytest.raises(LookAgain):
        ana.review.approve(id, seal)
    assert held(ana) == ["Ana works in Turin"]


def late(memory: Memory, id: str, seal: str, clock: FixedClock, _: Random) -> None:
    """Ten minutes after it was shown."""
    clock.move(minutes=10)
    memory.review.approve(id, seal)


def replayed(memory: Memory, id: str, seal: str, _clock: FixedClock, _: Random) -> None:
    """A second time."""
    memory.review.approve(id, seal)
    memory.review.approve(id, seal)


def edited(memory: Memory, id: str, seal: str, _clock: FixedClock, chance: Random) -> None:
    """With another text than was shown."""
    memory.review.edit(id, f"Ana likes {chance.random()}")
    memory.review.approve(id, seal)


def swapped(memory: Memory, id: str, seal: str, _clock: FixedClock, chance: Random) -> None:
    """With the seal of another proposal."""
    other = wait(memory, f"Ana pays {chance.random()}")
    memory.review.approve(other, seal)


def forged(memory: Memory, id: str, seal: str, _clock: FixedClock, chance: Random) -> None:
    """With a seal changed in one place: its time, or its hash."""
    at = chance.randrange(len(seal))
    memory.review.approve(
        id, seal[:at] + chance.choice("0123456789abcdefz-é") + seal[at + 1 :] + "0"
    )


def elsewhere(memory: Memory, id: str, seal: str, _clock: FixedClock, _: Random) -> None:
    """By somebody to whom it was not shown, though they may see it."""
    memory.review.approve(id, seal, replace(ANA, agent="other"))


@pytest.mark.parametrize("seed", range(9))
@pytest.mark.parametrize("how", [late, replayed, edited, swapped, forged, elsewhere])
def test_no_late_replayed_or_edited_approval_is_accepted(
    how: Callable[[Memory, str, str, FixedClock, Random], None],
    seed: int,
    ana: Memory,
    clock: FixedClock,
) -> None:
    """Of 54 approvals that are not of what was shown, just now, once, none happens. Threat A4."""
    chance = Random(seed)
    target = ana.remember(f"Ana pays {seed}00 euros of rent").id if seed % 2 else None
    id = wait(ana, f"Ana pays {seed}50 euros of rent", target=target)
    before, seal = held(ana), shown(ana, id).seal
    clock.move(seconds=chance.randrange(300))

    with pytest.raises(LookAgain):
        how(ana, id, seal, clock, chance)

    assert len(held(ana)) <= len(before) + (how is replayed and target is None)
    assert how is replayed or held(ana) == before


def test_seals_of_one_store_are_none_in_another(ana: Memory, open_memory: OpenMemory) -> None:
    """The key of the seals is each store's own, and stays for all who open it."""
    id = wait(ana)
    seal = shown(ana, id).seal

    open_memory().acting(PERSON).review.approve(id, seal)
    assert held(ana) == ["Ana likes tea"]
    with Memory.open(
        ":memory:", embedder=None, clock=ana.clock, user="ana", background=False
    ) as other:
        same = wait(other.acting(PERSON))
        with pytest.raises(LookAgain):
            other.acting(PERSON).review.approve(same, seal)


def test_hidden_characters_are_named(ana: Memory) -> None:
    """What would be stored is shown as it is, not as it looks."""
    id = wait(ana, "Ana trusts p\u0430ypal.com\u202e\u200b")

    look = shown(ana, id)

    assert look.hidden == ("looks like another letter", "changes direction", "zero width")
    assert (
        look.text == "Ana trusts p⟦а U+0430 cyrillic small letter a⟧ypal.com⟦U+202E right-to-left"
        " override⟧⟦U+200B zero width space⟧"
    )


def test_stats_count_what_waits(ana: Memory) -> None:
    """And what is unconfirmed."""
    base = ana.remember("Ana works in Rome").id
    ana.remember("Ana takes the metro", details=Details(bases=(base,)))
    ana.correct(base, "Ana works in Milan")
    wait(ana)

    stats = ana.stats()

    assert (stats.waiting, stats.unconfirmed) == (1, 1)


@pytest.mark.parametrize("target", ["user", "session", "origin", "id", "entity", "everything"])
def test_forgetting_reaches_what_waits(target: str, ana: Memory) -> None:
    """A proposal goes with what it came from or is about, and its text with it."""
    old = ana.remember("Ana works in Rome", entities=["person:ana"]).id
    item = draft(
        Statement(
            text="Ana works in Milan since May",
            entities=["person:ana"],
            details=Details(origin="page", source=Source.IMPORT),
        ),
        ANA,
        ana.clock,
    )
    with ana.store.transaction(tenant=None) as tx:
        propose(tx, ana.clock, ANA, item, target=old, flags=(), session=session_of("s"))
    ana.ingest([{"role": "user", "content": "hello there"}], replace(ANA, session="s"))
    kept = wait(ana, "Ana sings", scope=BEN)

    names = {
        "user": "ana",
        "session": "s",
        "origin": "page",
        "id": old,
        "entity": "person:ana",
        "everything": "all",
    }
    receipt = forget(ana, None, **{target: names[target]})

    assert receipt.erased["proposals"] == 1
    assert receipt.residue == 0
    assert ana.review.list() == []
    assert [one.proposal.id for one in ana.review.list(BEN)] == [kept]


def test_a_privileged_category_is_not_proposed(ana: Memory) -> None:
    """What a model may not write does not come in by way of review."""
    with pytest.raises(Forbidden):
        draft(
            Statement(
                text="x y", category=Category.PERMISSION, details=Details(source=Source.LLM_EXTRACT)
            ),
            ANA,
            ana.clock,
        )


def test_an_item_rests_on_its_bases_when_it_is_approved(ana: Memory) -> None:
    """One that fell meanwhile makes it unconfirmed."""
    base = ana.remember("Ana works in Rome").id
    id = wait(ana, "Ana takes the metro", bases=(base,))
    ana.correct(base, "Ana works in Milan", details=Details(source=Source.USER))

    item = approved(ana, id, shown(ana, id))

    assert isinstance(item, Item)
    assert item.unconfirmed_at is not None


def test_every_silent_write_is_on_the_ledger_or_waits(memory: Memory) -> None:
    """Whatever did not come from the user's own words can be looked at afterwards: who wrote it,
    and why. Threat A6.
    """
    chance = Random(6)
    for n in range(100):
        source = chance.choice([Source.TOOL, Source.IMPORT, Source.INFERRED, Source.DISCOVERY])
        if chance.random() < 0.3:
            wait(memory, f"Thing {n} is of colour {n}")
        else:
            because = Because(actor=f"job {n}", reason="nightly")
            memory.acting(because).remember(
                f"Thing {n} is of size {n}", details=Details(source=source, origin=f"mail {n}")
            )

    told = {
        change.record: change
        for change in memory.diff(NINE - timedelta(days=1)).changes
        if change.action is Action.ADD
    }
    silent = [
        item
        for item in memory.items.list(Listing(closed=True, limit=1000)).items
        if item.tier is not Tier.USER
    ]

    assert silent
    assert all(
        told[item.id].actor.startswith("job") and told[item.id].reason == "nightly" and item.origin
        for item in silent
    )
    assert len(silent) + len(memory.review.list(limit=1000)) == 100


def test_what_nobody_looked_at_goes_with_upkeep(ana: Memory, clock: FixedClock) -> None:
    """Also where nobody asks for what waits."""
    ana.remember("Ana works in Rome")
    id = wait(ana)
    clock.move(days=30)

    done = ana.admin.tidy()

    assert ana.review.list() == []
    assert [
        change.record
        for change in ana.diff(NINE - timedelta(days=1)).changes
        if change.action is Action.EXPIRE
    ] == [id]
    ana.undo(done.id)
    assert [one.proposal.id for one in ana.review.list()] == [id]


@pytest.mark.parametrize("by", ["review", "round", "nobody"])
def test_who_approves_what_expired_is_told_so_and_what_to_do(
    ana: Memory, clock: FixedClock, by: str
) -> None:
    """Whatever let it expire, also where nothing has noticed yet; undo with its id lets it wait
    again, and it is approved.
    """
    ana.remember("Ana works in Rome")
    id = wait(ana)
    seal = shown(ana, id).seal
    clock.move(days=30)
    if by != "nobody":
        assert (
            ana.review.list() == []
            if by == "review"
            else ana.admin.tidy().count("prune", "proposals") == 1
        )

    with pytest.raises(LookAgain, match="it expired; undo with its id lets it wait again"):
        ana.review.approve(id, seal)
    assert by == "nobody" or ana.undo(id)
    with pytest.raises(LookAgain) if by == "nobody" else nullcontext():
        ana.review.approve(id, shown(ana, id).seal if by != "nobody" else seal)


def test_who_approves_what_was_rejected_is_told_so(ana: Memory) -> None:
    """And of nothing that waited for somebody else."""
    id = wait(ana)
    seal = shown(ana, id).seal
    ana.review.reject(id)

    with pytest.raises(LookAgain, match="it was rejected; undo with its id lets it wait again"):
        ana.review.approve(id, seal)
    with pytest.raises(NotFound):
        ana.review.approve(id, seal, BEN)


@pytest.mark.parametrize("use", [Use.OFF, Use.HAND])
def test_what_would_be_of_a_memory_that_is_off_is_not_approved(
    open_memory: OpenMemory, use: Use
) -> None:
    """As nothing is remembered there by a call: it waits on. Where only nothing is learnt from
    talk, a person's word is heard.
    """
    memory = open_memory(teaching=Teaching(switches=Switches(user_memory=use))).acting(PERSON)
    off = use is Use.OFF
    id = wait(memory)

    with pytest.raises(Forbidden, match="user memory is off") if off else nullcontext():
        memory.review.approve(id, shown(memory, id).seal)

    assert (len(memory.review.list()), held(memory)) == ((1, []) if off else (0, ["Ana likes tea"]))


def test_the_same_is_not_proposed_twice_however_much_waits(memory: Memory) -> None:
    """Nor the same closing; what differs in its text, its place or what it would close is
    another.
    """
    first, closing = wait(memory), wait_to_close(memory, "item")
    for n in range(1_001):
        wait(memory, f"Ana likes cake number {n}")

    assert wait(memory, "Ana likes cake number 1000") == wait(memory, "Ana likes cake number 1000")
    assert (wait(memory), wait_to_close(memory, "item")) == (first, closing)
    assert wait_to_close(memory, "other") != closing
    assert wait(memory, scope=replace(ANA, context="work")) != first
    assert wait(memory, scope=BEN) != first
    assert wait(memory, "Ana likes te") != first
    assert memory.stats().waiting == 1_006
