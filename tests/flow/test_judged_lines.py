"""A judge is asked once about the new lines of a profile, a digest or reflections: what it denies
is dropped, and what that was made of is put back.
"""

from __future__ import annotations

from typing import Any

import pytest

from omoide.memory import Memory
from omoide.models.chat.base import Ask, Purpose
from omoide.nouns.clock import FixedClock
from omoide.nouns.errors import BadAnswer
from omoide.nouns.item import Details, Source
from omoide.nouns.reflection import read_digests
from tests.fix_memory import ANA
from tests.fix_teaching import Taught, say
from tests.flow.test_profile import outline
from tests.reflecting import ALL_ON, HERE, USERS, condensed, reflect_on, thoughts

SAID = Details(source=Source.USER)
SISTER, BROTHER = "Ana's sister Nadia eats no meat", "Ana's brother Omar plays the harp"
SWAPPED = "Ana's brother Omar eats no meat"


def verdicts(**supported: str) -> dict[str, Any]:
    """An answer of a judge: ``n1="no"`` for the first line."""
    return {"verdicts": [{"note": int(n[1:]), "supported": said} for n, said in supported.items()]}


def judged(taught: Taught, purpose: Purpose, answer: Any, verdict: Any, **settings: Any) -> Memory:
    """A memory whose model gives one answer for a purpose, with a judge who says the same to all."""

    def reflect(ask: Ask) -> dict[str, Any]:
        lines = [line for line in ask.text.splitlines() if " Ana: " in line]
        said = [line.split(" Ana: ", 1)[1] for line in lines if not line.startswith("earlier")]
        return thoughts(
            *(
                {"level": "user", "text": text, "quote": text, "turn": n}
                for n, text in enumerate(said, start=1)
            )
        )

    script: Any = {
        Purpose.EXTRACT: lambda _: {"items": []},
        Purpose.REFLECT: reflect,
        Purpose.JUDGE: lambda _: verdict,
        purpose: answer if callable(answer) else lambda _: answer,
    }
    return taught(script=script, reflect=True, switches=ALL_ON, **settings)


def asked(taught: Taught, purpose: Purpose = Purpose.JUDGE) -> list[Ask]:
    """The questions of a purpose so far."""
    return [ask for ask in taught.model.asked if ask.purpose is purpose]


def profile_of(memory: Memory) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The lines of Ana's profile, sorted, and what is degraded."""
    found = memory.reflections.profile(ANA)
    assert found is not None
    return tuple(sorted(found.lines)), found.degraded


def test_a_line_that_a_judge_denies_is_in_no_profile(taught: Taught) -> None:
    """What it was made of is put back in its own words, and how many lines went is told."""
    answer = outline((BROTHER, "k2"), (SWAPPED, "k1 k2"))
    memory = judged(taught, Purpose.PROFILE, answer, verdicts(n1="no"))
    memory.remember(SISTER, details=SAID)
    memory.remember(BROTHER, details=SAID)

    assert profile_of(memory) == (
        (BROTHER, SISTER),
        ("profile: 1 line said what no item says",),
    )
    (ask,) = asked(taught)
    assert ask.text == f"Records:\nk1: {SISTER}\nk2: {BROTHER}\nLines:\n1 of k1, k2: {SWAPPED}"


def test_a_line_that_only_the_checks_doubt_stands_where_a_judge_bears_it_out(
    taught: Taught,
) -> None:
    """Free words have few of the item's."""
    free = "Vegetarian: Nadia"
    memory = judged(taught, Purpose.PROFILE, outline((free, "k1")), verdicts(n1="yes"))
    memory.remember(SISTER, details=SAID)

    assert free in profile_of(memory)[0]


@pytest.mark.parametrize("verdict", [verdicts(n1="yes"), verdicts()])
def test_no_judge_lets_an_address_through(taught: Taught, verdict: Any) -> None:
    """Nobody gave it: it would lead elsewhere."""
    line = f"{SISTER}, see https://example.org/meat"
    answer = outline((line, "k1"), (SISTER, "k1"))
    memory = judged(taught, Purpose.PROFILE, answer, verdict)
    memory.remember(SISTER, details=SAID)

    assert profile_of(memory)[0] == (SISTER,)


def test_where_nothing_new_stands_no_judge_is_asked(taught: Taught, clock: FixedClock) -> None:
    """Lines that are word for word those of their sources; nor where the judge is off."""
    memory = judged(taught, Purpose.PROFILE, outline((SISTER, "k1")), verdicts(n1="no"))
    memory.remember(SISTER, details=SAID)
    assert profile_of(memory) == ((SISTER,), ())
    assert asked(taught) == []

    memory = judged(taught, Purpose.CONDENSE, condensed(SISTER, BROTHER), verdicts(n1="no"))
    reflect_on(memory, clock, SISTER, BROTHER)
    assert len(memory.reflections.condense(USERS)) == 1
    assert asked(taught) == []

    mails = "Ana writes all her mails in Portuguese"
    answer = condensed(SISTER, BROTHER, f"{mails} now")
    memory = judged(taught, Purpose.CONDENSE, answer, verdicts(n1="no"), judge=False)
    reflect_on(memory, clock, mails)
    assert len(memory.reflections.condense(USERS)) == 1
    assert asked(taught) == []


def digest(memory: Memory) -> str:
    """The text of the user's digest after it was condensed."""
    (made,) = memory.reflections.condense(USERS)
    return made.text


@pytest.mark.parametrize("verdict", ["no", "partly"])
def test_a_line_that_a_judge_denies_is_in_no_digest(
    taught: Taught, clock: FixedClock, verdict: str
) -> None:
    """Its reflection is put back in the section where the line stood."""
    answer = condensed(goals=[BROTHER, SWAPPED])
    memory = judged(taught, Purpose.CONDENSE, answer, verdicts(n1=verdict))
    reflect_on(memory, clock, BROTHER, SISTER)

    assert digest(memory) == f"[GOALS AND PROJECTS]\n- {BROTHER}\n- {SISTER}"
    (ask,) = asked(taught)
    assert ask.text == f"Records:\nk1: {BROTHER}\nk2: {SISTER}\nLines:\n1: {SWAPPED}"
    assert len(asked(taught, Purpose.CONDENSE)) == 1


def test_a_line_of_which_no_judge_says_anything_is_told_by_the_checks(
    taught: Taught, clock: FixedClock
) -> None:
    """One goes, one stays."""
    answer = condensed("Ana's sister Nadia eats no meat at all", "Ana's brother Otto has a harp")
    memory = judged(taught, Purpose.CONDENSE, answer, verdicts())
    reflect_on(memory, clock, SISTER, BROTHER)

    assert digest(memory) == (
        f"[PREFERENCES]\n- Ana's sister Nadia eats no meat at all\n- {BROTHER}"
    )


def test_what_has_no_room_for_its_own_words_is_no_digest(taught: Taught, clock: FixedClock) -> None:
    """The reflections wait on, so nothing is lost."""
    memory = judged(
        taught,
        Purpose.CONDENSE,
        condensed("Omar eats no meat"),
        verdicts(n1="no"),
        digests=read_digests("user=2/6"),
    )
    reflect_on(memory, clock, SISTER)

    with pytest.raises(BadAnswer, match="has no room"):
        memory.reflections.condense(USERS)
    assert len(memory.reflections.list(USERS, waiting=True)) == 1


@pytest.mark.parametrize(
    ("said", "text", "name"),
    [
        ("Nadia isst kein Fleisch", "Dorothea isst kein Fleisch", "Dorothea"),
        ("娜佳不吃肉，喜欢喝茶", "李明不吃肉，喜欢喝茶", "李明"),
        ("ナディアは肉を食べない", "健太は肉を食べない", "健太"),
        ("나디아는 고기를 먹지 않는다", "민호는 고기를 먹지 않는다", "민호"),
        ("نادية لا تأكل اللحم أبدا", "سلمى لا تأكل اللحم أبدا", "سلمى"),
        ("नादिया मांस नहीं खाती है", "उर्मिला मांस नहीं खाती है", "उर्मिला"),
    ],
)
def test_a_name_that_is_known_from_elsewhere_is_put_for_no_other(
    taught: Taught, clock: FixedClock, said: str, text: str, name: str
) -> None:
    """Without a judge, in scripts without capitals and in German: neither in a profile nor in a
    digest.
    """
    memory = judged(taught, Purpose.PROFILE, outline((text, "k2"), (said, "k2")), {}, judge=False)
    memory.remember(f"{name}: 1970", entities=[f"person:{name}"])
    memory.remember(said, details=SAID)
    assert text not in profile_of(memory)[0]

    memory = judged(taught, Purpose.CONDENSE, condensed(text), {}, judge=False)
    reflect_on(memory, clock, said)
    with pytest.raises(BadAnswer, match="ungrounded_name"):
        memory.reflections.condense(USERS)


PHONE = "Please keep answers short, I read them on my phone."


def reflection_of(taught: Taught, text: str, verdict: Any) -> tuple[Memory, Any]:
    """A memory that formed a reflection of what Ana said, and what came of it."""
    thought = {"level": "user", "text": text, "quote": PHONE, "turn": 1}
    memory = judged(taught, Purpose.REFLECT, thoughts(thought), verdict)
    say(memory, PHONE, scope=HERE)
    ((pondered,),) = (done.pondered for done in memory.reflections.add("talk", HERE))
    return memory, pondered


@pytest.mark.parametrize(
    ("text", "verdict", "kept", "why"),
    [
        ("Ana reads answers on her phone, keep them short", "yes", True, None),
        ("Ana reads answers on her phone, keep them short", "partly", True, None),
        ("Ana reads answers on her phone, keep them short", "no", False, None),
        ("Ana reads 9 answers on her phone, keep them short", "yes", True, None),
        ("Ana reads 9 answers on her phone, keep them short", "partly", True, "never confirmed"),
        ("Ana reads 9 answers on her phone, keep them short", "no", False, None),
    ],
)
def test_a_judge_tells_whether_a_reflection_is_one(
    taught: Taught, text: str, verdict: str, kept: bool, why: str | None
) -> None:
    """What it denies is refused, and what it bears out is not in doubt any more. A rule may say
    more than the talk in part.
    """
    memory, pondered = reflection_of(taught, text, verdicts(n1=verdict))

    found = memory.reflections.list(USERS)
    assert [one.text for one in found] == ([text] if kept else [])
    assert pondered.refused == ("" if kept else "judged_no")
    assert [one.unconfirmed for one in found] == ([why] if kept else [])
    (ask,) = asked(taught)
    assert ask.text == f"Records:\nk1: Ana: {PHONE}\nLines:\n1 of k1: {text}"


def test_a_reflection_that_names_somebody_known_whom_nobody_named_is_unconfirmed(
    taught: Taught,
) -> None:
    """In German, where every noun has a capital."""
    text = "Kranich liest Antworten auf dem Telefon, also kurz halten"
    thought = {"level": "user", "text": text, "quote": "Bitte kurz, am Telefon", "turn": 1}
    memory = judged(taught, Purpose.REFLECT, thoughts(thought), {}, judge=False)
    memory.remember("Kranich ist eine Firma", entities=["organisation:Kranich"])
    say(memory, "Bitte kurz, am Telefon kann ich lange Antworten nicht lesen", scope=HERE)
    memory.reflections.add("talk", HERE)

    (found,) = memory.reflections.list(USERS)
    assert found.unconfirmed == "never confirmed"
