"""Spans for whoever traces: the OpenTelemetry API alone, almost free until a program sets up a
tracer.

Names follow the GenAI semantic conventions for memory. No text and no id of a user is put on a
span, so exceptions are told by their class alone.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Literal, ParamSpec, TypeVar

from opentelemetry import trace

from omoide.nouns.errors import OmoideError

P = ParamSpec("P")
T = TypeVar("T")
Operation = Literal[
    "create_memory", "update_memory", "upsert_memory", "search_memory", "delete_memory"
]

_tracer = trace.get_tracer("omoide")


def traced(operation: Operation) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Make each call of a function a span of that operation."""

    def decorate(verb: Callable[P, T]) -> Callable[P, T]:
        @wraps(verb)
        def call(*args: P.args, **kwargs: P.kwargs) -> T:
            told = {"gen_ai.operation.name": operation}
            with _tracer.start_as_current_span(
                operation, attributes=told, record_exception=False, set_status_on_exception=False
            ) as span:
                try:
                    return verb(*args, **kwargs)
                except OmoideError as error:
                    span.set_attribute("error.type", type(error).__name__)
                    raise

        return call

    return decorate
