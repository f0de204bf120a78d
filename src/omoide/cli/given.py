"""What a person types after a command, read: paths, and times."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

from omoide.nouns.clock import parse_time, user_zone
from omoide.nouns.errors import InvalidInput, InvalidTime


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


def moment(
    text: str | None, field: str, *, end_of_day: bool = False, ahead: bool = False
) -> datetime | None:
    """A time given as ISO 8601, or in words, in the user's zone; a day as an end means the
    whole of that day.

    Raises:
        InvalidTime: it is neither; or words that have to name a time ahead name one that is over.
    """
    if not text:
        return None
    try:
        return parse_time(text, field=field, end_of_day=end_of_day)
    except InvalidTime as error:
        if (worded := _in_words(text)) is None:
            error.add_note("or in words, such as tomorrow or 'two weeks ago'")
            raise
        start, end = worded
        if ahead and end <= datetime.now(UTC):
            raise InvalidTime(
                field, f"{text!r} is read as {start:%Y-%m-%d}, which is over; name the day in full"
            ) from None
        return end if end_of_day else start


def _in_words(text: str) -> tuple[datetime, datetime] | None:
    """Start and end of the time that words name, if they name that and nothing else; what has no
    end or start names no moment.
    """
    from omoide.text.times import EARLIEST, LATEST, find_interval

    if re.match(r"\d{4}-", text):  # meant as ISO 8601
        return None
    found = find_interval(text, datetime.now(user_zone()))
    if found is None or found.text.strip() != text.strip():
        return None
    is_open = found.start <= EARLIEST or found.end >= LATEST
    return None if is_open else (found.start, found.end)
