"""Secrets told by their own shape: issuers' keys, private keys, cards, addresses with a password in
them.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Callable, Iterator

from omoide.text.secrets import words
from omoide.text.secrets.names import whole_words
from omoide.text.secrets.patterns import (
    BLOCKS,
    CARD,
    COMMANDS,
    LEFT_OF,
    PUBLIC_SEGMENTS,
    SECRET_SEGMENTS,
    SHAPES,
)
from omoide.text.secrets.values import HIDDEN, UUID, is_random, is_stand_in, is_toy

Secret = tuple[str, int, int]  # kind, start, end

SHORTEST_RUN = 16  # characters
_RUN = re.compile(rf"[A-Za-z0-9_.-]{{{SHORTEST_RUN},}}")
_PIECE = re.compile(r"[A-Za-z0-9_-]+")
_ANY_SHAPE = re.compile(
    "|".join(f"(?P<k{number}>{pattern})" for number, (_, pattern) in enumerate(SHAPES)), re.ASCII
)
_LEFT_OF = {kind: re.compile(pattern, re.ASCII) for kind, pattern in LEFT_OF.items()}
_SEGMENTED = re.compile(
    r"((?:[a-z][a-z0-9]{0,11}[_-]){1,4})([a-z0-9]{20,}|[a-z0-9][a-z0-9_-]{31,})(?![a-z0-9])",
    re.IGNORECASE,
)
# too long and too mixed for an id
_LONG_KEY = re.compile(r"(?=[a-z0-9]*[A-Z])(?=[A-Z0-9]*[a-z])(?=[A-Za-z]*[0-9])[A-Za-z0-9]{36,}")
_ESCAPES = ("n", "r", "t")
_ENCODED = re.compile(
    r"(?<![\w+/=-])(?=[^\s]{0,15}[A-Z])(?:[A-Za-z0-9+/]{4}){3,64}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?(?![\w+/=-])"
)


def shapes(text: str) -> Iterator[Secret]:
    """The keys and tokens whose issuer, or whose own words, make them known."""
    for run in _RUN.finditer(text):
        start, done = run.start(), run.start()
        if text[start - 1 : start] == "\\" and text[start] in _ESCAPES:
            start += 1
        if text[start] in "._-" and (found := _shape_at(text, start)):
            yield found
            done = found[2]
        for piece in _PIECE.finditer(text, start, run.end()):
            at = piece.start() + len(piece[0]) - len(piece[0].lstrip("_-"))
            is_long = at <= start + 2 or piece.end() - at >= 12
            if at >= done and is_long and (found := _shape_at(text, at)):
                yield found
                done = found[2]


def encoded_passwords(text: str) -> Iterator[Secret]:
    """Users with their passwords in base64, whatever stands around them."""
    for run in _ENCODED.finditer(text):
        if _holds_password(run[0]):
            yield "encoded-password", *run.span()


def _shape_at(text: str, at: int) -> Secret | None:
    match = _ANY_SHAPE.match(text, at)
    if match and match.lastgroup:
        kind = SHAPES[int(match.lastgroup[1:])][0]
        return _issued(text, kind, at, match.end())
    match = _SEGMENTED.match(text, at)
    return ("api-key", at, match.end()) if match and _is_segmented(match) else None


def _issued(text: str, kind: str, at: int, end: int) -> Secret | None:
    """A key of a known issuer, with what stands left of its shape and belongs to it."""
    end = at + len(text[at:end].rstrip("."))
    left = _LEFT_OF[kind].search(text, max(0, at - 14), at) if kind in _LEFT_OF else None
    return (kind, left.start() if left else at, end) if _is_real(text[at:end]) else None


def _is_segmented(match: re.Match[str]) -> bool:
    """Whether words before a random part say that it is a secret, and none that it may be seen."""
    parts = filter(None, re.split("[_-]", match[1].lower()))
    segments = {segment.rstrip("0123456789") for segment in parts}
    if segments & PUBLIC_SEGMENTS:
        return False
    is_told = segments & SECRET_SEGMENTS or _LONG_KEY.fullmatch(match[2])
    return bool(is_told) and is_random(match[0])


def _is_real(secret: str) -> bool:
    """Whether a shape holds what looks drawn at random, not words or a stand-in."""
    return (
        not is_stand_in(secret)
        and any(c.isdigit() or c.isupper() for c in secret)
        and len(set(secret[-16:])) > 5
    )


_CARD = re.compile(
    r"(?<![\w.,+-])[0-9](?:[0-9]{12,18}|(?:[ \u00a0.-]?[0-9]){12,18})(?![0-9A-Za-z_/]|[.,-][0-9])",
    re.ASCII,
)
_CARD_NUMBER = re.compile(CARD)
_CARD_GROUPS = {(4, 4, 4, 4), (4, 4, 4, 4, 3), (4, 6, 5), (4, 6, 4), (6, 10), (8, 8), (4, 4, 4, 2)}
FOUR_DIGITS = re.compile(r"\d{4}")


def cards(text: str) -> Iterator[Secret]:
    """Payment card numbers: a known first digit and length, and a right check digit. Digits of any
    script count.
    """
    plain = text if text.isascii() else re.sub(r"\d", lambda digit: str(int(digit[0])), text)
    for match in _CARD.finditer(plain):
        groups = re.split(r"[ \u00a0.-]", match[0])
        digits = "".join(groups)
        if (
            tuple(map(len, groups)) in _CARD_GROUPS | {(len(digits),)}
            and _CARD_NUMBER.fullmatch(digits)
            and (has_check_digit(digits) or _has_brand(text, match.start()))
        ):
            yield "card-number", match.start(), match.end()


_BRAND = whole_words(*words.CARD_BRANDS)
_BRAND_REACH = 32  # characters before a card's number in which its brand stands


def _has_brand(text: str, start: int) -> bool:
    """Whether a number is said to be that of a card, so that it may be mistyped."""
    return _BRAND.search(text[max(0, start - _BRAND_REACH) : start].lower()) is not None


def has_check_digit(digits: str) -> bool:
    """Whether the last digit is right by the formula payment cards use.

    Source: ISO/IEC 7812-1, annex B (the Luhn formula).
    """
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


_BLOCKS = tuple(
    (trigger, kind, re.compile(pattern, re.ASCII | re.IGNORECASE))
    for trigger, kind, pattern in BLOCKS
)
_COMMANDS = tuple((tool, re.compile(pattern, re.ASCII)) for tool, pattern in COMMANDS)


def blocks(text: str, low: str) -> Iterator[Secret]:
    """Secrets inside a larger form: addresses, headers, key files, commands. low is text in lower
    case.
    """
    for trigger, kind, pattern in _BLOCKS:
        if trigger in low:
            yield from _triggered(text, low, trigger, kind, pattern)
    if "-----begin" in low:
        yield from _private_keys(text)
    if "://" in low:
        yield from _addresses(text)
    if "cookie" in low:
        yield from _cookies(text)
    if "-" in low or "|" in low or " /" in low:  # a flag
        for tool, pattern in _COMMANDS:
            if tool in low:
                yield from _command(text, low, tool, pattern)


def _triggered(
    text: str, low: str, trigger: str, kind: str, pattern: re.Pattern[str]
) -> Iterator[Secret]:
    at = low.find(trigger)
    while at >= 0:
        match = pattern.match(text, at)
        if match and _fits(kind, match[pattern.groups]):
            yield kind, *match.span(pattern.groups)
        at = low.find(trigger, match.end() if match else at + len(trigger))


def _fits(kind: str, secret: str) -> bool:
    if is_stand_in(secret):
        return False
    is_variable = secret.startswith("$") or "{" in secret
    if kind != "password-hash" and (is_variable or is_toy(secret)):
        return False
    if kind == "encoded-password":
        return _holds_password(secret)
    if kind == "bearer-token":
        return _has_both(secret, str.isdigit, str.isalpha)
    if kind == "basic-auth":
        is_mixed = _has_both(secret, str.isupper, str.islower) and not secret[1:].islower()
        return len(secret) % 4 == 0 and is_mixed
    return True


def _has_both(text: str, one: Callable[[str], bool], other: Callable[[str], bool]) -> bool:
    """Whether a text has a character of one sort and one of another."""
    return any(map(one, text)) and any(map(other, text))


def _holds_password(encoded: str) -> bool:
    """Whether base64 says a user and a password."""
    try:
        user, colon, password = b64decode(encoded, validate=True).decode().partition(":")
    except ValueError:
        return False
    return bool(user and colon and password) and (user + password).isprintable()


_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----", re.IGNORECASE)
_END = re.compile(r"-----END [A-Z0-9 ]{0,40}KEY(?: BLOCK)?-----", re.IGNORECASE)
# What is left of a key whose end was cut off: headers and lines of base64, with real or written
# line ends.
_BODY = re.compile(
    r"(?:(?:\s|\\[nr]){0,4}(?:[A-Za-z-]{4,16}: [^\n\\]{1,80}|[A-Za-z0-9+/=]{24,}))*"
    r"(?:(?:\s|\\[nr]){1,4}[A-Za-z0-9+/]{1,24}={1,2})?"
)


def _private_keys(text: str) -> Iterator[Secret]:
    """Whole blocks from BEGIN to END; of a cut one, what there is."""
    begin, end = _BEGIN.search(text), _END.search(text)
    while begin:
        while end and end.start() < begin.end():
            end = _END.search(text, end.end())
        if end:
            stop = end.end()
        else:
            body = _BODY.match(text, begin.end())
            stop = body.end() if body else begin.end()
        yield "private-key", begin.start(), stop
        begin = _BEGIN.search(text, stop)


_ADDRESS = re.compile(r"://[^\s\"'<>`\\\uffff]{1,2000}")
_HOOK = re.compile(r"hook|/bot[0-9]|/ping/|/private-|/s/|/trigger/|/key/|/token/", re.IGNORECASE)
_USER_TOKEN = re.compile(r"://([^\s/?#@:]{16,256})(?::x-oauth-basic)?@")
_SIGNED = re.compile(
    r"[?&#;](?:sig|signature|x-(?:amz|goog)-signature|x-amz-security-token|token|access_token|code|key|hash|h|s)=([^&\s#]{16,})",
    re.IGNORECASE,
)


def _addresses(text: str) -> Iterator[Secret]:
    """Addresses that are a secret by themselves: web hooks, signed links, a token in the user's
    place.
    """
    for match in _ADDRESS.finditer(text):
        for kind, start, end in _in_address(match[0]):
            yield kind, match.start() + start, match.start() + end


def _in_address(address: str) -> Iterator[Secret]:
    if (user := _USER_TOKEN.match(address)) and is_random(user[1]):
        yield "url-password", *user.span(1)
    for signed in _SIGNED.finditer(address):
        is_id = UUID.match(signed[1]) is not None
        if "hook" in address if is_id else is_random(signed[1]):
            yield "signed-url", *signed.span(1)
    if _HOOK.search(address) and (path := _secret_path(address)):
        yield "webhook", *path


_PICTURE = re.compile(r"\.(?:jpe?g|png|gif|webp|svg|css|js|pdf|mp4)\Z", re.IGNORECASE)
_PATH_PART = re.compile(r"(?<=[^/:]/)[^/?#]{8,}")
_END_OF_ADDRESS = re.compile(r"[.,;:!?)\]}。，、]+\Z|[^\x00-\x7f].*\Z", re.DOTALL)


def _secret_path(address: str) -> tuple[int, int] | None:
    """From the first random part of a path to the end of the address."""
    end = cut.start() if (cut := _END_OF_ADDRESS.search(address)) else len(address)
    if _PICTURE.search(address, max(0, end - 8), end):
        return None
    for part in _PATH_PART.finditer(address, 0, end):
        runs = re.findall(r"[A-Za-z0-9]{8,}", part[0])
        is_drawn = any((run.isdigit() and len(run) > 14) or _mixes(run) for run in runs)
        if is_drawn or UUID.match(part[0][:36]):
            return part.start(), end
    return None


def _mixes(run: str) -> bool:
    has_digit, has_upper = any(c.isdigit() for c in run), any(c.isupper() for c in run)
    return (has_digit and has_upper) or (len(run) >= 16 and has_digit and not run.isdigit())


_COOKIE = re.compile(r"cookies?[\"']?\s{0,3}[:=]\s{0,3}([^\n\uffff]{1,4000})", re.IGNORECASE)
_CRUMB = re.compile(r"[\w.-]{1,64}=\"?([^;\s\"',\\\uffff]{12,})")


def _cookies(text: str) -> Iterator[Secret]:
    for match in _COOKIE.finditer(text):
        for crumb in _CRUMB.finditer(text, match.start(1), match.end(1)):
            if _has_both(crumb[1], str.isdigit, str.isalpha) and not is_stand_in(crumb[1]):
                yield "cookie", *crumb.span(1)


_COMMAND_REACH = 300


_NO_PASSWORD = re.compile(r"[$%-]|[\d.:]+\Z")  # a variable, another flag, ports


def _command(text: str, low: str, tool: str, pattern: re.Pattern[str]) -> Iterator[Secret]:
    """The passwords in the flags of every call of a tool."""
    at = low.find(tool)
    while at >= 0:
        stop = _end_of_command(text, at)
        for match in pattern.finditer(text, at, stop):
            if _is_typed_password(match[1]):
                yield "command-password", *match.span(1)
        at = low.find(tool, max(stop, at + 1))


def _end_of_command(text: str, at: int) -> int:
    """Where a command ends at the latest: with its line, or before a secret that was found."""
    line_end = text.find("\n", at, at + _COMMAND_REACH)
    stop = line_end if line_end >= 0 else min(len(text), at + _COMMAND_REACH)
    hidden = text.find(HIDDEN, at, stop)
    return hidden if hidden >= 0 else stop


def _is_typed_password(value: str) -> bool:
    return not (is_stand_in(value) or is_toy(value) or _NO_PASSWORD.match(value))


_DOMAIN = re.compile(
    r"@(?:[A-Za-z0-9\u00c0-\u024f-]{1,63}\.){1,8}[A-Za-z\u00c0-\u024f]{2,24}(?![A-Za-z0-9-])"
)
_MAILBOX = re.compile(r"[A-Za-z0-9\u00c0-\u024f._%+'-]{1,64}\Z")


def mails(text: str) -> Iterator[Secret]:
    """Mail addresses. No secret, but personal: masked only where asked for."""
    for domain in _DOMAIN.finditer(text):
        start = domain.start()
        while start > 0 and domain.start() - start < 64 and _MAILBOX.fullmatch(text[start - 1]):
            start -= 1
        if start < domain.start():
            yield "mail", start, domain.end()
