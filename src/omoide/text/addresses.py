"""What reaches or names one thing of many: links, mail addresses, phone numbers, handles, paths,
codes such as PR-480.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from omoide.text.letters import fold

LONGEST = 2_000  # characters of one address
_PHONE = 7  # figures that a number has without its country, at least
_FOUND = re.compile(
    r"(?P<link>(?<![A-Za-z0-9])(?:https?://|www\.)[^\s<>\"'“”«»「」，。、；）)\]]+)"
    r"|(?P<mail>(?<![A-Za-z0-9_.+-])[A-Za-z0-9_.+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8})"
    r"|(?P<handle>(?<![A-Za-z0-9_])@\w[\w.]{1,63})"
    r"|(?P<phone>(?<![A-Za-z0-9_.,:/-])\+?\d(?:[ ()/.\u00a0-]{0,2}\d){6,18}(?![A-Za-z0-9_]))"
    r"|(?P<path>(?<![\w/])(?:~?/[\w.-]+(?:/[\w.-]+)+|[A-Za-z]:\\[^\s\"<>|]+))"
    r"|(?P<code>(?<![A-Za-z0-9])#\d+|(?<![A-Za-z0-9_-])[A-Za-z]{1,12}\d{0,6}[-_]\d[\w-]*|(?<![\w.-])v?\d+\.\d+\.\d+[\w.-]*)"
    r"|(?P<site>(?<![\w.@-])(?:[A-Za-z0-9-]{1,63}\.){1,4}(?:com|org|net|io|dev|app|de|fr|es|it|pt|br|ru|cn|jp|kr|in|uk|eu|nl|pl|example|test|info)(?:/[^\s<>\"']*)?(?!\w))"
)
_DATES = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d\d)")
_THOUSANDS = re.compile(r"\d{1,3}(?:[,.' \u00a0]\d{3})+(?:[.,]\d+)?")


@dataclass(frozen=True, slots=True)
class Address:
    """An address as it is written, and in the form in which two are compared."""

    text: str
    kind: str
    plain: str

    @property
    def keys(self) -> Iterator[str]:
        """What it has one of in common with every address that is the same."""
        yield self.plain
        if self.kind == "phone":
            yield self.plain.lstrip("0")[-_PHONE:]

    def same(self, other: Address) -> bool:
        """Whether both are one address; a link may stand without its "https://"."""
        return self.plain == other.plain or (
            self.kind == "phone" == other.kind and _same_phone(self.plain, other.plain)
        )


def _same_phone(one: str, other: str) -> bool:
    """The same but for how the country is dialled."""
    short, long = sorted((one.lstrip("0"), other.lstrip("0")), key=len)
    return len(short) >= _PHONE and long.endswith(short)


def addresses(text: str) -> list[Address]:
    """The addresses of a text in order. Linear in its length."""
    found = (
        (one[0][:LONGEST].rstrip(".,;:!?…"), one.lastgroup or "") for one in _FOUND.finditer(text)
    )
    return [_address(*one) for one in found if not _is_number(*one)]


def _is_number(written: str, kind: str) -> bool:
    """Whether what looks like a phone number or a code is a date or an amount."""
    if kind not in ("phone", "code"):
        return False
    return bool(_DATES.fullmatch(written) or _THOUSANDS.fullmatch(written))


def _address(written: str, kind: str) -> Address:
    plain = fold(written)
    if kind == "phone":
        return Address(written, kind, "".join(filter(str.isdecimal, plain)))
    if kind in ("link", "site"):
        plain = re.sub(r"^(?:https?://)?(?:www\.)?", "", plain).rstrip("/")
        return Address(written, "link", plain)
    return Address(written, kind, plain)
