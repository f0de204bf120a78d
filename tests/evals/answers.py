"""A model that answers from records of ``data/learning``: what it notes of a talk, what it says on
a second look, how it judges notes, and what it decides on them.

The answers were written before anybody who wrote them had read the rules of learning. Notes are
found by their text, so that a question's own numbers and marks are answered in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

from omoide.models.chat.base import Ask
from omoide.models.chat.scripted import ScriptedModel

DATA = Path(__file__).parent / "data" / "learning"
Note = dict[str, Any]
Record = dict[str, Any]
Merging = Literal["whole", "mends", "insists"]

TURN = re.compile(r"^(\d+) [^:\n]*: ?(.*(?:\n(?!\d+ |# |earlier |Known).*)*)", re.MULTILINE)
KNOWN = re.compile(r"^(k\d+) \(\S+\) (.*)$", re.MULTILINE)
NEW = re.compile(r"^(\d+)\. (?:\(of \S+\) )?(.*)$", re.MULTILINE)
LOST = re.compile(r"^Lost in the text of note (\d+)", re.MULTILINE)
REVISED = re.compile(r"^(\d+)\. (?:said|message) .*?^ *note: (.*?)$", re.MULTILINE | re.DOTALL)
JUDGED = re.compile(r"^(\d+)\. \"(.*?)\" [–-] note: (.*)$", re.MULTILINE)
MASK = re.compile(r"\[secret: [a-z-]+\]")
PASTED = re.compile(r"\[/?pasted\]")


def records(name: str) -> list[Record]:
    """The records of a file."""
    lines = (DATA / f"{name}.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


@dataclass(kw_only=True, slots=True)
class Spoken:
    """A note as a model makes it, with all that it and a judge say of it later.

    decision: ``op``, with ``was`` and ``text`` of an update; ``of``: the texts of what it may mean.
    lossy: the text of an update that forgets something.
    """

    note: Note
    verdict: Mapping[str, Any]
    second_look: Mapping[str, Any] = field(default_factory=dict)
    decision: Mapping[str, Any] | None = None
    of: tuple[str, ...] = ()
    lossy: str = ""

    @property
    def text(self) -> str:
        """What it says."""
        return str(self.note["text"])


class Player:
    """Answers about the notes that it was given, whatever it is asked first.

    stubborn: it sees no mistake on a second look. decides: whether it decides at all. merging:
    whether the text of an update is whole at once, when asked again, or never.
    """

    def __init__(
        self, *, stubborn: bool = False, decides: bool = True, merging: Merging = "whole"
    ) -> None:
        self._stubborn, self._decides, self._merging = stubborn, decides, merging
        self._spoken: dict[str, Spoken] = {}
        self._answers: dict[str, Callable[[Ask], dict[str, Any]]] = {
            "extract": self._extract,
            "revise": self._revise,
            "judge": self._judge,
            "decide": self._decide,
            "reconcile": lambda ask: {"verdict": "same"},
        }
        self.model = ScriptedModel(self._answer, id="recorded")

    def play(self, spoken: Iterable[Spoken]) -> None:
        """Speak of these notes from now on."""
        self._spoken = {one.text: one for one in spoken}

    def _answer(self, ask: Ask) -> dict[str, Any]:
        answer = self._answers.get(ask.purpose.value)
        return answer(ask) if answer else {}

    def _extract(self, ask: Ask) -> dict[str, Any]:
        turns = [(int(number), plain(text)) for number, text in TURN.findall(ask.text)]
        return {
            "items": [
                one.note | {"turn": turn}
                for one in self._spoken.values()
                if (turn := _where(str(one.note["quote"]), turns)) is not None
            ]
        }

    def _revise(self, ask: Ask) -> dict[str, Any]:
        return {
            "notes": [
                {"note": int(number), **self._looked(text.strip())}
                for number, text in REVISED.findall(ask.text)
            ]
        }

    def _looked(self, text: str) -> dict[str, Any]:
        spoken = self._find(text)
        if spoken is None:
            return {"text": text}
        seen = {} if self._stubborn else spoken.second_look
        return dict(seen) or {key: spoken.note[key] for key in ("text", "quote")}

    def _judge(self, ask: Ask) -> dict[str, Any]:
        return {
            "verdicts": [
                {"note": int(number), **self._verdict(text.strip())}
                for number, _, text in JUDGED.findall(ask.text)
            ]
        }

    def _verdict(self, text: str) -> dict[str, Any]:
        spoken = self._find(text)
        if spoken is None:
            return {"supported": "no"}  # nobody in the records said it
        if spoken.text != text and spoken.second_look.get("text") == text:
            return {**spoken.verdict, "noted": spoken.verdict["said"], "supported": "yes"}
        return dict(spoken.verdict)

    def _decide(self, ask: Ask) -> dict[str, Any]:
        if not self._decides:
            return {"decisions": []}
        known = {text.strip(): mark for mark, text in KNOWN.findall(ask.text)}
        again = {int(number) for number in LOST.findall(ask.text)}
        listed = ask.text.rpartition("New:")[2]
        new = [(int(number), text.strip()) for number, text in NEW.findall(listed)]
        return {"decisions": [self._decided(n, text, known, new, n in again) for n, text in new]}

    def _decided(
        self,
        n: int,
        text: str,
        known: Mapping[str, str],
        new: list[tuple[int, str]],
        again: bool,
    ) -> dict[str, Any]:
        spoken = self._find(text)
        ref = spoken and self._meant(spoken, n, known, new)
        if spoken is None or spoken.decision is None or ref is None:
            return {"note": n, "op": "add"}
        decision = {"note": n, "ref": ref, **spoken.decision}
        lossy = self._merging == "insists" or (self._merging == "mends" and not again)
        return decision | {"text": spoken.lossy} if lossy and spoken.lossy else decision

    def _meant(
        self, spoken: Spoken, n: int, known: Mapping[str, str], new: list[tuple[int, str]]
    ) -> str | None:
        """The mark of what a note is about: a known item's, or an earlier note's."""
        marks = [mark for text, mark in known.items() if text in spoken.of]
        marks += [f"n{number}" for number, text in new if number < n and text in spoken.of]
        return marks[0] if marks else None

    def _find(self, text: str) -> Spoken | None:
        """The note of that text, or of which it is the second wording; with a secret masked, too."""
        worded = {
            str(wording): one
            for one in self._spoken.values()
            for wording in (
                (one.decision or {}).get("text"),
                one.second_look.get("text"),
                one.text,
            )
        }
        masked = re.compile(".*".join(map(re.escape, MASK.split(text))))
        near = [one for one in worded if masked.fullmatch(one)]
        near += get_close_matches(text, worded, n=1)
        return worded[near[0]] if near else None


def plain(text: str) -> str:
    """A text on one line, without the marks around what was pasted."""
    return " ".join(PASTED.sub(" ", text).split())


def _where(quote: str, turns: list[tuple[int, str]]) -> int | None:
    """The number of the last turn that has a quote."""
    return next((turn for turn, text in reversed(turns) if plain(quote) in text), None)
