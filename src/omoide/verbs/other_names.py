"""Names that other libraries have for verbs, and what to call here instead."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import getmembers
from pathlib import Path
from typing import TYPE_CHECKING, get_type_hints

from omoide.nouns.errors import InvalidInput

STORING, FINDING = "remember(text) or ingest(messages)", "recall(query)"
LISTING, CHANGING = "items.list()", "correct(id, text)"
ERASING, CLEARING = "forget(id)", 'admin.erase("all")'

INSTEAD: Mapping[str, str] = {
    **dict.fromkeys(("add", "save", "insert", "put", "upsert", "write", "memorize"), STORING),
    **dict.fromkeys(("add_messages", "save_context", "append"), "ingest(messages)"),
    **dict.fromkeys(
        ("search", "query", "find", "retrieve", "lookup", "similarity_search"), FINDING
    ),
    **dict.fromkeys(("get_all", "list", "all"), LISTING),
    **dict.fromkeys(("update", "replace", "modify"), CHANGING),
    **dict.fromkeys(("delete", "remove"), ERASING),
    **dict.fromkeys(("delete_all", "clear", "reset", "purge"), CLEARING),
}


class OtherNames:
    """What answers to the name that another library has for one of its verbs with the name here."""

    if not TYPE_CHECKING:  # a type checker is to refuse names that are none

        def __getattr__(self, name: str) -> object:
            """
            Raises:
                AttributeError: there is no such attribute; it names the verb to use, if there is
                    one.
            """
            kind = type(self).__name__
            instead = INSTEAD.get(name) or _in_groups(type(self), name)
            told = (
                f"{kind} has no {name!r}; use {instead}"
                if instead
                else f"{kind!r} object has no attribute {name!r}"
            )
            raise AttributeError(told, name=name, obj=self)


def _in_groups(kind: type, name: str) -> str:
    """The verbs of that name in groups, such as ``admin.verify``; empty where there are none."""
    if name.startswith("_"):
        return ""
    parts = {group: part.fget for group, part in getmembers(kind) if isinstance(part, property)}
    made = {group: get_type_hints(fget).get("return") for group, fget in parts.items()}
    groups = [group for group, one in made.items() if _is_group(one) and hasattr(one, name)]
    return " or ".join(f"{group}.{name}" for group in groups)


def _is_group(kind: object) -> bool:
    return isinstance(kind, type) and kind.__module__.startswith(__package__ or "")


def check_opened(value: object, kind: str, takes: str) -> None:
    """That a class that takes what was opened is not given a path or an address.

    Raises:
        InvalidInput: it is.
    """
    if isinstance(value, str | Path):
        raise InvalidInput(
            takes,
            f"must be an open {takes}; to open a file or a database by its address, call"
            f" {kind}.open(...)",
        )
