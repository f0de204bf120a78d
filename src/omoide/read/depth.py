"""How many hits a question needs, from its wording alone: 3, 5 or 10. No model is asked."""

from __future__ import annotations

from unicodedata import east_asian_width

from omoide.text.words import fold

SIMPLE, MEDIUM, COMPLEX = 3, 5, 10

_MEDIUM = frozenset(
    "how why explain describe summarize summarise wie warum erkläre beschreibe comment pourquoi"
    " explique décris cómo porqué explica describe come perché spiega como porque hoe waarom как"
    " почему объясни كيف لماذا कैसे क्यों nasıl neden jak dlaczego hur varför".split()
)
_COMPLEX = frozenset(
    "compare across all history everything between throughout vergleiche alle alles zwischen"
    " geschichte tous toutes entre histoire compara todos todas historia confronta tutti tutte tra"
    " vergelijk allemaal tussen сравни все всё между история قارن كل بين तुलना सभी सब karşılaştır"
    " tüm arasında porównaj wszystkie między jämför alla mellan".split()
)
_MEDIUM_SIGNS = tuple(
    "what happened|was ist passiert|qu'est-il arrivé|qué pasó|"
    "怎么|为什么|如何|どう|なぜ|어떻게|왜".split("|")
)
_COMPLEX_SIGNS = tuple("比较|所有|全部|之间|历史|すべて|全て|比較|모든|비교|전체".split("|"))


def depth_of(question: str) -> int:
    """3 for a simple question, 5 for one that asks how or why or has over 8 words, 10 for one that
    compares, asks for everything, or has over 20 words."""
    folded = fold(question)
    words = [word.strip("?!.,;:¿¡\"'()") for word in folded.split()]
    # two wide characters make about one word where words are not spaced
    count = len(words) + sum(east_asian_width(c) == "W" for c in question) // 2
    if (
        count > 20
        or not _COMPLEX.isdisjoint(words)
        or any(sign in folded for sign in _COMPLEX_SIGNS)
    ):
        return COMPLEX
    if count > 8 or not _MEDIUM.isdisjoint(words) or any(sign in folded for sign in _MEDIUM_SIGNS):
        return MEDIUM
    return SIMPLE
