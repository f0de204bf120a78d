"""A model that answers by chance, but always the same to the same question."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from hashlib import blake2b
from random import Random
from typing import Any

from omoide.models.chat.base import Ask, Purpose
from omoide.models.chat.scripted import ScriptedAnswer, ScriptedModel
from omoide.nouns.errors import ModelError

_SHOWN = re.compile(r"^(k\d+) \([-\d]+\) (.*)$", re.MULTILINE)
_NOTE = re.compile(r"^(\d+)\. (?:\(of [-\d]+\) )?(.*)$", re.MULTILINE)
_SAID = re.compile(r"^(\d+) (?:[^\n:]*): (.*)$", re.MULTILINE)
_LINE = re.compile(r"^- (.*)$", re.MULTILINE)
_MARK = re.compile(r"\b([a-z]\d+)\b")


def model() -> ScriptedModel:
    """The model. In every twelfth answer it fails or talks nonsense."""
    return ScriptedModel(_answer)


def _answer(ask: Ask) -> ScriptedAnswer:
    seed = blake2b(f"{ask.purpose}\0{ask.text}".encode("utf-8", "surrogatepass"), digest_size=8)
    chance = Random(seed.hexdigest())
    if ask.purpose is not Purpose.PING and chance.random() < 1 / 12:
        return chance.choice(_FAILURES)
    answer = _ANSWERS.get(ask.purpose)
    return {} if answer is None else answer(chance, ask)


def _extract(chance: Random, ask: Ask) -> Mapping[str, Any]:
    marks = _SHOWN.findall(ask.text)
    notes = [_note(chance, int(n), said) for n, said in _SAID.findall(ask.text)]
    for note in notes:
        if marks and chance.random() < 0.4:
            ref, was = chance.choice(marks)
            op = chance.choice(["update", "delete", "none", "add"])
            note |= {"op": op, "ref": ref, "was": was}
    return {"items": [note for note in notes if chance.random() < 0.7]}


def _note(chance: Random, turn: int, said: str) -> dict[str, Any]:
    return {
        "text": said if chance.random() < 0.7 else f"{said} in Porto, 42 times",
        "quote": said,
        "turn": turn,
        "category": chance.choice(["fact", "preference", "note", "reminder", "profile"]),
        "entities": chance.choice([[], ["person:Ana"], ["place:Zürich", "person:Ben"]]),
        "since": chance.choice(["", "", "2025-12-01"]),
        "due": chance.choice(["", "", "", "2026-02-01"]),
    }


def _decide(chance: Random, ask: Ask) -> Mapping[str, Any]:
    marks = _SHOWN.findall(ask.text)
    chosen = []
    for number, _ in _NOTE.findall(ask.text):
        ref, was = chance.choice(marks) if marks else ("k1", "")
        op = chance.choice(["add", "none", "update", "delete"])
        chosen.append({"note": int(number), "op": op, "ref": ref, "was": was})
    return {"decisions": chosen}


def _judge(chance: Random, ask: Ask) -> Mapping[str, Any]:
    words = ["yes", "yes", "partly", "no"]
    return {"verdicts": [{"note": n, "supported": chance.choice(words)} for n in range(1, 9)]}


def _reflect(chance: Random, ask: Ask) -> Mapping[str, Any]:
    return {
        "reflections": [
            {
                "level": chance.choice(["agent", "user", "session"]),
                "text": said,
                "quote": said,
                "turn": int(n),
            }
            for n, said in _SAID.findall(ask.text)
            if chance.random() < 0.6
        ]
    }


def _condense(chance: Random, ask: Ask) -> Mapping[str, Any]:
    return {"sections": [{"title": "PREFERENCES", "lines": _LINE.findall(ask.text)}]}


def _profile(chance: Random, ask: Ask) -> Mapping[str, Any]:
    return {"lines": [{"text": text, "from": [mark]} for mark, text in _SHOWN.findall(ask.text)]}


def _lesson(chance: Random, ask: Ask) -> Mapping[str, Any]:
    task = " ".join(re.findall(r"[a-z]{5,}", ask.text))[:60] or "anything"
    return {
        "name": task[:30],
        "when_to_use": f"when {task} is to be done",
        "discovery": f"{task} fails by itself, as was seen",
        "activation": f"Look first, because {task} fails else.",
        "steps": ["Look first"],
        "tags": chance.choice([[], ["non-inferable"], ["家"]]),
        "confidence": chance.choice([0.3, 0.8, 1]),
    }


def _answered(chance: Random, ask: Ask) -> Mapping[str, Any]:
    marks = _MARK.findall(ask.text)
    return {
        "held": chance.random() < 0.7,
        "answer": "Ana likes tea",
        "from": [chance.choice(marks)] if marks else [],
    }


def _reranked(chance: Random, ask: Ask) -> Mapping[str, Any]:
    marks = dict.fromkeys(_MARK.findall(ask.text))
    return {"scores": [{"text": mark, "score": chance.randint(0, 10)} for mark in marks]}


_FAILURES: list[ScriptedAnswer] = [
    "no JSON at all",
    "{}",
    '{"items": 5}',
    ModelError("overloaded"),
]
_ANSWERS: Mapping[Purpose, Callable[[Random, Ask], Mapping[str, Any]]] = {
    Purpose.EXTRACT: _extract,
    Purpose.DECIDE: _decide,
    Purpose.JUDGE: _judge,
    Purpose.REVISE: lambda *_: {"notes": []},
    Purpose.REFLECT: _reflect,
    Purpose.CONDENSE: _condense,
    Purpose.PROFILE: _profile,
    Purpose.LESSON: _lesson,
    Purpose.ANSWER: _answered,
    Purpose.RERANK: _reranked,
    Purpose.REPHRASE: lambda *_: {"question": "what does Ana drink?"},
    Purpose.DISTIL: lambda *_: {"summary": "Ana likes green tea."},
    Purpose.RECONCILE: lambda chance, _: {
        "verdict": chance.choice(["same", "reinforce", "contradict", "weaken", "neutral"])
    },
    Purpose.ANALYSE: lambda *_: {
        "proposals": [{"fact": "The user searches a lot", "rationale": "many searches"}]
    },
}
