"""Entities: the people, projects and things that items speak of."""

from __future__ import annotations

from datetime import datetime

from omoide.nouns.ids import EntityId
from omoide.nouns.record import Record
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.scope import Scope


@frozen_record
class Entity(Record):
    """A person, project or other thing that items speak of, such as ``person:ana``.

    likely names others that may be the same, since a name of theirs differs in accents alone; merge
    them if they are.
    """

    id: EntityId
    scope: Scope
    name: str  # "type:label"
    aliases: tuple[str, ...] = ()
    items: int = 0
    last_used_at: datetime | None = None
    likely: tuple[str, ...] = ()  # where entities are listed
