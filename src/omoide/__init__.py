"""Omoide: long-term memory for LLM agents that can be trusted.

The names here are loaded when first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False  # not typing's, whose import alone takes longer than all of this

if TYPE_CHECKING:
    from omoide.aio import AsyncMemory
    from omoide.archive.results import Exported, Loaded
    from omoide.clients.wrapping import wrap
    from omoide.context.budget import Budget
    from omoide.context.result import Answer, Block, Citation, Context
    from omoide.faculties.reflection.suggestions import Reflected
    from omoide.faculties.searches.saved_search import SavedSearch, SearchFilters
    from omoide.forgetting.undo import Undone
    from omoide.learning.report import Extraction
    from omoide.learning.unavailable import LearningUnavailable
    from omoide.learning.usage_analysis import Analysis
    from omoide.memory import Memory
    from omoide.models.chat.base import Ask, ChatModel, Completion, Purpose
    from omoide.nouns.access import Principal, Right
    from omoide.nouns.change import Action, Because, Change
    from omoide.nouns.chore import Ran, Tidied
    from omoide.nouns.clock import Clock, FixedClock, SystemClock
    from omoide.nouns.entity import Entity
    from omoide.nouns.errors import (
        AmbiguousId,
        BadAnswer,
        BadVector,
        CannotUndo,
        Conflict,
        DamagedRecord,
        Deadlock,
        Forbidden,
        ForgottenInArchive,
        ImportRefused,
        InvalidInput,
        InvalidScope,
        InvalidTime,
        LookAgain,
        MemoryOff,
        MissingExtra,
        ModelError,
        ModelMissing,
        ModelRefused,
        ModelTimeout,
        ModelUnreachable,
        NewerStore,
        NotFound,
        Off,
        OmoideError,
        OutOfBudget,
        OwnerMissing,
        PriceUnknown,
        ScopeConflict,
        SharedSession,
        SpendLimit,
        StoreBusy,
        StoreClosed,
        StoreError,
        StoreFull,
        StoreRefused,
        TenantMismatch,
        TokenLimit,
        TooLong,
        UnknownName,
        WrongPassphrase,
    )
    from omoide.nouns.hit import ArmRank, Feature, Hit, Passage, Recall, Step
    from omoide.nouns.item import Category, Details, Item, Source, Tier
    from omoide.nouns.kind import Kind
    from omoide.nouns.memory_type import MemoryType
    from omoide.nouns.procedure import Failed, Lesson, Procedure
    from omoide.nouns.proposal import ForReview, Proposal
    from omoide.nouns.query import Arm, Query
    from omoide.nouns.receipt import Cut, Receipt
    from omoide.nouns.reflection import Digest, Profile, Reflection
    from omoide.nouns.scope import Scope
    from omoide.nouns.sender import Sender, User, UserRecord
    from omoide.nouns.session import Conversation, Participant, Session
    from omoide.nouns.turn import Mask, Message, Role, Turn
    from omoide.read.lineage import Diff, History
    from omoide.read.listings import Capabilities, Page, Stats
    from omoide.read.why_not import WhyNot
    from omoide.settings.config import Config
    from omoide.settings.levels import Level
    from omoide.settings.off import off_message, why_off
    from omoide.settings.switches import Switches
    from omoide.tables.foreign import ForeignLedger
    from omoide.tables.jobs import Queued
    from omoide.tables.ledger import Head
    from omoide.tables.listing import Listing
    from omoide.tables.sessions import SessionPreview, Unlearnt
    from omoide.tables.tools import ToolCall, ToolSummary
    from omoide.upkeep.doctor import Finding
    from omoide.upkeep.scan import Leak
    from omoide.upkeep.verify import Verdict
    from omoide.wire.verbs import Returns, Verb
    from omoide.write.ingest import Ingested
    from omoide.write.remember import Remembered, Statement
__version__ = "0.1.0"
__all__ = [
    "Action",
    "AmbiguousId",
    "Analysis",
    "Answer",
    "Arm",
    "ArmRank",
    "Ask",
    "AsyncMemory",
    "BadAnswer",
    "BadVector",
    "Because",
    "Block",
    "Budget",
    "CannotUndo",
    "Capabilities",
    "Category",
    "Change",
    "ChatModel",
    "Citation",
    "Clock",
    "Completion",
    "Config",
    "Conflict",
    "Context",
    "Conversation",
    "Cut",
    "DamagedRecord",
    "Deadlock",
    "Details",
    "Diff",
    "Digest",
    "Entity",
    "Exported",
    "Extraction",
    "Failed",
    "Feature",
    "Finding",
    "FixedClock",
    "ForReview",
    "Forbidden",
    "ForeignLedger",
    "ForgottenInArchive",
    "Head",
    "History",
    "Hit",
    "ImportRefused",
    "Ingested",
    "InvalidInput",
    "InvalidScope",
    "InvalidTime",
    "Item",
    "Kind",
    "Leak",
    "LearningUnavailable",
    "Lesson",
    "Level",
    "Listing",
    "Loaded",
    "LookAgain",
    "Mask",
    "Memory",
    "MemoryOff",
    "MemoryType",
    "Message",
    "MissingExtra",
    "ModelError",
    "ModelMissing",
    "ModelRefused",
    "ModelTimeout",
    "ModelUnreachable",
    "NewerStore",
    "NotFound",
    "Off",
    "OmoideError",
    "OutOfBudget",
    "OwnerMissing",
    "Page",
    "Participant",
    "Passage",
    "PriceUnknown",
    "Principal",
    "Procedure",
    "Profile",
    "Proposal",
    "Purpose",
    "Query",
    "Queued",
    "Ran",
    "Recall",
    "Receipt",
    "Reflected",
    "Reflection",
    "Remembered",
    "Returns",
    "Right",
    "Role",
    "SavedSearch",
    "Scope",
    "ScopeConflict",
    "SearchFilters",
    "Sender",
    "Session",
    "SessionPreview",
    "SharedSession",
    "Source",
    "SpendLimit",
    "Statement",
    "Stats",
    "Step",
    "StoreBusy",
    "StoreClosed",
    "StoreError",
    "StoreFull",
    "StoreRefused",
    "Switches",
    "SystemClock",
    "TenantMismatch",
    "Tidied",
    "Tier",
    "TokenLimit",
    "TooLong",
    "ToolCall",
    "ToolSummary",
    "Turn",
    "Undone",
    "UnknownName",
    "Unlearnt",
    "User",
    "UserRecord",
    "Verb",
    "Verdict",
    "WhyNot",
    "WrongPassphrase",
    "off_message",
    "why_off",
    "wrap",
]
_NAMES = {
    "aio": "AsyncMemory",
    "archive.results": "Exported Loaded",
    "clients.wrapping": "wrap",
    "context.budget": "Budget",
    "context.result": "Answer Block Citation Context",
    "faculties.reflection.suggestions": "Reflected",
    "faculties.searches.saved_search": "SavedSearch SearchFilters",
    "forgetting.undo": "Undone",
    "learning.report": "Extraction",
    "learning.unavailable": "LearningUnavailable",
    "learning.usage_analysis": "Analysis",
    "memory": "Memory",
    "models.chat.base": "Ask ChatModel Completion Purpose",
    "nouns.access": "Principal Right",
    "nouns.change": "Action Because Change",
    "nouns.chore": "Ran Tidied",
    "nouns.clock": "Clock FixedClock SystemClock",
    "nouns.entity": "Entity",
    "nouns.errors": (
        "AmbiguousId BadAnswer BadVector CannotUndo Conflict DamagedRecord Deadlock Forbidden "
        "ForgottenInArchive ImportRefused InvalidInput InvalidScope InvalidTime LookAgain "
        "MemoryOff MissingExtra ModelError ModelMissing ModelRefused ModelTimeout "
        "ModelUnreachable NewerStore NotFound Off OmoideError OutOfBudget OwnerMissing "
        "PriceUnknown ScopeConflict SharedSession SpendLimit StoreBusy StoreClosed StoreError "
        "StoreFull StoreRefused TenantMismatch TokenLimit TooLong UnknownName WrongPassphrase"
    ),
    "nouns.hit": "ArmRank Feature Hit Passage Recall Step",
    "nouns.item": "Category Details Item Source Tier",
    "nouns.kind": "Kind",
    "nouns.memory_type": "MemoryType",
    "nouns.procedure": "Failed Lesson Procedure",
    "nouns.proposal": "ForReview Proposal",
    "nouns.query": "Arm Query",
    "nouns.receipt": "Cut Receipt",
    "nouns.reflection": "Digest Profile Reflection",
    "nouns.scope": "Scope",
    "nouns.sender": "Sender User UserRecord",
    "nouns.session": "Conversation Participant Session",
    "nouns.turn": "Mask Message Role Turn",
    "read.lineage": "Diff History",
    "read.listings": "Capabilities Page Stats",
    "read.why_not": "WhyNot",
    "settings.config": "Config",
    "settings.levels": "Level",
    "settings.off": "off_message why_off",
    "settings.switches": "Switches",
    "tables.foreign": "ForeignLedger",
    "tables.jobs": "Queued",
    "tables.ledger": "Head",
    "tables.listing": "Listing",
    "tables.sessions": "SessionPreview Unlearnt",
    "tables.tools": "ToolCall ToolSummary",
    "upkeep.doctor": "Finding",
    "upkeep.scan": "Leak",
    "upkeep.verify": "Verdict",
    "wire.verbs": "Returns Verb",
    "write.ingest": "Ingested",
    "write.remember": "Remembered Statement",
}
_HOMES = {name: home for home, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'omoide' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"omoide.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
