"""Talks of which it is known what is worth remembering: facts with the messages they rest on, and
facts that changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from omoide.evals import locomo
from omoide.evals.dataset import DocumentUnit, contents, hash_of, parsed
from omoide.evals.datasets import data_folder, find_files, in_form
from omoide.nouns.errors import UnknownName
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.session import Conversation
from omoide.nouns.turn import Message, Role


@frozen_record
class Fact:
    """Something worth remembering, and the session it was said in, if it is one; keys of its
    messages, where they are known.
    """

    session: str | None
    text: str
    messages: frozenset[str] = frozenset()


@frozen_record
class Succession:
    """Something that changed: a question about it, what was true and what is then, and the session
    after which it is known.
    """

    question: str
    old: str
    new: str
    session: str


@frozen_record
class Truth:
    """What is true at a time, or at the end of the story, and the question that it answers."""

    question: str
    value: str
    at: datetime | None = None


@frozen_record
class Story:
    """One person's talks in order, and what is known of them. noise: texts of messages that nothing
    is to be learnt from.
    """

    id: str
    talks: tuple[Conversation, ...]
    facts: tuple[Fact, ...] = ()
    changes: tuple[Succession, ...] = ()
    # where one message says another thing than an earlier one, and how that is resolved
    conflicts: tuple[Succession, ...] = ()
    profile: tuple[Truth, ...] = ()  # what is true at the end
    periods: tuple[Truth, ...] = ()  # what was true from one time to another, at a time between
    noise: frozenset[str] = frozenset()

    @property
    def turns(self) -> int:
        """How many messages there are."""
        return sum(len(talk.messages) for talk in self.talks)


@frozen_record
class Gold:
    """Stories of one source. ``hash`` is the SHA-256 of its unpacked files, in hexadecimal."""

    name: str
    stories: tuple[Story, ...]
    hash: str


def load_gold(name: str, data: Path | str | None = None) -> Gold:
    """Stories from a folder, or from the one that ``OMOIDE_EVAL_DATA`` names.

    Raises:
        UnknownName: no such source.
        InvalidInput: it is not there, or not in its form.
    """
    if name not in SOURCES:
        raise UnknownName("dataset", name, tuple(SOURCES))
    patterns, read = SOURCES[name]
    folder = data_folder(data)
    found = (path for pattern in patterns for path in find_files(folder, (pattern,)))
    files = {path: contents(path) for path in found}
    with in_form(folder, name):
        stories = tuple(read(files))
    return Gold(name=name, stories=stories, hash=hash_of(files.values()))


def _locomo(files: Mapping[Path, bytes]) -> Iterator[Story]:
    """LoCoMo's observations: what annotators noted of each session, with the turns that say it."""
    path, content = next(iter(files.items()))
    samples = parsed(path, content)
    for case, sample in zip(locomo.cases(samples, DocumentUnit.TURN), samples, strict=True):
        facts = (
            Fact(session=session, text=text, messages=turns)
            for session, text, turns in locomo.observations(sample)
        )
        yield Story(id=case.id, talks=case.talks, facts=tuple(facts))


def _cri(files: Mapping[Path, bytes], *, telling: bool = False) -> Iterator[Story]:
    """CRI: a year of one person with an assistant; what changed, and examples of what says
    something and what does not.

    telling: only the sessions with the messages that tell of the changes, and the examples.
    """
    lines, truth = (
        next(content for path, content in files.items() if part in path.name)
        for part in ("conversations", "ground_truth")
    )
    told = parsed(Path("ground_truth.json"), truth)
    sessions = _sessions(lines, _name(told))
    if telling:
        sessions = _that_tell(sessions, told)
    by_key = {str(m.key): id for id, said in sessions.items() for m in said}
    last = max(m.at for said in sessions.values() for m in said if m.at)
    profile = told["final_profile"].values()
    yield Story(
        id="cri",
        talks=tuple(Conversation(id=id, messages=tuple(said)) for id, said in sessions.items()),
        facts=tuple(_facts(told)),
        changes=tuple(_successions(told, by_key)),
        conflicts=tuple(_conflicts(told, by_key)),
        profile=tuple(_truth(told, one, ", ".join(_entries(one["value"]))) for one in profile),
        periods=tuple(_periods(told, last)),
        noise=_texts(told["noise_examples"]),
    )


def _sessions(lines: bytes, name: str) -> dict[str, list[Message]]:
    """The messages of each session; the user's are of that name."""
    sessions: dict[str, list[Message]] = {}
    for line in lines.splitlines():
        record = parsed(Path("conversations.jsonl"), line)
        role = Role(record["role"])
        message = Message(
            text=record["content"],
            role=role,
            speaker=name if role is Role.USER else None,
            at=_time(record["timestamp"]),
            key=str(record["message_id"]),
        )
        sessions.setdefault(record["session_id"], []).append(message)
    return sessions


def _that_tell(
    sessions: Mapping[str, list[Message]], told: Mapping[str, Any]
) -> dict[str, list[Message]]:
    """The sessions that tell of a change, or hold an example."""
    keys = {str(key) for change in told["changes"] for key in change["key_messages"]}
    texts = _texts(told["noise_examples"]) | _texts(told["signal_examples"])
    return {
        id: said
        for id, said in sessions.items()
        if any(message.key in keys or message.text in texts for message in said)
    }


def _texts(examples: Sequence[Mapping[str, Any]]) -> frozenset[str]:
    return frozenset(one["text"] for one in examples)


def _time(written: str) -> datetime:
    return datetime.fromisoformat(written).replace(tzinfo=UTC)


def _facts(told: Mapping[str, Any]) -> Iterator[Fact]:
    """What the profile holds, each entry of its lists by itself, and what was true before and after
    each change; each once.
    """
    entries = (entry for one in told["final_profile"].values() for entry in _entries(one["value"]))
    changed = (change[field] for change in told["changes"] for field in ("old_value", "new_value"))
    yield from (Fact(session=None, text=text) for text in dict.fromkeys((*entries, *changed)))


def _successions(told: Mapping[str, Any], sessions: Mapping[str, str]) -> Iterator[Succession]:
    """What changed, by the session of the last message that tells it."""
    for change in told["changes"]:
        session = sessions[str(max(change["key_messages"]))]
        yield Succession(
            question=_about(told, change),
            old=change["old_value"],
            new=change["new_value"],
            session=session,
        )


def _conflicts(told: Mapping[str, Any], sessions: Mapping[str, str]) -> Iterator[Succession]:
    """What an earlier message says and what resolves it, by the session of the last message; where
    that session is there.
    """
    for one in told["conflicts"]:
        session = sessions.get(str(max(one["introduced_at_messages"])))
        if session is not None:
            question = _about(told, one | {"query_topic": one["topic"]})
            yield Succession(
                question=question,
                old=one["conflicting_statements"][0],
                new=one["correct_resolution"],
                session=session,
            )


def _periods(told: Mapping[str, Any], last: datetime) -> Iterator[Truth]:
    """What was true for a while, asked for as of the last day of that."""
    for one in told["temporal_facts"]:
        until = _time(one["valid_until"]) if one["valid_until"] else last + _DAY
        yield _truth(told, one, one["value"], min(until, last + _DAY) - _DAY)


def _truth(
    told: Mapping[str, Any], one: Mapping[str, Any], value: str, at: datetime | None = None
) -> Truth:
    return Truth(question=_about(told, one), value=value, at=at)


def _about(told: Mapping[str, Any], one: Mapping[str, Any]) -> str:
    return f"What is {_name(told)}'s {one['query_topic']}?"


def _name(told: Mapping[str, Any]) -> str:
    """The person's first name."""
    return str(told["final_profile"]["name"]["value"].split()[0])


def _entries(value: str | int | list[str]) -> list[str]:
    return value if isinstance(value, list) else [str(value)]


_DAY = timedelta(days=1)
_CRI = ("updates/cri/conversations.jsonl*", "updates/cri/ground_truth.json*")
SOURCES: Mapping[str, tuple[tuple[str, ...], Callable[[Mapping[Path, bytes]], Iterator[Story]]]] = {
    "locomo": (("locomo/*.json*",), _locomo),
    "cri": (_CRI, _cri),
    "cri-telling": (_CRI, partial(_cri, telling=True)),
}
