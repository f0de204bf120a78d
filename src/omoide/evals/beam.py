"""BEAM as published: a folder for each chat, with ``chat.json`` and ``probing_questions.json``.

The documents are messages; the right ones are a probing question's source messages, however these
are grouped. Questions of the category ``abstention`` have no answer in the chat; others without
sources are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from omoide.evals.dataset import Case, Probe, first_moment
from omoide.nouns.session import Conversation
from omoide.nouns.turn import Message

ABSTENTION = "abstention"


def case(name: str, chat: Any, questions: Any) -> Case:
    """One chat with its questions."""
    return Case(id=name, talks=tuple(map(_talk, chat)), probes=tuple(_probes(questions)))


def _talk(batch: Any) -> Conversation:
    said = [message for turn in batch["turns"] for message in turn]
    anchors = (batch.get("time_anchor"), *(message.get("time_anchor") for message in said))
    at = next(
        (moment for anchor in anchors if anchor and (moment := first_moment(anchor, "%B-%d-%Y"))),
        None,
    )
    messages = (
        Message(text=m["content"], role=m["role"], speaker=m["role"], at=at, key=str(m["id"]))
        for m in said
    )
    return Conversation(id=f"batch-{batch['batch_number']}", messages=tuple(messages))


def _probes(questions: Mapping[str, Any]) -> Iterator[Probe]:
    for category, asked in questions.items():
        for number, question in enumerate(asked):
            gold = frozenset(_ids(question.get("source_chat_ids")))
            absent = category == ABSTENTION
            if gold or absent:
                yield Probe(
                    id=f"{category}-{number}",
                    text=question["question"],
                    category=category,
                    gold=frozenset() if absent else gold,
                    held=not absent,
                    apart=absent,
                )


def _ids(told: Any) -> Iterator[str]:
    if isinstance(told, Mapping):
        told = list(told.values())
    if isinstance(told, list):
        for part in told:
            yield from _ids(part)
    elif told is not None:
        yield str(told)
