"""What the checks keep of an extractor that is right, and of one that is wrong at a known rate. No
language model takes part.

    python -m tests.evals.oracle locomo|cri-telling DATA [SHARE [SEED]]
    python -m tests.evals.oracle demo

On LoCoMo it answers with what the annotators noted, on CRI with notes written for this
(``data/cri-notes.jsonl``); it quotes the whole message that a note rests on, knows what it has
noted before, and ends what a note says that it replaces. With a SHARE, so many notes have one thing
wrong, a name, a number or a date, and so many decisions replace another item. The demo's talks are
learnt from with the answers recorded for it; what of these is worth learning nobody noted. Printed
are the figures of ``omoide eval extract``, on | off.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any

from omoide.evals.extraction import LEARNT, Told, figures, learn
from omoide.evals.gold import Story, load_gold
from omoide.learning.teaching import Teaching
from omoide.models.chat.answers import one_line
from omoide.models.chat.base import Ask, Purpose
from omoide.models.chat.cassette import Cassette
from omoide.models.chat.scripted import ScriptedModel
from omoide.nouns.session import Conversation
from tests.evals.tapes import DATA, KNOWN, NEW, Mutation, Talk, added_date, date, demo, name, number

MISTAKES: tuple[Mutation, ...] = (name, number, date, added_date)
COUNTS = ("noise", "again_new", "again_changed")


@dataclass(frozen=True, kw_only=True, slots=True)
class Noted:
    """A note, the messages that it rests on, and the notes that it replaces."""

    text: str
    messages: frozenset[str]
    replaces: frozenset[str] = frozenset()


def observed(story: Story) -> list[Noted]:
    """The facts of a story whose messages are known, as notes."""
    return [Noted(text=fact.text, messages=fact.messages) for fact in story.facts if fact.messages]


def written() -> list[Noted]:
    """The notes on CRI."""
    lines = map(json.loads, (DATA / "cri-notes.jsonl").read_text("utf-8").splitlines())
    return [
        Noted(
            text=one["text"],
            messages=frozenset({one["message"]}),
            replaces=frozenset(one.get("replaces", ())),
        )
        for one in lines
    ]


class Oracle:
    """Notes where a message is shown that a note rests on, and decides rightly; but for a share of
    notes and of decisions.
    """

    def __init__(
        self, story: Story, notes: list[Noted], *, share: float = 0.0, seed: int = 0
    ) -> None:
        self._said = {str(m.key): one_line(m.text) for talk in story.talks for m in talk.messages}
        self._notes, self._share, self._seed = notes, share, seed
        self._talk = Talk(
            story.id, "la", {talk.id: list(talk.messages) for talk in story.talks}, Path()
        )
        self._meant: dict[str, Noted] = {}  # by what was said of it, right or wrong
        self.wrong: dict[str, str] = {}  # what was said wrongly, and in which way
        self.wrong_marks = 0
        self.model = ScriptedModel(
            {Purpose.EXTRACT: self._extract, Purpose.DECIDE: self._decide},
            id=f"oracle, {share:.0%} wrong",
        )

    @property
    def right(self) -> set[str]:
        """What was said rightly, and nothing that it said later replaces."""
        ended = {text for noted in self._meant.values() for text in noted.replaces}
        return {
            text for text, noted in self._meant.items() if text == noted.text and text not in ended
        }

    def _extract(self, ask: Ask) -> dict[str, Any]:
        shown = {
            line.partition(": ")[2]: line.split(" ")[0]
            for line in ask.text.splitlines()
            if line[:1].isdigit()
        }
        return {"items": [note for noted in self._notes if (note := self._note(noted, shown))]}

    def _note(self, noted: Noted, shown: Mapping[str, str]) -> dict[str, Any] | None:
        quote = next(
            (self._said[key] for key in sorted(noted.messages) if self._said.get(key) in shown),
            None,
        )
        if quote is None:
            return None
        note = {
            "text": noted.text,
            "quote": quote,
            "turn": int(shown[quote]),
            "category": "fact",
            "op": "add",
        }
        draw = Random(f"{self._seed}:note:{noted.text}")
        if draw.random() < self._share:
            for mistake in draw.sample(MISTAKES, len(MISTAKES)):
                wrong = mistake(note, self._talk)
                if wrong is not None:
                    self.wrong[wrong["text"]] = mistake.__name__
                    note = wrong
                    break
        self._meant[str(note["text"])] = noted
        return note

    def _decide(self, ask: Ask) -> dict[str, Any]:
        known = {mark: text.strip() for mark, text in KNOWN.findall(ask.text)}
        return {
            "decisions": [
                one
                for number, text in NEW.findall(ask.text)
                for one in self._decisions(int(number), text, known)
            ]
        }

    def _decisions(
        self, number: int, text: str, known: Mapping[str, str]
    ) -> Iterator[dict[str, Any]]:
        noted, draw = self._meant[text], Random(f"{self._seed}:mark:{text}")
        same = next((mark for mark, held in known.items() if self._meant.get(held) is noted), None)
        ended = [
            mark
            for mark, held in known.items()
            if held in self._meant and self._meant[held].text in noted.replaces
        ]
        others = [mark for mark in known if mark != same and mark not in ended]
        if others and draw.random() < self._share:
            self.wrong_marks += 1
            # the words that it repeats are of any of the items that it was shown
            meant = draw.choice([*known])
            yield {"note": number, "op": "update", "ref": draw.choice(others), "was": known[meant]}
        elif same is not None:
            yield {"note": number, "op": "none", "ref": same}
        elif ended:
            yield from (
                {"note": number, "op": "update", "ref": mark, "was": known[mark]} for mark in ended
            )
        else:
            yield {"note": number, "op": "add"}


def measured(story: Story, *, share: float = 0.0, seed: int = 0) -> tuple[Told, Oracle]:
    """What is learnt of a story, and who it was learnt from."""
    oracle = Oracle(story, observed(story) or written(), share=share, seed=seed)
    return learn(story, oracle.model, Teaching()), oracle


def kept(told: Told, oracle: Oracle, *, checks: bool) -> dict[str, float]:
    """What was learnt, is held in the end and tells of changes, by what is known of each note:
    shares of these, and of right notes.
    """
    learnt = [one.text for one in told.suggested if one.fate in LEARNT or not checks]
    memory = told.checked if checks else told.unchecked
    held, asked = memory.items, memory.asked
    return {
        "wrong, learnt": sum(text in oracle.wrong for text in learnt) / max(1, len(learnt)),
        "wrong, held": sum(text in oracle.wrong for text in held) / max(1, len(held)),
        "right, held": len(oracle.right & {*held}) / max(1, len(oracle.right)),
        "new, rightly": (
            sum(one.got == "new" and one.text not in oracle.wrong for one in asked)
            / max(1, len(asked))
        ),
    }


def demo_stories() -> Iterator[tuple[Story, Cassette]]:
    """The demo's talks of each person, with the recorded answers."""
    talk = demo()
    for user in sorted({id.partition("/")[0] for id in talk.sessions}):
        said = {
            id: tuple(messages)
            for id, messages in talk.sessions.items()
            if id.startswith(user + "/")
        }
        yield (
            Story(
                id=user,
                talks=tuple(
                    Conversation(id=id, messages=messages) for id, messages in said.items()
                ),
            ),
            Cassette(talk.tape),
        )


def main() -> None:
    """Print the figures."""
    dataset, *more = sys.argv[1:] or ("",)
    if dataset != "demo" and not more:
        sys.exit(__doc__)
    if dataset == "demo":
        for story, tape in demo_stories():
            told = learn(story, tape, Teaching())
            _print(told, {}, {})
        return
    share, seed = float(more[1]) if more[1:] else 0.0, int(more[2]) if more[2:] else 0
    gold = load_gold(dataset, more[0])
    sys.stdout.write(f"{dataset}, data {gold.hash[:12]}, share {share}, seed {seed}\n")
    for story in gold.stories:
        told, oracle = measured(story, share=share, seed=seed)
        _print(told, *(kept(told, oracle, checks=checks) for checks in (True, False)))
        sys.stdout.write(
            f"  made wrong: {dict(Counter(oracle.wrong.values()))}, marks {oracle.wrong_marks}\n"
        )


def _print(told: Told, on: dict[str, float], off: dict[str, float]) -> None:
    sizes = (
        f"{told.turns} turns, {told.facts} facts, {len(told.suggested)} suggested,"
        f" {told.unanswered} unanswered"
    )
    sys.stdout.write(
        f"{told.story}: {sizes}; items {len(told.checked.items)} | {len(told.unchecked.items)}\n"
    )
    sides = asdict(figures(told)) | on, asdict(figures(told, checks=False)) | off
    for figure, value in sides[0].items():
        sys.stdout.write(
            f"  {figure:<14}{_shown(figure, value):>8} | {_shown(figure, sides[1][figure])}\n"
        )
    sys.stdout.flush()


def _shown(figure: str, value: float | None) -> str:
    if value is None or figure in COUNTS:
        return "–" if value is None else str(value)
    return (
        f"{value:.2f}"
        if figure in ("growth", "calls", "tokens", "tokens_all")
        else f"{100 * value:.1f} %"
    )


if __name__ == "__main__":
    main()
