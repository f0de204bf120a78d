"""Which items are nearest to a text, without a look at each of them."""

from __future__ import annotations

from omoide.forgetting.nearby import FEW, MOST, Nearby
from omoide.nouns.item import Item
from omoide.testing import an_item


def word(number: int) -> str:
    """A word that no other number has, and no stem of one."""
    return "".join("bdfgklmnprtz"[int(digit)] + "o" for digit in f"{number:04}") + "k"


def items(count: int) -> list[Item]:
    """Items of two words, of which four share the second."""
    texts = (f"{word(n)} {word(9_000 + n // 4)}" for n in range(count))
    return [an_item(text, id=f"i{n:04}") for n, text in enumerate(texts)]


def test_few_that_fit_are_all_near() -> None:
    """In their order, whatever they say."""
    known = items(500)
    chosen = {one.id for one in known[::10]}

    assert Nearby(known).near("nothing", lambda one: one.id in chosen) == known[::10]


def test_of_many_those_with_the_most_words_in_common_are_near() -> None:
    """And no more than are compared when something is remembered."""
    known = items(500)

    assert Nearby(known).near(known[7].text, lambda one: True) == known[4:8]


def test_not_every_item_is_looked_at() -> None:
    """Else forgetting a source of many items would take the square of their number."""
    asked: list[str] = []

    def fits(one: Item) -> bool:
        asked.append(one.id)
        return True

    known = items(5_000)
    Nearby(known).near(known[7].text, fits)

    assert len(asked) <= FEW + 1 + MOST
