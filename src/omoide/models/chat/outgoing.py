"""What leaves this machine with a request to a model: the headers that are needed, and the key of
the address it goes to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from omoide.nouns.metadata import parse_json

if TYPE_CHECKING:
    import httpx2

# Libraries add headers from the environment, meant for one provider alone, and some that describe
# this machine.
HEADERS = frozenset(
    {
        "accept",
        "accept-encoding",
        "connection",
        "content-length",
        "content-type",
        "host",
        "transfer-encoding",
    }
)
HEADERS |= {"anthropic-beta", "anthropic-version", "user-agent"}


class Outgoing:
    """Called with each request that is about to leave; one that was sent on to another address gets
    no key.
    """

    def __init__(self, url: str, header: str, key: str) -> None:
        self._origin, self._header = origin(url), header
        self._value = f"Bearer {key}" if header == "authorization" and key else key

    async def __call__(self, request: httpx2.Request) -> None:
        """Leave out what is not needed, and add the key."""
        for name in set(request.headers) - HEADERS:
            del request.headers[name]
        if self._value and origin(str(request.url)) == self._origin:
            request.headers[self._header] = self._value


async def tell_failure(response: httpx2.Response) -> None:
    """Called with each response: gives an error that comes as a good answer its own status, so that
    it is read as one. Gateways pass on what a server behind them says that way.
    """
    kind = response.headers.get("content-type", "")
    if not response.is_success or "json" not in kind or "stream" in kind or "ndjson" in kind:
        return
    try:
        body = parse_json(await response.aread())
    except ValueError:
        return
    error = body.get("error") if isinstance(body, dict) else None
    if error:
        code = error.get("code") if isinstance(error, dict) else None
        response.status_code = code if isinstance(code, int) and 400 <= code < 600 else 400


def origin(url: str) -> str:
    """Scheme, host and port of an address."""
    return "/".join(url.lower().split("/")[:3])
