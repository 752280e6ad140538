"""Running one process: wall time, peak memory and what it printed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["ROOT", "Run", "beside", "fastest", "run"]

ROOT = Path(__file__).resolve().parent.parent.parent


@dataclass(frozen=True)
class Run:
    """One process, from its start to its end."""

    wall: float
    """Seconds from the start of the interpreter to its exit, imports included."""
    peak: float
    """The largest resident set of the process, and of any it waited for, in MiB."""
    report: dict[str, Any] = field(default_factory=dict)
    """What it printed, where that is JSON; ``compute`` holds the seconds after its imports."""
    processor: float = 0.0
    """Seconds of processors that it took, and any it waited for."""

    @property
    def compute(self) -> float | None:
        """The seconds spent after the imports, where the process says."""
        found = self.report.get("compute")
        return None if found is None else float(found)


def run(arguments: Sequence[str], folder: Path = ROOT, *, most: float | None = None) -> Run:
    """Run ``python -m`` with ``arguments`` in ``folder``; ``RuntimeError`` if it fails.

    Arguments that begin with an option are those of ``python`` itself.  It fails after ``most``
    seconds.  It runs compiled modules, as an installed package does, also where the environment
    asks for none to be written.
    """
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, *([] if arguments[0].startswith("-") else ["-m"]), *arguments],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    clock = threading.Timer(most or threading.TIMEOUT_MAX, process.kill)
    clock.daemon = True
    clock.start()
    with process.stdout as stream:
        printed = stream.read()
    _, status, usage = os.wait4(process.pid, 0)
    clock.cancel()
    wall = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(arguments)} ended with {process.returncode}")
    report = json.loads(printed) if printed.startswith("{") else {}
    return Run(wall, usage.ru_maxrss / 1024, report, usage.ru_utime + usage.ru_stime)


def fastest(runs: Sequence[Run]) -> Run:
    """Return the least wall time, compute time and peak of ``runs``; the fastest one's report.

    Other processes only ever add to a time, so the least is nearest to what the work takes.
    """
    computes = [run.compute for run in runs if run.compute is not None]
    report = dict(min(runs, key=lambda run: run.wall).report)
    if computes:
        report["compute"] = min(computes)
    wall, peak, processor = (
        min(getattr(run, name) for run in runs) for name in ("wall", "peak", "processor")
    )
    return Run(wall, peak, report, processor)


def beside(ours: Sequence[str], plain: Sequence[str], rounds: int) -> tuple[Run, Run]:
    """Return the least runs of ``dpaudit``, in an empty folder, and of a script, in turn."""
    with TemporaryDirectory() as folder:
        runs = [(run(["dpaudit", *ours], Path(folder)), run(plain)) for _ in range(rounds)]
    return fastest([one for one, _ in runs]), fastest([other for _, other in runs])
