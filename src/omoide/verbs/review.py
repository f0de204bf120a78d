"""The verbs of the review queue: proposals that need a person's decision."""

from __future__ import annotations

from collections.abc import Sequence

from omoide.nouns.access import Right
from omoide.nouns.item import Item
from omoide.nouns.procedure import Procedure
from omoide.nouns.proposal import ForReview, Made
from omoide.nouns.reflection import Reflection
from omoide.nouns.scope import Scope
from omoide.read.listings import check_page
from omoide.review import decisions
from omoide.review.decisions import Approval
from omoide.verbs.bound import Bound
from omoide.wire.verbs import Returns, verb
from omoide.write import corrections


class Review(Bound):
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

    @verb(Right.WRITE, 'approve("0198c0de", "seal-from-list")', subject="id")
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
        engine = self._engine
        approval = Approval(id=id, seal=seal, as_mine=as_mine)
        done = decisions.approve(
            self.store,
            self.clock,
            engine.encoders,
            self._in(scope),
            self._because,
            approval,
            engine.switches,
        )
        match done:
            case Reflection():
                engine.condenser.put_in_line(done.scope.tenant, (done.scope,))
                engine.tidying.wake()
            case Procedure():
                engine.practice.file(done)
        return done

    @verb(Right.WRITE, 'edit("0198c0de", "Ana likes green tea")', subject="id")
    def edit(self, id: str, text: str, scope: Scope | None = None) -> ForReview:
        """Reword a proposal as the reviewer's own word. It stays in the queue, with another seal.

        The text of a procedure is its SKILL.md, as it is shown.

        Raises:
            NotFound: no such proposal in this scope.
            LookAgain: the proposal waits no more.
            InvalidInput, TooLong: the proposal only closes an item, or the text cannot be used.
            Forbidden: no person acts.
        """
        return decisions.reword(self.store, self.clock, self._in(scope), self._because, id, text)

    @verb(Right.WRITE, 'confirm("0198c0de")', subject="id")
    def confirm(self, id: str, scope: Scope | None = None) -> Item:
        """Confirm an unconfirmed item, and carry out what it is meant to replace or close.

        That is dropped if the other item changed since. ``undo`` takes the whole back.

        Raises:
            NotFound: no such item in this scope.
            Conflict: the item is closed.
            Forbidden: no person acts.
        """
        return corrections.confirm_by_person(
            self.store, self.clock, self._in(scope), self._because, id
        )

    @verb(Right.WRITE, 'reject("0198c0de")', subject="id", returns=Returns.NOTHING)
    def reject(self, id: str, scope: Scope | None = None) -> None:
        """Reject a proposal. ``undo`` puts it back until its archive ends; ``forget`` erases it at
        once, by its id.

        Raises:
            NotFound: no such proposal in this scope.
            LookAgain: the proposal waits no more.
            Forbidden: no person acts.
        """
        decisions.reject(self.store, self.clock, self._in(scope), self._because, id)
