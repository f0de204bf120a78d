"""How the reflections and digests stand that an asker sees: how much waits, and whether that is
enough to condense.
"""

from __future__ import annotations

from collections.abc import Mapping

from omoide.nouns.reflection import Buffer, DigestKind, Size, count_words, kind_of
from omoide.nouns.scope import Scope
from omoide.store.base import Transaction
from omoide.tables.digests import Digests
from omoide.tables.reflections import Reflections, Tally

MOST = 1_000  # waiting reflections whose words are counted


def buffers(tx: Transaction, scope: Scope, sizes: Mapping[DigestKind, Size]) -> tuple[Buffer, ...]:
    """Of each scope with reflections or a digest; profiles are none of these."""
    return tuple(
        _buffer(tx, tally, sizes[kind_of(tally.scope)]) for tally in Reflections(tx).scopes(scope)
    )


def _buffer(tx: Transaction, tally: Tally, size: Size) -> Buffer:
    kind = kind_of(tally.scope)
    waiting, digest = (
        Reflections(tx).waiting(tally.scope, MOST),
        Digests(tx).readable(tally.scope, kind),
    )
    return Buffer(
        scope=tally.scope,
        kind=kind,
        reflections=tally.total,
        waiting=len(waiting),
        waiting_words=sum(count_words(reflection.text) for reflection in waiting),
        threshold=size.reflections,
        is_due=len(waiting) >= size.reflections,
        formed_at=tally.formed_at,
        version=digest.version if digest else 0,
        words=count_words(digest.text) if digest else 0,
        word_limit=digest.word_limit if digest else size.words,
        made_at=digest.made_at if digest else None,
    )
