"""T8: bytes of texts are altered in a file; no read gives one of them as if it were whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from omoide.nouns.errors import OmoideError, StoreError
from omoide.nouns.item import Item
from omoide.store.sqlite.engine import SqliteStore
from omoide.testing import memory_for_tests
from tests.torture.kit import Report, count

CASES, ITEMS = count(40, 1_000), 40


@pytest.mark.torture
def test_no_altered_text_is_given_without_a_word(tmp_path: Path) -> None:
    """Each read gives the text that was stored, or an error of ours."""
    path = tmp_path / "memory.db"
    with memory_for_tests(SqliteStore.open(path)) as memory:
        texts = {
            memory.remember(f"Drawer {n} holds the {n * 7919} spare key of house {n}").id: n
            for n in range(ITEMS)
        }
        whole = {id: memory.get(id) for id in texts}
    intact = path.read_bytes()
    with Report("T8 texts") as report:
        for _ in range(CASES):
            id = report.random.choice(sorted(texts))
            item = whole[id]
            assert isinstance(item, Item)
            text = bytearray(item.text.encode())
            text[report.random.randrange(len(text))] ^= report.random.randrange(1, 256)
            path.write_bytes(intact.replace(item.text.encode(), bytes(text)))
            try:
                with memory_for_tests(SqliteStore.open(path)) as memory:
                    given = memory.get(id)
                assert given == item
                report["whole"] += 1
            except StoreError:
                report["told"] += 1
            except OmoideError as error:
                pytest.fail(f"another error: {error!r}")

        assert report["told"] == CASES
