"""The verbs of users: which sender of a channel is which user, what is set for one, and erasing."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial

from omoide.nouns.access import Right
from omoide.nouns.clock import zone_named
from omoide.nouns.errors import Conflict, Forbidden, InvalidInput, NotFound
from omoide.nouns.ids import clean_id
from omoide.nouns.receipt import Receipt, Target
from omoide.nouns.scope import Scope
from omoide.nouns.sender import Sender, User, UserRecord, check_names_of, own_user
from omoide.store.base import Transaction, committed, read_only
from omoide.tables.documents import Documents
from omoide.tables.senders import Senders
from omoide.tables.users import UserRecords
from omoide.verbs.forgetting import Forgetting
from omoide.wire.verbs import Returns, verb


class UserVerbs(Forgetting):
    """The users of one tenant, by the senders that they are. A scope with a user links, unlinks and
    lists that user's senders only.
    """

    @verb(Right.ADMIN, "list()", returns=Returns.PAGE, idempotent=True)
    def list(self, scope: Scope | None = None) -> Sequence[UserRecord]:
        """Return the users of the tenant who have items, turns, a linked sender or a time zone, by
        name; in a scope with a user, that user alone. Needs the right ``admin``: it tells who there
        is.
        """
        scope = self._in(scope)
        with read_only(self.store, scope.tenant) as tx:
            return UserRecords(tx).known(scope.tenant, scope.user)

    @verb(Right.READ, "senders()", returns=Returns.PAGE, idempotent=True)
    def senders(self, scope: Scope | None = None) -> Sequence[Sender]:
        """Return the linked senders of the scope's user, or of all users of the tenant; by user,
        channel and name.
        """
        scope = self._in(scope)
        with read_only(self.store, scope.tenant) as tx:
            return Senders(tx).of(scope.tenant, scope.user)

    @verb(Right.READ, 'of("whatsapp", "+351912345678")', idempotent=True)
    def of(self, channel: str, sender: str, scope: Scope | None = None) -> User:
        """Return the user that a sender of a channel is.

        Raises:
            InvalidInput: the channel or the sender cannot be one.
        """
        tenant, (channel, sender) = self._in(scope).tenant, check_names_of(channel, sender)
        with read_only(self.store, tenant) as tx:
            found = Senders(tx).find(tenant, channel, sender)
        return User(
            id=found.user if found else own_user(channel, sender),
            tenant=tenant,
            is_linked=found is not None,
        )

    @verb(Right.WRITE, 'link("whatsapp", "+351912345678", "ana")', idempotent=True)
    def link(self, channel: str, sender: str, user: str, scope: Scope | None = None) -> Sender:
        """Link a sender to a user from now on. What it said before, as a user of its own, stays
        that user's.

        Raises:
            Conflict: the sender is another user's; unlink it first.
            Forbidden: the scope is another user's.
            InvalidInput: a name cannot be one.
        """
        scope, (channel, sender) = self._in(scope), check_names_of(channel, sender)
        user = _may_touch(scope, clean_id(user, "user"))
        link = _link(scope, user, channel, sender, self.clock.now())
        known = committed(self.store, partial(_added, scope, link), tenant=scope.tenant)
        if known is None or known.user != user:
            raise Conflict(f"that sender on {channel!r} is another user already; unlink it first")
        return known

    @verb(Right.WRITE, 'unlink("whatsapp", "+351912345678")', returns=Returns.NOTHING)
    def unlink(self, channel: str, sender: str, scope: Scope | None = None) -> None:
        """Make a sender a user of its own again. What it said meanwhile stays where it is.

        Raises:
            NotFound: no such sender is linked, or it is another user's than the scope's.
        """
        scope, (channel, sender) = self._in(scope), check_names_of(channel, sender)

        def write(tx: Transaction) -> None:
            _lock(tx, scope)
            known = Senders(tx).find(scope.tenant, channel, sender)
            if known is None or scope.user not in (None, known.user):
                raise NotFound("sender", sender)
            Senders(tx).drop(scope.tenant, known.user, channel, sender)

        committed(self.store, write, tenant=scope.tenant)

    @verb(Right.READ, 'get("ana")', subject="user", idempotent=True)
    def get(self, user: str, scope: Scope | None = None) -> UserRecord:
        """Return what is set for a user; all is empty where nothing is.

        Raises:
            NotFound: the scope is another user's.
        """
        scope, user = self._in(scope), clean_id(user, "user")
        if scope.user not in (None, user):
            raise NotFound("user", user)
        with read_only(self.store, scope.tenant) as tx:
            found = UserRecords(tx).find(scope.tenant, user)
        return found or UserRecord(scope=Scope(tenant=scope.tenant, user=user))

    @verb(Right.WRITE, 'edit("ana", zone="Europe/Berlin")', subject="user", idempotent=True)
    def edit(self, user: str, scope: Scope | None = None, *, zone: str) -> UserRecord:
        """Set the time zone of a user: days without a zone are meant and shown in it. Empty text
        takes it away, so that the setting ``zone`` counts again, or else the machine's.

        Raises:
            Forbidden: the scope is another user's.
            InvalidInput: there is no such zone.
        """
        scope = self._in(scope)
        user = _may_touch(scope, clean_id(user, "user"))
        zone_named(zone)
        own = Scope(tenant=scope.tenant, user=user)
        record = UserRecord(scope=own, zone=zone, changed_at=self.clock.now())

        def write(tx: Transaction) -> None:
            _lock(tx, scope)
            UserRecords(tx).save(record)

        committed(self.store, write, tenant=scope.tenant)
        self._engine.zones.look_again()
        return record

    @verb(Right.WRITE, 'merge("whatsapp:+351912345678", "ana")', subject="source")
    def merge(self, source: str, target: str, scope: Scope | None = None) -> int:
        """Link every sender of one user to another, who is the same person; return how many.

        A source that is a sender of its own, such as ``whatsapp:+351912345678``, is linked too.
        The target takes the source's time zone over if it has none. What is remembered of the
        source stays under that name: export it, or forget it.

        Raises:
            Forbidden: the scope names a user; merging acts for two.
            InvalidInput: a name cannot be one, or both are the same.
            NotFound: the source has no sender.
        """
        scope = self._in(scope)
        source, target = clean_id(source, "source"), clean_id(target, "target")
        if scope.user is not None:
            raise Forbidden("merging speaks for two users; ask for it in a scope without one")
        if source == target:
            raise InvalidInput("target", "is the same user")
        move = partial(_move, scope, source, target, self.clock.now())
        moved = committed(self.store, move, tenant=scope.tenant)
        self._engine.zones.look_again()
        return moved

    @verb(
        Right.DESTROY,
        'forget("ana", preview=True)',
        subject="user",
        long=True,
        operation="delete_memory",
    )
    def forget(self, user: str, scope: Scope | None = None, *, preview: bool = False) -> Receipt:
        """Erase all that is held about a user. Returns the receipt.

        With ``preview`` nothing is erased; the receipt counts what would be.

        Raises:
            NotFound: nothing is held about such a user, or the scope is another user's.
        """
        return self._forget(scope, Target(user=user), preview=preview)


def _link(scope: Scope, user: str, channel: str, sender: str, at: datetime) -> Sender:
    own = Scope(tenant=scope.tenant, user=user)
    return Sender(scope=own, channel=channel, sender=sender, linked_at=at)


def _added(scope: Scope, link: Sender, tx: Transaction) -> Sender | None:
    """The link, or the one that is there already."""
    _lock(tx, scope)
    if Senders(tx).add(link):
        return link
    return Senders(tx).find(scope.tenant, link.channel, link.sender)


def _move(scope: Scope, source: str, target: str, at: datetime, tx: Transaction) -> int:
    """Link all senders of one user to another, and the sender that it is itself; how many."""
    _lock(tx, scope)
    moved = Senders(tx).move(scope.tenant, source, target)
    channel, _, sender = source.partition(":")
    if channel and sender and Senders(tx).find(scope.tenant, channel, sender) is None:
        moved += Senders(tx).add(_link(scope, target, channel, sender, at))
    if not moved:
        raise NotFound("sender of user", source)
    _pass_on(tx, scope.tenant, source, target, at)
    return moved


def _lock(tx: Transaction, scope: Scope) -> None:
    """One at a time in a tenant, and none while a user is forgotten."""
    Documents(tx).lock(scope.tenant, None)


def _pass_on(tx: Transaction, tenant: str, source: str, target: str, now: datetime) -> None:
    """Give a user what is set for another, where nothing is set for them."""
    theirs, own = (UserRecords(tx).find(tenant, user) for user in (source, target))
    if theirs is not None and theirs.zone and not (own and own.zone):
        scope = Scope(tenant=tenant, user=target)
        UserRecords(tx).save(UserRecord(scope=scope, zone=theirs.zone, changed_at=now))


def _may_touch(scope: Scope, user: str) -> str:
    if scope.user not in (None, user):
        raise Forbidden("a user speaks for themselves alone; ask for it in a scope without a user")
    return user
