"""Chat exports of other products, read into conversations. Nothing here stores anything.

::

    for reading in read_export(Path("export.zip"), ImportOptions(user="ana")):
        match reading:
            case Conversation(): ...
            case Problem(): ...
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import TypeAlias

from omoide.exchange.archives import ExportFiles, open_source
from omoide.exchange.detect import detect, detect_format, formats_of
from omoide.exchange.options import FORMATS, ImportOptions
from omoide.exchange.problems import (
    Findings,
    Omission,
    Problem,
    ReadConversations,
    Watch,
    limited,
    without_omissions,
)

__all__ = [
    "FORMATS",
    "ImportOptions",
    "Omission",
    "Problem",
    "Watch",
    "detect_format",
    "read_export",
]
ReadProduct: TypeAlias = Callable[[ExportFiles, ImportOptions], Findings]


def read_export(
    path: Path,
    options: ImportOptions | None = None,
    watch: Watch | None = None,
) -> ReadConversations:
    """Every conversation of a chat export (a file, a folder or a zip), and every problem met on the
    way.

    A record that cannot be read is a Problem with its place, and the rest is imported. A long
    conversation comes as several Conversations of the same id, to be appended in their order; ids
    and message keys are the same in every import, so that importing again adds nothing. The file is
    read while the result is consumed, in bounded memory. Where a folder holds exports of several
    formats, one is read and each file of another is a Problem that says so. ``watch`` is told how
    much was read, and at the end what was left out on purpose.

    Raises:
        ImportRefused: hostile, missing, or of no format known here. At once.
        InvalidInput: an option is missing or does not fit the format; its field names it. At once,
            but for ``zone`` (old Telegram exports) and ``day_first`` (WhatsApp), which may turn out
            to be needed.
    """
    options = options or ImportOptions()
    with open_source(path) as source:
        format = options.format or detect(source)
        options.fit(format)
    watch = watch or Watch()
    found = _findings(path, format, options, watch.share)
    return limited(without_omissions(found, watch.left_out))


def _findings(
    path: Path, format: str, options: ImportOptions, tell: Callable[[float], None]
) -> Findings:
    read: ReadProduct = import_module(f"{__name__}.formats.{format}").read
    with open_source(path) as source:
        yield from _leave_others(source, format)
        source.start()
        for reading in read(source, options):
            tell(source.share)
            yield reading
        tell(1.0)
        if unread := source.unread:
            yield Omission("file", len(unread), unread[0])
        yield from dict.fromkeys(source.notes)


def _leave_others(source: ExportFiles, format: str) -> Iterator[Problem]:
    """Leave the files of other formats, each with a problem that says so."""
    told = formats_of(source)
    others = {name: other for name, other in told.items() if other != format}
    source.seen = tuple(name for name in told if name not in others)
    source.leave(others)
    for name, other in others.items():
        yield Problem(
            name,
            f"not read: it looks like {other}, and this import reads {format}; import it by itself",
        )
