"""LoCoMo as published: a JSON list of conversations with sessions, turns, and questions with their
evidence.

A category is known by its number: repositories disagree about the names. Category 5 asks about what
was not said, in words that were; its questions are kept apart, and count as not held.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from omoide.evals.dataset import Case, DocumentUnit, Probe, first_moment
from omoide.nouns.item import Details
from omoide.nouns.session import Conversation
from omoide.nouns.turn import Message
from omoide.write.remember import Statement

ADVERSARIAL = 5
# several may stand in one text, and one is written D:11:26
_EVIDENCE = re.compile(r"D:?(\d+):(\d+)")


def cases(data: Any, unit: DocumentUnit) -> tuple[Case, ...]:
    """Each conversation a case."""
    return tuple(_case(sample, unit) for sample in data)


def observations(sample: Any) -> Iterator[tuple[str, str, frozenset[str]]]:
    """What annotators noted of a conversation: the session, the text, and the turns that say it,
    where they are told.
    """
    for name, by_speaker in sample["observation"].items():
        number = re.fullmatch(r"session_(\d+)_observation", name)
        if number is None:
            continue
        for text, evidence in (pair for pairs in by_speaker.values() for pair in pairs):
            told = evidence if isinstance(evidence, str) else " ".join(evidence)
            yield f"D{number[1]}", text, frozenset(re.findall(r"D\d+:\d+", told))


def _noted(sample: Any) -> Case:
    """The notes of a conversation as items, without the conversation; a question's answer stands in
    those of its evidence.
    """
    talks = _talks(sample["conversation"])
    began = {talk.id: talk.messages[0].at for talk in talks if talk.messages}
    statements, by_turn = [], dict[str, set[str]]()
    for number, (session, text, turns) in enumerate(observations(sample)):
        said = Statement(text=text, details=Details(valid_from=began.get(session)))
        statements.append((f"n{number}", said))
        for turn in turns:
            by_turn.setdefault(turn, set()).add(f"n{number}")
    probes = (
        replace(probe, gold=frozenset(id for turn in probe.gold for id in by_turn[turn]))
        for probe in _probes(sample["qa"], DocumentUnit.TURN, frozenset(by_turn))
    )
    return Case(id=sample["sample_id"], statements=tuple(statements), probes=tuple(probes))


def _case(sample: Any, unit: DocumentUnit) -> Case:
    if unit is DocumentUnit.ITEM:
        return _noted(sample)
    talks = tuple(_talks(sample["conversation"]))
    if unit is DocumentUnit.SESSION:
        known = frozenset(talk.id for talk in talks)
    else:
        known = frozenset(str(message.key) for talk in talks for message in talk.messages)
    return Case(
        id=sample["sample_id"], talks=talks, probes=tuple(_probes(sample["qa"], unit, known))
    )


def _talks(conversation: Any) -> Iterator[Conversation]:
    numbers = sorted(
        int(found[1]) for name in conversation if (found := re.fullmatch(r"session_(\d+)", name))
    )
    for number in numbers:
        at = first_moment(conversation[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y")
        messages = (
            Message(text=_told(turn), speaker=turn["speaker"], at=at, key=turn["dia_id"])
            for turn in conversation[f"session_{number}"]
        )
        yield Conversation(id=f"D{number}", messages=tuple(messages))


def _told(turn: Any) -> str:
    caption = turn.get("blip_caption")
    return f"{turn['text']} [shares an image: {caption}]" if caption else str(turn["text"])


def _probes(questions: Any, unit: DocumentUnit, known: frozenset[str]) -> Iterator[Probe]:
    """The questions with evidence among the documents."""
    for number, asked in enumerate(questions):
        places = [place for told in asked.get("evidence", ()) for place in _EVIDENCE.findall(told)]
        ids = (
            f"D{int(session)}" if unit is DocumentUnit.SESSION else f"D{int(session)}:{int(turn)}"
            for session, turn in places
        )
        if gold := known.intersection(ids):
            apart = asked["category"] == ADVERSARIAL
            yield Probe(
                id=str(number),
                text=asked["question"],
                category=str(asked["category"]),
                gold=gold,
                held=not apart,
                apart=apart,
            )
