"""What the ONNX runtime raises. Its errors share no base class but Exception, so they are gathered
by kind.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from omoide.nouns.errors import ModelError, OmoideError


@contextmanager
def onnx_errors(model: str) -> Iterator[None]:
    """Turn the runtime's own errors, and those of the system under it, into ModelError. The runtime
    must be installed.
    """
    from onnxruntime.capi import onnxruntime_pybind11_state as runtime

    kinds: list[type[Exception]] = [OSError, ValueError, RuntimeError]
    kinds += (
        kind
        for kind in vars(runtime).values()
        if isinstance(kind, type) and issubclass(kind, Exception)
    )
    known = tuple(kinds)
    try:
        yield
    except OmoideError:
        raise
    except known as problem:
        raise ModelError(f"{model}: {problem}") from problem
