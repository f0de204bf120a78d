"""Secrets told by the words around them: "the password is …", ``api_key=…``, "… ist mein Passwort".

A name is judged where it stands: what comes before it, how it is linked to what follows, and how
much that looks like a secret. Everything looks at bounded stretches around a name, so the cost is
linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from omoide.text.secrets import words
from omoide.text.secrets.names import (
    CLAUSE_STOP,
    KEY_AHEAD,
    Link,
    Name,
    Span,
    ahead,
    leads_back,
    link_to,
    whole_words,
)
from omoide.text.secrets.values import (
    UUID,
    Strength,
    Value,
    ends_clause,
    is_counted,
    is_identifier,
    is_noise,
    is_phrase,
    is_plain_secret,
    is_random,
    is_scattered,
    strength,
    values,
    whole_end,
)

_AHEAD = 90  # characters after a name in which its value begins
_BEHIND = 160  # characters before a name in which its value stands
_CANDIDATES = 12  # words after a name that are looked at


_TO_ALL = whole_words(*words.NOT_SECRET_PHRASES)


def password_after(name: Name) -> Iterator[Span]:
    """The password that a name announces."""
    if _TO_ALL.match(name.low, name.end + 1):
        return
    start, stop = ahead(name, _AHEAD)
    found = False
    for value in islice(values(name.text, start, stop), _CANDIDATES):
        if len(value.text) < 4:
            continue
        link = _link(name, value, start)
        if found and link is not Link.WORD:
            return
        if _is_password(name, value, link):
            yield value.start, whole_end(name.text, value)
            if not _goes_on(name, value):
                return
            found = True


def _link(name: Name, value: Value, start: int) -> Link:
    """How a name and a value hang together; start is where values may begin after the name."""
    return Link.SIGN if value.start == start > name.end else link_to(name, value.start)


# "I forgot my password, so I use …" goes on to something else
_SO_ONE_DOES = re.compile(
    r",?\s(?:so|therefore|deshalb|donc|quindi)\s(?:i|we|you|he|she|they|ich|je|on)\s"
)


def _is_password(name: Name, value: Value, link: Link) -> bool:
    if link is Link.FAR and value.text.isalpha():
        return False
    level, gap = strength(value.text), name.low[name.end : value.start]
    if level is Strength.NONE or is_counted(name.text, value.end) or _SO_ONE_DOES.match(gap):
        return False
    if name.word == "pass" and not _is_bare_pass(name, gap, level, link):
        return False
    if link is Link.FAR:
        return _is_far_password(name, value, gap, level)
    is_likely = link > Link.NEXT or len(value.text) > 4
    if level >= Strength.MIXED:
        return is_likely
    if not value.text.strip("#*").isdigit():
        return _is_plain_password(name, value, link)
    if Link.NEXT < link < Link.SIGN:
        return _is_told_number(gap)
    return is_likely or not name.word.isascii()


def _is_far_password(name: Name, value: Value, gap: str, level: Strength) -> bool:
    """Whether a value is the password although much stands between it and its name."""
    said = re.findall(r"[^\W_]+", gap)
    if words.NOT_KEY_GAPS.intersection(said):
        return False
    if level is not Strength.MIXED:
        return level is Strength.STRONG
    is_next = value.quoted and _ARGUMENT.fullmatch(gap) is not None
    return is_next or _stands_out(name, value, said)


def _is_told_number(gap: str) -> bool:
    """Whether a number that "is" the password is one, and no formula or address."""
    is_aside = _FORMULA.search(gap) or not words.DESTINATIONS.isdisjoint(gap.split()[-1:])
    return len(gap) < 32 and not is_aside


_VERB_AT_END = re.compile(r"\s(?:is|ist|lautet|luidt)\s{0,2}(?:[.,;!?\n]|\Z)")
_NEAR_WIFI = re.compile(r"wi ?fi|wlan")


def _stands_out(name: Name, value: Value, said: list[str]) -> bool:
    """Whether a value far from its name is the password still: before a verb at the end, after a
    network's name alone, or in other letters than its sentence and not a place or person in it.
    """
    if _VERB_AT_END.match(name.text, value.raw_end):
        return True
    if len(said) <= 3 and _NEAR_WIFI.search(" ".join(said)):
        return True
    is_foreign = name.text[name.start] > "\u0370" and not any(map(str.isascii, said))
    is_other = is_foreign and value.text.isascii() and len(value.text) > 5
    return is_other and bool(said) and said[-1] not in words.PREPOSITIONS


_ARGUMENT = re.compile(r"[\"']\s{0,2},\s{0,2}[\"']?")  # define("DB_PASSWORD", "…")
_FORMULA = re.compile(r"[\d{}\\*+/]")


def _is_bare_pass(name: Name, gap: str, level: Strength, link: Link) -> bool:
    """Whether "pass" stands for password, not for a ticket or a passed test."""
    sign = gap.lstrip()[:1]
    if _PASS_FIELD.search(name.text, name.back(40), name.start + 1):
        return True
    if level >= Strength.MIXED and _BY_USER.search(name.low, name.back(60), name.start):
        return True
    if link is Link.WORD and (level is Strength.STRONG or gap.startswith(" for the ")):
        return True
    if sign == ":":
        return not name.text[name.start : name.end].isupper()
    return gap.strip() in ("=", "->", "=>", "→") or name.before in _BEFORE_PASS


_BEFORE_PASS = frozenset("the la my mi mia wifi wi-fi router admin root db sudo".split())
# redis_pass, redisPass, --redis-pass
_PASS_FIELD = re.compile(r"[A-Za-z0-9]_[Pp]\Z|[a-z]P\Z|(?<![^\s\"'`])--[a-z][a-z-]{0,30}-p\Z")


_BY_USER = re.compile(
    r"(?:login|user(?:name)?|ssid|wi-?fi|wlan|benutzer|usuario|utente|utilisateur|utilizador)(?:\s|:\s?|\sis\s)"
    r"\S{1,40}(?:\s(?:and|und|y|et|e))?[\s,;/]{1,3}\Z"
)
# "Wi-Fi: name Petunia, key …"
_LISTED_KEY = re.compile(
    r"(?:name|network|ssid|netz|netzwerk|réseau|red|rete)[\s:]{1,3}[^,;\n]{2,32}[,;]\s"
    r"(?:and |und )?\Z"
)
_NETRC = re.compile(r"(?:login|user(?:name)?)\s(?!and\s|or\s|und\s)\S{1,60}\s\Z")


def _is_plain_password(name: Name, value: Value, link: Link) -> bool:
    """Whether a plain word after a password's name is meant as one."""
    if name.word.endswith(("phrase", "フレーズ")) and value.quoted and link > Link.FAR:
        return True
    is_loose = name.word in ("clave", "pass")
    if is_loose and link is Link.SIGN and _BY_USER.search(name.low, name.back(60), name.start):
        is_loose = False
    if is_loose or name.before in _THE_WORD or not is_plain_secret(value.text, quoted=value.quoted):
        return False  # "clave" is Spanish for clue as well, "pass" stands in many sentences
    if value.quoted or (name.word.endswith("s") and name.word != "pass"):
        return value.quoted and link is not Link.FAR
    gap = name.low[name.end : value.start]
    if link is Link.SIGN:
        is_code = "|" in gap or _is_code(name, value, gap)
        is_set = gap == "=" and name.text[name.start : name.end].isupper()  # a variable
        return (is_set or ends_clause(name.text, value)) and not is_code
    if link is Link.NEXT and value.text.count("-") > 1 and gap.isspace():
        return ends_clause(name.text, value) and _is_row(value.text)
    if link is Link.NEXT and _LISTED_KEY.search(name.low, name.back(48), name.start):
        return len(value.text) > 7 and ends_clause(name.text, value)
    if link is Link.NEXT:
        return gap.isspace() and _NETRC.search(name.low, name.back(80), name.start) is not None
    return (_leads(gap.split(), value.text) or _is_field(gap, link)) and ends_clause(
        name.text, value
    )


# "the word password": talk of the word
_THE_WORD = frozenset("word wort mot palabra parola palavra woord слово".split())


def _is_row(text: str) -> bool:
    """Whether hyphens join words that say nothing of a password."""
    parts = text.lower().split("-")
    return all(len(part) > 2 and not part.endswith("ed") for part in parts) and is_phrase(text)


def _is_code(name: Name, value: Value, gap: str) -> bool:
    """Whether what is assigned is a name of a program, or its call."""
    following = name.text[value.end : value.end + 1]
    if is_identifier(value.text) or following in ("(", "["):
        return True
    return "=" in gap and following in (")", ",")


def _is_field(gap: str, link: Link) -> bool:
    """Whether a colon follows what the password is for: "password for the router: …"."""
    said = gap.split()
    is_for = said[0] in _TO_A_PLACE or _NEAR_WIFI.match(said[0])
    return link is Link.LABEL and len(said) < 6 and bool(is_for)


_TO_A_PLACE = frozenset(
    "for to of on at in this now today von für zum vom beim im pour du de del della al alla per"
    " para do da van voor till til dla для от к".split()
)
# where links stand before what describes a password as well: how that ends
_ROMANCE = re.compile(rf"[a-z]{{0,30}}(?:{'|'.join(words.ROMANCE_ENDINGS)})\Z")
_DESCRIBED = {
    "ist": re.compile(r"[a-z]|.{0,40}(?:ung|nis|heit|keit|sache)\Z"),  # names of things are capital
    **dict.fromkeys("es est è é".split(), _ROMANCE),
}


def _leads(said: list[str], text: str) -> bool:
    """Whether words between a name and a plain value say that the value is it."""
    link = said[-1].strip(":")
    if len(said) > 1 and said[0] not in _TO_A_PLACE:
        return False
    if describing := _DESCRIBED.get(link):
        return len(text) > 4 and describing.match(text) is None
    return link in words.SURE_LINKS


_PAIR = re.compile(
    r"user|login|benutzer|usuario|utilisateur|utente|логин|用户|ユーザ|아이디|account"
)


def _goes_on(name: Name, value: Value) -> bool:
    """Whether more than one value is to be expected: "user and password are bob99 and Xy9zz!",
    "passwords are …".
    """
    return name.word.endswith("s") or _PAIR.search(name.low, name.back(24), name.start) is not None


def _behind(name: Name) -> Iterator[Value]:
    """The values in the clause before a name, the nearest first."""
    window = start = max(0, name.floor, name.start - _BEHIND)
    for stop in CLAUSE_STOP.finditer(name.text, start, name.start):
        start = stop.end()
    for value in reversed(list(islice(values(name.text, start, name.start), 2 * _CANDIDATES))):
        # else the window may have cut it
        is_whole = value.start > window or window in (0, name.floor)
        if is_whole and len(value.text) > 3 and value.raw_end <= name.start:
            yield value


def key_after(name: Name) -> Iterator[Span]:
    """The key, token or secret that a name announces."""
    if name.before in words.NOT_KEY_MARKS:
        return
    is_sure = _is_sure(name)
    start, stop = ahead(name, KEY_AHEAD)
    for value in islice(values(name.text, start, stop), _CANDIDATES):
        if value.text.isalpha() and not is_scattered(value.text):
            continue
        if _is_of_another(name.low[name.end : value.start]):
            return
        link = _link(name, value, start)
        if _is_key(value, link, is_sure=is_sure):
            yield value.start, whole_end(name.text, value)
            if not _goes_on(name, value):
                return


_PART_OF = re.compile(r"(?:half|part)\s(?:of|from)\s[^\n.;]{0,12}\Z")


def _is_sure(name: Name) -> bool:
    """Whether a name is that of a key that opens something, and of no other key or sign."""
    is_any = name.word.startswith(("key", "sig")) and name.word.isascii()
    if not is_any or name.before in words.KEY_MARKS:
        return True
    return _PART_OF.search(name.low, name.back(24), name.start) is not None


def _is_of_another(gap: str) -> bool:
    """Whether the words before a value say that it is something else."""
    said = re.findall(r"[^\W_]+", gap)
    return bool(
        words.NOT_KEY_GAPS.intersection(said) or words.NOT_KEY_MARKS.intersection(gap.split())
    )


def _is_key(value: Value, link: Link, *, is_sure: bool) -> bool:
    text = value.text
    if is_random(text) and not UUID.match(text):
        return True
    if is_sure and link > Link.NEXT and is_scattered(text):
        return True
    if value.quoted and is_noise(text):
        return True
    if not is_sure or link is Link.FAR or strength(text) < Strength.MIXED or " " in text:
        return False
    digits = sum(map(str.isdigit, text))
    if link > Link.NEXT:
        return len(text) >= 8 and digits > 0
    return len(text) >= 12 and digits >= 2


def issued_after(name: Name) -> Iterator[Span]:
    """The random value that stands by the name of an issuer alone: "Datadog: …"."""
    start, stop = ahead(name, KEY_AHEAD)
    value = next(values(name.text, start, stop), None)
    if value is None or link_to(name, value.start) <= Link.LABEL:
        return
    if is_random(value.text) and not UUID.match(value.text):
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


_REMARKED = re.compile(
    r"([\"'`])([^\"'`\n\uffff]{8,128})\1[;,)\s]{0,4}(?://|#|--)\s[^\n\uffff]{0,40}\Z"
)


def remarked_before(name: Name) -> Iterator[Span]:
    """The string in code whose remark says what it is: ``x = "…"  # the client secret``."""
    start = name.text.rfind("\n", 0, name.start) + 1
    match = _REMARKED.search(name.text, max(start, name.back(_BEHIND)), name.start)
    if match and strength(match[2]) >= Strength.MIXED and " " not in match[2]:
        yield match.span(2)


WIFI = (
    r"wi-?fi|wlan|ssid|(?<![a-z])wpa|hotspot|вай-?фай|无线|無線|ワイファイ|와이파이|واي"
    r" فاي|वाई-?फ़?ाई|वाईफाई|network|netzwerk"
)


def is_of_network(name: Name) -> bool:
    """Whether a key is that of a wireless network: its pass phrase."""
    return re.search(WIFI, name.low[name.back(48) : name.forth(32)]) is not None


def network_key_after(name: Name) -> Iterator[Span]:
    """The pass phrase of a wireless network, called its key."""
    if is_of_network(name):
        yield from password_after(name)
