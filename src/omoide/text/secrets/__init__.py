"""Finding and masking secrets in text of any language: keys, tokens, passwords, PINs, cards,
private keys.

`mask_secrets` is what stands at the door to the log: it puts ``[secret: github-token]`` in a
secret's place and leaves every other character as it was. Masking twice changes nothing more. A
text without a secret costs microseconds: the parts that look closely run only when a trigger word,
sign or long run of letters is there.

A secret is something that opens a door for whoever holds it. Addresses, phone numbers and account
numbers are personal but open nothing; of these only mail addresses can be masked, by asking for the
kind ``mail``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache

from omoide.nouns.turn import Mask
from omoide.text.secrets.dials import combinations, may_hold_combination
from omoide.text.secrets.families import FAMILIES, told_by_words
from omoide.text.secrets.pairs import by_addresses, called, listed
from omoide.text.secrets.patterns import BLOCKS, SHAPES
from omoide.text.secrets.places import PLACE_CODE
from omoide.text.secrets.seeds import FEWEST_WORDS, bare_seeds, may_hold_seed
from omoide.text.secrets.shapes import (
    FOUR_DIGITS,
    SHORTEST_RUN,
    Secret,
    blocks,
    cards,
    encoded_passwords,
    mails,
    shapes,
)
from omoide.text.secrets.splits import continued
from omoide.text.secrets.swapped import spelt_out
from omoide.text.secrets.tables import columns
from omoide.text.secrets.values import HIDDEN, in_ascii

MAIL = "mail"
SECRET_KINDS = frozenset(
    {kind for kind, *_ in SHAPES}
    | {kind for _, kind, _ in BLOCKS}
    | {kind for family in FAMILIES for kind, _ in family.kinds}
    | set("private-key signed-url webhook cookie command-password card-number api-key".split())
    | {PLACE_CODE}
)
ALL_KINDS = SECRET_KINDS | {MAIL}
KEPT_KINDS = frozenset({PLACE_CODE})  # stored as they are, and masked where a text is shown


@dataclass(frozen=True, slots=True)
class SecretSpan:
    """A secret in a text: its kind, and where it stands."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Masked:
    """A text with its secrets masked. The masks name the kind of each, and where its mark stands in
    this text.
    """

    text: str
    masks: tuple[Mask, ...]


class masking:
    """Within this block, unless kinds are named, these are what is found and masked: `ALL_KINDS`
    for mail addresses too. Those in kept are stored all the same.
    """

    def __init__(self, kinds: frozenset[str], *, kept: frozenset[str] = KEPT_KINDS) -> None:
        self._kinds, self._kept = kinds, kept

    def __enter__(self) -> None:
        self._tokens = _IN_FORCE.set(self._kinds), _KEPT.set(self._kept)

    def __exit__(self, *_: object) -> None:
        _IN_FORCE.reset(self._tokens[0])
        _KEPT.reset(self._tokens[1])


_IN_FORCE: ContextVar[frozenset[str]] = ContextVar(
    "kinds of secrets in force", default=SECRET_KINDS
)
_KEPT: ContextVar[frozenset[str]] = ContextVar("kinds that are stored", default=KEPT_KINDS)


def stored_kinds() -> frozenset[str]:
    """The kinds of secrets that are masked before a text is stored."""
    return _without(_IN_FORCE.get(), _KEPT.get())


@cache
def _without(kinds: frozenset[str], kept: frozenset[str]) -> frozenset[str]:
    return kinds - kept


def mask_stored(text: str, *, known: Iterable[Mask] = ()) -> Masked:
    """The text as it is stored: with its secrets masked, but for those that are only hidden where
    it is shown.
    """
    return mask_secrets(text, kinds=stored_kinds(), known=known)


def mask_secrets(
    text: str, *, kinds: frozenset[str] | None = None, known: Iterable[Mask] = ()
) -> Masked:
    """The text with a mark such as ``[secret: password]`` in the place of each secret.

    kinds says what to mask: by default what `masking` says, else every secret and no mail address.
    Marks that stand in the text already stay as they are; those in known are listed with the new
    ones, at their new places.
    """
    findings = find_secrets(text, kinds=kinds)
    if not findings:
        return Masked(text, tuple(known))
    masks = list(_marks(findings))
    every = sorted((*masks, *_moved(known, findings, masks)), key=lambda mask: mask.start)
    marks = ((one.start, one.end, f"[secret: {one.kind}]") for one in findings)
    return Masked(_with(text, marks), tuple(every))


def _marks(findings: Iterable[SecretSpan]) -> Iterator[Mask]:
    """Where the marks of secrets stand in the masked text."""
    by = 0  # how much later than in the text
    for one in findings:
        start = one.start + by
        end = start + len(f"[secret: {one.kind}]")
        yield Mask(kind=one.kind, start=start, end=end)
        by = end - one.end


def _moved(
    known: Iterable[Mask], findings: Iterable[SecretSpan], masks: Iterable[Mask]
) -> Iterator[Mask]:
    """Marks of a text at their places after others were put in."""
    moves = [(one.end, mask.end - one.end) for one, mask in zip(findings, masks, strict=True)]
    for mask in known:
        by = max((move for move in moves if move[0] <= mask.start), default=(0, 0))[1]
        yield Mask(kind=mask.kind, start=mask.start + by, end=mask.end + by)


def has_secret(text: str) -> bool:
    """Whether a secret stands in the text."""
    return bool(find_secrets(text))


def find_secrets(text: str, *, kinds: frozenset[str] | None = None) -> list[SecretSpan]:
    """The secrets in the text, in their order, without overlaps."""
    kinds = _IN_FORCE.get() if kinds is None else kinds
    hidden = MARK.sub(lambda mark: HIDDEN * len(mark[0]), text) if "[secret: " in text else text
    found = _search(hidden, kinds)
    if not found:
        return []
    # Without a secret its neighbours may look different. So search again until nothing is found:
    # the masked text then holds no secret, and masking it once more changes nothing. One more pass
    # than the first is usual.
    every: list[Secret] = []
    for _ in range(_PASSES):
        found = _untangle([*found, *_beside(hidden, found)])
        every += found
        blanks = ((start, end, HIDDEN * (end - start)) for _, start, end in found)
        hidden = _with(hidden, blanks)
        found = _search(hidden, kinds)
        if not found:
            break
    return [SecretSpan(*one) for one in sorted(every, key=lambda one: one[1])]


_PASSES = 12  # so that no text can be made that takes for ever
_REPEATS_LIMIT = 64  # secrets of one text that are looked for again


def _repeats(text: str, found: list[Secret]) -> Iterator[Secret]:
    """Where else the secrets just found stand, bare: whoever says a password twice names it
    once.
    """
    for kind, secret in dict.fromkeys(
        (kind, text[start:end]) for kind, start, end in found[:_REPEATS_LIMIT]
    ):
        if len(secret) < 6 or secret.isalpha() or secret.isdigit():
            continue
        at = text.find(secret)
        while at >= 0:
            end = at + len(secret)
            if not _is_alnum(text[at - 1 : at]) and not _is_alnum(text[end : end + 1]):
                yield kind, at, end
            at = text.find(secret, end)


def _beside(text: str, found: list[Secret]) -> Iterator[Secret]:
    """What goes with secrets just found: the same elsewhere, second parts, older and newer ones."""
    yield from _repeats(text, found)
    yield from continued(text, found)


def _is_alnum(char: str) -> bool:
    """Whether a character, which may be none, is a letter or digit of ASCII."""
    return char.isalnum() and char.isascii()


MARK = re.compile(r"\[secret: (?:" + "|".join(sorted(ALL_KINDS)) + r")\]")


def _with(text: str, stretches: Iterable[tuple[int, int, str]]) -> str:
    """A text with other words in the place of some of its stretches, which are given in order."""
    parts: list[str] = []
    done = 0
    for start, end, words in stretches:
        parts += (text[done:start], words)
        done = end
    return "".join((*parts, text[done:]))


# What the value of a named secret has and most sentences have not: letters and digits side by side,
# four digits,
# a colon or equals sign that is no time of day, a quote, a special character before a word.
_SIGN = (
    r"[\d:=：＝|\"`“”„«»「『@#$%^&*_!](?:"
    r"(?<=\d)(?:[A-Za-z]|{digits}|(?<=[A-Za-z]\d)|(?<=[A-Za-z][!-/:-@\[-`{{-~]\d)|(?<=[!?#&*@^~+=]\d)|[!#&*@^~]|["
    r" -]?\d\d?[ -]\d)"
    r"|(?<=[:=：＝|])(?![\d/])|(?<=[\"`“”„«»「『])|(?<=[@#$%^&*_!])\w)"
)
_ANY_SIGN = re.compile(_SIGN.format(digits=r"\d{3}"))
# and no year
_ASCII_SIGN = re.compile(_SIGN.format(digits=r"(?<!\d\d)\d{3}(?<!19\d\d)(?<!20\d\d)|\d{4}"))


def _search(text: str, kinds: frozenset[str]) -> list[Secret]:
    """One pass: what is found with everything found before hidden."""
    text = text if text.isascii() else in_ascii(text)
    low = _lower(text)
    said = low.split()
    longest = max(map(len, said), default=0)
    found = [*shapes(text), *encoded_passwords(text)] if longest >= SHORTEST_RUN else []
    is_long = len(said) >= FEWEST_WORDS or low.count(",") >= FEWEST_WORDS - 1
    if is_long and may_hold_seed(low):
        found += bare_seeds(low)
    found += _told(text, low)
    if "\n" in text:
        found += columns(text)
    if MAIL in kinds and "@" in text:
        found += mails(text)
    return _untangle([one for one in found if one[0] in kinds]) if found else found


def _told(text: str, low: str) -> Iterator[Secret]:
    """The secrets that what stands around them tells."""
    has_sign = (_ASCII_SIGN if text.isascii() else _ANY_SIGN).search(text) is not None
    if has_sign or not text.isascii():
        low = spelt_out(low)
    if has_sign:
        yield from blocks(text, low)
        if "@" in text:
            yield from by_addresses(text)
        if "(" in text:
            yield from called(text)
        if " / " in text:
            yield from listed(text)
        if FOUR_DIGITS.search(text):
            yield from cards(text)
    if may_hold_combination(low):
        yield from combinations(text, low)
    if has_sign or _may_be_plain(low):
        yield from told_by_words(text, low, has_sign=has_sign)


def _may_be_plain(low: str) -> bool:
    """Whether a name may be there whose secret needs no sign: plain words, a short number, a year
    for a PIN.
    """
    if low.startswith("pin") or _has_any(low, _MAY_BE_PLAIN):
        return True
    return not low.isascii() and _has_any(low, _MAY_BE_PLAIN_ELSEWHERE)


def _has_any(low: str, stems: tuple[str, ...]) -> bool:
    for stem in stems:  # quicker than any()
        if stem in low:
            return True
    return False


# rase: phrase, frase; wort: Passwort, Kennwort
_MAY_BE_PLAIN = (
    *(" pin", "-pin", " pw", " word", " wörter", " mots ", " palabra", " parol", " frase"),
    *"pass code rase wort woord seed security geheimzahl cv senha clave cryptogr".split(),
)
_MAY_BE_PLAIN_ELSEWHERE = tuple(
    "pin фраз пин парол код 助 シード 시드 番号 密 パス 비밀 contrase fziffer fnummer segur".split()
)


def _lower(text: str) -> str:
    """The text in lower case with every character at its place."""
    low = text.lower()
    return low if len(low) == len(text) else text.replace("İ", "i").lower()


def _untangle(found: list[Secret]) -> list[Secret]:
    """In order and without overlaps: what overlaps becomes one, of the kind that was found
    first.
    """
    rank = {one: place for place, one in reversed(list(enumerate(found)))}
    none = len(found)
    apart: list[Secret] = []
    for one in sorted(rank, key=lambda one: (one[1], -one[2])):
        if apart and one[1] < apart[-1][2]:
            last = apart.pop()
            first = min(last, one, key=lambda each: rank.get(each, none))
            one = (first[0], last[1], max(last[2], one[2]))
            rank.setdefault(one, rank.get(last, none))
        apart.append(one)
    return apart
