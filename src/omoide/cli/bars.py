"""Progress of long work, on standard error where that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn, TaskID


@contextmanager
def _bar(*columns: ProgressColumn) -> Iterator[Progress]:
    """A progress bar on standard error, where that is a terminal."""
    from rich.progress import Progress

    console, off = Console(stderr=True), not sys.stderr.isatty()
    with Progress(*columns, console=console, transient=True, disable=off) as bar:
        yield bar


@contextmanager
def measured(what: str) -> Iterator[Callable[[int, int], None]]:
    """How far long work is whose end is known: told of more that is done, and of how much there
    is.
    """
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn

    with _bar(TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()) as bar:
        task = bar.add_task(what)
        yield lambda more, total: bar.update(task, advance=more, total=total)


@contextmanager
def progress(what: str) -> Iterator[Steps]:
    """A progress bar on standard error for long work, where that is a terminal."""
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn

    done = TextColumn("{task.completed}{task.fields[part]}")
    with _bar(TextColumn(what), BarColumn(), done, TimeElapsedColumn()) as bar:
        yield Steps(bar, bar.add_task(what, total=None, part=""))


class Steps:
    """Steps of a progress bar: a call adds to what is done."""

    def __init__(self, bar: Progress, task: TaskID) -> None:
        self.bar, self.task = bar, task

    def __call__(self, done: int) -> None:
        """Add to what is done."""
        self.bar.advance(self.task, done)

    def share(self, share: float) -> None:
        """Say how much of all is done, from 0 to 1; shown in percent."""
        done = self.bar.tasks[0].completed
        total = done / share if share and done else None
        self.bar.update(self.task, total=total, part=f", {share:.0%}")


@contextmanager
def busy(what: str) -> Iterator[None]:
    """That long work goes on whose end cannot be told, and for how long by now; on standard error,
    where that is a terminal.
    """
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn

    with _bar(TextColumn(what), BarColumn(), TimeElapsedColumn()) as bar:
        bar.add_task(what, total=None)
        yield
