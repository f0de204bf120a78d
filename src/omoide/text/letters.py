"""Characters: what script they are of, and the form in which texts are compared.

Two forms of a text:

- `normal` is NFKC without what cannot be seen (soft hyphens, joiners, variation selectors); upper
  case and
  accents stay, because stemming needs accents and identifiers need their capitals.
- `fold` is what two spellings of one word have in common: no case, no accents, no vowel points,
  plain digits.
  Marks that carry meaning stay: the vowel signs of Indic and South-East Asian scripts, й in
  Cyrillic, the voicing marks of kana.

Both are NFKC with case folding in the sense of Unicode Standard Annex 15 and section 3.13; the
letters that no decomposition touches (ł, ø, ı, the forms of alef) are folded as the Unicode search
collation treats them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import TypeVar

QUESTION_SIGNS = "?？؟⸮՞፧"

K = TypeVar("K")
V = TypeVar("V")

# Sorting combining marks is quadratic in the length of a run of them, so longer texts are
# normalised in pieces.
_PIECE = 512
_REMEMBERED = 64  # characters
CHARACTERS = 32_768  # of which classes are remembered

# a letter with a mark folds to the letter
_ACCENTED_SCRIPTS = frozenset({"LATIN", "GREEK", "ARABIC", "HEBREW"})
_STRIPPED_MARKS = frozenset({"COMBINING", "ARABIC", "HEBREW", "SYRIAC"})
_HONORIFICS = "\ufdfa\ufdfb"  # ligatures that NFKC blows up to 18 and 8 letters

# Vowel signs and the like, which scripts of India and South-East Asia write around letters; to
# stand in a class of characters.
MARKS = "".join(
    chr(code) for code in range(0x900, 0x2000) if unicodedata.category(chr(code)).startswith("M")
)

_FOLDED = str.maketrans(
    {
        **{
            "ł": "l",
            "ø": "o",
            "đ": "d",
            "ð": "d",
            "þ": "th",
            "æ": "ae",
            "œ": "oe",
            "ı": "i",
            "ħ": "h",
            "ŧ": "t",
            "ŋ": "n",
            "ə": "e",
        },
        "ё": "е",
        # one letter, typed in different ways on Arabic, Persian and Urdu keyboards
        **{
            "ى": "ي",
            "ی": "ي",
            "ې": "ي",
            "ے": "ي",
            "ک": "ك",
            "ة": "ه",
            "ہ": "ه",
            "ھ": "ه",
            "ە": "ه",
            "ٱ": "ا",
        },
        "ـ": "",  # the Arabic lengthening stroke
    }
)


class Memo(dict[K, V]):
    """A pure function that remembers its answers, and forgets all of them whenever it holds
    ``limit``.

    Read it like a mapping: ``memo[argument]``. Texts of more than 64 characters are answered, not
    remembered. Usable from any thread.
    """

    def __init__(self, function: Callable[[K], V], limit: int) -> None:
        super().__init__()
        self._function, self._limit = function, limit

    def __missing__(self, key: K) -> V:
        value = self._function(key)
        if isinstance(key, str) and len(key) > _REMEMBERED:
            return value
        if len(self) >= self._limit:
            self.clear()
        self[key] = value
        return value


def _script(char: str) -> str:
    return unicodedata.name(char, "").partition(" ")[0] if char.isalpha() else ""


_SCRIPTS = Memo(_script, CHARACTERS)


def script_of(char: str) -> str:
    """The script of a letter, as its Unicode name begins: ``LATIN``, ``CYRILLIC``, ``CJK``; "" if
    it is no letter.
    """
    return _SCRIPTS[char]


def normal(text: str) -> str:
    """NFKC without invisible characters; case and accents stay."""
    if text.isascii():
        return text
    seen = text.translate(_VISIBLE)
    return "".join(
        unicodedata.normalize("NFKC", seen[at : at + _PIECE]) for at in range(0, len(seen), _PIECE)
    )


def fold(text: str) -> str:
    """The form in which texts of any script are compared: ``fold("Café") == fold("CAFE\u0301") ==
    "cafe"``.

    For comparison and keys, not for show. Folding twice changes nothing more. Punctuation and
    spaces stay.
    """
    return fold_normal(normal(text))


def fold_normal(text: str) -> str:
    """`fold` for a text that is in `normal` form already."""
    # lower case before folding it: casefold alone leaves a dot behind the Turkish capital İ
    lower = text.lower()
    if text.isascii():
        return lower
    folded = lower.casefold()
    return (folded if folded == text else normal(folded)).translate(_COMPARED)


def _visible(code: int) -> str | None:
    char = chr(code)
    unseen = (
        unicodedata.category(char) == "Cf"
        or char in _HONORIFICS
        or unicodedata.name(char, "").startswith("VARIATION SELECTOR")
    )
    return None if unseen else char


def _compared(code: int) -> str | None:
    if code in _FOLDED:
        return str(_FOLDED[code])
    char = chr(code)
    category = unicodedata.category(char)
    if category == "Nd":
        return str(unicodedata.decimal(char))
    if category[0] == "M":
        name = unicodedata.name(char, "")
        return (
            None
            if name.partition(" ")[0] in _STRIPPED_MARKS or name.endswith("SIGN NUKTA")
            else char
        )
    base = unicodedata.normalize("NFD", char)[0]
    return _COMPARED[ord(base)] if base != char and script_of(char) in _ACCENTED_SCRIPTS else char


_VISIBLE = Memo(_visible, CHARACTERS)
_COMPARED = Memo(_compared, CHARACTERS)
