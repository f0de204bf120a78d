"""What may be opened, what is made, and what is left alone."""

from __future__ import annotations

import gc
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from omoide.nouns.errors import NewerStore, StoreError, StoreRefused
from omoide.store.migrate import load_migrations
from omoide.store.sqlite import guard
from omoide.store.sqlite.engine import SqliteStore
from omoide.store.sqlite.guard import check_sqlite, network_filesystem
from tests.torture.kit import Child, log_turn, turns_of


def filled(path: Path, turns: int = 50) -> Path:
    """A closed store with some turns."""
    store = SqliteStore.open(path)
    with store.transaction(tenant=None) as tx:
        for number in range(turns):
            log_turn(tx, number, text=f"turn {number} " * 40)
    store.close()
    return path


def refusal(path: Path) -> StoreRefused:
    """The error that opening this raises, having changed no byte and made no file."""
    before = {p: p.read_bytes() for p in path.parent.iterdir() if p.is_file()}
    with pytest.raises(StoreRefused) as caught:
        SqliteStore.open(path)
    assert {p: p.read_bytes() for p in path.parent.iterdir() if p.is_file()} == before
    return caught.value


def test_a_new_store_is_private(tmp_path: Path) -> None:
    """Its folder is made with mode 0700, all its files with 0600."""
    store = SqliteStore.open(tmp_path / "deep" / "er" / "memory.db")
    with store.transaction(tenant=None) as tx:
        log_turn(tx, 1)

    assert stat.S_IMODE((tmp_path / "deep" / "er").stat().st_mode) == 0o700
    assert len(store.files()) == 6
    assert {stat.S_IMODE(file.stat().st_mode) for file in store.files()} == {0o600}
    store.close()


@pytest.mark.covers("CX-3", "GM-186")
def test_a_store_is_one_file_of_its_own(tmp_path: Path) -> None:
    """Wherever it is asked for; what it leaves beside it when closed bears its name."""
    filled(tmp_path / "mine" / "any name?.db")

    assert {file.name for file in (tmp_path / "mine").iterdir()} == {
        "any name?.db" + end for end in ("", ".lock", ".open", ".ballast")
    }


@pytest.mark.covers("GM-7")
def test_the_log_is_copied_into_the_file_on_close(tmp_path: Path) -> None:
    """WAL while open, one file afterwards."""
    store = SqliteStore.open(tmp_path / "memory.db")
    with store.transaction(tenant=None) as tx:
        log_turn(tx, 1)
    assert (tmp_path / "memory.db-wal").stat().st_size > 0
    store.close()

    assert not (tmp_path / "memory.db-wal").exists()
    assert apsw.Connection(str(tmp_path / "memory.db")).pragma("journal_mode") == "wal"


def test_a_missing_file_is_not_made_unasked(tmp_path: Path) -> None:
    """Without create, a wrong path is an error, not an empty memory."""
    with pytest.raises(StoreRefused, match="does not exist"):
        SqliteStore.open(tmp_path / "memory.db", create=False)

    assert not (tmp_path / "memory.db").exists()


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "empty"),
        (b"x", "damaged or no store"),
        (os.urandom(8192), "damaged or no store"),
        (b"SQLite format 3\0", "another program"),
    ],
)
def test_a_file_that_is_no_store_is_refused(tmp_path: Path, content: bytes, says: str) -> None:
    """Empty, garbage or cut off in the header: never a silent empty store."""
    path = tmp_path / "memory.db"
    path.write_bytes(content)

    assert says in str(refusal(path))


def test_another_programs_database_is_refused(tmp_path: Path) -> None:
    """However much its tables look like ours."""
    connection = apsw.Connection(str(tmp_path / "memory.db"))
    connection.execute("CREATE TABLE turns (a)")
    connection.close()

    assert "another program" in str(refusal(tmp_path / "memory.db"))


@pytest.mark.parametrize("kind", ["folder", "fifo", "loop"])
def test_what_is_no_file_is_refused(tmp_path: Path, kind: str) -> None:
    """At once, also where opening would block."""
    path = tmp_path / "memory.db"
    if kind == "folder":
        path.mkdir()
    elif kind == "fifo":
        os.mkfifo(path)
    else:
        path.symlink_to(path)

    with pytest.raises(StoreRefused):
        SqliteStore.open(path)


def are_refused_to_others(folder: Path, words: str, *paths: Path) -> bool:
    """Whether another user, who may come as far as a folder, is refused stores by these words."""
    for above in folder.parents:
        if above.owner() == folder.owner() and above != Path("/"):
            above.chmod(0o755)

    def look(say: object) -> None:
        if os.getuid() == 0:
            os.setuid(65534)
        for path in paths:
            with pytest.raises(StoreRefused, match=words):
                SqliteStore.open(path)

    child = Child(look)
    return (child.wait(), child.status) == ([], 0)


def test_a_store_in_a_read_only_folder_is_refused(tmp_path: Path) -> None:
    """The error says what must be writable, in place of SQLite's words."""
    path = filled(tmp_path / "memory.db")
    for file in tmp_path.iterdir():
        file.chmod(0o666)

    tmp_path.chmod(0o555)
    refused = are_refused_to_others(tmp_path, "make the file and its folder writable", path)
    tmp_path.chmod(0o755)

    assert refused


def test_a_store_that_may_not_be_made_says_what_to_do(tmp_path: Path) -> None:
    """In a folder that is not this user's, the error names what must be writable, or another file."""
    folder = tmp_path / "theirs"
    folder.mkdir(mode=0o555)

    paths = folder / "memory.db", folder / "deeper" / "memory.db"
    assert are_refused_to_others(folder, "folder writable for this user, or name another", *paths)


def test_a_file_without_permission_is_refused(tmp_path: Path) -> None:
    """Another user's store is not readable, and the error says so."""
    path = filled(tmp_path / "memory.db")
    path.chmod(0)
    tmp_path.chmod(0o755)

    assert are_refused_to_others(tmp_path, r"may not be read|cannot be reached", path)


def test_a_newer_store_is_left_alone(tmp_path: Path) -> None:
    """Whether its version stands in the file already or still only in the log."""
    path = filled(tmp_path / "memory.db")
    connection = apsw.Connection(str(path))
    connection.wal_autocheckpoint(0)
    connection.pragma("user_version", 999)
    in_log = tmp_path / "in-log"
    in_log.mkdir()
    for file in (path, Path(f"{path}-wal")):
        shutil.copy(file, in_log)
    connection.close()

    error = refusal(path)
    assert isinstance(error, NewerStore)
    assert "999" in str(error)
    before = {name: (in_log / name).read_bytes() for name in ("memory.db", "memory.db-wal")}
    with pytest.raises(NewerStore):
        SqliteStore.open(in_log / "memory.db")
    assert {name: (in_log / name).read_bytes() for name in ("memory.db", "memory.db-wal")} == before


def test_a_cut_off_file_is_refused(tmp_path: Path) -> None:
    """Its end is missing: the error names the way to mend it."""
    path = filled(tmp_path / "memory.db", 200)
    with open(path, "r+b") as file:
        file.truncate(path.stat().st_size // 2)
    before = path.read_bytes()
    with pytest.raises(StoreRefused, match=r"omoide admin salvage.*omoide admin restore"):
        SqliteStore.open(path)

    assert path.read_bytes() == before


def test_damage_is_looked_for_after_an_unclean_stop(tmp_path: Path) -> None:
    """A store that was killed is checked when it is opened next, one that was closed is not."""
    path = tmp_path / "memory.db"

    def work(say: object) -> None:
        store = SqliteStore.open(filled(path, 400))
        with store.transaction(tenant=None) as tx:
            log_turn(tx, 1_000)
        os.kill(os.getpid(), 9)

    child = Child(work)
    child.wait()
    assert child.status == -9
    intact = path.read_bytes()
    with open(path, "r+b") as file:
        file.seek(len(intact) * 3 // 4)  # among the turns; the schema is read by every opening
        file.write(b"\xff" * 8192)

    with pytest.raises(StoreRefused, match="damaged"):
        SqliteStore.open(path)
    path.write_bytes(intact)
    store = SqliteStore.open(path)
    assert 1_000 in turns_of(store)
    store.close()


def test_a_store_that_is_open_elsewhere_is_not_checked_again(tmp_path: Path) -> None:
    """A log in use is no sign of a crash: the second one opens without reading every page, so it
    finds no damage yet.
    """
    path = filled(tmp_path / "memory.db", 400)
    first = SqliteStore.open(path)
    with first.transaction(tenant=None) as tx:
        log_turn(tx, 1_000)

    def damage(say: object) -> None:
        with open(path, "r+b") as file:
            file.seek(path.stat().st_size * 3 // 4)  # among the turns
            file.write(b"\xff" * 8192)

    Child(damage).wait()
    second = SqliteStore.open(path)
    assert second.integrity() != []
    second.close()
    first.close()


def test_stores_made_at_once_are_one(tmp_path: Path) -> None:
    """Eight processes that ask for the same new store get the same one, whole."""
    path = tmp_path / "memory.db"

    def work(say: object, number: int) -> None:
        store = SqliteStore.open(path)
        with store.transaction(tenant=None) as tx:
            log_turn(tx, number)
        store.close()

    children = [Child(lambda say, number=number: work(say, number)) for number in range(8)]  # type: ignore[misc]
    assert [child.wait() for child in children] == [[]] * 8

    store = SqliteStore.open(path, create=False)
    assert turns_of(store) == list(range(8))
    store.close()


def test_a_half_made_store_is_made_anew(tmp_path: Path) -> None:
    """What a crash left of the making is swept away."""
    (tmp_path / "memory.db.new").write_bytes(b"half")
    store = SqliteStore.open(tmp_path / "memory.db")

    assert turns_of(store) == []
    assert not (tmp_path / "memory.db.new").exists()
    store.close()


def test_an_old_sqlite_is_refused() -> None:
    """The version gate is 3.51.3."""
    check_sqlite("3.51.3")
    check_sqlite("3.54.0")
    with pytest.raises(StoreError, match=r"3\.51\.2"):
        check_sqlite("3.51.2")


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/home/ana/m.db", None),
        ("/mnt/share/m.db", "nfs4"),
        ("/mnt/sha re/m.db", "cifs"),
        ("/mnt/sharex/m.db", None),
        ("/mnt/share", "nfs4"),
    ],
)
def test_network_filesystems_are_told_apart(path: str, kind: str | None) -> None:
    """By the mount point a path lies under."""
    mounts = (
        "22 1 254:0 / / rw - ext4 /dev/vda rw\n"
        "23 22 0:40 / /mnt/share rw - nfs4 server:/x rw\n"
        "24 22 0:41 / /mnt/sha\\040re rw - cifs //server/x rw\n"
    )

    assert network_filesystem(path, mounts) == kind


@pytest.mark.parametrize(("device", "times"), [((254, 0), 1), ((0, 45), 3)], ids=["disk", "none"])
def test_the_list_of_mounts_is_read_once_for_a_disk(
    device: tuple[int, int], times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And each time for what lies on none: its number may be another filesystem's later."""
    reads: list[str] = []

    def read(path: Path, *how: str) -> str:
        reads.append(path.name)
        return "22 1 254:0 / / rw - ext4 /dev/vda rw"

    with monkeypatch.context() as patched:
        patched.setattr(guard, "_local", set())
        patched.setattr(Path, "exists", lambda path: True)
        patched.setattr(Path, "read_text", read)
        number = os.makedev(*device)
        patched.setattr(os, "stat", lambda path: os.stat_result((0, 0, number, *[0] * 7)))
        for _ in range(3):
            guard.check_place("/home/ana/m.db")

    assert reads == ["mountinfo"] * times


def test_a_forgotten_store_is_closed_at_exit(tmp_path: Path) -> None:
    """A program that ends without closing its store leaves one clean file."""
    program = (
        "import sys; from omoide.store.sqlite.engine import SqliteStore; store ="
        " SqliteStore.open(sys.argv[1])\nwith store.transaction(tenant=None) as tx: tx.run('meta.set',"
        " key='a', value='1')"
    )
    subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "memory.db")],
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )

    assert (tmp_path / "memory.db").exists()
    assert not (tmp_path / "memory.db-wal").exists()


def test_the_file_says_its_version(tmp_path: Path) -> None:
    """user_version is the newest migration's number, so a glance at the header is enough."""
    connection = apsw.Connection(str(filled(tmp_path / "memory.db")))

    assert connection.pragma("user_version") == load_migrations("sqlite")[-1].version
    connection.close()


def test_a_log_without_its_store_is_not_given_a_new_one(tmp_path: Path) -> None:
    """SQLite would replay it into the new file."""
    path = tmp_path / "memory.db"
    store = SqliteStore.open(path)
    with store.transaction(tenant=None) as tx:
        log_turn(tx, 1)
    shutil.copy(f"{path}-wal", tmp_path / "log")
    store.close()
    path.unlink()
    shutil.move(tmp_path / "log", f"{path}-wal")
    with pytest.raises(StoreRefused, match="its log is still here"):
        SqliteStore.open(path)

    assert not path.exists()


def test_a_store_that_is_dropped_lets_go(tmp_path: Path) -> None:
    """Without close, its connections and locks go when it is collected."""
    store = SqliteStore.open(tmp_path / "memory.db")
    with store.transaction(tenant=None) as tx:
        log_turn(tx, 1)
    del store
    gc.collect()
    assert not (tmp_path / "memory.db-wal").exists()

    again = SqliteStore.open(tmp_path / "memory.db")
    again.rekey("alone")
    again.close()
