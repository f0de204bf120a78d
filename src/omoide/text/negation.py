"""Whether a text says no, in many languages, and whether a statement says no where its source does
not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from omoide.text.languages import has_stems_of_its_own, is_stop_word, stem
from omoide.text.letters import fold
from omoide.text.words import index_terms

_NEGATIONS = frozenset(
    fold(
        "not no never none neither nor cannot cant dont doesnt didnt isnt arent wasnt werent wont"
        " wouldnt shouldnt couldnt hasnt havent hadnt without nobody nothing nicht kein keine"
        " keinen keinem keiner keines nie niemals niemand ohne pas jamais aucun aucune sans rien"
        " nunca jamás ningún ninguna ninguno nada sin non senza nessun nessuna nessuno niente não"
        " nao nem sem niet geen nooit zonder не нет никогда никто без ни inte aldrig ingen ikke"
        " aldri değil yok hiç nie nigdy bez לא אין בלי אף неправда неверно невірно nieprawda untrue"
        " unwahr لا لم لن فلم ولم فلا ولا فليس وليس ليس ليست ليسوا مش مو موش مب ماعاد بدون नहीं नही"
        " मत बिना না নেই নয় নন નથી નહીં નહિ ਨਹੀਂ არ არა ვერ ვერა ნუ არასდროს არასოდეს లేదు లేరు"
        " లేవు కాదు వద్దు లేని නැත නැහැ නෑ එපා නොවේ نہیں نیست نه አይደለም የለም δεν δε μην ποτέ όχι ไม่"
        " không chưa tidak bukan"
    ).split()
)
# Words that are no negation in these languages: "no" is "in the" in Portuguese.
_NOT_IN = {"no": "pt", "sin": "en"}
# Beginnings of words that deny without a negation: with one on one side alone, a negation on the
# other is no contradiction.
_DENYING = tuple(
    fold(
        "closed geschlossen cerrad fermé chius fechad закрыт allerg vegan vegetar avoid refus quit"
        " stop lack unable dislik hate former afraid vermeid meid hass aufgehört abgelehnt"
        " verweiger unverträglich evita odia dejó dejado alérgic aborr détest évit arrêt detest"
        " smess parou deixou odeia аллерг вегет ненавид избега броси отказ быв حساسي نباتي يكره"
        " تكره تتجنب يتجنب توقف एलर्जी शाकाहारी नफ़रत नफरत छोड़ परहेज फेल असफल رسب فشل سقط завал"
        " провал fail durchgefallen suspend 불합격 떨어 알레르기 채식 싫어 끊 그만"
    ).split()
)
_DENYING_SIGNS = tuple(
    "关门 定休 休み 过敏 素食 讨厌 戒了 戒掉 避免 拒绝 アレルギー 嫌い 苦手 やめ 菜食 避け 辞め"
    " 不合格 落ち 落第 挂 แพ้ เลิก งด ตก".split()
)
_SIGNS = re.compile(
    r"n't|\b(?:ne |n')\S{1,30} (?:\S{1,30} )?plus\b"
    r"|[不没沒]|[并並绝絕]非|别(?=[给再让做去说忘吃喝用])|未(?![来來婚])|無い|(?<![少危汚切])な(?:い|かった|く)|(?:お|か|さ|た|ま|ら)ず(?=[、"
    r"。にと]|$)|ません"
    r"|않|못|없|(?:^|\s)안 (?=\S)|아니"
    r"|இல்லை|இல்லாத|அல்ல(?=[\s.,]|$)|ாது(?=[\s.,]|$)|மாட்ட|ಇಲ್ಲ|ಅಲ್ಲ|(?:ುದ|ಾಗ|ವ|ಲ|ತ್ತ)ಿಲ್ಲ|ഇല്ല|അല്ല|ുന്നില്ല|ിട്ടില്ല|ဘူး|មិន|ບໍ່|نمي"
    r"|(?<!\S)ن(?:دار|خور)|নি(?=[\s।,]|$)|(?:^|\s)ما (?=عند|بد|في\b|ل[يهكنا]|ب[يت])|ไม่"
)
_NOT_NEGATING = re.compile(
    r"can't wait|cannot wait|n(?:ever|'t|ot) forget|n[o']t (?:only|just|worry|mind|hesitate)|no"
    r" (?:matter|doubt|problem|worries|wonder)"
    r"|can't (?:help|believe|stop)|couldn't (?:agree more|be happier)|not to"
    r" mention|(?:why|if|or|whether or) not|not alone"
    r"|nicht (?:nur|vergessen|zuletzt)|kein (?:problem|wunder)|no (?:solo|olvid\w+|veo la hora|hay"
    r" duda)|pas (?:seulement|mal|de souci)"
    r"|n'oubli\w+ pas|non (?:solo|vedo l'ora|dimentic\w+)|nao (?:so|apenas|esque\w+|vejo a hora)|не"
    r" (?:только|забуд\w+|забыва\w+|терпится)"
    r"|不错|不錯|不同|不过(?!敏)|不過(?!敏)|不超过|不合格|불합격|不会吧|不如|不管|不论|不由|不禁|ไม่เป็นไร|ไม่ใช่แค่|ใช่ไหม|不仅|不僅|不但|不断|差不多|没关系|不久|不少|对不起|对不对|是不是|别忘|必ず|まず|はず|ずつ"
    r"|かもしれない|しかない|じゃない\?|なければならない|ないといけない|なくては|못지않|뿐만"
    r" 아니라|없이|ليس فقط|न केवल"
)
_CLAUSE = re.compile(
    r"[.,;:!?\n。，、"
    r"；：！？…،؛؟।]+|\b(?:but|and|und|aber|sondern|pero|sino|mais|mas|ma|et|но|зато|e|и|och|og|(?<!')y)\b|但是|但|しかし|けど|(?<=せん)が(?=、"
    r")|(?<=ない)が"
    r"|(?<=\s)(?=و(?:لا|لم|لن)\s)|지만|لكن|(?<!\w)بس(?!\w)|लेकिन| पर (?=\S)"
)
# where what somebody does without begins
_WITHOUT = re.compile(r"\b(?=(?:without|ohne|sin|sans|senza|sem|без|بدون|बिना)\b)")
_LETTERS = re.compile(r"[^\s.,;:!?()\[\]\"“”«»„。、，；：！？،؛؟।]+")
_LISTED = 4  # words of a clause that may only go on with a list
_JAPANESE = re.compile(r"[\u3005\u4e00-\u9fff]+|[\u30a1-\u30fa\u30fc]+")


def negates(text: str, languages: Collection[str] = ()) -> bool:
    """Whether a text has a negation, in any of the languages known here; languages: those it may be
    in, where that is known.
    """
    folded = _NOT_NEGATING.sub(" ", fold(text).replace("’", "'"))
    return _SIGNS.search(folded) is not None or any(
        _is_negation(word.strip("'"), languages) for word in _LETTERS.findall(folded)
    )


def _is_negation(word: str, languages: Collection[str]) -> bool:
    return word in _NEGATIONS and _NOT_IN.get(word, "") not in tuple(languages)[:1]


_DENIES = re.compile(
    rf"\b(?:{'|'.join(sorted(_DENYING, key=len, reverse=True))})|{'|'.join(_DENYING_SIGNS)}"
)


def _denials(text: str) -> frozenset[str]:
    """Words that say no without a negation: avoids, allergic, quit."""
    return frozenset(_DENIES.findall(fold(text)))


def flips(
    text: str, source: str, languages: Collection[str] = (), names: Collection[str] = ()
) -> bool:
    """Whether a text negates what its source does not, or the other way about.

    Both are read clause by clause, each clause of the text beside those of the source that share
    the most words with it; "without" may begin a clause of its own or not. Nor may a text that
    denies nothing have half the words of a clause that the source denies.
    """
    for name in names:  # who it is about is no part of what is said
        text = text.replace(name, " ")
    return all(
        _flips(text, source, languages, _clauses(text, apart), _clauses(source, apart))
        for apart in (True, False)
    )


def _flips(
    text: str,
    source: str,
    languages: Collection[str],
    mine: Sequence[str],
    theirs: Sequence[str],
) -> bool:
    """The same of texts that are parted into these clauses."""
    told = [_Clause(part, languages) for part in theirs]
    said = [_Clause(part, languages) for part in mine]
    if _Beside(said, told).contradict():
        return True
    if any(clause.negates for clause in said) or _denials(text) - _denials(source):
        return False
    whole = _Clause(text, languages)
    return any(
        clause.negates and clause.words and 2 * clause.shared(whole) >= len(clause.words)
        for clause in told
    )


class _Clause:
    """A part of a sentence: whether it negates, and the forms of each of its words with content."""

    def __init__(self, text: str, languages: Collection[str]) -> None:
        self.text = text
        self.negates = negates(text, languages)
        words = (_JAPANESE if "ja" in tuple(languages)[:1] else _LETTERS).findall(text)
        codes = tuple(languages)
        self.words = [forms for word in words if (forms := _forms(word, codes))]
        self.forms = frozenset().union(*self.words) if self.words else frozenset()

    @cached_property
    def denials(self) -> frozenset[str]:
        """Its words that say no without a negation."""
        return _denials(self.text)

    def shared(self, other: _Clause) -> int:
        """How many of its words the other has in any form."""
        return sum(not forms.isdisjoint(other.forms) for forms in self.words)


@lru_cache(maxsize=8_192)
def _forms(word: str, languages: tuple[str, ...]) -> frozenset[str]:
    folded = fold(word)
    if _is_negation(folded, ()) or any(is_stop_word(folded, code) for code in (*languages, "en")):
        return frozenset()
    stems = (stem(word.lower(), code) for code in languages if has_stems_of_its_own(code, folded))
    return frozenset(
        term for term in (*index_terms(word, exact=True), *stems) if not is_stop_word(term, "")
    )


def _clauses(text: str, apart: bool) -> list[str]:
    """The clauses of a text; apart: what is done without something is one of its own."""
    parts = [
        piece
        for part in _CLAUSE.split(text)
        for piece in (_WITHOUT.split(part) if apart else [part])
    ]
    return [part for part in parts if any(map(str.isalnum, part))]


class _Nearest(NamedTuple):
    """The clauses of a source that share the most words with one of a text, and how many."""

    shared: int
    clauses: Sequence[_Clause]


class _Beside:
    """The clauses of a text beside those of its source, found by the forms of their words."""

    def __init__(self, said: Sequence[_Clause], told: Sequence[_Clause]) -> None:
        self._said, self._told = said, told
        self._with: dict[str, list[int]] = {}
        for at, clause in enumerate(told):
            for form in clause.forms:
                self._with.setdefault(form, []).append(at)
        self._nearest = [self._near(clause) for clause in said]

    def _near(self, clause: _Clause) -> _Nearest:
        shares = Counter[int]()
        for forms in clause.words:
            shares.update({at for form in forms for at in self._with.get(form, ())})
        most = max(shares.values(), default=0)
        near = [self._told[at] for at, share in shares.items() if share == most]
        return _Nearest(most, near or self._told)

    @cached_property
    def _taken(self) -> Counter[_Clause]:
        """To how many clauses of the text each of the source is nearest."""
        return Counter(one for near in self._nearest if near.shared for one in near.clauses)

    @cached_property
    def _leaves_negation(self) -> bool:
        """Whether the source has a clause that negates, and that none of the text is nearest to."""
        return any(one.negates and one not in self._taken for one in self._told)

    def contradict(self) -> bool:
        """Whether a clause of the text contradicts those that are nearest to it."""
        return any(
            _contradicts(clause, near) and not self._is_explained(i)
            for i, (clause, near) in enumerate(zip(self._said, self._nearest, strict=True))
        )

    def _is_explained(self, i: int) -> bool:
        """Whether a clause that seems to contradict only lies elsewhere: its own "not" stands in
        the next one, or another's is its own.

        "Ran with no pain" is "ran, without pain". And what shares little with any clause may be one
        that was said in quite other words.
        """
        clause, near = self._said[i], self._nearest[i]
        if clause.negates:
            return self._is_elsewhere(near, clause)
        before = next(
            (one for one in reversed(self._said[:i]) if one.negates or len(one.words) > _LISTED),
            clause,
        )
        if before.negates and len(clause.words) <= _LISTED:  # "no meat, eggs or milk"
            return True
        after = zip(self._said[i + 1 : i + 2], self._nearest[i + 1 : i + 2], strict=True)
        return any(one.negates and not _is_most(one, other) for one, other in after)

    def _is_elsewhere(self, near: _Nearest, clause: _Clause) -> bool:
        """Whether the source negates in a clause that only this one may be nearest to, where this
        one is near to none.
        """
        if _is_most(clause, near):
            return False
        mine = near.clauses if near.shared else ()
        return self._leaves_negation or any(one.negates and self._taken[one] == 1 for one in mine)


def _is_most(clause: _Clause, near: _Nearest) -> bool:
    """Whether more than half of a clause's words are those of one that is nearest to it."""
    return 2 * near.shared > len(clause.words)


def _contradicts(clause: _Clause, near: _Nearest) -> bool:
    if not near.clauses or any(other.negates == clause.negates for other in near.clauses):
        return False
    if not clause.negates and all(
        3 * near.shared < min(len(clause.words), len(other.words)) for other in near.clauses
    ):
        return False  # none of them says this
    theirs = frozenset().union(*(other.denials for other in near.clauses))
    return not (theirs - clause.denials if clause.negates else clause.denials - theirs)
