"""Count how many mutants of the package the tests find: ``python -m tests.mutation --help``.

First every test is run once, and the functions that it runs are recorded (about as long as the
suite and the campaigns take).  Then each mutant is tried by tests that run its function, those
first that run little else and end soon.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tests.mutation import judged, marks
from tests.mutation.sites import KINDS, ROOT, Mutant, chosen, functions_of

if TYPE_CHECKING:
    from collections.abc import Iterator

PYTEST = (sys.executable, "-m", "pytest", "--quiet", "-p", "no:cacheprovider")
CAMPAIGN = ("-m", "campaign")
WHERE = {"suite": (), "campaign": CAMPAIGN}
"""The words of pytest that choose the tests of each."""


@click.group()
def main() -> None:
    """Count how many mutants of the package the tests find."""


def environment(root: Path, **more: str) -> dict[str, str]:
    """Return one in which every process has the package from ``root``."""
    path = os.pathsep.join(map(str, (root, root / "proofs")))
    # Two mutants of one size, made in one second, would have one compiled file.
    given = {"CI": "1", "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    return {**os.environ, **given, **more}


@main.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.argument("which", type=click.Choice(list(WHERE)))
@click.argument("words", nargs=-1)
def record(folder: Path, which: str, words: tuple[str, ...]) -> None:
    """Run the suite or the campaigns, and record in FOLDER what each test runs.

    WORDS, after --, go to pytest.
    """
    within = folder.resolve() / which
    within.mkdir(parents=True, exist_ok=True)
    paths = sorted((ROOT / "dpaudit").rglob("*.py"))
    names = [f"{path}:{name}" for path in paths for name in functions_of(path)]
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    table = within / "functions.json"
    table.write_text(json.dumps(numbers))
    shutil.copy(marks.__file__, within / "sitecustomize.py")
    given = environment(ROOT, **{marks.TABLE: str(table)})
    given["PYTHONPATH"] = f"{within}{os.pathsep}{given['PYTHONPATH']}"
    command = [*PYTEST, "-n", "auto", "-p", "tests.mutation.recorded", *WHERE[which], *words]
    sys.exit(subprocess.run(command, cwd=ROOT, env=given, check=False).returncode)


Row = tuple[str, float, list[str]]
"""A test, its seconds, and the functions that it runs: ``FILE:NAME`` from the project on."""


def recorded(folder: Path) -> Iterator[Row]:
    """Yield what was recorded of each test, in the suite and in the campaigns."""
    for within in filter(Path.exists, (folder / which for which in WHERE)):
        numbers: dict[str, int] = json.loads((within / "functions.json").read_text())
        # The checkout that was recorded may have lain elsewhere.
        names = {number: name[name.rindex("/dpaudit/") + 1 :] for name, number in numbers.items()}
        for file in within.glob("*.rows"):
            for line in file.read_text().splitlines():
                test, seconds, ran = json.loads(line)
                yield test, seconds, [names[number] for number in ran]


@cache
def collected(which: str) -> frozenset[str]:
    """Return the names of the tests that the suite or the campaigns run now."""
    command = [*PYTEST, "--collect-only", *WHERE[which]]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return frozenset(line for line in done.stdout.splitlines() if "::" in line)


def chosen_rows(
    mutants: list[Mutant], folder: Path, which: str, seconds: float
) -> list[tuple[list[str], float]]:
    """Return of each mutant the tests that are tried, in order, and the seconds they take.

    A test is of the suite or of the campaigns as it is now, wherever it was recorded.
    """
    places = [f"{mutant.file}:{mutant.function}" for mutant in mutants]
    running: dict[str, list[tuple[float, float, str]]] = {place: [] for place in places}
    for name, took, ran in recorded(folder):
        if name in collected(which):
            for place in running.keys() & ran:
                running[place].append(((0.05 + took) * len(ran), took, name))
    found = []
    for place in places:
        names, total = [], 0.0
        for _, took, name in sorted(running[place]):
            if total + took <= seconds:
                names.append(name)
                total += took
        found.append((names, total))
    return found


def run_all(
    work: list[Any], which: str, folder: Path, jobs: int, words: tuple[str, ...] = ()
) -> dict[int, str]:
    """Try every row of ``work``, by as many processes; return what became of it, by its number."""
    processes = []
    for job in range(jobs):
        copy = folder / f"copy-{job}"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(
            ROOT, copy, ignore=shutil.ignore_patterns(".git", ".venv", ".*_cache", "__pycache__")
        )
        answers = folder / f"{which}-{job}.answers"
        answers.unlink(missing_ok=True)
        todo = folder / f"{which}-{job}.json"
        todo.write_text(json.dumps({"answers": str(answers), "mutants": work[job::jobs]}))
        command = [*PYTEST, "-p", "tests.mutation.judged", *WHERE[which], *words]
        given = environment(copy, **{judged.WORK: str(todo)})
        processes.append((subprocess.Popen(command, cwd=copy, env=given), answers))
    found = {}
    for process, answers in processes:
        process.wait()
        for line in answers.read_text().splitlines():
            number, _, answer, _ = json.loads(line)
            found[number] = answer
    return found


def judge(
    mutants: dict[int, Mutant], which: str, folder: Path, seconds: float, jobs: int
) -> dict[int, str]:
    """Return what finds each mutant, where something does that passes without it."""
    listed = list(mutants.items())
    tests = chosen_rows([mutant for _, mutant in listed], folder, which, seconds)
    killed: dict[int, str] = {}
    broken: set[str] = set()
    left = list(range(len(listed)))
    while left:
        work = []
        for place in left:
            number, mutant = listed[place]
            names = [name for name in tests[place][0] if name not in broken]
            work.append((number, mutant, names, 30 + 3 * tests[place][1]))
        answers = run_all(work, which, folder, jobs)
        killed |= {number: found for number, found in answers.items() if found != judged.PASSED}
        # A test that fails here without any change finds nothing.
        killers = sorted({found for found in killed.values() if "::" in found})
        alone = [(place, None, [name], 120) for place, name in enumerate(killers)]
        again = run_all(alone, which, folder, jobs)
        now = {killers[place] for place, found in again.items() if found != judged.PASSED}
        broken |= now
        left = [place for place in left if killed.get(listed[place][0]) in now]
        for place in left:
            del killed[listed[place][0]]
    return killed


def kept(
    file: Path, mutants: dict[int, Mutant], which: str, seconds: float, jobs: int
) -> dict[int, str]:
    """Return what finds each mutant, as an earlier run wrote it, or judge them and write it."""
    if not file.exists():
        file.write_text(json.dumps(judge(mutants, which, file.parent, seconds, jobs)))
    return {int(number): found for number, found in json.loads(file.read_text()).items()}


@main.command(name="try")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--count", default=400, show_default=True, help="How many mutants.")
@click.option("--seed", default=1123, show_default=True, help="Of the choice.")
@click.option("--seconds", default=40.0, show_default=True, help="Of tests, for each mutant.")
@click.option("--jobs", default=2, show_default=True, help="Processes, each with its own copy.")
def try_them(folder: Path, count: int, seed: int, seconds: float, jobs: int) -> None:
    """Try mutants by the suite, and what it does not find by the campaigns.

    What was recorded in FOLDER tells which tests; what is found is kept there too.  Tests that were
    moved to a campaign since then are tried as campaigns, with no new record.
    """
    folder = folder.resolve()
    mutants = dict(enumerate(chosen(count, seed)))
    found = kept(folder / f"suite-{count}-{seed}", mutants, "suite", seconds, jobs)
    left = {number: mutant for number, mutant in mutants.items() if number not in found}
    more = kept(folder / f"campaign-{count}-{seed}", left, "campaign", seconds, jobs)
    table = Counter((mutant.kind, number in found) for number, mutant in mutants.items())
    click.echo("| kind | mutants | found by the suite | by a campaign alone |")
    click.echo("|---|---|---|---|")
    for kind in KINDS:
        alone = sum(mutants[number].kind == kind for number in more)
        all_of_it = table[kind, True] + table[kind, False]
        click.echo(f"| {kind} | {all_of_it} | {table[kind, True]} | {alone} |")
    for number, mutant in left.items():
        by = more.get(number, "nothing")
        click.echo(f"{by}: {mutant.shown((ROOT / mutant.file).read_bytes())}")


if __name__ == "__main__":
    main()
