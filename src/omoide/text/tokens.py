"""How many tokens a text costs a language model, estimated without its vocabulary.

Byte-pair vocabularies spend about one token on four bytes of UTF-8; on Chinese, Japanese and Korean about one a
character, which is three bytes. The estimate errs on the high side, so that a budget kept by it is kept. Who
needs the exact number passes a `Counter` of their own.
"""

from __future__ import annotations

import re
from typing import Protocol

_BYTES_A_TOKEN = 4
# kana, Chinese characters, Hangul syllables, and the signs written with them at full width
_WIDE = re.compile("[\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uff60\U00020000-\U0003ffff]")
_BYTES_OF_WIDE = 3


class Counter(Protocol):
    """Anything that counts the tokens of a text: `count_tokens`, or the tokenizer of a model."""

    def __call__(self, text: str, /) -> int:
        """The number of tokens, 0 or more."""
        ...


def count_tokens(text: str) -> int:
    """About how many tokens a model reads this text as; 0 for the empty text, else at least 1."""
    if text.isascii():
        return -(-len(text) // _BYTES_A_TOKEN)
    wide = len(_WIDE.findall(text))
    size = len(text.encode("utf-8", "surrogatepass")) - wide * _BYTES_OF_WIDE
    return wide + -(-size // _BYTES_A_TOKEN)
