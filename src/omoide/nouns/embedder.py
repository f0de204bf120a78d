"""Embedders as a store knows them, and the vectors they make."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from omoide.nouns.record.frozen import frozen_record

Vector: TypeAlias = NDArray[np.float32]  # shape (d,), length 1


class ModelState(StrEnum):
    """What an embedder's vectors are for."""

    ACTIVE = "active"  # they serve
    BUILDING = "building"  # not all there yet; the active ones serve until they are
    RETIRED = (  # they neither serve nor are made; those that are there wait to be of use again
        "retired"
    )


@frozen_record
class Model:
    """An embedder as the store knows it: number is what stands in vector rows, input_bytes how much
    of a text its server takes at once, if it is known to have a limit.
    """

    number: int
    id: str
    spec: str
    dimension: int
    state: ModelState
    # found by use: an embedder whose limit was found is still the same one
    input_bytes: int | None = field(default=None, compare=False)
