"""Profile: what is known about a user in a few lines, made by a model when it is asked for and
something changed since.

Every item that may matter is looked at, none is searched for. Whatever the model does, a profile
comes of it: where it is off, fails or says what no item says, the items themselves are told, in
their order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from omoide.faculties.profile.lines import (
    Outlined,
    by_importance,
    completed,
    is_identity,
    material,
    outlined,
    reader,
    rules,
    sources,
)
from omoide.faculties.reflection.door import add_digest
from omoide.learning.drafts import Writing
from omoide.learning.extraction import marks
from omoide.learning.questions import Questions
from omoide.learning.teaching import Teaching
from omoide.models.chat.base import Purpose
from omoide.nouns.change import Action, Because
from omoide.nouns.clock import Clock
from omoide.nouns.errors import Conflict, ModelError
from omoide.nouns.ids import ItemId
from omoide.nouns.item import Item
from omoide.nouns.kind import Kind
from omoide.nouns.proposal import Proposal
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.record.lines import counted
from omoide.nouns.reflection import Digest, DigestId, DigestKind, Profile
from omoide.nouns.scope import Scope
from omoide.read.question import readable
from omoide.settings.switches import level_of
from omoide.store.base import Store, Transaction, read_only
from omoide.tables.digests import Digests
from omoide.tables.entities import Entities
from omoide.tables.items import Items
from omoide.tables.proposals import Proposals
from omoide.telemetry.logs import get_logger
from omoide.write.apply import Door, through
from omoide.write.proposals import end, let_wait, must_wait

LOOKED_AT = 2_000  # items, of which the most important are found
SHOWN = 120  # of these to the model

WAITS = "profile: it waits for review"
UNCONFIRMED = "unconfirmed"  # how such an item is labelled

_log = get_logger(__name__)


@frozen_record
class _ProfileBasis:
    """What a profile is made from: the items, the most important first, those of them that stand as
    they are, and the profile there is.
    """

    scope: Scope
    items: tuple[Item, ...]
    verbatim: tuple[Item, ...]
    # which nobody confirmed: told after all others, labelled, as far as there is room
    unsure: tuple[Item, ...]
    old: Digest | None
    version: int
    # profiles that wait for review, or were rejected or expired
    proposed: tuple[Proposal, ...] = ()

    def is_told_by(self, digest: Digest | None, limit: int) -> bool:
        """Whether a profile still is what these items give."""
        if (
            digest is None
            or digest.word_limit != limit
            or not set(digest.sources) <= {item.id for item in self.items}
        ):
            return False
        made_at, sources = digest.made_at, digest.sources
        return all(
            item.updated_at < made_at or (item.updated_at == made_at and item.id in sources)
            for item in self.items
        )


class Profiler:
    """Makes profiles, and keeps the last one of each user."""

    def __init__(self, store: Store, clock: Clock, teaching: Teaching) -> None:
        self._store, self._clock, self._teaching = store, clock, teaching

    def profile(self, scope: Scope) -> Profile | None:
        """The profile of a scope's user; None where nothing is known, or memory of users is off. A
        failing model does not make it fail.
        """
        known = None if "user" in self._teaching.switches.off else self._known(scope)
        if known is None or not (known.items or known.unsure):
            return None
        limit = self._teaching.profile_limit
        return self._with_unsure(known, self._of_confirmed(known, limit))

    def _with_unsure(self, known: _ProfileBasis, profile: Profile) -> Profile:
        """A profile with the unconfirmed items after it, labelled."""
        room = max(0, self._teaching.profile_limit - len(profile.lines))
        unsure = known.unsure[:room]
        lines = tuple(f"{line} ({UNCONFIRMED})" for line in _texts(unsure))
        return replace(profile, lines=profile.lines + lines, items=profile.items + _ids(unsure))

    def _of_confirmed(self, known: _ProfileBasis, limit: int) -> Profile:
        if not (self._teaching.profile and self._teaching.asker.is_on and known.items):
            return self._raw(known)
        if known.old is not None and known.is_told_by(known.old, limit):
            return _of(known.old)
        for one in known.proposed:
            if isinstance(one.made, Digest) and known.is_told_by(one.made, limit):
                return self._raw(known, degraded=() if one.settled_at else (WAITS,))
        try:
            return self._make(known)
        except (ModelError, Conflict) as error:
            _log.warning("no profile was made", error=type(error).__name__)
            return self._raw(known, degraded=(f"profile: {error}; these are the items themselves",))

    def _known(self, scope: Scope) -> _ProfileBasis | None:
        with read_only(self._store, scope.tenant) as tx:
            if readable(tx, scope).user != scope.user:  # several users talk
                return None
            place = replace(scope, session=None)
            found, off = (
                Items(tx).important(place, self._clock.now(), LOOKED_AT),
                self._teaching.switches.off,
            )
            seen = by_importance([item for item in found if level_of(item.scope) not in off])
            items = [item for item in seen if item.unconfirmed is None]
            unsure = tuple(item for item in seen if item.unconfirmed is not None)
            verbatim = tuple(item for item in items if is_identity(item))[
                : max(1, self._teaching.profile_limit // 2)
            ]
            old, latest = (
                Digests(tx).readable(place, DigestKind.PROFILE),
                Digests(tx).latest(place, DigestKind.PROFILE),
            )
            digests = Proposals(tx).of_kind(place, Kind.DIGEST)
            proposed = tuple(
                one
                for one in digests
                if isinstance(one.made, Digest) and one.made.kind is DigestKind.PROFILE
            )
            return _ProfileBasis(
                scope=place,
                items=tuple(items),
                verbatim=verbatim,
                unsure=unsure,
                old=old,
                version=latest + 1,
                proposed=proposed,
            )

    def _raw(self, known: _ProfileBasis, *, degraded: tuple[str, ...] = ()) -> Profile:
        items = known.items[: self._teaching.profile_limit]
        return Profile(
            lines=_texts(items), items=_ids(items), made_at=self._clock.now(), degraded=degraded
        )

    def _make(self, known: _ProfileBasis) -> Profile:
        """A new profile of the items, kept as the current one, unless it waits for review.

        Raises:
            ModelError: the model failed.
            Conflict: an item was closed or forgotten meanwhile.
        """
        shown = [item for item in known.items if item not in known.verbatim][:SHOWN]
        told = self._outlined(known, shown)
        digest = self._digest(known, shown, told.lines)
        because = Because(actor="profile", reason=digest.model, cause=digest.id)
        best = max(item.tier for item in (*known.verbatim, *shown))

        def write(tx: Transaction, door: Door) -> bool:
            door.lock(known.scope)
            _check_sources(tx, digest)
            if must_wait(self._teaching.review, digest, (), best=best):
                self._let_wait(tx, door, known, digest)
                return False
            add_digest(tx, door, digest, instead_of=known.old)
            return True

        if not through(self._store, self._clock, because, write, tenant=known.scope.tenant):
            return self._raw(known, degraded=(WAITS,))
        left_out = f"profile: {counted(told.left_out, 'line')} said what no item says"
        return replace(_of(digest), degraded=(left_out,) if told.left_out else ())

    def _outlined(self, known: _ProfileBasis, shown: Sequence[Item]) -> Outlined:
        """What a model makes of the items that do not stand as they are, with what it drops."""
        room = self._teaching.profile_limit - len(known.verbatim)
        if not shown or room <= 0:
            return Outlined(lines=(), left_out=0)
        marked = marks(shown)
        made = self._questions(known).write(
            Writing(
                purpose=Purpose.PROFILE,
                rules=rules(room),
                material=material(marked),
                sources=sources(marked),
                read=reader(marked, self._clock.now(), self._names(known.scope)),
                settle=partial(outlined, most=room),
            )
        )
        return replace(made, lines=completed(made.lines, shown, room))

    def _names(self, scope: Scope) -> tuple[str, ...]:
        with read_only(self._store, scope.tenant) as tx:
            return Entities(tx).names(scope)

    def _questions(self, known: _ProfileBasis) -> Questions:
        questions = self._teaching.questions
        return replace(questions, asker=questions.asker.for_user(known.scope.user))

    def _digest(self, known: _ProfileBasis, shown: Sequence[Item], told: Sequence[str]) -> Digest:
        made_from = (*known.verbatim, *shown)
        return Digest(
            id=DigestId(self._clock.new_id()),
            scope=known.scope,
            kind=DigestKind.PROFILE,
            version=known.version,
            text="\n".join((*_texts(known.verbatim), *told)),
            word_limit=self._teaching.profile_limit,
            model=self._teaching.asker.for_user(known.scope.user).model_id(Purpose.PROFILE),
            made_at=self._clock.now(),
            tier=min(item.tier for item in made_from),
            sources=tuple(sorted(item.id for item in made_from)),
        )

    def _let_wait(self, tx: Transaction, door: Door, known: _ProfileBasis, digest: Digest) -> None:
        """Let a profile wait for review, in the place of one that items changed since."""
        for stale in known.proposed:
            if stale.settled_at is None:
                end(tx, door, stale, Action.EXPIRE, Because(actor="profile", cause=digest.id))
        target = known.old.id if known.old else None
        let_wait(door, known.scope, digest, target=target)


def _check_sources(tx: Transaction, digest: Digest) -> None:
    """
    Raises:
        Conflict: an item that a profile was made from does not hold any more.
    """
    found = (Items(tx).find(digest.scope.tenant, ItemId(id)) for id in digest.sources)
    if not all(item is not None and item.is_open for item in found):
        raise Conflict("an item that the profile was made from was closed or forgotten meanwhile")


def _of(digest: Digest) -> Profile:
    lines, items = tuple(digest.text.splitlines()), tuple(ItemId(id) for id in digest.sources)
    return Profile(
        lines=lines, items=items, made_at=digest.made_at, model=digest.model, version=digest.version
    )


def _texts(items: Sequence[Item]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(" ".join(item.text.split()) for item in items))


def _ids(items: Sequence[Item]) -> tuple[ItemId, ...]:
    return tuple(item.id for item in items)
