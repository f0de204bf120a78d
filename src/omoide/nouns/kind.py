"""The kinds of record."""

from __future__ import annotations

from enum import StrEnum


class Kind(StrEnum):
    """What a record is."""

    ITEM = "item"
    TURN = "turn"
    SESSION = "session"
    ENTITY = "entity"
    REFLECTION = "reflection"
    DIGEST = "digest"
    PROCEDURE = "procedure"
    ROUND = "round"  # of upkeep: what it did to many records at once
    PROPOSAL = "proposal"  # waits for a person's word
