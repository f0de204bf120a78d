"""Ids: what they are made of, and the checks of ids and paths that callers give."""

from __future__ import annotations

import os
import unicodedata
from functools import lru_cache
from pathlib import Path
from typing import NewType

from omoide.nouns.errors import InvalidInput, InvalidScope

ItemId = NewType("ItemId", str)
SessionId = NewType("SessionId", str)
TurnId = NewType("TurnId", str)  # "<session id>#<position>"
EntityId = NewType("EntityId", str)
ChangeId = NewType("ChangeId", str)
ID_LIMIT = 256  # characters of an id


def clean_id(value: object, field: str) -> str:
    """The id in Unicode normal form C.

    Raises:
        InvalidScope: not text, empty, too long, or with control characters or outer spaces.
    """
    if not isinstance(value, str):
        raise InvalidScope(field, f"must be text, not {type(value).__name__}")
    return _cleaned(value, field)


@lru_cache(maxsize=4096)  # every call names the same few users and sessions several times
def _cleaned(value: str, field: str) -> str:
    text = unicodedata.normalize("NFC", value)
    if not text:
        raise InvalidScope(field, "must not be empty")
    if len(text) > ID_LIMIT:
        raise InvalidScope(field, f"{len(text)} characters, the limit is {ID_LIMIT}")
    if text != text.strip() or any(unicodedata.category(c) in ("Cc", "Cs") for c in text):
        raise InvalidScope(field, f"{text!r} has control characters or outer spaces")
    return text


def check_path(path: Path | str, field: str = "path") -> str:
    """A path as text.

    Raises:
        InvalidInput: it is empty, holds a NUL, or cannot be written in the filesystem's encoding.
    """
    text = os.fspath(path)
    try:
        encoded = os.fsencode(text)
    except UnicodeEncodeError:
        raise InvalidInput(field, "holds characters that no file name can have") from None
    if not encoded or b"\0" in encoded:
        raise InvalidInput(field, "must not be empty or hold a NUL")
    return text
