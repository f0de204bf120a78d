"""Keys of models' providers, kept for the user: in the system's keyring where there is one, else in
a file of its owner alone.

What is kept here goes to the provider it is for, when it is asked, and nowhere else: it is in no
store, and so in no archive, backup or answer; in no setting, log or message.
"""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Protocol
from weakref import WeakSet

from omoide.nouns.errors import InvalidInput, ModelError, NotFound
from omoide.nouns.metadata import parse_json
from omoide.settings.config import PREFIX, home_folder
from omoide.settings.whole_file import home_file

FILE = "keys.json"
LONGEST = 8192  # characters of a key
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}", re.ASCII)


class KeptIn(StrEnum):
    """Where a key is kept."""

    KEYRING = "keyring"
    FILE = "file"


class Ring(Protocol):
    """A system's keyring, as the library ``keyring`` speaks to it. What it cannot do, it raises."""

    def set_password(self, service: str, username: str, password: str) -> None:
        """Keep a password."""
        ...

    def get_password(self, service: str, username: str) -> str | None:
        """A password, if it is kept."""
        ...

    def delete_password(self, service: str, username: str) -> None:
        """Keep it no longer."""
        ...


def system_ring() -> Ring | None:
    """This system's keyring; None where the extra ``keyring`` is not installed, or no keyring is
    there to be used.
    """
    try:
        from keyring import get_keyring
    except ImportError:
        return None
    ring: Ring = get_keyring()
    return ring if getattr(ring, "priority", 0) > 0 else None


def _failures() -> tuple[type[Exception], ...]:
    """What a keyring raises that is locked, broken or gone."""
    try:
        from keyring.errors import KeyringError
    except ImportError:
        return (OSError, RuntimeError)
    return (KeyringError, OSError, RuntimeError)


class Keys:
    """The keys that are kept for one home folder, by the names of the environment variables that go
    before them.
    """

    def __init__(self, home: Path, ring: Ring | None = None) -> None:
        self._path, self._ring, self._service = home / FILE, ring, f"omoide:{home}"

    def names(self) -> dict[str, KeptIn]:
        """Which keys are kept, and where.

        Raises:
            InvalidInput: the file cannot be read.
        """
        return {
            name: KeptIn.KEYRING if key is None else KeptIn.FILE
            for name, key in sorted(self._read().items())
        }

    def get(self, name: str) -> str:
        """A key; empty if there is none.

        Raises:
            InvalidInput: the file cannot be read, or the keyring does not give what it keeps.
        """
        kept = self._read()
        if name not in kept:
            return ""
        key = kept[name]
        return self._from_ring(name) if key is None else key

    def set(self, name: str, key: str) -> KeptIn:
        """Keep a key; where it is kept now. A keyring that does not take it is passed over.

        Raises:
            InvalidInput: a name that is no variable's or is a setting's; a key that can be none; a
                file that cannot be read.
        """
        if not _NAME.fullmatch(name) or name.upper().startswith(PREFIX):
            raise InvalidInput(
                "name",
                "is that of a variable such as OPENAI_API_KEY, and none of Omoide's own settings",
            )
        key = key.strip()
        if not key:
            raise InvalidInput(
                name, "no key was given; type it when asked, or send it through a pipe"
            )
        if not (key.isascii() and key.isprintable() and len(key) <= LONGEST):
            raise InvalidInput(
                name, f"a key is 1 to {LONGEST} printable ASCII characters in one line"
            )
        kept = self._read()  # before the keyring: a file that cannot be read is found out first
        place = KeptIn.KEYRING if self._into_ring(name, key) else KeptIn.FILE
        self._write(kept | {name: None if place is KeptIn.KEYRING else key})
        return place

    def remove(self, name: str) -> None:
        """Keep a key no longer.

        Raises:
            NotFound: it is not kept.
            InvalidInput: the file cannot be read, or the keyring does not let go of it.
        """
        kept = self._read()
        if name not in kept:
            raise NotFound("secret", name, "is kept")
        if kept.pop(name) is None:
            self._out_of_ring(name)
        self._write(kept)

    def _from_ring(self, name: str) -> str:
        try:
            return (self._ring.get_password(self._service, name) or "") if self._ring else ""
        except _failures():  # their words may hold what was asked, so they are not even a cause
            problem = InvalidInput(
                name,
                "is in the system's keyring, which does not give it; unlock it, or set the"
                " variable",
            )
        raise problem

    def _into_ring(self, name: str, key: str) -> bool:
        if self._ring is None:
            return False
        try:
            self._ring.set_password(self._service, name, key)
        except _failures():  # whoever set it is told that it is in the file
            return False
        return True

    def _out_of_ring(self, name: str) -> None:
        try:
            if self._ring and self._ring.get_password(self._service, name) is not None:
                self._ring.delete_password(self._service, name)
            return
        except _failures():
            problem = InvalidInput(
                name,
                "is in the system's keyring, which does not let go of it; unlock it and try again",
            )
        raise problem

    def _read(self) -> dict[str, str | None]:
        try:
            kept = parse_json(self._path.read_bytes())
        except FileNotFoundError:
            return {}
        except (OSError, ValueError):
            kept = None
        if not isinstance(kept, dict) or not all(
            isinstance(key, str | None) for key in kept.values()
        ):
            raise InvalidInput(
                "keys", f"{self._path} cannot be read; mend it or delete it, and set the keys again"
            )
        return kept

    def _write(self, kept: Mapping[str, str | None]) -> None:
        with home_file(self._path) as out:
            json.dump(kept, out, indent=1)


class Home:
    """A home folder in use, by a memory that is open: keys are looked for in it until it is left.
    An empty path is none.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        if path != Path():
            with _lock:
                _homes.add(self)

    def leave(self) -> None:
        """Look for no keys there any more, on this account. Safe to call again."""
        with _lock:
            _homes.discard(self)


_homes: WeakSet[Home] = WeakSet()
_lock = threading.Lock()


def find_key(names: Sequence[str], environment: Mapping[str, str] | None = None) -> str:
    """The first key that goes by one of these names: in the environment, else kept for the user.
    Empty if there is none.

    It is kept in the home folders of the memories that are open, or, while none is, in that of the
    environment.

    Raises:
        ModelError: the keys that are kept cannot be read, or several home folders in use have
            different ones.
    """
    environment = os.environ if environment is None else environment
    if found := next((key for name in names if (key := environment.get(name, "").strip())), ""):
        return found
    with _lock:
        homes = {home.path for home in _homes}
    kept = {key for home in homes or {home_folder(environment)} if (key := _kept_in(home, names))}
    if len(kept) > 1:  # a question of one user must not go out with the key of another
        raise ModelError(
            f"several home folders are in use, with different keys {names[0]}; set the environment"
            " variable"
        )
    return next(iter(kept), "")


def _kept_in(home: Path, names: Sequence[str]) -> str:
    if not (home / FILE).exists():  # nothing is kept, and no keyring need be looked for
        return ""
    keys = Keys(home, system_ring())
    try:
        return next((key for name in names if (key := keys.get(name))), "")
    except InvalidInput as problem:
        raise ModelError(str(problem)) from problem
