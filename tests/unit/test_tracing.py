"""Spans around memory operations: there, named by convention, and without anybody's words."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

from omoide.memory import Memory
from omoide.nouns.errors import NotFound
from omoide.telemetry.tracing import span
from omoide.testing import memory_for_tests


def test_a_span_lets_errors_through() -> None:
    """What fails within a span fails as before."""
    with span("search_memory"):
        pass
    with pytest.raises(NotFound), span("search_memory"):
        raise NotFound("number", "x")


def test_recall_is_traced() -> None:
    """A verb of Memory runs within a span, and its signature shows through."""
    assert "query" in inspect.signature(Memory.recall).parameters
    with memory_for_tests() as memory:
        assert memory.recall("anything").hits == ()


TRACED = """
from contextlib import contextmanager
from opentelemetry import trace

told = []

class Tracer(trace.NoOpTracer):
    @contextmanager
    def start_as_current_span(self, name, **options):
        told.append((name, options["attributes"]))
        yield trace.INVALID_SPAN

class Provider(trace.TracerProvider):
    def get_tracer(self, *names, **options):
        return Tracer()

trace.set_tracer_provider(Provider())
from omoide.testing import memory_for_tests
with memory_for_tests() as memory:
    memory.recall("anything")
print(told)
"""


def test_a_program_that_traces_is_told_of_a_recall() -> None:
    """Whoever has imported OpenTelemetry gets a span with the operation's name, and no text."""
    done = subprocess.run(
        [sys.executable, "-c", TRACED], capture_output=True, text=True, check=True
    )

    assert "[('search_memory', {'gen_ai.operation.name': 'search_memory'})]" in done.stdout


def test_a_program_that_does_not_trace_loads_nothing_of_it() -> None:
    """Recalling does not import OpenTelemetry."""
    code = (
        "import sys; from omoide.testing import memory_for_tests\n"
        "with memory_for_tests() as memory: memory.recall('anything')\n"
        "print('opentelemetry' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "False"
