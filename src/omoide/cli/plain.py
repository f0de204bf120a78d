"""What a command prints, as plain JSON and plain characters."""

from __future__ import annotations

import sys

from omoide.nouns.record.plain import plain

__all__ = ["plain", "printable"]


def printable(text: str) -> str:
    """The text with what this output cannot print, such as lone surrogates, as escapes."""
    encoding = sys.stdout.encoding or "ascii"
    return text.encode(encoding, "backslashreplace").decode(encoding)
