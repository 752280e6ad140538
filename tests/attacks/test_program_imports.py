"""Programs whose law depends on how, or how often, their modules are imported."""

import textwrap
from pathlib import Path
from typing import Any

import pytest

import dpaudit
from dpaudit.errors import LawError
from dpaudit.programs.output_laws.other_process import accept, derived_at

LINES = """
    from itertools import product
    from dpaudit import program

    @program(datasets=lambda n: product((-1, 0, 1), repeat=n), neighbours="unit-moves", budget=1)
    def counted(queries, random):
"""


def written(folder: Path, body: str, before: str = "", **others: str) -> Any:
    """Return a program in a file of its own, beside other modules."""
    for name, text in others.items():
        (folder / f"{name}.py").write_text(textwrap.dedent(text))
    program = textwrap.dedent(LINES) + textwrap.indent(textwrap.dedent(body).strip(), "    ")
    (folder / "held.py").write_text(f"{textwrap.dedent(before)}{program}\n")
    return dpaudit.mechanism(f"{folder / 'held.py'}:counted")


NOISY = "return max(-2, min(2, sum(queries) + random.discrete_laplace(LOOSE)))"
AT_IMPORT = """
    from pathlib import Path
    marks = Path(__file__).with_name("marks")
    marks.write_text((marks.read_text() if marks.exists() else "") + "x")
    LOOSE = 1 + {times}
"""


def test_laws_derived_by_workers_are_those_derived_here(tmp_path: Path) -> None:
    one = written(tmp_path, NOISY, "LOOSE = 2")
    alone, shared = (dpaudit.check(one, n=3, jobs=jobs).rendered("json") for jobs in (1, 2))
    assert alone == shared


def test_a_worker_that_imports_another_law_is_refused(tmp_path: Path) -> None:
    one = written(tmp_path, NOISY, AT_IMPORT.format(times="len(marks.read_text())"))
    with pytest.raises(LawError, match="another process derived a different"):
        dpaudit.check(one, n=3, jobs=2)


def test_an_import_that_does_something_and_changes_nothing_is_no_fault(tmp_path: Path) -> None:
    one = written(tmp_path, NOISY, AT_IMPORT.format(times="0 * len(marks.read_text())"))
    assert dpaudit.check(one, n=3, jobs=2).results[0].pairs_covered


@pytest.mark.parametrize(
    ("drawn", "reason"),
    [
        ("import os; VALUE = os.urandom(1)[0]", r"os\.urandom"),
        ("import random; VALUE = random.random()", r"random\.random|own generator"),
        ("import time; VALUE = time.time_ns()", r"time\.time_ns"),
    ],
)
def test_a_module_that_draws_while_it_is_imported_is_refused(
    drawn: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    name = f"drawn_{abs(hash(drawn))}"
    body = f"import {name}\nreturn queries[0] if {name}.VALUE % 2 else 0"
    one = written(tmp_path, body, **{name: drawn})
    with pytest.raises(LawError, match=reason):
        dpaudit.check(one, n=1)


def test_a_module_that_is_imported_anew_by_each_run_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    body = """
        import importlib, anew_each_time
        runs = anew_each_time.RUNS
        importlib.reload(anew_each_time)
        return queries[0] if runs > 7 else random.bernoulli("1/2")
    """
    anew = "RUNS = globals().get('RUNS', 0) + 1"
    one = written(tmp_path, body, anew_each_time=anew)
    with pytest.raises(LawError, match=r"same|changes|again|differently"):
        dpaudit.check(one, n=1)


def test_what_a_worker_sends_is_held_against_what_is_found_here(tmp_path: Path) -> None:
    def explorer(loose: int) -> Any:
        folder = tmp_path / str(loose)
        folder.mkdir(exist_ok=True)
        return written(folder, NOISY, f"LOOSE = {loose}").explorer

    datasets = [(0,), (1,)]
    sent = [derived_at(explorer(3), one) for one in datasets]
    here = explorer(3)
    accept("counted", here, datasets, sent)
    assert set(here.explored) == set(datasets)
    with pytest.raises(LawError, match=r"different output distribution"):
        accept("counted", explorer(2), datasets, sent)
    with pytest.raises(LawError, match=r"1 output distributions for 2"):
        accept("counted", explorer(3), datasets, sent[:1])


def test_an_output_that_is_itself_alone_is_not_sent(tmp_path: Path) -> None:
    one = written(tmp_path, "return MARK if random.bernoulli('1/2') else 0", "MARK = object")
    assert derived_at(one.explorer, (0,)) is None
