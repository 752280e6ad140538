"""Turn round every directed rounding of accounts, one at a time, and see a test fail.

python -m tests.accounting.rounding_mutants            all of them; 1 if one is not noticed
python -m tests.accounting.rounding_mutants WORDS      those whose place has one of the words
python -m tests.accounting.rounding_mutants --list     the places alone

Each mutant is imported in a process of its own, in which the quick tests of accounts are run, up to
the first that fails.
"""

from __future__ import annotations

import argparse
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stderr, redirect_stdout
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

from tests.accounting.directions import FILES, ROOT, directions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.accounting.directions import Direction

__all__ = ["TESTS", "main", "noticed"]

TESTS = (
    "test_directions",
    "test_lattices",
    "test_edges",
    "test_certified",
    "test_joint",
    "test_contour",
    "test_composition",
    "test_dominating",
    "test_export",
)
"""What is run, in this order."""

MOST = 600
"""Seconds after which a mutant that never ends is held to be noticed."""


class _Mutant(MetaPathFinder):
    """Finds the one module that is changed, with what is instead of its source."""

    def __init__(self, one: Direction) -> None:
        self.one = one

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        found = PathFinder.find_spec(name, path, target)
        if found is None or found.origin != str(self.one.path):
            return None
        mutant = self.one.mutant.encode()

        class Loader(SourceFileLoader):
            def get_data(self, path: str) -> bytes:
                return mutant

            def path_stats(self, path: str) -> Any:
                raise OSError  # no bytecode is read or kept

        found.loader = Loader(name, found.origin)
        return found


def _tested(one: Direction | None, pipe: Any, tests: Sequence[str]) -> None:
    import pytest

    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        if one is not None:
            sys.meta_path.insert(0, _Mutant(one))
        notes = _Notes()
        options = ["-q", "-x", "-p", "no:cacheprovider", "-k", "not caught"]
        files = [str(ROOT / "tests" / "accounting" / f"{name}.py") for name in tests]
        code = int(pytest.main([*options, *files], plugins=[notes]))
    pipe.send((code, notes.failed))


class _Notes:
    failed = "an import"

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            self.failed = report.nodeid.split("::", 1)[-1]


def noticed(one: Direction | None, tests: Sequence[str] = TESTS) -> str | None:
    """Return the test that fails, None where none does; of no mutant, nothing is changed."""
    context = get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_tested, args=(one, theirs, tests))
    process.start()
    theirs.close()
    found: str | None = f"more than {MOST} s"
    if ours.poll(MOST):
        try:
            code, failed = ours.recv()
            found = failed if code else None
        except EOFError:
            found = "a process that died"
    process.kill()
    process.join()
    return found


def main(arguments: list[str] | None = None) -> int:
    """Look at the mutants; 1 if one is not noticed, or a test fails without any."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--list", action="store_true", help="the places alone")
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args(arguments)
    every = [one for path in FILES for one in directions(path)]
    chosen = [one for one in every if not asked.words or any(w in one.name for w in asked.words)]
    if asked.list:
        print("\n".join(f"{one.name}: {one.code}" for one in chosen))
        return 0
    broken = noticed(None)
    if broken is not None:
        print(f"without any mutant {broken} fails")
        return 1
    left = []
    with ThreadPoolExecutor(asked.jobs) as pool:
        for one, found in zip(chosen, pool.map(noticed, chosen), strict=True):
            print(f"{one.name}: {found or 'NOT NOTICED: ' + one.code}", flush=True)
            left += [one] if found is None else []
    print(f"{len(chosen)} directions turned round: {len(chosen) - len(left)} noticed")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
