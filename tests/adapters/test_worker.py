"""Calls of a memory from asyncio: in order, beside the loop, and never in the way of an end."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time

import pytest

from omoide.adapters.worker import SerialWorker

HANGING = """
import asyncio, threading
from omoide.adapters.worker import SerialWorker

async def main():
    worker = SerialWorker()
    asyncio.ensure_future(worker(threading.Event().wait))
    await asyncio.sleep(0.1)
    print("ends")

asyncio.run(main())
"""


@pytest.mark.covers("AD-14")
def test_calls_are_made_in_order_by_one_thread() -> None:
    """However long the first ones take."""
    made: list[tuple[int, str]] = []

    def call(number: int) -> None:
        time.sleep(0.02 / (number + 1))
        made.append((number, threading.current_thread().name))

    async def main() -> None:
        worker = SerialWorker()
        await asyncio.gather(*(worker(call, number) for number in range(5)))

    asyncio.run(main())

    assert made == [(number, "omoide") for number in range(5)]


@pytest.mark.covers("AD-14")
def test_the_loop_goes_on_while_a_call_waits() -> None:
    """What else is to be done is done meanwhile."""
    gate = threading.Event()

    async def main() -> bool:
        waiting = asyncio.ensure_future(SerialWorker()(gate.wait, 5))
        await asyncio.sleep(0)
        gate.set()  # by the loop, which the call does not hold
        return await waiting

    assert asyncio.run(main())


@pytest.mark.covers("AD-14")
def test_a_call_that_hangs_keeps_no_process() -> None:
    """It ends all the same."""
    ran = subprocess.run(
        [sys.executable, "-c", HANGING], capture_output=True, text=True, timeout=60, check=True
    )

    assert ran.stdout == "ends\n"
