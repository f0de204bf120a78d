"""Names of secrets in other signs than their letters: p4ssw0rd, pa$$word, full width, Cyrillic."""

from __future__ import annotations

import re
import unicodedata

from omoide.text.secrets import words
from omoide.text.secrets.names import tree

_MOST = 24  # signs of a word in which a name may stand
_LEAST = 5  # letters of a name that is recognised so
_ENGLISH = ("password", "passwort", "passphrase", "passcode", "passwd", "api_key", "apikey")
_NAMES = re.compile(
    tree(
        [
            *_ENGLISH,
            *(
                stem
                for stem, _ in (*words.PASSWORD_NAMES, *words.KEY_NAMES)
                if stem.isalpha() and len(stem) >= _LEAST and stem < "\u0370"
            ),
        ]
    )
)
# A sign for a letter, by the letter that most use it for; one and asterisk are used for several.
_TO_LETTERS = tuple(
    str.maketrans("0134579@$!€*", f"o{one}eastgasie{star}") for star in "aeio" for one in "il"
)
_BETWEEN = re.compile(r"[0134579@$*!€](?<=[a-z@$].)[013457@$*]{0,2}[a-z@$]")  # signs among letters
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz_ñçäöüß0134579@$*!€")
_TOKEN = re.compile(f"[{re.escape(''.join(sorted(_LETTERS)))}]+")
_WIDE = re.compile("[\uff21-\uff3a\uff41-\uff5a\U0001d400-\U0001d6a3]+")
_LATIN, _CYRILLIC = "aeopcyxijs", "аеорсухіјѕ"
_TO_LATIN, _TO_CYRILLIC = (
    str.maketrans(_CYRILLIC, _LATIN),
    str.maketrans(_LATIN, _CYRILLIC),
)
_TURN = re.compile(r"[\u0430-\u045f](?:(?<=[a-z].)|(?=[a-z]))")  # from one script to the other
_OTHER = re.compile(f"{_TURN.pattern}|{_WIDE.pattern}")
_WORD = re.compile(r"[a-z\u0430-\u045f]+")
_SPACED = re.compile(r"(?<![^\W_])p([ .])a\1s\1s\1w\1o\1r\1d(?![^\W_])")


def spelt_out(low: str) -> str:
    """The lower-cased text with the names of secrets in their own letters, each at its place."""
    if not low.isascii() and _OTHER.search(low):
        low = _WIDE.sub(lambda run: unicodedata.normalize("NFKC", run[0]).lower(), low)
        low = _WORD.sub(_of_one_script, low)
    if "w o r d" in low or "w.o.r.d" in low:
        low = _SPACED.sub(lambda run: "password".rjust(len(run[0])), low)
    at = 0
    while sign := _BETWEEN.search(low, at):
        start = at = sign.start()
        while start and low[start - 1] in _LETTERS and at - start < _MOST:
            start -= 1
        token = _TOKEN.match(low, start)
        at = token.end() if token else sign.end()
        if token and _LEAST <= at - start <= _MOST:
            low = low[:start] + _in_letters(token[0]) + low[at:]
    return low


def _in_letters(token: str) -> str:
    """A token with the name in it in letters, if signs stand for letters of one."""
    for letters in _TO_LETTERS if "*" in token else _TO_LETTERS[: 1 + ("1" in token)]:
        if name := _NAMES.search(token.translate(letters)):
            return token[: name.start()] + name[0] + token[name.end() :]
    return token


def _of_one_script(word: re.Match[str]) -> str:
    if not _TURN.search(word[0]):
        return word[0]
    latin, cyrillic = word[0].translate(_TO_LATIN), word[0].translate(_TO_CYRILLIC)
    if latin.isascii():
        return latin
    return word[0] if re.search("[a-z]", cyrillic) else cyrillic
