"""Functions that draw from generators that were made when this module was imported.

Every check in a process looks for all that refers to one of its generators: import this late.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

held = (np.random.default_rng(),)


def far_out(n: int) -> bool:
    return bool(n + held[0].laplace() > 60)


drawn = np.random.default_rng().laplace
drawn_in_part = functools.partial(np.random.RandomState().laplace, 0)
bits = (np.random.PCG64(),)


def by_method(n: int) -> bool:
    return bool(n + drawn() > 60)


def by_part(n: int) -> bool:
    return bool(n + drawn_in_part() > 60)


def by_bits(n: int) -> bool:
    return bool(n + (bits[0].random_raw() < 3) > 9)


class Service:
    shared = np.random.default_rng()

    def __init__(self) -> None:
        self.own = np.random.default_rng()


class Slots:
    __slots__ = ("own",)

    def __init__(self) -> None:
        self.own = np.random.default_rng()


service, slots = Service(), Slots()
several, by_name = [np.random.default_rng()], {"one": np.random.RandomState()}


def _enclosed() -> Callable[[int], float]:
    own = np.random.default_rng()
    return lambda n: n + own.laplace()


def with_default(n: int, own: np.random.Generator = np.random.default_rng()) -> float:  # noqa: B008
    return n + own.laplace()


FUNCTIONS: dict[str, Callable[[int], float]] = {
    "class": lambda n: n + Service.shared.laplace(),
    "object": lambda n: n + service.own.laplace(),
    "slot": lambda n: n + slots.own.laplace(),
    "list": lambda n: n + several[0].laplace(),
    "dict": lambda n: n + by_name["one"].laplace(),
    "closure": _enclosed(),
    "default": with_default,
}
