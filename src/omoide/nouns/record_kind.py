"""Kinds of record as data: each kind answers the same questions, and whatever shows, scans,
forgets, undoes or exports records is a loop over the answers.

A kind is declared on the lowest floor that has the functions it names, and ``omoide.kinds``
collects the declarations. A function of a kind is given a transaction, or a door to knowledge rows;
both stand above this floor, so their types are open here.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence, Set
from dataclasses import field
from datetime import datetime
from enum import StrEnum
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from omoide.nouns.change import Change
from omoide.nouns.ids import ChangeId
from omoide.nouns.item import Tier
from omoide.nouns.receipt import Target
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.scope import Scope

R = TypeVar("R")
Tx: TypeAlias = Any  # a transaction of the store
AnyDoor: TypeAlias = Any  # a transaction with the ledger beside it
AnyPast: TypeAlias = Any  # a change with what it replaced


class Table(NamedTuple):
    """A table of the store, and the columns of its key, in the order of which it is read."""

    name: str
    key: tuple[str, ...] = ("tenant", "id")

    @property
    def read(self) -> str:
        """The query that gives a page of its rows."""
        return f"copy.read_{self.name}"

    @property
    def add(self) -> str:
        """The query that adds a row as it was elsewhere."""
        return f"copy.add_{self.name}"


@frozen_record
class Undoing:
    """Who takes changes back, as whose word, and all that are taken back together."""

    scope: Scope
    tier: Tier
    group: frozenset[ChangeId]


class Rule(StrEnum):
    """How a record hangs on another."""

    PART_OF = "part_of"  # goes with its whole: a turn with its session
    SUPPORTS = "supports"  # any one suffices; goes with the last: an item that two talks tell
    MADE_OF = "made_of"  # needs all; goes with the first: a quote, a digest
    NAMES = "names"  # stays when that goes, and lets go of it


@frozen_record
class Edge:
    """What records of a kind point at, and by which rule they hang on that.

    Attributes:
        rule: How they hang on it.
        of: The kinds of records that are pointed at.
        query: The named query that gives, for a JSON list of these, the ids of those that point
            at one of them.
        key: An id as the query takes it.
    """

    rule: Rule
    of: tuple[str, ...]
    query: str
    key: Callable[[str], Any] = str


def of_itself(tx: Tx, tenant: str, record: Any) -> tuple[Scope, ...]:
    """The scope of a record that has one."""
    return (record.scope,)


def of_table(table: Callable[[Tx], Any]) -> Callable[[Tx, str, str | None], list[Any]]:
    """What gives the records of a user (None: of everybody) that a table holds."""

    def exported(tx: Tx, tenant: str, user: str | None) -> list[Any]:
        rows = table(tx)
        found = rows.after(tenant, "", 1_000_000) if user is None else rows.of_user(tenant, user)
        return list(found)

    return exported


@frozen_record
class RecordKind(Generic[R]):
    """What the product has to know of a kind of record, and nothing that a surface has to know.

    Attributes:
        name: As the ledger and the archive call it.
        plural: As a receipt calls several of them.
        record: The class of its records; None for a kind of which only changes are kept.
        tables: The tables that hold it, moved to another store in this order.
        columns: Columns with words that are masked at the door alone, or with the texts.
        texts: Fields that hold words: masked, scanned, and searched for after they are erased.
        masked_by: How fields are masked that are neither a text nor several texts.
        names: Fields with texts of other records, masked only where the record is shown.
        scopes: Whose a record is; the first is the partition that it stands in.
        sealed: Whether a row has a checksum of its texts, by which its damage is found.
        table: Its table, which finds a record by its id, walks all of them by id, and erases one.
        pages: The records of a tenant that follow one (None: the first), where these are walked
            otherwise than by id.
        mask: Write a record with its secrets masked, for good.
        rows: The rows of the search index that a record should have; None for a kind that is not
            searched.
        edges: What its records hang on.
        meant: The records that a target of forget stands for by itself, as far as the asker may
            have them erased.
        may_erase: Whether an asker may have a record erased with what it is a part of.
        supports: What a record stands on: sets of ids, one of which must be left whole.
        proof: The texts of a record that are searched for after it was erased.
        held: The named query that gives a row if a record still holds a piece of text: what is
            found of an erased text may be its.
        let_go: Write a record that stays without what goes, which is given by id.
        erase: Erase records, given by id, with what is kept of them; all that goes is given, too.
            None: each row goes, which leaves a change.
        noted: Whether its changes stand on the ledger.
        form: The class of its records in an archive, where that is another.
        exported: The records of a user (None: of everybody) for an archive, beside those that stand
            in the search index.
        archived: A record of the search index for an archive; None where it is not the user's.
        fit: A record from an archive as the verbs would have made it.
        load: Add a record from an archive, of which the turns are given that it tells; counts of
            what was new, empty where it was there already.
        stats: What the asker's records add up to at a time: values of fields of ``Stats``.
        sees: Whether an asker may know of a change to a record that they may not see now; None:
            where it was of their agent, as far as the change tells.
        may_undo: Whether a change is an asker's to undo; None: likewise.
        is_lost: Whether a change's record, or what it was before, was forgotten, beside what the
            ledger tells of that.
        is_settled: Whether what a change did was settled since, so that an undoing of many changes
            passes it over; given is whether it is the only one.
        revert: Take a change back, as somebody's word, with the changes that are taken back with
            it.
        ref: The kind and id that a person is told of a record; None: its own.
    """

    name: str
    record: type[R] | None
    plural: str
    tables: tuple[Table, ...] = ()
    texts: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    masked_by: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    scopes: Callable[[Tx, str, R], Sequence[Scope]] = of_itself
    sealed: bool = False
    table: Callable[[Tx], Any] | None = None
    pages: Callable[[Tx, str, R | None, int], Sequence[R]] | None = None
    mask: Callable[[Tx, AnyDoor, str, R], None] | None = None
    rows: Callable[[Tx, str, R], list[dict[str, Any]]] | None = None
    edges: tuple[Edge, ...] = ()
    meant: Callable[[Tx, Scope, Target], Iterable[R]] = lambda tx, scope, target: ()
    may_erase: Callable[[Scope, R], bool] = lambda scope, record: True
    supports: Callable[[Tx, str, R], Iterable[Set[str]]] = lambda tx, tenant, record: ()
    proof: Callable[[R], Iterable[str]] = lambda record: ()
    held: str = ""
    let_go: Callable[[Tx, AnyDoor, R, Mapping[str, Any]], None] | None = None
    erase: Callable[[Tx, AnyDoor, Scope, Mapping[str, R], Mapping[str, Any]], None] | None = None
    noted: bool = True
    stats: Callable[[Tx, Scope, datetime], Mapping[str, Any]] = lambda tx, scope, now: {}
    sees: Callable[[Tx, Scope, Change], bool] | None = None
    may_undo: Callable[[Tx, Scope, AnyPast], bool] | None = None
    is_lost: Callable[[Tx, AnyPast, datetime], bool] = lambda tx, past, now: False
    is_settled: Callable[[Tx, AnyPast, datetime, bool], bool] = lambda tx, past, now, alone: False
    revert: Callable[[Tx, AnyDoor, AnyPast, Undoing], None] | None = None
    form: type[Any] | None = None
    exported: Callable[[Tx, str, str | None], Iterable[Any]] = lambda tx, tenant, user: ()
    archived: Callable[[Tx, str, R, str | None], Any] = lambda tx, tenant, record, user: record
    fit: Callable[[Any, datetime], Any] | None = None
    load: Callable[[Tx, AnyDoor, Any, Container[str]], Mapping[str, int]] | None = None
    ref: Callable[[R], tuple[str, str]] | None = None

    def find(self, tx: Tx, tenant: str, id: str) -> R | None:
        """A record by its id, whoever asks; None if it is gone."""
        found: R | None = self.table(tx).find(tenant, id) if self.table else None
        return found

    def damaged(self, tx: Tx, tenant: str) -> frozenset[str]:
        """The ids of a tenant's records whose texts are not those that were stored."""
        return frozenset(self.table(tx).damaged(tenant) if self.sealed and self.table else ())

    def page(self, tx: Tx, tenant: str, last: Any, limit: int) -> Sequence[R]:
        """The records of a tenant that follow one (None: the first), in a fixed order."""
        if self.pages:
            return self.pages(tx, tenant, last, limit)
        after = last.id if last else ""
        page: Sequence[R] = self.table(tx).after(tenant, after, limit) if self.table else ()
        return page

    def ref_of(self, record: Any) -> tuple[str, str]:
        """The kind and id under which a record is told to a person."""
        return self.ref(record) if self.ref else (self.name, record.id)


_KINDS: dict[str, RecordKind[Any]] = {}
_BY_RECORD: dict[type, RecordKind[Any]] = {}


def register(*kinds: RecordKind[Any]) -> tuple[RecordKind[Any], ...]:
    """Make kinds known, in this order, to all that loops over kinds."""
    for kind in kinds:
        _KINDS[kind.name] = kind
        if kind.record is not None:
            _BY_RECORD[kind.record] = kind
    return kinds


def all_kinds() -> tuple[RecordKind[Any], ...]:
    """Every kind, in the order in which an archive holds them."""
    return tuple(_KINDS.values())


def damaged_records(tx: Tx, tenant: str) -> list[tuple[str, str]]:
    """Kind and id of every record of a tenant whose texts are not those that were stored."""
    return [(kind.name, id) for kind in all_kinds() for id in sorted(kind.damaged(tx, tenant))]


def kind_named(name: str) -> RecordKind[Any]:
    """The kind of that name."""
    return _KINDS[name]


def kind_of(record: object) -> RecordKind[Any] | None:
    """The kind of a record; None for what is none."""
    return _BY_RECORD.get(type(record))
