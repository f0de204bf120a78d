"""The verbs of administration: they act on the whole store, or on all of a scope."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from omoide.nouns.access import Right
from omoide.nouns.chore import Tidied
from omoide.nouns.receipt import Receipt, Target
from omoide.nouns.scope import Scope
from omoide.tables.ledger import Head
from omoide.upkeep.backup import back_up
from omoide.upkeep.doctor import Finding, examine
from omoide.upkeep.scan import Leak, scan
from omoide.upkeep.verify import Verdict, verify
from omoide.verbs.forgetting import Forgetting
from omoide.wire.verbs import Returns, verb


class Admin(Forgetting):
    """Administration of the store: backups, checks, upkeep and erasure."""

    @verb(Right.ADMIN, 'backup("memory-backup.db")', returns=Returns.PAGE, long=True)
    def backup(self, target: Path | str) -> Sequence[str]:
        """Copy the store to a new file while it is used, and check the copy; return the problems
        found in the rows of both.

        Raises:
            Conflict: the target exists.
        """
        return back_up(self.store, str(target))

    @verb(Right.ADMIN, "doctor(repair=True)", returns=Returns.PAGE, long=True)
    def doctor(self, *, repair: bool = False, deep: bool = False) -> Sequence[Finding]:
        """Return what is wrong with the store's file, ledger, search index and vectors, and with
        configured language models.

        With ``repair`` it mends the index. A deep check computes every vector again to compare.
        """
        engine = self._engine
        silent = [
            Finding(place="llm", problem=str(error))
            for error in engine.teaching.asker.ping().values()
        ]
        found = examine(self.store, self.clock, engine.encoders, repair=repair, deep=deep)
        return found + silent

    @verb(Right.ADMIN, "scan(mask=True)", returns=Returns.PAGE, long=True)
    def scan(self, scope: Scope | None = None, *, mask: bool = False) -> Sequence[Leak]:
        """Return the tenant's records that hold secrets; with ``mask``, mask them for good."""
        leaks = scan(self.store, self.clock, self._in(scope).tenant, self._because, mask=mask)
        self._engine.tidying.wake()
        return leaks

    @verb(Right.ADMIN, 'tidy(only=["vectors"])', long=True, asks_model=True)
    def tidy(self, *, only: Sequence[str] | None = None) -> Tidied:
        """Run a round of upkeep over the whole store, or only some of its chores: vectors, decay,
        reconcile, distil, condense, prune.

        ``undo`` takes back a round's changes to a scope by the round's id.

        Raises:
            UnknownName: no such chore.
            ModelError: a model failed; what was done stays, and the next round does the rest.
        """
        self._engine.uses.write()
        return self._engine.rounds.tidy(only)

    @verb(Right.ADMIN, "verify()", spread=("known",), idempotent=True)
    def verify(self, known: Head | None = None, scope: Scope | None = None) -> Verdict:
        """Check that the ledger is whole; with an earlier verdict's head, also that the ledger
        still contains it.
        """
        return verify(self.store, self._in(scope).tenant, known)

    @verb(
        Right.DESTROY,
        'erase("turns", preview=True)',
        long=True,
        operation="delete_memory",
    )
    def erase(
        self, what: str = "all", scope: Scope | None = None, *, preview: bool = False
    ) -> Receipt:
        """Erase all of the scope's own ``items`` or ``turns``, or ``all``. Returns the receipt.

        With ``preview`` nothing is erased; the receipt counts what would be.

        Raises:
            UnknownName: no such sort of records.
            NotFound: the scope holds none of them.
        """
        return self._forget(scope, Target(everything=what), preview=preview)
