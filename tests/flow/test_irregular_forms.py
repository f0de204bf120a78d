"""Irregular forms: a search finds them by their base form, in twelve languages; what compares texts
keeps them apart.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from omoide.memory import Memory

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
