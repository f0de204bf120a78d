"""Names that are known, in texts that are made of some of what is known."""

from __future__ import annotations

import pytest

from omoide.grounding.known_names import KnownNames, names_known

KNOWN = ("person:Ana", "person:Omar", "person:Nadia", "place:Blue Mill", "thing:tea")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Omar eats no meat", ["Omar"]),
        ("Omar's harp is at the Blue Mill", ["Omar", "Blue Mill"]),
        ("The mill is blue", []),  # a name has capitals
        ("Anatomie ist schwer", []),  # another word that begins so
        ("Banana bread with tea", []),
    ],
)
def test_a_known_name_stands_as_a_word_with_a_capital(text: str, names: list[str]) -> None:
    """Up to an ending, all of its words."""
    assert names_known(text, KNOWN) == names


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("李明不吃肉", "李明"),
        ("민호는 고기를 먹지 않는다", "민호"),
        ("وسلمى لا تأكل اللحم", "سلمى"),
        ("उर्मिला मांस नहीं खाती", "उर्मिला"),
        ("Falkos Harfe", "Falko"),
        ("ნინოს ძმა არის ექიმი", "ნინო"),  # small letters, of which no capitals are written
    ],
)
def test_a_known_name_is_found_in_any_script(text: str, label: str) -> None:
    """With what is written onto it."""
    assert names_known(text, [f"person:{label}"]) == [label]


def test_a_name_of_one_character_stands_beside_no_other_ideograph() -> None:
    """健 stands in 健康, too; a single letter is no name."""
    assert names_known("健康です", ["person:健"]) == []
    assert names_known("弟の健は医者です", ["person:健"]) == ["健"]
    assert names_known("C is a language", ["thing:C"]) == []


SOURCES = ("Nadia eats no meat", "Omar plays the harp", "Ana lives in Porto")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Nadia is without meat", []),
        ("Omar eats no meat", ["Omar"]),  # what another source says
        ("Omar is a harpist", []),  # in other words, and no other source says that
        ("Otto eats no meat", []),  # nobody knows him
        ("Nadia eats no meat, Omar plays the harp", []),
        ("Nadia eats no meat, and there is Omar's harp", []),
        ("Ana", []),
        ("Blue Mill sells meat", ["Blue Mill"]),  # no source has it
    ],
)
def test_a_known_name_is_put_for_no_other(text: str, names: list[str]) -> None:
    """One that no source has, or that is told what another source tells of somebody else."""
    assert KnownNames(KNOWN, SOURCES).misplaced(text) == names


def test_where_nothing_is_known_no_name_is_misplaced() -> None:
    """As in a store without items."""
    assert KnownNames((), SOURCES).misplaced("Omar eats no meat") == []
