"""Whether two texts are the same text, in any language. Folding is for search; two words that only
fold alike, such as *Maße* and *Masse*, are two words here.
"""

from __future__ import annotations

import unicodedata

FULL_STOPS = ".。．｡۔।"  # of Latin, East Asian, Arabic and Indic scripts


def same_text(one: str, other: str) -> bool:
    """Whether two texts are equal but for case, white space and one final full stop."""
    return plain(one) == plain(other)


def name_key(name: str) -> str:
    """The form in which equal names are the same: normal form C, lower case, no space around it.
    Accents and width count: *Asa* is not *Åsa*.
    """
    return unicodedata.normalize("NFC", name).lower().strip()


def plain(text: str) -> str:
    """The form in which equal texts are the same: normal form C, lower case, single spaces, without
    one final full stop.

    Accents, width and signs count. ``lower`` and not ``casefold``, which makes *ss* of *ß*.
    """
    words = " ".join(unicodedata.normalize("NFC", text).lower().split())
    bare = words[:-1] if words.endswith(tuple(FULL_STOPS)) else words
    return bare.rstrip() or words
