"""Names that a digest or profile puts for others, by language: what the check of its lines finds,
and what it flags of honest lines.

``python -m tests.evals.invented`` prints the table. The known names are those that the claims of a
language have, as a store would that learnt them all; "unknown" ones it never heard of.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise

from omoide.grounding.invented import SourceText
from tests.evals.claims import FREE, NEAR, NOON, UNSEEN, Row, rows

PORTION = 12  # reflections in one digest
SWAPPED = "known from elsewhere"
SWAPPED_WITHIN = "known from another line"
ANEW = ", in other words"
UNKNOWN = "unknown"
CLOSE, FREELY, JOINED = "close", "free", "two in one line"  # honest lines
Tally = Counter[tuple[str, str]]  # by language and sort of line


@cache
def portions(folder: str = NEAR) -> tuple[tuple[Row, ...], ...]:
    """Claims of one language, as many as a digest has lines."""
    by_language = defaultdict(list)
    for row in rows(folder):
        by_language[row.language].append(row)
    return tuple(
        tuple(found[at : at + PORTION])
        for found in by_language.values()
        for at in range(0, len(found), PORTION)
    )


@cache
def known(language: str) -> tuple[str, ...]:
    """The names of a language's claims, and of who makes them."""
    mine = [row for folder in (NEAR, FREE, UNSEEN) for row in rows(folder)]
    names = (
        name for row in mine if row.language == language for name in (*row.marked("n"), row.speaker)
    )
    return tuple(dict.fromkeys(f"person:{name}" for name in names))


def swapped(portion: tuple[Row, ...]) -> Iterator[tuple[str, str]]:
    """Lines with one name put for another, each with the sort of the other."""
    said = "\n".join(f"{row.speaker} {row.text}" for row in portion)
    labels = [name.partition(":")[2] for name in known(portion[0].language)]
    for row in portion:
        for name in row.marked("n"):
            for other in (*labels, *row.pool):
                if other not in row.text and name not in other and other not in name:
                    sort = SWAPPED_WITHIN if other in said else SWAPPED
                    yield (
                        sort if other in labels else UNKNOWN,
                        row.text.replace(name, other),
                    )


@cache
def caught() -> tuple[Tally, Tally]:
    """How many lines with another name there are, and how many of them are found."""
    seen, found = Tally(), Tally()
    for portion in portions():
        language = portion[0].language
        told = SourceText([row.text for row in portion], NOON, known(language))
        said = SourceText(quotes(portion), NOON, known(language))
        for sort, line in swapped(portion):
            for name, sources in ((sort, told), (sort + ANEW, said)):
                seen[language, name] += 1
                found[language, name] += bool(sources.lacks(line))
    return seen, found


def quotes(portion: tuple[Row, ...]) -> list[str]:
    """What was said, which the claims put in other words."""
    return [f"{row.speaker}: {row.quote}" for row in portion]


@cache
def honest(names: bool = True) -> tuple[Tally, Tally]:
    """How many honest lines there are, and how many of them are flagged; without names, by the
    other checks alone.
    """
    seen, flagged = Tally(), Tally()
    for folder in (NEAR, FREE, UNSEEN):
        for portion in portions(folder):
            language = portion[0].language
            here = known(language) if names else ()
            said = SourceText(quotes(portion), NOON, here)
            told = SourceText([row.text for row in portion], NOON, here)
            sort = CLOSE if folder == NEAR else FREELY
            lines = [(sort, row.text, said) for row in portion]
            lines += [(JOINED, line, told) for line in joined(portion)]
            for sort, line, sources in lines:
                seen[language, sort] += 1
                flagged[language, sort] += bool(sources.lacks(line))
    return seen, flagged


def joined(portion: tuple[Row, ...]) -> list[str]:
    """Two claims of one person in one line."""
    return [
        f"{one.text}; {other.text}"
        for one, other in pairwise(portion)
        if one.speaker == other.speaker
    ]


def share(seen: Tally, found: Tally, sort: str, languages: Iterable[str]) -> float:
    """The share of a sort that was found, in these languages."""
    count = sum(seen[one, sort] for one in languages)
    return sum(found[one, sort] for one in languages) / count


def table() -> str:
    """A line for each language: names caught, honest lines flagged."""
    wrong, right, others = caught(), honest(), honest(names=False)
    languages = sorted({language for language, _ in wrong[0]})
    sorts = (SWAPPED, SWAPPED + ANEW, SWAPPED_WITHIN, SWAPPED_WITHIN + ANEW, UNKNOWN)
    lines = ["| | " + " | ".join((*sorts, CLOSE, FREELY, JOINED)) + " |"]
    for name, here in (*((one, [one]) for one in languages), ("all", languages)):
        cells = [f"{share(*wrong, sort, here):.0%}" for sort in sorts]
        for sort in (CLOSE, FREELY, JOINED):
            counts = [sum(tally[one, sort] for one in here) for tally in (others[1], *right[::-1])]
            cells.append(f"{counts[0]} → {counts[1]} of {counts[2]}")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(f"{table()}\n")
