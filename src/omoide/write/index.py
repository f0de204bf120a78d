"""What records are found by: the words of items and turns, and the texts their vectors are made
from.
"""

from __future__ import annotations

from datetime import date, datetime
from functools import lru_cache

from omoide.models.embedders.encoders import VectorsByModel
from omoide.nouns.item import Item
from omoide.nouns.match import ASKS, ASSISTANT
from omoide.nouns.turn import Role, Turn
from omoide.store.base import Transaction
from omoide.tables.documents import Words
from omoide.tables.entities import ABOUT_MOST
from omoide.tables.item_fields import NAMES
from omoide.tables.jobs import EMBED_JOB, Jobs
from omoide.text.letters import QUESTION_SIGNS
from omoide.text.passages import turn_parts
from omoide.text.words import index_terms


def words_of(item: Item, vectors: VectorsByModel = ()) -> Words:
    """What an item is found by."""
    own = " ".join(index_terms(item.text))
    return Words(own=own, around=around_words(item), vectors=vectors)


def around_words(item: Item) -> str:
    """The words around an item: tags, names such as its domain, and what it is about."""
    about = item.entities if len(item.entities) <= ABOUT_MOST else ()
    names = (getattr(item, name) or "" for name in NAMES)
    around = " ".join((*about, *item.tags, *names))
    return " ".join(index_terms(around)) if around.strip() else ""


def turn_words(turn: Turn) -> list[Words]:
    """The words of each part of a turn; around it stand its marks, its speaker and its date."""
    around = _around(turn.speaker, turn.at.date())
    return [
        Words(own=" ".join(index_terms(part)), around=marks_of(turn.role, part) + around)
        for part in turn_parts(turn.text)
    ]


def marks_of(role: Role, text: str) -> str:
    """The signs that stand before the words around a turn, as no word does: that it asks, that an
    assistant speaks.
    """
    asks = ASKS if any(sign in text for sign in QUESTION_SIGNS) else ""
    signs = asks + (ASSISTANT if role is Role.ASSISTANT else "")
    return f"{signs} " if signs else ""


@lru_cache(maxsize=4096)
def _around(speaker: str, day: date) -> str:
    return " ".join(index_terms(f"{speaker} {day:%A %d %B %Y}"))


def turn_text(turn: Turn, part: str) -> str:
    """What the vector of a turn's part is made from: date, speaker and text."""
    return f"[{turn.at:%d %B %Y}] {turn.speaker}: {part}"


def queue_vectors(tx: Transaction, tenant: str, at: datetime) -> None:
    """Queue the making of a tenant's missing vectors."""
    Jobs(tx).add(tenant, EMBED_JOB, EMBED_JOB, user="", args={}, run_at=at)
