"""What stands between a store's file and harm: whether it may be opened, who may write now, and
room to delete.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from omoide.nouns.errors import (
    InvalidInput,
    NewerStore,
    StoreBusy,
    StoreError,
    StoreRefused,
    WrongPassphrase,
)
from omoide.store.sqlite.connections import APPLICATION_ID, NOT_OURS, REPAIR, ConnectionSettings
from omoide.store.sqlite.files import LOCK, LOG, PRESENCE, open_raw

# before it, a commit racing a checkpoint could damage a file in WAL mode
OLDEST_SQLITE = (3, 51, 3)
_MAGIC = b"SQLite format 3\x00"
_LOG_MAGIC = (b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83")
_HEADER_BYTES = 100
_NETWORK = frozenset(
    "afs beegfs ceph cifs coda davfs fuse.davfs fuse.glusterfs fuse.s3fs fuse.sshfs glusterfs gpfs"
    " lustre ncpfs nfs nfs4 smb3 smbfs".split()
)
_local: set[int] = set()  # disks that hold no network filesystem, so that mounts are read once


def check_sqlite(version: str) -> None:
    """Refuse a SQLite that is known to damage files.

    Raises:
        StoreError: it is older than 3.51.3.
    """
    if tuple(int(part) for part in version.split(".")) < OLDEST_SQLITE:
        raise StoreError(
            f"SQLite {version} can damage a store; install apsw-sqlite3mc 3.51.3 or newer"
        )


def network_filesystem(path: str, mounts: str) -> str | None:
    """The name of the network filesystem a path lies on, if it does. ``mounts``: the text of
    /proc/self/mountinfo.
    """
    parts = [line.partition(" - ") for line in mounts.splitlines()]
    if _NETWORK.isdisjoint(after.split(" ", 1)[0] for _, _, after in parts):
        return None
    best, kind = "", ""
    for before, _, after in parts:
        point = before.split(" ")[4].encode().decode("unicode_escape")  # spaces are written as \040
        if len(point) >= len(best) and (path == point or path.startswith(point.rstrip("/") + "/")):
            best, kind = point, after.split(" ")[0]
    return kind if kind in _NETWORK else None


def check_place(path: str) -> None:
    """Refuse a folder on a network filesystem, where the shared memory that WAL needs is not
    shared.

    Raises:
        StoreRefused: as said.
    """
    disk = _disk_of(path)
    if disk in _local:
        return
    mounts = Path("/proc/self/mountinfo")
    if mounts.exists():  # Linux only
        kind = network_filesystem(path, mounts.read_text("utf-8", "surrogateescape"))
        if kind:
            remedy = (
                "keep it on a local disk, or use Postgres; where one machine alone uses it, set"
                " OMOIDE_ALLOW_NETWORK"
            )
            raise StoreRefused(path, f"lies on a network filesystem ({kind})", remedy)
    if disk is not None:
        _local.add(disk)


def _disk_of(path: str) -> int | None:
    """The number of the disk that a file lies on. None where there is no file yet, or no disk: the
    number of a network filesystem may be another one's later.
    """
    try:
        device = os.stat(path).st_dev
    except OSError:
        return None
    return device if os.major(device) else None


def check_passphrase(passphrase: str | None) -> None:
    """Refuse a passphrase that would encrypt nothing, or not what it seems to.

    Raises:
        InvalidInput: it is empty, or holds a NUL.
    """
    if passphrase is not None and (not passphrase or "\0" in passphrase):
        raise InvalidInput(
            "passphrase", "must not be empty or hold a NUL; None means no encryption"
        )


def exists(path: str) -> bool:
    """Whether there is something at this path, of whatever sort.

    Raises:
        StoreRefused: links lead round in circles, or a folder on the way cannot be entered.
    """
    try:
        os.stat(path)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise StoreRefused(
            path,
            f"cannot be reached ({error.strerror})",
            "check the path and its permissions, or name another file",
        ) from error
    return True


def check_file(path: str, passphrase: str | None, newest: int) -> None:
    """Refuse what cannot be a store of ours, by its first bytes and without changing any.

    ``newest``: the schema version this Omoide knows. An encrypted file shows nothing to judge by,
    and a log may hold a whole first page of a file that shows a torn one; only opening them tells.

    Raises:
        StoreRefused, NewerStore, WrongPassphrase: as their names say.
    """
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise StoreRefused(path, "is not a regular file", "name the file of a store")
    if not os.access(path, os.R_OK | os.W_OK):
        raise StoreRefused(
            path,
            "may not be read and written by this user",
            "check its permissions, or name another file",
        )
    if os.path.getsize(path) == 0:
        raise StoreRefused(path, "is empty, which a store never is", REPAIR)
    header = read_header(path)
    try:
        _check_header(path, header, passphrase, newest)
    except WrongPassphrase:
        raise
    except StoreRefused:  # told anew when it is opened, unless the log heals it
        if not is_log(path + LOG):
            raise


def _check_header(path: str, header: bytes, passphrase: str | None, newest: int) -> None:
    if not header.startswith(_MAGIC):
        _check_encrypted(path, header, passphrase)
        return
    if passphrase is not None:
        raise WrongPassphrase(path, "is not encrypted", "open it without a passphrase")
    check_identity(path, int.from_bytes(header[68:72]), int.from_bytes(header[60:64]), newest)


def is_log(path: str) -> bool:
    """Whether this is a write-ahead log with something in it."""
    return os.path.exists(path) and read_header(path)[:4] in _LOG_MAGIC


def check_identity(path: str, application_id: int, version: int, newest: int) -> None:
    """Refuse another program's database and one of a newer Omoide.

    Raises:
        StoreRefused, NewerStore: as said.
    """
    if application_id != APPLICATION_ID:
        raise StoreRefused(path, "is a database of another program", NOT_OURS)
    if version > newest:
        raise NewerStore(
            path,
            f"has schema version {version}, this Omoide knows up to {newest}",
            "install a newer Omoide",
        )


def read_header(path: str) -> bytes:
    """The first bytes of a database file, fewer if it is shorter."""
    file = open_raw(path)
    try:
        return file.xRead(min(_HEADER_BYTES, file.xFileSize()), 0)
    finally:
        file.xClose()


def _check_encrypted(path: str, header: bytes, passphrase: str | None) -> None:
    """Tell an encrypted file, whose bytes 16 to 23 stay readable, from one that is no database."""
    page_bytes = int.from_bytes(header[16:18])
    is_database = (
        len(header) == _HEADER_BYTES
        and header[21:24] == b"\x40\x20\x20"
        and page_bytes.bit_count() == 1
    )
    if not is_database:
        raise StoreRefused(path, "is damaged or no store at all", REPAIR)
    if passphrase is None:
        raise WrongPassphrase(
            path,
            "is encrypted",
            "give its passphrase in OMOIDE_PASSPHRASE, or in a program as passphrase=",
        )


class WriterLock:
    """Lets one process at a time write, by ``flock`` on a file beside the database.

    SQLite's own waiting polls, so it is unfair under load. A process that dies lets go of this
    lock.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._spare = self._open()
        self._place: _QueuePlace | None = (
            None  # in the queue, where the lock was not free; it holds the lock then
        )

    def acquire(self, timeout_s: float) -> bool:
        """Wait for the lock; False if it did not come in time. What an interrupt left of an earlier
        turn is let go of first.
        """
        if self._place is not None:
            self.release()
        try:
            fcntl.flock(self._spare, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return self._wait(timeout_s)
        return True

    def release(self) -> None:
        """Let others write."""
        # held or not: an interrupt may have come before that was known
        fcntl.flock(self._spare, fcntl.LOCK_UN)
        if self._place is not None:
            self._place.leave()
            self._place = None

    def close(self) -> None:
        """Let go of it for good, held or not."""
        self.release()
        os.close(self._spare)

    def disown(self) -> None:
        """In a forked child: forget it. Closing a copy of a descriptor leaves the parent's lock
        alone; unlocking would not.
        """
        os.close(self._spare)
        if self._place is not None:
            os.close(self._place.descriptor)
        self._place = None

    def _open(self) -> int:
        return os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def _wait(self, timeout_s: float) -> bool:
        place = self._place = _QueuePlace(self._open())
        threading.Thread(target=place.queue, name="omoide-writer-lock", daemon=True).start()
        if place.got.wait(timeout_s):
            return True
        self.release()
        return False


class _QueuePlace:
    """A place in the kernel's queue for a lock, kept by a thread of its own, since flock itself
    knows no timeout.
    """

    def __init__(self, descriptor: int) -> None:
        self.descriptor, self.got = descriptor, threading.Event()
        # the first is taken by the lock that came, or by who waits no more
        self._mark, self._open = ([descriptor], [descriptor])

    def queue(self) -> None:
        """Wait for the lock, and give it back at once if nobody waits for it any more."""
        fcntl.flock(self.descriptor, fcntl.LOCK_EX)
        try:
            self._mark.pop()
        except IndexError:
            self._close()
        else:
            self.got.set()

    def leave(self) -> None:
        """Give the lock back, now or as soon as it comes."""
        try:
            self._mark.pop()
        except IndexError:
            self._close()

    def _close(self) -> None:
        with suppress(IndexError):  # it is closed: who leaves was interrupted, and leaves again
            os.close(self._open.pop())


class Presence:
    """Tells whether any other process, or another store of this one, has the file open."""

    def __init__(self, path: str) -> None:
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def enter(self) -> bool:
        """Be present; True if nobody else is. Call it with the writer lock held."""
        alone = self.is_alone()
        # flock gives up what it held when a change to exclusive fails
        fcntl.flock(self._descriptor, fcntl.LOCK_SH)
        return alone

    def is_alone(self) -> bool:
        """Nobody else is present. True keeps others from entering until close; False also ends
        one's own presence.
        """
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def close(self) -> None:
        """Be present no longer."""
        # a forked child may hold a copy of the descriptor
        fcntl.flock(self._descriptor, fcntl.LOCK_UN)
        os.close(self._descriptor)

    def disown(self) -> None:
        """In a forked child: forget it, without ending the parent's presence."""
        os.close(self._descriptor)


class Ballast:
    """Space kept back in a file, let go when the disk is full so that deleting still works.

    8 MiB, or an eighth of a filesystem under 64 MiB. While it is spent, nothing may be added; it is
    taken back as soon as twice its size is free.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        disk = os.statvfs(os.path.dirname(path))
        self.bytes = min(8 * 2**20, disk.f_blocks * disk.f_frsize // 8)
        self.is_spent = not os.path.exists(path)
        self.refill()

    def refill(self) -> None:
        """Take the space back, if it was spent and there is enough again."""
        if not self.is_spent:
            return
        disk = os.statvfs(os.path.dirname(self._path))
        if disk.f_bavail * disk.f_frsize < 2 * self.bytes:
            return
        try:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                _take_space(descriptor, self.bytes)
            finally:
                os.close(descriptor)
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                self.spend()
                return
        self.is_spent = False

    def spend(self) -> None:
        """Let the space go."""
        with suppress(FileNotFoundError):
            os.unlink(self._path)
        self.is_spent = True


def _take_space(descriptor: int, size: int) -> None:
    if sys.platform == "darwin":
        os.write(descriptor, bytes(size))
    else:
        os.posix_fallocate(descriptor, 0, size)


@contextmanager
def writer_lock(settings: ConnectionSettings) -> Iterator[None]:
    """Keep other processes from writing to a store that is not open here.

    Raises:
        StoreBusy: another process wrote for too long.
    """
    lock = WriterLock(settings.path + LOCK)
    try:
        if not lock.acquire(settings.busy_s):
            raise StoreBusy(
                f"{settings.path}: another process wrote for longer than {settings.busy_s:g} s"
            )
        yield
    finally:
        lock.close()


@contextmanager
def sole_use(settings: ConnectionSettings) -> Iterator[None]:
    """Keep everybody else away from a store that is not open here, to replace its file.

    Raises:
        StoreBusy: another process has it open, or this one does elsewhere.
    """
    with writer_lock(settings):
        presence = Presence(settings.path + PRESENCE)
        try:
            if not presence.is_alone():
                raise StoreBusy(f"{settings.path}: is open elsewhere; close it there first")
            yield
        finally:
            presence.close()
