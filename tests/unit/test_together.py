"""Work done for many threads at once: each gets its own result or error, and nobody waits for
nothing.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import FrameType

import pytest

from omoide.nouns.errors import InvalidInput, ModelUnreachable, OmoideError, StoreBusy
from omoide.write.batch import MOST, Together


def ask(together: Together[int, int], wanted: Sequence[int]) -> dict[int, int | BaseException]:
    """What each of as many threads gets."""
    got: dict[int, int | BaseException] = {}

    def one(number: int) -> None:
        try:
            got[number] = together(number)
        except (OmoideError, KeyError) as error:
            got[number] = error

    threads = [threading.Thread(target=one, args=(number,)) for number in wanted]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    return got


class Work:
    """Doubles numbers, noting what was done at once. The first work waits until so many more are
    waiting behind it.
    """

    def __init__(
        self, fails: Callable[[Sequence[int]], BaseException | None] = lambda numbers: None
    ) -> None:
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


def test_what_is_of_different_groups_is_done_apart() -> None:
    """Each batch holds numbers of one group, and every thread gets its result."""
    work = Work()

    got = ask(Together(work, group=lambda number: number % 3), range(60))

    assert got == {number: 2 * number for number in range(60)}
    assert {len({number % 3 for number in batch}) for batch in work.batches} == {1}


@pytest.mark.parametrize(
    "wrong", [InvalidInput("number", "7 is unlucky"), KeyError("a fault of the program")]
)
def test_one_that_cannot_be_done_spoils_no_other(wrong: Exception) -> None:
    """What fails among others is tried alone, and its own error told to it alone, even one that
    nobody foresaw.
    """
    work = Work(lambda numbers: wrong if 7 in numbers else None)

    got = ask(Together(work), range(30))

    assert isinstance(got.pop(7), type(wrong))
    assert got == {number: 2 * number for number in range(30) if number != 7}


@pytest.mark.parametrize(
    "fault", [StoreBusy("another process writes"), ModelUnreachable("no answer in 30 s")]
)
def test_what_fails_for_each_is_not_asked_again_for_each(fault: OmoideError) -> None:
    """All who were worked for together are told, by an error of their own each, and the next ones
    are served.
    """
    work = Work(lambda numbers: fault if 3 in numbers else None)
    together = Together(work)

    got = ask(together, range(20))

    failed = [error for error in got.values() if isinstance(error, BaseException)]
    assert {type(error) for error in failed} == {type(fault)}
    assert len(set(map(id, failed))) == len(failed)
    assert isinstance(got[3], type(fault))
    assert sum(3 in batch for batch in work.batches) == 1
    assert together(50) == 100


def test_an_interrupt_leaves_the_turn_free() -> None:
    """The thread that was interrupted is told, and others go on."""
    work = Work(lambda numbers: KeyboardInterrupt() if numbers[0] == 1 else None)
    together = Together(work)

    with pytest.raises(KeyboardInterrupt):
        together(1)

    assert together(2) == 4


def busy(together: Together[int, int], number: int) -> threading.Thread:
    """A thread that wants something."""
    thread = threading.Thread(target=ask, args=(together, [number]), daemon=True)
    thread.start()
    return thread


def test_who_is_interrupted_waiting_keeps_nobody_waiting() -> None:
    """A thread that gave up is handed no turn, which would be lost with it."""
    begun, gate = threading.Event(), threading.Event()

    def slow(numbers: Sequence[int]) -> list[int]:
        begun.set()
        gate.wait(30)
        return [2 * number for number in numbers]

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    together, usual = Together(slow), signal.signal(signal.SIGALRM, interrupt)
    busy(together, 1)
    begun.wait(30)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(KeyboardInterrupt):
            together(2)
    finally:
        signal.signal(signal.SIGALRM, usual)
    gate.set()

    assert ask(together, [3]) == {3: 6}


def test_what_an_interrupted_thread_did_for_others_is_done_again() -> None:
    """They get their results, not its interrupt."""
    begun, gate, batches = threading.Event(), threading.Event(), list[list[int]]()

    def work(numbers: Sequence[int]) -> list[int]:
        batches.append(list(numbers))
        begun.set()
        gate.wait(30)
        if len(batches) == 2:
            raise KeyboardInterrupt
        return [2 * number for number in numbers]

    together, got = Together(work), dict[int, int]()

    def one(number: int) -> None:
        with suppress(KeyboardInterrupt):
            got[number] = together(number)

    threads = [busy(together, 1)]
    begun.wait(30)
    for number in (2, 3, 4):
        threads.append(threading.Thread(target=one, args=(number,), daemon=True))
        threads[-1].start()
        while len(together._waiting) < number:
            time.sleep(0.001)
    gate.set()
    for thread in threads:
        thread.join(30)

    assert batches[:2] == [[1], [2, 3, 4]]
    assert got == {3: 6, 4: 8}


def test_a_forked_off_process_has_turns_of_its_own() -> None:
    """Forked off while a thread has its turn, it does not wait for that thread, which it does not
    have.
    """
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
