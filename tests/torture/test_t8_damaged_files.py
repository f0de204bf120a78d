"""T8: damaged, foreign, newer and empty files."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from omoide.nouns.errors import NewerStore, OmoideError, StoreRefused
from omoide.store.sqlite.engine import SqliteStore
from omoide.store.sqlite.pages import LEAF, Pages
from omoide.store.sqlite.salvage import salvage
from tests.torture.kit import TENANT, Report, count, log_turn, turns_of

CASES = count(60, 500)
TURNS = 300
PAGE = 8192


def flip_bytes(data: bytearray, rng: random.Random) -> str:
    """A few bytes of one page are other ones."""
    page = rng.randrange(len(data) // PAGE)
    for _ in range(rng.randrange(1, 64)):
        data[page * PAGE + rng.randrange(PAGE)] ^= rng.randrange(1, 256)
    return f"bytes of page {page}"


def blank_pages(data: bytearray, rng: random.Random) -> str:
    """Some pages in a row hold zeros or noise."""
    first, pages = rng.randrange(len(data) // PAGE), rng.randrange(1, 6)
    end = min(len(data), (first + pages) * PAGE)
    data[first * PAGE : end] = (
        bytes(end - first * PAGE) if rng.random() < 0.5 else rng.randbytes(end - first * PAGE)
    )
    return f"pages {first} to {end // PAGE}"


def swap_pages(data: bytearray, rng: random.Random) -> str:
    """Two pages have changed places."""
    a, b = (rng.randrange(len(data) // PAGE) * PAGE for _ in range(2))
    data[a : a + PAGE], data[b : b + PAGE] = data[b : b + PAGE], data[a : a + PAGE]
    return f"pages {a // PAGE} and {b // PAGE}"


def cut_off(data: bytearray, rng: random.Random) -> str:
    """The end is missing."""
    size = rng.randrange(len(data))
    del data[size:]
    return f"cut to {size}"


def break_header(data: bytearray, rng: random.Random) -> str:
    """Something in the first hundred bytes is wrong."""
    at = rng.randrange(100)
    data[at] ^= rng.randrange(1, 256)
    return f"header byte {at}"


def be_newer(data: bytearray, rng: random.Random) -> str:
    """A newer Omoide wrote it."""
    data[60:64] = rng.randrange(10_000, 2**31).to_bytes(4)
    return "newer"


def be_foreign(data: bytearray, rng: random.Random) -> str:
    """Another program wrote it."""
    data[68:72] = rng.randbytes(4)
    return "foreign"


def be_empty(data: bytearray, rng: random.Random) -> str:
    """Nothing is in it."""
    data.clear()
    return "empty"


def be_noise(data: bytearray, rng: random.Random) -> str:
    """It is something else altogether."""
    data[:] = rng.randbytes(rng.randrange(1, 3 * PAGE))
    return "noise"


HARMS: tuple[Callable[[bytearray, random.Random], str], ...] = (
    flip_bytes,
    blank_pages,
    swap_pages,
    cut_off,
    break_header,
    be_newer,
    be_foreign,
    be_empty,
    be_noise,
)


def pages_of_turns(data: bytes) -> dict[int, set[int]]:
    """The pages that hold each turn of an intact file: where its text begins, and where it goes
    on.
    """
    found: dict[int, set[int]] = {}
    pages = Pages(data)
    for page in range(1, pages.count + 1):
        if pages.kind(page) == LEAF:
            for _, record in pages.rows(page):
                if record[:2] == [TENANT, "s"]:
                    found[int(str(record[2]))] = {page}
    return found


def saved_from(
    path: Path, intact: bytes, texts: Mapping[int, str], where: Mapping[int, set[int]]
) -> tuple[int, int, str]:
    """Of the turns on pages that were not harmed: how many there are, and how many salvage saved;
    what went wrong in that.
    """
    data = path.read_bytes()
    whole = {
        p
        for p in range(1, len(intact) // PAGE + 1)
        if data[(p - 1) * PAGE : p * PAGE] == intact[(p - 1) * PAGE : p * PAGE]
    }
    unharmed = {number for number, pages in where.items() if pages <= whole}
    try:
        salvage(path, path.with_name("saved.db"))
    except StoreRefused:
        return len(unharmed), 0, "" if path.read_bytes() == data else "salvage changed the file"
    store = SqliteStore.open(path.with_name("saved.db"))
    with store.transaction(tenant=None, write=False) as tx:
        saved = {
            row["position"]
            for row in tx.rows("turns.all_of_session", tenant=TENANT, session_id="s")
            if row["text"] == texts.get(row["position"])
        }
    store.close()
    return (
        len(unharmed),
        len(saved & unharmed),
        "" if path.read_bytes() == data else "salvage changed the file",
    )


def opened(path: Path, said: set[int]) -> tuple[str, str]:
    """What opening, reading and checking gives: refused, found, or unharmed; and what went wrong in
    that.
    """
    before = path.read_bytes()
    try:
        store = SqliteStore.open(path, create=False)
    except StoreRefused as error:
        wrong = "" if path.read_bytes() == before else "the file was changed"
        if isinstance(error, NewerStore) and "install" not in str(error):
            wrong = "no remedy"
        return "refused", wrong
    except OmoideError as error:
        return (
            "refused",
            (
                f"an untyped refusal: {error!r}"
                if path.read_bytes() == before
                else "the file was changed"
            ),
        )
    try:
        turns = set(turns_of(store))
        with store.transaction(tenant=None, write=False) as tx:
            texts = {
                row["text"]
                for row in tx.rows("turns.all_of_session", tenant=TENANT, session_id="s")
            }
        intact = turns == said and len(texts) == len(said)
        problems = store.integrity()
    except StoreRefused:
        return "found", ""
    finally:
        store.close()
    if not intact and not problems:
        return "found", "turns are missing, and nothing said so"
    return ("found", "") if problems else ("unharmed", "")


@pytest.mark.torture
@pytest.mark.timeout(3_600)
def test_t8_no_harmed_file_passes_for_an_empty_store(tmp_path: Path) -> None:
    """Each is refused untouched, or found out when read or checked; where nothing is found every
    turn is there.

    Salvage saves at least 95 % of the turns on pages that were not harmed.
    """
    path = tmp_path / "memory.db"
    texts = {number: f"turn {number} " * 30 for number in range(TURNS)}
    store = SqliteStore.open(path)
    with store.transaction(tenant=None) as tx:
        for number, text in texts.items():
            log_turn(tx, number, text=text)
    store.close()
    intact = path.read_bytes()
    where = pages_of_turns(intact)
    assert where.keys() == texts.keys()
    wrong: list[str] = []
    with Report("T8") as report:
        for number in range(CASES):
            data = bytearray(intact)
            harm = HARMS[number % len(HARMS)]
            what = harm(data, report.random)
            for file in tmp_path.iterdir():
                if file.is_file():
                    file.unlink()
            path.write_bytes(data)
            outcome, fault = opened(path, set(range(TURNS)))
            if outcome == "unharmed" and harm in (
                cut_off,
                be_newer,
                be_foreign,
                be_empty,
                be_noise,
            ):
                fault = "was opened as if it were whole"
            if fault:
                wrong.append(f"case {number}, {what}: {fault}")
            report[outcome] += 1
            if harm not in (be_newer, be_foreign, be_empty, be_noise):
                there, saved, fault = saved_from(path, intact, texts, where)
                report["unharmed_turns"] += there
                report["saved_turns"] += saved
                if fault:
                    wrong.append(f"case {number}, {what}: {fault}")

        assert report["saved_turns"] >= 0.95 * report["unharmed_turns"] > 0
        assert report["refused"] > CASES // 3
        assert report["found"] > 0
        assert wrong == []
