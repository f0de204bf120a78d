"""The verbs of entities: the people, projects and things that items are about."""

from __future__ import annotations

from collections.abc import Sequence

from omoide.nouns.access import Right
from omoide.nouns.entity import Entity
from omoide.nouns.receipt import Receipt, Target
from omoide.nouns.scope import Scope
from omoide.read import listings
from omoide.verbs.forgetting import Forgetting
from omoide.wire.verbs import Returns, verb
from omoide.write import entities


class EntityVerbs(Forgetting):
    """Entities: the people, projects and things that items are about."""

    @verb(Right.READ, "list()", returns=Returns.PAGE, idempotent=True, mcp="read")
    def list(
        self, scope: Scope | None = None, *, limit: int = 100, include_sensitive: bool = False
    ) -> Sequence[Entity]:
        """Return entities, those with most open items first.

        Entities that only sensitive items mention are left out unless asked for.

        Raises:
            InvalidInput: the limit is out of range.
        """
        return listings.entities(
            self.store, self._in(scope), limit, include_sensitive=include_sensitive
        )

    @verb(Right.WRITE, 'name("person:ana", "Annie")', subject="entity", idempotent=True)
    def name(self, entity: str, alias: str | None = None, scope: Scope | None = None) -> Entity:
        """Add an entity such as ``person:ana``, or add an alias to it.

        Raises:
            InvalidInput: the name or the alias cannot be one.
            Conflict: the alias belongs to another entity.
        """
        return entities.name_entity(self._writer(scope), entity, alias)

    @verb(Right.WRITE, 'merge("person:annie", "person:ana")', subject="source")
    def merge(self, source: str, target: str, scope: Scope | None = None) -> Entity:
        """Merge one entity into another: its names and items become the target's.

        Raises:
            NotFound: no such entity in this scope.
        """
        return entities.merge(self._writer(scope), source, target)

    @verb(Right.WRITE, 'split("person:ana", "Annie")', subject="entity")
    def split(self, entity: str, alias: str, scope: Scope | None = None) -> Entity:
        """Make an entity of its own from one of an entity's aliases.

        Raises:
            NotFound: no such entity or alias in this scope.
        """
        return entities.split(self._writer(scope), entity, alias)

    @verb(
        Right.DESTROY,
        'forget("person:ana", preview=True)',
        subject="entity",
        long=True,
        operation="delete_memory",
    )
    def forget(self, entity: str, scope: Scope | None = None, *, preview: bool = False) -> Receipt:
        """Erase an entity with every item about it. Returns the receipt.

        With ``preview`` nothing is erased; the receipt counts what would be.

        Raises:
            NotFound: no such entity in this scope.
        """
        return self._forget(scope, Target(entity=entity), preview=preview)
