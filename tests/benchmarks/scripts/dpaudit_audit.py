"""The realised ε of EHDS over all pairs from dpaudit itself, by one of its engines.

``screen`` looks at all pairs in floats and certifies what is left in balls, ``ball`` looks at all
pairs in balls, and ``floats`` is the first half of ``screen`` alone, to be compared with a plain
float computation.
"""

import argparse
import cProfile
import json
import pstats
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import dpaudit
from dpaudit.api import make_plan
from dpaudit.audit.certify import EpsilonDelta
from dpaudit.audit.sweep import sweep
from dpaudit.mechanisms.base import Mechanism
from dpaudit.screens.exponents import screen_losses

PACKAGE = Path(dpaudit.__file__).resolve().parent


def certified(subject: Mechanism[Any], sizes: list[int], engine: str) -> list[tuple[str, str]]:
    """Return the certified interval of every size."""
    plan = replace(make_plan(subject), engine=engine)
    measure = EpsilonDelta()
    audit = measure.report(subject, sizes, plan, sweep(measure, subject, sizes, plan))
    return [(str(result.epsilon.lower), str(result.epsilon.upper)) for result in audit.results]


def screened(subject: Mechanism[Any], sizes: list[int]) -> list[tuple[str, str]]:
    """Return what the floats alone say of every size: a lower and an upper bound."""
    found = []
    for n in sizes:
        laws = subject.screen(n)
        assert laws is not None
        losses = screen_losses(laws)
        found.append((repr(float(losses.lower.max())), repr(float(losses.upper.max()))))
    return found


def by_room(profile: cProfile.Profile) -> dict[str, float]:
    """Return the seconds spent in each module of the package, library calls with their callers."""
    stats: Any = pstats.Stats(profile)
    own: dict[str, float] = {}
    for (file, _, _), (_, _, inside, _, callers) in stats.stats.items():
        path = Path(file)
        if path.is_relative_to(PACKAGE):
            module = path.relative_to(PACKAGE).as_posix()
            own[module] = own.get(module, 0.0) + inside
            continue
        for (caller, _, _), (_, _, spent, _) in callers.items():
            parent = Path(caller)
            module = (
                parent.relative_to(PACKAGE).as_posix()
                if parent.is_relative_to(PACKAGE)
                else "elsewhere"
            )
            own[module] = own.get(module, 0.0) + spent
    return own


def main() -> None:
    """Audit the sizes of the command line and print what was found."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--k", type=int, default=2)
    parser.add_argument("--sizes", required=True)
    parser.add_argument("--engine", choices=["screen", "ball", "floats"], default="screen")
    parser.add_argument("--profile", action="store_true")
    asked = parser.parse_args()
    sizes = [int(size) for size in asked.sizes.split(",")]
    subject = dpaudit.mechanism("EHDS", k=asked.k)
    report: dict[str, object] = {}
    profile = cProfile.Profile()
    if asked.profile:
        profile.enable()
    began = time.perf_counter()
    if asked.engine == "floats":
        values = screened(subject, sizes)
    else:
        values = certified(subject, sizes, asked.engine)
    report["compute"] = time.perf_counter() - began
    if asked.profile:
        profile.disable()
        report["rooms"] = by_room(profile)
    print(json.dumps({**report, "values": values}))


if __name__ == "__main__":
    main()
