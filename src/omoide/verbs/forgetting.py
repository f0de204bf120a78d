"""What all verbs have in common that erase."""

from __future__ import annotations

from dataclasses import replace

from omoide.forgetting.erasure import foresee, forget
from omoide.nouns.receipt import Receipt, Target
from omoide.nouns.scope import Scope
from omoide.verbs.bound import Bound


class Forgetting(Bound):
    """A group of verbs some of which erase."""

    def _forget(self, scope: Scope | None, target: Target, *, preview: bool) -> Receipt:
        """Erase what a target stands for and prove it; in a preview, only count it.

        Raises:
            InvalidInput: not exactly one target.
            NotFound: nothing in this scope is meant by it.
        """
        self._engine.uses.write()
        scope = self._in(scope)
        if target.session is not None:
            target = replace(target, session=self._session_id(scope, target.session))
        act = foresee if preview else forget
        receipt = act(self.store, self.clock, scope, self._because, target)
        self._engine.zones.look_again()
        return receipt
