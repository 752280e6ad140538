"""Explores calls of a library as they run: ``library_paths ADAPTER PLACE ROUNDS NUMBER...``.

Prints a JSON object with a list: for every call its paths, the least processor seconds of exploring
all its inputs, and of the whole, real runs included; nothing of a call that is not followed.
"""

from __future__ import annotations

import json
import sys
import time
from importlib import import_module
from typing import TYPE_CHECKING

from dpaudit.errors import DpauditError
from dpaudit.programs.as_run.explored import AsRun, explore_as_run
from dpaudit.programs.guarding.slots import addresses_refused
from dpaudit.programs.real.effort import AS_RUN, Effort
from tests.libraries.audited import function_of

if TYPE_CHECKING:
    from tests.libraries.cases import Case, Environment

__all__ = ["explored"]


def explored(environment: Environment, case: Case, rounds: int) -> dict[str, float] | None:
    """Return the paths of a call at all its inputs, and the least seconds; None if not followed."""
    function, whole, exploring = function_of(case, environment.once), [], []
    for _ in range(rounds):
        seconds: list[float] = []

        def effort(one: float, seconds: list[float] = seconds) -> Effort:
            seconds.append(one)
            return Effort(None, one, len(case.inputs), AS_RUN)

        paths, began = 0, time.process_time()
        with addresses_refused():  # as around the datasets of an audit
            for dataset in case.inputs:
                try:
                    found = explore_as_run(
                        lambda dataset=dataset: function(dataset),  # type: ignore[misc]
                        100_000,
                        AsRun(set(), set()),
                        effort=effort,
                        holds=(function, {}, dataset),
                    )
                except DpauditError:
                    return None
                paths += found.paths
        whole.append(time.process_time() - began)
        exploring.append(sum(seconds))
    return {"paths": paths, "exploring": min(exploring), "whole": min(whole)}


def main() -> None:
    """Print what was found."""
    adapter, place, rounds, *numbers = sys.argv[1:]
    environment = import_module(f"tests.libraries.{adapter}").ENVIRONMENTS[int(place)]
    cases = [environment.cases[int(number)] for number in numbers]
    print(json.dumps([explored(environment, case, int(rounds)) for case in cases]))


if __name__ == "__main__":
    main()
