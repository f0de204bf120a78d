"""The verbs of review: what would fall, and what waits for a person's word."""

from __future__ import annotations

from omoide.faculties.procedures.lessons import Practice
from omoide.faculties.reflection.condensation import Condenser
from omoide.nouns.item import Item
from omoide.nouns.procedure import Procedure
from omoide.nouns.proposal import ForReview, Made
from omoide.nouns.reflection import Reflection
from omoide.nouns.scope import Scope
from omoide.read import lineage
from omoide.read.listings import check_page
from omoide.read.recall import Recaller
from omoide.review import decisions
from omoide.review.decisions import Approval
from omoide.upkeep.tidying import Tidying
from omoide.verbs.bound import Bound


class Reviewing(Bound):
    """Looking at what is uncertain, and settling it. Settling is a person's:
    ``acting(Because(tier=Tier.USER))``.
    """

    _recaller: Recaller
    _condenser: Condenser
    _practice: Practice
    _tidying: Tidying

    def cascade(self, id: str, scope: Scope | None = None) -> list[Item]:
        """The items that would be in doubt if an item were corrected or taken back, as they rest on
        it; nearest first.

        Raises:
            NotFound: no such item in this scope.
        """
        return lineage.cascade(self.store, self._in(scope), id)

    def review(self, scope: Scope | None = None, *, limit: int = 100) -> list[ForReview]:
        """What waits for a person's word, oldest first: each with why it waits, what it would
        change, and a seal good for ten minutes.

        Raises:
            SharedSession: the scope names a user in a session of several users.
        """
        check_page(limit)
        return decisions.for_review(self.store, self.clock, self._in(scope), limit=limit)

    def approve(
        self, id: str, seal: str, scope: Scope | None = None, *, as_mine: bool = False
    ) -> Item | Made:
        """Let a proposal happen exactly as it was shown with that seal, once; the record that
        stands for it, or the item that it closed.

        Whose word it is stays as it was; as_mine makes it the user's own. ``undo`` takes it back by
        the proposal's id.

        Raises:
            NotFound: no such proposal in this scope.
            LookAgain: it is not what was shown, was shown over ten minutes ago, waits no more, or
                what it would close, or was made of, changed.
            Forbidden: no person acts, or what it would close is the word of somebody more trusted;
                or memory of the level that it would be of, the user's, the agent's or everybody's,
                is off.
            ModelError: the embedder failed; it waits on.
        """
        approval = Approval(id=id, seal=seal, as_mine=as_mine)
        encoders, switches = self._recaller.encoders, self._practice.teaching.switches
        done = decisions.approve(
            self.store, self.clock, encoders, self._in(scope), self._because, approval, switches
        )
        match done:
            case Reflection():
                self._condenser.put_in_line(done.scope.tenant, (done.scope,))
                self._tidying.wake()
            case Procedure():
                self._practice.file(done)
        return done

    def reword(self, id: str, text: str, scope: Scope | None = None) -> ForReview:
        """Word a proposal otherwise: then it is the reviewer's own word. It waits on, with another
        seal.

        A procedure is worded as the SKILL.md that it is shown as.

        Raises:
            NotFound: no such proposal in this scope.
            LookAgain: it waits no more.
            InvalidInput, TooLong: it only closes an item, the text is none, or is too long for what
                it would be.
            Forbidden: no person acts.
        """
        return decisions.reword(self.store, self.clock, self._in(scope), self._because, id, text)

    def reject(self, id: str, scope: Scope | None = None) -> None:
        """Let a proposal wait no more. ``undo`` lets it wait again, until the archive is over;
        ``forget`` erases it at once, by its id.

        Raises:
            NotFound: no such proposal in this scope.
            LookAgain: it waits no more.
            Forbidden: no person acts.
        """
        decisions.reject(self.store, self.clock, self._in(scope), self._because, id)
