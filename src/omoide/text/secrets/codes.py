"""Numbers that open something, told by the words around them: PINs, one-time codes, doors."""

from __future__ import annotations

import re
from collections.abc import Iterator

from omoide.text.secrets import words
from omoide.text.secrets.names import (
    CLAUSE_STOP,
    DECOR,
    KEY_AHEAD,
    MARKED,
    SIGNS,
    Link,
    Name,
    Span,
    ahead,
    leads_back,
    link_to,
    whole_words,
)
from omoide.text.secrets.places import is_named_after_place, opens_place
from omoide.text.secrets.spoken import spoken
from omoide.text.secrets.values import HIDDEN, is_counted

# groups of as many digits each, such as 7712 0934 5581
_GROUPS = "|".join(f"[0-9]{{{size}}}(?:[ -][0-9]{{{size}}}){{1,7}}" for size in (3, 4, 5, 6))
_NUMBER = (
    rf"(?<![A-Za-z0-9_./$€£+-])(?:[A-Z]{{1,2}}-)?(?:{_GROUPS}|"
    r"[0-9]{4,10}|[0-9]{2,4}[ -][0-9]{2,4}(?:["
    r" -][0-9]{2,4})?|[0-9](?:[ -][0-9]){3,7})"
    r"(?![A-Za-z0-9_]|[.,/:-][0-9]|[%€$£°])"
)
_CODE = re.compile(
    rf"[#*]?{_NUMBER}[#*]?|"
    r"(?<![A-Za-z0-9_./-])(?=[A-Z-]*[0-9])(?=[0-9-]*[A-Z])[A-Z0-9]{4,10}(?:-[A-Z0-9]{3,8}){0,5}"
    r"(?![A-Za-z0-9_]|-[A-Z0-9]{1,2}(?![A-Za-z0-9_]))"
)
_LOW_CODE = re.compile(
    r"(?<![A-Za-z0-9_./-])(?=[a-z-]*[0-9])[a-z0-9]{4,10}(?:-[a-z0-9]{3,10}){0,5}(?![A-Za-z0-9_])"
)
_CARD_CODE = re.compile(r"(?<![0-9])[0-9]{3,4}(?![0-9A-Za-z_]|[.,][0-9])")
_CARD_CODES = re.compile(r"cv[vc]|cryptogramme|(?:karten)?prüf(?:ziffer|nummer)|.*segur|.*sicurez")
_FACTORS = frozenset(("two factor", "two-factor", "2fa", "mfa"))  # named after, not codes
_LOCKS = whole_words(*words.LOCKS)
_CARD_MARKS = whole_words(*words.CARD_MARKS)
_ARTICLE = re.compile(r"(?:est le|es el|è il|é o|ist die|is the)[\s:]{0,3}\Z")
_RESERVE = re.compile(r"backup|recovery|rescue|emergency|scratch")
_DIALS = re.compile(r"(?<![0-9-])[0-9]{1,2}(?:[- ,]{1,3}[0-9]{1,2}){2,3}(?![0-9-])")
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_FOR = re.compile(r"\s(?:for|of|to|für|pour|de|del|della|van|do|da|till|til)\s")
_DATE = re.compile(
    r"(?:19|20)[0-9]{2}[- ][01]?[0-9][- ][0-3]?[0-9]|[0-3]?[0-9][- ][01]?[0-9][-"
    r" ](?:19|20)?[0-9]{2}"
)
_STRONG_CODES = re.compile(
    r"pin|cvv|cvc|otp|puk|totp|nip|geheimzahl|пин|पिन|পিন|ओटीपी|mã xác|mã pin|mã"
    r" otp|[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]"
)
# of a line that a program wrote, its code is what went wrong
_LOGGED = re.compile(r"(?<![^\W_])(?:error|exception|fatal|traceback)[\]:][^\n]{0,100}\Z")
_LIST = re.compile(r"[\s,;/|•*-]{1,6}(?:and |or |und |et |y )?(?:[0-9]{1,2}[.)] )?")


def code_after(name: Name) -> Iterator[Span]:
    """The PIN, one-time code, door code or dial combination that a name announces, or several of
    them.
    """
    start, stop = ahead(name, KEY_AHEAD)
    pattern, is_marked = _code_pattern(name, start, stop)
    is_told = is_marked or is_yours(name) or _is_of_device(name, stop)
    if is_told and (said := spoken(name.low, start, stop)):
        gap = name.low[name.end : said[0]]
        is_of_card = len(gap) < 24 and _CARD_MARKS.search(gap) is not None
        is_next = is_marked and (not gap.strip(" ?") or is_of_card)
        if link_to(name, said[0]) > Link.NEXT or is_next:
            yield said
        return
    match = pattern.search(name.text, start, min(len(name.text), stop + 40))
    if not match or match.start() >= stop or not _is_code(name, match, is_marked=is_marked):
        return
    yield match.span()
    while match and name.word.endswith("s"):
        further = _LIST.match(name.text, match.end())
        match = pattern.match(name.text, further.end()) if further else None
        if match:
            yield match.span()


def _is_of_device(name: Name, stop: int) -> bool:
    """Whether a device that a PIN opens is named around a code's name."""
    return _OPENER.search(name.low, name.back(24), stop) is not None


def _code_pattern(name: Name, start: int, stop: int) -> tuple[re.Pattern[str], bool]:
    """What the code looks like, and whether the words around say that it opens something."""
    if name.word.startswith(("comb", "komb", "комб")):
        is_lock = _LOCKS.search(name.low, name.back(32), name.start) is not None
        return _DIALS, is_lock or MARKED.search(name.low, name.back(24), stop) is not None
    if _CARD_CODES.match(name.word):
        return _CARD_CODE, True
    is_spare = _RESERVE.search(name.low, name.back(12), name.start)
    is_card = name.before == "security"
    if (is_card or is_spare) and not _CODE.search(name.text, start, stop):
        return _CARD_CODE if is_card else _LOW_CODE, True
    return _CODE, _is_marked(name, stop)


def _is_marked(name: Name, stop: int) -> bool:
    """Whether the words around a code's name say that it opens something."""
    return (
        _STRONG_CODES.match(name.word) is not None
        or MARKED.search(name.low, name.back(30), stop) is not None
        or opens_place(name)
        or _CARD_MARKS.search(name.low, name.end, stop) is not None
    )


def _is_code(name: Name, match: re.Match[str], *, is_marked: bool) -> bool:
    gap, link = name.low[name.end : match.start()], link_to(name, match.start())
    if HIDDEN in gap or _LOGGED.search(name.low, name.back(100), name.start):
        return False
    if _ARTICLE.search(gap):
        link = Link.WORD
    if name.word in _FACTORS and link < Link.WORD:
        return False
    if match.re is _CARD_CODE and link is Link.FAR:
        return False
    if name.word.endswith("s") and is_marked:
        return link is not Link.FAR or gap.isspace()  # below their name
    is_date = _DATE.fullmatch(match[0]) and not name.word.startswith("comb")
    if is_date or _is_postal(name, match) or is_counted(name.text, match.end()):
        return False
    if is_marked:
        return link is not Link.FAR or _is_near(name, match, gap)
    if name.word.endswith("s") or not re.sub(r"[#* -]", "", match[0]).isdigit():
        return False
    if is_named_after_place(name) and link >= Link.WORD:
        return not _YEAR.fullmatch(match[0])
    return _is_told(name, gap, len(match[0]), link)


def _is_near(name: Name, match: re.Match[str], gap: str) -> bool:
    """Whether a code that opens something stands near its name: "the PIN for the card 4711"."""
    if _CARD_MARKS.search(gap):
        return len(gap) <= 32
    if len(gap) > 24 or _YEAR.fullmatch(match[0]):
        return False
    return not name.word.startswith("pin") or _FOR.match(gap) is not None


def _is_told(name: Name, gap: str, digits: int, link: Link) -> bool:
    """Whether digits after "code" or the like are one, by what stands between."""
    core = gap.strip(DECOR + SIGNS)
    if core and not all(part in words.LINKS for part in core.split()):
        is_from = digits in (6, 7) and _OF.match(core) is not None
        return is_from and is_yours(name) and link is Link.WORD
    if name.before in words.DETERMINERS or is_yours(name):
        return bool(gap.strip()) and digits >= 4
    return not name.before and ":" in gap and 5 <= digits <= 8


_SIX_DIGITS = re.compile(r"(?!0)\d{6}")
_PLACE = re.compile(r"\s?[,.-]?\s[A-Z][a-z]+")
_ADDRESS = re.compile(r",\s[A-Z][a-z]+(?:\s[A-Z][a-z]+){0,3}\s*(?:[.,;\n]|\Z)")
_PLACE_BEFORE = re.compile(r"(?:\A|[^\W\d_],?\s)([A-Z][a-z]+),?\s\Z")
_PLACE_BETWEEN = re.compile(r"\s(?:for|of|in)\s(?:[A-Z][a-z]+\s?){1,4}(?:is|:|-)?\s?")
_POSTAL = whole_words(*words.POSTAL_MARKS)
_OPENER = whole_words(*words.OPENERS)


def _is_postal(name: Name, match: re.Match[str]) -> bool:
    """Whether a PIN code is India's postal one: six digits, of an area or an address, or nobody's
    beside a place.
    """
    if not _SIX_DIGITS.fullmatch(match[0]):
        return False
    start, stop = name.back(40), min(name.ceiling, len(name.low), match.end() + 40)
    is_pin = name.word.startswith("pin") and not _OPENER.search(name.low, start, stop)
    if is_pin and _POSTAL.search(name.low, start, stop):
        return True
    is_of_place = "code" in name.word or _PLACE_BEFORE.search(name.text, start, name.start)
    if is_pin and is_of_place and _is_beside(name, match):
        return True
    if is_pin and _PLACE_BETWEEN.fullmatch(name.text, name.end, match.start()):
        return True
    if is_pin and not name.before and _ADDRESS.match(name.text, match.end()):
        return True
    if not _is_beside(name, match) and not (is_pin and "code" in name.word and _is_free(name)):
        return False
    return _PLACE.match(name.text, match.end()) is not None


# what says whose a code is: an article does not
_OWNERS = words.DETERMINERS - frozenset("a the la le el der die das".split())


def _is_free(name: Name) -> bool:
    """Whether nobody is said to own a code."""
    return name.before not in _OWNERS and not is_yours(name)


def _is_beside(name: Name, match: re.Match[str]) -> bool:
    is_next = link_to(name, match.start()) is Link.NEXT
    return _is_free(name) and (is_next or name.text[name.end : match.start()] == " - ")


# "your code for Example is"
_OF = re.compile(r"(?:de|for|from|von|van|di|da|do|för|для|pour)\s[^\W\d_]+\s[^\W\d_]+\Z")
_YOURS = re.compile(
    r"(?:your|ihr|dein|votre|ton|tu|su|seu|tuo|je|jouw|uw|twój|din|ditt|ваш|твой|твій|ваш)\s(?:([^\W\d_]+)[\s-])?\Z"
)


def is_yours(name: Name) -> bool:
    """Whether the name is of "your code" or "your … code", and no code that everybody may know."""
    match = _YOURS.search(name.low, name.back(32), name.start)
    return match is not None and match[1] not in words.NOT_CODE_MARKS


def spoken_before(name: Name) -> Iterator[Span]:
    """The PIN said in words before its name: "four seven one nine is my PIN"."""
    said = spoken(name.low, name.back(KEY_AHEAD), name.start)
    is_told = _STRONG_CODES.match(name.word) or _is_of_device(name, name.forth(24))
    if said and is_told and leads_back(name.low[said[1] : name.start]):
        yield said


def code_before(name: Name) -> Iterator[Span]:
    """The code that stands before its name: "492817 is your verification code"."""
    start = name.back(KEY_AHEAD)
    for match in reversed(list(_CODE.finditer(name.text, start, name.start))):
        gap = name.low[match.end() : name.start]
        if CLAUSE_STOP.search(gap) is None and (
            match.start() > start or start == 0 or name.text[start - 1] == HIDDEN
        ):
            is_told = _is_marked(name, name.forth(24)) or is_yours(name)
            if is_told and leads_back(_without_marks(gap)) and not _DATE.fullmatch(match[0]):
                yield match.span()
        return


def _without_marks(gap: str) -> str:
    """The gap without the words that say what a code is for, so that their number does not
    matter.
    """
    return " ".join(part for part in gap.split() if not MARKED.match(part)) or gap
