"""The verbs of administration: they act on the whole store, or on all of a scope."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from pathlib import Path

from omoide.archive.export import write_archive
from omoide.archive.load import preview_archive, read_archive
from omoide.archive.results import Exported, Loaded
from omoide.archive.span import span
from omoide.nouns.access import Right
from omoide.nouns.chore import Tidied
from omoide.nouns.receipt import Receipt, Target
from omoide.nouns.scope import Scope
from omoide.tables.ledger import Head
from omoide.telemetry.progress import step
from omoide.text.given_time import read_time
from omoide.upkeep.backup import back_up
from omoide.upkeep.doctor import Finding, examine
from omoide.upkeep.scan import Leak, scan
from omoide.upkeep.verify import Verdict, verify
from omoide.verbs.forgetting import Forgetting
from omoide.wire.verbs import Returns, verb


class AdminVerbs(Forgetting):
    """Administration of the store: backups, checks, upkeep and erasure."""

    @verb(Right.ADMIN, 'backup("memory-backup.db")', returns=Returns.PAGE, long=True)
    def backup(self, target: Path | str) -> Sequence[str]:
        """Copy the store to a new file while it is used, and check the copy; return the problems
        found in the rows of both.

        Raises:
            Conflict: the target exists.
            InvalidInput: there is no folder for it.
        """
        return back_up(self.store, str(target))

    @verb(Right.ADMIN, 'export("ana.jsonl")', long=True)
    def export(
        self,
        path: Path | str,
        scope: Scope | None = None,
        *,
        everything: bool = False,
        recorded_since: datetime | date | str | None = None,
        recorded_until: datetime | date | str | None = None,
    ) -> Exported:
        """Write everything held about the scope's user to a new archive, or with ``everything`` all
        of the tenant.

        With an agent, it is what that agent sees. ``recorded_since`` and ``recorded_until`` narrow
        it to what changed after one moment, up to and with another: the ledger's entries, and the
        records that they are about. Receipts of later erasures name the file.

        Raises:
            InvalidInput: this cannot be a path, or cannot be written.
            InvalidTime: a time cannot be read, or recorded_until is before recorded_since.
            Conflict: the file exists.
        """
        self._engine.uses.write()
        scope = self._in(scope)
        now = self.clock.now()
        during = span(
            read_time(recorded_since, "recorded_since", now),
            read_time(recorded_until, "recorded_until", now, end_of_day=True),
        )
        return write_archive(
            self.store,
            self.clock,
            scope,
            Path(path),
            everything=everything,
            during=during,
            tell=step,
        )

    @verb(Right.ADMIN, 'load("ana.jsonl")', long=True)
    def load(
        self,
        path: Path | str,
        scope: Scope | None = None,
        *,
        everything: bool = False,
        restore_forgotten: bool = False,
        preview: bool = False,
    ) -> Loaded:
        """Load an archive; what is there already is left alone. Return what was new, what was
        passed over, and how much foreign history is kept.

        An archive brings in what the scope's user may write; ``everything`` brings in the rest.
        With ``preview`` nothing is stored: the result says what needs a word first.

        Raises:
            Forbidden: it holds more than the user may write; the message lists it.
            ForgottenInArchive: it holds records that were forgotten here, and
                ``restore_forgotten`` is not set.
            ImportRefused: the file is no archive, is cut off or altered, or holds a record that no
                verb would make.
            Conflict: a record of the same id is there and differs.
        """
        scope, file = self._in(scope), Path(path)
        if preview:
            return preview_archive(self.store, self.clock, scope, file)
        loaded = read_archive(
            self.store,
            self.clock,
            scope,
            file,
            everything=everything,
            restore_forgotten=restore_forgotten,
            tell=step,
        )
        self._engine.zones.look_again()
        self._engine.tidying.wake()
        return loaded

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
    def erase(self, what: str, scope: Scope | None = None, *, preview: bool = False) -> Receipt:
        """Erase all of the scope's own ``items`` or ``turns``, or ``all``. Returns the receipt.

        With ``preview`` nothing is erased; the receipt counts what would be.

        Raises:
            UnknownName: no such sort of records.
            NotFound: the scope holds none of them.
        """
        return self._forget(scope, Target(everything=what), preview=preview)
