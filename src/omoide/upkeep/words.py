"""Keeps the words of the search index those of the tokeniser at work: another one means all words
anew.
"""

from __future__ import annotations

from omoide.nouns.clock import Clock
from omoide.store.base import Store, committed, read_only
from omoide.tables.documents import Documents
from omoide.tables.meta import Meta
from omoide.text.words import tokenizer_id
from omoide.upkeep.doctor import mend_index

KEY = "tokeniser"


def is_stale(store: Store) -> bool:
    """Whether the index was made by another tokeniser; an empty one is from now on this one's."""
    with read_only(store, None) as tx:
        known = Meta(tx).get(KEY)
        if known == tokenizer_id():
            return False
        if known is not None or Documents(tx).tenants():
            return True
    committed(store, lambda tx: Meta(tx).set(KEY, tokenizer_id()), tenant=None)
    return False


def reword(store: Store, clock: Clock) -> int:
    """Make the words of every document that differs anew; how many. It can stop anywhere and be
    done again.
    """
    with read_only(store, None) as tx:
        tenants = Documents(tx).tenants()
    made = sum(len(mend_index(store, clock, tenant)) for tenant in tenants)
    committed(store, lambda tx: Meta(tx).set(KEY, tokenizer_id()), tenant=None)
    return made
