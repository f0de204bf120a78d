"""The groups of verbs beside the everyday ones: a new group is one property here."""

from __future__ import annotations

from typing import get_type_hints

from omoide.verbs.admin import AdminVerbs
from omoide.verbs.entities import EntityVerbs
from omoide.verbs.everyday import Everyday
from omoide.verbs.items import ItemVerbs
from omoide.verbs.jobs import JobVerbs
from omoide.verbs.procedures import ProcedureVerbs
from omoide.verbs.reflections import ReflectionVerbs
from omoide.verbs.review import ReviewVerbs
from omoide.verbs.searches import SearchVerbs
from omoide.verbs.sessions import SessionVerbs
from omoide.verbs.tool_calls import ToolCallVerbs
from omoide.verbs.users import UserVerbs
from omoide.wire.verbs import Verb, verbs_of


class Groups(Everyday):
    """The verbs of a memory: the everyday ones, and the groups of the others."""

    @property
    def items(self) -> ItemVerbs:
        """Single items: list, file, judge and erase what is known."""
        return ItemVerbs(self._engine, self._place)

    @property
    def sessions(self) -> SessionVerbs:
        """Sessions: begin, end, read, learn from and erase talk."""
        return SessionVerbs(self._engine, self._place)

    @property
    def entities(self) -> EntityVerbs:
        """Entities: the people, projects and things that items are about."""
        return EntityVerbs(self._engine, self._place)

    @property
    def users(self) -> UserVerbs:
        """Users: who has records, and which sender of a channel is whom."""
        return UserVerbs(self._engine, self._place)

    @property
    def review(self) -> ReviewVerbs:
        """The review queue: proposals that need a person's decision."""
        return ReviewVerbs(self._engine, self._place)

    @property
    def procedures(self) -> ProcedureVerbs:
        """Procedures: how to do things, from failures, successes and files."""
        return ProcedureVerbs(self._engine, self._place)

    @property
    def reflections(self) -> ReflectionVerbs:
        """Reflections, digests and the profile."""
        return ReflectionVerbs(self._engine, self._place)

    @property
    def searches(self) -> SearchVerbs:
        """Saved searches: questions that are asked again and again."""
        return SearchVerbs(self._engine, self._place)

    @property
    def tool_calls(self) -> ToolCallVerbs:
        """Tool calls: how agents used their tools."""
        return ToolCallVerbs(self._engine, self._place)

    @property
    def jobs(self) -> JobVerbs:
        """Jobs: background work that waits, runs, or failed."""
        return JobVerbs(self._engine, self._place)

    @property
    def admin(self) -> AdminVerbs:
        """Administration: backups, checks, upkeep and erasure."""
        return AdminVerbs(self._engine, self._place)


GROUPS: dict[str, type] = {
    name: get_type_hints(mounted.fget)["return"]
    for name, mounted in vars(Groups).items()
    if isinstance(mounted, property)
}
VERBS: tuple[Verb, ...] = tuple(verbs_of(Everyday, GROUPS))
