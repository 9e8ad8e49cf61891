"""One at a time, in the order of asking; who is patient lets others go first, but not for ever."""

from __future__ import annotations

import threading
import time

import pytest

from lpm_kernel.backends.llm.gate import MOST_PASSED, Gate, GoneError


def test_turns_come_in_the_order_of_asking() -> None:
    gate = Gate()
    order: list[int] = []

    def run(number: int) -> None:
        with gate.turn():
            order.append(number)

    with gate.turn():
        threads = [threading.Thread(target=run, args=(number,)) for number in range(5)]
        for waiting, thread in enumerate(threads, start=1):
            thread.start()
            while gate.waiting < waiting:
                time.sleep(0.001)
    for thread in threads:
        thread.join(5)
    assert order == [0, 1, 2, 3, 4]


def test_whoever_goes_away_leaves_the_line() -> None:
    gate = Gate()
    with gate.turn():
        with pytest.raises(GoneError), gate.turn(gone=lambda: True):
            pytest.fail("it was not its turn")
        assert gate.waiting == 0
    with gate.turn():
        assert gate.waiting == 0


def test_an_error_passes_the_turn_on() -> None:
    gate = Gate()
    with pytest.raises(ZeroDivisionError), gate.turn():
        raise ZeroDivisionError
    with gate.turn():
        assert gate.waiting == 0


def test_the_patient_let_others_go_first_but_not_for_ever() -> None:
    gate = Gate()
    order: list[str] = []

    def run(name: str, *, patient: bool) -> None:
        with gate.turn(patient=patient):
            order.append(name)

    with gate.turn():
        threads = [
            threading.Thread(target=run, args=(f"patient {number}",), kwargs={"patient": True})
            for number in range(2)
        ]
        threads += [
            threading.Thread(target=run, args=(f"{number}",), kwargs={"patient": False})
            for number in range(MOST_PASSED + 1)
        ]
        for waiting, thread in enumerate(threads, start=1):
            thread.start()
            while gate.waiting < waiting:
                time.sleep(0.001)
        assert gate.ahead == len(threads) + 1
    for thread in threads:
        thread.join(5)
    before = [str(number) for number in range(MOST_PASSED - 1)]  # the one who held it counts
    assert order == [
        *before,
        "patient 0",
        *[str(number) for number in range(MOST_PASSED - 1, MOST_PASSED + 1)],
        "patient 1",
    ]
