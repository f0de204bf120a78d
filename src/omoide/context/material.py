"""What a context is made from: records as they were read, before any of it is text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime

from omoide.nouns.hit import Hit
from omoide.nouns.item import Category, Item
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.reflection import Digest, DigestKind, Profile, Reflection

# how many items of each category always stand in a context, in this order
STANDING: Mapping[Category, int] = {
    Category.SYSTEM: 20,
    Category.PROFILE: 15,
    Category.PREFERENCE: 10,
    Category.FACT: 5,
    Category.SKILL: 3,
    Category.ERROR: 5,
}


@frozen_record
class Standing:
    """What is shown whatever is asked: items by category, the surest first."""

    items: tuple[Item, ...] = ()
    core: tuple[Item, ...] = ()  # pinned items tagged ``block:NAME``
    at: datetime | None = None  # as of when; None: now
    said: tuple[Hit, ...] = ()  # turns in which the user asks for something once and for all

    @property
    def ids(self) -> frozenset[str]:
        """The ids of all of it."""
        return frozenset(
            (*(i.id for i in self.items), *(i.id for i in self.core), *(h.id for h in self.said))
        )


NO_STANDING = Standing()


@frozen_record
class Material:
    """Everything that a strategy may make a context from. Times are aware."""

    now: datetime  # in the user's zone
    question: str = ""
    hits: tuple[Hit, ...] = ()  # best first
    answerable: float = 0.0
    degraded: tuple[str, ...] = ()
    off: tuple[str, ...] = ()
    standing: Standing = NO_STANDING
    since: Standing = NO_STANDING  # what stands since then, where that is frozen
    ended: tuple[Item, ...] = ()  # what stood there and holds no longer
    due: tuple[Item, ...] = ()
    digests: Mapping[DigestKind, Digest] = field(default_factory=dict)
    reflections: Mapping[DigestKind, tuple[Reflection, ...]] = field(default_factory=dict)
    recent: tuple[Item, ...] = ()  # newest first
    profile: Profile | None = None
