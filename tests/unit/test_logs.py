"""Omoide's log is quiet unless asked for, and holds neither memory text nor secrets."""

from __future__ import annotations

import io
import json
import logging
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.telemetry.logs import MEMORY_FIELDS, VALUE_LIMIT, MaskSecrets, get_logger, mask_entry

KEY = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def entries(log: io.StringIO) -> list[dict[str, object]]:
    """The lines of a log, read."""
    return [json.loads(line) for line in log.getvalue().splitlines()]


def test_the_library_says_nothing_by_itself() -> None:
    """A program that sets up no logging sees no line of Omoide's, not even a warning."""
    code = "from omoide.telemetry.logs import get_logger; get_logger('omoide.x').error('broken', part='y')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout + done.stderr == ""


def test_an_entry_is_one_line_of_json(log: io.StringIO) -> None:
    """Event, level, time and fields stand in one line; a line break in a field cannot forge a
    second one.
    """
    job = 'j1\n{"event": "forged"}'
    get_logger("omoide.tests").info("job_failed", job=job, attempt=3)

    [entry] = entries(log)
    assert entry | {"timestamp": ""} == {
        "event": "job_failed",
        "job": job,
        "attempt": 3,
        "level": "info",
        "timestamp": "",
    }


def test_levels_below_the_one_asked_for_are_not_shown(log: io.StringIO) -> None:
    """Debug entries stay away when the log was asked for from info on."""
    get_logger("omoide.tests").debug("detail")

    assert entries(log) == []


@pytest.mark.parametrize("field", sorted(MEMORY_FIELDS))
def test_what_was_said_or_remembered_is_left_out(log: io.StringIO, field: str) -> None:
    """A field that carries memory text tells its length alone; a number in it is a count and
    stays.
    """
    get_logger("omoide.tests").info(
        "seen", **{field: "Ana likes tea", "nested": {field: ["Ana likes tea"], "n": 1}}
    )
    get_logger("omoide.tests").info("counted", **{field: 3})

    assert "tea" not in log.getvalue()
    assert entries(log)[0][field] == "[left out: 13]"
    assert entries(log)[1][field] == 3


@pytest.mark.parametrize(
    "field",
    ["password", "api_key", "apiKey", "X-Auth-Token", "client_secret", "Authorization", "cookie"],
)
def test_fields_named_like_a_secret_are_hidden(log: io.StringIO, field: str) -> None:
    """Whatever stands in such a field, however short, is not written."""
    get_logger("omoide.tests").info("called", arguments={field: "tulip"})

    assert entries(log)[0]["arguments"] == {field: "[secret]"}


def test_counts_of_tokens_are_no_secrets(log: io.StringIO) -> None:
    """Numbers of tokens are the daily bread of a log and stay."""
    get_logger("omoide.tests").info("asked", budget_tokens=900, tokens=[3, 4], token_count=7)

    assert entries(log)[0] | {"timestamp": 0} == {
        "event": "asked",
        "level": "info",
        "timestamp": 0,
        "budget_tokens": 900,
        "tokens": [3, 4],
        "token_count": 7,
    }


def test_secrets_are_masked_wherever_they_stand(log: io.StringIO) -> None:
    """In the event, in keys and values, in numbers, in exceptions: a mark stands in the secret's
    place.
    """
    try:
        raise ValueError(f"bad key {KEY}")
    except ValueError:
        get_logger("omoide.tests").exception(
            f"failed with {KEY}", where={KEY: [(KEY,)]}, card=4111111111111111
        )

    assert KEY not in log.getvalue()
    assert "4111" not in log.getvalue()
    assert entries(log)[0]["event"] == "failed with [secret: github-token]"
    assert "ValueError: bad key [secret: github-token]" in str(entries(log)[0]["exception"])


def test_the_handlers_of_the_program_get_no_secret_either() -> None:
    """A program that shows Omoide's entries by its own handler sees masked ones, tracebacks
    included.
    """
    stream = io.StringIO()
    handler, logger = logging.StreamHandler(stream), logging.getLogger("omoide")
    logger.addHandler(handler)
    try:
        raise RuntimeError(KEY)
    except RuntimeError:
        get_logger("omoide.tests").exception(f"failed {KEY}", text=KEY)
    finally:
        logger.removeHandler(handler)

    assert KEY not in stream.getvalue()
    assert "RuntimeError: [secret: github-token]" in stream.getvalue()


def test_long_values_are_cut(log: io.StringIO) -> None:
    """A value ends after 150 characters, and never in the middle of a secret."""
    get_logger("omoide.tests").info(
        "seen", path="x " * 300, late="y" * (VALUE_LIMIT - 4) + " " + KEY
    )

    assert entries(log)[0]["path"] == "x " * 75 + "…"
    assert KEY[:4] not in log.getvalue()


def test_the_filter_masks_records_of_any_logger() -> None:
    """On a handler, it masks what other libraries write, arguments and tracebacks included."""
    stream = io.StringIO()
    handler, logger = logging.StreamHandler(stream), logging.getLogger("another.library")
    handler.addFilter(MaskSecrets())
    logger.addHandler(handler)
    try:
        raise RuntimeError(KEY)
    except RuntimeError:
        logger.exception("GET /x?token=%s", KEY)
    finally:
        logger.removeHandler(handler)

    assert KEY not in stream.getvalue()
    assert "RuntimeError: [secret: github-token]" in stream.getvalue()


leaves = st.none() | st.booleans() | st.floats() | st.integers() | st.text() | st.binary()


@given(st.recursive(leaves, lambda part: st.lists(part) | st.dictionaries(st.text(), part)))
def test_any_value_can_be_logged(value: object) -> None:
    """Numbers, bytes, lone surrogates, deep nesting: an entry is made of everything, and can be
    written.
    """
    entry = mask_entry({"event": "seen", "value_of": value})

    assert json.loads(json.dumps(entry, default=repr))["event"] == "seen"
