"""A long text is found and shown by its best passage."""

from __future__ import annotations

import pytest

from omoide.memory import Memory
from omoide.nouns.item import Item
from omoide.nouns.query import Query
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Message, Turn
from omoide.text.passages import part_span, turn_parts
from omoide.text.tokens import count_tokens
from tests.fix_memory import ANA

FILLER = "We walked along the river and talked about nothing in particular. " * 60
LONG = f"{FILLER}The boiler needs its filter changed every March. {FILLER}"


def the_turn(memory: Memory, text: str = LONG) -> Turn:
    """The turn of that text, logged."""
    logged = memory.ingest([Message(text=text)])
    memory.admin.tidy()
    turn = memory.get(logged.turns[0])
    assert isinstance(turn, Turn)
    return turn


def test_a_long_turn_is_shown_by_its_best_passage(memory: Memory) -> None:
    """With where it stands in the whole; the turn itself stays as it is."""
    turn = the_turn(memory)

    hit = memory.recall("When is the boiler filter changed?").hits[0]

    assert "changed every March" in hit.text
    assert hit.passage is not None
    assert turn.text[hit.passage.start : hit.passage.end] == hit.text
    assert hit.passage.total == len(LONG)
    assert hit.tokens == count_tokens(hit.text) <= 400
    assert hit.turn is not None
    assert hit.turn.text == hit.text


def test_what_is_short_is_shown_whole(memory: Memory) -> None:
    """Without a passage."""
    memory.remember("The boiler needs its filter changed every March")

    assert memory.recall("boiler").hits[0].passage is None


@pytest.mark.parametrize("tokens", [8, 40, 1_000, None])
def test_how_much_of_a_long_text_is_shown_can_be_asked_for(
    tokens: int | None, memory: Memory
) -> None:
    """So many tokens at most, or all of it."""
    the_turn(memory)

    hit = memory.recall(Query(text="boiler filter March", passage_tokens=tokens)).hits[0]

    assert hit.tokens <= tokens if tokens else hit.text == LONG
    assert "filter" in hit.text


@pytest.mark.parametrize("budget", [12, 30, 200])
def test_the_best_hit_is_cut_to_the_budget(budget: int, memory: Memory) -> None:
    """Not left out; and that it is cut is said."""
    the_turn(memory)

    answer = memory.recall(Query(text="boiler filter March", budget_tokens=budget))

    assert [hit.tokens <= budget for hit in answer.hits] == [True]
    assert "filter" in answer.hits[0].text
    assert answer.hits[0].passage is not None
    assert LONG[answer.hits[0].passage.start :].startswith(answer.hits[0].text)
    assert answer.degraded[0].startswith("budget: the best hit is cut to ")


def test_a_long_item_is_shown_by_its_best_passage(memory: Memory) -> None:
    """As a turn is."""
    made = memory.remember(LONG)

    hit = memory.recall("boiler filter").hits[0]

    assert "every March" in hit.text
    assert hit.tokens <= 400
    whole = memory.get(made.id)
    assert isinstance(whole, Item)
    assert whole.text == LONG


@pytest.mark.parametrize(
    "text",
    [
        "河邊散步說些閒話。" * 600 + "鍋爐的濾網每年三月更換。" + "河邊散步說些閒話。" * 600,
        "x" * 9_000 + " boiler filter " + "y" * 9_000,
        "😀" * 9_000 + " boiler filter",
    ],
)
def test_any_text_is_cut_to_size(text: str, memory: Memory) -> None:
    """In any script, and where no blank is near."""
    the_turn(memory, text)

    hits = memory.recall("boiler filter 鍋爐的濾網").hits

    assert hits[0].tokens <= 400
    assert "filter" in hits[0].text or "濾網" in hits[0].text


def test_a_turn_of_a_megabyte_is_a_hit_like_others(memory: Memory) -> None:
    """Its hit is small, in Python and as JSON."""
    the_turn(memory, FILLER * 250 + LONG)

    answer = memory.recall("When is the boiler filter changed?")

    assert "every March" in answer.hits[0].text
    assert sum(hit.tokens for hit in answer.hits) <= 400
    assert len(str(answer.to_dict())) < 20_000


@pytest.mark.parametrize("between", range(0, 1_900, 100))
def test_no_code_is_shown_whose_name_is_cut_off(between: int, memory: Memory) -> None:
    """What is hidden in the whole text is hidden in each of its passages."""
    text = (
        "garden wall "
        + "and so on and so on " * (between // 20)
        + f"my garage code is 5512, lamp {'and on ' * 400}"
    )
    the_turn(memory, text)

    shown = [
        hit
        for question in ("garden wall", "lamp", "5512", "garage code")
        for tokens in (8, 12, 16, 40, 400)
        for hit in memory.recall(Query(text=question, passage_tokens=tokens)).hits
    ]

    assert len(shown) == 20
    assert all("5512" not in hit.text for hit in shown)
    assert all(hit.turn is not None and "5512" not in hit.turn.text for hit in shown)


def test_parts_are_where_their_spans_say() -> None:
    """Joined they are the text."""
    parts = turn_parts(LONG)

    assert [LONG[slice(*part_span(LONG, n))] for n in range(len(parts))] == parts
    assert "".join(parts) == LONG


def test_marks_of_masked_secrets_move_with_the_passage(memory: Memory) -> None:
    """Those outside it are no marks of it."""
    secret = "my password is hunter2!x"
    the_turn(memory, f"{secret}. {FILLER} The boiler: {secret}. {FILLER}")

    hit = memory.recall(
        Query(text="boiler password", passage_tokens=60), Scope(user=ANA.user)
    ).hits[0]

    assert hit.turn is not None
    assert [hit.text[m.start : m.end] for m in hit.turn.masks] == ["[secret: password]"]
