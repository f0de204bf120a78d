"""The verbs of procedures: lessons from failures, recipes from successes, and skill files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from omoide.faculties.procedures.successes import make_recipes
from omoide.nouns.access import Right
from omoide.nouns.errors import Forbidden, InvalidInput
from omoide.nouns.ids import clean_id
from omoide.nouns.procedure import Failed, Lesson, Procedure
from omoide.nouns.scope import Scope
from omoide.nouns.skill_file import skill_folder
from omoide.read.listings import check_page
from omoide.settings.levels import Level
from omoide.store.base import read_only
from omoide.tables.procedures import Procedures
from omoide.telemetry.logs import get_logger
from omoide.verbs.bound import Bound
from omoide.wire.verbs import Returns, verb
from omoide.write.checks import check_text

GOAL_LIMIT = 4_000  # characters of a goal that are looked at

_log = get_logger(__name__)


class ProcedureVerbs(Bound):
    """Procedures: how to do things, learned from failures and successes or taken from files."""

    @verb(Right.READ, "list()", returns=Returns.PAGE, idempotent=True, mcp="read")
    def list(
        self, scope: Scope | None = None, *, all_of_them: bool = False, limit: int = 100
    ) -> Sequence[Procedure]:
        """Return procedures, latest first: those that may be recalled, or all.

        Raises:
            InvalidInput: the limit is out of range.
        """
        check_page(limit)
        scope = self._in(scope)
        with read_only(self.store, scope.tenant) as tx:
            return Procedures(tx).page(scope, current=not all_of_them, limit=limit)

    @verb(Right.READ, 'match("book a train")', returns=Returns.PAGE, idempotent=True, mcp="read")
    def match(
        self,
        goal: str,
        scope: Scope | None = None,
        *,
        limit: int = 2,
        least: float = 0.5,
    ) -> Sequence[Lesson]:
        """Return the procedures nearest to a goal, best first: enabled ones with a similarity of at
        least ``least``, from -1 to 1.

        Procedures of a level that is switched off by ``user_memory``, ``agent_memory`` or
        ``shared_memory`` are left out; ``list`` returns them.

        Raises:
            InvalidInput: the goal has no text, or limit or least is out of range.
            ModelError: the embedder failed.
        """
        check_page(limit)
        if not -1 <= least <= 1:
            raise InvalidInput("least", f"must be from -1 to 1; got {least}")
        return self._engine.practice.recall(
            self._in(scope), check_text(goal)[:GOAL_LIMIT], limit=limit, least=least
        )

    @verb(
        Right.WRITE,
        'learn(Failed(task="book a train", error="no seats", goal="reach Porto"))',
        spread=("failure",),
        needs_owner=True,
        long=True,
        asks_model=True,
    )
    def learn(
        self, failure: Failed, scope: Scope | None = None, *, later: bool = False
    ) -> Procedure | None:
        """Learn a lesson from a task that failed, with a model that did not do the task.

        Returns None if there is nothing to learn, the model is away, or the lesson goes to the
        review queue: what it says beyond the failure does, and what the setting ``review`` names.
        A lesson from an error's text has a tool's trust tier, below the user's word.

        The model sees the error without paths and addresses, cut at 200 characters. ``undo`` takes
        the lesson back by its id. With ``later`` a worker does the work: the call returns at once,
        and a failure is logged as a warning.

        A failure in a private session, in a session of several users, or in one that was undone
        teaches nothing; nor does any in a memory of level session.

        Raises:
            OwnerMissing: the scope names no owner.
            Forbidden: the session allows no lesson, or memory of the scope's level is off; with
                ``later``, a warning in the log.
            ModelMissing: no language model is configured; with ``later``, the lesson waits for one.
            ModelRefused: the model refuses to answer.
        """
        engine, scope = self._engine, self._owned(scope)
        if engine.level is Level.SESSION:
            _refuse(later=later)
            return None
        if not later:
            return engine.practice.learn(scope, self._because, failure)
        engine.practice.put_in_line(scope, failure)
        engine.tidying.wake()
        return None

    @verb(
        Right.WRITE, "recipes()", returns=Returns.PAGE, needs_owner=True, long=True, asks_model=True
    )
    def recipes(self, scope: Scope | None = None) -> Sequence[Procedure]:
        """Make recipes from tools that led to similar goals three times or more, mostly with
        success; return the new ones, ten at most.

        The goal of a session is the first thing that a person said in it. Recipes that go to the
        review queue are not returned; they are not made again there, nor after a rejection.
        Private sessions, those of several users, and those that were undone are left out.

        Raises:
            OwnerMissing: the scope names no owner.
            ModelError: a model failed; the recipes made before that stay.
            Forbidden: memory of the scope's level is off.
        """
        return make_recipes(self._engine.practice, self._owned(scope), self._because)

    @verb(Right.WRITE, 'enable("06h2emjat46tpqj21e1sjc5j")', subject="id", idempotent=True)
    def enable(self, id: str, scope: Scope | None = None, *, enabled: bool = True) -> Procedure:
        """Enable a procedure for recall, or disable it.

        Only a person, ``acting(Because(tier=Tier.USER))``, enables one that another agent shared,
        or that the setting ``review`` would send to the review queue today.

        Raises:
            NotFound: no such procedure in this scope.
            Forbidden: the procedure has a higher trust tier than the actor, or a person must act.
        """
        return self._engine.practice.enable(
            self._in(scope), self._because, clean_id(id, "id"), enabled=enabled
        )

    @verb(
        Right.WRITE,
        'share("06h2emjat46tpqj21e1sjc5j", ["helper"])',
        subject="id",
        returns=Returns.PAGE,
    )
    def share(
        self, id: str, agents: Sequence[str], scope: Scope | None = None
    ) -> Sequence[Procedure]:
        """Offer a procedure to other agents, ten at most. Each gets a disabled copy, tagged with
        where it is from.

        A user's procedure stays that user's; one of no user is for all who talk to those agents.

        Raises:
            NotFound: no such procedure in this scope.
            Forbidden: memory of the procedure's level, the user's or the agent's, is off.
        """
        return self._engine.practice.hand_on(
            self._in(scope), self._because, clean_id(id, "id"), agents
        )

    @verb(Right.READ, 'write_skill("06h2emjat46tpqj21e1sjc5j", "skills")', subject="id")
    def write_skill(self, id: str, folder: Path | str, scope: Scope | None = None) -> Path:
        """Write a procedure as a SKILL.md file into a folder; return its path.

        Raises:
            NotFound: no such procedure in this scope.
            InvalidInput: the folder goes up, is an address, or cannot be written to.
        """
        practice, place = self._engine.practice, skill_folder(str(folder))
        procedure = practice.get(self._in(scope), clean_id(id, "id"))
        return practice.write(procedure, place)

    @verb(Right.WRITE, 'read_skill("skills/trains/SKILL.md")', needs_owner=True)
    def read_skill(
        self, path: Path | str, scope: Scope | None = None, *, as_mine: bool = False
    ) -> Procedure:
        """Add a SKILL.md file as a procedure, with a document's trust tier; ``as_mine`` makes it
        the user's own word.

        It replaces the current procedure of the same source, unless that has a higher trust tier
        than the actor.

        Raises:
            OwnerMissing: the scope names no owner.
            InvalidInput: the file cannot be read, or is not a SKILL.md file.
            Forbidden: it is to be the user's own, and no person acts; or memory of the scope's
                level is off.
        """
        scope = self._owned(scope)
        try:
            text = Path(path).read_text("utf-8")
        except (OSError, ValueError) as error:  # no UTF-8, or a path that cannot be one
            raise InvalidInput("path", f"cannot be read: {error}") from None
        return self._engine.practice.take_in(scope, self._because, text, as_mine=as_mine)


def _refuse(*, later: bool) -> None:
    """Refuse a lesson where all that is kept lasts for its session; a caller who does not wait for
    it finds a warning in the log.
    """
    if not later:
        raise Forbidden(
            f"a memory of level {Level.SESSION.value} learns no lesson: it would outlast the"
            " session; open it at another level"
        )
    _log.warning("a failure is not queued for a lesson", error=Forbidden.__name__)
