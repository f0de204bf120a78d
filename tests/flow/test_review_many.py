"""Review that a person keeps up with: many proposals at once, reasons that quote what differs, and
questions at a terminal.
"""

from __future__ import annotations

import pytest

from omoide.cli.review_walk import ReviewWalk
from omoide.memory import Memory
from omoide.nouns.change import Because
from omoide.nouns.errors import Forbidden, InvalidInput
from omoide.nouns.ids import ItemId, SessionId
from omoide.nouns.item import Details, Source, Tier, Unconfirmed
from omoide.nouns.proposal import ForReview, ProposalId
from omoide.tables.listing import Listing
from omoide.write.proposals import propose
from omoide.write.remember import Statement, draft
from tests.fix_memory import ANA, session_of
from tests.flow.test_unconfirmed import item, unsure

PERSON = Because(actor="ana", tier=Tier.USER)


@pytest.fixture
def ana(memory: Memory) -> Memory:
    """Ana herself at her memory."""
    return memory.acting(PERSON)


def wait(
    memory: Memory,
    text: str,
    *,
    talk: str = "s1",
    origin: str = "",
    flag: str = "ungrounded_name",
    quote: str | None = None,
    target: str | None = None,
) -> ProposalId:
    """Let an item wait as learning does; its proposal's id."""
    told = Details(source=Source.LLM_EXTRACT, origin=origin or None, quote=quote)
    proposed = draft(Statement(text=text, details=told), ANA, memory.clock)
    with memory.store.transaction(tenant=None) as tx:
        return propose(
            tx,
            memory.clock,
            ANA,
            proposed,
            target=ItemId(target) if target else None,
            flags=[flag],
            session=SessionId(talk),
        )


def held(memory: Memory) -> list[str]:
    """The texts of all open items."""
    return sorted(one.text for one in memory.items.list(Listing(limit=1000)).items)


def waiting(memory: Memory) -> list[str]:
    """The texts of what waits."""
    return [one.text for one in memory.review.list()]


def only(memory: Memory) -> ForReview:
    """The one proposal that waits."""
    (one,) = memory.review.list()
    return one


def test_all_of_a_talk_are_approved_together(ana: Memory) -> None:
    """Those of another talk wait on; each can be undone by its id."""
    first, second = wait(ana, "Ana likes tea"), wait(ana, "Ben has a boat")
    wait(ana, "Cem is in Rome", talk="s2")

    done = ana.review.approve_all(session="s1")

    assert list(done) == [first, second]
    assert held(ana) == ["Ana likes tea", "Ben has a boat"]
    assert waiting(ana) == ["Cem is in Rome"]
    ana.undo(second)
    assert held(ana) == ["Ana likes tea"]


def test_they_are_picked_by_source_and_by_reason(ana: Memory) -> None:
    """All that is named applies; the reason may be told in words."""
    wait(ana, "Ana likes tea", origin="page.html")
    wait(ana, "Ben has a boat", origin="page.html", flag="ungrounded_number")
    wait(ana, "Cem is in Rome", flag="ungrounded_number")

    ana.review.reject_all(source="page.html", reason="a number that was not said")
    assert waiting(ana) == ["Ana likes tea", "Cem is in Rome"]
    ana.review.reject_all(source="llm_extract")
    assert waiting(ana) == []


def test_what_cannot_be_approved_stays_and_is_named(ana: Memory) -> None:
    """Hidden characters are for eyes; what it would close was closed meanwhile."""
    old = ana.remember("Ana lives in Rome").id
    odd = wait(ana, "Ana trusts p\u0430ypal")
    late = wait(ana, "Ana lives in Milan", target=old)
    good = wait(ana, "Ana likes tea")
    ana.correct(old, "Ana lives in Turin", details=Details(source=Source.USER))

    done = ana.review.approve_all(session="s1")

    assert list(done) == [good]
    assert set(done.left) == {odd, late}
    assert "hidden" in done.left[odd]


def test_only_a_person_settles_many_and_says_which(memory: Memory) -> None:
    """An agent does not, and nobody all there is by leaving everything out."""
    wait(memory, "Ana likes tea")

    with pytest.raises(Forbidden):
        memory.review.approve_all(session="s1")
    with pytest.raises(Forbidden):
        memory.review.reject_all(session="s1")
    with pytest.raises(InvalidInput, match="name a session"):
        memory.acting(PERSON).review.approve_all()


@pytest.mark.parametrize(
    ("flag", "text", "quote", "reason"),
    [
        (
            "ungrounded_number",
            "Ana pays 700 euros",
            "I pay 900 euros",
            "a number that was not said: this says “700”, the talk “900”",
        ),
        (
            "ungrounded_name",
            "Ana met Ben",
            "Ana met Bea",
            "a name that was not said: this says “Ben”, the talk “Bea”",
        ),
        (
            "negation",
            "Ana does not like tea",
            "Ana does like tea",
            "yes and no are swapped: this says “not”, and the talk does not",
        ),
        ("recalled", "Ana likes tea", "Ana likes tea", "it was recalled, not said anew"),
    ],
)
def test_a_reason_quotes_the_two_things_that_differ(
    ana: Memory, flag: str, text: str, quote: str, reason: str
) -> None:
    """What it says, and what the talk says there."""
    wait(ana, text, flag=flag, quote=quote)

    assert only(ana).reasons == (reason,)


def test_what_waits_names_what_it_is_similar_to(ana: Memory) -> None:
    """The open item that it would stand beside."""
    beside = ana.remember("Ben's cat is called Mia").id
    wait(ana, "Ben's cat is called Kira")

    similar = only(ana).similar

    assert similar is not None
    assert similar.id == beside


def walk(memory: Memory, *answers: str) -> tuple[dict[str, int], list[str]]:
    """Answer the questions of a review; what was settled, and the questions."""
    left, asked = list(answers), list[str]()

    def ask(prompt: str, default: str) -> str:
        asked.append(prompt)
        return left.pop(0) or default

    unconfirmed = memory.items.list(
        Listing(unconfirmed=True, sort="created_at", descending=False)
    ).items
    counts = ReviewWalk(memory, memory.scope, lambda one: None, ask).run(
        memory.review.list(), unconfirmed
    )
    assert left == []
    return dict(counts), asked


def test_another_key_is_told_which_there_are(
    ana: Memory, capsys: pytest.CaptureFixture[str]
) -> None:
    """The question comes again."""
    wait(ana, "Ana likes tea")

    counts, asked = walk(ana, "x", "y")

    assert (counts, len(asked)) == ({"approved": 1}, 2)
    assert "Press y, n, e, a, s or q" in capsys.readouterr().out


def test_at_a_terminal_each_is_answered_with_a_key(ana: Memory) -> None:
    """Yes, no, a better wording, or later; no seal is typed."""
    for text in ("Ana likes tea", "Ben has a boat", "Cem is in Rom", "Dora sings"):
        wait(ana, text)

    counts, _ = walk(ana, "y", "n", "e", "Cem is in Rome", "s")

    assert counts == {"approved": 1, "rejected": 1, "reworded and approved": 1}
    assert held(ana) == ["Ana likes tea", "Cem is in Rome"]
    assert waiting(ana) == ["Dora sings"]


def test_a_wording_that_stays_as_it_is_settles_nothing(ana: Memory) -> None:
    """Who only presses return has changed their mind."""
    wait(ana, "Ana likes tea")

    counts, _ = walk(ana, "e", "")

    assert (counts, waiting(ana)) == ({}, ["Ana likes tea"])


def test_all_of_a_talk_are_answered_at_once(ana: Memory) -> None:
    """They are not asked about again; quitting leaves the rest."""
    wait(ana, "Ana likes tea"), wait(ana, "Ben has a boat")
    wait(ana, "Cem is in Rome", talk="s2"), wait(ana, "Dora sings", talk="s2")

    counts, asked = walk(ana, "a", "y", "q")

    assert counts == {"approved": 2}
    assert len(asked) == 3
    assert waiting(ana) == ["Cem is in Rome", "Dora sings"]


def test_unconfirmed_items_are_asked_about_after_that(ana: Memory) -> None:
    """Confirmed, closed, or corrected."""
    one, two, three = (unsure(ana, text) for text in ("Ana sings", "Ana dives", "Ana reads"))

    counts, _ = walk(ana, "y", "n", "e", "Ana reads novels")

    assert counts == {"confirmed": 1, "rejected": 1, "corrected": 1}
    assert item(ana, one).unconfirmed is None
    assert not item(ana, two).is_open
    assert item(ana, three).superseded_by
    assert held(ana) == ["Ana reads novels", "Ana sings"]


def test_rejecting_an_unconfirmed_item_can_be_undone(ana: Memory) -> None:
    """It is unconfirmed again then."""
    id = unsure(ana, "Ana dives")
    ana.review.reject(id)
    assert held(ana) == []

    ana.undo(ana.history(id).changes[-1].id)

    assert item(ana, id).unconfirmed is Unconfirmed.NEVER


def test_a_talk_goes_by_its_name(ana: Memory) -> None:
    """As at every door; its id is as good."""
    ana.at(session="breakfast").ingest([{"role": "user", "content": "I like tea"}])
    id = session_of("breakfast")
    wait(ana, "Ana likes tea", talk=id)
    wait(ana, "Ana likes toast", talk=id)

    assert len(ana.review.approve_all(session="breakfast")) == 2
    wait(ana, "Ana likes jam", talk=id)
    assert len(ana.review.reject_all(session=id)) == 1
