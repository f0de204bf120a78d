"""Spans for whoever traces: the OpenTelemetry API alone, almost free until a program sets up a
tracer.

Names follow the GenAI semantic conventions for memory. No text and no id of a user is put on a
span, so exceptions are told by their class alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from opentelemetry import trace

from omoide.nouns.errors import OmoideError

_tracer = trace.get_tracer("omoide")


@contextmanager
def span(operation: str) -> Iterator[None]:
    """Make what happens in this block a span of that operation; of none, where it is empty."""
    if not operation:
        yield
        return
    told = {"gen_ai.operation.name": operation}
    with _tracer.start_as_current_span(
        operation, attributes=told, record_exception=False, set_status_on_exception=False
    ) as started:
        try:
            yield
        except OmoideError as error:
            started.set_attribute("error.type", type(error).__name__)
            raise
