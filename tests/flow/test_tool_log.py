"""What the log tells of a tool's call: enough to see what went on, and nothing that was told or
remembered.
"""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from omoide.memory import Memory
from omoide.telemetry.logs import VALUE_LIMIT
from tests.fix_memory import on_sqlite

pytestmark = on_sqlite

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def told(log: io.StringIO) -> dict[str, Any]:
    """The one entry about a tool's call."""
    (entry,) = (
        entry
        for line in log.getvalue().splitlines()
        if (entry := json.loads(line))["event"] == "tool_called"
    )
    return dict(entry)


@pytest.mark.covers("AD-40")
def test_a_call_is_logged_without_secrets_facts_and_results(
    memory: Memory, log: io.StringIO
) -> None:
    """Arguments named like a secret are hidden, a remembered fact is left out, values end, the
    result is not there.
    """
    args = {
        "api_key": "swordfish",
        "fact": "Ana has a secret garden",
        "path": "/srv/" + "x" * 500,
        "note": {"password": "pelican"},
        "n": 3,
    }
    memory.tool_calls.record(
        "remember", args=args, result="Ana has a secret garden, noted", duration_ms=12
    )

    entry = told(log)
    assert entry["tool"] == "remember"
    assert entry["args"]["n"] == 3
    assert entry["args"]["path"].startswith("/srv/xxx")
    assert len(entry["args"]["path"]) <= VALUE_LIMIT + 1
    assert (entry["success"], entry["ms"]) == (True, 12)
    for hidden in ("swordfish", "pelican", "garden", "noted"):
        assert hidden not in log.getvalue()


def test_of_a_sensitive_call_only_names_are_logged(memory: Memory, log: io.StringIO) -> None:
    """As they are stored."""
    memory.tool_calls.record(
        "pay", args={"amount": "20", "to": "Bo"}, error=f"refused {TOKEN}", sensitive=True
    )

    assert told(log)["args"] == ["amount", "to"]
    assert "Bo" not in log.getvalue()
    assert TOKEN not in log.getvalue()


def test_arguments_named_like_a_secret_are_masked_where_they_are_kept(memory: Memory) -> None:
    """Whatever they hold; on every level."""
    call = memory.tool_calls.record(
        "deploy",
        args={
            "auth": {"client_secret": "pelican"},
            "password": "swordfish",
            "pin": 4821,
            "to": "prod",
        },
    )

    kept = json.loads(call.args)
    assert kept["to"] == "prod"
    assert "pelican" not in call.args
    assert "swordfish" not in call.args
    assert "4821" not in call.args
