"""Omoide: long-term memory for LLM agents that can be trusted.

The names here are loaded when first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from omoide.aio import AsyncMemory
    from omoide.config import Config
    from omoide.errors import OmoideError
    from omoide.memory import Memory
    from omoide.records import (
        Because,
        Category,
        Conversation,
        Details,
        Hit,
        Item,
        Message,
        Query,
        Recall,
        Role,
        Scope,
        Session,
        Turn,
    )

__version__ = "0.1.0"
__all__ = [
    "AsyncMemory",
    "Because",
    "Category",
    "Config",
    "Conversation",
    "Details",
    "Hit",
    "Item",
    "Memory",
    "Message",
    "OmoideError",
    "Query",
    "Recall",
    "Role",
    "Scope",
    "Session",
    "Turn",
]
_HOMES = {"AsyncMemory": "aio", "Config": "config", "Memory": "memory", "OmoideError": "errors"}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'omoide' has no attribute {name!r}")
    return getattr(import_module(f"omoide.{_HOMES.get(name, 'records')}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
