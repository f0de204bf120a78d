"""Stored text and counts as lines that are safe to print."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence

LINE = 200  # characters of a text that a line shows
JOINERS = "\u200c\u200d"  # have no shape of their own, but change that of the letters around them


def legible(text: str) -> str:
    """The text without escape sequences, hidden or direction-changing characters."""
    return "".join(
        c if c in ("\n", *JOINERS) or unicodedata.category(c) not in ("Cc", "Cf") else " "
        for c in text
    )


def with_article(noun: str) -> str:
    """A noun with ``a`` or ``an`` before it, by its first letter."""
    return f"an {noun}" if noun[:1].lower() in tuple("aeio") else f"a {noun}"


def one_of(names: Sequence[str]) -> str:
    """Names of which one is to be chosen, such as ``yes, no or ask``."""
    *others, last = names
    return f"{', '.join(others)} or {last}"


def one_line(text: str, limit: int = LINE) -> str:
    """The text on one line of at most so many characters, legible."""
    flat = " ".join(legible(text).split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


def counted(count: int, thing: str) -> str:
    """So many of a thing, such as ``1 turn`` or ``2 entities``; the thing may be named in the
    plural.
    """
    one = thing.replace("_", " ")
    one = one[:-3] + "y" if one.endswith("ies") else one.removesuffix("s")
    return f"{count} {one if count == 1 else one[:-1] + 'ies' if one.endswith('ty') else one + 's'}"


def in_words(counts: Mapping[str, int]) -> str:
    """Counts by kind of record; those of nothing and of entries of the search index, which go with
    what they find, are left out.
    """
    told = [
        counted(count, kind)
        for kind, count in counts.items()
        if count and kind not in ("documents", "unsaid")
    ]
    if changed := counts.get("unsaid", 0):
        told.append(f"{counted(changed, 'item')} that it had changed set right")
    return ", ".join(told) or "nothing"
