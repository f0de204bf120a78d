"""What users and third-party stores need to test with: a memory that needs nothing, and the
contract of a store.

A store of your own keeps the contract when this passes::

    from omoide.testing import StoreContract

    class TestMyStore(StoreContract):
        @pytest.fixture
        def store(self, tmp_path):
            with closing(MyStore(tmp_path)) as store:
                yield store

The store given must be empty and migrated. pytest must be installed.
"""

from __future__ import annotations

from omoide.testing.contract import StoreContract, in_thread
from omoide.testing.opening import memory_for_tests
from omoide.testing.rows import ANA, BEN, EAST, NOON, a_turn, an_item

__all__ = [
    "ANA",
    "BEN",
    "EAST",
    "NOON",
    "StoreContract",
    "a_turn",
    "an_item",
    "in_thread",
    "memory_for_tests",
]
