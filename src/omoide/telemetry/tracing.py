"""Spans for whoever traces with OpenTelemetry. A program that does has imported it; in any other
there is nothing to tell, and nothing of it is loaded.

Names follow the GenAI semantic conventions for memory. No text and no id of a user is put on a
span, so exceptions are told by their class alone.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from omoide.nouns.errors import OmoideError

_NO_SPAN: AbstractContextManager[None] = nullcontext()


def span(operation: str) -> AbstractContextManager[None]:
    """Make what happens in this block a span of that operation; of none, where it is empty."""
    trace = sys.modules.get("opentelemetry.trace")
    return _told(trace, operation) if operation and trace is not None else _NO_SPAN


@contextmanager
def _told(trace: Any, operation: str) -> Iterator[None]:
    told = {"gen_ai.operation.name": operation}
    with trace.get_tracer("omoide").start_as_current_span(
        operation, attributes=told, record_exception=False, set_status_on_exception=False
    ) as started:
        try:
            yield
        except OmoideError as error:
            started.set_attribute("error.type", type(error).__name__)
            raise
