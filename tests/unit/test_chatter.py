"""Talk that teaches nothing."""

from __future__ import annotations

import pytest

from omoide.grounding.chatter import in_memory_block, is_action_report, passing, recalled
from omoide.nouns.turn import Role
from tests.unit.test_ground import turn

GREETINGS = """Thanks!|ok 👍|
Good morning!|Yes, that's right.|Danke schön|ja genau|¡Muchas gracias!|Merci beaucoup 😊|va bene, grazie|Obrigado!
Спасибо большое|好的，谢谢|おはようございます！|네 감사합니다|شكرا جزيلا|ठीक है धन्यवाद|...|"""
FACTS = """I'm Alex|Ich bin Alex|Soy Alex|Je suis Alex|Я Алекс|我是小明|アレックスです|저는 민수예요|أنا كريم|मैं रवि हूँ|42|vegan|No eggs"""


@pytest.mark.parametrize("text", GREETINGS.replace("\n", "|").split("|"))
def test_greetings_and_confirmations_are_passing(text: str) -> None:
    """In many languages, emoji and marks aside."""
    assert passing(text)


@pytest.mark.covers("LS-32")
@pytest.mark.parametrize("text", FACTS.split("|"))
def test_short_facts_are_not_passing(text: str) -> None:
    """However few the words: what is no greeting is kept."""
    assert not passing(text)


REPORTS = [
    "I've created the file report.md and updated the index.",
    "Done! Let me know if you need anything else.",
    "Your reminder has been set. Anything else?",
    "Let me check the calendar. Searching for free slots…",
    "```\n$ ls\nreport.md\n```",
    "Ich habe den Termin für Freitag eingetragen.",
    "He creado el archivo.",
    "J'ai ajouté le rendez-vous. Souhaitez-vous autre chose ?",
    "Ho creato il file.",
    "Criei o lembrete.",
    "Я создал файл.",
    "我已经为您创建了提醒。",
    "リマインダーを設定しました。",
    "알림을 설정했습니다.",
    "لقد قمت بإنشاء الملف.",
    "मैंने रिमाइंडर सेट कर दिया है।",
]


@pytest.mark.covers("LS-83", "AD-13")
@pytest.mark.parametrize("text", REPORTS)
def test_what_an_assistant_did_is_a_report(text: str) -> None:
    """Every sentence tells what it did, will do, or offers more; what a person did is never one."""
    assert is_action_report(turn(text, role=Role.ASSISTANT))
    assert not is_action_report(turn(text, role=Role.USER))
    assert not is_action_report(turn(text, role=Role.TOOL))


@pytest.mark.parametrize(
    "text",
    [
        "You are allergic to nuts, so I suggest rice.",
        "Your flight leaves at 9.",
        "The capital of France is Paris. I've saved that.",
        "I have a suggestion: take the train.",
        "札幌に引っ越しましたね。",
        "Berlin hat 3,7 Millionen Einwohner.",
    ],
)
def test_what_says_more_is_no_report(text: str) -> None:
    """One sentence that says something else, and it may teach."""
    assert not is_action_report(turn(text, role=Role.ASSISTANT))


def test_known_words_that_come_back_are_recalled() -> None:
    """Whole or in part, with other case and marks; a few words, and other statements, are not."""
    known = ["Ana lives in Berlin with two cats", "アナは札幌に住んでいる"]

    assert recalled("ana lives in Berlin, with two cats!", known)
    assert recalled("Ana lives in Berlin with", known)
    assert recalled("So: Ana lives in Berlin with two cats.", known)
    assert recalled("アナは、札幌に住んでいる。", known)
    assert not recalled("Ana lives in Munich with two cats", known)
    assert not recalled("two cats", known)
    assert not recalled("", known)


def test_a_block_of_memories_is_told_by_its_tags() -> None:
    """Inside is recalled, after is not; one that was never closed counts to the end."""
    text = "<memories user='ana'>tea</memories> coffee <memory>milk"

    assert in_memory_block(text, text.index("tea"), text.index("tea") + 1)
    assert not in_memory_block(text, text.index("coffee"), text.index("coffee") + 1)
    assert in_memory_block(text, text.index("milk"), text.index("milk") + 1)
    assert not in_memory_block("my <b>memory</b> of tea", 20, 21)
