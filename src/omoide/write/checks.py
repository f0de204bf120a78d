"""Checks of what callers hand in, before anything is stored. Pure; every error says what to change.

Lines, names and metadata come back with their secrets masked; ids, which a mark would break, are
refused.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from enum import Enum
from typing import Any, TypeVar
from unicodedata import category

from omoide.nouns.change import Because
from omoide.nouns.errors import InvalidInput, TooLong, UnknownName
from omoide.nouns.ids import ID_LIMIT, clean_id
from omoide.nouns.item import TEXT_LIMIT, Category, Tier
from omoide.nouns.metadata import Metadata
from omoide.nouns.scope import Scope
from omoide.text.secrets.fields import has_key, mask_json, mask_key, mask_line

METADATA_LIMIT = 16_384  # characters of an item's metadata as JSON
METADATA_DEPTH = 8
TAGS_LIMIT = 64
E = TypeVar("E", bound=Enum)
ORIGIN_LIMIT = 2_000  # characters of a document's path or address
NAME_LIMIT = 1_000  # characters of a session's title or channel, or of who speaks there
REASON_LIMIT = 2_000  # characters of why a change was made


def is_text(value: object, field: str) -> str:
    """The value, which is text.

    Raises:
        InvalidInput: it is something else.
    """
    if not isinstance(value, str):
        raise InvalidInput(field, f"must be text, not {type(value).__name__}")
    return value


def check_text(text: object, limit: int = TEXT_LIMIT) -> str:
    """The text as it is to be stored, verbatim.

    Raises:
        InvalidInput: not text, or blank.
        TooLong: over the limit.
    """
    text = is_text(text, "text")
    if not text.strip():
        raise InvalidInput("text", "is blank; give a word at least")
    if len(text) > limit:
        raise TooLong("text", len(text), limit)
    return text


def check_one_of(kind: type[E], value: object, field: str) -> E:
    """The member of an enumeration by its value, such as a category.

    Raises:
        UnknownName: there is none.
    """
    try:
        return kind(value)
    except ValueError:
        known = (m.name.lower() if isinstance(m, int) else str(m.value) for m in kind)
        raise UnknownName(field, str(value), tuple(known)) from None


def check_category(name: str) -> Category:
    """The category of that name.

    Raises:
        UnknownName: there is none.
    """
    return check_one_of(Category, name, "category")


def check_line(text: object, field: str, limit: int = ID_LIMIT) -> str:
    """A short text such as a document's address, without control characters, its secrets masked.

    Raises:
        InvalidInput: not text, or with control characters or lone surrogates.
        TooLong: over the limit.
    """
    return mask_line(_line(text, field, limit))


def check_key(text: object, field: str, limit: int = ID_LIMIT) -> str:
    """An idempotency key. One with a secret in it becomes its fingerprint, which tells repetitions
    as well.

    Raises:
        InvalidInput, TooLong: as of any line.
    """
    return mask_key(_line(text, field, limit))


def check_id(value: object, field: str) -> str:
    """A name that records are found by, in Unicode normal form C.

    Raises:
        InvalidScope: it cannot be one.
        InvalidInput: it is, or holds, a key, token or password; masking it would leave another id.
    """
    id = clean_id(value, field)
    if has_key(id):
        raise InvalidInput(
            field,
            "holds what looks like a key, token or password, and an id is kept as it is; take"
            " another id",
        )
    return id


def check_name(name: object, field: str) -> str | None:
    """A name such as a domain, its secrets masked; None where there is none.

    Raises:
        InvalidScope: it cannot be a name.
    """
    return clean_id(mask_line(clean_id(name, field)), field) if name else None


def check_scope(scope: Scope) -> Scope:
    """A scope to write to: none of its ids is a secret.

    Raises:
        InvalidInput: one is.
    """
    for name in ("tenant", "agent", "user", "session", "context"):
        if getattr(scope, name) is not None:
            check_id(getattr(scope, name), name)
    return scope


def _line(text: object, field: str, limit: int) -> str:
    text = is_text(text, field)
    if any(category(c) in ("Cc", "Cs") for c in text):
        raise InvalidInput(field, f"{text!r} has control characters")
    if len(text) > limit:
        raise TooLong(field, len(text), limit)
    return text


def as_line(text: object, field: str) -> str:
    """A name or title from outside as one line: what no line can hold becomes a space, secrets are
    masked, nothing else changes.

    Raises:
        InvalidInput: not text.
        TooLong: over NAME_LIMIT, as given or with marks in place of secrets.
    """
    text = is_text(text, field)
    if not text.isprintable():
        text = "".join(" " if category(c) in ("Cc", "Cs", "Zl", "Zp") else c for c in text).strip()
    masked = mask_line(text) if len(text) <= NAME_LIMIT else text
    if len(masked) > NAME_LIMIT:
        raise TooLong(field, len(masked), NAME_LIMIT)
    return masked


def check_flag(value: object, field: str) -> bool:
    """True or false; a text such as "false" is neither.

    Raises:
        InvalidInput: it is something else.
    """
    if not isinstance(value, bool):
        raise InvalidInput(field, f"must be True or False; got {value!r}")
    return value


def check_because(because: Because) -> Because:
    """Who wants a change and why, fit to be kept.

    Raises:
        InvalidInput, TooLong, UnknownName: a part of it is not.
    """
    if not isinstance(because, Because):
        raise InvalidInput("because", f"must be a Because, not {type(because).__name__}")
    if because.cause:
        check_id(because.cause, "cause")
    tier = check_one_of(Tier, because.tier, "tier")
    return replace(
        because,
        actor=check_line(because.actor, "actor"),
        reason=check_line(because.reason, "reason", REASON_LIMIT),
        tier=tier,
    )


def check_names(names: Iterable[str], field: str) -> tuple[str, ...]:
    """Tags or entities, each once, in the order given, their secrets masked.

    Raises:
        InvalidInput: one text instead of several, too many, or one that cannot be a name.
    """
    if isinstance(names, str):
        raise InvalidInput(field, f"give a list such as [{names!r}], not one text")
    if not isinstance(names, Iterable):
        raise InvalidInput(field, f"must be a list of names, not {type(names).__name__}")
    unique = tuple(
        dict.fromkeys(clean_id(mask_line(clean_id(name, field)), field) for name in names)
    )
    if len(unique) > TAGS_LIMIT:
        raise TooLong(field, len(unique), TAGS_LIMIT)
    return unique


def check_confidence(confidence: float) -> float:
    """A confidence from 0 to 1.

    Raises:
        InvalidInput: outside, or not a number.
    """
    if (
        not isinstance(confidence, int | float)
        or isinstance(confidence, bool)
        or not 0 <= confidence <= 1
    ):
        raise InvalidInput("confidence", f"must be from 0 to 1; got {confidence}")
    return float(confidence)


def check_metadata(metadata: Metadata, field: str = "metadata") -> Metadata:
    """Metadata that is JSON: text keys, finite numbers, at most 8 levels and 16,384 characters. Its
    secrets are masked.

    Raises:
        InvalidInput: it is not.
        TooLong: over the limit.
    """
    if isinstance(metadata, Mapping) and not metadata:
        return {}
    if _depth(metadata) > METADATA_DEPTH:
        raise InvalidInput(field, f"is nested more than {METADATA_DEPTH} deep")
    if not isinstance(metadata, Mapping) or not _has_text_keys(metadata):
        raise InvalidInput(field, "must be a mapping whose keys are text, on every level")
    try:
        packed = json.dumps(dict(metadata), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InvalidInput(field, f"is not JSON: {error}") from None
    if len(packed) > METADATA_LIMIT:
        raise TooLong(field, len(packed), METADATA_LIMIT)
    copy = mask_json(json.loads(packed))
    assert isinstance(copy, dict)
    return copy


def _depth(value: Any) -> int:
    """How deep a value is nested; looks no further than one level past the limit."""
    level, depth = [value], 0
    while level and depth <= METADATA_DEPTH:
        level = [
            inner for v in level if isinstance(v, Mapping | list | tuple)
            for inner in (v.values() if isinstance(v, Mapping) else v)
        ]  # fmt: skip
        depth += 1
    return depth


def _has_text_keys(value: Any) -> bool:
    """Of a value that is not nested too deep: JSON would turn other keys into text, and two into
    one.
    """
    if isinstance(value, Mapping):
        return all(isinstance(key, str) and _has_text_keys(inner) for key, inner in value.items())
    return not isinstance(value, list | tuple) or all(map(_has_text_keys, value))
