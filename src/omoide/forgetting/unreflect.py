"""What of reflections and digests goes with what is forgotten: every text that may hold its words.

A digest's version is written on from the one before, so with a reflection go the version that
absorbed it and all later ones of its scope. The version before is in force again, and what the
others had absorbed waits to be condensed anew.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from omoide.faculties.reflection.condensation import enqueue
from omoide.faculties.reflection.digest_text import lines_of
from omoide.nouns.access import owns, takes_part
from omoide.nouns.change import Action
from omoide.nouns.kind import Kind
from omoide.nouns.reflection import Digest, DigestKind, Reflection
from omoide.nouns.scope import Scope
from omoide.store.base import Transaction
from omoide.tables.digests import Digests
from omoide.tables.ledger import Ledger
from omoide.tables.reflections import Reflections
from omoide.tables.sessions import Sessions
from omoide.write.apply import Door


@dataclass(frozen=True, kw_only=True, slots=True)
class Hanging:
    """The reflections and digests that go, by their ids."""

    reflections: dict[str, Reflection] = field(default_factory=dict)
    digests: dict[str, Digest] = field(default_factory=dict)

    @property
    def users(self) -> set[str]:
        """Whose they are."""
        scopes = [one.scope for one in self.reflections.values()] + [
            one.scope for one in self.digests.values()
        ]
        return {scope.user or "" for scope in scopes}

    def texts(self) -> list[str]:
        """Every text that is about to be erased, of digests line by line."""
        lines = [line for digest in self.digests.values() for line in lines_of(digest.text)]
        return [
            text for one in self.reflections.values() for text in (one.text, one.quote) if text
        ] + lines


def hanging_on(
    tx: Transaction,
    scope: Scope,
    *,
    turns: Collection[str],
    items: Iterable[str],
    sessions: Iterable[str],
    user: str | None,
    id: str | None,
) -> Hanging:
    """What rests on a turn, was made from an item, is of a session or of a user, or is what the
    asker names by its id.
    """
    reflections, digests, tenant = Reflections(tx), Digests(tx), scope.tenant
    resting = [
        one
        for turn in turns
        for one in reflections.of_turn(tenant, turn)
        if any(source in turns for source in one.source_turns)
    ]
    resting += [one for session in sessions for one in reflections.only_in(tenant, session)]
    resting += reflections.of_user(tenant, user) if user is not None else []
    made = [
        one
        for item in items
        for one in digests.of_source(tenant, item)
        if one.kind is DigestKind.PROFILE
    ]
    made += [one for session in sessions for one in digests.only_in(tenant, session)]
    made += digests.of_user(tenant, user) if user is not None else []
    if id is not None:
        resting += [
            one
            for one in (reflections.find(tenant, id),)
            if one is not None and _is_theirs(tx, scope, one)
        ]
        made += [
            one
            for one in (digests.find(tenant, id),)
            if one is not None and _is_theirs(tx, scope, one)
        ]
    made += [one for reflection in resting for one in digests.of_source(tenant, reflection.id)]
    whole: dict[str, Digest] = {one.id: one for digest in made for one in _with_later(tx, digest)}
    return Hanging(reflections={one.id: one for one in resting}, digests=whole)


def unmake_profiles(
    tx: Transaction, door: Door, tenant: str, users: Iterable[str], items: Collection[str]
) -> None:
    """Erase the profiles of users, "" being nobody, of whom other things are known now; those made
    from items that go, go with these.
    """
    made = (
        one
        for user in users
        for one in Digests(tx).of_user(tenant, user)
        if one.kind is DigestKind.PROFILE
    )
    erase(
        tx,
        door,
        Hanging(
            digests={
                one.id: one for one in made if not any(source in items for source in one.sources)
            }
        ),
    )


def erase(tx: Transaction, door: Door, found: Hanging) -> dict[str, int]:
    """Erase them; how many of each."""
    for digest in found.digests.values():
        tenant = digest.scope.tenant
        if Reflections(tx).free(tenant, digest.id):
            enqueue(tx, digest.scope, door.now)
        Digests(tx).forget(tenant, digest.id)
        _note(tx, door, Kind.DIGEST, digest)
    for reflection in found.reflections.values():
        Reflections(tx).forget(reflection.scope.tenant, reflection.id)
        _note(tx, door, Kind.REFLECTION, reflection)
    return {"reflections": len(found.reflections), "digests": len(found.digests)}


def _with_later(tx: Transaction, digest: Digest) -> list[Digest]:
    """A version with all later ones, which were written on from it; a profile is made anew each
    time.
    """
    if digest.kind is DigestKind.PROFILE:
        return [digest]
    return [
        one
        for one in Digests(tx).versions(digest.scope, digest.kind)
        if one.version >= digest.version
    ]


def _is_theirs(tx: Transaction, scope: Scope, record: Reflection | Digest) -> bool:
    session = (
        Sessions(tx).find(scope.tenant, record.scope.session) if record.scope.session else None
    )
    mine = record.scope.user in (None, scope.user) and record.scope.agent in (None, scope.agent)
    return mine and (session is None or owns(scope, session) or takes_part(scope, session))


def _note(tx: Transaction, door: Door, kind: Kind, record: Reflection | Digest) -> None:
    Ledger(tx).forget(record.scope.tenant, record.id)
    door.note(
        Action.FORGET, kind, record.id, record.scope, before={"agent": record.scope.agent or ""}
    )
