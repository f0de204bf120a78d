"""What goes into a prompt: a context with its blocks, and an answer with its citations."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Literal

from omoide.nouns.kind import Kind
from omoide.nouns.record import Listed, Record
from omoide.nouns.record.frozen import frozen_record

StrategyName = Literal["frozen", "xml", "profile", "messages", "tools", "blocks"]


class Part(StrEnum):
    """What a block of a context holds."""

    RULES = "rules"  # how to read the rest, and how to use memory
    SYSTEM = "system"  # the system that the agent works on
    PROFILE = "profile"
    STANDING = "standing"  # what the user asked for once and for all
    KNOWN = "known"  # facts, skills and errors that are always shown
    CUT = "cut"  # says that there is more
    CORE = "core"  # pinned blocks that a model edits itself
    DIGEST = "digest"
    REFLECTIONS = "reflections"
    NOW = "now"
    DUE = "due"
    ITEMS = "items"  # items that answer the question
    TALK = "talk"  # turns of one session that answer it


@frozen_record
class Block(Record):
    """One part of a context: its text as it stands there, and the ids of the records behind it."""

    part: Part
    text: str
    ids: tuple[str, ...] = ()
    tokens: int = 0
    stable: bool = False  # it stays the same for a whole session

    def __str__(self) -> str:
        return self.text


@frozen_record
class Context(Record):
    """What a program puts into a prompt. ``stable`` goes into the system prompt, ``turn`` before
    the user's message; ``text`` is both.

    answerable is from 0 to 1: how sure it is that an answer is held. off names the levels of memory
    that are switched off, among ``user``, ``agent`` and ``shared``.
    """

    text: str
    stable: str = ""
    turn: str = ""
    blocks: tuple[Block, ...] = ()
    strategy: str = "frozen"
    tokens: int = 0
    answerable: float = 0.0
    off: tuple[str, ...] = ()
    degraded: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.text

    @property
    def is_off(self) -> bool:
        """Whether memory of users and of the agent is off, so that nothing is recalled."""
        return {"user", "agent"} <= set(self.off)

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of all records behind it, in the order of the text."""
        return tuple(dict.fromkeys(id for block in self.blocks for id in block.ids))

    @property
    def messages(self) -> tuple[dict[str, str], ...]:
        """It as chat messages: the stable part as the system's, the other as the user's."""
        parts = (("system", self.stable), ("user", self.turn))
        return tuple({"role": role, "content": text} for role, text in parts if text)


@frozen_record
class Citation(Record):
    """A record that an answer rests on, and its words as the model was shown them."""

    kind: Kind
    id: str
    text: str
    at: datetime

    def __str__(self) -> str:
        return f"{self.text} ({self.kind}, {self.at:%Y-%m-%d}, {self.id})"


@frozen_record
class Answer(Listed[Citation]):
    """An answer in words, and what it rests on. ``held`` is False where memory does not hold it;
    then ``text`` says so, and nothing is cited.

    unsupported names what the text has and no cited record has, such as ``number`` for a sum that
    the model worked out.
    """

    text: str
    held: bool
    citations: tuple[Citation, ...] = ()
    unsupported: tuple[str, ...] = ()
    model: str = ""
    answerable: float = 0.0
    degraded: tuple[str, ...] = ()

    @property
    def _listed(self) -> tuple[Citation, ...]:
        return self.citations

    def __str__(self) -> str:
        cited = (f"[{n}] {one}" for n, one in enumerate(self.citations, start=1))
        return "\n".join((self.text, *cited))
