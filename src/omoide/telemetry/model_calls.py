"""What calls of language models took, one by one and together. Nothing that was asked or answered
is in them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from omoide.nouns.record import Record
from omoide.nouns.record.frozen import frozen_record

ANSWERED = "answered"  # an outcome; others name the error


@frozen_record
class ModelCall:
    """One call of a language model: what for, how it ended, what it took. cost_usd is None where
    the price is not known.
    """

    purpose: str
    model: str
    outcome: str = ANSWERED
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None
    seconds: float = 0.0


@frozen_record
class ModelUse(Record):
    """What the calls of a model for one purpose add up to. cost_usd is of those calls whose price
    is known; None if none is.
    """

    purpose: str
    model: str
    calls: int
    failures: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    mean_seconds: float


# the tenant that models are called for
_paying: ContextVar[str] = ContextVar("omoide_paying", default="")


@contextmanager
def paid_by(tenant: str) -> Iterator[None]:
    """Calls of models inside the block are this tenant's."""
    token = _paying.set(tenant)
    try:
        yield
    finally:
        _paying.reset(token)


def payer() -> str:
    """The tenant that models are called for; empty if nobody said."""
    return _paying.get()
