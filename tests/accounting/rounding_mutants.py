"""Turn round every directed rounding of accounts, one at a time, and see a test fail.

python -m tests.accounting.rounding_mutants            all of them; 1 if one is not noticed
python -m tests.accounting.rounding_mutants WORDS      those whose place has one of the words
python -m tests.accounting.rounding_mutants --list     the places alone
python -m tests.accounting.rounding_mutants --resume FILE    go on where another run ended

Each mutant is written into a copy of the project, whose quick tests of accounts are run there, up
to the first that fails, those that hit one function each first.  FILE keeps which test noticed a
mutant under a digest of its code and of its tests; after a change of either it is looked at again,
that test first, and so are those that were not noticed.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from queue import Queue
from tempfile import TemporaryDirectory

from tests.accounting.directions import FILES, ROOT, Direction, directions

__all__ = ["OTHERS", "TESTS", "main", "noticed"]

FIRST = ("few_bits", "roundings")
"""The test files that are run first: of single functions, each a fraction of a second."""

TESTS = {
    "lattice": ("lattices", "joint"),
    "loss_cells": ("lattices", "joint", "directions"),
    "merging": ("lattices",),
    "contour": ("contour",),
    "moments": ("contour", "directions"),
    "known_moments": ("joint", "contour"),
    "dominating": ("dominating", "directions", "export"),
    "export": ("export",),
    "comparison": ("export", "compare"),
    "composition": ("composition",),
    "profile": ("composition",),
    "leaving_out": ("leaving_out", "directions", "edges"),
    "refining": ("directions", "certified", "edges"),
}
"""The test files of each module after :data:`FIRST`.

In them, tests that look for mutants themselves are not run, nor those that start other processes.
"""

OTHERS = ("directions", "edges", "joint")
"""Those of any other module."""

MOST = 900
"""Seconds after which a mutant that never ends is held to be noticed."""

_PASSED, _NO_SUCH_TEST = 0, 4

_COPIED = ("dpaudit", "tests", "docs", "proofs", "pyproject.toml", "README.md")


@contextmanager
def _copies(count: int) -> Iterator[Queue[Path]]:
    """Give copies of the project."""
    with TemporaryDirectory() as folder:
        free: Queue[Path] = Queue()
        for number in range(count):
            for name in _COPIED:
                source, target = ROOT / name, Path(folder, str(number), name)
                target.parent.mkdir(exist_ok=True)
                if source.is_dir():
                    shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
                else:
                    shutil.copy(source, target)
            free.put(Path(folder, str(number)))
        yield free


def _files(one: Direction | None) -> list[str]:
    names = OTHERS if one is None else TESTS.get(one.path.stem, OTHERS)
    return [f"tests/accounting/test_{name}.py" for name in (*FIRST, *names)]


def _digest(one: Direction) -> str:
    """Return what the verdict on a mutant depends on, but for the other modules."""
    code = [one.mutant, *((ROOT / name).read_text(encoding="utf-8") for name in _files(one))]
    return hashlib.sha256("\0".join(code).encode()).hexdigest()[:16]


def _known(path: Path | None) -> tuple[dict[str, str], dict[str, str]]:
    """Return which test noticed each mutant before, by its digest and by its name."""
    if path is None or not path.exists():
        return {}, {}
    lines = [line.split("\t", 2) for line in path.read_text(encoding="utf-8").splitlines()]
    found = [line for line in lines if line[1]]
    return {digest: test for digest, test, _ in found}, {name: test for _, test, name in found}


def noticed(one: Direction | None, free: Queue[Path], hint: str | None = None) -> str | None:
    """Return the test that fails, None where none does; without a mutant nothing is changed.

    ``hint`` is a test that may fail, which is run before all others.
    """
    folder = free.get()
    changed = None if one is None else folder / one.path.relative_to(ROOT)
    if one is not None and changed is not None:
        changed.write_text(one.mutant, encoding="utf-8")
    try:
        first = None if hint is None or "::" not in hint else _failing(folder, [hint])
        return first or _failing(folder, _files(one))
    finally:
        if one is not None and changed is not None:
            changed.write_bytes(one.path.read_bytes())
        free.put(folder)


def _failing(folder: Path, tests: list[str]) -> str | None:
    """Return the first test that fails in a copy, None where none does or there is none."""
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
    try:
        done = subprocess.run(
            [*command, "-k", "not caught and not verify", *tests],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(folder), "CI": "1"},  # the same in every run
            capture_output=True,
            text=True,
            timeout=MOST,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"more than {MOST} s"
    if done.returncode in (_PASSED, _NO_SUCH_TEST):
        return None
    lines = [line for line in done.stdout.split("\n") if line.startswith(("FAILED", "ERROR"))]
    return (lines or [f"exit code {done.returncode}"])[0].split(" - ")[0].partition(" ")[2]


def main(arguments: list[str] | None = None) -> int:
    """Look at the mutants; 1 if one is not noticed, or a test fails without any."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--list", action="store_true", help="the places alone")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--resume", type=Path, help="a file that keeps what was found")
    asked = parser.parse_args(arguments)
    every = [one for path in FILES for one in directions(path)]
    chosen = [one for one in every if not asked.words or any(w in one.name for w in asked.words)]
    if asked.list:
        print("\n".join(f"{one.name}: {one.code}" for one in chosen))
        return 0
    (known, before), digests = _known(asked.resume), {one: _digest(one) for one in chosen}
    with _copies(asked.jobs) as free, ThreadPoolExecutor(asked.jobs) as pool:
        broken = noticed(None, free)
        if broken is not None:
            print(f"without any mutant: {broken}")
            return 1

        def look(one: Direction) -> str | None:
            digest = digests[one]
            if digest in known:
                return known[digest]
            found = noticed(one, free, before.get(one.name))
            if asked.resume is not None:
                with asked.resume.open("a", encoding="utf-8") as file:
                    file.write(f"{digest}\t{found or ''}\t{one.name}\n")
            return found

        left = []
        for one, found in zip(chosen, pool.map(look, chosen), strict=True):
            print(f"{one.name}: {found or 'NOT NOTICED: ' + one.code}", flush=True)
            left += [one] if found is None else []
    print(f"{len(chosen)} directions turned round: {len(chosen) - len(left)} noticed")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
