"""Omoide: long-term memory for LLM agents that can be trusted."""

from omoide.config import Config
from omoide.errors import OmoideError
from omoide.memory import Memory
from omoide.records import Because, Category, Conversation, Details, Hit, Item, Message, Query, Recall, Role, Scope, Session, Turn

__version__ = "0.1.0"
__all__ = [
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
