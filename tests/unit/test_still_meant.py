"""What an item that is confirmed may still close."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from omoide.nouns.ids import ItemId
from omoide.nouns.item import Category, Item, Tier
from omoide.nouns.scope import Scope
from omoide.write.unconfirmed import still_meant

NOW = datetime(2026, 1, 5, tzinfo=UTC)
MINE = Item(
    id=ItemId("new"),
    scope=Scope(user="ana"),
    category=Category.FACT,
    text="Ana lives in Porto",
    created_at=NOW,
    updated_at=NOW,
    recorded_at=NOW,
    valid_from=NOW,
)


@pytest.mark.parametrize(
    ("scope", "closes"),
    [
        (Scope(user="ana"), True),
        (Scope(user="ana", context="work"), True),
        (Scope(user="ben"), False),
        (Scope(user="ana", agent="work"), False),
        (Scope(user="ana", session="s"), False),
        (Scope(), False),
    ],
)
def test_it_closes_only_what_is_of_its_own_place(scope: Scope, closes: bool) -> None:
    """Neither another user's, nor another agent's, nor what is of one session."""
    ref = replace(MINE, id=ItemId("old"), scope=scope)

    assert still_meant(MINE, ref, NOW, Tier.USER) is closes
