"""The verbs of items: listing, filing, judging and erasing what is known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Unpack

from omoide.nouns.access import Right
from omoide.nouns.errors import InvalidInput
from omoide.nouns.item import Category, Item, Source
from omoide.nouns.receipt import Receipt, Target
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Turn
from omoide.read import lineage, listings
from omoide.read.listings import Page
from omoide.settings.levels import Level
from omoide.tables.item_fields import ItemEdit
from omoide.tables.listing import Listing
from omoide.verbs.forgetting import Forgetting
from omoide.wire.verbs import Returns, verb
from omoide.write import corrections
from omoide.write.apply import Writer
from omoide.write.checks import check_one_of
from omoide.write.remember import Statement, seed


class ItemVerbs(Forgetting):
    """Single items: statements that are held to be true."""

    @verb(
        Right.READ,
        "list()",
        spread=("listing",),
        returns=Returns.PAGE,
        idempotent=True,
        mcp="read",
    )
    def list(self, listing: Listing | None = None, scope: Scope | None = None) -> Page:
        """Return one page of items, filtered and sorted as the listing says.

        Raises:
            UnknownName: the listing names an unknown order or category.
            InvalidInput: the limit or the offset is out of range.
            InvalidTime: ``until`` is not after ``since``.
        """
        engine, scope = self._engine, self._in(scope)
        engine.uses.write()
        listing = listings.listed(engine.level, scope, listing or Listing())
        return listings.page(engine.store, scope, listing, self.clock.now())

    @verb(
        Right.WRITE,
        'add_many([Statement(text="Ana likes tea")])',
        returns=Returns.STREAM,
        needs_owner=True,
        long=True,
        operation="create_memory",
    )
    def add_many(
        self, statements: Iterable[Statement], scope: Scope | None = None
    ) -> Sequence[Item]:
        """Store many statements at once, each as a new item, whatever is known: all, or none.

        Raises:
            OwnerMissing: the scope names no owner.
            InvalidInput, TooLong, UnknownName, InvalidTime: a statement is wrong.
            Forbidden: memory of the scope's level is off.
            ModelError: the embedder failed; nothing was stored.
        """
        engine, scope = self._engine, self._owned(scope)
        if engine.level is not Level.PERSISTENT or engine.switches.off:
            statements = [
                replace(said, details=engine.lasting(scope, said.details)) for said in statements
            ]
        writer = Writer(self.store, self.clock, scope, self._because)
        return engine.tidying.after(seed(writer, engine.encoders, statements))

    @verb(
        Right.WRITE,
        'edit("06h2emjat46tpqj21e1sjc5j", tags=["tea"], pinned=True)',
        subject="id",
        idempotent=True,
        versioned=True,
        mcp="write",
        operation="update_memory",
    )
    def edit(self, id: str, scope: Scope | None = None, **attributes: Unpack[ItemEdit]) -> Item:
        """Set attributes of an item, such as ``tags`` or ``due_at``; ``correct`` changes its text.

        ``reminded_at="now"`` notes that the user was reminded.

        Raises:
            UnknownName: an attribute has another name; the error lists those that there are.
            NotFound: no such item in this scope.
            Forbidden: the item has a higher trust tier than the actor.
        """
        return corrections.edit(self._writer(scope), id, attributes)

    @verb(
        Right.WRITE,
        'pin("06h2emjat46tpqj21e1sjc5j")',
        subject="id",
        idempotent=True,
        mcp="write",
    )
    def pin(self, id: str, scope: Scope | None = None, *, pinned: bool = True) -> Item:
        """Pin an item, so that upkeep neither weakens nor removes it; or unpin it.

        Raises:
            NotFound: no such item in this scope.
            Forbidden: the item has a higher trust tier than the actor.
        """
        return corrections.edit(self._writer(scope), id, {"pinned": pinned})

    @verb(
        Right.WRITE,
        'feedback("06h2emjat46tpqj21e1sjc5j", helpful=True)',
        subject="id",
        mcp="write",
    )
    def feedback(self, id: str, scope: Scope | None = None, *, helpful: bool) -> Item:
        """Record whether an item helped or did harm: confidence rises by 0.05, or falls by 0.1.

        Raises:
            NotFound: no such item in this scope.
        """
        return corrections.feedback(self._writer(scope), id, helpful=helpful)

    @verb(Right.WRITE, 'reopen("06h2emjat46tpqj21e1sjc5j")', subject="id")
    def reopen(self, id: str, scope: Scope | None = None) -> Item:
        """Reopen a closed item, or trust one without the basis that was closed.

        Raises:
            NotFound: no such item in this scope.
            Conflict: the item or its successor is open.
            Forbidden: the item, or what closed it, has a higher trust tier than the actor.
        """
        return corrections.reopen(self._writer(scope), id)

    @verb(
        Right.READ,
        'sources("06h2emjat46tpqj21e1sjc5j")',
        subject="id",
        returns=Returns.PAGE,
        idempotent=True,
        mcp="read",
    )
    def sources(self, id: str, scope: Scope | None = None, *, around: int = 2) -> Sequence[Turn]:
        """Return the turns behind an item or turn, each with ``around`` turns before and after it.

        Raises:
            NotFound: no such record in this scope.
            InvalidInput: around is not from 0 to 50.
        """
        return listings.sources(self.store, self._in(scope), id, around)

    @verb(
        Right.READ,
        'dependants("06h2emjat46tpqj21e1sjc5j")',
        subject="id",
        returns=Returns.PAGE,
        idempotent=True,
    )
    def dependants(self, id: str, scope: Scope | None = None) -> Sequence[Item]:
        """Return the items that would be unconfirmed if this one were corrected or taken back.

        The nearest come first.

        Raises:
            NotFound: no such item in this scope.
        """
        return lineage.cascade(self.store, self._in(scope), id)

    @verb(
        Right.DESTROY,
        'forget(origin="https://example.org/page", preview=True)',
        operation="delete_memory",
        long=True,
    )
    def forget(
        self,
        scope: Scope | None = None,
        *,
        origin: str | None = None,
        source: str | None = None,
        category: str | None = None,
        preview: bool = False,
    ) -> Receipt:
        """Erase all that an origin brought, or your own items of a source or category.

        Of an origin, its effect on other items is taken back too: what it closed, what it added,
        what rests on it. With ``preview`` nothing is erased; the receipt counts what would be.

        Raises:
            UnknownName: no such source or category.
            InvalidInput: not exactly one of origin, source and category is given.
            NotFound: nothing in this scope is meant by it.
        """
        if sum(given is not None for given in (origin, source, category)) != 1:
            raise InvalidInput("forget", "name exactly one of origin, source and category")
        if origin is not None:
            return self._forget(scope, Target(origin=origin), preview=preview)
        own = (
            check_one_of(Category, category, "category")
            if source is None
            else check_one_of(Source, source, "source")
        )
        return self._forget(scope, Target(everything=own), preview=preview)
