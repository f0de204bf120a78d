"""Language models that are configured and cannot be called: told when a memory is opened."""

from __future__ import annotations

import warnings

from omoide.models.chat.asker import Asker

REMEDY = ". Correct that, name another model in OMOIDE_LLM (setting llm), or set it to none"
CALLER = 4  # frames from here to who called Memory.open


class LearningUnavailable(UserWarning):
    """A memory was opened that logs talk and does not learn from it: a language model is configured
    and has no key, lacks a package, or its server is not there.
    """


def tell_unavailable(asker: Asker, *, strict: bool) -> None:
    """Warn of each model that is configured and cannot be called.

    No model is called, and nothing leaves the machine: a key and a package are looked for here, and
    a server on this machine is given one second to take a connection.

    Raises:
        ModelError: strict, and there is such a model.
    """
    for error in asker.unavailable:
        if strict:
            raise error
        warnings.warn(f"{error}{REMEDY}", LearningUnavailable, stacklevel=CALLER)
