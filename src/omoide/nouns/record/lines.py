"""Stored text as a line that is safe to print."""

from __future__ import annotations

import unicodedata

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


def one_line(text: str, limit: int = LINE) -> str:
    """The text on one line of at most so many characters, legible."""
    flat = " ".join(legible(text).split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"
