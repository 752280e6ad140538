"""What commands are estimated to take, held against what they really take.

``python -m tests.estimates [WORDS]`` runs the command lines below that contain all the words, each
in a process of its own, and prints what was predicted, what was measured and the ratio.  Measured
is the most that its processes together had in memory: the peak of each (``VmHWM``), added up.
Predicted is what the command itself asked :func:`dpaudit.machine.require` for.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
import time
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dpaudit import machine
from dpaudit.audit import processes

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["COMMANDS", "REFUSED", "Taken", "main", "measured"]

MEGABYTE = 1 << 20
LARGE = 200 * MEGABYTE
"""Above it a prediction is to be within a factor of two."""

ROOT = Path(__file__).resolve().parent.parent
_TOLD = "DPAUDIT_TESTS_REQUIRED"
_POLL = 0.02

OWN = '''
from fractions import Fraction

from dpaudit import sampler

class Wide:
    """One of m outputs, of hundreds of different probabilities."""

    budget, neighbours = 3, "all"

    def __init__(self, m: int = 1000):
        self.m = int(m)

    def datasets(self, n):
        return list(range(n))

    def law(self, x):
        weights = [1000 + (x * 7919 + r * 104729) % 997 for r in range(self.m)]
        total = sum(weights)
        return {r: Fraction(weight, total) for r, weight in enumerate(weights)}


class Flat(Wide):
    """One of m outputs, one of them likelier by half than the others."""

    def law(self, x):
        least = Fraction(2, 2 * self.m + 1)
        return {r: least * 3 / 2 if r == x % self.m else least for r in range(self.m)}


class Growing(Wide):
    """Few outputs at first, and then many."""

    def law(self, x):
        m = 2 if x == 0 else self.m
        return {r: Fraction(1, m) for r in range(m)}


class Bits(Wide):
    """Two outputs, and 2^n datasets."""

    neighbours = "one-entry"

    def datasets(self, n):
        return [format(number, f"0{n}b") for number in range(2**n)]

    def law(self, x):
        return {"0": Fraction(1 + int(x[0]), 3), "1": Fraction(2 - int(x[0]), 3)}


@sampler(datasets=range(20), neighbours="all", budget=9)
def words(dataset, size, rng):
    """Draw texts of 200 letters."""
    return ["x" * 191 + str(10**9 + number) for number in rng.integers(10**9, size=size)]
'''
GATE = """
[[mechanism]]
mechanism = "EHDS"
n = 12
parameters = { prior = [1, 1, 1, 1, 1, 1, 1, 1] }
"""

COMMANDS = """
check EHDS --k 7 --n 18 --jobs 1
check EHDS --k 7 --n 16 --jobs 1
check EHDS --k 6 --n 22 --jobs 1
check EHDS --k 8 --n 12 --jobs 1
check EHDS --k 10 --n 9 --jobs 1
check EHDS --k 12 --n 7 --jobs 1
check EHD --k 10 --n 9 --jobs 1
check EHDS --k 3 --n 700 --at 233,233,234
check EHDS --k 4 --n 100 --at 25,25,25,25
check EHDS --n 200000 --at 100000,100000 --jobs 1
check MH --k 3 --n 600 --at uniform
check EHDS --k 7 --n 15,16 --jobs 2
check EHDL --k 7 --n 16 --jobs 1
check EHDL --divisor 1 --k 10 --n 9 --jobs 1
check EHDS --prior 1,1,1,1,1,1,2 --n 15 --jobs 1
check EHDS --prior 1/2,1/2,1/2,1/2,1/2,1/2,1/2,1/2 --n 12 --jobs 1
check EHDS --k 8 --n 12 --jobs 1 --digits 40
check EHDS --k 8 --n 12 --notion pure --jobs 1
check EHDS --k 8 --n 12 --notion approximate --budget 1,1/100 --jobs 1
check EHDS --n 1500 --engine ball --jobs 1
check EHDL --n 1500 --engine ball --jobs 1
check EHDS --n 1000 --notion kl --jobs 1
check EHDS --n 1500 --notion tv --jobs 1
check EHDS --n 300 --notion gdp --budget 1 --jobs 1
check EHDS --n 1000 --notion renyi --order 2 --jobs 1
check EHDL --n 500 --notion zcdp --budget 1 --jobs 1
check own.py:Wide --set m=1500 --n 200 --jobs 1
check own.py:Flat --set m=8000 --n 500 --jobs 1
check own.py:Bits --n 15 --jobs 1
check own.py:Wide --set m=1500 --n 200 --notion kl --jobs 1
curve EHDS --k 8 --n 12 --jobs 1
curve EHDL --k 10 --n 9 --jobs 1
curve own.py:Wide --set m=3000 --n 60 --jobs 1
tradeoff EHDS --n 1000 --jobs 1
tradeoff EHDL --n 500 --jobs 1
tradeoff own.py:Wide --set m=3000 --n 60 --jobs 1
calibrate EHDS --k 12 --n 7 --jobs 1 --tolerance 1/10
calibrate EHDL --k 12 --n 7 --jobs 1 --tolerance 1/10
account EHDS --k 8 --n 12 --no-estimates
account EHDS --n 20 --compose 2
account LSHist --n 20 --compose 10 --discretisation 1e-5
account EHDS --n 400 --at-eps 1
account Laplace --scale 10 --compose 1000 --at-delta 1e-10 --width 1e-6
account RR --compose 100000000 --at-delta 1e-10
account Gaussian --sigma 1 --sample-rate 1/1000 --compose 10000 --at-delta 1e-10 --direction add
sample own.py:words --draws 5e5
accuracy EHDS --at 200,200,200 --equal nominal
accuracy EHDL --at 30,30,30,30 --equal nominal
accuracy LSDim --at 150,150,150 --equal nominal --metric l1
accuracy EHD --at 170,170,170 --digits 40 --equal nominal
hunt EHDS --k 8 --over n=11,12 --evaluations 2
gate --jobs 1
reproduce --jobs 1
prove --jobs 1
verify < check EHDS --k 3 --n 500 --at 166,167,167
verify --own own.py:Wide < check own.py:Wide --set m=150000 --n 2
verify --own own.py:Wide < curve own.py:Wide --set m=20000 --n 3
verify --all-pairs --time-cap 60 --own own.py:Wide < check own.py:Wide --set m=2 --n 1500
""".strip().splitlines()
"""Those that take long and much."""

FEW = """
check EHDS --k 7 --n 16 --jobs 1
check EHDS --n 1000 --engine ball --jobs 1
check own.py:Wide --set m=2000 --n 300 --jobs 1
accuracy EHDS --at 60,60,60 --equal nominal
""".strip().splitlines()
"""A few for the suite."""

REFUSED = """
check EHDS --prior 1,1,1,1,1 --n 200
check EHDS --n 1..10000000
check EHDS MH --k 6 --n 10..400
check EHDS --n 400000 --engine ball
check EHDS --n 5000000 --notion renyi --order 3
check EHDS --k 5 --n 300 --jobs 4
check EHDS --k 4 --n 2000 --at 500,500,500,500
curve EHDS --k 6 --n 300
tradeoff EHDS --k 6 --n 300
calibrate EHDS --k 6 --n 300
account EHDS --k 6 --n 300
accuracy EHDS --k 6 --at 60,60,60,60,60,60
hunt EHDS --k 6 --over n=300..400
check EHDS --k 7 --n 20 --memory-cap 300
curve EHDS --k 8 --n 13 --memory-cap 256
tradeoff EHDS --n 3000 --memory-cap 300
calibrate EHDS --k 8 --n 14 --memory-cap 256
account EHDS --k 8 --n 14 --memory-cap 256
account LSHist --n 10 --compose 20 --discretisation 1e-8
account EHDS --k 6 --n 300 --compose 10 --at-delta 1e-5
account EHDS --n 1000 --compose 100 --at-delta 1e-10 --memory-cap 512
account EHDS --n 2 --compose 100 --at-delta 1e-10 --width 1e-11 --memory-cap 256
account Laplace --scale 10 --compose 1000 --at-delta 1e-10 --width 1e-10 --memory-cap 256
account Gaussian --sigma 1 --sample-rate 1/100 --compose 60 --at-eps 2 --width 1e-9 --memory-cap 512
account own.py:Wide --set m=2000 --n 200 --compose 3 --at-delta 1e-5 --memory-cap 256
accuracy EHDS --at 300,300,300 --equal nominal --memory-cap 256
hunt EHDS --k 8 --over n=14,15 --memory-cap 256
reproduce --jobs 4 --memory-cap 256
check own.py:Wide --set m=3000 --n 2000 --memory-cap 256
sample own.py:words --draws 1e6 --memory-cap 256
verify --all-pairs --memory-cap 256 < check EHDS --k 6 --n 18
""".strip().splitlines()
"""Those that no machine has the memory for, or that are not allowed it."""


@dataclass(frozen=True)
class Taken:
    """What a command line took."""

    predicted: int
    """The most bytes that it was estimated to take."""
    peak: int
    """The most bytes that its processes had, each at its own peak."""
    seconds: float
    processor: float
    """Seconds of the processor, of it and all it waited for."""
    code: int
    errors: str

    @property
    def ratio(self) -> float:
        """Predicted over measured."""
        return self.predicted / max(self.peak, 1)


def measured(line: str, folder: Path) -> Taken:
    """Run a command line in ``folder`` and return what it took.

    ``verify < command`` is about the report of the command, which is made first.
    """
    (folder / "own.py").write_text(OWN)
    (folder / "dpaudit.toml").write_text(GATE)
    told = folder / "required"
    told.write_text("")
    plotted = {"check", "curve", "tradeoff", "calibrate", "accuracy", "hunt"}
    words, report = (shlex.split(part) for part in line.partition("<")[::2])
    if report:
        made = [*report, "--no-plot", "--format", "json", "--output", "report.json"]
        subprocess.run([sys.executable, "-m", "dpaudit", *made], cwd=folder, check=False)
        words += ["report.json"]
    words += ["--no-plot"] if words[0] in plotted else []
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.estimates", "--run", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), _TOLD: str(told)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    peaks: dict[int, int] = {}
    while _alive(process.pid):
        for pid in _tree(process.pid):
            peaks[pid] = max(peaks.get(pid, 0), _peak_of(pid))
        time.sleep(_POLL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.stderr is not None
    with process.stderr as stream:
        errors = stream.read()
    lines = told.read_text().splitlines()
    required = [int(line) for line in lines if line.isdecimal()]
    peaks[process.pid] = max(
        [peaks.get(process.pid, 0), *(int(line[1:]) for line in lines if line.startswith("="))]
    )
    return Taken(
        predicted=max(required, default=0),
        peak=sum(peaks.values()),
        seconds=time.perf_counter() - began,
        processor=usage.ru_utime + usage.ru_stime,
        code=process.returncode,
        errors=errors,
    )


def _alive(pid: int) -> bool:
    peek = os.WEXITED | os.WNOHANG | os.WNOWAIT
    return os.waitid(os.P_PID, pid, peek) is None


def _tree(pid: int) -> list[int]:
    found, waiting = [], [pid]
    while waiting:
        found.append(waiting.pop())
        with suppress(OSError):
            for listed in Path(f"/proc/{found[-1]}/task").glob("*/children"):
                waiting += map(int, listed.read_text().split())
    return found


def _peak_of(pid: int) -> int:
    """Return the peak of a process; 0 of one that is to have a program of its own still."""
    with suppress(OSError, ValueError):
        own = pid == os.getpid()
        here, there = (Path(f"/proc/{one}/cmdline").read_bytes() for one in ("self", pid))
        if here == there and not own:
            return 0
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) << 10
    return 0


def _telling(path: Path) -> None:
    """Have whatever is required in this process written down, and in those that it starts."""
    required = machine.require

    def told(needed: int, *others: object) -> None:
        with path.open("a") as file:
            file.write(f"{needed}\n")
        required(needed, *others)  # type: ignore[arg-type]

    machine.require = told  # type: ignore[assignment]
    processes._without_main = nullcontext  # type: ignore[assignment]  # they import this as well


def main(words: Sequence[str]) -> int:
    """Run the command lines that contain all ``words``; 1 where a prediction is far off."""
    chosen = [line for line in COMMANDS if all(word in line.split() for word in words)]
    print(f"{'predicted':>10} {'measured':>10} {'ratio':>6} {'time':>7}  command", flush=True)
    off = 0
    with tempfile.TemporaryDirectory() as folder:
        for line in chosen:
            taken = measured(line, Path(folder))
            large = max(taken.predicted, taken.peak) > LARGE
            failed = taken.code not in (0, 1, 3)
            wrong = failed or (large and not 0.5 <= taken.ratio <= 2)
            off += wrong
            print(
                f"{machine.amount(taken.predicted):>10} {machine.amount(taken.peak):>10} "
                f"{taken.ratio:6.2f} {taken.seconds:6.1f}s  {line}"
                f"{f'  (exit code {taken.code})' if failed else ''}"
                f"{'  OFF' if wrong else ''}",
                flush=True,
            )
    print(f"{len(chosen)} command lines, {off} off by more than a factor of two above 200 MB")
    return 1 if off else 0


if _TOLD in os.environ:  # in the process of a command, and in every one that it starts
    _telling(Path(os.environ[_TOLD]))

if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"]:
        from dpaudit.cli.main import invoke

        try:
            sys.exit(invoke(sys.argv[2:]))
        finally:
            with Path(os.environ[_TOLD]).open("a") as file:
                file.write(f"={_peak_of(os.getpid())}\n")
    sys.exit(main(sys.argv[1:]))
