"""The long words of a partition, by how they begin and end."""

from __future__ import annotations

import threading

from hypothesis import given
from hypothesis import strategies as st

from omoide.store.search.long_words import MOST, LongWords, shortest_first
from omoide.text.compounds import LONG, may_hold

STEMS = st.text("adehlmnorsßøü", min_size=3, max_size=14)


def held(*texts: str) -> LongWords:
    words = LongWords()
    words.add(texts)
    return words


def native(*stems: str) -> str:
    return " ".join("~" + stem for stem in stems)


@given(st.lists(st.lists(STEMS, max_size=20), max_size=6), st.lists(STEMS, min_size=1, max_size=3))
def test_what_is_found_is_what_is_there_however_it_came(
    batches: list[list[str]], asked: list[str]
) -> None:
    """In one go or in several, before the first question or after, the same longer words are found,
    the shortest first.
    """
    joined = [
        [
            *batch,
            *(f"{stem}r{asked[0]}" for stem in batch),
            *(f"{asked[0]}r{stem}" for stem in batch),
        ]
        for batch in batches
    ]
    once, slowly = held(*(native(*batch) for batch in joined)), LongWords()
    for batch in joined:
        slowly.add([native(*batch)])
        slowly.holding("~" + asked[0])
    everything = {
        "~" + stem
        for batch in joined
        for stem in batch
        if LONG <= len(stem) and len(stem.encode()) < 32
    }

    for term in ("~" + stem for stem in asked):
        around = [
            word for word in everything if word[1:].startswith(term[1:]) or word.endswith(term[1:])
        ]
        right = sorted((word for word in around if may_hold(word, term)), key=shortest_first)
        assert once.holding(term) == slowly.holding(term)
        if len(around) <= MOST:
            assert once.holding(term) == right


def test_many_words_are_sorted_and_found_as_few_are() -> None:
    """Sorting what came makes no difference, and a word that comes twice is there once."""
    several = LongWords()
    stems = [f"{a}{b}{c}schlussel" for a in "bdfghk" for b in "aeiou" for c in "nrst"]
    for start in range(0, len(stems), 7):
        several.add([native(*stems[start : start + 7], *stems[:3])])
        several.holding("~schlussel")
    many = held(
        native(
            *(
                f"{a}{b}{c}{d}haustur"
                for a in "bdfghk"
                for b in "aeiou"
                for c in "nrst"
                for d in "aeiou"
            )
        ),
        native(*stems),
    )

    assert several.holding("~schlussel") == many.holding("~schlussel")
    assert len(set(many.holding("~schlussel"))) == len(set(many.holding("~haustur"))) == MOST


def test_basic_forms_are_kept_of_short_texts_alone() -> None:
    """A text that has native stems, or is long enough to tell its language, is known by these."""
    filler = " ".join("word" for _ in range(12))
    words = held("leere mehldose", f"teedose {filler}", "keksdose ~keksdos")

    assert words.holding("dose") == ["mehldose"]
    assert words.holding("~dos") == ["~keksdos"]


def test_words_with_digits_or_signs_and_those_of_other_scripts_are_not_kept() -> None:
    """Nobody writes them together."""
    words = held("~abc123schlussel ~haus-schlussel ~" + "x" * 40 + "schlussel", "~книгаschlussel")

    assert words.holding("~schlussel") == []


def test_questions_of_many_threads_amid_additions_are_answered() -> None:
    """What was there before is found by every one of them."""
    words, found = held(native("hausturschlussel")), list[list[str]]()

    def ask() -> None:
        found.extend(words.holding("~schlussel") for _ in range(200))

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for number in range(300):
        words.add(
            [
                native(
                    f"{'abcdefghij'[number % 10] * 3}{'klmnopqrst'[number // 10 % 10] * 3}{'aeo'[number // 100]}wort"
                )
            ]
        )
    for thread in threads:
        thread.join()

    assert found == [["~hausturschlussel"]] * 600
    assert len(words.holding("~wort")) == MOST


def test_memory_is_told() -> None:
    """Nothing for English, and about 64 bytes for each word once a question came."""
    assert held("the book ~book the garden gate of the house by the sea and so on").nbytes == 0
    words = held(
        native(*(f"{a}{b}{c}schlussel" for a in "bdfghk" for b in "aeiou" for c in "aeiounrst"))
    )
    words.holding("~schlussel")

    assert 0 < words.nbytes < 70 * 270
