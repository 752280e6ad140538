"""Audit the mechanisms of libraries in environments of their own, and write the page of them.

    python -m tests.libraries [--work FOLDER] [--only WORDS] [--jobs N]
    python -m tests.libraries --coverage

A row that is found is kept in the folder: a run that was stopped goes on where it was.  With
``--again`` rows are found anew; with ``--only`` those of one library, version or call.
``--coverage`` reads the public names of every library instead, and tells those that have neither a
row nor a reason why they have none.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path

from tests.libraries.cases import Case, Environment, Row, without_places
from tests.libraries.coverage import gaps, read_names
from tests.libraries.environments import CHECKOUT, UnavailableError, made, run
from tests.libraries.page import written

__all__ = ["ADAPTERS", "found_row", "main"]

ADAPTERS = (
    "pure_ldp", "multi_freq_ldpy", "diffprivlib", "opendp", "python_dp", "tmlt_core",
    "diffpriv_pure", "trasgodp",
)  # fmt: skip
_ROW_SECONDS = 600.0
_SCRIPT_SECONDS = 120.0


def _listed() -> Iterator[tuple[str, int, Environment]]:
    for adapter in ADAPTERS:
        module = import_module(f"tests.libraries.{adapter}")
        for place, environment in enumerate(module.ENVIRONMENTS):
            yield adapter, place, environment


def found_row(
    adapter: str,
    place: int,
    number: int,
    environment: Environment,
    work: Path,
    *,
    borrowed: bool = False,
) -> Row:
    """Return the row of one case, found in its environment."""
    case = environment.cases[number]
    nothing = Row(environment.library, environment.version, case.call, case.stated, note=case.note)
    try:
        python = made(environment, work, borrowed=borrowed)
    except UnavailableError as reason:
        return replace(nothing, why=str(reason))
    arguments = ["-m", "tests.libraries.audited", adapter, str(place), str(number)]
    try:
        done = run(python, arguments, environment, _ROW_SECONDS)
    except subprocess.TimeoutExpired:
        return replace(nothing, why=f"not finished in {_ROW_SECONDS:.0f} s", case=repr(case))
    if done.returncode:
        said = (done.stderr.strip().splitlines() or ["nothing"])[-1]
        return replace(nothing, why=f"it failed: {without_places(said)[:200]}")
    row = Row.read(json.loads(done.stdout.splitlines()[-1]))
    if row.script:
        try:
            shown = run(python, ["-c", row.script], environment, _SCRIPT_SECONDS)
            row = replace(
                row, printed=without_places((shown.stdout or shown.stderr).strip()[-400:])
            )
        except subprocess.TimeoutExpired:
            row = replace(row, printed="")
    return row


def _kept(path: Path, case: Case) -> Row | None:
    """Return the row that is kept of a case as it is now."""
    if not path.exists():
        return None
    row = Row.read(json.loads(path.read_text()))
    return row if row.case == repr(case) else None


def main() -> int:
    """Find the rows that are missing, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m tests.libraries", description=__doc__)
    parser.add_argument("--work", type=Path, default=CHECKOUT / "dpaudit-results" / "libraries")
    parser.add_argument("--only", default="", help="words of a library, version or call")
    parser.add_argument("--again", action="store_true", help="find rows anew")
    parser.add_argument("--jobs", type=int, default=1, help="rows that are found at a time")
    parser.add_argument("--coverage", action="store_true", help="tell names without a row")
    parser.add_argument("--page", type=Path, default=CHECKOUT / "docs" / "libraries.md")
    given = parser.parse_args()
    if given.coverage:
        return _coverage(given.work, given.only)
    asked = [
        (adapter, place, number, environment)
        for adapter, place, environment in _listed()
        for number in range(len(environment.cases))
    ]
    with ThreadPoolExecutor(given.jobs) as pool:
        found = pool.map(partial(_row, given), asked)
        rows = [row for row in found if row is not None]
    _write(given.page, written(rows, [one for _, _, one in _listed()]))
    return 0


def _row(given: argparse.Namespace, asked: tuple[str, int, int, Environment]) -> Row | None:
    """Return the row of one case: kept, or found if it is asked for."""
    adapter, place, number, environment = asked
    case = environment.cases[number]
    path = given.work / "rows" / environment.name / f"{number:03}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    row = _kept(path, case)
    wanted = given.only in f"{environment.name} {case.call}"
    if wanted and (row is None or given.again):
        row = found_row(adapter, place, number, environment, given.work)
        if row.case:
            _write(path, json.dumps(row.written(), indent=1, ensure_ascii=False))
        print(f"{environment.name}: {case.call}: {row.verdict or row.why}", flush=True)
    return row


def _coverage(work: Path, only: str) -> int:
    """Read the public names of libraries, and tell which have neither a row nor a reason."""
    lacking, names = [], 0
    for _, _, environment in _listed():
        if only in environment.name:
            read = read_names(environment, work)
            names += len(read)
            lacking += gaps(environment, read)
    print("\n".join([*lacking, f"{names} public names, {len(lacking)} gaps"]))
    return bool(lacking)


def _write(path: Path, text: str) -> None:
    """Write a whole file or none."""
    beside = path.with_suffix(".part")
    beside.write_text(text)
    os.replace(beside, path)


if __name__ == "__main__":
    sys.exit(main())
