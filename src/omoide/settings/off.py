"""Why memory cannot work at all, for programs that go on without it, and what to do about it."""

from __future__ import annotations

from omoide.nouns.errors import (
    SWITCH_ON,
    MemoryOff,
    MissingExtra,
    ModelMissing,
    ModelUnreachable,
    Off,
    OmoideError,
)

MODEL_EXTRAS = ("local", "fastembed", "openai")  # without which an embedder is missing
REMEDIES = {
    Off.DISABLED: SWITCH_ON,
    Off.MODEL_MISSING: "install or pull the model, or name another one by OMOIDE_EMBEDDER",
    Off.SERVICE_UNREACHABLE: (
        "start the model's server, or name another embedder by OMOIDE_EMBEDDER"
    ),
}


def why_off(error: OmoideError) -> Off | None:
    """The reason for which memory cannot work at all, if the error is one of these."""
    if isinstance(error, MemoryOff):
        return Off.DISABLED
    if isinstance(error, ModelMissing) or (
        isinstance(error, MissingExtra) and error.extra in MODEL_EXTRAS
    ):
        return Off.MODEL_MISSING
    return Off.SERVICE_UNREACHABLE if isinstance(error, ModelUnreachable) else None


def off_message(error: OmoideError) -> str:
    """What a person reads where a program goes on without memory: that it is off, why, and what to
    do about it.
    """
    off = why_off(error)
    said = str(error)
    if off is None or off is Off.DISABLED or REMEDIES[off] in said:  # it says itself what to do
        return f"memory is off: {said}"
    return f"memory is off: {said}; {REMEDIES[off]}"
