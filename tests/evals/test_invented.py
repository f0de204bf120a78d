"""What a digest makes up is found, in twelve languages: honest claims as reflections, and lines
that err against them. Names without capitals are for a judge.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from omoide.grounding.invented import SourceText
from tests.evals.claims import NEAR, NOON, Row, mutated, rows

PORTION = 12  # reflections in one digest
CAUGHT = (
    0.9  # of each kind of error; a number that stands in another line of the digest is not seen
)


@cache
def portions() -> tuple[tuple[Row, ...], ...]:
    """Claims of one language, as many as a digest has lines."""
    by_language = defaultdict(list)
    for row in rows(NEAR):
        by_language[row.language].append(row)
    return tuple(
        tuple(found[at : at + PORTION])
        for found in by_language.values()
        for at in range(0, len(found), PORTION)
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
        merged = [
            f"{one.text}; {other.text}"
            for one, other in pairwise(portion)
            if one.speaker == other.speaker
        ]
        wrong += [line for line in merged if material.lacks(line)]

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
