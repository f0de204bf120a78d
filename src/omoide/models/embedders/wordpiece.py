"""Words and word pieces as uncased BERT models cut them, in plain Python.

Gives the same ids as the tokenizer those models were trained with: control characters go, every
CJK ideograph stands alone, accents and case are folded, punctuation is split off, and each word is
cut greedily into the longest known pieces. Text in any script goes through the same three steps.

Source: Devlin et al., "BERT", NAACL 2019; Wu et al., "Google's Neural Machine Translation System",
2016.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence

from omoide.text.letters import CHARACTERS, Memo

UNKNOWN, START, END, PADDING = "[UNK]", "[CLS]", "[SEP]", "[PAD]"
LONGEST_WORD = 100  # characters; a longer one is unknown as a whole
_CACHED_WORDS = 50_000

_IDEOGRAPHS = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


def _clean(code: int) -> str:
    """Per character: drop controls, blanks become spaces, ideographs stand alone."""
    char = chr(code)
    if char in "\t\n\r" or unicodedata.category(char) == "Zs":
        return " "
    if code == 0xFFFD or unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co"):
        return ""
    return f" {char} " if any(low <= code <= high for low, high in _IDEOGRAPHS) else char


def _folded(code: int) -> str:
    """Per decomposed character: drop accents, lower the case, set punctuation apart."""
    char = chr(code)
    category = unicodedata.category(char)
    if category == "Mn":
        return ""
    # BERT counts $ + < = > ^ ` | ~ as punctuation
    is_mark = category[0] == "P" or (code < 128 and category[0] == "S")
    return f" {char} " if is_mark else char.lower()


_CLEAN, _FOLD = Memo(_clean, CHARACTERS), Memo(_folded, CHARACTERS)


def words(text: str) -> list[str]:
    """The folded words and punctuation marks of a text, in order; ideographs are words of their
    own.
    """
    return unicodedata.normalize("NFD", text.translate(_CLEAN)).translate(_FOLD).split()


class WordPiece:
    """Cuts texts into ids of one vocabulary. Safe to share between threads."""

    def __init__(
        self, vocabulary: Sequence[str], spell: Callable[[str], list[int]] | None = None
    ) -> None:
        """vocabulary: the pieces in the order of their ids; pieces inside a word start with ``##``.

        spell: gives ids, at least one, for a word that cannot be cut, or only into pieces of under
        two characters on average, which say letters and no more. None: such a word keeps its
        letters, or is the unknown piece.
        """
        self._ids = {piece: number for number, piece in enumerate(vocabulary)}
        self.unknown = self._ids[UNKNOWN]
        self.start = self._ids[START]
        self.end = self._ids[END]
        self.padding = self._ids[PADDING]
        self._spell = spell
        self._cut = Memo(self._cut_word, _CACHED_WORDS)

    def ids(self, text: str) -> list[int]:
        """The ids of a whole text, without start and end marks; empty where there is nothing to
        cut.
        """
        ids: list[int] = []
        known, cut = self._ids, self._cut
        for word in words(text):
            whole = known.get(word)
            if whole is not None:
                ids.append(whole)
            else:
                ids += cut[word]
        return ids

    def _cut_word(self, word: str) -> list[int]:
        pieces = self._pieces(word)
        if self._spell and (not pieces or 2 * len(pieces) > len(word)):
            pieces = self._spell(word)
        return pieces or [self.unknown]

    def _pieces(self, word: str) -> list[int]:
        """The longest known piece first, and so on; none for a huge word, or where one piece is
        unknown.
        """
        pieces: list[int] = []
        start = 0 if len(word) <= LONGEST_WORD else len(word)
        while start < len(word):
            for end in range(len(word), start, -1):
                number = self._ids.get(word[start:end] if start == 0 else f"##{word[start:end]}")
                if number is not None:
                    break
            else:
                return []
            pieces.append(number)
            start = end
        return pieces
