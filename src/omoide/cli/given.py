"""What a person types after a command, read: paths, and the zone of this machine."""

from __future__ import annotations

from pathlib import Path

from omoide.nouns.errors import InvalidInput


def has_folder(store: str) -> None:
    """That a store can be made there: the folder of its file is there, if it is one.

    Raises:
        InvalidInput: it is not.
    """
    if "://" not in store:
        within_folder(Path(store.removeprefix("sqlite:")))


def there(path: Path | str) -> Path:
    """The path of something that a command is to read.

    Raises:
        InvalidInput: there is nothing.
    """
    if not Path(path).exists():
        raise InvalidInput(str(path), "does not exist")
    return Path(path)


def within_folder(path: Path) -> Path:
    """The path of something that a command is to write.

    Raises:
        InvalidInput: its folder is not there.
    """
    if not path.parent.is_dir():
        raise InvalidInput(
            str(path.parent), "does not exist; make that folder first, or name another place"
        )
    return path


def machine_zone() -> str | None:
    """The IANA name of this machine's time zone; None where it cannot be told."""
    from tzlocal import get_localzone_name

    try:
        return get_localzone_name()
    except (OSError, LookupError, ValueError):
        return None
