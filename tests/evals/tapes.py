"""Recorded answers of a model to talks, played again, and played with one thing wrong in every
suggestion.

    python -m tests.evals.tapes

prints for each way of being wrong how many of the suggestions that are learnt as they were recorded
are caught. The answers were written without knowing what they are checked by; see
``docs/measurements/grounding.md``.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from datetime import datetime, timedelta
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from omoide.demo.sample import PRIVATE, TOGETHER, lines
from omoide.evals.extraction import LEARNT
from omoide.learning.decision import read_choices
from omoide.learning.extraction import Operation
from omoide.learning.merging import stands
from omoide.learning.report import Considered
from omoide.learning.teaching import Teaching
from omoide.memory import Memory
from omoide.models.chat.answers import read_object
from omoide.models.chat.asker import Asker
from omoide.models.chat.base import Ask, Completion, Purpose
from omoide.models.chat.cassette import Cassette
from omoide.models.embedders.fake import FakeEmbedder
from omoide.nouns.clock import StoryClock
from omoide.nouns.scope import Scope
from omoide.nouns.session import Conversation
from omoide.nouns.turn import Message, Role
from omoide.store import open_store

DATA = Path(__file__).parent / "data"
STRANGERS = {"zh": "欧阳明月", "ar": "زكرياء", "ru": "Евдоким", "la": "Zebulon"}
DENIALS = {"zh": "并非", "ar": "ليس صحيحا أن ", "ru": "неверно, что ", "la": "It is not true that "}
_DIGITS = re.compile(r"\d+")
KNOWN = re.compile(r"^(k\d+) \(\S+\) (.*)$", re.MULTILINE)
NEW = re.compile(r"^(\d+)\. (?:\(of \S+\) )?(.*)$", re.MULTILINE)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_MONTHS = (
    "January February March April May June July August September October November December janeiro"
    " fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro января"
    " февраля марта апреля мая июня июля августа сентября октября ноября декабря يناير فبراير مارس"
    " أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر كانون شباط آذار نيسان أيار حزيران"
    " تموز آب أيلول تشرين"
).replace(" ", "|")
_DAY = re.compile(
    r"(?<=\d{4}-\d\d-)\d\d|(?<=月)\d{1,2}(?=[日号])|(?<![\d:.,])\d{1,2}(?= (?:de"
    rf" )?(?:{_MONTHS})\b)",
    re.IGNORECASE,
)

Note = dict[str, Any]
Mutation = Callable[[Note, "Talk"], Note | None]


class Talk(NamedTuple):
    """Sessions of messages by id, with the tape of what a model made of them."""

    name: str
    script: str
    sessions: dict[str, list[Message]]
    tape: Path

    @property
    def people(self) -> list[str]:
        """Who speaks."""
        said = (message for messages in self.sessions.values() for message in messages)
        return sorted({str(message.speaker) for message in said if message.role is Role.USER})


def recorded(name: str) -> Talk:
    """A talk of this folder; its last two letters are its language."""
    sessions: dict[str, list[Message]] = {}
    for line in map(json.loads, (DATA / f"{name}.jsonl").read_text("utf-8").splitlines()):
        if line["type"] == "message":
            at = datetime.fromisoformat(line["at"])
            message = Message(text=line["text"], speaker=line["speaker"], at=at, key=line["id"])
            sessions.setdefault(line["session"], []).append(message)
    return Talk(name, name[-2:], sessions, DATA / "tape-scripts.jsonl")


def demo() -> Talk:
    """The demo's talks with the assistant, in English and Portuguese."""
    sessions: dict[str, list[Message]] = {}
    for line in sorted(lines(), key=lambda line: line.at):
        if line.session != TOGETHER and line.session not in PRIVATE:
            role = Role.USER if line.user else Role.ASSISTANT
            message = Message(
                text=line.text, role=role, speaker=line.speaker, at=line.at, key=line.key
            )
            sessions.setdefault(line.session, []).append(message)
    return Talk("demo", "la", sessions, Path(str(files("omoide.demo") / "data" / "capture.jsonl")))


def talks() -> list[Talk]:
    """All of them: Latin, Chinese, Arabic and Cyrillic."""
    return [demo(), recorded("talk-zh"), recorded("talk-ar"), recorded("said-ru")]


class Mutating:
    """A recorded model, each of whose suggestions is made wrong in one way; what cannot be is left
    out.
    """

    id = "mutating"

    def __init__(self, tape: Cassette, talk: Talk, mutation: Mutation) -> None:
        self._tape, self._talk, self._mutation = tape, talk, mutation

    def answer(self, ask: Ask) -> Completion:
        """As the protocol says; nothing is decided."""
        if ask.purpose is not Purpose.EXTRACT:
            return Completion(text='{"decisions": [], "notes": []}', model=self.id)
        notes = read_object(self._tape.answer(ask).text).get("items", [])
        changed = [self._mutation(note, self._talk) for note in notes if isinstance(note, dict)]
        # in their places
        kept = [note or {"text": "", "quote": str(n)} for n, note in enumerate(changed)]
        return Completion(text=json.dumps({"items": kept}), model=self.id)


def as_it_is(note: Note, talk: Talk) -> Note | None:
    """Nothing is changed."""
    return note


def _with(note: Note, text: str) -> Note | None:
    return None if text == note.get("text") else {**note, "text": text}


def number(note: Note, talk: Talk) -> Note | None:
    """The first number is another."""
    text = _DATE.sub(lambda date: "#" * len(date[0]), str(note.get("text", "")))
    found = _DIGITS.search(text)
    if found is None:
        return None
    other = str(int(found[0]) + 1).zfill(len(found[0]))
    return _with(note, note["text"][: found.start()] + other + note["text"][found.end() :])


def date(note: Note, talk: Talk) -> Note | None:
    """A day, written in figures or with the name of its month, is the day after tomorrow of it."""
    return _with(
        note,
        _DAY.sub(
            lambda found: f"{(int(found[0]) + 1) % 28 + 1:0{len(found[0])}}",
            str(note.get("text", "")),
            count=1,
        ),
    )


def added_date(note: Note, talk: Talk) -> Note | None:
    """It has a day that nobody said."""
    text = str(note.get("text", "")).rstrip(".。")
    return _with(note, f"{text} (2019-03-17)") if text else None


def since(note: Note, talk: Talk) -> Note | None:
    """It is said to be so since a day that nobody said."""
    return {**note, "since": "2019-03-17"} if note.get("text") else None


def turn(note: Note, talk: Talk) -> Note | None:
    """The turn that it is said to come from is another one."""
    shown = note.get("turn")
    return (
        {**note, "turn": shown + 1 if shown == 1 else shown - 1}
        if isinstance(shown, int) and note.get("text")
        else None
    )


def name(note: Note, talk: Talk) -> Note | None:
    """Somebody, or something that it names, is called by a name that nobody said."""
    text = str(note.get("text", ""))
    labels = [
        str(entity).partition(":")[2]
        for entity in note.get("entities", ())
        if isinstance(entity, str)
    ]
    named = next((label for label in (*labels, *talk.people) if label and label in text), None)
    if named is None:
        return None
    stranger = STRANGERS[talk.script]
    tagged = [str(one) for one in note.get("entities", ()) if named not in str(one)]
    return {
        **note,
        "text": text.replace(named, stranger),
        "entities": [*tagged, f"person:{stranger}"],
    }


def speaker(note: Note, talk: Talk) -> Note | None:
    """What one of them said is told of the other."""
    text, one, other = str(note.get("text", "")), talk.people[0], talk.people[1]
    swapped = text.replace(one, "\0").replace(other, one).replace("\0", other)
    return _with(note, swapped)


def negation(note: Note, talk: Talk) -> Note | None:
    """It is denied."""
    text = str(note.get("text", ""))
    return _with(note, DENIALS[talk.script] + text) if text else None


def quote(note: Note, talk: Talk) -> Note | None:
    """The quoted words are others that were said in the talk."""
    words = str(note.get("quote", ""))
    others = [
        m.text
        for said in talk.sessions.values()
        for m in said
        if words not in m.text and len(m.text) > len(words)
    ]
    return (
        {**note, "quote": others[len(words) % len(others)][: max(8, len(words))]}
        if others and note.get("text")
        else None
    )


MUTATIONS: tuple[Mutation, ...] = (
    number,
    date,
    added_date,
    since,
    name,
    speaker,
    negation,
    turn,
    quote,
)


def played(talk: Talk, mutation: Mutation) -> list[Considered]:
    """What became of each suggestion of a talk, each session learnt from by itself, in order."""
    done: list[Considered] = []
    for id, said in talk.sessions.items():
        clock = StoryClock()
        clock.at = max(m.at for m in said if m.at) + timedelta(minutes=1)
        model = Mutating(Cassette(talk.tape), talk, mutation)
        teaching = Teaching(asker=Asker(model), judge=False)
        with Memory(
            open_store(":memory:"),
            embedder=FakeEmbedder(),
            clock=clock,
            background=False,
            teaching=teaching,
        ) as memory:
            scope = Scope(user="user")
            memory.ingest(Conversation(id=id, messages=tuple(said)), scope)
            done += [
                one
                for extraction in memory.sessions.extract(id, scope)
                for one in extraction.considered
            ]
    return done


def caught(talk: Talk) -> Iterator[tuple[str, int, int, Counter[str]]]:
    """For each way of being wrong: of how many suggestions that are learnt as they are, how many
    are not then, and by which check.
    """
    plain = played(talk, as_it_is)
    for mutation in MUTATIONS:
        pairs = [
            (was, now)
            for was, now in zip(plain, played(talk, mutation), strict=True)
            if was.fate in LEARNT and now.text != ""
        ]
        kept = [
            now
            for was, now in pairs
            if now.fate not in LEARNT or (mutation is turn and now.turn == was.turn)
        ]  # found where it is
        yield (
            mutation.__name__,
            len(pairs),
            len(kept),
            Counter(why for now in kept for why in now.why),
        )


def marks_taken(tape: Path, names: Collection[str], *, slip: bool) -> list[bool]:
    """Of each recorded update, whether its mark is believed; with slip with each other mark that it
    was shown in place of its own.
    """
    taken = []
    for ask in filter(
        lambda row: row["purpose"] == Purpose.DECIDE.value,
        map(json.loads, tape.read_text("utf-8").splitlines()),
    ):
        known = dict(KNOWN.findall(ask["text"]))
        for choice in (
            each
            for choices in read_choices(read_object(ask["answer"])).values()
            for each in choices
        ):
            if choice.op is Operation.UPDATE and choice.ref in known:
                meant = [mark for mark in known if (mark != choice.ref) == slip]
                taken += [stands(choice.was, known[mark]) for mark in meant]
    return taken


def marks_swapped(talk: Talk, most: int = 30) -> tuple[list[bool], list[bool]]:
    """Of items of a talk as updates of themselves, whether a mark is believed with the last words
    of an item: its own, and each other.

    No updates were recorded in other scripts than the demo's, so the words that a model would
    repeat are cut from the item.
    """
    texts = list(dict.fromkeys(one.text for one in played(talk, as_it_is) if one.fate in LEARNT))[
        :most
    ]
    believed = {(one, other): stands(_last_half(one), other) for one in texts for other in texts}
    return [believed[one, one] for one in texts], [
        is_so for (one, other), is_so in believed.items() if one != other
    ]


def _last_half(text: str) -> str:
    """The last half of the words of a text, or of its characters where it has no blanks."""
    words = text.split()
    return " ".join(words[len(words) // 2 :]) if len(words) > 3 else text[len(text) // 2 :]


def main() -> None:
    """Print the table."""
    for talk in talks():
        fates = Counter(one.fate.value for one in played(talk, as_it_is))
        sys.stdout.write(f"{talk.name}: {dict(fates)}\n")
        for kind, total, kept, why in caught(talk):
            sys.stdout.write(f"  {kind:<12}{kept:>4} of {total:<4} {dict(why.most_common(4))}\n")
        own, slipped = marks_swapped(talk)
        sys.stdout.write(
            f"  {'mark':<12}{slipped.count(False):>4} of {len(slipped):<4} own: {sum(own)} of"
            f" {len(own)}\n"
        )


if __name__ == "__main__":
    main()
