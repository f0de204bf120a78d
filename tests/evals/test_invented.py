"""What a digest makes up is found, in twelve languages: honest claims as reflections, and lines
that err against them. Names without capitals are for a judge.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from omoide.grounding.invented import SourceText
from tests.evals.claims import NEAR, NOON, Row, mutated
from tests.evals.invented import (
    ANEW,
    FREELY,
    JOINED,
    SWAPPED,
    SWAPPED_WITHIN,
    caught,
    honest,
    joined,
    known,
    portions,
    share,
)

CAUGHT = (
    0.9  # of each kind of error; a number that stands in another line of the digest is not seen
)


def told() -> Iterator[tuple[Row, SourceText]]:
    """Each claim, with the reflections that a digest is made of, it among them."""
    for portion in portions():
        material = SourceText([row.text for row in portion], NOON)
        yield from ((row, material) for row in portion)


def test_what_reflections_say_is_never_taken_for_made_up() -> None:
    """Neither word for word nor two of them in one line."""
    wrong = [row.text for row, material in told() if material.lacks(row.text)]
    for portion in portions():
        material = SourceText([row.text for row in portion], NOON)
        wrong += [line for line in joined(portion) if material.lacks(line)]

    assert wrong == []


WITHOUT_CAPITALS = {"zh", "ja", "ko", "ar", "hi", "de"}  # of names, or of names alone
NAMES = ("name", "transliteration")


def test_what_no_reflection_says_is_found() -> None:
    """Other names with capitals, numbers, units, dates and addresses, and times such as yesterday."""
    material = {(row.language, row.text): found for row, found in told()}
    seen, caught = Counter[str](), Counter[str]()
    for case in mutated(NEAR):
        is_seen = case.kind not in NAMES or case.row.language not in WITHOUT_CAPITALS
        if case.claim.text != case.row.text and is_seen:
            seen[case.kind] += 1
            caught[case.kind] += bool(
                material[case.row.language, case.row.text].lacks(case.claim.text)
            )

    rates = {kind: caught[kind] / count for kind, count in seen.items()}
    assert len(rates) >= 7
    assert {kind: rate for kind, rate in rates.items() if rate < CAUGHT} == {}


LANGUAGES = tuple(dict.fromkeys(portion[0].language for portion in portions()))


@pytest.mark.parametrize(
    ("sort", "least"),
    [(SWAPPED, 0.95), (SWAPPED + ANEW, 0.95), (SWAPPED_WITHIN, 0.75), (SWAPPED_WITHIN + ANEW, 0)],
)
def test_a_known_name_that_is_put_for_another_is_found_in_every_language(
    sort: str, least: float
) -> None:
    """Also in German and in scripts without capitals, and most of them where another line of the
    same digest has it.
    """
    seen, found = caught()

    rates = {one: share(seen, found, sort, [one]) for one in LANGUAGES}
    assert {one: rate for one, rate in rates.items() if rate < least} == {}


def test_known_names_flag_next_to_nothing_that_is_honest() -> None:
    """Beside what the other checks flag: close, in freer words, and two claims in one line."""
    (seen, flagged), (_, others) = honest(), honest(names=False)

    assert flagged.total() - others.total() <= 0.01 * seen.total()
    assert sum(flagged[one, JOINED] for one in LANGUAGES) == 0
    assert share(seen, flagged, FREELY, LANGUAGES) < 0.08
    assert all(known(language) for language in LANGUAGES)
