"""Whether a text says no, in many languages, and whether a statement says no where its source does not."""

from __future__ import annotations

import re
from collections.abc import Iterator

from omoide.text.letters import fold
from omoide.text.words import index_terms

_NEGATIONS = frozenset(
    "not no never none neither nor cannot cant dont doesnt didnt isnt arent wasnt werent wont wouldnt shouldnt couldnt hasnt havent hadnt "
    "without nobody nothing nicht kein keine keinen keinem keiner keines nie niemals niemand ohne ne pas jamais aucun aucune sans rien "
    "nunca jamas ningun ninguna ninguno nada sin non mai senza nessun nessuna nessuno niente nao nem sem niet geen nooit zonder не нет "
    "никогда никто без ни ані inte aldrig ingen ikke aldri degil yok hic nie nigdy bez לא אין בלי אף لا لم لن ليس ليست بدون غير ما "
    "नहीं नही मत बिना न δεν δε μην ποτε οχι ไม่ khong chua tidak bukan".split()
)
# Words that deny without a negation: with one of them on one side, a negation on the other is no contradiction.
_DENYING = (
    "allerg vegan vegetar avoid refus quit stop lack unable dislik hate former left gave up free used to instead only except fear afraid "
    "vermeid meid hass aufgehört abgelehnt verweiger unverträglich "
    "evita odia dejó dejado alérgic aborr vegetari vegano déteste évite arrêté allergi refuse "
    "detesta smesso parou deixou odeia "
    "аллерг вегетар вегета ненави избега броси отказ бывш "
    "过敏 素食 讨厌 戒 避免 拒绝 除了 アレルギー 嫌い 苦手 やめ 菜食 避け 辞め 알레르기 채식 싫어 끊 그만 피한 못 "
    "حساسية نباتي يكره تكره تتجنب يتجنب توقف أقلع एलर्जी शाकाहारी नफ़रत नफरत छोड़ परहेज"
).split()
_SIGNS = re.compile(
    r"n't|[不没沒]|未(?!来|來|婚)|無い|(?<![少危汚切])ない|なかった|ません|ませんでした|않|못|없|(?:^|\s)안 (?=\S)|(?:지|는|가) 마|아니"
)
_NOT_NEGATING = re.compile(
    r"不错|不錯|不同|不仅|不僅|不但|不断|差不多|没关系|不久|不少|对不起|对不对|是不是"
    r"|かもしれない|しかない|じゃない\?|なければならない|ないといけない|なくては|못지않|뿐만 아니라|없이"
)
_CLAUSE = re.compile(
    r"[.,;:!?\n。，、；：！？…،؛؟।]+|\b(?:but|aber|sondern|pero|sino|mais|mas|ma|però|но|зато)\b|但|しかし|けど|하지만|지만|لكن|लेकिन|पर "
)
_PORTUGUESE = re.compile(r"\b(?:no|ne)\b")


def negates(text: str) -> bool:
    """Whether a text has a negation, in any of the languages known here."""
    folded = _NOT_NEGATING.sub(" ", fold(text).replace("’", "'"))
    return _SIGNS.search(folded) is not None or any(w.strip(".,;:!?()\"'。、") in _FOLDED for w in folded.split())


_FOLDED = frozenset(map(fold, _NEGATIONS))
_DENIALS = tuple(map(fold, _DENYING))


def denies(text: str) -> bool:
    """Whether it has a word that says no without a negation: avoids, allergic, quit."""
    folded = fold(text)
    return any(word in folded for word in _DENIALS)


def flips(text: str, quote: str, around: str) -> bool:
    """Whether a text negates what its quote does not, or the other way about.

    around: the quote with the rest of its clauses. Of a quote in several clauses those count that share the most words with the text.
    """
    mine = negates(text)
    clauses = _nearest(text, list(_clauses(quote)))
    if mine:
        return not negates(around) and not denies(quote)
    told = [clause for clause in clauses if not negates(clause)]
    if told and not (len(clauses) == 1 and negates(around) and not negates(quote)):
        return False
    return negates(around) and not denies(text)


def _clauses(text: str) -> Iterator[str]:
    yield from (clause for clause in _CLAUSE.split(text) if clause and any(map(str.isalnum, clause)))


def _nearest(text: str, clauses: list[str]) -> list[str]:
    """The clauses that share the most words with a text."""
    words = set(index_terms(text))
    shares = [len(words & set(index_terms(clause))) for clause in clauses]
    return [clause for clause, share in zip(clauses, shares, strict=True) if share == max(shares)]
