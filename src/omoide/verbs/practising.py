"""The verbs of procedures: lessons from failures, recipes from successes, and the files they can
be.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from omoide.faculties.procedures.lessons import Practice
from omoide.nouns.errors import Forbidden, InvalidInput
from omoide.nouns.ids import clean_id
from omoide.nouns.procedure import Failed, Lesson, Procedure
from omoide.nouns.scope import Scope
from omoide.nouns.skill_file import skill_folder
from omoide.read.listings import check_page
from omoide.settings.levels import Level
from omoide.tables.procedures import Procedures
from omoide.telemetry.logs import get_logger
from omoide.upkeep.tidying import Tidying
from omoide.verbs.bound import Bound
from omoide.write.checks import check_text

LESSON_LIMIT, LEAST = (
    2,
    0.5,
)  # lessons that are recalled, and how near to the goal they are at least
GOAL_LIMIT = 4_000  # characters of a goal that are looked at

_log = get_logger(__name__)


class Practising(Bound):
    """Learning how to do things, and finding that again."""

    level: Level
    _practice: Practice
    _tidying: Tidying

    def lesson(
        self, failure: Failed, scope: Scope | None = None, *, later: bool = False
    ) -> Procedure | None:
        """Learn from a task that failed, by a model that did not do it; None where there is nothing
        to learn, or the model is away.

        Also None where the lesson waits for a person, as ``review`` shows it: what it says that the
        failure does not, and whatever the setting ``review`` wants to wait. A lesson of an error's
        text is a tool's word: it comes after what the user says.

        The error is told without paths and addresses, and cut at 200 characters. ``undo`` takes the
        lesson back by its id. Later is when a worker gets to it: then nothing is waited for, and
        whatever goes wrong with it is a warning in the log and nothing to who calls this where a
        task has just failed.

        Nothing is made of a failure in a private session, in one of several users, or in one that
        was undone; nor in any, where the memory's level is that of a session.

        Raises:
            Forbidden: it was in such a session, or memory of the scope's level is off; later, that
                is a warning in the log.
            ModelMissing: no language model is configured; later, it waits for one.
            ModelRefused: it will not answer.
        """
        if self.level is Level.SESSION:
            _refuse(later=later)
            return None
        if not later:
            return self._practice.learn(self._in(scope), self._because, failure)
        self._practice.put_in_line(self._in(scope), failure)
        self._tidying.wake()
        return None

    def lessons(
        self,
        goal: str,
        scope: Scope | None = None,
        *,
        limit: int = LESSON_LIMIT,
        least: float = LEAST,
    ) -> list[Lesson]:
        """The procedures nearest to a goal, best first: those that are enabled and at least that
        near, from -1 to 1.

        None is of a level that is off, by ``user_memory``, ``agent_memory`` or ``shared_memory``;
        ``procedures`` lists these too.

        Raises:
            InvalidInput: the goal is no text, or least is not from -1 to 1.
            ModelError: the embedder failed.
        """
        check_page(limit)
        if not -1 <= least <= 1:
            raise InvalidInput("least", f"{least} is not from -1 to 1")
        return self._practice.recall(
            self._in(scope), check_text(goal)[:GOAL_LIMIT], limit=limit, least=least
        )

    def recipes(self, scope: Scope | None = None) -> list[Procedure]:
        """Make recipes of tools that led to much the same goal three times or more, mostly with
        success; those that are new, ten at most.

        What waits for a person, as ``review`` shows it, is not among them, and neither it nor what
        was rejected is made once more.

        The goal of a session is the first thing that a person said in it. Private sessions, those
        of several users and those that were undone count for none.

        Raises:
            ModelError: a model failed; the recipes made before that stay.
            Forbidden: memory of the scope's level is off.
        """
        return self._practice.recipes(self._in(scope), self._because)

    def procedures(
        self, scope: Scope | None = None, *, all_of_them: bool = False, limit: int = 100
    ) -> list[Procedure]:
        """A scope's procedures, latest first: those that may be recalled, or all."""
        check_page(limit)
        with self.store.transaction(tenant=self._in(scope).tenant, write=False) as tx:
            return Procedures(tx).page(self._in(scope), current=not all_of_them, limit=limit)

    def enable(self, id: str, scope: Scope | None = None, *, enabled: bool = True) -> Procedure:
        """Let a procedure be recalled, or no more.

        A person alone, ``acting(Because(tier=Tier.USER))``, lets one be recalled that another agent
        handed on, or that the setting ``review`` would let wait if it were made now.

        Raises:
            NotFound: there is none of that id in this scope.
            Forbidden: it is the word of somebody more trusted than who acts; or no person acts
                where one has to.
        """
        return self._practice.enable(
            self._in(scope), self._because, clean_id(id, "id"), enabled=enabled
        )

    def hand_on(
        self, id: str, agents: Sequence[str], scope: Scope | None = None
    ) -> list[Procedure]:
        """Offer a procedure to other agents, ten at most; each gets it disabled, tagged with where
        it is from, until ``enable``.

        A user's stays that user's; one of no user is, as with its own agent, for all who talk to
        them.

        Raises:
            NotFound: there is none of that id in this scope.
            Forbidden: memory of the level that it is of, the user's or the agent's, is off.
        """
        return self._practice.hand_on(self._in(scope), self._because, clean_id(id, "id"), agents)

    def write_skill(self, id: str, folder: Path | str, scope: Scope | None = None) -> Path:
        """Write a procedure as a SKILL.md into a folder; where.

        Raises:
            NotFound: there is none of that id in this scope.
            InvalidInput: the folder goes up, is an address, or cannot be written to.
        """
        procedure, place = (
            self._practice.get(self._in(scope), clean_id(id, "id")),
            skill_folder(str(folder)),
        )
        try:
            return self._practice.write(procedure, place)
        except OSError as error:
            raise InvalidInput("folder", f"cannot be written to: {error.strerror}") from None

    def read_skill(
        self, path: Path | str, scope: Scope | None = None, *, as_mine: bool = False
    ) -> Procedure:
        """Take a SKILL.md in as a procedure, a document's word; as_mine makes it the user's own.

        The current one of the same source gives way to it, unless that is the word of somebody more
        trusted than who acts.

        Raises:
            InvalidInput: it cannot be read, or is no such file.
            Forbidden: it is to be the user's own, and no person acts; or memory of the scope's
                level is off.
        """
        try:
            text = Path(path).read_text("utf-8")
        except (OSError, ValueError) as error:  # no UTF-8, or a path that cannot be one
            raise InvalidInput("path", f"cannot be read: {error}") from None
        return self._practice.take_in(self._in(scope), self._because, text, as_mine=as_mine)


def _refuse(*, later: bool) -> None:
    """Refuse a lesson where all that is kept lasts for its session; to who does not wait for it by
    a warning in the log.
    """
    if not later:
        raise Forbidden(
            f"a memory of level {Level.SESSION.value} learns no lesson: it would outlast the"
            " session; open it at another level"
        )
    _log.warning("a failure is not in line to be learnt from", error=Forbidden.__name__)
