"""Passwords told by what they stand beside: user and host, a mail address, a login, a network."""

from __future__ import annotations

import re
from collections.abc import Iterator

from omoide.text.secrets.names import KEY_AHEAD, Link, Name, Span, ahead, link_to
from omoide.text.secrets.values import HIDDEN, Strength, Value, is_toy, strength, values

# user:password@host, without a scheme before it
_LOGIN_AT = re.compile(
    r"(?<![\w:/.@+-])([A-Za-z][\w.-]{0,31}):([^\s:@/\"'<>\uffff]{4,64})@"
    r"((?:[0-9]{1,3}\.){3}[0-9]{1,3}|[A-Za-z0-9][A-Za-z0-9-]*(?:\.[A-Za-z0-9-]+)*)"
    r"(?![\w@-])(:[0-9]{2,5}(?![0-9])|:?/)?"
)
_ADDRESS_LABELS = frozenset(
    "mailto mail email e-mail to from cc bcc sip sips xmpp acct contact mail-to von an de para a"
    " git".split()
)
_INSIDE = re.compile(r"[0-9.]+\Z|[^.]+\Z|.*\.(?:internal|local|lan|corp|home|intern)\Z")
# address / password, as a line of a list has it
_BY_ADDRESS = re.compile(
    r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}[\"']?"
    r"(?: ?[/|] ?|:|: |\t| [–—-] )[\"']?"
    r"([^\s\"'/@\uffff]{6,64})[\"']?[ \t]*[.,;]?$",
    re.MULTILINE,
)


def by_addresses(text: str) -> Iterator[tuple[str, int, int]]:
    """Kind, start and end of every password beside a mail address, or between user and host."""
    for match in _LOGIN_AT.finditer(text):
        if match[1].lower() not in _ADDRESS_LABELS and _is_login(match):
            yield "url-password", *match.span(2)
    for match in _BY_ADDRESS.finditer(text):
        is_loose = text[match.start(1) - 2] in "–—-"
        if strength(match[1]) >= (Strength.STRONG if is_loose else Strength.MIXED):
            yield "password", *match.span(1)


_LISTED = re.compile(
    r"^[ \t]*(?:(?:[-*•]|[0-9]{1,2}[.)])[ \t]*)?[A-Z][\w .]{1,30}: [\w.@+-]{2,40} / "
    r"([^\s/\uffff]{6,64})$",
    re.MULTILINE,
)


def listed(text: str) -> Iterator[tuple[str, int, int]]:
    """Kind, start and end of every password in lines such as "- GitHub: ana / hunter2!x"."""
    found = list(_LISTED.finditer(text))
    for match in found:
        if strength(match[1]) >= (Strength.MIXED if len(found) > 1 else Strength.STRONG):
            yield "password", *match.span(1)


_CALLED = re.compile(
    r"(?:log_?in|auth|mysqli|connect|credentials?|sign_?in)\w{0,12}\s?=?\s?\([^()\n\uffff]{0,80}?"
    r"[\"'][^\"'\n]{1,64}[\"'],\s{0,2}[\"'](?=[^\"'\n]{0,63}[0-9!#$%&*@^])([^\"'\s\uffff]{4,64})[\"']",
    re.IGNORECASE,
)


def called(text: str) -> Iterator[tuple[str, int, int]]:
    """Kind, start and end of every password behind a user in a call: ``login("ana", "…")``."""
    for match in _CALLED.finditer(text):
        if strength(match[1]) >= Strength.MIXED and not is_toy(match[1].rstrip("0123456789")):
            yield "password", *match.span(1)


def _is_login(match: re.Match[str]) -> bool:
    """Whether ``user:password@host`` is a login and no mail address with a word before it."""
    level = strength(match[2])
    if _INSIDE.match(match[3]) or match[4]:
        return level >= Strength.MIXED
    return level is Strength.STRONG


_LOGIN_PAIR = re.compile(
    r"[\"'`(]?[\w.@+-]{2,64}(?P<joint>\s?[/|:]\s?|,?\s(?:and|und|et|y|e|with|mit)\s|,\s)"
    r"(?P<password>[!#-.0-;=?-_a-{}~]{5,128})",
    re.ASCII,
)


def login_after(name: Name) -> Iterator[Span]:
    """The second half of "login: admin / hunter2"."""
    start, stop = ahead(name, KEY_AHEAD)
    match = _LOGIN_PAIR.search(name.low, start, min(len(name.low), stop + 128))
    if not match or match.start() >= stop:
        return
    link = link_to(name, match.start())
    # "login works with …"
    is_used = link is Link.NEXT and match["joint"].startswith((" with", " mit"))
    if link is Link.FAR or is_used:
        return
    value = next(values(name.text, *match.span("password")), None)
    if value and strength(value.text) >= Strength.MIXED and "/" not in value.text:
        yield value.start, value.end


_SHORTEST_KEY = 8  # signs of the key of a wireless network, by WPA
_NETWORK = re.compile(
    r"\s{0,2}[:=]?\s{0,2}[\"'“”„«][^\n\"'“”«»]{2,32}[\"'”“»](?:\s{0,2}[,/|;:]\s{0,2}|\s[–—-]\s)(?=\S)"
    r"|\s{0,2}[:=]?\s{0,2}[^\n,/|:;\uffff]{2,32}?(?:\s{0,2}[,/|;]\s{0,2}|\s[–—-]\s)(?=\S)"
    r"|\s(?:of|from|von|de|du|del|di|da|van|für|for)\s[^\n,/|:;\uffff]{2,32}:\s(?=\S)"
)


def network_pair_after(name: Name) -> Iterator[Span]:
    """The key behind a network's name: "WLAN: attic / hunter2butlonger"."""
    match = _NETWORK.match(name.text, name.end)
    if match is None:
        return
    value = next(values(name.text, match.end(), name.forth(KEY_AHEAD + 48)), None)
    if value and value.start == match.end() + value.quoted and _is_network_key(name, value):
        yield value.start, value.end


def _is_network_key(name: Name, value: Value) -> bool:
    """Whether a value stands alone to the end of its line or sentence, and looks like a key."""
    rest = name.text[value.raw_end : value.raw_end + 2]
    is_last = value.end < value.raw_end or not rest.strip(" .") or rest[0] in "\n,;.)"
    is_mixed = len(value.text) >= _SHORTEST_KEY and strength(value.text) >= Strength.MIXED
    return is_last and is_mixed and ":" not in value.text and HIDDEN not in value.text
