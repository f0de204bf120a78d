"""Condensing: enough reflections become one text per scope, within its words, with nothing lost
quietly and nothing made up.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from omoide.learning.teaching import Teaching
from omoide.memory import Memory
from omoide.models.chat.asker import Asker
from omoide.models.chat.base import Ask, Purpose
from omoide.models.chat.scripted import ScriptedModel
from omoide.nouns.clock import FixedClock
from omoide.nouns.errors import (
    BadAnswer,
    CannotUndo,
    Conflict,
    InvalidInput,
    OmoideError,
    UnknownName,
)
from omoide.nouns.item import Tier
from omoide.nouns.reflection import DigestId, DigestKind, Size, read_digests
from omoide.nouns.scope import Scope
from omoide.settings.levels import Level
from omoide.store.base import Store
from omoide.tables.digests import Digests
from omoide.tables.jobs import CONDENSE_JOB
from tests.fix_memory import BEN, OpenMemory
from tests.fix_teaching import Taught
from tests.reflecting import HERE, USERS, condensed, condensing, reflect_on, thoughts

ONE = "Ana wants her answers short"
TWO = "Ana writes all her mails in Portuguese"
THREE = "Ana meets Rita at 9:30 on 4 June 2026"
FOUR = "Ana keeps her notes at https://example.org/notes"
FIVE = "Ana wants her answers long again"


def digest(memory: Memory) -> str:
    """The text of the user's digest; empty if there is none."""
    return next(
        (one.text for one in memory.reflections.digests(USERS) if one.kind is DigestKind.USER), ""
    )


def work(memory: Memory) -> list[tuple[str, str]]:
    """Do all jobs that are ready; what is left in line, as kind and state."""
    memory.upkeep.queue.run()
    return [(job.kind, job.state) for job in memory.jobs.list(USERS) if job.kind == CONDENSE_JOB]


@pytest.mark.covers("ED-34", "ED-36", "ED-37", "ED-38", "ED-43")
def test_four_reflections_of_a_user_become_a_digest(taught: Taught, clock: FixedClock) -> None:
    """They are marked with when and into what, and leave the buffer; the time is told to the
    model.
    """
    memory = condensing(taught, condensed(ONE, TWO, goals=[THREE, FOUR]))
    reflect_on(memory, clock, ONE, TWO, THREE, FOUR)

    assert work(memory) == []

    (made,) = memory.reflections.digests(USERS)
    assert (
        made.text == f"[PREFERENCES]\n- {ONE}\n- {TWO}\n[GOALS AND PROJECTS]\n- {THREE}\n- {FOUR}"
    )
    assert (made.kind, made.version, made.word_limit, made.scope, made.tier) == (
        DigestKind.USER,
        1,
        300,
        USERS,
        Tier.USER,
    )
    assert {one.digest for one in memory.reflections.list(USERS)} == {made.id}
    assert {one.absorbed_at for one in memory.reflections.list(USERS)} == {clock.now()}
    assert memory.reflections.list(USERS, waiting=True) == []
    assert made.sources == tuple(sorted(one.id for one in memory.reflections.list(USERS)))
    asked = taught.asked[-1]
    assert asked.purpose is Purpose.CONDENSE
    assert "Now: 2026-01-05 Monday 09:04" in asked.text
    assert "300 words" in asked.system


@pytest.mark.covers("ED-39", "ED-55")
def test_the_better_model_condenses_and_is_told_who_the_agent_is(
    open_memory: OpenMemory, clock: FixedClock
) -> None:
    """Where one is configured; reflections are left to the other."""
    fast = ScriptedModel(
        {Purpose.REFLECT: [thoughts({"level": "user", "text": ONE, "quote": ONE, "turn": 1})]},
        id="fast",
    )
    slow = ScriptedModel({Purpose.CONDENSE: [condensed(ONE)]}, id="slow")
    memory = open_memory(
        teaching=Teaching(asker=Asker(fast, slow=slow), persona="a clerk in a hurry")
    )
    reflect_on(memory, clock, ONE)

    (made,) = memory.reflections.condense(USERS)

    assert (made.model, len(fast.asked), len(slow.asked)) == ("slow", 1, 1)
    assert "a clerk in a hurry" in slow.asked[0].system


@pytest.mark.covers("ED-36")
def test_a_new_version_stands_on_the_old_and_new_information_wins(
    taught: Taught, clock: FixedClock
) -> None:
    """Its number increments; the old one stays to be looked at."""
    memory = condensing(taught, condensed(ONE, TWO), condensed(FIVE, TWO))
    reflect_on(memory, clock, ONE, TWO)
    memory.reflections.condense(USERS)
    reflect_on(memory, clock, FIVE)

    (second,) = memory.reflections.condense(USERS)

    assert (second.version, digest(memory)) == (2, f"[PREFERENCES]\n- {FIVE}\n- {TWO}")
    assert [one.version for one in memory.reflections.digests(USERS, history=True)] == [2, 1]
    assert f"The text so far:\n[PREFERENCES]\n- {ONE}" in taught.asked[-1].text
    assert f"New reflections:\n- {FIVE}" in taught.asked[-1].text


@pytest.mark.covers("ED-36", "LS-78")
def test_a_digest_over_its_words_is_never_kept(taught: Taught, clock: FixedClock) -> None:
    """Asked for once more; then the old one stands, the reflections wait on, and the job fails with
    what was said.
    """
    sizes = read_digests("user=2/10")
    long = condensed(ONE, TWO)  # 13 words with the heading
    memory = condensing(taught, condensed(ONE), long, long, long, condensed(TWO), digests=sizes)
    reflect_on(memory, clock, ONE)
    memory.reflections.condense(USERS)
    reflect_on(memory, clock, TWO, THREE)

    assert work(memory) == [(CONDENSE_JOB, "ready")]

    (job,) = (job for job in memory.jobs.list(USERS) if job.kind == CONDENSE_JOB)
    assert (job.failures, job.answered > 0) == (1, True)
    assert "13 words, the limit is 10" in job.error
    assert (digest(memory), len(memory.reflections.list(USERS, waiting=True))) == (
        f"[PREFERENCES]\n- {ONE}",
        2,
    )

    memory.jobs.replay(job.id, USERS)
    assert work(memory) == []
    assert digest(memory) == f"[PREFERENCES]\n- {TWO}"


@pytest.mark.covers("ED-36")
@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("Ana writes all her mails to Rita in Portuguese", "ungrounded_name"),
        ("Ana writes 12 mails in Portuguese", "ungrounded_number"),
        ("Ana writes all her mails in Portuguese since 4 May 2024", "ungrounded_date"),
        ("Ana writes all her mails in Portuguese to ana@example.org", "ungrounded_address"),
        ("Ana does not write all her mails in Portuguese", "negation"),
        ("The cat sleeps on the roof of the barn", "unsupported"),
    ],
)
def test_a_digest_that_makes_something_up_is_never_kept(
    taught: Taught, clock: FixedClock, line: str, why: str
) -> None:
    """Without a judge: each name, number, date and address stands in the old text or a reflection,
    and nothing is turned round.
    """
    memory = condensing(taught, condensed(ONE, line), condensed(ONE, line), judge=False)
    reflect_on(memory, clock, ONE, TWO)

    with pytest.raises(BadAnswer, match=why) as error:
        memory.reflections.condense(USERS)

    assert line not in str(error.value)
    assert (digest(memory), len(memory.reflections.list(USERS, waiting=True))) == ("", 2)


def test_a_digest_holds_to_its_sections(taught: Taught, clock: FixedClock) -> None:
    """Asked once more where a section is none of the scope's, or nothing is in any."""
    memory = condensing(
        taught,
        condensed(ONE, title="SECRETS"),
        condensed(ONE, title="[preferences]"),
        condensed(),
        {"sections": 5},
    )
    reflect_on(memory, clock, ONE)
    memory.reflections.condense(USERS)
    assert digest(memory) == f"[PREFERENCES]\n- {ONE}"

    reflect_on(memory, clock, TWO)
    with pytest.raises(BadAnswer):
        memory.reflections.condense(USERS)


def test_what_the_old_text_said_and_nothing_took_back_is_reported(
    taught: Taught, clock: FixedClock
) -> None:
    """Names, figures and links that vanish stand in the new version's record; what a reflection is
    about does not.
    """
    memory = condensing(taught, condensed(ONE, goals=[THREE, FOUR]), condensed(FIVE))
    reflect_on(memory, clock, ONE, THREE, FOUR)
    memory.reflections.condense(USERS)
    reflect_on(memory, clock, FIVE)

    (second,) = memory.reflections.condense(USERS)

    assert "https://example.org/notes" in second.dropped
    assert "Rita" in second.dropped
    assert not any("short" in name for name in second.dropped)


@pytest.mark.covers("ED-35")
def test_scopes_are_condensed_each_by_itself(taught: Taught, clock: FixedClock) -> None:
    """What fails for one leaves the other as it would be alone."""

    def answer(ask: Ask) -> dict[str, Any]:
        return condensed("Nobody ever said this to Zoe") if FOUR in ask.text else condensed(ONE)

    memory = condensing(taught, answer, judge=False)
    other = Scope(user="ana", agent="cook", session="kitchen")
    reflect_on(memory, clock, ONE)
    reflect_on(memory, clock, FOUR, scope=other)

    memory.reflections.condense(USERS)
    with pytest.raises(BadAnswer):
        memory.reflections.condense(other)

    assert digest(memory) == f"[PREFERENCES]\n- {ONE}"
    assert memory.reflections.digests(Scope(user="ana", agent="cook")) == []
    assert memory.reflections.condense(USERS, kind="agent") == []
    with pytest.raises(UnknownName):
        memory.reflections.condense(USERS, kind="profile")


@pytest.mark.covers("ED-37")
def test_a_hundred_reflections_are_absorbed_at_most_at_once(
    taught: Taught, clock: FixedClock
) -> None:
    """The others wait for the next version, which is in line at once."""
    memory = condensing(taught, condensed(ONE), condensed(ONE))
    for n in range(105):
        reflect_on(memory, clock, f"{ONE}, as she told us for reason {n}")

    memory.upkeep.queue.run(kinds={CONDENSE_JOB}, limit=1)
    first = memory.reflections.digests(USERS)[0]
    assert (len(first.sources), len(memory.reflections.list(USERS, waiting=True))) == (100, 5)

    assert work(memory) == []
    assert len(memory.reflections.list(USERS, waiting=True)) == 0


def test_two_who_condense_the_same_make_one_version(taught: Taught, clock: FixedClock) -> None:
    """The slower one is told so, and nothing is absorbed twice."""
    late = [True]

    def answer(ask: Ask) -> dict[str, Any]:
        if late and late.pop():
            memory.reflections.condense(USERS)
        return condensed(ONE)

    memory = condensing(taught, answer)
    reflect_on(memory, clock, ONE, TWO)

    with pytest.raises(Conflict):
        memory.reflections.condense(USERS)

    assert [one.version for one in memory.reflections.digests(USERS, history=True)] == [1]
    assert memory.admin.verify().problems == ()


def test_a_digest_is_taken_back_and_brought_back(taught: Taught, clock: FixedClock) -> None:
    """The last version only: the one before is in force again, and what it had absorbed waits."""
    memory = condensing(taught, condensed(ONE), condensed(ONE, TWO), condensed(TWO, gone=[ONE]))
    reflect_on(memory, clock, ONE)
    (first,) = memory.reflections.condense(USERS)
    reflect_on(memory, clock, TWO)
    (second,) = memory.reflections.condense(USERS)
    with pytest.raises(CannotUndo, match=second.id):
        memory.undo(first.id, USERS)

    (undone,) = memory.undo(second.id, USERS)
    assert (digest(memory), [one.text for one in memory.reflections.list(USERS, waiting=True)]) == (
        first.text,
        [TWO],
    )
    memory.undo(undone, USERS)
    assert (digest(memory), memory.reflections.list(USERS, waiting=True)) == (second.text, [])
    assert memory.admin.verify().problems == ()

    memory.undo(second.id, USERS)
    (third,) = memory.reflections.condense(USERS)
    assert (third.version, digest(memory)) == (3, f"[PREFERENCES]\n- {TWO}")


@pytest.mark.covers("ED-49", "ED-50")
def test_stats_tell_how_a_scope_stands(taught: Taught, clock: FixedClock) -> None:
    """Reflections, how many wait and in how many words, the threshold, whether it is reached; the
    digest's words and times.
    """
    memory = condensing(taught, condensed(ONE, gone=[TWO]))
    reflect_on(memory, clock, ONE, TWO)
    (before,) = memory.stats(USERS).buffers
    assert (before.kind, before.reflections, before.waiting, before.waiting_words) == (
        DigestKind.USER,
        2,
        2,
        12,
    )
    assert (before.threshold, before.is_due, before.formed_at) == (4, False, clock.now())
    assert (before.version, before.words, before.word_limit, before.made_at) == (0, 0, 300, None)

    memory.reflections.condense(USERS)
    reflect_on(memory, clock, TWO.replace("mails", "letters"), THREE, FOUR, FIVE)

    (after,) = memory.stats(USERS).buffers
    assert (after.reflections, after.waiting, after.is_due) == (6, 4, True)
    assert (after.version, after.words, after.made_at) == (
        1,
        6,
        memory.reflections.digests(USERS)[0].made_at,
    )
    assert memory.stats(BEN).buffers == ()


def test_a_projects_memory_sees_no_other_projects(taught: Taught, clock: FixedClock) -> None:
    """Neither its reflections nor its digest, and it condenses none of them."""
    memory = condensing(taught, condensed(ONE), condensed(TWO))
    work, home = replace(HERE, context="work"), replace(HERE, context="home", session="other")
    reflect_on(memory, clock, ONE, scope=work)
    reflect_on(memory, clock, TWO, scope=home)
    memory._engine.level = Level.PROJECT

    memory.reflections.condense(work)

    assert [one.text for one in memory.reflections.list(work)] == [ONE]
    assert [one.text for one in memory.reflections.digests(work)] == [f"[PREFERENCES]\n- {ONE}"]
    assert (len(memory.reflections.list(home, waiting=True)), memory.reflections.digests(home)) == (
        1,
        [],
    )
    with pytest.raises(InvalidInput):
        memory.reflections.list(USERS)


@pytest.mark.covers("CX-23")
def test_sizes_are_settings() -> None:
    """The document's values are the defaults; each may be set by itself."""
    sizes = read_digests("user=6/600")

    assert sizes[DigestKind.USER] == Size(reflections=6, words=600)
    assert sizes[DigestKind.AGENT] == Size(reflections=10, words=1200)
    assert sizes[DigestKind.SESSION] == Size(reflections=4, words=200)


@pytest.mark.covers("ED-40")
def test_facts_reflections_and_digests_are_kept_apart(taught: Taught, clock: FixedClock) -> None:
    """Each listing has its own kind alone, whatever the others hold; forgetting the facts leaves
    the other two.
    """
    memory = condensing(taught, condensed(ONE))
    fact = memory.remember("The door code is 4711", USERS).item
    reflect_on(memory, clock, ONE)

    def held() -> tuple[list[str], list[str], list[str]]:
        items, reflections, digests = (
            memory.items.list(scope=USERS).items,
            memory.reflections.list(USERS),
            memory.reflections.digests(USERS),
        )
        return [i.text for i in items], [r.text for r in reflections], [d.text for d in digests]

    assert held() == ([fact.text], [ONE], [])
    memory.reflections.condense(USERS)
    assert [len(kind) for kind in held()] == [1, 1, 1]
    assert ONE in held()[2][0]
    assert fact.text not in held()[2][0]
    memory.admin.erase("items", scope=USERS)
    assert [len(kind) for kind in held()] == [0, 1, 1]


@pytest.mark.covers("ED-43")
def test_a_scope_has_one_text_of_a_version_and_users_do_not_share_theirs(
    taught: Taught, clock: FixedClock, store: Store
) -> None:
    """The same reflection of two users is two, each with a digest of its own; the database holds a
    version once.
    """
    memory = condensing(taught, condensed(ONE), condensed(ONE))
    bens = Scope(user="ben", agent="clerk", session="bens")
    reflect_on(memory, clock, ONE)
    reflect_on(memory, clock, ONE, scope=bens)
    memory.reflections.condense(USERS)
    memory.reflections.condense(bens)

    (mine,), (his,) = (
        memory.reflections.digests(USERS),
        memory.reflections.digests(Scope(user="ben", agent="clerk")),
    )
    assert (mine.text, mine.scope.user, his.scope.user) == (his.text, "ana", "ben")
    assert mine.id != his.id
    with pytest.raises(OmoideError), store.transaction(tenant=None) as tx:
        Digests(tx).add(replace(mine, id=DigestId("another")), salt=b"salt")


def test_a_round_of_upkeep_condenses_what_is_due(taught: Taught, clock: FixedClock) -> None:
    """Also what its job gave up on; undo of the round takes the digest back, and its reflections
    wait again.
    """
    memory = condensing(taught, "no JSON", "no JSON", condensed(ONE, TWO, THREE, FOUR))
    reflect_on(memory, clock, ONE, TWO, THREE, FOUR)
    assert [state for _, state in work(memory)] == ["ready"]

    done = memory.admin.tidy(only=["condense"])

    assert done.count("condense", "digests") == 1
    assert digest(memory).count("\n- ") == 4
    assert memory.admin.tidy(only=["condense"]).count("condense", "digests") == 0
    memory.undo(done.id, USERS)
    assert digest(memory) == ""
    assert len(memory.reflections.list(USERS, waiting=True)) == 4


def test_a_round_leaves_a_digest_that_may_not_be_for_another_time(
    taught: Taught, clock: FixedClock
) -> None:
    """What the model says is no digest: the old one stands, and the round goes on."""
    memory = condensing(taught, "no JSON", "no JSON")
    reflect_on(memory, clock, ONE, TWO, THREE, FOUR)

    (done,) = memory.admin.tidy(only=["condense"]).chores

    assert (done.counts, done.failed) == ({"digests": 0}, "")
    assert len(memory.reflections.list(USERS, waiting=True)) == 4


def test_a_round_tells_of_digests_that_wait_for_a_model(
    taught: Taught, open_memory: OpenMemory, clock: FixedClock
) -> None:
    """They are in line, and made once there is one."""
    reflect_on(condensing(taught), clock, ONE, TWO, THREE, FOUR)
    memory = open_memory()

    (done,) = memory.admin.tidy(only=["condense"]).chores

    assert done.waits == "1 digest waits for a language model"
    with_model = condensing(taught, condensed(ONE, TWO, THREE, FOUR))
    assert work(with_model) == []
    assert digest(with_model).count("\n- ") == 4


WISHES = "Ana wants answers short, in metric units, without emojis, and recipes without dill"


def test_how_somebody_wants_to_be_treated_is_never_dropped(
    taught: Taught, clock: FixedClock
) -> None:
    """What a new text leaves out of that is put back in its own words, of the old text and of the
    reflections; also where it keeps a part of it.
    """
    less = "Ana wants answers short, in metric units"
    memory = condensing(taught, condensed(less), condensed(TWO))
    reflect_on(memory, clock, WISHES)

    memory.reflections.condense(USERS)
    assert digest(memory) == f"[PREFERENCES]\n- {less}\n- {WISHES}"

    reflect_on(memory, clock, TWO)
    memory.reflections.condense(USERS)
    assert f"- {WISHES}" in digest(memory).splitlines()


def test_what_a_model_says_is_over_goes(taught: Taught, clock: FixedClock) -> None:
    """It names the line; and what a later reflection speaks of goes without that."""
    long = "Ana wants her answers long"
    memory = condensing(taught, condensed(ONE, TWO), condensed(long, gone=[TWO]))
    reflect_on(memory, clock, ONE, TWO)
    memory.reflections.condense(USERS)

    reflect_on(memory, clock, long)
    memory.reflections.condense(USERS)

    assert digest(memory) == f"[PREFERENCES]\n- {long}"
