"""Names in a statement that its source does not have.

Scripts with capitals show their names, but for the first word of a sentence and for German, where every noun has one. Scripts
without capitals do not: there a word may be a name where names stand, beside words such as "with", "named" and "lives in" or an
ending for people and places, or where it is a well-known one. ``proper.toml`` lists those words.

A name is grounded where it is written as in the source, case and endings of its language aside. One that was translated or put
into another script is another name.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from omoide.text.languages import is_stop_word
from omoide.text.letters import fold, normal, script_of
from omoide.text.times.words import lexicons
from omoide.text.words import index_terms

_TOKEN = re.compile(r"[^\W_](?:[\w'’.&+\-\u0300-\u036f]*[\w+\u0300-\u036f])?")
_CASED = frozenset(("LATIN", "CYRILLIC", "GREEK", "ARMENIAN"))
_HAN = frozenset(("CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "IDEOGRAPHIC"))
_SENTENCE_END = re.compile(r"(?:^|[.!?…:;\n]|[.!?][\"”»'’)]|[\"“„«(¿¡*•-])\s*$")
_POSSESSIVE = re.compile(r"['’]s?$")
_ROLES = frozenset("user assistant agent ai i".split())
# Endings of cases, by script or language; the longest first.
_CYRILLIC = "ами ями ого его ому ему ыми ими ой ей ом ем ам ям ах ях ов ев ью ия ии ию ий ый ая ую ые а я у ю е ы и о ь й".split()
_GREEK = "ους ων ης ας ου ος ον οι ες εσ αι η α ο ε ι".split()
_ENDINGS = {
    "pl": "ami owi iem ach em om ów ie ą ę y i a u e o".split(),
    "cs": "ami ovi em ou ách ům ě ů y i a u e o".split(),
    "tr": "nın nin nun nün dan den tan ten yla yle ın in un ün da de ta te ya ye yı yi a e ı i u ü".split(),
    "fi": "ssa ssä sta stä lla llä lta ltä lle iin een an en on in n a ä".split(),
    "hu": "ban ben ból ből nak nek val vel ra re ba be ig ért hoz t".split(),
    "de": ["s"],
    "nl": ["s"],
    "sv": ["s"],
    "da": ["s"],
    "no": ["s"],
}
# What makes a country or town an adjective or a people: Germany, German; Italia, italiano.
_PEOPLES = frozenset(
    "an ian n ish ese ean ic er erin isch ische ischen ischer ano ana anos anas ense és esa eño eña ais aise ien ienne ês ese i s".split()
)
_LANDS = frozenset(("", "y", "a", "ia", "e", "en", "ien", "ie", "o", "land", "ya", "s"))
_GERMAN_NOUN = re.compile(
    r".{2,}(?:ung|ungen|heit|heiten|keit|keiten|schaft|tion|tionen|tät|ismus|nis|chen|erin|ierin|istin|ikerin|login|ist|iker|loge"
    r"|ling|enz|anz|ment|zeug|stück|haus|zeit|jahr|tag)$"
)
_GERMAN_BEFORE = frozenset(
    "der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner als im am zum zur beim vom ins ans aufs fürs "
    "durchs ihr ihre ihren ihrem ihrer ihres sein seine seinen seinem seiner seines mein meine meinen meinem meiner dein deine zwei drei vier "
    "fünf viel alle jeden jede jeder jedes diese dieser diesen dieses pro mehr manche ohne gegen über zu".split()
)


@dataclass(frozen=True, slots=True)
class _Tongue:
    """Where names stand in a language without capitals."""

    before: frozenset[str]
    after: frozenset[str]
    ordinary: frozenset[str]
    names: tuple[str, ...]
    endings: tuple[str, ...]
    leading: tuple[str, ...]


class Known:
    """What a name may rest on: the words of a source, and names that count although it has them not."""

    def __init__(self, source: str, names: Collection[str]) -> None:
        self.text = normal("\n".join((source, *names))).casefold()
        self.words = frozenset(part for token in _TOKEN.findall(self.text) for part in _forms(token))
        self.terms = frozenset(index_terms(source))
        self.flat = "".join(char for char in self.text if not char.isspace())


def _forms(token: str) -> Iterator[str]:
    """A word as names are compared, and its parts between hyphens."""
    word = _plain(token)
    yield word
    if "-" in word or "." in word:
        yield from filter(None, re.split(r"[-.]", word))


def _plain(token: str) -> str:
    return _POSSESSIVE.sub("", unicodedata.normalize("NFC", token.casefold())).strip(".-'’")


def foreign_names(text: str, known: Known, languages: Sequence[str], entities: Collection[str] = ()) -> list[str]:
    """The names in a text that are not known, each as it is written there; entities: words of it that are said to be names."""
    seen = unicodedata.normalize("NFC", normal(text))
    found = [*_capitals(seen, known, languages), *_words_of_others(seen, known), *_in_han(seen, known)]
    lowered = seen.casefold()
    found += [name for name in entities if normal(name).casefold() in lowered and not _entity_is_known(normal(name), known)]
    return list(dict.fromkeys(found))


def _entity_is_known(name: str, known: Known) -> bool:
    tokens = _TOKEN.findall(name)
    return all(token.islower() or _is_known(token, known, ()) for token in tokens if script_of(token[0]) in _CASED)


def _capitals(text: str, known: Known, languages: Sequence[str]) -> Iterator[str]:
    german = "de" in languages[:1]
    others = any(script_of(char) not in _CASED for char in text if char.isalpha())
    tokens = list(_TOKEN.finditer(text))
    for i, token in enumerate(tokens):
        word = token[0]
        script = script_of(word[0])
        if script not in _CASED and not (word[0].isdecimal() and any(char.isupper() for char in word)):
            continue
        is_name = any(char.isupper() for char in word) or (others and script == "LATIN" and len(word) > 2 and not _is_mostly(text, "LATIN"))
        if not is_name or _is_known(word, known, languages) or _is_ordinary(word, languages):
            continue
        before = text[: token.start()]
        if _SENTENCE_END.search(before[-4:]) and not before[-2:-1].isdecimal():
            following = tokens[i + 1][0] if i + 1 < len(tokens) else ""
            if _opens_sentence(word, following, known, languages):
                continue
        elif german and script == "LATIN" and _is_german_noun(word, tokens[i - 1][0] if i else "", known):
            continue
        yield word


def _is_mostly(text: str, script: str) -> bool:
    letters = [script_of(char) for char in text if char.isalpha()]
    return 2 * letters.count(script) > len(letters)


def _is_known(word: str, known: Known, languages: Sequence[str]) -> bool:
    plain = _plain(word)
    if plain in known.words or (("-" in plain or "." in plain) and all(part in known.words for part in re.split(r"[-.]", plain) if part)):
        return True
    if len(plain) < 3:
        return False
    stems = _stems(plain, languages)
    near = [other for other in known.words if other[:2] == plain[:2]]
    return any(stems & _stems(other, languages) or _is_of_same_land(plain, other) for other in near)


def _stems(word: str, languages: Sequence[str]) -> frozenset[str]:
    """The word without each ending that a case may have put there, never under three letters."""
    script = script_of(word[0])
    endings: Collection[str] = {"CYRILLIC": _CYRILLIC, "GREEK": _GREEK}.get(script) or [
        e for code in languages for e in _ENDINGS.get(code, ())
    ]
    word = word.replace("ё", "е")
    cut = next(
        (word.removesuffix(end) for end in sorted(endings, key=len, reverse=True) if word.endswith(end) and len(word) - len(end) >= 3), word
    )
    return frozenset((word, cut))


def _is_of_same_land(one: str, other: str) -> bool:
    same = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        same += 1
    rests = [(one[at:], other[at:]) for at in range(same, max(same - 2, 3), -1)]
    return any(
        (a in _PEOPLES and b in _LANDS) or (b in _PEOPLES and a in _LANDS) or (a in _PEOPLES and b in _PEOPLES)
        for a, b in rests
        if (a or b) and len(one) > 4
    )


def _is_ordinary(word: str, languages: Sequence[str]) -> bool:
    folded = fold(_POSSESSIVE.sub("", word))
    return (
        folded in _ROLES
        or folded in _calendar()
        or any(is_stop_word(part, code) for part in (folded, folded.partition("'")[0]) for code in (*languages, "en"))
    )


@cache
def _calendar() -> frozenset[str]:
    """Names of months and days, which the reading of dates judges, and languages' words for times."""
    kinds = ("month", "month_short", "weekday", "weekday_short", "season", "day")
    found = (parts for lexicon in lexicons().values() for parts, meanings in lexicon.phrases() if any(kind in meanings for kind in kinds))
    return frozenset(part for parts in found for part in parts if len(part) > 2)


def _opens_sentence(word: str, following: str, known: Known, languages: Sequence[str]) -> bool:
    """Whether a first word has its capital from its place: the source has a form of it, or a small word follows as after a verb."""
    if any(char.isupper() for char in word[1:]) or following[:1].isupper():
        return False
    if any(term in known.terms for term in index_terms(word)):
        return True
    folded = fold(word)
    return folded in _opening() or fold(following) in _after_verbs()


@cache
def _table() -> dict[str, dict[str, str]]:
    table: dict[str, dict[str, str]] = tomllib.loads(files("omoide.text").joinpath("proper.toml").read_text(encoding="utf-8"))
    return table


@cache
def _opening() -> frozenset[str]:
    return frozenset(map(fold, _table()["cased"]["opening"].split()))


@cache
def _after_verbs() -> frozenset[str]:
    return frozenset(map(fold, _table()["cased"]["after_verbs"].split()))


def _is_german_noun(word: str, before: str, known: Known) -> bool:
    """By what stands before it, by its ending, or by a part that the source has."""
    lowered = before.casefold()
    led = (
        lowered in _GERMAN_BEFORE
        or (before.islower() and len(before) > 4 and before.endswith(("e", "en", "er", "es", "em")))
        or before.isdecimal()
    )
    if led or _GERMAN_NOUN.match(word.casefold()):
        return True
    plain = word.casefold()
    return any(len(other) >= 4 and (other in plain or plain in other) for other in known.words)


@cache
def _tongues() -> dict[str, _Tongue]:
    def split(code: str, key: str) -> list[str]:
        return _table()[code].get(key, "").split()

    return {
        code: _Tongue(
            frozenset(map(fold, split(code, "before"))),
            frozenset(map(fold, split(code, "after"))),
            frozenset(map(fold, split(code, "ordinary"))),
            tuple(sorted(map(fold, split(code, "names")), key=len, reverse=True)),
            tuple(sorted(map(fold, split(code, "endings")), key=len, reverse=True)),
            tuple(sorted(map(fold, split(code, "leading")), key=len, reverse=True)),
        )
        for code in _table()
        if code != "cased"
    }


_SPACED = {"ARABIC": "ar", "HEBREW": "he", "DEVANAGARI": "hi", "HANGUL": "ko"}
_LETTERS = re.compile(r"[^\s\d.,;:!?()\[\]{}\"“”«»،؛؟।…]+")


def _words_of_others(text: str, known: Known) -> Iterator[str]:
    """Words of scripts without capitals but with spaces that stand where names do."""
    words = [found[0] for found in _LETTERS.finditer(text)]
    there = [fold(found[0]) for found in _LETTERS.finditer(known.text)]
    for i, word in enumerate(words):
        tongue = _tongues().get(_SPACED.get(script_of(word[0]), ""))
        if tongue is None:
            continue
        forms = _bare(fold(word), tongue)
        if any(_meets(form, other, tongue) for form in forms for other in there) or _is_stop(forms):
            continue
        before, after = fold(words[i - 1]) if i else "", fold(words[i + 1]) if i + 1 < len(words) else ""
        if any(form in tongue.names for form in forms) or (
            not any(form in tongue.ordinary for form in forms) and _stands_as_name(fold(word), before, after, tongue)
        ):
            yield word


def _bare(word: str, tongue: _Tongue) -> list[str]:
    """The word, and what is left of it without the particles that are written onto it."""
    forms = [word]
    for lead in tongue.leading:
        if word.startswith(lead) and len(word) - len(lead) >= 2:
            forms.append(word.removeprefix(lead))
    for form in list(forms):
        forms += [form.removesuffix(end) for end in tongue.endings if form.endswith(end) and len(form) - len(end) >= 2]
    return list(dict.fromkeys(forms))


def _meets(form: str, other: str, tongue: _Tongue) -> bool:
    """One of two forms of a word: the same without particles, or the beginning that most of both have."""
    if form == other or form in _bare(other, tongue):
        return True
    least = 2 if "가" <= form[0] <= "힣" else 3
    return len(form) >= least and len(other) >= least and (other.startswith(form) and len(other) - len(form) <= 3)


def _is_stop(forms: Collection[str]) -> bool:
    return any(is_stop_word(form, "") for form in forms)


def _stands_as_name(word: str, before: str, after: str, tongue: _Tongue) -> bool:
    if before in tongue.before or after in tongue.after:
        return True
    marks = [mark.removeprefix("-") for mark in tongue.after if mark.startswith("-")]
    return any(word.endswith(mark) and len(word) - len(mark) >= 2 for mark in marks)


_RUN = re.compile(r"[\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+|[\u0e01-\u0e4e]+")
_KATAKANA = re.compile(r"[\u30a1-\u30fa\u30fc]{2,}")


def _in_han(text: str, known: Known) -> Iterator[str]:
    """Names in Chinese, Japanese and Thai, whose words are not told apart."""
    for run in _RUN.finditer(text):
        code = (
            "th"
            if run[0][0] >= "\u0e01" and run[0][0] <= "\u0e4e"
            else ("ja" if any("\u3040" <= char <= "\u30ff" for char in text) else "zh")
        )
        tongue = _tongues()[code]
        yield from (name for name in tongue.names if name in run[0] and name not in known.flat)
        if code == "ja":
            yield from (word for word in _KATAKANA.findall(run[0]) if word not in tongue.ordinary and word not in known.flat)
        yield from _slots(run[0], known, code)


@cache
def _slot_pattern(code: str) -> re.Pattern[str]:
    """What stands between a word before names and the next small word, or before an ending of people or places."""
    table = _table()[code]
    kind = {"zh": "[\u4e00-\u9fff]", "ja": "[\u4e00-\u9fff\u30a1-\u30fa\u30fc]", "th": "[\u0e01-\u0e4e]"}[code]
    before = "|".join(sorted(table.get("before", "").split(), key=len, reverse=True))
    after = "|".join(sorted(table.get("after", "").split(), key=len, reverse=True))
    surnames = table.get("surnames", "")
    letters = table.get("letters", "")
    parts = []
    if after:
        parts.append(f"(?P<after>{kind}{{2,4}}?)(?:{after})")
    if before:
        parts.append(f"(?:{before})(?P<before>{kind}{{2,3}})")
    if surnames:
        parts.append(f"(?:^|[和跟与同给叫是找])(?P<person>[{surnames}]{kind}{{1,2}})(?=[的是在和跟与说有去来喜住给叫也都]|$)")
    if letters:
        parts.append(f"(?P<sound>[{letters}]{{2,}})")
    return re.compile("|".join(parts))


def _slots(run: str, known: Known, code: str) -> Iterator[str]:
    tongue = _tongues()[code]
    text = run
    for word in sorted(tongue.ordinary, key=len, reverse=True):
        if len(word) > 1 and word not in known.flat:
            text = text.replace(word, "　" * len(word))
    for found in _slot_pattern(code).finditer(text):
        name = next(group for group in found.groups() if group)
        if (
            len(name) > 1
            and not any(name[at : at + 2] in known.flat for at in range(len(name) - 1))
            and sum(char not in known.flat for char in name) >= 2
        ):
            yield name
