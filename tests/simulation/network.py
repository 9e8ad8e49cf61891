"""A network that delays, loses, falls apart into two, and whose nodes come and go."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

HOUR = 3_600.0


@dataclass(frozen=True)
class Weather:
    """How bad it is."""

    loss: float = 0.05
    """Of what is sent, either way, so much breaks off."""
    up: float = 16 * HOUR
    down: float = 4 * HOUR
    """Seconds for which a node is there, and away, on average."""
    partitions: int = 3
    """In the whole time."""
    apart: float = 3 * HOUR
    """Seconds for which it stays in two."""


CALM = Weather(loss=0, partitions=0)


class Network:
    """Says what gets through, and when."""

    def __init__(self, random: Random, weather: Weather, until: float) -> None:
        self._random = random
        self.weather = weather
        begins = sorted(random.uniform(0, until) for _ in range(weather.partitions))
        self._apart = [(begin, begin + weather.apart, random.getrandbits(32)) for begin in begins]

    def through(self, one: int, other: int, now: float) -> float | None:
        """Give the seconds that something takes from one node to another; ``None`` where it does
        not come.
        """
        if self._random.random() < self.weather.loss:
            return None
        for begin, end, draw in self._apart:
            if (
                self.weather.partitions
                and begin <= now < end
                and _side(one, draw) != _side(other, draw)
            ):
                return None
        return self._random.lognormvariate(-2.5, 0.6)  # 80 ms, seldom more than 300

    def stays(self) -> float:
        """Draw for how many seconds a node is there."""
        return self._random.expovariate(1 / self.weather.up)

    def is_away(self) -> float:
        """Draw for how many seconds it is away."""
        return self._random.expovariate(1 / self.weather.down)


def _side(node: int, draw: int) -> bool:
    return bool((node * 2_654_435_761 ^ draw) >> 7 & 1)
