"""Names in a statement that its source does not have.

Scripts with capitals show their names, but for the first word of a sentence and for German, where
every noun has one. Scripts without capitals do not: there a word may be a name where names stand,
beside words such as "with", "named" and "lives in" or an ending for people and places, or where it
is a well-known one. ``proper.toml`` lists those words. Where no list is, every word that was not
said may be a name.

A name is grounded where it is written as in the source, case and endings of its language aside. One
that was translated or put into another script is another name.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache

from omoide.text.compounds import parts_of
from omoide.text.languages import is_stop_word
from omoide.text.letters import fold, normal, script_of
from omoide.text.times.words import lexicons
from omoide.text.unheard import unheard_words
from omoide.text.unmarked import tables, unmarked_names
from omoide.text.words import index_terms

# or figure, of a script with spaces
_LETTER = r"(?:(?![_\u0e00-\u0eff\u3005-\u30ff\u3400-\u9fff\uf900-\ufaff])\w)"
_TOKEN = re.compile(
    rf"{_LETTER}(?:(?:{_LETTER}|['’.&+\-\u0300-\u036f])*(?:{_LETTER}|[+\u0300-\u036f]))?"
)
_CASED = frozenset(("LATIN", "CYRILLIC", "GREEK", "ARMENIAN"))
_SENTENCE_END = re.compile(
    r"(?:(?<!\b\w)(?<!\b\w\w)(?<!\b\w\w\w)[.]|[!?…:\n])[\"”»'’)]?\s*[\"“„«(¿¡*•-]*\s*$"
)
_ELISION = re.compile(
    r"^(?:[cdjlmnst]|qu|un|all|dall|dell|nell|sull|quell|quest|jusqu|lorsqu|puisqu)['’](?=\w)",
    re.IGNORECASE,
)
_POSSESSIVE = re.compile(r"['’]s?$")
_ROLES = frozenset("user assistant agent ai i".split())
# Endings of cases, by script or language; the longest first.
_CYRILLIC = (
    "ами ями ого его ому ему ыми ими ой ей ом ем ам ям ах ях ов ев ью ия ии ию ий ый ая ую ые а я у"
    " ю е ы и о ь й".split()
)
_GREEK = "ους ων ης ας ου ος ον οι ες εσ αι η α ο ε ι".split()
_ENDINGS = {
    "pl": "ami owi iem ach em om ów ie ą ę y i a u e o".split(),
    "cs": "ami ovi em ou ách ům ě ů y i a u e o".split(),
    "tr": (
        "nın nin nun nün dan den tan ten yla yle ın in un ün da de ta "
        "te ya ye yı yi a e ı i u ü".split()
    ),
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
    "an ian n ish ese ean ic er erin isch ische ischen ischer ano ana anos anas ense és esa eño eña"
    " ais aise ien ienne ês ese i s".split()
)
_LANDS = frozenset(("", "y", "a", "ia", "e", "en", "ien", "ie", "o", "land", "ya", "s"))
_GERMAN_NOUN = re.compile(
    r".{2,}(?:ung|ungen|heit|heiten|keit|keiten|schaft|tion|tionen|tät|ismus|nis|chen|erin|ierin|istin|ikerin|login|ist|iker|loge"
    r"|ling|enz|anz|ment|zeug|stück|haus|zeit|jahr|tag)$"
)
_GERMAN_BEFORE = frozenset(
    "der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner als"
    " im am zum zur beim vom ins ans aufs fürs durchs ihr ihre ihren ihrem ihrer ihres sein seine"
    " seinen seinem seiner seines mein meine meinen meinem meiner dein deine zwei drei vier fünf"
    " viel alle jeden jede jeder jedes diese dieser diesen dieses pro mehr manche ohne gegen"
    " über zu".split()
)


class Known:
    """What a name may rest on: the words of a source, and names that count although it has them
    not.
    """

    def __init__(self, source: str, names: Collection[str]) -> None:
        self.source, self.names = (
            normal(source).casefold(),
            tuple(normal(name).casefold() for name in names),
        )
        text = "\n".join((self.source, *self.names))
        self.words = _words(text)
        self.named = _words("\n".join(self.names))
        self.terms = frozenset(index_terms(source))
        self.flat = "".join(char for char in text if not char.isspace())


def _words(text: str) -> dict[str, list[str]]:
    """The words of a text and their parts, by their first two letters."""
    found: dict[str, list[str]] = {}
    for word in {form for token in _TOKEN.findall(text) for form in _forms(token)}:
        found.setdefault(word[:2], []).append(word)
    return found


def _forms(token: str) -> Iterator[str]:
    """A word as names are compared, and its parts between hyphens."""
    word = _plain(token)
    yield word
    if _ELISION.match(word):
        yield _ELISION.sub("", word)
    if "-" in word or "." in word:
        yield from filter(None, re.split(r"[-.]", word))


def _plain(token: str) -> str:
    return _POSSESSIVE.sub("", unicodedata.normalize("NFC", token.casefold())).strip(".-'’")


def foreign_names(
    text: str,
    known: Known,
    languages: Sequence[str],
    entities: Collection[str] = (),
    *,
    unheard: bool = True,
) -> list[str]:
    """The names in a text that are not known, each as it is written there; entities: words of it
    that are said to be names.

    unheard: with whatever was not said in scripts whose names nothing tells.
    """
    seen = unicodedata.normalize("NFC", normal(text))
    found = [
        *_capitals(seen, known, languages),
        *unmarked_names(seen, known),
        *(unheard_words(seen, known) if unheard else ()),
    ]
    lowered = seen.casefold()
    found += [
        name
        for name in entities
        if normal(name).casefold() in lowered and not _entity_is_known(normal(name), known)
    ]
    return list(dict.fromkeys(found))


def _entity_is_known(name: str, known: Known) -> bool:
    tokens = _TOKEN.findall(name)
    return all(
        token.islower() or _is_known(token, known.words, ())
        for token in tokens
        if script_of(token[0]) in _CASED
    )


def _capitals(text: str, known: Known, languages: Sequence[str]) -> Iterator[str]:
    german = "de" in languages[:1]
    others = any(script_of(char) not in _CASED for char in text if char.isalpha())
    tokens = list(_TOKEN.finditer(text))
    for i, token in enumerate(tokens):
        word = _ELISION.sub("", token[0])
        script = script_of(word[0])
        if script not in _CASED and not (
            word[0].isdecimal() and any(char.isupper() for char in word)
        ):
            continue
        is_name = any(char.isupper() for char in word) or (
            others and script == "LATIN" and len(word) > 2 and not _is_mostly(text, "LATIN")
        )
        if not is_name or _is_known(word, known.words, languages) or _is_ordinary(word, languages):
            continue
        before = text[: token.start()]
        if not before.strip() or _SENTENCE_END.search(before.rstrip()[-12:]):
            following = tokens[i + 1][0] if i + 1 < len(tokens) else ""
            if _opens_sentence(word, following, known, languages):
                continue
        elif (
            german
            and script == "LATIN"
            and _is_german_noun(word, tokens[i - 1][0] if i else "", known)
        ):
            continue
        yield word


def _is_mostly(text: str, script: str) -> bool:
    letters = [script_of(char) for char in text if char.isalpha()]
    return 2 * letters.count(script) > len(letters)


def _is_known(word: str, words: Mapping[str, Collection[str]], languages: Sequence[str]) -> bool:
    plain = _plain(word)
    near = words.get(plain[:2], ())
    if plain in near:
        return True
    parts = [part for part in re.split(r"[-.]", plain) if part]
    if len(parts) > 1:
        return all(part in words.get(part[:2], ()) for part in parts)
    if len(plain) < 3:
        return False
    stems = _stems(plain, languages)
    return any(stems & _stems(other, languages) or _is_of_same_land(plain, other) for other in near)


def _stems(word: str, languages: Sequence[str]) -> frozenset[str]:
    """The word without each ending that a case may have put there, never under three letters; two
    of a Russian name of three.
    """
    script = script_of(word[0])
    listed = {"CYRILLIC": _CYRILLIC, "GREEK": _GREEK}.get(script) or [
        end for code in languages for end in _ENDINGS.get(code, ())
    ]
    word = word.replace("ё", "е")
    least = 2 if script == "CYRILLIC" and len(word) == 3 else 3  # Юля, Юли
    ending = max(
        (end for end in listed if word.endswith(end) and len(word) - len(end) >= least),
        key=len,
        default="",
    )
    stems = {word, word.removesuffix(ending)}
    if script == "CYRILLIC" and len(word) > 3 and word[-2] in "ео":  # Павел, Павла
        stems.add(word[:-2] + word[-1])
    return frozenset(stems)


def _is_of_same_land(one: str, other: str) -> bool:
    same = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        same += 1
    rests = [(one[at:], other[at:]) for at in range(same, max(same - 2, 3), -1)]
    return any(
        (a in _PEOPLES and b in _LANDS)
        or (b in _PEOPLES and a in _LANDS)
        or (a in _PEOPLES and b in _PEOPLES)
        for a, b in rests
        if (a or b) and len(one) > 4
    )


def _is_ordinary(word: str, languages: Sequence[str]) -> bool:
    folded = fold(_POSSESSIVE.sub("", word))
    return (
        folded in _ROLES
        or folded in calendar_words()
        or any(
            is_stop_word(part, code)
            for part in (folded, folded.partition("'")[0])
            for code in (*languages, "en")
        )
    )


@cache
def calendar_words() -> frozenset[str]:
    """Names of months and days, which the reading of dates judges, and languages' words for
    times.
    """
    kinds = ("month", "month_short", "weekday", "weekday_short", "season", "day")
    found = (
        parts
        for lexicon in lexicons().values()
        for parts, meanings in lexicon.phrases()
        if any(kind in meanings for kind in kinds)
    )
    return frozenset(part for parts in found for part in parts if len(part) > 2)


def _opens_sentence(word: str, following: str, known: Known, languages: Sequence[str]) -> bool:
    """Whether a first word has its capital from its place: the source has a form of it, or a small
    word follows as after a verb.
    """
    if any(char.isupper() for char in word[1:]):
        return False
    # of two capitals the first is no name where the second is another's: "Почта Олега"
    if following[:1].isupper():
        return _is_known(following, known.named, languages)
    if any(term in known.terms for term in index_terms(word)):
        return True
    folded = fold(word)
    if word.endswith("ing") and "en" in languages[:1]:
        return True
    small = fold(following)
    return folded in _opening() or (
        small in _after_verbs() and (small != "a" or "en" in languages[:1])
    )


@cache
def _opening() -> frozenset[str]:
    return frozenset(map(fold, tables()["cased"]["opening"].split()))


@cache
def _after_verbs() -> frozenset[str]:
    return frozenset(map(fold, tables()["cased"]["after_verbs"].split()))


def _is_german_noun(word: str, before: str, known: Known) -> bool:
    """By what stands before it, by its ending, or by a part that the source has."""
    lowered, plain = before.casefold(), word.casefold()
    if lowered in _GERMAN_BEFORE or before.isdecimal() or _GERMAN_NOUN.match(plain):
        return True
    if before.islower() and len(before) > 4 and before.endswith(("e", "en", "er", "es", "em")):
        return True
    # Lottes Adresse
    if before[:1].isupper() and before[-1:] in "s'’" and _is_known(before, known.words, ("de",)):
        return True
    return (
        any(term in known.terms for part in parts_of(plain) for term in index_terms(part))
        or plain in known.flat
    )
