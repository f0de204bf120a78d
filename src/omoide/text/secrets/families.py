"""Families of names that announce secrets: the words, how each secret is found around them, and
what it is called.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from omoide.text.secrets import words
from omoide.text.secrets.codes import code_after, code_before, spoken_before
from omoide.text.secrets.finders import (
    WIFI,
    is_of_network,
    issued_after,
    key_after,
    key_before,
    network_key_after,
    password_after,
    remarked_before,
)
from omoide.text.secrets.names import Name, Span, index, occurrences
from omoide.text.secrets.pairs import login_after, network_pair_after
from omoide.text.secrets.phrases import (
    phrase_after,
    phrase_before,
    read_out_after,
    read_out_before,
    told_phrase_after,
)
from omoide.text.secrets.places import PLACE_CODE, is_place_code
from omoide.text.secrets.seeds import seed_after
from omoide.text.secrets.uses import told_as_words, told_by_use
from omoide.text.secrets.values import HIDDEN

Finder = Callable[[Name], Iterator[Span]]
# a kind, and the pattern of what stands around a name that makes it that kind
Kinds = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Family:
    """Names that announce one sort of secret, how it is found near them, and what it is called."""

    names: words.Names
    finders: tuple[Finder, ...]
    kinds: Kinds  # the first that fits; the last always does

    def find(self, names: list[Name]) -> Iterator[tuple[str, int, int]]:
        """Kind, start and end of every secret that these names announce; each looks no further than
        to its neighbours.
        """
        done = 0
        for name in _apart(names):
            if name.start < done:
                continue
            for finder in self.finders:
                if spans := list(finder(name)):
                    kind, done = self._kind(name, spans), spans[-1][1]
                    yield from ((kind, start, end) for start, end in spans)
                    break

    def _kind(self, name: Name, spans: list[Span]) -> str:
        if all(is_place_code(name, span) for span in spans):
            return PLACE_CODE
        return self.kind_in(name.low[name.back(24) : name.forth(24)])

    def kind_in(self, around: str) -> str:
        """The kind of a secret, by what stands around it."""
        return next(kind for kind, pattern in self.kinds if re.search(pattern, around))


# so many names beginning in so many characters are noise that announces nothing
_CROWD, _CROWD_REACH = 5, 40


def _apart(names: list[Name]) -> Iterator[Name]:
    """The names with their neighbours, without those inside another and without those in a
    crowd.
    """
    names.sort(key=lambda name: (name.start, -name.end))
    apart = [
        name
        for before, name in zip([None, *names], names, strict=False)
        if not before or name.start >= before.end
    ]
    starts = [0, *(name.start for name in apart), sys.maxsize]
    crowded = _crowded(starts, names[0].text)
    for number, name in enumerate(apart, start=1):
        if number not in crowded:
            yield replace(name, floor=starts[number - 1], ceiling=starts[number + 1])


def _crowded(starts: list[int], text: str) -> set[int]:
    """The numbers of names in a crowd; the first and the last start are those of no name."""
    crowded: set[int] = set()
    for first in range(1, len(starts) - _CROWD):
        begin, last = starts[first], starts[first + _CROWD - 1]
        if last - begin <= _CROWD_REACH and HIDDEN not in text[begin:last]:
            crowded.update(range(first, first + _CROWD))
    return crowded


_LOGINS = (
    "login log-in credential creds zugangsdaten identifiants credenciales credenziali credenciais"
    " логин 账号 帳號 アカウント ログイン 계정"
).split()

SEEDS = Family(
    tuple((word, r"[^\W\d_]{0,6}") for word in words.SEED_NAMES),
    (seed_after, told_phrase_after),
    (("seed-phrase", ""),),
)
PASSWORDS = Family(
    words.PASSWORD_NAMES,
    (
        read_out_after,
        told_phrase_after,
        phrase_after,
        password_after,
        remarked_before,
        read_out_before,
        phrase_before,
    ),
    (("wifi-password", WIFI), ("password", "")),
)
LOGINS = Family(
    (("basic", r"[ -]auth"), *((word, "s?" if word.isascii() else "") for word in _LOGINS)),
    (login_after,),
    (("password", ""),),
)
_NETWORKS = "wifi wi-fi wlan ssid hotspot вайфай вай-фай 无线 無線 ワイファイ 와이파이".split()
NETWORKS = Family(
    (("network", " name"), *((word, "") for word in (*_NETWORKS, "guest network", "home network"))),
    (network_pair_after,),
    (("wifi-password", ""),),
)
KEYS = Family(
    words.KEY_NAMES,
    (network_key_after, key_after, key_before, remarked_before),
    (
        ("wifi-password", r"wpa|wi-?fi|wlan|network key"),
        ("private-key", r"private|priv[ée]e|privad|privat|приват|закрыт|私钥|秘密鍵|개인"),
        ("cookie", r"sess(?:ion)?id|connect\.sid"),
        ("signed-url", r"sig(?:nature)?="),
        ("token", r"token|jeton|токен|トークン|토큰|令牌|توكن|authorization|टोकन|โทเค็น"),
        (
            "api-key",
            r"key|schl|clé|clef|clave|llave|chav|chiav|ключ|キー|키|密钥|مفتاح|कुंजी|sleutel|klucz|anahtar",
        ),
        ("secret", ""),
    ),
)
CODES = Family(
    words.CODE_NAMES,
    (code_after, spoken_before, code_before),
    (
        ("card-code", r"cv[vc]|card verification|card security|cryptogramme|prüf(?:ziffer|nummer)"),
        ("recovery-code", r"backup|recovery|rescue|emergency|puk|wiederherstell|récupér|recuper"),
        ("pin", r"(?<![a-z])pin|пин|पिन|暗証|핀|nip|geheimzahl"),
        (
            "access-code",
            r"door|gate|alarm|safe|lock|entr|combi|tür|tor|puerta|port[ae]|cancell|deur|drzwi|bram|двер|домофон|门禁|الباب|दरवाज|ประตู",
        ),
        ("one-time-code", ""),
    ),
)
ISSUED = Family(words.ISSUERS, (issued_after,), (("api-key", ""),))
FAMILIES = (SEEDS, PASSWORDS, CODES, LOGINS, NETWORKS, KEYS, ISSUED)
_EVERY = index(family.names for family in FAMILIES)
# those whose secrets may be without a sign: plain words, three digits
_PLAIN = index(family.names for family in FAMILIES[:3])


_EXAMPLE = re.compile(
    r"(?<![\w.@-])(?:(?:for|an) example[\s,]|examples? of|e\.g\.|z\.\s?b\.|beispiel|exemple"
    r"|ejemplo|esempio|exemplo|voorbeeld|например)|例えば|例如"
    # in fiction
    r"|(?<![\w-])(?:in|im|dans|en|nel)\s(?:(?:the|an?|this|that|le|la|un|el)\s)?"
    r"(?:film|movie|novel|tale|episode|joke|riddle|comic|roman|märchen|conte|película|novela|libro)[\s,]"
)


def told_by_words(text: str, low: str, *, has_sign: bool) -> list[tuple[str, int, int]]:
    """Kind, start and end of every secret that words around it tell. low is text in lower case.

    Without a sign, such as a digit or a colon, only plain words and short numbers are looked for.
    """
    by_family: list[list[Name]] = [[] for _ in FAMILIES]
    for number, name in occurrences(text, low, _EVERY if has_sign else _PLAIN):
        if not _EXAMPLE.search(low, name.back(40), name.start):
            by_family[number].append(name)
    found = [
        one
        for family, names in zip(FAMILIES, by_family, strict=True)
        if names
        for one in family.find(names)
    ]
    passwords = list(_of_passwords(by_family))
    found += (("password", *span) for span in told_as_words(low, passwords))
    if has_sign or passwords:
        found += (
            (PASSWORDS.kind_in(low[max(0, start - 48) : end + 48]), start, end)
            for start, end in told_by_use(text, low, passwords)
        )
    return found


def _of_passwords(by_family: Sequence[list[Name]]) -> Iterator[Name]:
    """The names of passwords, and those of keys and codes of networks, which are passwords."""
    yield from by_family[FAMILIES.index(PASSWORDS)]
    for family in (KEYS, CODES):
        for name in by_family[FAMILIES.index(family)]:
            if is_of_network(name) and name.before not in words.NOT_CODE_MARKS:
                yield name
