"""Omoide's own log lines: quiet unless asked for, without memory text, and with every secret
masked.

A library's log belongs to the program that uses it. So Omoide writes to the standard logger
``omoide`` and its children and shows nothing by itself; `show_logs` is for the programs Omoide
brings along (the command line, the server) and for whoever wants the same. What a log entry may
hold is decided here and nowhere else:

- fields that carry what somebody said or what is remembered are left out, only their length is
  told;
- fields named like a secret are hidden whole;
- secrets in whatever else there is are masked, wherever they stand, also in exceptions;
- values are cut at 150 characters.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TextIO

from omoide.text.secrets import mask_secrets

VALUE_LIMIT = 150  # characters of one value
_TRACE_LIMIT = 20_000  # characters of one traceback
_DEPTH_LIMIT = 6  # levels of nested values
_CARD_SIZE = 10**12  # numbers from here on may be a card's

MEMORY_FIELDS = frozenset(
    "text texts content contents body quote query question answer prompt completion message"
    " messages fact facts memory memories item items turn turns note reminder result results hits"
    " summary digest reflection lesson title old new value values raw".split()
)
SECRET_PARTS = tuple(
    "password passwd passphrase secret token api_key apikey authorization cookie credential"
    " private_key".split()
)
_COUNTS = ("tokens", "token_count", "budget")  # numbers that only sound like a secret

logging.getLogger("omoide").addHandler(logging.NullHandler())


class Log:
    """Writes events with their fields to a standard logger, each as one line of JSON."""

    def __init__(self, logger: logging.Logger) -> None:
        self._logger = logger

    def debug(self, event: str, /, *, traceback: bool = False, **fields: object) -> None:
        """Note a detail; with traceback, that of the exception that is being handled."""
        self._note(logging.DEBUG, event, fields, traceback=traceback)

    def info(self, event: str, /, **fields: object) -> None:
        """Note what happened."""
        self._note(logging.INFO, event, fields)

    def warning(self, event: str, /, **fields: object) -> None:
        """Note what should not have happened."""
        self._note(logging.WARNING, event, fields)

    def error(self, event: str, /, **fields: object) -> None:
        """Note what failed."""
        self._note(logging.ERROR, event, fields)

    def exception(self, event: str, /, **fields: object) -> None:
        """Note what failed, with the traceback of the exception that is being handled."""
        self._note(logging.ERROR, event, fields, traceback=True)

    def log(self, level: int, event: str, /, **fields: object) -> None:
        """Note an event at a level of the standard library's."""
        self._note(level, event, fields)

    def is_on(self, level: int) -> bool:
        """Whether entries of a level go anywhere."""
        return self._logger.isEnabledFor(level)

    def _note(
        self, level: int, event: str, fields: Mapping[str, object], *, traceback: bool = False
    ) -> None:
        if not self._logger.isEnabledFor(level):
            return
        told = {"level": logging.getLevelName(level).lower(), "timestamp": _now()}
        if traceback:
            told["exception"] = logging.Formatter().formatException(sys.exc_info())
        entry = mask_entry({**fields, "event": event, **told})
        self._logger.log(level, "%s", json.dumps(entry, default=repr))


def _now() -> str:
    return datetime.now(UTC).isoformat().replace("+00:00", "Z")


def get_logger(name: str) -> Log:
    """A logger that takes an event's name and its fields: ``log.info("job_failed", job=job.id,
    attempt=3)``.

    name is the module's own, such as ``omoide.jobs.worker``. The entry goes to the standard
    logger of that name as one line of JSON; what it may hold is said above.
    """
    return Log(logging.getLogger(name))


def mask_entry(entry: Mapping[str, object]) -> dict[str, object]:
    """An entry with nothing in it that may not be logged."""
    return {field: _field(field, value) for field, value in entry.items()}


def _field(field: str, value: object, depth: int = 0) -> object:
    name = field.lower()
    if name in MEMORY_FIELDS and not isinstance(value, int | float | None):
        return (
            f"[left out: {len(value)}]"
            if isinstance(value, str | bytes | Sequence | Mapping)
            else "[left out]"
        )
    if (
        any(part in name for part in SECRET_PARTS)
        and not name.endswith(_COUNTS)
        and not isinstance(value, int | None)
    ):
        return "[secret]"
    return _value(value, _TRACE_LIMIT if name == "exception" else VALUE_LIMIT, depth)


def _value(value: object, limit: int, depth: int) -> object:
    if (
        value is None
        or isinstance(value, bool | float)
        or (isinstance(value, int) and abs(value) < _CARD_SIZE)
    ):
        return value
    if depth == _DEPTH_LIMIT:
        return "…"
    if isinstance(value, Mapping):
        return {
            mask_secrets(str(key)).text: _field(str(key), one, depth + 1)
            for key, one in value.items()
        }
    if isinstance(value, list | tuple | set | frozenset):
        return [_value(one, limit, depth + 1) for one in value]
    masked = mask_secrets(value if isinstance(value, str) else str(value)).text
    return masked if len(masked) <= limit else masked[:limit] + "…"


class MaskSecrets(logging.Filter):
    """Masks secrets in any standard log record, whoever wrote it. Put it on a handler."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every record pass, its message and traceback masked."""
        record.msg, record.args = mask_secrets(record.getMessage()).text, None
        if record.exc_info:
            record.exc_text = mask_secrets(
                record.exc_text or logging.Formatter().formatException(record.exc_info)
            ).text
            record.exc_info = None
        return True


def show_logs(level: str = "INFO", stream: TextIO | None = None) -> logging.Handler:
    """Show Omoide's log on a stream, standard error unless given, one line an entry. Gives the
    handler, to remove it again.
    """
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.addFilter(MaskSecrets())
    handler.setFormatter(logging.Formatter("%(message)s"))
    logger = logging.getLogger("omoide")
    logger.addHandler(handler)
    logger.setLevel(level)
    return handler
