"""Questions about what the assistant told are told from all others, in ten languages."""

from __future__ import annotations

import pytest

from omoide.text.earlier_talk import earlier_talk_in

ABOUT_WHAT_WAS_TOLD = (
    "What did you recommend for the kitchen tap?",
    "Can you remind me what the fifth bottle was?",
    "Which of the crops you proposed fell victim to the slugs?",
    "Sum up: a summary of our talks about the garden",
    "Was hast du mir für den Wasserhahn empfohlen?",
    "Welchen Vorschlag haben Sie mir gemacht?",
    "Fass unsere Gespräche über den Garten zusammen",
    "Wat heb je aangeraden voor de kraan?",
    "Qu'est-ce que tu m'as conseillé pour le robinet ?",
    "Quelle recette as-tu proposée ?",
    "¿Qué me recomendaste para el grifo?",
    "Resume nuestra conversación sobre el jardín",
    "Che cosa mi hai consigliato per il rubinetto?",
    "O que você recomendou para a torneira?",
    "Что ты посоветовал для крана?",
    "Подытожь наш разговор о саде",
    "你推荐了什么水龙头？",
    "总结一下我们的对话",
    "蛇口には何を勧めてくれましたか？",
    "庭の話を要約して",
)
ABOUT_OTHER_THINGS = (
    "Would you suggest a tap?",
    "Can you recommend a hotel for Miami?",
    "What did I tell you about the tap?",
    "In which order did I bring up the parts of the plan in our talks?",
    "Have you ever been to Rome?",
    "When did Ana resume her drumming?",
    "Kannst du mir ein Buch empfehlen?",
    "Was habe ich dir über den Garten erzählt?",
    "Peux-tu me conseiller un livre ?",
    "Qu'ai-je dit à propos du jardin ?",
    "¿Puedes recomendarme un libro?",
    "¿Qué te dije sobre el jardín?",
    "Puoi consigliarmi un libro?",
    "Você pode sugerir um livro?",
    "Посоветуй книгу",
    "Что я тебе говорил о саде?",
    "你能推荐一本书吗？",
    "我跟你说过花园的事吗？",
    "本を勧めてくれますか？",
    "Kun je een boek aanraden?",
)


@pytest.mark.parametrize("question", ABOUT_WHAT_WAS_TOLD)
def test_a_question_about_what_was_told_is_seen(question: str) -> None:
    """What the assistant said answers it."""
    assert earlier_talk_in(question).told


@pytest.mark.parametrize("question", ABOUT_OTHER_THINGS)
def test_other_questions_are_left_alone(question: str) -> None:
    """Those that ask for something new, or for what the person said."""
    assert not earlier_talk_in(question).told


@pytest.mark.parametrize(
    ("question", "gone", "left"),
    [
        ("Give a summary of our talks about the garden", ("summary", "talks"), "garden"),
        ("Which hotel in Rome was it that you recommended?", ("recommended",), "hotel in Rome"),
        ("Fass unsere Gespräche über den Garten zusammen", ("Gespräche",), "Garten"),
        ("¿Qué me recomendaste para el grifo?", ("recomendaste",), "grifo"),
        ("庭の話を要約して", ("要約",), "庭"),
        ("Give me the main points we covered about roses", ("covered",), "roses"),
        ("How many children did I mention getting a gift?", ("mention",), "children"),
        ("List the order in which I brought up the rooms of the house", ("brought",), "rooms"),
        ("Was habe ich dir über den Garten erzählt?", ("erzählt",), "Garten"),
        ("¿Qué te dije sobre el jardín?", ("dije",), "jardín"),
        ("Что я тебе говорил о саде?", ("говорил",), "саде"),
    ],
)
def test_what_names_the_talk_is_no_subject(question: str, gone: tuple[str, ...], left: str) -> None:
    """What the talk was about is."""
    subject = earlier_talk_in(question).subject

    assert left in subject
    assert not any(word in subject for word in gone)


@pytest.mark.parametrize(
    "question",
    [
        "Would you suggest a tap?",
        "Have you ever been to Rome?",
        "When did Ana resume her drumming?",
        "Who covered the roof?",
        "Kannst du mir ein Buch empfehlen?",
        "Peux-tu me conseiller un livre ?",
        "Посоветуй книгу",
        "你能推荐一本书吗？",
    ],
)
def test_other_questions_are_all_subject(question: str) -> None:
    """Nothing is taken from them."""
    assert earlier_talk_in(question).subject == question
