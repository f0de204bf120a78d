"""LongMemEval: a haystack of sessions for each question, in the official form; and a sample with
one pool of sessions.

A question whose id ends in ``_abs`` has no answer in its haystack.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from omoide.evals.dataset import Case, DocumentUnit, Probe, first_moment
from omoide.nouns.session import Conversation
from omoide.nouns.turn import Message

ABSTAINS = "_abs"
POOL = "pool"


def cases(data: Any, unit: DocumentUnit) -> tuple[Case, ...]:
    """Each question, with its haystack, a case. By turns, only those whose turns are marked, or
    that have no answer.
    """
    made = (_case(instance, unit) for instance in data)
    return tuple(case for case in made if case.probes[0].gold or not case.probes[0].held)


def _case(instance: Any, unit: DocumentUnit) -> Case:
    sessions: dict[str, list[Message]] = {}
    marked: set[str] = set()
    parts = (instance[f"haystack_{part}"] for part in ("session_ids", "dates", "sessions"))
    for session, date, turns in zip(*parts, strict=True):
        said = sessions.setdefault(session, [])
        for turn in turns:
            key = f"{session}#{len(said)}"
            said.append(_message(turn["role"], turn["content"], _moment(date), key))
            marked |= {key} if turn.get("has_answer") else set()
    gold = (
        marked
        if unit is DocumentUnit.TURN
        else sessions.keys() & set(instance["answer_session_ids"])
    )
    name = instance["question_id"]
    right = frozenset[str]() if name.endswith(ABSTAINS) else frozenset(gold)
    return Case(
        id=name,
        talks=tuple(Conversation(id=s, messages=tuple(m)) for s, m in sessions.items()),
        probes=(_probe(name, instance["question"], instance, right),),
    )


def pool(data: Any) -> tuple[Case, ...]:
    """A sample that names its documents once: all sessions in one memory, every question asked of
    it.
    """
    talks = tuple(
        Conversation(id=d["id"], messages=tuple(_split(d["id"], d["text"])))
        for d in data["documents"]
    )
    known = frozenset(talk.id for talk in talks)
    asked: Sequence[Any] = data["queries"]
    probes = (
        _probe(query["id"], query["query"], query, known & set(query["gold"])) for query in asked
    )
    return (Case(id=POOL, talks=talks, probes=tuple(probe for probe in probes if probe.gold)),)


def _split(session: str, text: str) -> Iterator[Message]:
    for number, part in enumerate(re.split(r"\n(?=(?:user|assistant): )", text)):
        role, _, said = part.partition(": ")
        yield _message(role, said, None, f"{session}#{number}")


def _message(role: str, text: str, at: datetime | None, key: str) -> Message:
    return Message(text=text, role=role, speaker=role, at=at, key=key)  # type: ignore[arg-type]  # checked where it is logged


def _probe(id: str, text: str, told: Any, gold: frozenset[str]) -> Probe:
    held = not id.endswith(ABSTAINS)
    return Probe(
        id=id,
        text=text,
        category=told["question_type"],
        gold=gold,
        at=_moment(told.get("question_date", "")),
        held=held,
        apart=not held,
    )


def _moment(told: str) -> datetime | None:
    """``2023/05/20 (Sat) 02:21``, whatever the names of days are on this machine."""
    return first_moment(re.sub(r"(?<!\s)\s*\([^()]*\)", "", told), "%Y/%m/%d %H:%M")
