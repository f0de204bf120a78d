"""No module of Omoide reports anything to anybody."""

from __future__ import annotations

import pytest

from tests.adapters.kit import in_another_process

LISTED = ("posthog", "sentry_sdk", "segment", "mixpanel", "amplitude", "mem0", "chromadb", "scarf")
PROGRAM = f"""
    import importlib, json, pkgutil, sys, threading
    import omoide
    for found in pkgutil.walk_packages(omoide.__path__, "omoide."):
        if not found.name.endswith("__main__"):
            try:
                importlib.import_module(found.name)
            except (ImportError, omoide.MissingExtra):
                pass  # an adapter whose framework is not installed
    loaded = sorted(set(name.partition(".")[0] for name in sys.modules) & set({LISTED!r}))
    exporters = [name for name in sys.modules if name.startswith("opentelemetry.exporter")]
    threads = [one.name for one in threading.enumerate() if one is not threading.main_thread()]
    print(json.dumps([loaded, exporters, threads]))
"""


@pytest.mark.covers("AD-15")
def test_no_module_reports_anything_or_keeps_a_process_alive() -> None:
    """Loading all of Omoide loads no library of telemetry and no exporter, and starts no thread."""
    assert in_another_process(PROGRAM) == [[], [], []]
