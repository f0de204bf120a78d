"""What random programs hand to verbs: texts, names, times, numbers and filters, usual and odd."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta, timezone
from random import Random
from typing import Any, TypeVar

from omoide.nouns.item import Category, Details, Source, Tier
from omoide.nouns.kind import Kind
from omoide.nouns.query import Arm, Query
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Message, Role
from omoide.tables.listing import SORTS, Listing
from tests.fix_memory import NINE

T = TypeVar("T")

WHO = ("Ana", "Ben", "Zoë", "田中さん", "สมชาย", "İrem", "ירון")
DOES = ("likes", "does not like", "lives in", "works with", "好き", "moved to", "paid 12 % for")
WHAT = (
    "green tea",
    "12 cups of tea",
    "13 cups of tea",
    "Zürich",
    "東京",
    "multi-agent systems",
    "C++",
    "user_id 7",
    "ชาเขียว",
    "GB/s",
    "ISPARTA",
    "ıspanak",
    "straße",
    "the 3rd of May 2025",
)
LONG = " ".join(f"{WHO[n % 7]} {DOES[n % 7]} {WHAT[n % 14]} {n}." for n in range(2_500))  # 100 kB
WRONG = ("", "   ", "a\0b nul within", "\0")
ODD = (
    "half \ud800 a pair",
    "👩‍👩‍👧 family",
    "ﬁne ligature",
    "İstanbul ISPARTA ısı Iğdır",
    "e\u0301 and é",
    "z" + "\u0301" * 300,
    "\u202eright to left\u202c",
    "שלום עולם tea",
    "% _ ' \" \\ ; --",
    "a\\u0000b \\x00",
    "tea " * 40,
    "the key is sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH",
    "ignore\x07 bell",
    "line\nbreak\r\nand\u2028more",
    "don't",
    "\ufeffmark",
    "\U0010ffff last",
    "12345678901234567890",
    "-0.0 1e400 NaN Infinity",
    '{"a": [1, 2]}',
    "[]",
    "null",
)
NAMES = ("tea", "家", "x'y", "Tea", "té", "te%", "a\\b", "\U0001f375")
ENTITIES = ("person:ana", "project:zürich", "ชาเขียว", "person:Ana", "place:İzmir")
ALIASES = ("person:anna", "Ännchen", "ana", "ANA", "annchen", "iz%")
SESSIONS = ("s1", "s2", "会話", "S1", "talk'%")
ORIGINS = ("notes.md", "import-1", "https://example.org/a?b=%20")
CONTEXTS = ("global", "work", "nowhere", "Work")
USERS = ("ana", "ben", "eve", "Ana", "ıda", "mail:ana@x.org")
AGENTS = ("bot", "cook")
CHANNELS = ("mail", "whatsapp", "Mail")
SENDERS = ("ana@x.org", "+351912345678", "ben", "BEN", "😀")
TOOLS = ("search", "Search", "file_read", "検索")
GOALS = ("book a train", "find the best tea", "検索 する", "%")
QUESTIONS = (
    "tea",
    "what does Ana like?",
    "who lives in 東京",
    "when did Ana drink tea yesterday?",
    "ชาเขียว",
    "green -tea",
    "ISPARTA",
    "ana",
)
ANA = Scope(user="ana")
SCOPES = (
    *(ANA,) * 12,
    Scope(user="ben"),
    Scope(),
    Scope(shared=True),
    Scope(agent="bot"),
    Scope(user="ana", agent="bot"),
    Scope(user="ana", session="s1"),
    Scope(user="ben", session="s1"),
    Scope(user="ana", session="s2", context="work"),
    Scope(user="ana", context="work"),
    Scope(session="s2"),
    Scope(tenant="other", user="ana"),
)
EARLIEST, LATEST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
OFFSETS = (0, 60, -570, 840)  # minutes
HOURS = (-200, -48, -1, 0, 1, 24, 200, 24 * 365)
NUMBERS = (3, 3.0, -0.0, 0.1, 1e300, 5e-324, 2**53 + 1, -(2**63), 2**63, 10**30, True, 1)
METADATA: tuple[Mapping[str, Any], ...] = (
    {},
    {},
    {"n": 3},
    {"n": 3.0, "place": {"city": "Zürich"}},
    {"list": [1, "a"]},
    {"flag": True},
    {"n": "3"},
    {"n": None},
    {"k.e'y%": "\0", "é": "e\u0301"},
)
BAD_METADATA: tuple[Mapping[str, Any], ...] = ({"bad": float("nan")}, {"bad": object()})
CONDITIONS: tuple[Mapping[str, Any], ...] = (
    {"n": 3},
    {"n": {"$gte": 3}},
    {"n": {"$lt": "4"}},
    {"n": {"$ne": 3}},
    {"n": None},
    {"n": True},
    {"place.city": "Zürich"},
    {"list": {"$contains": "a"}},
    {"flag": {"$exists": False}},
    {"n": {"$in": [3, 4, "3", None]}},
    {"$or": [{"n": 3}, {"flag": True}]},
    {"$not": {"n": {"$exists": True}}},
    {"k.e'y%": "\0"},
    {"n": {"$like": 3}},
)


class Chance(Random):
    """Random values of the kinds that verbs take."""

    def often(self, share: float) -> bool:
        """True in so large a share of the calls."""
        return self.random() < share

    def maybe(self, value: T, share: float = 0.3) -> T | None:
        """The value in so large a share of the calls, else None."""
        return value if self.often(share) else None

    def some(self, values: Sequence[T], most: int = 2) -> tuple[T, ...]:
        """Up to so many of the values."""
        return tuple(self.sample(values, min(len(values), self.randint(0, most))))

    def text(self) -> str:
        """A sentence; sometimes an odd text, seldom a long one."""
        if self.often(0.12):
            return self.choice(ODD)
        if self.often(0.03):
            return self.choice(WRONG)
        if self.often(0.05):
            return "".join(
                chr(self.choice((127, 2_000, 70_000, 0x10FFFF)) - self.randint(0, 90))
                for _ in range(9)
            )
        if self.often(0.006):
            return LONG[: self.choice((60_000, 70_000, 100_000))]
        said = f"{self.choice(WHO)} {self.choice(DOES)} {self.choice(WHAT)}"
        return said + self.choice(("", "", "", ".", " 👍", f" {self.choice(NUMBERS)}"))

    def metadata(self) -> Mapping[str, Any]:
        """Metadata, seldom such as no store keeps."""
        return self.choice(BAD_METADATA if self.often(0.03) else METADATA)

    def name(self) -> str:
        """A name of a tag or a saved search; seldom one that cannot be one."""
        return self.choice(("", "\0", " ")) if self.often(0.03) else self.choice(NAMES)

    def names(self) -> tuple[str, ...]:
        """Up to two names."""
        return tuple(self.name() for _ in range(self.randint(0, 2)))

    def scope(self) -> Scope:
        """Mostly Ana's."""
        return self.choice(SCOPES)

    def time(self) -> datetime:
        """A time near the clock's, of some zone; seldom one at an end of what there is."""
        if self.often(0.04):
            return self.choice((EARLIEST, LATEST, NINE.replace(tzinfo=None)))
        zone = timezone(timedelta(minutes=self.choice(OFFSETS)))
        moment = NINE + timedelta(hours=self.choice(HOURS), microseconds=self.choice((0, 0, 1)))
        return moment.astimezone(zone)

    def details(self, turns: Sequence[Any], items: Sequence[Any]) -> Details:
        """Details of an item, on some of these turns and items."""
        return Details(
            domain=self.choice((None, "home", "Home", "")),
            metadata=self.metadata(),
            confidence=self.choice((None, None, None, 0.0, 0.35, 1.0, 1e-9))
            if self.often(0.97)
            else 1.5,
            sensitive=self.often(0.15),
            source=self.choice(tuple(Source)),
            tier=self.choice((None, None, *Tier)),
            quote=self.choice((None, None, None, "tea", "nul \0")),
            source_turns=self.some(turns) if turns and self.often(0.4) else (),
            bases=self.some(items) if items and self.often(0.3) else (),
            valid_from=self.maybe(self.time()),
            valid_until=self.maybe(self.time(), 0.15),
            expires_at=self.maybe(self.time(), 0.15),
            origin=self.choice((None, None, *ORIGINS)),
            session_only=self.often(0.1),
        )

    def query(self) -> Query:
        """A question, with few of the filters, so that something is found."""
        rare = 0.12
        return Query(
            text=self.choice(QUESTIONS) if self.often(0.4) else self.text(),
            kinds=frozenset(self.choice((*((Kind.ITEM, Kind.TURN),) * 4, (Kind.ENTITY,), Kind))),
            categories=self.maybe(frozenset(self.some(tuple(Category), 4)), rare),
            contexts=self.maybe(frozenset(self.some(CONTEXTS)), rare),
            domain=self.maybe("home", rare),
            tags=self.names() if self.often(rare) else (),
            entities=self.some(ENTITIES) if self.often(rare) else (),
            metadata=self.choice(CONDITIONS) if self.often(0.25) else {},
            since=self.maybe(self.time(), rare),
            until=self.maybe(self.time(), rare),
            as_of=self.maybe(self.time(), rare),
            known_at=self.maybe(self.time(), rare),
            include_sensitive=self.often(0.3),
            include_muted=self.often(0.3),
            confirmed_only=self.often(0.2),
            without_session=self.maybe(self.choice(SESSIONS), rare),
            floors=self.choice(({}, {}, {}, {Arm.TEXT: 0.5}, {Arm.VECTOR: 0.2})),
            budget_tokens=self.choice((None, None, 0, 5, 40)),
            passage_tokens=self.choice((400, 400, None, 8)),
            allow_degraded=self.often(0.5),
            preset=self.choice(("default", "fast", "keyword", "rrf", "best", "thorough"))
            if self.often(0.97)
            else "slow",
        )

    def listing(self) -> Listing:
        """A page of items."""
        rare = 0.15
        return Listing(
            category=self.choice(("", "", "fact", "note", "fact", "note", "preference", "colour")),
            domain=self.choice(("", "", "home")),
            context=self.choice(("", "", "work")),
            with_global=self.often(0.5),
            entity=self.choice(("", "", "", *ENTITIES, "ana")),
            sensitive=self.choice((None, None, False, True)),
            since=self.maybe(self.time(), rare),
            until=self.maybe(self.time(), rare),
            closed=self.often(0.5),
            unconfirmed=self.often(rare),
            confirmed_only=self.often(rare),
            sort=self.choice((*SORTS, *SORTS, "colour")),
            descending=self.often(0.5),
            limit=self.choice((0, 1, 2, 2, 50, 50, 50, 50)),
            offset=self.choice((0, 0, 0, 0, 0, 1, 1, 3, 3, -1)),
        )

    def message(self) -> Message:
        """One message of a talk."""
        return Message(
            text=self.text(),
            role=self.choice((Role.USER, Role.USER, *Role)),
            speaker=self.choice((None, "Ana", "Zoë\u2028B", "")),
            user=self.choice((None, None, None, "ana", "ben")),
            at=self.maybe(self.time()),
            key=self.choice((*(None,) * 9, "k1", "k2", "K1", "k%")),
            metadata=self.metadata(),
        )
