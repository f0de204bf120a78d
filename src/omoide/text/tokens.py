"""How many tokens a text costs a language model, estimated without its vocabulary.

Byte-pair vocabularies spend about one token on four bytes of UTF-8. They spend more on what varies
freely: one on about two digits or signs, one on a Chinese, Japanese or Korean character (three
bytes), two on an emoji (four). Against the vocabulary o200k that is 3 to 30 % high for code and for
prose in Latin script, Chinese, Japanese and Korean, higher for other scripts, and up to a quarter
low for bare numbers and hashes. Who needs the exact number passes a `Counter` of their own.
"""

from __future__ import annotations

import re
from typing import Protocol

_QUARTERS = 4  # of a token: all is counted in quarters, a byte being one
_DENSE = re.compile(r"[0-9!-/:-@\[-`{-~]")
_WIDE = re.compile(
    "[\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uff60\U00020000-\U0003ffff]"
)
_PICTURE = re.compile("[\U0001f000-\U0001faff]")
_MORE_A_PICTURE = 4  # quarters beyond its bytes


class Counter(Protocol):
    """Anything that counts the tokens of a text: `count_tokens`, or the tokenizer of a model."""

    def __call__(self, text: str, /) -> int:
        """The number of tokens, 0 or more."""
        ...


def count_tokens(text: str) -> int:
    """About how many tokens a model reads this text as; 0 for the empty text, else at least 1."""
    quarters = len(text.encode("utf-8", "surrogatepass")) + len(_DENSE.findall(text))
    if not text.isascii():
        quarters += len(_WIDE.findall(text)) + _MORE_A_PICTURE * len(_PICTURE.findall(text))
    return -(-quarters // _QUARTERS)
