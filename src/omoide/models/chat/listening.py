"""Whether a model's server on this machine is there, without asking the model anything."""

from __future__ import annotations

import ipaddress
import socket
from urllib.parse import urlsplit

from omoide.nouns.errors import ModelUnreachable

WITHIN_S = 1.0  # a server on this machine takes a connection at once, unless it hangs


def check_listening(model: str, url: str, within_s: float = WITHIN_S) -> None:
    """That something takes connections at an address on this machine. Others are not looked at, so
    that nothing is sent and no name is looked up.

    Raises:
        ModelUnreachable: nothing does.
    """
    place = urlsplit(url)
    host = place.hostname or ""
    if not _is_here(host):
        return
    port = place.port or (443 if place.scheme == "https" else 80)
    try:
        socket.create_connection((host, port), within_s).close()
    except OSError as error:
        raise ModelUnreachable(
            f"{model}: no server takes connections at {host}:{port} ({type(error).__name__});"
            " start it"
        ) from None


def _is_here(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
