"""The verbs of the review queue: proposals that need a person's decision."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from omoide.faculties.reflection.door import confirm_reflection, withdraw_reflection
from omoide.nouns.access import Right
from omoide.nouns.change import Action
from omoide.nouns.errors import NotFound
from omoide.nouns.item import Item
from omoide.nouns.procedure import Procedure
from omoide.nouns.proposal import ForReview, Made
from omoide.nouns.reflection import Reflection
from omoide.nouns.scope import Scope
from omoide.read.listings import check_page
from omoide.review import decisions
from omoide.review.bulk import HIDDEN, Settled, Which, settle_all
from omoide.review.decisions import Approval
from omoide.store.base import Transaction, read_only
from omoide.tables.reflections import Reflections
from omoide.verbs.bound import Bound
from omoide.wire.verbs import Returns, verb
from omoide.write import corrections
from omoide.write.apply import Door, through

MOST = 10_000  # proposals that one call settles


class ReviewVerbs(Bound):
    """The review queue. Deciding is a person's: ``acting(Because(tier=Tier.USER))``."""

    @verb(Right.READ, "list()", returns=Returns.PAGE)
    def list(self, scope: Scope | None = None, *, limit: int = 100) -> Sequence[ForReview]:
        """Return the proposals that need a person's decision, oldest first.

        Each has the reason why it waits, what it would change, and a seal good for ten minutes.

        Raises:
            InvalidInput: the limit is out of range.
            SharedSession: the scope names a user in a session of several users.
        """
        check_page(limit)
        return decisions.for_review(self.store, self.clock, self._in(scope), limit=limit)

    @verb(Right.WRITE, 'approve("06h2emjat46tpqj21e1sjc5j", "seal-from-list")', subject="id")
    def approve(
        self, id: str, seal: str, scope: Scope | None = None, *, as_mine: bool = False
    ) -> Item | Made:
        """Approve a proposal exactly as it was shown with that seal; return the record it made, or
        the item that it closed.

        The record keeps its trust tier; ``as_mine`` makes it the user's own word. ``undo`` takes
        the approval back by the proposal's id.

        Raises:
            NotFound: no such proposal in this scope.
            LookAgain: the proposal, or what it would close, changed since it was shown; it was
                shown over ten minutes ago; or it waits no more.
            Forbidden: no person acts, what it would close has a higher trust tier, or memory of
                the level that it would be of is off.
            ModelError: the embedder failed; the proposal stays in the queue.
        """
        engine, writer = self._engine, self._writer(scope)
        approval = Approval(id=id, seal=seal, as_mine=as_mine)
        done = decisions.approve(writer, engine.encoders, approval, engine.switches)
        self._hand_on(done)
        return done

    def _hand_on(self, done: Item | Made) -> None:
        """Let what follows from a record that holds now happen."""
        engine = self._engine
        match done:
            case Reflection():
                engine.condenser.put_in_line(done.scope.tenant, (done.scope,))
                engine.tidying.wake()
            case Procedure():
                engine.practice.file(done)

    @verb(Right.WRITE, 'approve_all(session="s1")')
    def approve_all(
        self,
        scope: Scope | None = None,
        *,
        session: str = "",
        source: str = "",
        reason: str = "",
        as_mine: bool = False,
    ) -> Settled:
        """Approve all proposals of a session, from a source or with a reason, as they stand now.

        What is named applies together. A proposal with hidden characters, or one that cannot be
        approved, stays: ``left`` says why. ``undo`` takes each back by its id.

        Raises:
            InvalidInput: no session, source or reason is named.
            Forbidden: no person acts.
            ModelError: the embedder failed; what was approved before that stays.
        """
        decisions.check_person(self._because)
        which = Which(session=session, source=source, reason=reason)
        chosen = self._chosen(which, scope)
        plain = [one for one in chosen if not one.hidden]
        done = settle_all(
            plain,
            lambda one: self.approve(one.proposal.id, one.seal, scope, as_mine=as_mine),
        )
        hidden: dict[str, str] = {one.proposal.id: HIDDEN for one in chosen if one.hidden}
        return Settled(proposals=done.proposals, left={**done.left, **hidden})

    @verb(Right.WRITE, 'reject_all(reason="ungrounded_name")')
    def reject_all(
        self,
        scope: Scope | None = None,
        *,
        session: str = "",
        source: str = "",
        reason: str = "",
    ) -> Settled:
        """Reject all proposals of a session, from a source or with a reason.

        What is named applies together. ``undo`` puts each back by its id.

        Raises:
            InvalidInput: no session, source or reason is named.
            Forbidden: no person acts.
        """
        decisions.check_person(self._because)
        which = Which(session=session, source=source, reason=reason)
        return settle_all(
            self._chosen(which, scope), lambda one: self.reject(one.proposal.id, scope)
        )

    def _reflection(self, id: str, scope: Scope | None) -> Reflection | None:
        """The unconfirmed reflection of that id, if the asker sees it."""
        place = self._in(scope)
        with read_only(self.store, place.tenant) as tx:
            return _unconfirmed(tx, place, id)

    def _settled(
        self,
        id: str,
        scope: Scope | None,
        settle: Callable[[Transaction, Door, Reflection], Reflection],
    ) -> Reflection:
        place = self._in(scope)

        def write(tx: Transaction, door: Door) -> Reflection:
            found = _unconfirmed(tx, place, id)
            if found is None:
                raise NotFound("reflection", id)
            return settle(tx, door, found)

        return through(self.store, self.clock, self._because, write, tenant=place.tenant)

    def _chosen(self, which: Which, scope: Scope | None) -> Sequence[ForReview]:
        """The proposals that are meant, of all that wait."""
        place = self._in(scope)
        waiting = decisions.for_review(self.store, self.clock, place, limit=MOST)
        if which.session:
            which = replace(which, sessions=(which.session, self._session_id(place, which.session)))
        return [one for one in waiting if which.has(one)]

    @verb(Right.WRITE, 'edit("06h2emjat46tpqj21e1sjc5j", "Ana likes green tea")', subject="id")
    def edit(self, id: str, text: str, scope: Scope | None = None) -> ForReview:
        """Reword a proposal as the reviewer's own word. It stays in the queue, with another seal.

        The text of a procedure is its SKILL.md, as it is shown.

        Raises:
            NotFound: no such proposal in this scope.
            LookAgain: the proposal waits no more.
            InvalidInput, TooLong: the proposal only closes an item, or the text cannot be used.
            Forbidden: no person acts.
        """
        return decisions.reword(self._writer(scope), id, text)

    @verb(Right.WRITE, 'confirm("06h2emjat46tpqj21e1sjc5j")', subject="id")
    def confirm(self, id: str, scope: Scope | None = None) -> Item | Reflection:
        """Confirm an unconfirmed item or reflection, and carry out what the item is meant to
        replace or close.

        That is dropped if the other item changed since. ``undo`` takes the whole back.

        Raises:
            NotFound: no such item or reflection in this scope.
            Conflict: the item is closed.
            Forbidden: no person acts.
        """
        if self._reflection(id, scope) is not None:
            decisions.check_person(self._because)
            confirmed = self._settled(id, scope, confirm_reflection)
            self._hand_on(confirmed)
            return confirmed
        return corrections.confirm_by_person(self._writer(scope), id)

    @verb(Right.WRITE, 'reject("06h2emjat46tpqj21e1sjc5j")', subject="id", returns=Returns.NOTHING)
    def reject(self, id: str, scope: Scope | None = None) -> None:
        """Reject a proposal, close an unconfirmed item as never having been true, or withdraw an
        unconfirmed reflection.

        ``undo`` puts it back, a proposal until its archive ends; ``forget`` erases it at once, by
        its id.

        Raises:
            NotFound: no such proposal or item in this scope.
            LookAgain: the proposal waits no more.
            Forbidden: no person acts.
        """
        decisions.check_person(self._because)
        if self._reflection(id, scope) is not None:
            self._settled(id, scope, partial(withdraw_reflection, action=Action.REJECT))
            return
        if corrections.is_unconfirmed(self.store, self._in(scope), id):
            corrections.reject_by_person(self._writer(scope), id)
            return
        decisions.reject(self._writer(scope), id)


def _unconfirmed(tx: Transaction, scope: Scope, id: str) -> Reflection | None:
    found = Reflections(tx).unconfirmed(scope, MOST)
    return next((one for one in found if one.id == id), None)
