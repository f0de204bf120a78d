"""SQLite and Postgres give the same answers: the same random calls of every verb, compared word for
word.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import fields, is_dataclass
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from omoide.exchange.migrate_store import TABLES
from omoide.memory import Memory
from omoide.models.embedders.fake import FakeEmbedder
from omoide.nouns.change import Because
from omoide.nouns.clock import FixedClock
from omoide.nouns.errors import OmoideError
from omoide.nouns.ids import TurnId
from omoide.nouns.item import Category, Details, Source, Tier
from omoide.nouns.kind import Kind
from omoide.nouns.query import Arm, Query
from omoide.nouns.record_kind import Table
from omoide.nouns.scope import Scope
from omoide.nouns.session import Conversation, Participant
from omoide.nouns.turn import Message, Role
from omoide.store.base import Store
from omoide.store.postgres.engine import PostgresStore
from omoide.store.sqlite.engine import SqliteStore
from omoide.tables.columns import unpack_vector
from omoide.tables.listing import SORTS, Listing
from tests.fix_memory import NINE
from tests.fix_postgres import SERVERS, TEMPLATE, create, database_of, drop
from tests.forgetting import forget

FULL = os.environ.get("OMOIDE_TORTURE") == "full"

# The ledger is salted, a step takes its time, and what is left in a server's files is for the
# server to tell.
OWN = {("Change", "content"), ("Change", "hash"), ("Head", "hash"), ("Step", "ms")} | {
    ("Receipt", name) for name in ("pending", "residue", "searched")
}
# Drawn at random, so that nobody can tell who was forgotten.
NAMELESS = re.compile(r"forgotten-[0-9a-f]{16}")

ANA = Scope(user="ana")
SCOPES = (
    *(ANA,) * 8,
    Scope(user="ben"),
    Scope(),
    Scope(user="ana", agent="bot"),
    Scope(user="ana", session="s1"),
    Scope(user="ben", session="s1"),
    Scope(user="ana", session="s2", context="work"),
    Scope(user="ana", context="work"),
    Scope(session="s2"),
    Scope(tenant="other", user="ana"),
)
WHO = ("Ana", "Ben", "Zoë", "田中さん", "สมชาย")
DOES = ("likes", "does not like", "lives in", "works with", "好き")
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
)
ODD = (
    "",
    "   ",
    "a\0b nul within",
    "half \ud800 a pair",
    "👩‍👩‍👧 family",
    "ﬁne ligature",
    "İstanbul",
    "e\u0301 and é",
    "% _ ' \" \\ ; --",
    "tea " * 40,
    "the key is sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH",
    "ignore\x07 bell",
    "line\nbreak",
    "don't",
)
TAGS, ENTITIES, ALIASES = (
    ("tea", "家", "x'y"),
    ("person:ana", "project:zürich", "ชาเขียว"),
    ("person:anna", "Ännchen", "ana"),
)
SESSIONS, ORIGINS, CONTEXTS = (
    ("s1", "s2", "会話"),
    ("notes.md", "import-1"),
    ("global", "work", "nowhere"),
)

texts = st.one_of(
    st.builds(
        "{} {} {}".format, st.sampled_from(WHO), st.sampled_from(DOES), st.sampled_from(WHAT)
    ),
    st.builds(
        "{} {} {}".format, st.sampled_from(WHO), st.sampled_from(DOES), st.sampled_from(WHAT)
    ),
    st.sampled_from(ODD),
    st.text(max_size=12),
)
scopes = st.sampled_from(SCOPES)
flags = st.booleans()
hours = st.sampled_from((-200, -48, -1, 0, 1, 24, 200, 24 * 365))
picks = st.integers(0, 40)  # which of the records known so far
few = st.integers(-1, 6)


def some(values: Sequence[Any], most: int = 2) -> st.SearchStrategy[tuple[Any, ...]]:
    """Up to so many of the values."""
    return st.lists(st.sampled_from(values), max_size=most, unique=True).map(tuple)


def maybe(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """The value, or none."""
    return st.none() | strategy


def seldom(strategy: st.SearchStrategy[Any], usual: Any = None) -> st.SearchStrategy[Any]:
    """The value one time in six: a question with every filter finds nothing."""
    return st.integers(0, 5).flatmap(lambda n: strategy if n == 5 else st.just(usual))


times = maybe(hours.map(lambda n: NINE + timedelta(hours=n)))
metadata = st.sampled_from(
    (
        {},
        {"n": 3},
        {"n": 3.0, "place": {"city": "Zürich"}},
        {"list": [1, "a"]},
        {"flag": True},
        {"bad": float("nan")},
    )
)
conditions = st.sampled_from(
    (
        {},
        {},
        {},
        {"n": 3},
        {"n": {"$gte": 3}},
        {"n": {"$ne": 3}},
        {"place.city": "Zürich"},
        {"list": {"$contains": "a"}},
        {"flag": {"$exists": False}},
        {"n": {"$in": [3, 4]}},
        {"n": {"$like": 3}},
    )
)
queries = st.builds(
    Query,
    text=texts
    | st.sampled_from(
        (
            "tea",
            "what does Ana like?",
            "who lives in 東京",
            "when did Ana drink tea yesterday?",
            "ชาเขียว",
            "green -tea",
            "ana",
        )
    ),
    kinds=st.sampled_from(
        (frozenset({Kind.ITEM, Kind.TURN}),) * 4
        + (frozenset({Kind.ITEM}), frozenset({Kind.TURN}), frozenset({Kind.ENTITY}))
    ),
    categories=seldom(some(tuple(Category)[:4]).map(frozenset)),
    contexts=seldom(some(CONTEXTS).map(frozenset)),
    domain=st.sampled_from((None, None, None, "home")),
    tags=seldom(some(TAGS), ()),
    entities=seldom(some(ENTITIES), ()),
    metadata=seldom(conditions, {}),
    since=seldom(times),
    until=seldom(times),
    as_of=seldom(times),
    known_at=seldom(times),
    include_sensitive=flags,
    include_muted=flags,
    confirmed_only=flags,
    without_session=seldom(st.sampled_from(SESSIONS)),
    floors=st.sampled_from(({}, {}, {Arm.TEXT: 0.5}, {Arm.VECTOR: 0.2})),
    budget_tokens=st.sampled_from((None, None, 0, 5, 40)),
    preset=st.sampled_from(("fast", "default", "best", "keyword", "rrf", "slow")),
)
plain_queries = st.builds(
    Query,
    text=texts,
    preset=st.sampled_from(("fast", "default", "keyword", "rrf")),
    include_sensitive=flags,
)
listings = st.builds(
    Listing,
    category=st.sampled_from(("", "", "fact", "note")),
    domain=st.sampled_from(("", "", "home")),
    context=st.sampled_from(("", "", "work")),
    with_global=flags,
    entity=st.sampled_from(("", "", "", "person:ana", "ana")),
    sensitive=st.sampled_from((None, None, False, True)),
    since=seldom(times),
    until=seldom(times),
    closed=flags,
    sort=st.sampled_from((*SORTS, "colour")),
    descending=flags,
    limit=st.sampled_from((0, 1, 2, 50, 50)),
    offset=few,
)
messages = st.builds(
    Message,
    text=texts,
    role=st.sampled_from(Role),
    speaker=st.sampled_from((None, "Ana", "Zoë\u2028B")),
    user=st.sampled_from((None, None, "ana", "ben")),
    at=times,
    key=st.sampled_from((None, None, "k1", "k2", "k3")),
    metadata=metadata,
)


def plain(value: Any) -> Any:
    """An answer as lists and mappings, without what is an engine's own."""
    if is_dataclass(value) and not isinstance(value, type):
        name = type(value).__name__
        return {"": name} | {
            f.name: plain(getattr(value, f.name))
            for f in fields(value)
            if (name, f.name) not in OWN
        }
    if isinstance(value, OmoideError):
        return {"": type(value).__name__, "message": str(value)}
    if isinstance(value, Mapping):
        return {plain(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, frozenset | set):
        return sorted(map(plain, value))
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [plain(inner) for inner in value]
    return NAMELESS.sub("forgotten", value) if isinstance(value, str) else value


def difference(one: Any, other: Any, place: str = "answer") -> str | None:
    """Where two plain answers differ first, numbers beyond a millionth; None if nowhere."""
    if isinstance(one, dict) and isinstance(other, dict):
        if list(one) != list(other):
            return f"{place}: {list(one)} != {list(other)}"
        return next(
            (found for key in one if (found := difference(one[key], other[key], f"{place}.{key}"))),
            None,
        )
    if isinstance(one, list) and isinstance(other, list):
        inner = (
            found
            for n, (a, b) in enumerate(zip(one, other, strict=False))
            if (found := difference(a, b, f"{place}[{n}]"))
        )
        return next(inner, None) or (
            f"{place}: {len(one)} != {len(other)}: {one} {other}"
            if len(one) != len(other)
            else None
        )
    if isinstance(one, float) and isinstance(other, float):
        return None if abs(one - other) <= 1e-6 else f"{place}: {one!r} != {other!r}"
    return None if type(one) is type(other) and one == other else f"{place}: {one!r} != {other!r}"


class Engines(RuleBasedStateMachine):
    """A memory on each engine, told and asked the same."""

    stores: Callable[[ExitStack], list[Store]]

    def __init__(self) -> None:
        super().__init__()
        self._open = ExitStack()
        self.clocks = [FixedClock(NINE), FixedClock(NINE)]
        self.memories = [
            self._open.enter_context(
                Memory(store, scope=ANA, embedder=FakeEmbedder(), clock=clock, background=False)
            )
            for store, clock in zip(self.stores(self._open), self.clocks, strict=True)
        ]
        self.items: list[str] = []
        self.turns: list[TurnId] = []
        self.changes: list[str] = ["import-1", "s1"]
        self.heads: list[Any] = [None, None]

    def both(self, verb: Callable[[Memory], Any]) -> Any:
        """The answer or error that both engines give."""
        answers = []
        for memory in self.memories:
            try:
                answers.append(verb(memory))
            except OmoideError as error:
                answers.append(error)
        found = difference(*map(plain, answers))
        assert found is None, f"SQLite != Postgres at {found}"
        return answers[0]

    def item(self, pick: int) -> str:
        """The id of one of the items made so far."""
        everything = [*self.items, "nothing"]
        return everything[pick % len(everything)]

    def known(self, pick: int) -> str:
        """The id of one of the items or turns made so far."""
        everything = [*self.items, *self.turns, "nothing", "s1#99", "s9#0"]
        return everything[pick % len(everything)]

    @initialize()
    def begin(self) -> None:
        """Something of everything is there from the start."""
        for n, scope in enumerate((*SCOPES[6:], ANA, ANA)):
            text = f"{WHO[n % 5]} {DOES[n % 3]} {WHAT[n % 10]}"
            self.remember_plainly(text, scope, ENTITIES[n % 3 : n % 3 + 1])
        for session, scope, users in (
            ("s1", ANA, ("ana", "ben")),
            ("s2", ANA, ()),
            ("会話", Scope(), ()),
        ):
            said = [
                Message(text=f"{who} said: {what}", speaker=who, key=f"k{n}")
                for n, (who, what) in enumerate(zip(WHO, WHAT, strict=False))
            ]
            self.ingest(said, scope, session, False, None, "", users, {"n": 3})
        self.ingest([], ANA, "empty", False, None, "", (), {})

    @rule(by=st.sampled_from((0, 1, 30, 400)))
    def wait(self, by: int) -> None:
        for clock in self.clocks:
            clock.move(hours=by)

    @rule(
        text=texts,
        scope=scopes,
        category=st.sampled_from((*tuple(Category)[:6], "profile", "colour")),
        tags=some(TAGS),
        entities=some(ENTITIES),
        due=times,
        picks=st.lists(picks, max_size=2),
        how=st.fixed_dictionaries(
            {
                "domain": st.sampled_from((None, "home")),
                "metadata": metadata,
                "confidence": st.sampled_from((None, 0.0, 0.35, 1.0, 1.5)),
                "sensitive": flags,
                "source": st.sampled_from(Source),
                "tier": st.sampled_from(Tier),
                "session_only": flags,
                "quote": st.sampled_from((None, "tea", "nul \0")),
                "valid_from": times,
                "valid_until": times,
                "expires_at": times,
                "origin": st.sampled_from((None, *ORIGINS)),
            }
        ),
    )
    def remember(
        self,
        text: str,
        scope: Scope,
        category: str,
        tags: Any,
        entities: Any,
        due: datetime | None,
        picks: list[int],
        how: dict[str, Any],
    ) -> None:
        turns = tuple(
            [*self.turns, TurnId("s1#99")][pick % (len(self.turns) + 1)] for pick in picks
        )
        details = Details(**how, source_turns=turns)
        self._keep(
            lambda m: m.remember(
                text,
                scope,
                category=category,
                tags=tags,
                entities=entities,
                due_at=due,
                details=details,
            )
        )

    @rule(text=texts, scope=scopes, entities=some(ENTITIES))
    def remember_plainly(self, text: str, scope: Scope, entities: Any) -> None:
        self._keep(lambda m: m.remember(text, scope, entities=entities))

    @rule(
        said=st.lists(messages, max_size=5),
        scope=scopes,
        session=st.sampled_from(SESSIONS),
        private=flags,
        cause=st.sampled_from((None, *ORIGINS)),
        title=st.sampled_from(("", "Tea", "odd\ntitle")),
        users=some(("ana", "ben")),
        metadata=metadata,
    )
    def ingest(
        self,
        said: list[Message],
        scope: Scope,
        session: str,
        private: bool,
        cause: str | None,
        title: str,
        users: Any,
        metadata: Any,
    ) -> None:
        others = tuple(Participant(name=user, user=user) for user in users)
        talk = Conversation(
            id=session, messages=tuple(said), title=title, participants=others, metadata=metadata
        )
        done = self.both(
            lambda m: m.acting(Because(actor="importer", reason="told so", cause=cause)).ingest(
                talk, scope, private=private
            )
        )
        if not isinstance(done, OmoideError):
            self.turns += [turn for turn in done.turns if turn not in self.turns]

    @rule(pick=picks, text=texts, scope=scopes, at=times)
    def correct(self, pick: int, text: str, scope: Scope, at: datetime | None) -> None:
        self._keep(lambda m: m.correct(self.item(pick), text, scope, at=at))

    @rule(
        pick=picks,
        scope=scopes,
        attributes=st.fixed_dictionaries(
            {},
            optional={
                "tags": some(TAGS),
                "pinned": flags,
                "muted": flags,
                "sensitive": flags,
                "due_at": times,
                "reminded_at": st.just("now"),
                "category": st.just("note"),
                "context": st.sampled_from(("work", "")),
                "valid_from": times,
                "valid_until": times,
                "expires_at": times,
                "metadata": metadata,
                "domain": st.just("home"),
                "confidence": st.sampled_from((0.1, 0.9, 2)),
                "text": st.just("no"),
            },
        ),
    )
    def edit(self, pick: int, scope: Scope, attributes: dict[str, Any]) -> None:
        self.both(lambda m: m.items.edit(self.item(pick), scope, **attributes))

    @rule(pick=picks, scope=scopes, on=flags)
    def pin(self, pick: int, scope: Scope, on: bool) -> None:
        self.both(lambda m: m.items.pin(self.item(pick), scope, pinned=on))

    @rule(pick=picks, scope=scopes, helpful=flags)
    def feedback(self, pick: int, scope: Scope, helpful: bool) -> None:
        self.both(lambda m: m.items.feedback(self.item(pick), scope, helpful=helpful))

    @rule(pick=picks, scope=scopes)
    def reopen(self, pick: int, scope: Scope) -> None:
        self.both(lambda m: m.items.reopen(self.item(pick), scope))

    @rule(pick=picks, scope=scopes)
    def undo(self, pick: int, scope: Scope) -> None:
        found = self.both(
            lambda m: m.diff(
                NINE - timedelta(days=1), NINE + timedelta(days=999), scope, include_sensitive=True
            )
        )
        choices = self.changes + [change.id for change in getattr(found, "changes", ())][-20:]
        self.both(lambda m: m.undo(choices[pick % len(choices)], scope))

    @rule(
        pick=picks,
        scope=scopes,
        what=st.sampled_from(("id", "id", "id", "session", "origin", "entity", "user", "nothing")),
        which=st.integers(0, 2),
    )
    def forget(self, pick: int, scope: Scope, what: str, which: int) -> None:
        named: dict[str, Any] = {
            "id": self.known(pick),
            "session": SESSIONS[which],
            "origin": ORIGINS[which % 2],
            "entity": ENTITIES[which],
            "user": ("ana", "ben", "eve")[which],
        }
        if what not in named:
            return
        self.both(
            lambda m: forget(
                m, scope, **{name: value for name, value in named.items() if name == what}
            )
        )

    @rule(
        one=st.sampled_from(ENTITIES + ALIASES),
        other=maybe(st.sampled_from(ENTITIES + ALIASES)),
        scope=scopes,
    )
    def name(self, one: str, other: str | None, scope: Scope) -> None:
        self.both(lambda m: m.entities.name(one, other, scope))

    @rule(
        one=st.sampled_from(ENTITIES + ALIASES),
        other=st.sampled_from(ENTITIES + ALIASES),
        scope=scopes,
    )
    def merge(self, one: str, other: str, scope: Scope) -> None:
        self.both(lambda m: m.entities.merge(one, other, scope))

    @rule(
        one=st.sampled_from(ENTITIES + ALIASES),
        other=st.sampled_from(ENTITIES + ALIASES),
        scope=scopes,
    )
    def split(self, one: str, other: str, scope: Scope) -> None:
        self.both(lambda m: m.entities.split(one, other, scope))

    @rule()
    def tidy(self) -> None:
        self.both(lambda m: m.admin.tidy())

    @rule(mask=flags, scope=scopes)
    def scan(self, mask: bool, scope: Scope) -> None:
        self.both(lambda m: m.admin.scan(scope, mask=mask))

    @rule(
        query=queries | plain_queries,
        scope=scopes,
        limit=st.sampled_from((10, 10, 0, 1, 3, 20)),
    )
    def recall(self, query: Query, scope: Scope, limit: int) -> None:
        self.both(lambda m: m.recall(query, scope, limit=limit))

    @rule(text=texts, scope=scopes)
    def recall_plainly(self, text: str, scope: Scope) -> None:
        self.both(lambda m: m.recall(text, scope))

    @rule(query=queries | plain_queries, pick=picks, scope=scopes)
    def why_not(self, query: Query, pick: int, scope: Scope) -> None:
        self.both(lambda m: m.why_not(query, self.known(pick), scope))

    @rule(pick=picks, scope=scopes, as_of=times, known_at=times)
    def get(
        self, pick: int, scope: Scope, as_of: datetime | None, known_at: datetime | None
    ) -> None:
        self.both(lambda m: m.get(self.known(pick), scope, as_of=as_of, known_at=known_at))

    @rule(pick=picks, scope=scopes)
    def history(self, pick: int, scope: Scope) -> None:
        self.both(lambda m: m.history(self.item(pick), scope))

    @rule(listing=listings, scope=scopes)
    def list_items(self, listing: Listing, scope: Scope) -> None:
        self.both(lambda m: m.items.list(listing, scope))

    @rule(within=hours, scope=scopes, overdue=flags, listing=listings)
    def due(self, within: int, scope: Scope, overdue: bool, listing: Listing) -> None:
        self.both(lambda m: m.due(timedelta(hours=within), scope, overdue=overdue, listing=listing))

    @rule(
        scope=scopes,
        session=maybe(st.sampled_from((*SESSIONS, "none such"))),
        since=times,
        first=st.integers(0, 3),
        limit=st.integers(0, 5),
    )
    def read_log(
        self, scope: Scope, session: str | None, since: datetime | None, first: int, limit: int
    ) -> None:
        self.both(lambda m: m.sessions.list(scope, limit=limit, offset=first))
        self.both(lambda m: m.sessions.turns(session, scope, since=since, first=first, limit=limit))

    @rule(pick=picks, scope=scopes, around=few)
    def sources(self, pick: int, scope: Scope, around: int) -> None:
        self.both(lambda m: m.items.sources(self.known(pick), scope, around=around))

    @rule(scope=scopes, since=hours, until=maybe(hours), sensitive=flags)
    def sums(self, scope: Scope, since: int, until: int | None, sensitive: bool) -> None:
        end = None if until is None else NINE + timedelta(hours=until)
        self.both(
            lambda m: m.diff(NINE + timedelta(hours=since), end, scope, include_sensitive=sensitive)
        )
        self.both(lambda m: m.entities.list(scope, limit=3))
        self.both(lambda m: m.stats(scope, days=400))

    @rule(repair=flags, deep=flags)
    def doctor(self, repair: bool, deep: bool) -> None:
        self.both(lambda m: m.admin.doctor(repair=repair, deep=deep))

    @rule(scope=scopes)
    def verify(self, scope: Scope) -> None:
        heads = dict(zip(map(id, self.memories), self.heads, strict=True))
        self.both(lambda m: m.admin.verify(heads[id(m)], scope))
        if scope.tenant == ANA.tenant:
            self.heads = [m.admin.verify(scope=scope).head for m in self.memories]

    def teardown(self) -> None:
        """At the end every record is the same, and every row but for salts, hashes and numbers
        given by the database.
        """
        with self._open:
            for scope in dict.fromkeys(SCOPES):
                self.both(
                    lambda m: m.items.list(Listing(closed=True, sensitive=None, limit=1_000), scope)  # noqa: B023
                )
                self.both(lambda m: m.sessions.list(scope, limit=1_000))  # noqa: B023
                self.both(lambda m: m.sessions.turns(scope=scope, limit=1_000))  # noqa: B023
                self.both(lambda m: m.entities.list(scope))  # noqa: B023
                self.both(lambda m: m.stats(scope))  # noqa: B023
            for id in self.items:
                self.both(lambda m: m.history(id))  # noqa: B023
            self.both(lambda m: m.admin.doctor(deep=True))
            for table in TABLES:
                self.both(lambda m: whole(m.store, table))  # noqa: B023

    def _keep(self, verb: Callable[[Memory], Any]) -> None:
        done = self.both(verb)
        if not isinstance(done, OmoideError) and done.id not in self.items:
            self.items.append(done.id)


RANDOM = (
    "salt",
    "hash",
    "content",
    "key",
    "before",
    "value",
    "participants",
)  # keys, salts, what is keyed by them, and new ids


def whole(store: Store, table: Table) -> list[dict[str, Any]]:
    """All rows of a table, as a store that moves reads them; documents by their place instead of
    their number.
    """
    with store.transaction(tenant=None, write=False) as tx:
        numbers = {
            row["doc"]: n for n, row in enumerate(tx.rows("copy.read_docs", doc=-1, limit=100_000))
        }
        after = {
            name: -1 if name in ("seq", "position", "doc", "model") else "" for name in table.key
        }
        rows = [dict(row) for row in tx.rows(table.read, **after, limit=100_000)]
    for row in rows:
        if "doc" in row:
            row["doc"] = numbers.get(row["doc"])
        if "vector" in row:
            row["vector"] = unpack_vector(row["vector"]).tolist()
    secret = () if table.name in ("turns", "sessions") else RANDOM
    return [{name: value for name, value in row.items() if name not in secret} for row in rows]


@pytest.fixture
def open_stores(
    postgres_servers: Callable[[str], str],
) -> Iterator[Callable[[ExitStack], list[Store]]]:
    """An empty store of each engine; the one on Postgres is a copy made anew."""
    address, name = postgres_servers(SERVERS[0]), f"omoide_agree_{os.getpid()}"

    @contextmanager
    def fresh(url: str) -> Iterator[Store]:
        create(address, name, TEMPLATE)
        store = PostgresStore.open(url, pool_size=2)
        yield store
        store.close()

    def opened(stack: ExitStack) -> list[Store]:
        return [
            SqliteStore.open(":memory:"),
            stack.enter_context(fresh(database_of(address, name))),
        ]

    yield opened
    drop(address, name)


SHORT = settings(max_examples=15, stateful_step_count=40, derandomize=True)
LONG = settings(max_examples=1_500, stateful_step_count=60, print_blob=True)


@pytest.mark.timeout(14_400 if FULL else 600)
def test_both_engines_give_the_same_answers(
    open_stores: Callable[[ExitStack], list[Store]],
) -> None:
    """Whatever is remembered, changed, forgotten and asked: the same answers and errors, and at the
    end the same rows.
    """
    usual = settings(
        LONG if FULL else SHORT,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.shrink),
    )
    machine = type("Engines", (Engines,), {"stores": staticmethod(open_stores)})
    run_state_machine_as_test(machine, settings=usual)


def test_the_comparison_sees_what_differs() -> None:
    """A text, a number, an order or a length that differs is found, and where; what is an engine's
    own is not looked at.
    """
    item = {"a": [1, 2.0, "x"], "b": Scope(user="ana")}

    assert difference(plain(item), plain(item)) is None
    assert difference(plain({"s": 0.1}), plain({"s": 0.1 + 1e-9})) is None
    assert difference(plain({"s": 0.1}), plain({"s": 0.11})) == "answer.s: 0.1 != 0.11"
    assert (
        difference(plain(item), plain(item | {"b": Scope(user="ben")}))
        == "answer.b.user: 'ana' != 'ben'"
    )
    assert str(difference([1, 2], [1])).startswith("answer: 2 != 1")
    assert difference(plain({"x": 1, "y": 2}), plain({"y": 2, "x": 1}))
