"""Headers and addresses of what is passed on. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from email.message import Message
from ipaddress import ip_address
from urllib.parse import unquote, urlsplit

from omoide.nouns.errors import InvalidInput

USER, SESSION, MEMORY = "X-Omoide-User", "X-Omoide-Session", "X-Omoide-Memory"
ROOT = "/v1"  # under which the proxy has the service
# of one connection alone
_HOP = frozenset(
    "connection content-length keep-alive proxy-authenticate proxy-authorization proxy-connection"
    " te trailer transfer-encoding upgrade".split()
)
_ANEW = frozenset({"host", "accept-encoding", "expect"})
DECODED = frozenset({"content-encoding"})  # of an answer, whose encoding is taken off here
_OURS = "x-omoide-"
DIGITS = 18  # of a length


def passed_on(
    headers: Iterable[tuple[str, str]], without: frozenset[str] = frozenset()
) -> list[tuple[str, str]]:
    """The headers of a request or an answer that go on: not those of one connection or of Omoide,
    nor those named in ``without``.
    """
    given = list(headers)
    named = {
        name.strip().lower()
        for header, value in given
        if header.lower() == "connection"
        for name in value.split(",")
    }
    dropped = _HOP | _ANEW | named | without
    return [
        (name, value)
        for name, value in given
        if name.lower() not in dropped and not name.lower().startswith(_OURS)
    ]


def named_in(headers: Message, name: str) -> str | None:
    """What a header names, read as UTF-8; None where it is missing or empty.

    Raises:
        InvalidInput: it stands there twice, or is not UTF-8.
    """
    given = headers.get_all(name) or []
    if len(given) > 1:
        raise InvalidInput(name, "must stand once in a request")
    try:
        return "".join(given).encode("latin-1").decode().strip() or None
    except UnicodeError:
        raise InvalidInput(name, "must be UTF-8") from None


def interface_of(path: str) -> str:
    """The name of an interface that a path below the root means, however it was joined: without
    its query, doubled slashes and one at its end.
    """
    parts = path.partition("?")[0].split("/")
    return "".join(f"/{part}" for part in parts if part)


def climbs(path: str) -> bool:
    """Whether a path goes up, and so may leave the root: it has ``..``, written in any way."""
    parts = unquote(path.partition("?")[0]).replace("\\", "/").split("/")
    return ".." in parts


def length_of(headers: Message, usual: str) -> int | None:
    """How long a body is; None where that is not told, or told in two ways."""
    told = {length.strip() for length in headers.get_all("Content-Length", [usual])}
    length = told.pop()
    is_number = length.isascii() and length.isdigit() and len(length) <= DIGITS
    return int(length) if is_number and not told else None


def base_of(upstream: str) -> str:
    """The address under which a service has its paths: as it was given to an SDK, or with /v1 where
    it was given without a path.

    Raises:
        InvalidInput: it is not an address of HTTP, or holds a name, a query or a fragment.
    """
    parts = urlsplit(upstream)
    if (
        parts.scheme not in ("http", "https")
        or not parts.hostname
        or parts.username is not None
        or parts.query
        or parts.fragment
    ):
        raise InvalidInput(
            "upstream", "must be a URL such as https://api.openai.com/v1, without key or query"
        )
    path = parts.path.rstrip("/") or ROOT
    return parts._replace(path=path).geturl()


def is_loopback(host: str) -> bool:
    """Whether a host, with a port or without, is this machine by its own name for itself."""
    try:
        name = urlsplit(f"//{host}").hostname or ""
        return name == "localhost" or ip_address(name).is_loopback
    except ValueError:
        return False
