"""What stands after a word like "password": whether it is a secret, a plain word, code or a
stand-in.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

from omoide.text.secrets import words

# what found secrets and earlier marks are replaced with while searching; no value reaches over it
HIDDEN = "\uffff"

_REACH = 128  # characters of a value that are judged; an accepted value goes on to its end
_PAIRED = ("“”", "””", "„“", "„”", "«»", "»«", "‘’", "「」", "『』", "‹›")
_QUOTED = "|".join(
    # A straight quote opens where no word goes before it and no space behind.
    [
        rf"(?<![^\W_]){quote}(?P<q{number}>[^\s{quote}{HIDDEN}](?:[^{quote}\n{HIDDEN}]{{0,126}}[^\s{quote}{HIDDEN}])?){quote}(?![^\W\d_])"
        for number, quote in enumerate("\"'`")
    ]
    + [
        rf"{pair[0]}(?P<p{number}>[^{pair}\n{HIDDEN}]{{1,128}}){pair[1]}"
        for number, pair in enumerate(_PAIRED)
    ]
)
_CHARS = r"!#-&(-;=?-_a-~\u00a1-\u00aa\u00ac-\u00ba\u00bc-\u024f"
_VALUE = re.compile(
    rf"{_QUOTED}"
    rf"|(?P<bare>[!#-&(-+./-9?-_a-{{}}~\u00a1-\u00aa\u00ac-\u00ba\u00bc-\u024f-][{_CHARS}']{{0,{_REACH}}})"
    rf"|(?P<other>[\u0370-\u0dff\u10a0-\u10ff\u1200-\u137f][^\s\"'“”«»„,;.!?<>{HIDDEN}]{{0,{_REACH}}})"
)
_REST = re.compile(rf"[{_CHARS}']*")

_CUT = re.compile(r"[;,&](?=[A-Za-z_][\w.-]{0,40}[=:])|\\[nrt\"']|[;|]$|\}?\}?,$", re.ASCII)
_SUFFIX = re.compile(r"['’][^\W\d_]{1,5}\Z")
_CLAUSE_END = re.compile(
    r"\s*(?:\Z|[\n.,;!?)\]}<\"'»”’|/*(-]|[^\x00-\u024f]|(?:and|but|or|so|then|which|now|for|on|at|in|btw|if|und|et|y|e|och|og|en)(?![^\W_]))|\s[A-Z]"
)
_UNIT = re.compile(rf"\s?-?(?:{words.UNITS})(?![^\W\d_])|\s?(?:{words.UNSPACED_UNITS})")
# hunter2, which no unit counts: "pw hunter2 user ana"
_MIXED = re.compile(r"(?<![^\W_])(?!\d+[^\W\d_]+\Z)(?=[^\W_]*\d)(?=[^\W_]*[^\W\d_])[^\W_]+\Z")
_SENTENCE_END = re.compile(r"[.?;](?:\s|\Z)|!(?:\s(?![a-z])|\Z)")


_OTHER_DIGIT = re.compile(r"(?![0-9])[\d\uff21-\uff3a\uff41-\uff5a]")

_BEYOND = re.compile("[^\x00-\u065f]")  # where no digits are but those of ASCII


def in_ascii(text: str) -> str:
    """The text with digits of any script, and full-width letters, in ASCII, each at its place."""
    if not _BEYOND.search(text):
        return text
    return _OTHER_DIGIT.sub(lambda one: unicodedata.normalize("NFKC", _digit(one[0])), text)


def _digit(char: str) -> str:
    return str(int(char)) if char.isdecimal() else char


class Strength(IntEnum):
    """How much a value looks like a secret by itself."""

    NONE = 0  # code, a stand-in, an address, a date, too short
    PLAIN = 1  # letters alone or digits alone
    MIXED = 2  # letters with digits or signs: hunter2
    STRONG = 3  # nothing but a secret looks like that: tR4!kz8Q


@dataclass(frozen=True, slots=True)
class Value:
    """A candidate: where it stands without quotes and punctuation, and where its raw text ends."""

    text: str
    start: int
    end: int
    raw_end: int
    quoted: bool


def values(text: str, start: int, stop: int) -> Iterator[Value]:
    """The candidates that begin in text from start to stop, up to the end of the sentence or
    line.
    """
    while match := _match(text, start, stop):
        value = _value(text, match)
        # a fence says its language there
        if value.text and not text.startswith("```", match.start() - 3):
            yield value
        if value.quoted:
            start = match.end()
        elif _SENTENCE_END.match(text, match.end() - 1):
            return
        else:
            start = max(value.end, match.start() + 1)


def _match(text: str, start: int, stop: int) -> re.Match[str] | None:
    """The next candidate that begins before stop; it may go on behind it."""
    seen = _VALUE.search(text, start, stop) if start < stop else None
    return _VALUE.match(text, seen.start(), stop + _REACH) if seen else None


def _value(text: str, match: re.Match[str]) -> Value:
    group = match.lastgroup or "bare"
    begin, end = match.span(group)
    if group in ("bare", "other"):
        begin, end = _trim(text, begin, end)
        return Value(text[begin:end], begin, end, match.end(), False)
    inside = text[begin:end]
    begin += len(inside) - len(inside.lstrip())
    inside = inside.strip()
    return Value(inside, begin, begin + len(inside), match.end(), True)


def whole_end(text: str, value: Value) -> int:
    """Where an accepted value ends, however long it is."""
    if value.quoted or value.raw_end - value.start <= _REACH:
        return value.end
    match = _REST.match(text, value.end)
    return match.end() if match else value.end


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without what belongs to the sentence or the code around it."""
    if cut := _CUT.search(text, start + 1, end):
        end = cut.start()
    trimmed = (start, end)
    while start < end:
        start, end = _without_brackets(text, start, _without_stop(text, start, end))
        if (start, end) == trimmed:
            break
        trimmed = (start, end)
    return start, end


def _without_stop(text: str, start: int, end: int) -> int:
    """The end without a full stop, bold or a grammatical ending: ``hunter2'dir``. An exclamation
    mark stays after a digit.
    """
    last = text[end - 1]
    if text.endswith("**", start, end):
        return end - 2
    if last in ".,:;?'|\\([{" or (last == "!" and _is_word(text[start : end - 1])):
        return end - 1
    suffix = _SUFFIX.search(text, max(start + 4, end - 6), end)
    return suffix.start() if suffix else end


_OPENING, _CLOSING = "([{*_~", ")]}*_~"


def _without_brackets(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without brackets around it, and without a bracket whose other half is elsewhere."""
    if end - start < 2:
        return start, end
    first, last = text[start], text[end - 1]
    opens, closes = _OPENING.find(first), _CLOSING.find(last)
    if opens >= 0 and opens == closes:
        return start + 1, end - 1
    if 0 <= closes < 3 and _OPENING[closes] not in text[start:end]:
        return start, end - 1
    if first in ")]}.," or (0 <= opens < 3 and _CLOSING[opens] not in text[start:end]):
        return start + 1, end
    return start, end


def _is_word(text: str) -> bool:
    return not (any(c.isdigit() for c in text) and any(c.isalpha() for c in text))


def ends_clause(text: str, value: Value) -> bool:
    """Whether nothing that a plain word would need follows the value."""
    return _CLAUSE_END.match(text, value.raw_end) is not None or value.end < value.raw_end


def is_counted(text: str, end: int) -> bool:
    """Whether a unit follows what ends there, as in "12 characters"."""
    return _UNIT.match(text, end) is not None and not _MIXED.search(text, max(0, end - 24), end)


_STAND_IN = re.compile(
    r"[A-Z][A-Z0-9]+(?:_[A-Z][A-Z0-9]*)+\Z|0[xo][0-9a-f]{1,8}\Z|(?:\W|_)+\Z|\[.*\]\Z|([^\d])\1{5,}\Z"
)
_CODE = re.compile(
    r"[$%@!.]?[A-Za-z_][\w$.:>!?-]{0,200}[(\[](?:[^)\]]*[)\]]|[\"']|\Z)|[A-Za-z_.]+[(\[][A-Za-z_.]*\Z|[\w\"']*\)\.[a-z]|\$[({]|%\(|\$[a-z_]+\Z|\$[A-Z_]+[A-Z0-9_]*\Z|\$env:|[a-z_]+(?:\.[A-Za-z_]+)+\Z|"
    r"(?:process\.env|os\.environ|import\.meta|config|settings|self|this|secrets|vars?|env|args|opts|options|ctx|req|request|local|module|data|params|props)\.|"
    r"%[A-Za-z_]+%\Z|%[sdv]\Z|[^{]*\{[\w.()\[\]'\"]*\}|[a-z]+(?:_[a-z]+)+\Z|ENC\[|![A-Za-z]+\Z|[&*][A-Za-z_]+\Z|[a-z_]{3,30}=[\"'\w]|[a-z_]\w{2,30}=(?:True|False|None|true|false|null)\b",
    re.ASCII,
)
_CAMEL = re.compile(
    r"_?[A-Za-z][a-z]*(?:[A-Z][a-z]+)*(?:Type|Password|Key|Token|Secret|Value|Hash|Name|Data|Input|Text|String|Field|Id)\Z"
)
_OTHER = re.compile(
    rf"(?:{words.TECH})(?:[-'’][a-z]{{1,12}})?\Z|(?:\d[\d.,]*-?(?:{words.UNITS}))(?:-\w+)?\Z|[\w.+%-]+@[\w-]+(?:\.[\w-]+)+\Z|"
    r"\d{1,4}[-/.:]\d{1,2}(?:[-/.:]\d{1,4})?(?:t[\d:.]+z?)?\Z|v?\d+(?:\.\d+)+\Z|[$€£¥]\d[\d.,]*[km]?(?:/\w+)?\Z|\d[\d.,]*%\Z|\+\d[\d().-]{6,}\Z|"
    r"(?:\.{0,2}|~|[a-z]:)[/\\].*|[\w./\\-]*\.(?:txt|json|ya?ml|env|py|jsx?|tsx?|md|pdf|png|jpe?g|csv|toml|ini|cfg|conf|pem|key|crt|p12|pfx|jks|gpg|kdbx|sh|log|"
    r"db|sql|html?|xml|exe|zip|docx?|xlsx?|go|rs|rb|php|java)(?::\d+)?\Z|(?:[\w-]+\.)+(?:com|org|net|io|dev|app|edu|gov|co|uk|de|fr|es|it|nl|ru|jp|cn|kr)\Z|"
    r"[^\W\d_]+(?:['’/][^\W\d_]+)+\Z|\d{1,2}(?::\d\d)?[ap]m\Z|.*://.*|h[1-6]\Z|\d{1,3}:[a-zåäö]{1,2}\Z|@[a-z_.]+\d{0,4}\Z|@[\w.-]+(?::\d{2,5})?/.*|@[\w-]+(?:\.[\w-]+)+\Z|\d{2,5}/[a-z_]+\Z|#[^\W\d_]+\Z",
    re.IGNORECASE,
)
_WORD_NUMBER = re.compile(r"[^\W\d_]+[-_.]?\d{1,4}\Z|\d{1,4}[-_]?[^\W\d_]+\Z")
UUID = re.compile(r"\{?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\}?\Z", re.IGNORECASE)
_RUN = re.compile(r"[A-Za-z0-9]{16,}")
# Of 16 letters and digits or more: two letters, and two digits or one among small and capital
# letters.
_RANDOM = re.compile(
    r"(?=[0-9]*[A-Za-z][0-9]*[A-Za-z])(?:[A-Za-z]*[0-9][A-Za-z]*[0-9]|(?=[A-Z0-9]*[a-z])(?=[a-z0-9]*[A-Z])[A-Za-z]*[0-9])"
)
_LETTER, _DIGIT, _SIGN = re.compile(r"[^\W\d_]"), re.compile(r"\d"), re.compile(r"[^\w\s'’./,:-]")
# how app passwords are shown
_GROUPS = re.compile(
    r"[a-z]{4}(?:-[a-z]{4}){3}\Z|(?=.*[a-z][A-Z])[A-Za-z]{4}(?:-[A-Za-z]{4}){2,}\Z"
)


def strength(text: str) -> Strength:
    """How much text looks like a secret by itself, the word before it left aside."""
    if len(text) < 4 or is_stand_in(text) or _CODE.match(text) or _OTHER.match(text):
        return Strength.NONE
    if _GROUPS.match(text):
        return Strength.MIXED
    has_letter, has_digit = _LETTER.search(text), _DIGIT.search(text)
    has_sign = _SIGN.search(text, 1, len(text) - 1)
    is_mixed = has_letter and (has_digit or (has_sign and len(text) > 5))
    if " " in text or not is_mixed:
        return Strength.PLAIN
    if len(text) < 8 or not has_digit or _WORD_NUMBER.match(text):
        return Strength.MIXED
    is_strong = has_sign or _is_camel_case(text) or len(text) >= 20
    return Strength.STRONG if is_strong else Strength.MIXED


def _is_camel_case(text: str) -> bool:
    return any(c.isupper() for c in text) and any(c.islower() for c in text)


_STAND_INS = re.compile(words.STAND_INS)
_CROSSES = re.compile(r"x{4}|X{4}")  # of one size: in a key at random they mix


def is_stand_in(text: str) -> bool:
    """Whether text only holds the place of a secret: ``YOUR_API_KEY``, ``<token>``, ``xxxx``."""
    if _STAND_INS.search(text.lower(), 0, 64) or _CROSSES.search(text, 0, 64):
        return True
    return _STAND_IN.match(text) is not None


def is_random(text: str) -> bool:
    """Whether text has a run of 16 or more ASCII letters and digits, with at least two digits and
    two letters.
    """
    if len(text) < 16 or is_stand_in(text) or _CODE.match(text):
        return False
    if any(_RANDOM.match(run) for run in _RUN.findall(text)):
        return True
    if len(text) < 32 or len(_DIGIT.findall(text)) < 3:
        return False
    return _is_camel_case(text) and not _OTHER.match(text)


_CASE_TURN = re.compile(r"[a-z][A-Z]|[A-Z](?=[a-z])")


def is_scattered(text: str) -> bool:
    """Whether text is 20 or more letters in no order of small and capital ones, as no word and no
    identifier is.
    """
    if len(text) < 20 or not text.isascii() or not text.isalpha():
        return False
    return 3 * len(_CASE_TURN.findall(text)) >= len(text)


_SIGNS = re.compile(r"[^\w\s.,:;/-]")


def is_noise(text: str) -> bool:
    """Whether text is full of signs, capitals, small letters and digits, as drawn salts are."""
    is_long = len(text) >= 16 and len(_SIGNS.findall(text)) >= len(text) // 6
    return bool(is_long and _DIGIT.search(text) and _is_camel_case(text))


def is_identifier(text: str) -> bool:
    """Whether text is a name as programs write them, such as ``newPassword``."""
    return _CAMEL.match(text) is not None


_TOY = re.compile(
    r"(?:my|new|old|test|your|user|some|secure|strong|secret|super|db|admin|pass|word|passwd|confirm|current|hashed|plain|wrong|_|-)+"
)


def is_toy(text: str) -> bool:
    """Whether a password is made of the words that examples are made of: ``my_secret_password``."""
    return _TOY.fullmatch(text.lower()) is not None


# ends of words that say how a password is
_DESCRIBING = tuple("ed ing able ible ous ful ive less lijk baar loos eerd igd".split())


def is_describing(word: str) -> bool:
    """Whether a word ends like those that say how a password is: saved, but not seed."""
    return len(word) > 4 and word.endswith(_DESCRIBING)


def is_plain_secret(text: str, *, quoted: bool) -> bool:
    """Whether a value of letters or digits alone may be a password: ``swordfish``, but not
    ``required``.
    """
    low = text.lower().rstrip("!")
    if low.isdigit():
        return True
    if is_toy(low):
        return False
    if quoted and " " in low:
        return is_phrase(low)
    if low in words.PLAIN_STOPS or not text.isprintable() or any(map(str.isspace, text)):
        return False
    if not quoted and not text.isascii():
        return False
    parts = re.split(r"[-_/.]", low)
    if len(parts) > 2:
        return is_phrase(low)
    is_word = is_describing(low) or not words.PLAIN_STOPS.isdisjoint(parts)
    return quoted or not is_word


def is_phrase(text: str) -> bool:
    """Whether text is a row of words no sentence is made of: none of them holds a sentence
    together.
    """
    parts = re.findall(r"[^\W_]+", text.lower())
    return 2 <= len(parts) <= 12 and not any(part in words.SENTENCE_WORDS for part in parts)
