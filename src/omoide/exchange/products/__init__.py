"""Memories of other products, taken in as items.

A product is a reader: it tells whether an export is one of its own, and reads the export into
records, problems, and counts of what it leaves out. ``take_in_product`` stores the records.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from omoide.exchange.item_writer import ForeignStatement, ItemWriter
from omoide.exchange.problems import Omission, Problem
from omoide.exchange.products import (
    basic_memory,
    hindsight,
    langgraph,
    letta,
    mcp_memory,
    mem0,
    zep,
)
from omoide.exchange.products.export import Product, of_json, open_export
from omoide.memory import Memory
from omoide.nouns.change import Because
from omoide.nouns.errors import ImportRefused
from omoide.nouns.item import Tier
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.scope import Scope

# the surest to tell first
PRODUCTS: Mapping[str, Product] = {
    "mcp_memory": of_json(mcp_memory.fits, mcp_memory.read),
    "mem0": Product(mem0.is_in, mem0.read),
    "langgraph": Product(langgraph.is_in, langgraph.read),
    "letta": of_json(letta.fits, letta.read),
    "hindsight": of_json(hindsight.fits, hindsight.read),
    "zep": of_json(zep.fits, zep.read),
    "basic_memory": Product(basic_memory.is_in, basic_memory.read),
}
PROBLEMS_SHOWN = 3  # in the error of an import that found nothing


@frozen_record
class ProductIntake:
    """What became of another product's memory. id names the import, for undo; users tells how many
    items each user has of it.
    """

    id: str
    format: str
    items: int
    repeated: int
    users: Mapping[str, int]
    problems: tuple[Problem, ...] = ()
    left_out: tuple[Omission, ...] = ()


def product_of(path: Path) -> str | None:
    """The product whose memory is at path; None where it is none that is known.

    Raises:
        ImportRefused: hostile or missing.
    """
    with open_export(path) as export:
        return next((name for name, product in PRODUCTS.items() if product.is_in(export)), None)


def look_into_product(path: Path, format: str) -> None:
    """Read an export as far as its first record, before a store is made for it.

    Raises:
        ImportRefused: there is nothing in it that can be taken in.
    """
    with open_export(path) as export:
        reading = _RecordStream(PRODUCTS[format].read(export))
        if next(iter(reading), None) is None:
            raise reading.refusal(path, format)


def take_in_product(
    memory: Memory,
    path: Path,
    format: str,
    scope: Scope,
    *,
    me: str | None = None,
    tell: Callable[[int], None] = lambda done: None,
) -> ProductIntake:
    """Take in the memory of a product; a second time adds nothing twice.

    Records whose user the product names stay that user's, but for those of ``me``, which become the
    scope's user's, as those without a user do.

    Raises:
        ImportRefused: there is nothing in it that can be taken in.
    """
    id = memory.clock.new_id()
    importing = memory.acting(Because(actor="import", cause=id, tier=Tier.DOCUMENT))
    writer = ItemWriter(importing, scope, f"{format}:{path.name}", me)
    with open_export(path) as export:
        reading = _RecordStream(PRODUCTS[format].read(export))
        writer.take(reading, tell)
        reading.problems += export.source.notes
    if not (writer.added or writer.repeated or writer.problems):
        raise reading.refusal(path, format)
    return ProductIntake(
        id=id,
        format=format,
        items=writer.added,
        repeated=writer.repeated,
        users=dict(writer.users),
        problems=(*reading.problems, *writer.problems),
        left_out=reading.left_out,
    )


class _RecordStream:
    """The records of an export; what else it gives is kept aside."""

    def __init__(self, findings: Iterator[ForeignStatement | Problem | Omission]) -> None:
        self._findings = findings
        self.problems: list[Problem] = []
        self._counts: Counter[str] = Counter()
        self._places: dict[str, str] = {}

    def __iter__(self) -> Iterator[ForeignStatement]:
        for found in self._findings:
            match found:
                case ForeignStatement():
                    yield found
                case Problem():
                    self.problems.append(found)
                case Omission():
                    self._counts[found.kind] += found.count
                    self._places.setdefault(found.kind, found.place)

    @property
    def left_out(self) -> tuple[Omission, ...]:
        """What was left out, once a kind."""
        return tuple(
            Omission(kind, count, self._places[kind]) for kind, count in self._counts.items()
        )

    def refusal(self, path: Path, format: str) -> ImportRefused:
        """The error of an export that has no record."""
        told = [str(problem) for problem in self.problems[:PROBLEMS_SHOWN]]
        told += [f"left out: {omitted}" for omitted in self.left_out]
        return ImportRefused(
            str(path),
            f"nothing in it can be imported as {format}{': ' * bool(told)}{'; '.join(told)}",
        )


__all__ = [
    "PRODUCTS",
    "ProductIntake",
    "look_into_product",
    "product_of",
    "take_in_product",
]
