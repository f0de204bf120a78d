"""Addresses of stores: a file, ``sqlite:PATH``, ``:memory:`` or ``postgresql://…``."""

from __future__ import annotations

import re

from omoide.nouns.errors import InvalidInput, StoreError, UnknownName

SERVERS = ("postgresql://", "postgres://")
_FILE = "sqlite:"
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
# a server's address that was mistyped, which as a path would be shown with its password
_LIKE_SERVER = re.compile(r"\s*postgres(ql)?\s*:|.*:[^/:@\s]*@|.*\bpassword\s*=", re.I | re.S)


def check_address(url: str) -> None:
    """Refuse an address that is none of ours, without repeating a password that may be in it.

    Raises:
        UnknownName: it is an address of another kind.
        InvalidInput: it reads like a server's, and cannot be one.
    """
    if url.startswith((*SERVERS, _FILE)):
        return
    if scheme := _SCHEME.match(url):
        raise UnknownName("store", scheme[1], ("a file", "sqlite:PATH", "postgresql://…"))
    if _LIKE_SERVER.match(url):
        raise InvalidInput(
            "store",
            "reads like the address of a server; write postgresql://USER:PASSWORD@HOST:PORT/NAME,"
            " or sqlite:PATH for a file of such a name",
        )


def file_of(url: str) -> str:
    """The path of the file that a store at this address is.

    Raises:
        UnknownName, InvalidInput: as check_address.
        StoreError: it is on a server, or in memory.
    """
    check_address(url)
    if url.startswith(SERVERS):
        raise StoreError(
            "this is done to a SQLite file; for a store on Postgres there are its server's own"
            " tools, such as pg_dump and pg_restore"
        )
    if url == ":memory:":
        raise StoreError("this is done to a SQLite file, and the store is in memory")
    return url.removeprefix(_FILE)
