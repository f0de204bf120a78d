"""What language models cost: one setting, read into prices. Pure.

The setting is a list such as ``openai:gpt-5-mini=0.25/2,ollama:qwen3=0/0``: US dollars for a
million tokens, read and written.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from omoide.nouns.errors import InvalidInput
from omoide.nouns.record.frozen import frozen_record

_AMOUNT = r"(\d{1,6}(?:\.\d{1,6})?)"


@frozen_record
class Price:
    """US dollars for a million tokens."""

    read: float
    written: float

    def of(self, read: int, written: int) -> float:
        """What a call costs that read and wrote so many tokens, in US dollars."""
        return (read * self.read + written * self.written) / 1e6


def read_prices(setting: str) -> Mapping[str, Price]:
    """The prices that a setting names, by the ids of models as ``omoide stats`` shows them.

    Raises:
        InvalidInput: an entry cannot be read.
    """
    return dict(_read(entry.strip()) for entry in setting.split(",") if entry.strip())


def _read(entry: str) -> tuple[str, Price]:
    """The model of an entry, and its price."""
    model, _, amounts = (part.strip() for part in entry.rpartition("="))
    if ";" in entry or re.search(f"={_AMOUNT}/{_AMOUNT}", model):
        raise InvalidInput(
            "prices",
            f"{entry!r} is more than one entry: write them with commas between, such as"
            " m=0.25/2,n=1/8",
        )
    found = re.fullmatch(rf"{_AMOUNT}/{_AMOUNT}", amounts, re.ASCII)
    if not model or found is None:
        raise InvalidInput(
            "prices",
            f"{entry!r} is not written MODEL=READ/WRITTEN, dollars for a million tokens, such as"
            " m=0.25/2",
        )
    return model, Price(read=float(found[1]), written=float(found[2]))
