"""A lock that does not wait for nothing."""

from __future__ import annotations

import trio
import trio.testing

from lpm_kernel.peer.muxer import IN_A_ROW, Latch


def test_it_lets_one_in_at_a_time_in_their_order() -> None:
    came: list[str] = []

    async def hold(latch: Latch, name: str) -> None:
        async with latch:
            came.append(f"{name} in")
            await trio.sleep(0.01)
            came.append(f"{name} out")

    async def live() -> None:
        latch = Latch()
        async with trio.open_nursery() as nursery:
            for name in "abc":
                nursery.start_soon(hold, latch, name)
                await trio.testing.wait_all_tasks_blocked()

    trio.run(live)
    assert came == ["a in", "a out", "b in", "b out", "c in", "c out"]


def test_who_takes_it_again_and_again_lets_the_others_have_a_turn() -> None:
    turns = 0

    async def other() -> None:
        nonlocal turns
        while True:
            await trio.lowlevel.checkpoint()
            turns += 1

    async def live() -> None:
        latch = Latch()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(other)
            for _ in range(10 * IN_A_ROW):
                async with latch:
                    pass
            nursery.cancel_scope.cancel()

    trio.run(live)
    # it begins in the first of ten rounds, before or after who holds the lock
    assert 8 <= turns <= 10
