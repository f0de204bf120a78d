"""Retrieval on real conversations is the same on both engines: LoCoMo, ingested and asked through the public verbs.

The data is not part of the repository: ``OMOIDE_EVAL_DATA`` names the folder that holds
``locomo/locomo-dev.json.gz``. One conversation in every run, all of them with ``OMOIDE_TORTURE=full``.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from omoide.memory import Memory
from omoide.models import load_embedder
from omoide.records import Conversation, Kind, Message, Query, Scope
from omoide.store import open_store

FILE = Path(os.environ.get("OMOIDE_EVAL_DATA", "")) / "locomo" / "locomo-dev.json.gz"
FULL = os.environ.get("OMOIDE_TORTURE") == "full"
ADVERSARIAL = 5  # questions of this category have no evidence
TOP = 10


class Asked(NamedTuple):
    """A question, the turns that hold its evidence, and what each engine found."""

    text: str
    evidence: frozenset[str]


def conversations() -> list[dict[str, Any]]:
    """The conversations as published; those of this run."""
    everything: list[dict[str, Any]] = json.loads(gzip.decompress(FILE.read_bytes()))
    return everything if FULL else everything[:1]


def talks_of(sample: dict[str, Any]) -> list[Conversation]:
    """Its sessions in order. A turn's key is its id in the data; a picture is told by its caption."""
    sessions = sorted((int(m[1]), name) for name in sample["conversation"] if (m := re.fullmatch(r"session_(\d+)", name)))
    talks = []
    for number, name in sessions:
        said = tuple(
            Message(
                text=turn["text"] + (f" [shares an image: {turn['blip_caption']}]" if turn.get("blip_caption") else ""),
                speaker=turn["speaker"],
                at=datetime.strptime(sample["conversation"][f"{name}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC),
                key=turn["dia_id"],
            )
            for turn in sample["conversation"][name]
        )
        talks.append(Conversation(id=f"{sample['sample_id']}-{number}", messages=said))
    return talks


def questions_of(sample: dict[str, Any], known: frozenset[str]) -> list[Asked]:
    """Its questions that have evidence among the turns; several ids may stand in one text."""
    asked = []
    for question in sample["qa"]:
        found = (re.findall(r"\d+", m) for e in question.get("evidence", []) for m in re.findall(r"D:?\d+:\d+", e))
        evidence = frozenset(f"D{int(session)}:{int(turn)}" for session, turn in found) & known
        if question["category"] != ADVERSARIAL and evidence:
            asked.append(Asked(question["question"], evidence))
    return asked


def found_by(url: str, samples: list[dict[str, Any]]) -> list[tuple[Asked, list[str]]]:
    """What an engine finds for each question, by the ids of the data, best first."""
    found = []
    with Memory(open_store(url), embedder=load_embedder("static"), background=False, spec="static") as memory:
        for sample in samples:
            scope = Scope(user=sample["sample_id"])
            ids: dict[str, str] = {}
            for talk in talks_of(sample):
                logged = memory.ingest(talk, scope)
                said = [message for message in talk.messages if message.text.strip()]
                ids |= {turn: str(message.key) for turn, message in zip(logged.turns, said, strict=True)}
            memory.tidy()
            for asked in questions_of(sample, frozenset(ids.values())):
                hits = memory.recall(Query(text=asked.text, kinds=frozenset({Kind.TURN})), scope, limit=TOP).hits
                found.append((asked, [ids[hit.id] for hit in hits]))
    return found


def recall_at_ten(found: list[tuple[Asked, list[str]]]) -> float:
    """The share of the evidence turns among the hits, averaged over the questions, in percent."""
    return 100 * sum(len(asked.evidence & set(hits)) / len(asked.evidence) for asked, hits in found) / len(found)


@pytest.mark.skipif(not FILE.is_file(), reason=f"no {FILE.name}: set OMOIDE_EVAL_DATA to the folder that holds locomo/")
@pytest.mark.timeout(1_200)
def test_both_engines_find_the_same_in_real_conversations(postgres_url: str, capsys: pytest.CaptureFixture[str]) -> None:
    """R@10 within one point; of the ten best turns nine or more in common, on average and for 99 of 100 questions."""
    samples = conversations()

    sqlite, postgres = found_by(":memory:", samples), found_by(postgres_url, samples)

    common = [len(set(one) & set(other)) for (_, one), (_, other) in zip(sqlite, postgres, strict=True)]
    sizes = [max(len(one), len(other)) for (_, one), (_, other) in zip(sqlite, postgres, strict=True)]
    alike = sum(c >= size - 1 for c, size in zip(common, sizes, strict=True)) / len(common)
    data = hashlib.sha256(FILE.read_bytes()).hexdigest()[:12]
    with capsys.disabled():
        print(  # noqa: T201
            f"\nLoCoMo turns, {len(samples)} conversations, n={len(common)}, data {data}: R@10 "
            f"{recall_at_ten(sqlite):.1f} / {recall_at_ten(postgres):.1f}, in common {sum(common) / len(common):.2f}, alike {alike:.1%}"
        )
    assert abs(recall_at_ten(sqlite) - recall_at_ten(postgres)) <= 1
    assert sum(common) / len(common) >= 9
    assert alike >= 0.99
