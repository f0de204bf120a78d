"""Recall by words alone, in languages other than English: own talks, each with fifty questions in
the talk's language.

The embedder in the package means something in English only; whoever speaks another language and has
no other model still has to be served. ``docs/measurements/languages.md`` has the figures.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from omoide.evals import QuestionOutcome, Report, Setup, load_dataset, run

DATA = Path(__file__).parent / "data"
LANGUAGES = sorted(path.stem.removeprefix("talk-") for path in DATA.glob("talk-*.jsonl"))
TOP, SHARE = 10, 0.95


def asked(report: Report, *, across: bool) -> list[QuestionOutcome]:
    """The questions asked in English about a talk in another language, or all the others."""
    return [
        outcome
        for outcome in report.run("default").outcomes
        if (outcome.category == "cross") is across
    ]


def share(outcomes: list[QuestionOutcome]) -> float:
    """The share of questions for which a right turn is among the first ten."""
    return sum(min(outcome.places, default=TOP + 1) <= TOP for outcome in outcomes) / len(outcomes)


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_alone_find_the_turn_in_any_language(
    language: str, store_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """For more than 95 % of the questions a right turn is among the first ten, without vectors."""
    report = run(
        load_dataset("probes", DATA / f"talk-{language}.jsonl"),
        Setup(embedder="none"),
        store=store_url,
    )

    own, across = asked(report, across=False), asked(report, across=True)
    with capsys.disabled():
        print(
            f"\n{language}: {share(own):.0%} of {len(own)}; asked in English {share(across):.0%} of"
            f" {len(across)}"
        )
    assert len(own) >= 50
    assert share(own) > SHARE


def test_there_are_six_languages_in_five_scripts() -> None:
    """So that no file is lost unnoticed."""
    assert LANGUAGES == ["ar", "de", "es", "hi", "ja", "zh"]
