"""What the torture tests share: counts and seeds, turns to write, children to kill, disks that fail
on demand.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any

import apsw

from omoide.store.base import FOREVER, Transaction
from omoide.store.sqlite.connections import ConnectionSettings, connected
from omoide.store.sqlite.engine import SqliteStore

FULL = os.environ.get("OMOIDE_TORTURE") == "full"
TENANT, USER = "t", "ana"


def count(short: int, full: int) -> int:
    """How often to do it: short in every run, full with OMOIDE_TORTURE=full."""
    return full if FULL else short


class Report:
    """One test's run: its seed, its random numbers, and the JSON line it prints at the end.

    The seed is OMOIDE_SEED, or a new one each time. Figures are added by item: ``report["kills"] =
    3``. With OMOIDE_TORTURE_REPORT the line is also added to that file.
    """

    def __init__(self, test: str) -> None:
        self.seed = int(os.environ.get("OMOIDE_SEED") or int.from_bytes(os.urandom(4)))
        self.random = random.Random(self.seed)
        self._figures: dict[str, Any] = {"test": test, "seed": self.seed, "full": FULL}
        self._started = time.monotonic()

    def __enter__(self) -> Report:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._figures |= {
            "seconds": round(time.monotonic() - self._started, 2),
            "passed": error is None,
        }
        line = json.dumps(self._figures)
        sys.stdout.write(line + "\n")
        if file := os.environ.get("OMOIDE_TORTURE_REPORT"):
            with open(file, "a", encoding="utf-8") as out:
                out.write(line + "\n")

    def __setitem__(self, name: str, value: float) -> None:
        self._figures[name] = value

    def __getitem__(self, name: str) -> Any:
        return self._figures.get(name, 0)


def log_turn(
    tx: Transaction, number: int, *, session: str = "s", user: str = USER, text: str = ""
) -> None:
    """Write turn number of a session with its document, as the write path does: rows and index in
    one transaction.
    """
    text = text or f"turn {number} of {session}"
    who: dict[str, Any] = {"tenant": TENANT, "user": user}
    seq = tx.rows("partitions.advance", **who)[0]["seq"]
    tx.run(
        "turns.add",
        **who,
        session_id=session,
        position=number,
        agent="",
        shared=0,
        author=user,
        role="user",
        speaker=user,
        text=text,
        escaped=0,
        at=number,
        offset_s=0,
        recorded_at=number,
        key="",
        metadata="{}",
        masks="[]",
        origin="",
        standing=0,
    )
    tx.run(
        "docs.add",
        **who,
        seq=seq,
        kind="turn",
        ref=f"{session}#{number}",
        part=0,
        agent="",
        only_session="",
        session_id=session,
        position=number,
        category="",
        context="global",
        sensitive=0,
        muted=0,
        unconfirmed="",
        at=number,
        recorded_at=number,
        valid_from=number,
        valid_until=FOREVER,
        closed_at=FOREVER,
        superseded_at=FOREVER,
        expires_at=FOREVER,
        own=text,
        around="",
    )


def forget_turn(tx: Transaction, number: int, *, session: str = "s", user: str = USER) -> int:
    """Erase a turn with its documents; rows erased."""
    seq = tx.rows("partitions.advance", tenant=TENANT, user=user)[0]["seq"]
    gone = tx.rows("docs.forget", tenant=TENANT, kind="turn", ref=f"{session}#{number}")
    for row in gone:
        tx.run("erased.add", tenant=TENANT, user=user, seq=seq, doc=row["doc"])
    return tx.run("turns.forget", tenant=TENANT, session_id=session, position=number)


def turns_of(store: SqliteStore, session: str = "s") -> list[int]:
    """The numbers of a session's turns, in order."""
    with store.transaction(tenant=None, write=False) as tx:
        return [
            row["position"]
            for row in tx.rows("turns.all_of_session", tenant=TENANT, session_id=session)
        ]


def contents(
    path: Path, passphrase: str | None = None
) -> tuple[dict[str, set[int]], dict[str, set[int]], list[str]]:
    """Turn numbers by session, the same by their documents, and what is wrong with the pages."""
    turns: dict[str, set[int]] = {}
    docs: dict[str, set[int]] = {}
    with connected(ConnectionSettings(path=str(path), passphrase=passphrase)) as connection:
        for found, table in ((turns, "turns"), (docs, "docs")):
            rows = list(connection.execute(f"SELECT session_id, position FROM {table}"))
            for session, number in rows:
                found.setdefault(session, set()).add(number)
            assert len(rows) == sum(map(len, found.values())), f"{table} holds a turn twice"
        return (
            turns,
            docs,
            [str(line) for (line,) in connection.execute("PRAGMA integrity_check") if line != "ok"],
        )


def _say(pipe: int, line: str) -> None:
    os.write(pipe, line.encode() + b"\n")


class Child:
    """A forked copy of this process that runs one function and can be killed. Lines it ``say``s
    arrive in ``heard``.
    """

    def __init__(self, work: Callable[[Callable[[str], None]], None]) -> None:
        inlet, outlet = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            status = 1
            try:
                os.close(inlet)
                work(partial(_say, outlet))
                status = 0
            except BaseException as error:
                os.write(outlet, f"! {error!r}\n".encode())
                raise
            finally:
                os._exit(status)
        os.close(outlet)
        self._pipe = os.fdopen(inlet, encoding="utf-8")
        self.status: int | None = None

    def next_line(self) -> str:
        """The next thing it says; empty once it is gone."""
        return self._pipe.readline().strip()

    def kill(self) -> list[str]:
        """Kill it at once, without any warning; what it had said and was not heard yet."""
        os.kill(self.pid, signal.SIGKILL)
        return self.wait()

    def wait(self) -> list[str]:
        """Wait for its end; what it said until then and was not heard yet."""
        heard = [line.strip() for line in self._pipe]
        self._pipe.close()
        self.status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return heard


INJECTED = "injected"  # what the errors that ``visit`` raises say
# what is about to be done, to which file, where (or to what size), with which bytes
Visit = Callable[[str, str, int, bytes], None]


class Disk(apsw.VFS):
    """The real disk for all of this process's SQLite, with ``visit`` called before each open,
    write, sync, truncate and delete.

    A SQLite error that visit raises is what SQLite gets for the operation.
    """

    def __init__(self, visit: Visit) -> None:
        self.visit, self.base = visit, apsw.vfs_names()[0]
        super().__init__("omoide-torture", self.base, makedefault=True)

    def __enter__(self) -> Disk:
        self._hook, sys.unraisablehook = sys.unraisablehook, self._tell_others
        return self

    def __exit__(self, *error: object) -> None:
        sys.unraisablehook = self._hook
        self.unregister()

    def _tell_others(self, unraisable: sys.UnraisableHookArgs) -> None:
        """Where SQLite itself passes over an error, such as while closing, apsw has nobody to raise
        it to.
        """
        if str(unraisable.exc_value) != INJECTED:
            self._hook(unraisable)

    def xOpen(self, name: apsw.URIFilename | str | None, flags: list[int]) -> apsw.VFSFile:
        """Open a file whose operations are visited too."""
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        short = os.path.basename(path or "")
        self.visit("open", short, 0, b"")
        return _File(self, name, flags, short)

    def xDelete(self, filename: str, syncdir: bool) -> None:
        """Delete a file."""
        self.visit("delete", os.path.basename(filename), 0, b"")
        super().xDelete(filename, syncdir)

    def excepthook(
        self,
        etype: type[BaseException] | None,
        evalue: BaseException | None,
        etraceback: TracebackType | None,
    ) -> bool:
        """Injected errors are meant; nothing needs to be printed."""
        return True


class _File(apsw.VFSFile):
    def __init__(
        self, disk: Disk, name: apsw.URIFilename | str | None, flags: list[int], short: str
    ) -> None:
        self.disk, self.short = disk, short
        super().__init__(disk.base, name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:
        self.disk.visit("write", self.short, offset, bytes(data))
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:
        self.disk.visit("sync", self.short, 0, b"")
        super().xSync(flags)

    def xTruncate(self, newsize: int) -> None:
        self.disk.visit("truncate", self.short, newsize, b"")
        super().xTruncate(newsize)

    def excepthook(
        self,
        etype: type[BaseException] | None,
        evalue: BaseException | None,
        etraceback: TracebackType | None,
    ) -> bool:
        """As the disk's."""
        return True
