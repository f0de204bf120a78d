"""Secrets told by the words around them: "the password is …", ``api_key=…``, "… ist mein Passwort".

A name is judged where it stands: what comes before it, how it is linked to what follows, and how much that
looks like a secret. Everything looks at bounded stretches around a name, so the cost is linear in the text.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from omoide.text import secret_words as words
from omoide.text.secret_names import CLAUSE_STOP, DECOR, MARKED, SIGNS, Link, Name, ahead, index, link_to, occurrences
from omoide.text.secret_values import (
    HIDDEN,
    UUID,
    Strength,
    Value,
    ends_clause,
    is_counted,
    is_identifier,
    is_phrase,
    is_plain_secret,
    is_random,
    strength,
    values,
    whole_end,
)

_AHEAD = 90  # characters after a name in which its value begins
_KEY_AHEAD = 48
_BEHIND = 160  # characters before a name in which its value stands
_CANDIDATES = 16  # words after a name that are looked at

Span = tuple[int, int]


def password_after(name: Name) -> Iterator[Span]:
    """The password that a name announces."""
    start, stop = ahead(name, _AHEAD)
    found = False
    for value in islice(values(name.text, start, stop), _CANDIDATES):
        if len(value.text) < 4:
            continue
        link = Link.SIGN if value.start == start > name.end else link_to(name, value.start)
        if found and link is not Link.WORD:
            return
        if _is_password(name, value, link):
            yield value.start, whole_end(name.text, value)
            if not _goes_on(name, value):
                return
            found = True
        elif link is Link.SIGN and strength(value.text) is Strength.NONE and len(value.text) > 3:
            return  # an assignment of code or a stand-in


def _is_password(name: Name, value: Value, link: Link) -> bool:
    if link is Link.FAR and value.text.isalpha():
        return False
    level = strength(value.text)
    gap = name.low[name.end : value.start]
    if level is Strength.NONE or is_counted(name.text, value.end) or (name.word == "pass" and not _is_bare_pass(name, gap)):
        return False
    if link is Link.FAR:
        said = re.findall(r"[^\W_]+", gap)
        if words.NOT_KEY_GAPS.intersection(said):
            return False
        return level is Strength.STRONG or (level is Strength.MIXED and _stands_out(name, value, said))
    if level >= Strength.MIXED:
        return link > Link.NEXT or len(value.text) > 4
    if value.text.isdigit():
        if Link.NEXT < link < Link.SIGN:
            return len(gap) < 32 and not _FORMULA.search(gap) and gap.split()[-1] not in words.DESTINATIONS
        return link > Link.NEXT or len(value.text) > 4 or not name.word.isascii()
    return _is_plain_password(name, value, link)


_VERB_AT_END = re.compile(r"\s(?:is|ist|lautet|luidt)\s{0,2}(?:[.,;!?\n]|\Z)")
_NEAR_WIFI = re.compile(r"wi ?fi|wlan")


def _stands_out(name: Name, value: Value, said: list[str]) -> bool:
    """Whether the value is in other letters than its sentence and not a place or person in it, or a network's."""
    return (
        name.text[name.start] > "\u0370"
        and value.text.isascii()
        and len(value.text) > 5
        and not any(word.isascii() for word in said)
        and said[-1] not in words.PREPOSITIONS
    ) or _VERB_AT_END.match(name.text, value.raw_end) is not None or (len(said) <= 3 and _NEAR_WIFI.search(" ".join(said)) is not None)


_FORMULA = re.compile(r"[\d{}\\*+/]")


def _is_bare_pass(name: Name, gap: str) -> bool:
    """Whether "pass" stands for password, not for a ticket or a passed test."""
    if ":" in gap:
        return not name.text[name.start : name.end].isupper()
    return "=" in gap or name.before in ("the", "la", "my", "mi", "mia", "wifi", "wi-fi", "router", "admin", "root", "db", "sudo")


_NETRC = re.compile(r"(?:login|user(?:name)?)\s(?!and\s|or\s|und\s)\S{1,60}\s\Z")


def _is_plain_password(name: Name, value: Value, link: Link) -> bool:
    """Whether a plain word after a password's name is meant as one."""
    if name.word.endswith(("phrase", "フレーズ")) and value.quoted and link > Link.FAR:
        return True
    if name.word == "clave" or not is_plain_secret(value.text, quoted=value.quoted):
        return False  # "clave" is Spanish for key and clue as well
    if value.quoted:
        return link is not Link.FAR
    if name.word.endswith("s") and name.word != "pass":
        return False
    gap = name.low[name.end : value.start]
    if link is Link.SIGN:
        is_code = is_identifier(value.text) or ("=" in gap and name.text[value.end : value.end + 1] in (")", ","))
        return "|" not in gap and ends_clause(name.text, value) and not is_code
    if link is Link.NEXT:
        return gap.isspace() and _NETRC.search(name.low, max(0, name.start - 80), name.start) is not None
    gap_words = gap.split()
    leads = len(gap_words) == 1 or gap_words[0] in ("for", "to", "of", "on", "at", "in", "für", "zum", "vom", "pour", "du", "de")
    return leads and gap_words[-1].strip(":") in words.SURE_LINKS and ends_clause(name.text, value)


_PAIR = re.compile(r"user|login|benutzer|usuario|utilisateur|utente|логин|用户|ユーザ|아이디|account")


def _goes_on(name: Name, value: Value) -> bool:
    """Whether more than one value is to be expected: "user and password are bob99 and Xy9zz!", "passwords are …"."""
    return name.word.endswith("s") or _PAIR.search(name.low, max(0, name.start - 24), name.start) is not None


_BEFORE_END = re.compile(r"\s*(?:\Z|[\n.,;:!?)\]。，、！？]|[^\x00-\u024f]|[A-Z]|(?:for|to|of|on|at|in|and|but|so|now|there|für|vo[nm]|zum|im|am|pour|d[ueao]|des|del|dell\w*|para|per|van|voor|till?|för|av|og|och|et|y|e|und)(?![^\W_]))")


def password_before(name: Name) -> Iterator[Span]:
    """The password that stands before its name: "hunter2 is my password"."""
    low, text = name.low, name.text
    if not _BEFORE_END.match(text, name.end):
        return
    for value in _behind(name):
        level = strength(value.text)
        if level >= Strength.MIXED or (value.text.isdigit() and "is" in low[value.end : name.start].split()) or (value.quoted and level is Strength.PLAIN and is_plain_secret(value.text, quoted=True)):
            if leads_back(low[max(value.end, value.raw_end if value.quoted else 0) : name.start]):
                yield value.start, whole_end(text, value)
            return


def _behind(name: Name) -> Iterator[Value]:
    """The values in the clause before a name, the nearest first."""
    window = start = max(0, name.floor, name.start - _BEHIND)
    for stop in CLAUSE_STOP.finditer(name.text, start, name.start):
        start = stop.end()
    for value in reversed(list(islice(values(name.text, start, name.start), 2 * _CANDIDATES))):
        if len(value.text) > 3 and value.raw_end <= name.start and (value.start > window or window in (0, name.floor)):  # else the window may have cut it
            yield value


def leads_back(gap: str) -> bool:
    """Whether the lower-cased text between a value and a later name says that the value is it."""
    parts = gap.strip(" \t\"'`*_»”)」』,-–—=").split()
    if not parts:
        return any(sign in gap for sign in "-–—=")
    if parts[0] in words.POSSESSIVES:
        return len(parts) <= 3
    if parts[0] in words.BACK_LINKS:
        return len(parts) == 1 or (parts[1] in words.POSSESSIVES and len(parts) <= 5) or (len(parts) == 2 and parts[0] != "for")
    return gap.startswith(words.UNSPACED_BACK_LINKS) and len(gap) <= 16


def key_after(name: Name) -> Iterator[Span]:
    """The key, token or secret that a name announces."""
    if name.before in words.NOT_KEY_MARKS:
        return
    is_sure = not name.word.startswith("key") or name.before in words.KEY_MARKS or not name.word.isascii()
    start, stop = ahead(name, _KEY_AHEAD)
    for value in islice(values(name.text, start, stop), _CANDIDATES):
        if value.text.isalpha():
            continue
        gap = name.low[name.end : value.start]
        if words.NOT_KEY_GAPS.intersection(re.findall(r"[^\W_]+", gap)) or words.NOT_KEY_MARKS.intersection(gap.split()):
            return
        link = Link.SIGN if value.start == start > name.end else link_to(name, value.start)
        if _is_key(value, link, is_sure=is_sure):
            yield value.start, whole_end(name.text, value)
            if not _goes_on(name, value):
                return
        elif link is Link.SIGN and len(value.text) > 3 and strength(value.text) is Strength.NONE:
            return


def _is_key(value: Value, link: Link, *, is_sure: bool) -> bool:
    text = value.text
    if is_random(text) and not UUID.match(text):
        return True
    if not is_sure or link is Link.FAR or strength(text) < Strength.MIXED or not any(c.isdigit() for c in text) or " " in text:
        return False
    return len(text) >= 8 if link > Link.NEXT else len(text) >= 12 and sum(c.isdigit() for c in text) >= 2


def issued_after(name: Name) -> Iterator[Span]:
    """The random value that stands by the name of an issuer alone: "Datadog: …"."""
    start, stop = ahead(name, _KEY_AHEAD)
    value = next(values(name.text, start, stop), None)
    if value and link_to(name, value.start) > Link.LABEL and is_random(value.text) and not UUID.match(value.text):
        yield value.start, whole_end(name.text, value)


def key_before(name: Name) -> Iterator[Span]:
    """The key or token that stands before its name."""
    if name.before in words.NOT_KEY_MARKS:
        return
    for value in _behind(name):
        if is_random(value.text) or (UUID.match(value.text) and name.before in words.KEY_MARKS):
            if leads_back(name.low[value.end : name.start]):
                yield value.start, value.end
            return


def network_key_after(name: Name) -> Iterator[Span]:
    """The pass phrase of a wireless network, called its key."""
    if re.search(_WIFI, name.low[max(0, name.start - 32) : name.start]):
        yield from password_after(name)


_NUMBER = (
    r"(?<![A-Za-z0-9_./$€£+-])(?:[A-Z]{1,2}-)?(?:[0-9]{4,10}|[0-9]{2,4}[ -][0-9]{2,4}(?:[ -][0-9]{2,4})?|[0-9](?:[ -][0-9]){3,7})"
    r"(?![A-Za-z0-9_]|[.,/:-][0-9]|[%€$£°])"
)
_CODE = re.compile(rf"[#*]?{_NUMBER}[#*]?|(?<![A-Za-z0-9_./-])(?=[A-Z-]*[0-9])(?=[0-9-]*[A-Z])[A-Z0-9]{{4,10}}(?:-[A-Z0-9]{{3,8}}){{0,5}}(?![A-Za-z0-9_])")
_LOW_CODE = re.compile(r"(?<![A-Za-z0-9_./-])(?=[a-z-]*[0-9])[a-z0-9]{4,10}(?:-[a-z0-9]{3,10}){0,5}(?![A-Za-z0-9_])")
_CARD_CODE = re.compile(r"(?<![0-9])[0-9]{3,4}(?![0-9A-Za-z_]|[.,][0-9])")
_RESERVE = re.compile(r"backup|recovery|rescue|emergency|scratch")
_DIALS = re.compile(r"(?<![0-9-])[0-9]{1,2}(?:[- ,]{1,3}[0-9]{1,2}){2,3}(?![0-9-])")
_DATE = re.compile(r"(?:19|20)[0-9]{2}[- ][01]?[0-9][- ][0-3]?[0-9]|[0-3]?[0-9][- ][01]?[0-9][- ](?:19|20)?[0-9]{2}")
_STRONG_CODES = re.compile(r"pin|cvv|cvc|otp|puk|totp|nip|geheimzahl|пин|पिन|পিন|ओटीपी|mã xác|mã pin|mã otp|[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
_LIST = re.compile(r"[\s,;/|•*-]{1,6}(?:and |or |und |et |y )?(?:[0-9]{1,2}[.)] )?")


def code_after(name: Name) -> Iterator[Span]:
    """The PIN, one-time code, door code or dial combination that a name announces, or several of them."""
    start, stop = ahead(name, _KEY_AHEAD)
    pattern, is_marked = _code_pattern(name, start, stop)
    match = pattern.search(name.text, start, min(len(name.text), stop + 40))
    if not match or match.start() >= stop or not _is_code(name, match, is_marked=is_marked):
        return
    yield match.span()
    while name.word.endswith("s") and (further := _LIST.match(name.text, match.end())):
        match = pattern.match(name.text, further.end())
        if not match:
            return
        yield match.span()


def _code_pattern(name: Name, start: int, stop: int) -> tuple[re.Pattern[str], bool]:
    """What the code looks like, and whether the words around say that it opens something."""
    if name.word in ("combination", "combo"):
        return _DIALS, MARKED.search(name.low, max(0, name.start - 24), stop) is not None
    if name.word.startswith(("cvv", "cvc")) or (name.before == "security" and not _CODE.search(name.text, start, stop)):
        return _CARD_CODE, True
    if _RESERVE.search(name.low, max(0, name.start - 12), name.start) and not _CODE.search(name.text, start, stop):
        return _LOW_CODE, True
    return _CODE, _is_marked(name, stop)


def _is_marked(name: Name, stop: int) -> bool:
    """Whether the words around a code's name say that it opens something."""
    return _STRONG_CODES.match(name.word) is not None or MARKED.search(name.low, max(0, name.start - 30), stop) is not None


def _is_code(name: Name, match: re.Match[str], *, is_marked: bool) -> bool:
    gap = name.low[name.end : match.start()]
    if HIDDEN in gap:
        return False
    if name.word.endswith("s") and is_marked:
        return link_to(name, match.start()) is not Link.FAR
    if (_DATE.fullmatch(match[0]) and not name.word.startswith("comb")) or is_counted(name.text, match.end()):
        return False
    if is_marked:
        return link_to(name, match.start()) is not Link.FAR or (len(gap) <= 24 and not name.word.startswith("pin"))
    if not match[0].strip("#*").isdigit() or name.word.endswith("s"):
        return False
    core = gap.strip(DECOR + SIGNS)
    digits = len(match[0])
    if core and not all(part in words.LINKS for part in core.split()):
        return False
    if name.before in words.DETERMINERS or is_yours(name):
        return bool(gap.strip()) and digits >= 4
    return not name.before and ":" in gap and 5 <= digits <= 8


_YOURS = re.compile(r"(?:your|ihr|dein|votre|ton|tu|su|seu|tuo|je|jouw|uw|twój|din|ditt|ваш|твой|твій|ваш)\s(?:([^\W\d_]+)[\s-])?\Z")


def is_yours(name: Name) -> bool:
    """Whether the name is of "your code" or "your … code", and no code that everybody may know."""
    match = _YOURS.search(name.low, max(0, name.start - 32), name.start)
    return match is not None and match[1] not in words.NOT_CODE_MARKS


def code_before(name: Name) -> Iterator[Span]:
    """The code that stands before its name: "492817 is your verification code"."""
    start = max(0, name.start - _KEY_AHEAD)
    for match in reversed(list(_CODE.finditer(name.text, start, name.start))):
        gap = name.low[match.end() : name.start]
        if CLAUSE_STOP.search(gap) is None and (match.start() > start or start == 0):
            is_told = _is_marked(name, name.end + 24) or is_yours(name)
            if is_told and leads_back(_without_marks(gap)) and not _DATE.fullmatch(match[0]):
                yield match.span()
        return


def _without_marks(gap: str) -> str:
    """The gap without the words that say what a code is for, so that their number does not matter."""
    return " ".join(part for part in gap.split() if not MARKED.match(part)) or gap


_SEED_WORD = r"(?:[0-9]{1,2}[.):]\s{0,2})?[^\W\d_]{3,12}"
_SEED = re.compile(rf"{_SEED_WORD}(?:[\s,、，·|-]{{1,4}}{_SEED_WORD}){{11,24}}")
_SIGN_WORD = r"[\u3041-\u30ff\u4e00-\u9fff\uac00-\ud7af]{1,9}"
_SIGN_SEED = re.compile(rf"{_SIGN_WORD}(?:[\s,、，\u3000]{{1,3}}{_SIGN_WORD}){{11,24}}")
_NEVER_SEED = frozenset("the and are was for from were has had been which would should could is".split())  # not in the list of BIP 39
# What stands between a wallet's name and its words: something with a colon or link at its end, or only space.
_SEED_LEAD = re.compile(
    rf"(?:[^:：=\n{HIDDEN}]{{0,60}}?(?:[:：=]|(?<![^\W_])(?:is|are|lautet|ist|est|es|è|é|jest|это)(?![^\W_])|是|は|는|은)\s{{0,2}}[:：=]?)?[\s\"'`“”«»„「*]{{0,6}}"
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
    found = [one.span() for one in re.finditer(r"[^\W\d_]+", match[0])]
    while found and match[0][slice(*found[0])] in words.LINKS | _NEVER_SEED:
        found = found[1:]
    size = next((size for size in _SEED_SIZES if size <= len(found)), 0)
    if size and not any(match[0][a:b] in _NEVER_SEED for a, b in found[:size]):
        yield match.start() + found[0][0], match.start() + found[size - 1][1]


_WALLET = re.compile(r"seed|wallet|recovery|backup|ledger|trezor|metamask|crypto|mnemonic|bitcoin|phantom|secret phrase")


def _is_wallet(name: Name, found: str) -> bool:
    """Whether words after "words", "phrase" or "seed" are those of a wallet."""
    if name.word in ("words", "phrase", "phrases"):
        return _WALLET.search(name.low, max(0, name.start - 40), name.end + 40) is not None
    return name.word not in ("seed", "seeds") or re.fullmatch(r"[^\W\d_]+(?: [^\W\d_]+){11,24}", found) is not None


_PHRASE = re.compile(
    r"\s?(?:is|was|ist|est|:|=)+:?\s+([a-z]+(?:[ -][a-z]+){2,11}|[A-Z][a-z]+(?:[ -][A-Z][a-z]+){2,11})"
    r"(?=\s*(?:\Z|[\n.,;!?)]|[^\x00-\u024f])|\s[A-Z])"
)


def phrase_after(name: Name) -> Iterator[Span]:
    """A pass phrase of several plain words without quotes: "the passphrase is correct horse battery staple"."""
    is_app = name.before == "app"  # an app password is written as four times four letters
    if not is_app and not name.word.endswith(("phrase", "phrases", "フレーズ", "passe")):
        return
    match = _PHRASE.match(name.text, name.end)
    if match and is_phrase(match[1]) and not (is_app and [len(word) for word in match[1].split()] != [4] * 4):
        yield match.span(1)


_LOGIN_PAIR = re.compile(r"[\"'`(]?([\w.@+-]{2,64})\s?[/|:]\s?([!#-.0-;=?-_a-{}~]{5,128})", re.ASCII)


def login_after(name: Name) -> Iterator[Span]:
    """The second half of "login: admin / hunter2"."""
    start, stop = ahead(name, _KEY_AHEAD)
    match = _LOGIN_PAIR.search(name.low, start, min(len(name.low), stop + 128))
    if match and match.start() < stop and link_to(name, match.start()) is not Link.FAR:
        value = next(values(name.text, match.start(2), match.end(2)), None)
        if value and strength(value.text) >= Strength.MIXED and "/" not in value.text:
            yield value.start, value.end


Finder = Callable[[Name], Iterator[Span]]
Kinds = tuple[tuple[str, str], ...]  # a kind, and the pattern of what stands around a name that makes it that kind


@dataclass(frozen=True, slots=True)
class Family:
    """Names that announce the same sort of secret, how it is found around them, and what it is called."""

    names: words.Names
    finders: tuple[Finder, ...]
    kinds: Kinds  # the first that fits; the last always does

    def find(self, names: list[Name]) -> Iterator[tuple[str, int, int]]:
        """Kind, start and end of every secret that these names announce; each looks no further than to its neighbours."""
        done = 0
        for name in _apart(names):
            if name.start < done:
                continue
            for finder in self.finders:
                if spans := list(finder(name)):
                    kind, done = self._kind(name), spans[-1][1]
                    yield from ((kind, start, end) for start, end in spans)
                    break

    def _kind(self, name: Name) -> str:
        around = name.low[max(0, name.start - 24) : name.end + 24]
        return next(kind for kind, pattern in self.kinds if re.search(pattern, around))


_CROWD, _CROWD_REACH = 5, 40  # so many names beginning in so many characters are noise that announces nothing


def _apart(names: list[Name]) -> Iterator[Name]:
    """The names with their neighbours, without those inside another and without those in a crowd."""
    names.sort(key=lambda name: (name.start, -name.end))
    apart = [name for before, name in zip([None, *names], names, strict=False) if not before or name.start >= before.end]
    starts = [0, *(name.start for name in apart), sys.maxsize]
    crowded: set[int] = set()
    for first in range(1, len(apart) - _CROWD + 2):
        if starts[first + _CROWD - 1] - starts[first] <= _CROWD_REACH:
            crowded.update(range(first, first + _CROWD))
    for number, name in enumerate(apart, start=1):
        if number not in crowded:
            yield Name(name.text, name.low, name.start, name.end, starts[number - 1], starts[number + 1])


_WIFI = r"wi-?fi|wlan|ssid|(?<![a-z])wpa|hotspot|вай-?фай|无线|無線|ワイファイ|와이파이|واي فاي|वाई-?फ़?ाई|वाईफाई|network|netzwerk"
_LOGINS = "login log-in credential creds zugangsdaten identifiants credenciales credenziali credenciais логин 账号 帳號 アカウント ログイン 계정"

SEEDS = Family(tuple((word, r"[^\W\d_]{0,6}") for word in words.SEED_NAMES), (seed_after,), (("seed-phrase", ""),))
PASSWORDS = Family(
    words.PASSWORD_NAMES, (password_after, phrase_after, password_before), (("wifi-password", _WIFI), ("password", ""))
)
LOGINS = Family(tuple((word, "s?" if word.isascii() else "") for word in _LOGINS.split()), (login_after,), (("password", ""),))
KEYS = Family(
    words.KEY_NAMES,
    (network_key_after, key_after, key_before),
    (
        ("wifi-password", r"wpa|wi-?fi|wlan|network key"),
        ("private-key", r"private|priv[ée]e|privad|privat|приват|закрыт|私钥|秘密鍵|개인"),
        ("cookie", r"sess(?:ion)?id|connect\.sid"),
        ("signed-url", r"sig(?:nature)?="),
        ("token", r"token|jeton|токен|トークン|토큰|令牌|توكن|authorization|टोकन|โทเค็น"),
        ("api-key", r"key|schl|clé|clef|clave|llave|chav|chiav|ключ|キー|키|密钥|مفتاح|कुंजी|sleutel|klucz|anahtar"),
        ("secret", ""),
    ),
)
CODES = Family(
    words.CODE_NAMES,
    (code_after, code_before),
    (
        ("card-code", r"cv[vc]|card verification|card security"),
        ("recovery-code", r"backup|recovery|rescue|emergency|puk|wiederherstell|récupér|recuper"),
        ("pin", r"(?<![a-z])pin|пин|पिन|暗証|핀|nip|geheimzahl"),
        ("access-code", r"door|gate|alarm|safe|lock|entr|combi|tür|tor|puerta|porta|porte|cancell|deur|drzwi|bram|двер|домофон|门禁|الباب|दरवाज|ประตู"),
        ("one-time-code", ""),
    ),
)
ISSUED = Family(words.ISSUERS, (issued_after,), (("api-key", ""),))
FAMILIES = (SEEDS, PASSWORDS, CODES, LOGINS, KEYS, ISSUED)
_EVERY = index(family.names for family in FAMILIES)
_PLAIN = index(family.names for family in FAMILIES[:3])  # those whose secrets may be without a sign: plain words, three digits


def told_by_words(text: str, low: str, *, has_sign: bool) -> list[tuple[str, int, int]]:
    """Kind, start and end of every secret that words around it tell. low is text in lower case.

    Without a sign, such as a digit or a colon, only plain words and short numbers are looked for.
    """
    by_family: list[list[Name]] = [[] for _ in FAMILIES]
    for number, name in occurrences(text, low, _EVERY if has_sign else _PLAIN):
        by_family[number].append(name)
    return [found for family, names in zip(FAMILIES, by_family, strict=True) if names for found in family.find(names)]
