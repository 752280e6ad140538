"""The README's two commands on another processor: ``python -m tests.attacks.processors``.

Runs the main job and the tests with other last digits wherever a float is not IEEE 754's own: what
dp-accounting answers, and exp, log, expm1, log1p and pow of the C library, that NumPy and SciPy use
too once NumPy's own vector code is switched off.  The report of the main job must be the same to
the byte, and every test must pass.  Exit code 1 if anything differs.

A certified bound may rest on + − × ÷ √ alone, whose last digits are the same everywhere.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy

__all__ = ["main", "perturbation"]

_HERE = Path(__file__).resolve().parent
_ROOT = _HERE.parent.parent
_MAIN_JOB = ("dpaudit", "check", "EHDS", "--n", "10..180", "--no-plot")
_PROBE = (
    "import math, numpy; "
    "print(math.exp(0.7).hex(), *(float(x).hex() for x in numpy.exp(numpy.arange(1, 9) / 7)))"
)


def perturbation(folder: Path) -> dict[str, str]:
    """Return the environment of a process with other last digits; ``folder`` is for the shim.

    Without a C compiler the C library stays as it is.
    """
    found = {
        "DPAUDIT_PERTURBED": "1",
        "PYTHONPATH": os.pathsep.join([str(_HERE / "perturbed"), *_inherited("PYTHONPATH")]),
    }
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is not None:
        shim = folder / "libm-perturbed.so"
        source = str(_HERE / "perturbed" / "libm.c")
        flags = ["-O2", "-fno-builtin", "-ffp-contract=off", "-shared", "-fPIC"]
        subprocess.run([compiler, *flags, "-o", str(shim), source, "-ldl"], check=True)
        found["LD_PRELOAD"] = os.pathsep.join([str(shim), *_inherited("LD_PRELOAD")])
        found["NPY_DISABLE_CPU_FEATURES"] = " ".join(_switched_off())
    return found


def _inherited(name: str) -> list[str]:
    return [os.environ[name]] if os.environ.get(name) else []


def _switched_off() -> list[str]:
    """Return the vector code that this NumPy has, and would use on this processor."""
    found: Any = numpy.show_config(mode="dicts")
    return list(found["SIMD Extensions"].get("found", ()))


def _run(command: list[str], extra: dict[str, str]) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, **extra}
    return subprocess.run(command, cwd=_ROOT, env=environment, capture_output=True, check=False)


def main(arguments: list[str] | None = None) -> int:
    """Run both commands; return 0 if nothing differs, else 1."""
    parser = argparse.ArgumentParser(prog="python -m tests.attacks.processors")
    parser.add_argument("tests", nargs="*", help="only these tests; default: all")
    parser.add_argument("--workers", default="auto", help="pytest-xdist workers")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        extra = perturbation(Path(folder))
        plain = [_run([sys.executable, "-c", _PROBE], e).stdout.split() for e in ({}, extra)]
        changed = [a != b for a, b in zip(*plain, strict=True)]
        if "LD_PRELOAD" not in extra:
            print("no C compiler: the C library is not perturbed")
        elif not changed[0] or not any(changed[1:]):
            print("the perturbation does not reach exp of the C library and of NumPy")
            return 1
        return _both(extra, given.tests, given.workers)


def _both(extra: dict[str, str], tests: list[str], workers: str) -> int:
    job = [str(Path(sys.executable).parent / _MAIN_JOB[0]), *_MAIN_JOB[1:]]
    same = True
    for form in ("text", "json"):
        for engine in ("screen", "ball"):
            command = [*job, "--format", form, "--engine", engine]
            before, after = _run(command, {}), _run(command, extra)
            agrees = (before.returncode, before.stdout) == (after.returncode, after.stdout)
            same = same and agrees and before.returncode == 0
            print(f"{'same' if agrees else 'DIFFERENT'}: {' '.join(command[1:])}", flush=True)
    suite = [sys.executable, "-m", "pytest", "--quiet", "-n", workers, *tests]
    code = subprocess.run(suite, cwd=_ROOT, env={**os.environ, **extra}, check=False).returncode
    print(f"{'green' if code == 0 else 'RED'}: the tests, with other last digits")
    return 0 if same and code == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
