"""Irregular forms: a search finds them by their base form, in twelve languages, in stores made before
too; what compares texts keeps them apart.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from omoide.grounding.carried import carries
from omoide.grounding.supported import support
from omoide.learning.outcome import shares_a_word
from omoide.memory import Memory
from omoide.store.sqlite.connections import ConnectionSettings, connected
from omoide.store.sqlite.engine import SqliteStore
from omoide.testing import an_item, memory_for_tests
from omoide.upkeep import words

FOUND_FIRST = 0.95
CASES = Path("tests/evals/data/forms.tsv").read_text(encoding="utf-8").splitlines()
LANGUAGES = sorted({line.partition("\t")[0] for line in CASES})


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_statement_is_found_first_by_the_base_form_of_its_verb(
    language: str, memory: Memory
) -> None:
    """Beside each statement stands a newer one of the same people and things with another verb."""
    cases = [line.split("\t")[1:] for line in CASES if line.startswith(f"{language}\t")]
    for _, statement, other in cases:
        memory.remember(statement)
        memory.remember(other)  # of equal hits the newer comes first

    missed = [
        (question, hits[0].text if hits else "")
        for question, statement, _ in cases
        if not (hits := memory.recall(question).hits) or hits[0].text != statement
    ]

    assert len(cases) >= 20
    assert len(missed) <= (1 - FOUND_FIRST) * len(cases), missed


def test_a_store_made_before_is_found_by_base_forms_after_tidying(tmp_path: Path) -> None:
    """Its words are made anew, once."""
    path = tmp_path / "memory.db"
    with memory_for_tests(SqliteStore.open(path)) as memory:
        told = memory.remember("Chloe broke the blue vase")
        memory.remember("Chloe painted the blue vase")
        memory.admin.tidy()
    with connected(ConnectionSettings(path=str(path)), writes=True) as db:
        db.execute("UPDATE docs SET own = replace(own, 'break', 'broke')")
        db.execute(
            "UPDATE meta SET value = 'words-3 snowball-3.1.1 unicode-14.0.0' WHERE key = ?",
            (words.KEY,),
        )

    with memory_for_tests(SqliteStore.open(path)) as memory:
        assert words.is_stale(memory.store)
        memory.admin.tidy()
        assert not words.is_stale(memory.store)
        assert memory.recall("What did Chloe break?").hits[0].id == told.id
        assert memory.admin.doctor() == []


def test_what_compares_texts_keeps_forms_apart() -> None:
    """*broke* is not what *breaks* says: neither grounds, carries nor closes the other."""
    assert support("Chloe broke", "Chloe breaks", "", people=("Chloe",)) == 0
    assert not carries(["Ada breaks"], "Ben broke")
    assert not shares_a_word("Ada broke it", an_item("Ben breaks it", id="one"), ())


def test_two_tenses_are_two_items(memory: Memory) -> None:
    """Remembering one does not reinforce the other."""
    memory.remember("Chloe broke vases")
    memory.remember("Chloe breaks vases")

    assert len(memory.recall("What does Chloe break?").hits) == 2
