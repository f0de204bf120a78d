"""Agreement with an evaluation set of time expressions, and every difference from it known with its
reason.

The set is not part of the repository: ``OMOIDE_EVAL_DATA`` names the folder that holds it. Each key
is a reference time and a query, each value the interval it names, with an inclusive end, or null.
Run this file itself to print the differences with both answers: ``python -m
tests.unit.test_times_golden``.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import pytest

from omoide.text.times import LATEST, find_interval

FILE = Path(os.environ.get("OMOIDE_EVAL_DATA", "")) / "time-expressions" / "golden-dev.json.gz"
AT_LEAST = 0.93

# Why ours differs, and the first ten figures of the SHA-256 of each such key.
# docs/measurements/time-expressions.md tells more.
KNOWN = {
    "no-interval": (
        """1b9778a49c 20586108e1 301e43faa9 3ecc8d900d 4778a94e8b 4f6c6fb938 5270d3fc4f 5b74897828 6b3238f74c
        6d6e6110ff 7034b95e6d 74b05cb1d3 91d28b693b 9ff7bd34be b4a3f93e6b c219e2c084 d66015d0f8 ddb5a57bcb fab47c0dfc"""
    ),
    "collapsed": (
        """16826063ba 2c21d009f7 303b0d2d76 311d6cda42 360d0b9e21 667088d50f 93a7fe1d2a bd72a40fcc c6e37eb113
        ca1c614dfe"""
    ),
    "ordinary-word": (
        "069e6025fe 2a1a8530a4 54ba6a8eb3 8a4f4dd635 9d915e4212 c5f885fae5 d47e45d33f d932f119fa"
        " ea7740a641"
    ),
    "time-of-day": "5ce3740977 5ce70e7d66 b2297ba760 c45a8ae5b8 ce4107326c d59d4e653f f177fd3af0",
    "weekend": "42e9689aa7 547be3c57e 58ee3d9146 7c0b17bd62 c743fdee67 ce55dddc58",
    "unknown-event": "204faa0a45 3fdf199ff2 570239b7f1 dacbac4d6b",
    "impossible-date": "a6b7d44bec",
}
REASONS = {key: reason for reason, keys in KNOWN.items() for key in keys.split()}

Times = tuple[datetime, datetime] | None


class Difference(NamedTuple):
    """A pair on which the two answers differ."""

    key: str
    theirs: Times
    ours: Times

    @property
    def mark(self) -> str:
        """What stands for the key in the list of known differences."""
        return hashlib.sha256(self.key.encode()).hexdigest()[:10]


def pairs() -> dict[str, list[str] | None]:
    """The whole set; the test is skipped where it is absent."""
    if not FILE.is_file():
        pytest.skip(
            f"no {FILE.name}: set OMOIDE_EVAL_DATA to the folder that holds time-expressions/"
        )
    found: dict[str, list[str] | None] = json.loads(gzip.decompress(FILE.read_bytes()))
    return found


def exclusive(ends: list[str]) -> Times:
    """Their interval with an exclusive end, within our sentinel."""
    start, last = (datetime.fromisoformat(text).replace(tzinfo=UTC) for text in ends)
    return start, min(last, LATEST - timedelta(microseconds=1)) + timedelta(microseconds=1)


def differences(golden: dict[str, list[str] | None]) -> Iterator[Difference]:
    """Every pair that we read otherwise."""
    for key, ends in golden.items():
        moment, _, query = key.partition("\x1f")
        found = find_interval(query, datetime.fromisoformat(moment).replace(tzinfo=UTC))
        theirs, ours = (
            exclusive(ends) if ends else None,
            (found.start, found.end) if found else None,
        )
        if theirs != ours:
            yield Difference(key, theirs, ours)


def test_agreement_is_at_least_93_percent() -> None:
    """Of all pairs of the set, at least 93 in 100 get the very interval it has."""
    golden = pairs()

    assert len(golden) > 1000
    assert 1 - len(list(differences(golden))) / len(golden) >= AT_LEAST


def test_every_difference_is_known_with_its_reason() -> None:
    """No answer changes unnoticed: the list of differences is exact in both directions."""
    found = {difference.mark for difference in differences(pairs())}

    assert sorted(found - REASONS.keys()) == []
    assert sorted(REASONS.keys() - found) == []


def tell(difference: Difference) -> str:
    """One difference as a line: reason, both answers, and the query with its reference time."""
    answers = [
        f"{times[0]:%Y-%m-%d %H:%M}..{times[1]:%Y-%m-%d %H:%M}" if times else "none"
        for times in (difference.theirs, difference.ours)
    ]
    return (
        "\t".join(
            [
                REASONS.get(difference.mark, "UNKNOWN"),
                difference.mark,
                *answers,
                repr(difference.key),
            ]
        )
        + "\n"
    )


if __name__ == "__main__":
    sys.stdout.writelines(sorted(map(tell, differences(pairs()))))
