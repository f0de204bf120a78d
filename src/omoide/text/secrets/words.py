"""The words people put before or after a secret, in many languages, read from ``words.txt``.

A name is ``(stem, rest)``: the stem is looked for as plain text, the pattern ``rest`` says how the
word may go on. The English names stand here because they need more than an ending.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from typing import TypeAlias

Names: TypeAlias = tuple[tuple[str, str], ...]

_ENDING = r"[^\W\d_]{0,9}(?![^\W\d_])"
# letters and vowel signs, which are no letters to the re module
_INDIC_ENDING = r"[\u0900-\u0dff\u200c\u200d]{0,9}"
_NO_LETTER = r"(?![^\W\d_])"


def _sections() -> dict[str, tuple[str, ...]]:
    text = files("omoide.text.secrets").joinpath("words.txt").read_text(encoding="utf-8")
    found: dict[str, tuple[str, ...]] = {}
    name = ""
    for line in filter(None, text.splitlines()):
        if line.startswith("["):
            name = line.strip("[]")
        elif not line.startswith("#"):
            found[name] = found.get(name, ()) + tuple(
                word.strip() for word in line.split(",") if word.strip()
            )
    return found


def _rest(word: str) -> str:
    """How a word may go on, by the script of its last letter."""
    last = word[-1]
    if "\u0900" <= last < "\u0e00":
        return _INDIC_ENDING
    if "\u0e00" <= last < "\u10a0" or "\u1780" <= last < "\u1800" or last > "\u2e80":
        return ""  # no spaces between words
    return _ENDING if last == "~" or last > "\u10a0" or "\u0530" <= last < "\u0590" else _NO_LETTER


def _names(words: tuple[str, ...]) -> Names:
    return tuple(
        (spelling.rstrip("~"), _rest(spelling)) for word in words for spelling in _spellings(word)
    )


def _spellings(word: str) -> tuple[str, ...]:
    """The word, and in two parts or hyphenated where people write it so."""
    if "+" in word:
        return tuple(word.replace("+", joint) for joint in ("", " ", "-"))
    return (word, word.replace(" ", "-")) if " " in word else (word,)


_WORDS = _sections()


def _misspelt(word: str) -> Iterator[str]:
    """The word as people mistype it, or as it is read off a picture: two letters changed about, one
    left out or twice there, two for one.
    """
    yield word.replace("w", "vv")
    for at in range(1, len(word) - 1):
        yield word[:at] + word[at] + word[at:]
        yield word[:at] + word[at + 1] + word[at] + word[at + 2 :]
        yield word[:at] + word[at + 1 :]


_MISSPELT = {
    other
    for word in "password passwort passphrase contraseña kennwort wachtwoord passwd".split()
    for other in _misspelt(word)
    if other != word
}

PASSWORD_NAMES: Names = (
    ("pass", r"(?:[ -]?(?:w(?:or[dt]e?[nrst]?|d)|phrases?|codes?)|ord(?:et|er)?|w)?"),
    ("pw", r"d?"),
    ("psw", ""),
    ("psk", _NO_LETTER),
    ("identified by", ""),
    *_names(_WORDS["password names"]),
    *((word, _NO_LETTER) for word in sorted(_MISSPELT)),
)
KEY_NAMES: Names = (
    ("key", r"s?"),
    ("token", r"s?"),
    ("secret", r"s?"),
    ("credential", r"s?"),
    ("bearer", ""),
    ("authorization", ""),
    ("connect.sid", ""),
    ("session", r"(?==)"),
    ("sessid", ""),
    ("sessionid", ""),
    ("sig", r"(?:nature)?(?==)"),
    *_names(_WORDS["key names"]),
)
CODE_NAMES: Names = (
    (
        "pin",
        r"(?:s|[ -]?codes?|[ -]?nummer|[ -]?number|[ -]?kod[a-z]{0,3})?"
        r"(?! (?:the|it|this|that|them)(?![a-z]))",  # the verb
    ),
    ("code", r"s?"),
    ("combination", ""),
    ("gate", r"(?=\s?:)"),
    ("key", r"[ -]?(?:box|safe)"),
    ("bike lock", r"(?=\s?:|\sis\s)"),
    ("padlock", r"(?=\s?:|\sis\s)"),
    ("combo", ""),
    ("cvv", r"2?"),
    ("cvc", r"2?"),
    ("otp", ""),
    ("puk", r"(?:[ -]?codes?)?"),
    *_names(_WORDS["code names"]),
)
# and then nothing but a word's end
ISSUERS: Names = tuple((issuer, "") for issuer in _WORDS["issuers"])
SEED_NAMES = _WORDS["seed names"]
CODE_MARKS = _WORDS["code marks"]
DETERMINERS = frozenset(_WORDS["determiners"])
LINKS = frozenset(_WORDS["links"])
SURE_LINKS = frozenset(_WORDS["sure links"])
ROMANCE_ENDINGS = _WORDS["romance endings"]
UNSPACED_LINKS = _WORDS["unspaced links"]
BACK_LINKS = frozenset(_WORDS["back links"])
UNSPACED_BACK_LINKS = _WORDS["unspaced back links"]
POSSESSIVES = frozenset(_WORDS["possessives"])
OTHER_NOUNS = frozenset(_WORDS["other nouns"])
VALUE_TAILS = frozenset(_WORDS["value tails"])
KEY_MARKS = frozenset(_WORDS["key marks"])
NOT_KEY_MARKS = frozenset(_WORDS["not key marks"])
NOT_KEY_GAPS = frozenset(_WORDS["not key gaps"])
SENTENCE_WORDS = frozenset(_WORDS["sentence words"])
CHANGES = _WORDS["changes"]
DESTINATIONS = frozenset(_WORDS["destinations"])
NOT_CODE_MARKS = frozenset(_WORDS["not code marks"])
PREPOSITIONS = frozenset(_WORDS["prepositions"])
GLUE_WORDS = frozenset(_WORDS["glue words"])
PLAIN_STOPS = frozenset(_WORDS["plain stops"])
SPOKEN_DIGITS = _WORDS["spoken digits"]
SPOKEN_TENS = _WORDS["spoken tens"]
POSTAL_MARKS = _WORDS["postal marks"]
OPENERS = _WORDS["openers"]
PLACES = _WORDS["places"]
LOCKS, WAYS = _WORDS["locks"], _WORDS["ways"]
OPENED_WITH = frozenset(_WORDS["opened with"])
ARTICLES = _WORDS["articles"]
WRITTEN_SO, WORDS, THE_WORD = _WORDS["written so"], _WORDS["words"], _WORDS["the word"]
FOLLOWED, THEN, PHRASE_LINKS = _WORDS["followed by"], _WORDS["then"], _WORDS["phrase links"]
CASES, SIGN_NAMES = _WORDS["cases"], _WORDS["sign names"]
NEW_ONES = _WORDS["new ones"]
NOT_SECRET_PHRASES = _WORDS["not secret phrases"]
CARD_BRANDS, CARD_MARKS = _WORDS["card brands"], _WORDS["card marks"]
CODE_WORDS = frozenset(_WORDS["code words"])
NOT_PLACES = _WORDS["not places"]
ACCESS, NOT_ACCESS = _WORDS["access"], _WORDS["not access"]
ACCESS_PARTS = _WORDS["access parts"]
KEYED, USED, LETS_IN = _WORDS["keyed"], _WORDS["used"], _WORDS["lets in"]
TYPED = (*KEYED, *_WORDS["typed"])

# Inside a value, one of these makes it a stand-in for a secret.
STAND_INS = (
    r"your|\*{4}|\.{4}|…|••|●●|____|<|\{\{|placeholder|redacted|replace|insert|dummy|todo|change[-_]?me|[-_]here|"
    r"fill[-_]in|my[-_]api|my[-_]secret|some_"
)

# Names of products and techniques that mix letters and digits, or capitals, as passwords do.
TECH = (
    r"1password|sha-?\d\w*|md5\w*|base(?:32|58|64|85)\w*|utf-?\d+|aes-?\d\w*|rsa-?\d+|ed25519|oauth-?\d\w*|argon2\w*|pbkdf2\w*|ipv[46]|x\d+|"
    r"i\d{1,2}n|l10n|k8s|s3|ec2|h264|mp[34]|pm2|web\d\w*|log4j|b2b|b2c|p2p|windows\d*|win\d+|ios\d*|python\d*|java\d*|php\d*|es\d+|http[s23]?|"
    r"tls[\d.]*|ssl[\d.]*|wpa\d?(?:-\w+)?|wep|2fa|mfa|u2f|fido2?|webauthn|iphone\d*|ps\d|usb-?\w*|gpt-?\d\w*|llama\d*|claude-?\d*|covid-?\d*|"
    r"erc-?\d+|eip-?\d+|rfc-?\d+|iso-?\d+|cve-.*|pkcs\W?\d+|x509|h2o|co2|v\d[\d.]*|q[1-4]|fy\d+|a4|microsoft365|office365|o365|auth0|bcrypt|scrypt|keepass\w*"
)
UNITS = (
    r"bits?|bytes?|chars?|characters?|digits?|days?|months?|years?|hours?|hrs?|minutes?|mins?|seconds?|secs?|weeks?|steps?|words?|letters?|"
    r"symbols?|factors?|ways?|times?|parts?|lines?|rows?|files?|pages?|items?|users?|people|points?|tokens?|requests?|st|nd|rd|th|k|m|x|s|ms|px|kb|mb|gb|am|pm|percent|"
    r"zeichen|caracteres|caractères|caratteri|tekens|znaków|символов"
)
UNSPACED_UNITS = r"位|个|個|文字|桁|자리|자|円|元|원|年|月|日|时|時|分|秒|点|년|월|일|개"
