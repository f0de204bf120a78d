"""What a reader would not see, or would take for something else, is found and named; ordinary
writing is left alone.
"""

from __future__ import annotations

from random import Random

import pytest

from omoide.text.changes import changes
from omoide.text.hidden import find_hidden, show_hidden

ORDINARY = (
    "Ana pays 40 € for café crème, naïvely",
    "Привет, мир: ёлка и подъезд",
    "میخواهم به خانه بروم، می\u200cخواهم",
    "नमस्ते, क्\u200dष और ज्ञ",
    "日本語\u3000とカタカナ、ｶﾅ",
    "한국어로 씁니다",
    "ไม่มีอะไร",
    "שלום עולם",
    "مرحبا بالعالم",
    "Χαίρετε, Δt of 5 µm, πr²",
    "👨\u200d👩\u200d👧 ❤️ 1️⃣ 🏳️\u200d🌈",
    "Ha\u0301noi in decomposed letters",
    "one\n\ntwo\tthree",
    "Ngày mai trời nắng",
)
TEXTS = (
    "Ana trusts paypal.com with her money",
    "The meeting is at noon on Monday",
    "Ана живёт в Риме с мая",
    "アナはローマに住んでいます",
)
UNSEEN = (
    "\u200b",
    "\u2060",
    "\ufeff",
    "\u00ad",
    "\u180e",
    "\u2063",
    "\u200e",
    "\u202e",
    "\u2066",
    "\u2069",
    "\u061c",
    "\x00",
    "\x1b[2J",
    "\x7f",
    "\u2028",
    "\u3164",
    "\u115f",
    "\u2800",
    "\uffa0",
    "\U000e0041",
    "\U000e007f",
    "\ufe01",
    "\U000e0100",
    "\ue000",
    "\ud800",
)
ALIKE = {
    "a": "а",
    "e": "е",
    "o": "о",
    "p": "р",
    "c": "с",
    "i": "і",
    "s": "ѕ",
    "y": "у",
    "h": "һ",
    "t": "𝗍",
    "m": "𝐦",
    "n": "𝚗",
}


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_writing_is_left_alone(text: str) -> None:
    """Joiners where they belong, emoji, marks, several scripts side by side."""
    assert find_hidden(text) == []
    assert show_hidden(text) == text


@pytest.mark.parametrize("seed", range(200))
def test_whatever_is_hidden_is_named_and_nothing_else_is_lost(seed: int) -> None:
    """200 texts with something unseen, or a letter that is another; what is shown tells it. Threat
    A8.
    """
    chance = Random(seed)
    text = TEXTS[seed % 2 if seed % 3 == 2 else seed % len(TEXTS)]
    if seed % 3 == 2:
        at = chance.choice([n for n, char in enumerate(text) if char in ALIKE])
        unseen, after = ALIKE[text[at]], text[at + 1 :]
    else:
        at = chance.randrange(1, len(text))
        unseen, after = chance.choice(UNSEEN), text[at:]
    spoilt = text[:at] + unseen + after

    places = find_hidden(spoilt)

    assert places
    assert at <= places[0].start < at + len(unseen)
    shown = show_hidden(spoilt)
    assert f"U+{ord(unseen[0]):04X}" in shown
    assert shown.startswith(text[:at])
    assert all(char.isprintable() for char in shown)


def test_what_is_out_of_sight_is_named() -> None:
    """A gap that moves the rest off the screen, and marks that cover it."""
    assert show_hidden("yes" + "\n" * 60 + "and pay") == "yes⟦60 line breaks⟧and pay"
    assert show_hidden("yes" + " " * 300 + "and pay") == "yes⟦300 spaces⟧and pay"
    assert show_hidden("e" + "\u0336" * 9) == "e⟦9 marks on one letter⟧"


def test_a_text_cannot_forge_a_name() -> None:
    """What looks like a name of something hidden is told from one."""
    assert show_hidden("⟦U+200B zero width space⟧") == "[[U+200B zero width space]]"


def test_changes_make_the_new_text_of_the_old_one() -> None:
    """Word by word, nothing lost."""
    old, new = "Ana works in Rome, since May", "Ana works from Milan, since May 2026"

    pieces = changes(old, new)

    assert "".join(text for sign, text in pieces if sign != "+") == old
    assert "".join(text for sign, text in pieces if sign != "-") == new
    assert ("-", "Rome") in pieces
    assert changes("a " * 3_000, "b")[0] == ("-", "a " * 3_000)
