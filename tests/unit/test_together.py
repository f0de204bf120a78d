"""Work done for many threads at once: each gets its own result or error, and nobody waits for nothing."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence

import pytest

from omoide.errors import InvalidInput, OmoideError, StoreBusy
from omoide.write.together import MOST, Together


def ask(together: Together[int, int], wanted: Sequence[int]) -> dict[int, int | BaseException]:
    """What each of as many threads gets."""
    got: dict[int, int | BaseException] = {}

    def one(number: int) -> None:
        try:
            got[number] = together(number)
        except OmoideError as error:
            got[number] = error

    threads = [threading.Thread(target=one, args=(number,)) for number in wanted]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    return got


class Work:
    """Doubles numbers, noting what was done at once. The first work waits until so many more are waiting behind it."""

    def __init__(self, fails: Callable[[Sequence[int]], BaseException | None] = lambda numbers: None) -> None:
        self.batches: list[list[int]] = []
        self.gate = threading.Event()
        self._fails = fails

    def __call__(self, numbers: Sequence[int]) -> list[int]:
        if not self.batches:
            self.gate.wait(0.2)  # so that others gather
        self.batches.append(list(numbers))
        if (error := self._fails(numbers)) is not None:
            raise error
        return [2 * number for number in numbers]


def test_every_thread_gets_its_own_result() -> None:
    """Those who come while others are worked for are worked for together."""
    work = Work()

    assert ask(Together(work), range(100)) == {number: 2 * number for number in range(100)}
    assert sorted(number for batch in work.batches for number in batch) == list(range(100))
    assert len(work.batches) < 50
    assert max(map(len, work.batches)) <= MOST


def test_one_that_cannot_be_done_spoils_no_other() -> None:
    """What fails among others is tried alone, and its own error told to it alone."""
    work = Work(lambda numbers: InvalidInput("number", "7 is unlucky") if 7 in numbers else None)

    got = ask(Together(work), range(30))

    assert isinstance(got.pop(7), InvalidInput)
    assert got == {number: 2 * number for number in range(30) if number != 7}


def test_a_store_that_fails_is_not_asked_again_for_each() -> None:
    """All who were worked for together are told, and the next ones are served."""
    work = Work(lambda numbers: StoreBusy("another process writes") if 3 in numbers else None)
    together = Together(work)

    got = ask(together, range(20))

    assert isinstance(got[3], StoreBusy)
    assert sum(3 in batch for batch in work.batches) == 1
    assert together(50) == 100


def test_an_interrupt_leaves_the_turn_free() -> None:
    """The thread that was interrupted is told, and others go on."""
    work = Work(lambda numbers: KeyboardInterrupt() if numbers[0] == 1 else None)
    together = Together(work)

    with pytest.raises(KeyboardInterrupt):
        together(1)

    assert together(2) == 4


def test_a_forked_off_process_has_turns_of_its_own() -> None:
    """Forked off while a thread has its turn, it does not wait for that thread, which it does not have."""
    children = list[int]()

    def fork(numbers: Sequence[int]) -> list[int]:
        if numbers == [1]:
            child = os.fork()
            if child == 0:
                os._exit(0 if together(4) == 8 else 1)
            children.append(child)
        return [2 * number for number in numbers]

    together = Together(fork)
    together(1)

    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0]
