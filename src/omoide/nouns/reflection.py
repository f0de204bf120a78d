"""Reflections and digests: what changes how an agent behaves, and the setting for when the one
becomes the other. Pure.

An item is a statement to be found when it is asked for. A reflection is an interpretation that is
always in view: of a session, of a user, or of everybody an agent talks to. When enough of a scope's
wait, they are condensed into its digest.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import NewType

from omoide.nouns.errors import InvalidInput
from omoide.nouns.ids import ItemId, TurnId
from omoide.nouns.item import Tier, Unconfirmed
from omoide.nouns.record import Record
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.record.lines import one_line
from omoide.nouns.scope import Scope

ReflectionId = NewType("ReflectionId", str)
DigestId = NewType("DigestId", str)

DEFAULT_DIGESTS = "agent=10/1200,user=4/300,session=4/200"
REFLECTION_WORDS = 35  # a longer reflection is none


class DigestKind(StrEnum):
    """What a digest is of; reflections are of the first three."""

    AGENT = "agent"  # what an agent knows and goes by, whoever it talks to
    USER = "user"
    SESSION = "session"
    PROFILE = "profile"  # of a user, made of items


@frozen_record
class Reflection(Record):
    """An interpretation that changes behaviour. Its scope says whose it is. Never edited."""

    id: ReflectionId
    scope: Scope  # of a session, with its owner; else of a user; else of an agent
    text: str
    formed_at: datetime
    quote: str = ""
    quote_span: tuple[int, int] | None = (
        None  # where the quote stands in the text of the last of its source turns
    )
    source_turns: tuple[TurnId, ...] = ()
    tier: Tier = Tier.AGENT
    absorbed_at: datetime | None = None
    digest: DigestId | None = None  # the digest that absorbed it
    withdrawn_at: datetime | None = None  # when its forming was undone
    unconfirmed: Unconfirmed | None = None  # the talk may not mean it; no digest absorbs it then

    def __str__(self) -> str:
        return f"{self.text} (unconfirmed)" if self.unconfirmed else self.text

    @property
    def kind(self) -> DigestKind:
        """The kind of digest it is for."""
        return kind_of(self.scope)

    @property
    def waits(self) -> bool:
        """Whether it is still to be condensed."""
        return self.absorbed_at is None and self.withdrawn_at is None


@frozen_record
class Digest(Record):
    """One version of the text of a scope. Every version is kept; the last one that was not
    withdrawn is in force.
    """

    id: DigestId
    scope: Scope
    kind: DigestKind
    version: int  # from 1
    text: str
    word_limit: int  # of a profile, of lines
    model: str
    made_at: datetime
    tier: Tier = Tier.AGENT  # the lowest of what it was made from
    # the reflections it absorbed; of a profile, the items it was made from
    sources: tuple[str, ...] = ()
    # names, figures and addresses of the version before that no reflection took back
    dropped: tuple[str, ...] = ()
    withdrawn_at: datetime | None = None


@frozen_record
class Profile(Record):
    """What is known about a user, the most important first. Without a model the items themselves,
    in their order.
    """

    lines: tuple[str, ...]
    items: tuple[ItemId, ...]  # that it was made from
    made_at: datetime
    model: str = ""  # empty: none had a part in it
    version: int = 0  # of the digest that keeps it; 0: it is not kept
    # what did not go as it should have, such as ``profile: ModelUnreachable``
    degraded: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join(map(one_line, self.lines))


@frozen_record
class Size:
    """How many reflections wait until they are condensed, and how many words a digest may have."""

    reflections: int
    words: int


@frozen_record
class Buffer(Record):
    """How the reflections and the digest of one scope stand."""

    scope: Scope
    kind: DigestKind
    reflections: int  # that stand, absorbed ones too
    waiting: int
    waiting_words: int
    threshold: int
    is_due: bool  # whether there are enough to condense
    formed_at: datetime | None  # the last one
    version: int = 0  # 0: there is no digest yet
    words: int = 0
    word_limit: int = 0
    made_at: datetime | None = None


def kind_of(scope: Scope) -> DigestKind:
    """Whose reflections live in a scope: a session's, a user's, or else an agent's."""
    if scope.session is not None:
        return DigestKind.SESSION
    return DigestKind.USER if scope.user is not None else DigestKind.AGENT


def read_digests(setting: str) -> Mapping[DigestKind, Size]:
    """The sizes that a setting such as ``user=4/300`` names: after four reflections, up to 300
    words. The others are as by default.

    Raises:
        InvalidInput: there is no such kind, or a number cannot be read.
    """
    sizes = {} if setting == DEFAULT_DIGESTS else dict(read_digests(DEFAULT_DIGESTS))
    for part in filter(None, setting.split(",")):
        found = re.fullmatch(
            r"(agent|user|session)=([1-9]\d{0,1})/([1-9]\d{0,3})", part.strip(), re.ASCII
        )
        if not found:
            raise InvalidInput(
                "digests", f"{part.strip()!r} is none of agent=10/1200, user=4/300, session=4/200"
            )
        sizes[DigestKind(found[1])] = Size(reflections=int(found[2]), words=int(found[3]))
    return sizes


_NO_SPACES = re.compile(
    r"[\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u9fff\uf900-\ufaff]"
)


def count_words(text: str) -> int:
    """How many words a text has, by the spaces between them; in scripts without spaces two
    characters count as one.
    """
    signs = len(_NO_SPACES.findall(text))
    return (
        sum(any(map(str.isalnum, word)) for word in _NO_SPACES.sub(" ", text).split())
        + (signs + 1) // 2
    )
