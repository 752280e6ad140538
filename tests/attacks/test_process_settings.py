"""Settings of the process: a program that sets them changes no figure, and keeps nothing set.

Decimals, NumPy's errors and warnings are set by modules that work with money or with arrays.  What
dpaudit computes must not round, or fail, as they say; and a call that sets them for the next one
has no law of its own.
"""

import decimal
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import flint
import mpmath
import numpy as np
import pytest

import dpaudit
from dpaudit.errors import LawError, LoadError
from dpaudit.programs.guarding.process_settings import ProcessSettings
from tests.golden.compare import differences
from tests.golden.corpus import outcome, recorded, workplace


@contextmanager
def hostile() -> Iterator[None]:
    """Set what can be set, as badly as it can be."""
    before, mp_digits, bits = ProcessSettings(), mpmath.mp.dps, flint.ctx.prec
    every = list(decimal.getcontext().traps)
    decimal.setcontext(
        decimal.Context(1, decimal.ROUND_UP, -2, 2, 1, 1, [], every)  # each rounding is an error
    )
    np.seterr(all="raise")
    mpmath.mp.dps, flint.ctx.prec = 2, 4
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            yield
    finally:
        mpmath.mp.dps, flint.ctx.prec = mp_digits, bits
        before.restore()


def _some(words: list[str]) -> list[str]:
    """Return one recorded command line of each command, and of each option among these."""
    seen: set[str] = set()
    chosen = []
    for line in recorded():
        new = {line.split()[0], *(word for word in words if word in line)} - seen
        if new:
            seen |= new
            chosen.append(line)
    return chosen


_GOLDEN = _some(["--solve", "--at-delta", "markdown", "csv", "html", "--eps-range", "--curve"])


@pytest.mark.wrong_on_purpose
@pytest.mark.parametrize("command", _GOLDEN)
def test_no_setting_of_the_process_changes_a_figure(command: str) -> None:
    with workplace() as folder, hostile():
        found = outcome(command, folder)
    assert not differences(recorded()[command], found)


def test_an_enclosure_is_as_wide_as_before() -> None:
    value = dpaudit.check("EHDS", 12).results[0].epsilon
    before = value.width, value.midpoint, value.texts(), value.rounded(5), value.without_noise(9)
    with hostile():
        again = value.width, value.midpoint, value.texts(), value.rounded(5), value.without_noise(9)
    assert again == before


_SET = {
    "decimal's rounding": "decimal.getcontext().rounding = decimal.ROUND_UP",
    "decimal's traps": "decimal.getcontext().traps[decimal.Inexact] = True",
    "decimal's context": "decimal.setcontext(decimal.Context(prec=3))",
    "numpy's errors": "np.seterr(divide='raise')",
    "numpy's printing": "np.set_printoptions(precision=2)",
    "warnings": "warnings.filterwarnings('ignore', 'no such message')",
    "recursion": "sys.setrecursionlimit(sys.getrecursionlimit() + 7)",
}

_PROGRAM = """
import decimal, random, sys, warnings
import numpy as np

def state():
    context = decimal.getcontext()
    return (context.prec, context.rounding, context.traps[decimal.Inexact], np.geterr()['divide'],
            np.get_printoptions()['precision'], len(warnings.filters), sys.getrecursionlimit())

FIRST = state()

def f(x):
    u = random.random() < 0.5
    if x == 1:
        {set}
    return int(u) if x != 2 or state() == FIRST else 1
"""


@pytest.mark.parametrize("name", _SET)
def test_a_setting_that_a_call_leaves_is_state(name: str, tmp_path: Path) -> None:
    path = tmp_path / "sets_something.py"
    path.write_text(_PROGRAM.format(set=_SET[name]))
    before = ProcessSettings()
    with pytest.raises(LawError, match=r"an earlier call|every call changes"):
        dpaudit.check(f"{path}:f", inputs="0..2", neighbours="all", budget="2", only="as-run")
    assert before.changed() is None
    assert sys.getrecursionlimit() < 100_000


def test_a_file_that_leaves_the_working_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "apart").mkdir()
    path = tmp_path / "sets_folder.py"
    path.write_text(f"import os\nos.chdir({str(tmp_path / 'apart')!r})\ndef f(x): return x\n")
    before = Path.cwd()
    with pytest.raises(LoadError, match="changes the working directory"):
        dpaudit.check(f"{path}:f", inputs="0,1", budget="2")
    assert Path.cwd() == before
