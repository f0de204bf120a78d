"""The chat model that a string names."""

from __future__ import annotations

from omoide.models.chat.base import CallableModel, ChatModel, Plain
from omoide.nouns.errors import InvalidInput
from omoide.text.secrets.fields import check_no_key

NO_MODEL = ("", "none")


def load_chat(spec: str | Plain | ChatModel | None) -> ChatModel | None:
    """The model that a string names, a function as a model, or a model as it is; None for
    ``"none"``, an empty text or None.

    ``cassette:FILE`` is one whose answers were recorded.

    Raises:
        UnknownName: no such provider.
        InvalidInput: it names no model, holds a key, or is neither text nor a function nor a model.
        MissingExtra: what the provider needs is not installed.
    """
    if spec is None or spec in NO_MODEL:
        return None
    if isinstance(spec, str):
        check_no_key(spec, "llm")
    if isinstance(spec, str) and spec.startswith("cassette:"):
        from omoide.models.chat.cassette import Cassette

        return Cassette(spec.removeprefix("cassette:"))
    if isinstance(spec, str):
        from omoide.models.chat.providers import load_provider

        return load_provider(spec)
    if isinstance(spec, ChatModel):
        return spec
    if not callable(spec):
        raise InvalidInput(
            "llm",
            f"{type(spec).__name__} is not a model; give a text such as openai:MODEL, a function,"
            " or an object with id and answer",
        )
    return CallableModel(spec)
