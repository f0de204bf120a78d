"""What verbs give is a list of what is in it, prints as a person reads it, and becomes JSON."""

from __future__ import annotations

import json
from dataclasses import is_dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, get_args

import pytest
from typer.testing import CliRunner

from omoide import Diff, History, Hit, Item, Page, Recall, Turn
from omoide.memory import Memory
from omoide.nouns.clock import FixedClock
from omoide.nouns.record import Record
from omoide.nouns.record.lines import legible, one_line
from omoide.nouns.turn import Message
from omoide.tables.listing import Listing
from omoide.verbs.groups import VERBS
from tests.fix_memory import NINE, on_sqlite


@pytest.fixture
def told(memory: Memory, clock: FixedClock) -> Memory:
    """An item with two versions, and another."""
    tea = memory.remember("Ana likes green tea")
    clock.move(days=1)
    memory.correct(tea.id, "Ana likes black tea")
    memory.remember("Ana likes white wine")
    return memory


@on_sqlite
def test_a_recall_is_a_list_of_its_hits(told: Memory) -> None:
    """It is looped over, indexed, measured and tested as the hits are."""
    recall = told.recall("What does Ana like?")

    assert [hit.id for hit in recall] == [hit.id for hit in recall.hits]
    assert recall[0] is recall.hits[0]
    assert recall[:1] == recall.hits[:1]
    assert recall[-1] in recall
    assert len(recall) == 2
    assert recall
    assert not told.recall("Quidditch", limit=3)


@on_sqlite
def test_pages_and_histories_are_lists_of_items(told: Memory) -> None:
    """A page and an item's versions are looped over likewise; an empty one is false."""
    page = told.items.list()
    past = told.history(page[0].id)

    assert list(page) == list(page.items)
    assert [version.text for version in past] == [item.text for item in past.items]
    assert not told.items.list(Listing(category="note"))


@on_sqlite
def test_a_diff_without_changes_is_false(told: Memory) -> None:
    """And one with some is true, though it is no list."""
    assert told.diff(NINE - timedelta(days=1))
    assert not told.diff(told.clock.now() + timedelta(days=1), told.clock.now() + timedelta(days=2))


@on_sqlite
def test_results_print_as_people_read_them(told: Memory) -> None:
    """One line for each record, with its id; what is empty says so."""
    recall = told.recall("black tea")
    item = recall[0]
    diff = told.diff(NINE - timedelta(days=1))

    assert str(recall).startswith("1. Ana likes black tea (item, ")
    assert item.id in str(recall)
    assert str(told.recall("Quidditch")).startswith("no hits")
    assert str(told.items.list()).endswith("\n1 to 2 of 2")
    assert "Ana likes green tea (fact, " in str(told.history(item.id))
    assert "+ Ana likes black tea (fact, " in str(diff)


@on_sqlite
def test_what_a_verb_did_prints_in_words(told: Memory, tmp_path: Path) -> None:
    """What was stored, erased, checked and tidied, and why something was not found."""
    logged = told.ingest([{"role": "user", "content": "My password is hunter2-Xy9."}])
    wine = told.remember("Ana likes white wine")
    near = told.remember("Ana likes white wine from Lisbon")
    receipt = told.forget(wine.id, preview=True)

    assert str(logged) == f"1 turn added to session {logged.session}, 1 secret masked"
    assert str(wine) == f"reinforced: Ana likes white wine (fact, {wine.id})"
    assert str(near).startswith("added: Ana likes white wine from Lisbon (fact, ")
    assert str(receipt) == "would erase 1 item"
    assert str(told.why_not("tea", "nothing")).startswith("scope: there is no record 'nothing'")
    assert str(told.admin.verify()).startswith("the ledger is whole, ends at ")
    assert str(told.admin.tidy(only=["decay"])) == "decay: nothing"
    assert "records in" in str(told.admin.export(tmp_path / "ana.jsonl", everything=True))


@on_sqlite
def test_printed_text_moves_no_terminal(memory: Memory) -> None:
    """A line has no escape sequence, hidden character or line break, and an end."""
    memory.remember(text="black\u202e \x1b[31mtea\nand\u2028milk " + "x" * 500)
    printed = str(memory.recall("black tea"))

    assert len(printed.splitlines()) == 1
    assert "\x1b" not in printed
    assert "\u202e" not in printed
    assert len(printed) < 400


@on_sqlite
def test_results_become_json(told: Memory) -> None:
    """Every field, as plain JSON holds it."""
    recall = told.recall("What does Ana like?")
    results: list[Recall | Page | History | Diff | Hit | Item] = [
        recall,
        recall[0],
        told.items.list(),
        told.items.list()[0],
        told.history(recall[0].id),
        told.diff(NINE),
    ]

    for result in results:
        assert json.loads(json.dumps(result.to_dict())) == result.to_dict()
    assert recall.to_dict()["hits"][0]["item"]["text"] == recall[0].text
    assert recall.to_dict()["hits"][0]["at"] == recall[0].at.isoformat()


def test_the_command_line_prints_what_to_dict_gives(tmp_path: object) -> None:
    """``recall --json`` and ``Recall.to_dict`` have the same fields."""
    from omoide.cli import app

    store = f"{tmp_path}/x.db"
    with Memory.open(store, home=str(tmp_path), user="ana") as memory:
        memory.remember("Ana likes black tea")
        mine = memory.recall("black tea").to_dict()
    printed = CliRunner().invoke(
        app,
        ["--store", store, "--user", "ana", "recall", "black tea", "--json"],
        env={"OMOIDE_HOME": str(tmp_path)},
    )

    answer = json.loads(printed.stdout)
    assert answer.keys() == mine.keys()
    assert answer["hits"][0]["item"].keys() == mine["hits"][0]["item"].keys()
    assert answer["hits"][0]["at"] == mine["hits"][0]["at"]


@pytest.mark.parametrize(
    ("text", "line"),
    [("a\x00b", "a b"), ("a\tb", "a b"), ("नम\u200dस्ते", "नम\u200dस्ते"), ("x" * 9, "xxxx…")],
)
def test_a_line_is_legible(text: str, line: str) -> None:
    """Controls become spaces, joiners stay, what is long is cut."""
    assert one_line(text, 5 if len(text) == 9 else 80) == line
    assert legible("a\nb") == "a\nb"


def test_a_turn_prints_who_said_it(memory: Memory) -> None:
    """By name, or by role where nobody is named."""
    session = memory.ingest([Message(text="Black tea", speaker="Ana")]).session
    turn: Turn = memory.sessions.turns(session)[0]

    assert str(turn) == f"Ana: Black tea ({turn.id})"


def records_in(hint: Any) -> set[type]:
    """The records that a verb's result may be, or be a list of."""
    inner = {kind for part in get_args(hint) for kind in records_in(part)}
    return inner | ({hint} if isinstance(hint, type) and is_dataclass(hint) else set())


def test_every_record_that_a_verb_gives_becomes_json() -> None:
    """None is an object that a program would have to take apart itself."""
    given = {kind for verb in VERBS for kind in records_in(verb.hints["return"])}

    assert {kind.__name__ for kind in given if not issubclass(kind, Record)} == set()
    assert len(given) > 30


@on_sqlite
def test_a_record_is_shown_without_what_is_at_its_default(told: Memory) -> None:
    """So that it fits a line of a debugger; times and members of enumerations are readable."""
    item = told.items.list(Listing(limit=1))[0]
    shown = repr(item)

    assert shown.startswith(f"Item(id={item.id!r}, ")
    assert f"category='fact', text={item.text!r}, created_at={item.created_at.isoformat()}" in shown
    assert "None" not in shown
    assert "metadata" not in shown
    assert repr(told.items.edit(item.id, tags=["tea"])).count("tags=('tea',)") == 1


@on_sqlite
def test_a_notebook_shows_a_result_as_it_is_printed(told: Memory) -> None:
    """Not every field of every hit."""

    class Printer:
        said = ""

        def text(self, text: str) -> None:
            self.said += text

    printer, recall = Printer(), told.recall("black tea")
    recall._repr_pretty_(printer, cycle=False)

    assert printer.said == str(recall)
