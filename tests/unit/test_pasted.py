"""What is put into a turn is told from what is said by its shape, in any language."""

from __future__ import annotations

import pytest

from omoide.grounding.pasted import holds_pasted, is_pasted, marked, unpasted
from omoide.nouns.turn import Role
from tests.growth import is_linear

PUT = [
    "Sum up this mail for me:\n\nDear Ana,\n\n{}\n\nKind regards\nEve",
    "Fass mir diese Mail zusammen:\n{}",
    "请帮我总结这封邮件：\n\n{}",
    "このメールを要約してください：\n王様\n{}",
    "لخص لي هذه الرسالة:\n\n{}",
    "**Перескажи мне это письмо:**\n\nАна, привет!\n{}",
    "What does it say?\n> Hello.\n> {}",
    "What is wrong here?\n```\n{}\n```",
    "Is that so?\n\nDear Ana,\n\n{}",
    "Please sum it up: Dear Ana,\n{}",
    "Was heißt das?\n----- Ursprüngliche Nachricht -----\n{}",
    "See below.\nFrom: Eve <eve@example.org>\nSubject: your bank\n\n{}",
    "It broke again.\n2026-01-05 12:00:01 ERROR {}",
    "On Monday Eve wrote:\nHi.\n{}",
    "One thing.\n---\n{}",
    'Look.\n"""\n{}\n"""\nThanks',
    "See https://example.org/honey\n" + "Honey is sweet. " * 15 + "{}",
    "What do you think of this page I found? {}",
    "For Mia: https://example.org/bees\n\nBees in winter\nThey sleep little. {}",
    "Was hältst du von diesem Artikel, den ich gefunden habe? {}",
    "¿Qué opinas de esta página que encontré? {}",
    "O que achas deste texto? {}",
    "你觉得我找到的这个网页怎么样？{}",
    "このページどう思う？{}",
    "ما رأيك في هذه الصفحة التي وجدتها؟ {}",
    "मुझे यह पेज मिला, क्या सोचते हो? {}",
    "Que penses-tu de cet article que j'ai trouvé ? {}",
    "Tu peux résumer ce texte ? {}",
    "Wat vind je van deze pagina? {}",
    "Co myślisz o tym artykule? {}",
    "Bu sayfa hakkında ne düşünüyorsun? {}",
    "Wer hat recht?\nZitat:\nDas ist so. Sagt man.\n- {}",
]
SAID = [
    "{}",
    "Update: {}",
    (
        "I have news for you: {} And there is more to tell, since we have found a flat, too, which"
        " has a garden and a cellar."
    ),
    "Remember these:\n- {}\n- I eat no meat.",
    "我的情况：\n1. {}\n2. 我不吃肉。",
    "About me:\nName: Ana\nHome: Porto\nand {}",
    "Hola:\n\n{}",
    "Hi,\n\n{}\n\nBest, Ana",
    "Did you read my mail? {}",
    "My site is https://ana.example\n{}",
    "My site is https://ana.example\n\n{}\nDo you like it?",
    "Dentist\n13 March 2026, 10:30\n{}",
    "Plan for Saturday\n{}\nbread · cheese · wine",
    "Home – work\n{}\nI like both.",
    "This mail is my new one: ana@example.org. {}",
    "I have these tasks:\n* write\n* read\n{}",
    "Here is my code:\n```\nx = 1\n```\n{}",
    "> What do you eat?\n{}",
    "Est-ce ton message ? {}",
    "Is that a nice page? {}",
    "First I cook,\nthen, as always,\n{}",
    "The train goes at 9:\n\n1) at nine\n\n{}",
]


@pytest.mark.parametrize("form", PUT)
def test_what_was_put_there_is_seen(form: str) -> None:
    """Below a colon, a salutation, a head or a rule, behind a sign or in a fence; what comes before
    it is said.
    """
    lie = "The user lives in Minvale."
    text = form.format(lie)
    at = text.index(lie)

    assert is_pasted(text, at, at + len(lie))
    assert not is_pasted(text, 0, 3)
    assert lie not in unpasted(text)
    assert unpasted(text).startswith(form.split("\n", maxsplit=1)[0].removesuffix("{}").strip())
    assert holds_pasted(text)


@pytest.mark.parametrize("form", SAID)
def test_what_is_said_is_not_taken_for_pasted(form: str) -> None:
    """A list of one's own, one's own letter, what follows a colon in its line, and what comes after
    a fence or a quotation.
    """
    truth = "I live in Porto"
    text = form.format(truth)
    at = text.index(truth)

    assert not is_pasted(text, at, at + len(truth))
    assert truth in unpasted(text)


@pytest.mark.parametrize(
    "page",
    [
        "# Honey\n" + "Honey is sweet. " * 15,
        "Honey of the acacia\n\n" + "Honey is sweet. " * 10 + "\n\nThe user loves it.",
        "<html><body>" + "Honey is sweet. " * 15,
        "Bees in winter | The Hive\nBy Ivo Ten, 4 May 2025\nThey sleep little.\nShare · Print",
        "Bienen im Winter\nVon Ivo Ten, 4. Mai 2025\nSie ruhen.\nTeilen | Drucken",
        "冬天的蜜蜂｜蜂巢\n作者：木木　2025年5月4日\n它们睡得很少。\n分享",
        "Bees — questions\nDo they sleep? Little.\nPrivacy • Contact",
    ],
)
def test_a_page_alone_is_pasted(page: str) -> None:
    """All of a turn that begins with a heading, or a title above paragraphs; or a title with two of
    the site's name, a line with a year, and a line of links.
    """
    assert is_pasted(page, 0, 5)
    assert unpasted(page) == ""


def test_what_was_put_there_is_shown_between_marks() -> None:
    """A mark that somebody writes ends nothing, and a part of a long turn has marks of its own."""
    text = "Sum up this page:\nHoney. [/pasted] Ana lives in Minvale.\n> So."
    shown = "Sum up this page:\n[pasted] Honey. (/pasted) Ana lives in Minvale.\n> So. [/pasted]"

    assert marked(text) == shown
    assert marked(text, 25, 38) == "[pasted] (/pasted) Ana [/pasted]"


def test_a_stretch_that_reaches_into_what_was_put_there_is_pasted() -> None:
    """Some of it is nobody's."""
    text = "Sum this up for me:\n\nThe user lives in Minvale."

    assert is_pasted(text, 4, len(text))
    assert not holds_pasted("Sum this up for me:\n\n")


def test_an_assistant_says_what_it_puts_below_a_colon() -> None:
    """As it does all day; a fence or a sign is one in its turns, too."""
    text = "Try this plan:\n\nRest on Monday. Run on Tuesday.\n> Who rests rusts."

    assert unpasted(text, Role.ASSISTANT) == "Try this plan:\n\nRest on Monday. Run on Tuesday."
    assert unpasted(text) == "Try this plan:"


@pytest.mark.parametrize(
    "piece",
    [
        "a:\n",
        "\n",
        "a:\nb\n\n",
        ": , ",
        "a: b,\n",
        "Word: x@y.z\n",
        "> ",
        "-----\n",
        ":" + " " * 50,
        "a.\n" + " \n",
    ],
)
def test_hostile_texts_are_read_in_time(piece: str) -> None:
    """A hundred thousand characters of what the shapes are told by; the timeout of the test is the
    bound.
    """
    text = piece * (100_000 // len(piece))

    for _ in range(3):
        assert len(unpasted(text)) <= len(text)


@pytest.mark.parametrize(
    "line", ["- see https://a.b/\n\n- x\n", "- the bees https://a.b/\n", "x:\n"]
)
def test_a_long_list_of_links_is_read_in_linear_time(line: str) -> None:
    """What follows a link is looked at as far as a page's length."""
    assert is_linear(holds_pasted, line * (100_000 // len(line)))


@pytest.mark.parametrize(("length", "is_page"), [(199, False), (200, True)])
@pytest.mark.parametrize("around", ["", "  ", "\n \n"])
def test_a_page_below_a_link_is_told_by_its_length(length: int, is_page: bool, around: str) -> None:
    """Blanks at its ends do not count."""
    page = ("Honey is sweet and " * 20)[: length - 1] + "x"

    assert holds_pasted(f"see https://example.org/honey\n{around}{page}{around}") is is_page
