"""The recovery words of a wallet: told by the words before them, or by themselves."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from itertools import dropwhile

from omoide.text.secrets import words
from omoide.text.secrets.names import Name, Span
from omoide.text.secrets.values import HIDDEN

_SEED_WORD = r"(?:[0-9]{1,2}[.):]\s{0,2})?[^\W\d_]{3,12}"
_SEED = re.compile(rf"{_SEED_WORD}(?:[\s,、，·|-]{{1,4}}{_SEED_WORD}){{11,24}}")
_SIGN_WORD = r"[\u3041-\u30ff\u4e00-\u9fff\uac00-\ud7af]{1,9}"
_SIGN_SEED = re.compile(rf"{_SIGN_WORD}(?:[\s,、，\u3000]{{1,3}}{_SIGN_WORD}){{11,24}}")
# not in the list of BIP 39
_NEVER_SEED = frozenset(
    "the and are was for from were has had been which would should could is".split()
)
# What stands between a wallet's name and its words: something with a colon or link at its end, or
# only space.
_SEED_LEAD = re.compile(
    rf"(?:[^:：=\n{HIDDEN}]{{0,60}}?(?:[:：=]|(?<![^\W_])(?:is|are|lautet|ist|est|es|è|é|jest|это)(?![^\W_])|是|は|는|은)\s{{0,2}}[:：=]?)?"
    r"[\s\"'`“”«»„「*]{0,6}"
)
_SEED_SIZES = (24, 21, 18, 15, 12)


def seed_after(name: Name) -> Iterator[Span]:
    """The recovery words of a wallet: 12, 15, 18, 21 or 24 of them."""
    low = name.low
    lead = _SEED_LEAD.match(low, name.end)
    start = lead.end() if lead else name.end
    match = _SEED.match(low, start) or _SIGN_SEED.match(low, start)
    if not match or not _is_wallet(name, match[0]):
        return
    every = re.compile(r"[^\W\d_]+").finditer(low, *match.span())
    found = list(dropwhile(lambda word: word[0] in words.LINKS or word[0] in _NEVER_SEED, every))
    size = next((size for size in _SEED_SIZES if size <= len(found)), 0)
    if size and not any(word[0] in _NEVER_SEED for word in found[:size]):
        yield found[0].start(), found[size - 1].end()


_WALLET = re.compile(
    r"seed|wallet|recovery|backup|ledger|trezor|metamask|crypto|mnemonic|bitcoin|phantom|secret"
    r" phrase"
)


def _is_wallet(name: Name, found: str) -> bool:
    """Whether words after "words", "phrase" or "seed" are those of a wallet."""
    if name.word in ("words", "phrase", "phrases"):
        return _WALLET.search(name.low, name.back(40), name.forth(40)) is not None
    return (
        name.word not in ("seed", "seeds")
        or re.fullmatch(r"[^\W\d_]+(?: [^\W\d_]+){11,24}", found) is not None
    )


FEWEST_WORDS = 12  # of a recovery phrase
_MOST_WORDS = 30  # of the longest one, and some beside it
_NUMBERS = ".,;:|•()-0123456789"
_TOKEN = re.compile(r"[a-z]+|(?<=[a-z])[.:!?](?=\s)|[^\sa-z0-9.,;:|•()-]")


@cache
def _listed() -> frozenset[str]:
    """The English words that wallets draw from, by BIP-0039."""
    text = files("omoide.text.secrets").joinpath("seed_words.txt").read_text(encoding="utf-8")
    return frozenset(text.split())


def bare_seeds(low: str) -> Iterator[tuple[str, int, int]]:
    """Kind, start and end of every row of twelve or more words that wallets draw from; with numbers
    before them, commas or line ends between them.
    """
    row: list[Span] = []
    for token in _TOKEN.finditer(low):
        if token[0] in _listed():
            row.append(token.span())
            continue
        yield from _found(low, row)
        row = []
    yield from _found(low, row)


def _found(low: str, row: list[Span]) -> Iterator[tuple[str, int, int]]:
    """The row, if it is no longer than a phrase with words beside it, and says few words twice."""
    different = {low[start:end] for start, end in row}
    is_whole = len(row) % 3 < 2  # phrases grow by three words; one may stand beside them
    if is_whole and FEWEST_WORDS <= len(row) <= _MOST_WORDS and 4 * len(different) >= 3 * len(row):
        yield "seed-phrase", row[0][0], row[-1][1]


_BESIDE_WORDS = ".,;:|•()!?\"'`*"


def may_hold_seed(low: str) -> bool:
    """Whether lower-cased words may hold twelve listed ones in a row, numbers aside.

    One of twelve is an eleventh word, and one of the two before it is listed too, even where a
    number stands before each.
    """
    for sign in _BESIDE_WORDS:  # quicker than translate(), which looks each character up
        low = low.replace(sign, " ")
    listed, said = _listed(), low.split()
    for place in range(FEWEST_WORDS - 2, len(said), FEWEST_WORDS - 1):
        if said[place] in listed and (said[place - 1] in listed or said[place - 2] in listed):
            before = _beside(reversed(said[max(0, place - 2 * FEWEST_WORDS) : place]))
            after = _beside(said[place : place + 2 * FEWEST_WORDS])
            if before + after >= FEWEST_WORDS:
                return True
    return False


def _beside(said: Iterable[str]) -> int:
    """How many listed words these begin with, numbers aside."""
    listed, row = _listed(), 0
    for word in said:
        if word in listed:
            row += 1
        elif word.strip(_NUMBERS):
            break
    return row
