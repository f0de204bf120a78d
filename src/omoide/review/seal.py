"""Seals: what binds a person's approval to the exact thing that they were shown, for ten minutes.

A seal is a keyed hash over the proposal as it stands, who looked at it, and until when it is good.
Nothing of it is kept: it is made again to be compared, with a key that never leaves the store.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from datetime import datetime, timedelta

from omoide.nouns.clock import from_micros, to_micros
from omoide.nouns.errors import LookAgain
from omoide.nouns.proposal import Proposal
from omoide.nouns.scope import Scope
from omoide.store.base import Transaction
from omoide.tables.columns import pack_json
from omoide.tables.meta import Meta
from omoide.wire.coding import encode

GOOD_FOR = timedelta(minutes=10)
_KEY = "review_key"


def seal_key(tx: Transaction) -> bytes | None:
    """The key of the store's seals; None where there is none yet."""
    key = Meta(tx).get(_KEY)
    return bytes.fromhex(key) if key else None


def make_seal_key(tx: Transaction) -> bytes:
    """The key of the store's seals, made if there is none yet."""
    key = seal_key(tx)
    if key is None:
        key = os.urandom(32)
        Meta(tx).set(_KEY, key.hex())
    return key


def seal(key: bytes, proposal: Proposal, looker: Scope, until: datetime) -> str:
    """What approves exactly this proposal, by who looks at it, until a time."""
    who = [looker.tenant, looker.user, looker.agent]
    what = [who, encode(proposal), to_micros(until)]
    digest = hashlib.blake2b(pack_json(what).encode(), digest_size=20, key=key)
    return f"{to_micros(until):x}-{digest.hexdigest()}"


def check_seal(
    key: bytes | None, proposal: Proposal, looker: Scope, given: str, now: datetime
) -> None:
    """That a seal was made of this very proposal, for who uses it, and is still good.

    Raises:
        LookAgain: it was not, or is not.
    """
    time, _, _ = given.partition("-")
    try:
        until = from_micros(int(time, 16))
    except (ValueError, OverflowError):
        raise LookAgain(proposal.id, "that is not a seal") from None
    if key is None or not hmac.compare_digest(
        seal(key, proposal, looker, until).encode(), given.encode("utf-8", "replace")
    ):
        raise LookAgain(proposal.id, "it is not what was shown with that seal")
    if until <= now:
        raise LookAgain(proposal.id, "it was shown too long ago")
