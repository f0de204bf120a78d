"""The state *unconfirmed*: what it does to an item, who ends it, and what happens then."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from omoide.memory import Memory
from omoide.nouns.change import Action, Because
from omoide.nouns.clock import FixedClock, to_micros
from omoide.nouns.errors import Conflict, Forbidden, InvalidInput
from omoide.nouns.ids import ItemId
from omoide.nouns.item import UNCONFIRMED_MOST, Details, Item, Meant, Source, Tier, Unconfirmed
from omoide.nouns.kind import Kind
from omoide.nouns.query import Query
from omoide.read.arms import REACH
from omoide.settings.retention import read_retention
from omoide.tables.documents import Documents
from omoide.tables.item_fields import hashed_of
from omoide.tables.items import Items
from omoide.tables.ledger import old_item_hash
from omoide.tables.listing import Listing
from omoide.write.apply import Door
from omoide.write.decide import Supersede
from omoide.write.index import words_of
from omoide.write.remember import Statement, carry_out, draft, judge
from tests.fix_memory import on_sqlite

PERSON = Because(actor="ana", tier=Tier.USER)
USER = Details(source=Source.USER)


def item(memory: Memory, id: str) -> Item:
    """An item by its id."""
    found = memory.get(id)
    assert isinstance(found, Item)
    return found


def unsure(
    memory: Memory, text: str, meant: Meant | None = None, details: Details = USER
) -> ItemId:
    """An item as learning leaves one that nobody could confirm; its id."""
    drafted = draft(Statement(text=text, details=details), memory.scope, memory.clock)
    new = replace(drafted, unconfirmed=Unconfirmed.NEVER, meant=meant)
    with memory.store.transaction(tenant=memory.scope.tenant) as tx:
        with Door(tx, memory.clock, Because(actor="learning")) as door:
            return door.add(new, words_of(new)).id


def replaces(id: str) -> Meant:
    """What an item is meant to do that is to take the place of another."""
    return Meant(op="update", ref=ItemId(id), was="Rome")


def last_change(memory: Memory, id: str, action: Action) -> str:
    """The id of the last change of an item by such an action."""
    return [c.id for c in memory.history(id).changes if c.action is action][-1]


def test_it_is_hardly_sure_and_labelled_wherever_it_is_shown(memory: Memory) -> None:
    """In the item, the hit, what both print, and the listing."""
    id = unsure(memory, "Ana plays the harp")

    found = item(memory, id)
    (hit,) = memory.recall("harp").hits

    assert found.unconfirmed is Unconfirmed.NEVER
    assert found.confidence == UNCONFIRMED_MOST < found.confirmed_confidence  # type: ignore[operator]
    assert found.unconfirmed_at == found.recorded_at
    assert hit.unconfirmed
    assert "unconfirmed" in str(hit)
    assert "unconfirmed" in str(found)
    assert [one.id for one in memory.items.list(Listing(unconfirmed=True)).items] == [id]
    assert memory.stats().unconfirmed == 1


def test_it_is_left_out_where_only_what_is_confirmed_is_wanted(memory: Memory) -> None:
    """By recall and by the listing; why_not says so."""
    sure, id = memory.remember("Ana has a harp").id, unsure(memory, "Ana plays the harp")
    query = Query(text="Ana harp", confirmed_only=True)

    assert [hit.id for hit in memory.recall(query).hits] == [sure]
    assert [one.id for one in memory.items.list(Listing(confirmed_only=True)).items] == [sure]
    assert memory.why_not(query, id).gate == "unconfirmed"


def test_what_is_confirmed_is_found_behind_many_that_are_not(memory: Memory) -> None:
    """However many unconfirmed items fit a question better: they take no place of a search."""
    sure = memory.remember("Ana once had a harp, a drum and a flute in the old house").id
    for number in range(REACH + 20):
        unsure(memory, f"Ana harp {number}")
    query = Query(text="Ana harp", confirmed_only=True)

    assert [hit.id for hit in memory.recall(query).hits] == [sure]
    assert [hit.id for hit in memory.recall(Query(confirmed_only=True)).hits] == [sure]


def test_an_item_that_is_confirmed_is_found_where_only_such_are_wanted(memory: Memory) -> None:
    """From then on."""
    id = unsure(memory, "Ana plays the harp")
    query = Query(text="harp", confirmed_only=True)

    assert not memory.recall(query).hits
    memory.acting(PERSON).review.confirm(id)
    assert [hit.id for hit in memory.recall(query).hits] == [id]


def test_it_answers_no_question_for_certain(memory: Memory) -> None:
    """It is recalled, and does not count as an answer that is held."""
    id = unsure(memory, "Ana plays the harp in Rome")

    before = memory.recall("what does Ana play in Rome")
    memory.acting(PERSON).review.confirm(id)

    assert [hit.id for hit in before.hits] == [id]
    assert before.answerable == 0 < memory.recall("what does Ana play in Rome").answerable


def test_a_person_confirms_it_and_an_agent_does_not(memory: Memory) -> None:
    """It is as sure then as it would have been; a confirmed one stays as it is."""
    id = unsure(memory, "Ana plays the harp")

    with pytest.raises(Forbidden, match="for a person to confirm"):
        memory.review.confirm(id)
    confirmed = memory.acting(PERSON).review.confirm(id)

    assert isinstance(confirmed, Item)
    assert (confirmed.unconfirmed, confirmed.unconfirmed_at) == (None, None)
    assert confirmed.confidence == 0.8
    assert memory.history(id).changes[-1].action is Action.CONFIRM
    assert memory.acting(PERSON).review.confirm(id) == item(memory, id)
    assert memory.admin.verify().problems == ()


def test_a_closed_item_is_confirmed_by_nobody(memory: Memory) -> None:
    """It is opened first."""
    id = unsure(memory, "Ana plays the harp")
    memory.acting(PERSON).undo(memory.history(id).changes[0].id)

    with pytest.raises(Conflict, match="reopen"):
        memory.acting(PERSON).review.confirm(id)


def test_confirming_can_be_undone_and_done_again(memory: Memory) -> None:
    """As every other change, and leaves the ledger whole."""
    id = unsure(memory, "Ana plays the harp")
    memory.acting(PERSON).review.confirm(id)

    (undoing,) = memory.acting(PERSON).undo(last_change(memory, id, Action.CONFIRM))
    assert item(memory, id).unconfirmed is Unconfirmed.NEVER
    assert item(memory, id).confidence == UNCONFIRMED_MOST

    memory.acting(PERSON).undo(undoing)
    assert item(memory, id).unconfirmed is None
    assert item(memory, id).confidence == 0.8
    assert memory.admin.verify().problems == ()


def test_confirming_puts_it_in_the_place_of_what_it_was_meant_to_replace(memory: Memory) -> None:
    """With lineage both ways; undoing it opens the other again, and doing it again closes it."""
    old = memory.remember("Ana lives in Rome", details=USER).id
    new = unsure(memory, "Ana lives in Milan", replaces(old))

    memory.acting(PERSON).review.confirm(new)

    assert (item(memory, old).superseded_by, item(memory, new).supersedes) == (new, old)
    assert [version.id for version in memory.history(new).items] == [old, new]

    memory.acting(PERSON).undo(last_change(memory, new, Action.CONFIRM))
    assert item(memory, old).is_open
    assert item(memory, new).supersedes is None
    assert item(memory, new).meant == replaces(old)

    memory.acting(PERSON).undo(last_change(memory, new, Action.UNDO))
    assert (item(memory, old).superseded_by, item(memory, new).supersedes) == (new, old)
    assert memory.admin.verify().problems == ()


def test_undoing_the_closing_undoes_the_confirming(memory: Memory) -> None:
    """The two are one thing."""
    old = memory.remember("Ana lives in Rome", details=USER).id
    new = unsure(memory, "Ana lives in Milan", replaces(old))
    memory.acting(PERSON).review.confirm(new)

    memory.acting(PERSON).undo(last_change(memory, old, Action.SUPERSEDE))

    assert item(memory, old).is_open
    assert item(memory, new).unconfirmed is Unconfirmed.NEVER


def test_confirming_closes_what_it_was_meant_to_close(memory: Memory) -> None:
    """Both are undone together."""
    old = memory.remember("Ana is allergic to nuts", details=USER).id
    new = unsure(memory, "Ana eats nuts again", Meant(op="delete", ref=old))

    memory.acting(PERSON).review.confirm(new)
    assert not item(memory, old).is_open

    memory.acting(PERSON).undo(last_change(memory, new, Action.CONFIRM))
    assert item(memory, old).is_open


def test_what_changed_since_is_not_replaced(memory: Memory, clock: FixedClock) -> None:
    """Both stay: nobody decided about what it says now."""
    old = memory.remember("Ana lives in Rome", details=USER).id
    new = unsure(memory, "Ana lives in Milan", replaces(old))
    clock.move(days=1)
    memory.acting(PERSON).items.edit(old, valid_until="2040-01-01T00:00:00Z")

    memory.acting(PERSON).review.confirm(new)

    assert item(memory, old).is_open
    assert item(memory, new).meant is None


def test_forgetting_what_it_was_meant_to_replace_takes_its_words(memory: Memory) -> None:
    """The item stays, and names neither the other one nor its words; the ledger is whole."""
    old = memory.remember("Ana lives in Rome", details=USER).id
    new = unsure(memory, "Ana lives in Milan", replaces(old))

    memory.forget(old)

    assert item(memory, new).meant is None
    assert memory.admin.verify().problems == ()
    memory.acting(PERSON).review.confirm(new)


def said_again(memory: Memory, text: str, details: Details) -> Item:
    """The item that stands for a text once it was said again."""
    new = draft(Statement(text=text, details=details), memory.scope, memory.clock)
    words = words_of(new)
    with memory.store.transaction(tenant=memory.scope.tenant) as tx:
        Documents(tx).lock(memory.scope.tenant, memory.scope.user)
        ids = [one.id for one in Items(tx).of_user(memory.scope.tenant, memory.scope.user or "")]
        with Door(tx, memory.clock, Because(actor="learning")) as door:
            return carry_out(door, judge(tx, memory.clock, new, words, ids)).item


def turn(memory: Memory, session: str, text: str) -> Details:
    """What the user said in a session, as where an item was learnt from."""
    within = memory.at(session=session)
    within.ingest([{"role": "user", "content": text}])
    (said,) = within.sessions.turns(session)
    return Details(source=Source.LLM_EXTRACT, tier=Tier.USER, source_turns=(said.id,))


def test_the_same_person_confirms_it_in_another_session(memory: Memory) -> None:
    """Also what it was meant to replace is replaced; forgetting that session takes both back."""
    old = memory.remember("Ana lives in Rome", details=USER).id
    first, second = turn(memory, "one", "I moved to Milan"), turn(memory, "two", "Milan is nice")
    id = unsure(memory, "Ana lives in Milan", replaces(old), first)

    kept = said_again(memory, "Ana lives in Milan", second)

    assert (kept.id, kept.unconfirmed, kept.supersedes) == (id, None, old)
    assert item(memory, old).superseded_by == id

    memory.sessions.forget("two")
    assert item(memory, id).unconfirmed is Unconfirmed.NEVER
    assert item(memory, old).is_open
    assert item(memory, id).supersedes is None
    assert memory.admin.verify().problems == ()


def test_the_same_session_an_agent_or_a_document_confirms_nothing(memory: Memory) -> None:
    """They support it, and it stays unconfirmed."""
    first, second = turn(memory, "one", "I moved to Milan"), turn(memory, "two", "Milan, yes")
    id = unsure(memory, "Ana lives in Milan", details=replace(first, tier=Tier.DOCUMENT))

    for details in (
        replace(first, tier=Tier.USER),
        replace(second, tier=Tier.AGENT),
        replace(second, tier=Tier.DOCUMENT),
    ):
        assert said_again(memory, "Ana lives in Milan", details).id == id
        assert item(memory, id).unconfirmed is Unconfirmed.NEVER


def test_a_person_s_edit_or_correction_confirms_it(memory: Memory) -> None:
    """Filing it does not, and an agent's correction is as unconfirmed."""
    one, two = unsure(memory, "Ana plays the harp"), unsure(memory, "Ana has two cats")
    agents = Details(source=Source.INFERRED)
    three = unsure(memory, "Ana likes tea", details=agents)
    person = memory.acting(PERSON)

    assert person.items.edit(one, pinned=True).unconfirmed is Unconfirmed.NEVER
    assert person.items.edit(one, confidence=0.9).unconfirmed is None
    assert item(memory, one).confidence == 0.9
    assert person.correct(two, "Ana has three cats", details=USER).item.unconfirmed is None
    corrected = memory.correct(three, "Ana likes green tea", details=agents).item
    assert corrected.unconfirmed is Unconfirmed.NEVER


def test_a_correction_carries_out_what_the_item_was_meant_to_do(memory: Memory) -> None:
    """In the person's words; undone, all is as before."""
    old = memory.remember("Ana lives in Rome", details=USER).id
    new = unsure(memory, "Ana lives in Milan", replaces(old))

    better = memory.acting(PERSON).correct(new, "Ana lives near Milan", details=USER).id
    assert item(memory, old).superseded_by == better

    memory.acting(PERSON).undo(last_change(memory, better, Action.ADD))
    assert item(memory, old).is_open
    assert item(memory, new).unconfirmed is Unconfirmed.NEVER


def test_it_closes_nothing_by_itself(memory: Memory) -> None:
    """What would replace another stands beside it, and keeps what it is meant to do."""
    old = memory.remember("Ana lives in Rome").item
    new = draft(Statement(text="Ana lives in Milan"), memory.scope, memory.clock)
    new = replace(new, unconfirmed=Unconfirmed.NEVER)

    with memory.store.transaction(tenant=memory.scope.tenant) as tx:
        Documents(tx).lock(memory.scope.tenant, memory.scope.user)
        words = words_of(new)
        judged = judge(tx, memory.clock, new, words, [old.id], lambda *_: Supersede(item=old))
        with Door(tx, memory.clock, Because(actor="learning")) as door:
            done = carry_out(door, judged)

    assert item(memory, old.id).is_open
    assert done.item.similar_to == old.id
    assert done.item.meant == Meant(op="update", ref=old.id)


def test_what_rests_on_it_is_unconfirmed_too(memory: Memory) -> None:
    """Until it is confirmed."""
    id = unsure(memory, "Ana works in Rome")
    above = memory.remember("Ana takes the metro", details=Details(bases=(id,))).id
    assert item(memory, above).unconfirmed is Unconfirmed.BASIS_CLOSED

    memory.acting(PERSON).review.confirm(id)

    assert item(memory, above).unconfirmed is None
    assert memory.admin.doctor() == []


def test_a_person_confirms_what_lost_its_basis(memory: Memory) -> None:
    """It rests no more on that."""
    base = memory.remember("Ana works in Rome").id
    id = memory.remember("Ana takes the metro", details=Details(bases=(base,))).id
    memory.correct(base, "Ana works in Milan")
    assert item(memory, id).confidence == UNCONFIRMED_MOST

    confirmed = memory.acting(PERSON).review.confirm(id)

    assert isinstance(confirmed, Item)
    assert (confirmed.unconfirmed, confirmed.bases, confirmed.confidence) == (None, (), 0.7)


def test_upkeep_closes_it_once_its_time_is_over(memory: Memory, clock: FixedClock) -> None:
    """Not before, and not what was confirmed; history keeps it, and undo opens it again."""
    old = memory.remember("Ana lives in Rome", details=USER).id
    id, other = unsure(memory, "Ana lives in Milan", replaces(old)), unsure(memory, "Ana sings")
    memory.acting(PERSON).review.confirm(other)

    clock.move(days=29)
    memory.admin.tidy()
    assert item(memory, id).is_open

    clock.move(days=2)
    done = memory.admin.tidy()
    assert not item(memory, id).is_open
    assert item(memory, old).is_open
    assert item(memory, other).is_open
    change = memory.history(id).changes[-1]
    assert (change.action, change.reason) == (Action.EXPIRE, "never confirmed")

    memory.undo(done.id)
    assert item(memory, id).unconfirmed is Unconfirmed.NEVER


@on_sqlite
def test_an_archive_keeps_it_and_what_it_is_meant_to_do(memory: Memory, tmp_path: Path) -> None:
    """Exported and loaded."""
    old = memory.remember("Ana lives in Rome", details=USER).id
    id = unsure(memory, "Ana lives in Milan", replaces(old))
    before = item(memory, id)
    memory.admin.export(tmp_path / "a.jsonl", memory.scope, everything=True)
    memory.forget(id)

    memory.admin.load(tmp_path / "a.jsonl", restore_forgotten=True)

    assert item(memory, id) == before


def test_what_a_ledger_says_of_a_closed_basis_is_as_before(memory: Memory) -> None:
    """By the name that it had in older stores, so that these verify."""
    base = memory.remember("Ana works in Rome").id
    id = memory.remember("Ana takes the metro", details=Details(bases=(base,))).id
    memory.correct(base, "Ana works in Milan")

    hashed = hashed_of(item(memory, id))

    assert hashed["doubted_at"] == to_micros(memory.clock.now())
    new = {"unconfirmed", "unconfirmed_at", "confirmed_confidence", "meant"}
    assert new.isdisjoint(hashed)


def test_a_store_verifies_in_which_a_person_had_marked_an_item(memory: Memory) -> None:
    """The mark is none any more, and its hash still tells that nobody altered the item."""
    known = memory.remember("Ana plays the harp").item
    with memory.store.transaction(tenant=memory.scope.tenant) as tx:
        with Door(tx, memory.clock, PERSON) as door:
            content = old_item_hash(known, Items(tx).salt(memory.scope.tenant, known.id))
            door.note(Action.EDIT, Kind.ITEM, known.id, known.scope, content=content)

    assert memory.admin.verify().problems == ()


def test_its_time_is_a_setting() -> None:
    """Thirty days unless set; it cannot be zero."""
    assert read_retention("").unconfirmed_for == timedelta(days=30)
    assert read_retention("", unconfirmed_for="7d").unconfirmed_for == timedelta(days=7)
    with pytest.raises(InvalidInput, match="unconfirmed_for"):
        read_retention("", unconfirmed_for="0d")


def test_it_comes_after_what_answers_as_well_and_before_what_does_not(memory: Memory) -> None:
    """Turns that share a name with the question do not hide it."""
    id = unsure(memory, "Ana takes tram 8 to the office")
    sure = memory.remember("Ana takes a tram to the office, number 9").id
    talk = memory.at(session="chat")
    talk.ingest([{"role": "user", "content": f"Ana has {n} boats"} for n in range(12)])

    hits = memory.recall("Which tram does Ana take to the office?", limit=5).hits

    assert [hit.id for hit in hits[:2]] == [sure, id]
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_a_merged_text_takes_the_place_of_both(memory: Memory) -> None:
    """So that nothing of what still holds is lost; undone and done again, both ways."""
    old = memory.remember("Ana is allergic to nuts and shellfish", details=USER).id
    meant = Meant(
        op="update", ref=old, was="and shellfish", text="Ana is allergic to nuts, not to shellfish"
    )
    new = unsure(memory, "Ana is not allergic to shellfish", meant)
    person = memory.acting(PERSON)

    merged = person.review.confirm(new)

    assert isinstance(merged, Item)
    assert (merged.text, merged.supersedes) == (meant.text, old)
    assert [item(memory, id).superseded_by for id in (old, new)] == [merged.id, merged.id]
    assert [hit.text for hit in memory.recall("allergic").hits] == [meant.text]

    person.undo(last_change(memory, new, Action.CONFIRM))
    assert [item(memory, id).is_open for id in (old, new, merged.id)] == [True, True, False]
    assert item(memory, new).unconfirmed is Unconfirmed.NEVER
    person.undo(last_change(memory, new, Action.UNDO))
    assert memory.admin.verify().problems == ()


def test_a_corrected_item_is_as_sure_as_before_the_doubt(memory: Memory) -> None:
    """A person says what is right: nothing is in doubt any more."""
    sure = item(memory, memory.remember("Ana sings", details=USER).id).confidence
    id = unsure(memory, "Ana has a boat", details=USER)

    new = memory.correct(id, "Ana is thinking of a boat", details=USER)

    assert (new.item.unconfirmed, new.item.confidence) == (None, sure)
