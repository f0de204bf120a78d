"""Recall on both engines, in languages without spaces, for identifiers, addresses and parts of
words.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from omoide.memory import Memory
from omoide.nouns.kind import Kind
from omoide.nouns.query import Query

# What is said, and what one asks for it by.
SAID = (
    ("我们下周一起去北京看展览", "北京"),
    ("她在上海开了一家咖啡馆", "咖啡"),
    ("先週末は京都で紅葉を見ました", "京都"),
    ("毎朝、駅前のパン屋に寄ります", "駅前"),
    ("주말에는 부산에서 바다를 봤어요", "부산"),
    ("어머니는 학교에서 음악을 가르치세요", "음악"),
    ("เมื่อวานเขาไปซื้อปลาที่ตลาด", "ปลา"),
    ("แม่ชอบดื่มชาเย็นตอนบ่าย", "ชาเย็น"),
    ("We built a multi-agent planner", "multi-agent"),
    ("The link runs at 400 GB/s between racks", "GB/s"),
    ("Please don't ring after nine", "don't"),
    ("Join both tables on user_id first", "user_id"),
    ("The engine core is written in C++", "C++"),
    ("Send the invoice to ana.silva@example.com", "ana.silva@example.com"),
    ("Read https://docs.omoide.test/guide/set-up?x=1 before you start", "docs.omoide.test"),
    ("Der Donaudampfschifffahrt-Verein tagt im Mai", "Verein"),
    ("Die Haustürschlüssel liegen im Blumentopf", "Haustürschlüssel"),
    ("Release v2.0.1 fixes the login", "2.0.1"),
    ("The cache lives in src/store/matrix.py", "matrix.py"),
    ("Она купила велосипеды для детей", "велосипед"),
    ("मुझे पुरानी किताबें पसंद हैं", "किताब"),
    ("اشترت سارة الكتاب من السوق", "كتاب"),
    ("הבית שלי ליד הים", "בית"),
    ("Nous cherchons l'école la plus proche", "école"),
    ("A tasty café near the station", "cafe"),
)


@pytest.mark.parametrize("kind", [Kind.ITEM, Kind.TURN])
def test_what_was_said_is_found_in_any_language(
    memory: Memory, texts: Callable[..., list[str]], kind: Kind
) -> None:
    """Two characters of a language without spaces, an identifier, an address, a compound's part: by
    keyword first, else among the first.
    """
    if kind is Kind.ITEM:
        for text, _ in SAID:
            memory.remember(text)
    else:
        memory.ingest([{"role": "user", "content": text} for text, _ in SAID])
        memory.admin.tidy()

    for text, word in SAID:
        assert texts(memory, Query(text=word, preset="keyword"), limit=3)[:1] == [text], word
        assert text in texts(memory, Query(text=word), limit=3), word


def test_keyword_recall_brings_nothing_else(
    memory: Memory, texts: Callable[..., list[str]]
) -> None:
    """What has none of the words is no hit of the keyword preset."""
    for text, _ in SAID:
        memory.remember(text)

    assert {word: texts(memory, Query(text=word, preset="keyword")) for _, word in SAID} == {
        word: [text] for text, word in SAID
    }
    assert texts(memory, Query(text="南京", preset="keyword")) == []
