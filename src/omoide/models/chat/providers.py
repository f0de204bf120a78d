"""Any provider of language models, for the ``llm`` extra: OpenAI, Anthropic, Google, and every
server that speaks OpenAI's language.

A key is read at each request, from its provider's own environment variable or the user's keyring,
and set on the request as the last thing before it leaves, on its way to the address it belongs to
and no other. It is in no option, id, message or log, and the libraries underneath never hold it.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

from omoide.models.base import authority, clean_model_name, read_options
from omoide.models.chat.base import Ask, ChatModel, Completion
from omoide.models.chat.listening import check_listening
from omoide.models.chat.outgoing import Outgoing, tell_failure
from omoide.models.server_words import server_words
from omoide.nouns.errors import (
    InvalidInput,
    MissingExtra,
    ModelError,
    ModelMissing,
    ModelRefused,
    ModelUnreachable,
    UnknownName,
)
from omoide.nouns.record.frozen import frozen_record
from omoide.settings.keys import find_key
from omoide.text.secrets.fields import mask_name

if TYPE_CHECKING:
    import httpx2
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.models import Model, ModelRequestParameters
    from pydantic_ai.settings import ModelSettings

Output = Literal["native", "tool", "prompted"]
Wire = Literal["openai", "compatible", "anthropic", "google"]
Thinking = Literal["off", "low", "medium", "high"]

LONGEST_S = 600.0  # until a request is given up by itself; who asks has a shorter bound of its own
NAME, NO_KEY = "answer", "none"
SCHEMA = "\n\nAnswer with one JSON object of this JSON schema, and nothing else:\n"
KEY_HEADERS = {
    "openai": "authorization",
    "compatible": "authorization",
    "anthropic": "x-api-key",
    "google": "x-goog-api-key",
}
_PACKAGES = {
    "openai": "openai",
    "compatible": "openai",
    "anthropic": "anthropic",
    "google": "google.genai",
}
ROOM_TO_THINK = 8192  # tokens beside those of the answer


@frozen_record
class Provider:
    """Where a provider is, how it is spoken to, and how to ask it for an answer's shape."""

    url: str
    wire: Wire = "compatible"
    keys: tuple[
        str,
        ...,
        # environment variables, of which the first that is set holds its key; none: it needs no key
    ] = ()
    output: Output = "native"


PROVIDERS: Mapping[str, Provider] = {
    "openai": Provider(url="https://api.openai.com/v1", wire="openai", keys=("OPENAI_API_KEY",)),
    "anthropic": Provider(
        url="https://api.anthropic.com",
        wire="anthropic",
        keys=("ANTHROPIC_API_KEY",),
        output="tool",
    ),
    "google": Provider(
        url="https://generativelanguage.googleapis.com",
        wire="google",
        keys=("GOOGLE_API_KEY", "GEMINI_API_KEY"),
    ),
    "openrouter": Provider(
        url="https://openrouter.ai/api/v1", keys=("OPENROUTER_API_KEY",), output="prompted"
    ),
    "ollama": Provider(url="http://127.0.0.1:11434/v1"),
    "llamacpp": Provider(url="http://127.0.0.1:8080/v1"),
    "lmstudio": Provider(url="http://127.0.0.1:1234/v1"),
    "vllm": Provider(url="http://127.0.0.1:8000/v1"),
    "lemonade": Provider(url="http://127.0.0.1:13305/api/v1"),
}
OPTIONS = ("base_url", "output", "thinking", "api_key_env")


def load_provider(spec: str) -> ChatModel:
    """The model that a string names: ``"openai:MODEL"``, with options such as
    ``"ollama:qwen3?base_url=http://host:11434/v1"``.

    ``base_url`` is another address that speaks the provider's language; it gets no key unless
    ``api_key_env`` names the variable of one. ``output`` is how the shape of an answer is asked
    for: ``native`` (the server holds the model to the schema), ``tool`` (as the arguments of a
    call), ``prompted`` (told in words, for servers that know neither). ``thinking`` is how much a
    model that can think does so before it answers: ``off`` (as little as it allows; the default) to
    ``high``.

    Raises:
        UnknownName: no such provider or option.
        InvalidInput: no model, an address that is none, or an output that is none.
        MissingExtra: the extra is not installed.
    """
    reference, _, written = spec.partition("?")
    name, _, model = reference.partition(":")
    if name not in PROVIDERS:
        known = (*(f"{provider}:MODEL" for provider in PROVIDERS), "cassette:FILE", "none")
        raise UnknownName("llm", mask_name(name), known)
    if not model:
        raise InvalidInput("llm", f"{name} needs a model: '{name}:MODEL'")
    options = {option: value for option, value in read_options(written, "llm").items() if value}
    for option in options:
        if option not in OPTIONS:
            raise UnknownName("llm option", mask_name(option), OPTIONS)
    return HostedModel(name, clean_model_name(model), **options)


class HostedModel:
    """A model behind a provider's API. An answer is one request; whoever asks tries it again."""

    def __init__(
        self,
        provider: str,
        model: str,
        *,
        base_url: str = "",
        output: str = "",
        thinking: str = "off",
        api_key_env: str = "",
    ) -> None:
        known = PROVIDERS[provider]
        self._provider, self._model = provider, model
        self._output, self._thinking = output or known.output, thinking
        _check_choice("output", self._output, Output)
        _check_choice("thinking", thinking, Thinking)
        self._url = url = base_url.rstrip("/") or known.url
        elsewhere = url != known.url
        self.id = f"{provider}:{model}" + (f"@{authority(url)}" if elsewhere else "")
        # another server does not have all that only OpenAI's own does
        self._wire: Wire = "compatible" if elsewhere and known.wire == "openai" else known.wire
        self._keys = (api_key_env,) if api_key_env else () if elsewhere else known.keys
        if not _is_installed(_PACKAGES[self._wire]):
            raise MissingExtra("a language model", "llm")

    def answer(self, ask: Ask) -> Completion:
        """As the protocol says, for a thread without an event loop of its own.

        Raises:
            ModelUnreachable: no answer, a busy or failing server, or an account that is used up.
            ModelMissing: no such model at this address; it may have been retired.
            ModelRefused: the model, or a filter around it, refuses.
            ModelError: anything else, such as a request that is refused as wrong, or no key.
        """
        return self._asked(ask, None)

    def stream(self, ask: Ask, hear: Callable[[str], None]) -> Completion:
        """As ``answer``, and ``hear`` gets each piece of the text as it comes."""
        return self._asked(ask, hear)

    def _asked(self, ask: Ask, hear: Callable[[str], None] | None) -> Completion:
        import httpx2

        key, started = self._key(), time.monotonic()
        try:
            response = asyncio.run(self._request(ask, key, hear))
        except (
            RuntimeError,
            ValueError,
            TypeError,
            LookupError,
            AttributeError,
            OSError,
            httpx2.HTTPError,
        ) as error:
            failure = error
        else:
            return self._read(ask, response, time.monotonic() - started)
        words = server_words(getattr(failure, "body", None), (ask.text, ask.system, key))
        # what the library's error says may hold the request, so it is not even a cause
        raise _failed(self.id, self._url, failure, words)

    def check(self) -> None:
        """That its key is there, and its server where that is on this machine.

        Raises:
            ModelError: there is no key.
            ModelUnreachable: no server takes connections.
        """
        self._key()
        check_listening(self.id, self._url)

    @property
    def is_priced(self) -> bool:
        """Whether the list knows its price; a provider on this machine, at its usual address, is
        free.
        """
        from pydantic_ai.messages import ModelResponse

        free = not self._keys and self._url == PROVIDERS[self._provider].url
        asked = ModelResponse(
            parts=[], model_name=self._model, provider_name=self._provider, provider_url=self._url
        )
        return free or _cost(asked, self._model) is not None

    def _key(self) -> str:
        """The key for this address; empty where it needs none.

        Raises:
            ModelError: neither its variable holds one, nor is one kept.
        """
        found = find_key(self._keys) if self._keys else ""
        if self._keys and not (found and found.isascii() and found.isprintable()):
            raise ModelError(
                f"{self.id}: no key in the environment variable {' or '.join(self._keys)}, and none"
                " kept by omoide secret"
            )
        return found

    async def _request(
        self, ask: Ask, key: str, hear: Callable[[str], None] | None
    ) -> ModelResponse:
        from pydantic_ai.messages import ModelRequest

        told = SCHEMA + json.dumps(ask.schema) if self._output == "prompted" else ""
        message = ModelRequest.user_text_prompt(ask.text, instructions=ask.system + told)
        async with self._client(key) as client:
            model = _model(self._wire, self._provider, self._model, self._url, client)
            request: dict[str, Any] = {
                "model": model,
                "messages": [message],
                "model_settings": self._settings(ask, model),
                "model_request_parameters": self._shape(ask),
                "instrument": False,
            }
            return await _response(request, hear)

    def _client(self, key: str) -> httpx2.AsyncClient:
        """A client that adds the key to what leaves, and tells what failed at the address."""
        import httpx2

        hooks: dict[str, list[Callable[..., Any]]] = {
            "request": [Outgoing(self._url, KEY_HEADERS[self._wire], key)],
            "response": [tell_failure],
        }
        return httpx2.AsyncClient(timeout=httpx2.Timeout(LONGEST_S, connect=10), event_hooks=hooks)

    def _settings(self, ask: Ask, model: Model) -> ModelSettings:
        thinks = self._thinking != "off"
        settings: dict[str, Any] = {
            "max_tokens": ask.max_tokens + (ROOM_TO_THINK if thinks else 0),
            "thinking": self._thinking if thinks else False,
            "max_retries": 0,
            "request_timeout": LONGEST_S,
        }
        profile: Mapping[str, Any] = model.profile
        if not (
            thinks
            or profile.get("openai_supports_reasoning")
            or profile.get("anthropic_disallows_sampling_settings")
        ):
            settings["temperature"] = ask.temperature
        return cast("ModelSettings", settings)

    def _shape(self, ask: Ask) -> ModelRequestParameters:
        from pydantic_ai.models import ModelRequestParameters
        from pydantic_ai.output import OutputObjectDefinition
        from pydantic_ai.tools import ToolDefinition

        # its own, as the library changes it
        schema: dict[str, Any] = json.loads(json.dumps(ask.schema))
        if self._output == "native":
            return ModelRequestParameters(
                output_mode="native",
                output_object=OutputObjectDefinition(json_schema=schema, name=NAME),
            )
        if self._output == "tool":
            tool = ToolDefinition(
                name=NAME,
                parameters_json_schema=schema,
                description="Give the answer.",
                kind="output",
            )
            return ModelRequestParameters(
                output_mode="tool", output_tools=[tool], allow_text_output=False
            )
        return ModelRequestParameters()

    def _read(self, ask: Ask, response: ModelResponse, seconds: float) -> Completion:
        if response.finish_reason == "content_filter":
            raise ModelRefused(f"{self.id} refuses to answer, asked to {ask.purpose}")
        return Completion(
            text=_text_of(response),
            model=self.id,
            input_tokens=response.usage.input_tokens,
            output_tokens=response.usage.output_tokens,
            cost_usd=_cost(response, self._model),
            seconds=seconds,
            cut=response.finish_reason == "length",
        )


def _is_installed(package: str) -> bool:
    """Whether a provider's library is there, and the one that is put over it."""
    try:
        return None not in (find_spec("pydantic_ai"), find_spec(package))
    except (ModuleNotFoundError, ValueError):  # the package that it is a part of is not there
        return False


def _text_of(response: ModelResponse) -> str:
    """The arguments of the first call, else the words."""
    from pydantic_ai.messages import TextPart, ToolCallPart

    calls = (part.args_as_json_str() for part in response.parts if isinstance(part, ToolCallPart))
    words = (part.content for part in response.parts if isinstance(part, TextPart))
    first = next(calls, None)
    return "".join(words) if first is None else first


async def _response(request: dict[str, Any], hear: Callable[[str], None] | None) -> ModelResponse:
    """What the library brings, whole; ``hear`` gets the pieces that come before."""
    from pydantic_ai.direct import model_request, model_request_stream

    if hear is None:
        return await model_request(**request)
    async with model_request_stream(**request) as stream:
        async for event in stream:
            if piece := _piece(event):
                hear(piece)
        return stream.get()


def _piece(event: Any) -> str:
    """The text that an event of a stream adds, be it plain or the arguments of a call; its
    thoughts are none.
    """
    part = getattr(event, "part", None) if event.event_kind == "part_start" else None
    part = event.delta if event.event_kind == "part_delta" else part
    match getattr(part, "part_kind", "") or getattr(part, "part_delta_kind", ""):
        case "text":
            return str(getattr(part, "content", "") or getattr(part, "content_delta", ""))
        case "tool-call" | "tool_call":
            added = getattr(part, "args", None) or getattr(part, "args_delta", None)
            return added if isinstance(added, str) else ""
    return ""


def _check_choice(option: str, value: str, choices: object) -> None:
    if value not in get_args(choices):
        raise InvalidInput(
            f"llm option {option}", f"must be one of {', '.join(get_args(choices))}; got {value!r}"
        )


def _model(wire: Wire, provider: str, name: str, url: str, client: httpx2.AsyncClient) -> Model:
    """The library's model at an address. It gets no key; the client adds that to what leaves."""
    at: dict[str, Any] = {"api_key": NO_KEY, "base_url": url, "http_client": client}
    if wire == "anthropic":
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        return AnthropicModel(name, provider=AnthropicProvider(**at))
    if wire == "google":
        from pydantic_ai.models.google import GoogleModel
        from pydantic_ai.providers.google import GoogleProvider

        return GoogleModel(name, provider=GoogleProvider(**at))
    if wire == "openai":
        from pydantic_ai.models.openai import OpenAIChatModel
        from pydantic_ai.providers.openai import OpenAIProvider

        return OpenAIChatModel(name, provider=OpenAIProvider(**at))
    return _compatible_model(provider, name, at)


def _compatible_model(provider: str, name: str, at: dict[str, Any]) -> Model:
    """A model of a server that speaks OpenAI's language.

    The length of an answer is bounded by ``max_tokens``, which every such server knows. OpenAI's
    reasoning models alone refuse it, so one of these, behind another address, gets the newer name.
    """
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles.openai import OpenAIModelProfile, openai_model_profile
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    own: Mapping[str, Any] = openai_model_profile(name) or {}
    newer = provider == "openai" and bool(own.get("openai_supports_reasoning"))
    profile = OpenAIModelProfile(
        openai_chat_supports_max_completion_tokens=newer,
        supports_json_schema_output=True,  # the server's to know, not the model's
    )
    return OpenAIChatModel(name, provider=OpenAICompatibleProvider(provider, profile=profile, **at))


def _failed(id: str, url: str, error: Exception, words: str) -> ModelError:
    """The library's error as one of ours: what happened and what to do, in the server's words too,
    without what was sent.
    """
    from pydantic_ai import exceptions as known

    status = (
        f" (HTTP {error.status_code}){words}" if isinstance(error, known.ModelHTTPError) else ""
    )
    match error:
        case known.ModelNotFoundError():
            return ModelMissing(
                f"{id}: no such model there; it may be retired, misspelt, or not pulled yet{status}"
            )
        case known.ModelQuotaExceededError():
            return ModelUnreachable(
                f"{id}: the account has no credit left{status}", error.retry_after
            )
        case known.ModelRateLimitError() | known.ModelUnavailableError() | known.ModelServerError():
            return ModelUnreachable(f"{id}: busy or failing{status}", error.retry_after)
        case known.ModelRequestTimeout() | known.ModelTimeoutError():
            return ModelUnreachable(f"{id}: no answer in time")
        case known.ModelConnectionError() | OSError():
            return ModelUnreachable(f"{id}: the connection to {authority(url)} failed or broke off")
        case known.ModelAuthenticationError():
            return ModelError(f"{id}: the key was refused{status}")
        case known.ModelContextWindowExceededError():
            return ModelError(f"{id}: the question is longer than the model can read{status}")
        case known.ContentFilterError():
            return ModelRefused(f"{id} refuses to answer")
        case known.ModelHTTPError():
            return ModelError(f"{id}: the request was refused{status}")
    return ModelError(f"{id}: the response holds no answer ({type(error).__name__})")


def _cost(response: ModelResponse, model: str) -> float | None:
    """In US dollars, by the name that the server gives its model, else by that it was asked for;
    None where no price is known.
    """
    for name in (response.model_name, model):
        try:
            return float(replace(response, model_name=name).cost().total_price)
        except (LookupError, ValueError, AssertionError):
            continue
    return None
