"""LoCoMo as published: a JSON list of conversations with sessions, turns, and questions with their evidence.

A category is known by its number: repositories disagree about the names. Category 5 asks about what was not said,
in words that were; its questions are kept apart, and count as not held.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from omoide.evals.dataset import Case, Probe, Unit, first_moment
from omoide.records import Conversation, Message

ADVERSARIAL = 5
_EVIDENCE = re.compile(r"D:?(\d+):(\d+)")  # several may stand in one text, and one is written D:11:26


def cases(data: Any, unit: Unit) -> tuple[Case, ...]:
    """Each conversation a case."""
    return tuple(_case(sample, unit) for sample in data)


def _case(sample: Any, unit: Unit) -> Case:
    talks = tuple(_talks(sample["conversation"]))
    if unit is Unit.SESSION:
        known = frozenset(talk.id for talk in talks)
    else:
        known = frozenset(str(message.key) for talk in talks for message in talk.messages)
    return Case(id=sample["sample_id"], talks=talks, probes=tuple(_probes(sample["qa"], unit, known)))


def _talks(conversation: Any) -> Iterator[Conversation]:
    numbers = sorted(int(found[1]) for name in conversation if (found := re.fullmatch(r"session_(\d+)", name)))
    for number in numbers:
        at = first_moment(conversation[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y")
        messages = (
            Message(text=_told(turn), speaker=turn["speaker"], at=at, key=turn["dia_id"]) for turn in conversation[f"session_{number}"]
        )
        yield Conversation(id=f"D{number}", messages=tuple(messages))


def _told(turn: Any) -> str:
    caption = turn.get("blip_caption")
    return f"{turn['text']} [shares an image: {caption}]" if caption else str(turn["text"])


def _probes(questions: Any, unit: Unit, known: frozenset[str]) -> Iterator[Probe]:
    """The questions with evidence among the documents."""
    for number, asked in enumerate(questions):
        places = [place for told in asked.get("evidence", ()) for place in _EVIDENCE.findall(told)]
        ids = (f"D{int(session)}" if unit is Unit.SESSION else f"D{int(session)}:{int(turn)}" for session, turn in places)
        if gold := known.intersection(ids):
            apart = asked["category"] == ADVERSARIAL
            yield Probe(id=str(number), text=asked["question"], category=str(asked["category"]), gold=gold, held=not apart, apart=apart)
