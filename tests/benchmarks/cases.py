"""What is run: the sweep, the growth over n and k, and the commands whose time is a target."""

from __future__ import annotations

from dataclasses import dataclass

from tests.benchmarks.methods import Case

__all__ = ["FULL", "TINY", "Programme"]


@dataclass(frozen=True)
class Programme:
    """One run of the benchmark."""

    sweep: Case
    """What every method does, with and without a plot."""
    growth: tuple[tuple[Case, tuple[str, ...]], ...]
    """Cases with the methods that are not tried there: they would take minutes or gigabytes."""
    screen: Case
    """Where the screen alone is compared with plain NumPy."""
    profiled: tuple[Case, ...]
    rounds: int
    """How often what is short is repeated, in turn; the least time counts."""
    growth_rounds: int
    """The same for the growth."""
    long: float
    """Seconds from which on a process is not repeated."""


def _case(k: int, n: int) -> Case:
    return Case(k, (n,))


FULL = Programme(
    sweep=Case(2, tuple(range(10, 181))),
    growth=(
        (_case(2, 180), ()),
        (_case(2, 500), ()),
        (_case(2, 1000), ()),
        (_case(2, 2000), ("mpmath", "pld")),
        (_case(2, 5000), ("mpmath", "pld", "balls")),
        (_case(2, 20000), ("mpmath", "pld", "balls")),
        (_case(3, 30), ()),
        (_case(3, 60), ("mpmath", "pld")),
        (_case(3, 180), ("mpmath", "pld", "balls")),
        (_case(4, 20), ("mpmath", "pld")),
        (_case(4, 53), ("mpmath", "pld", "balls")),
        (_case(4, 80), ("mpmath", "pld", "balls", "numpy")),
    ),
    screen=_case(2, 2000),
    profiled=(Case(2, tuple(range(10, 181))), _case(2, 20000), _case(3, 180), _case(4, 53)),
    rounds=7,
    growth_rounds=3,
    long=5.0,
)

TINY = Programme(
    sweep=Case(2, (5, 6)),
    growth=((_case(2, 30), ("mpmath",)), (_case(3, 7), ())),
    screen=_case(2, 30),
    profiled=(_case(2, 30),),
    rounds=1,
    growth_rounds=1,
    long=5.0,
)
