"""Mutants are what they say, and are found by tests that fail of them and pass without."""

import ast
import importlib.util
import json
from functools import cache
from pathlib import Path

import pytest

from tests.mutation import judged, sites
from tests.mutation.__main__ import chosen_rows, judge, run_all
from tests.mutation.sites import KINDS, ROOT, Mutant, chosen, functions_of, mutants_of

TEXT = '''
LIMIT = 3


def first(x: "Literal[2]", y=1):
    """Says ε < 1."""
    if x is None: raise ValueError(f"{x + 4}")
    check_all(y)
    text = "≤"; return "Σ" * 2 if x < y.lower else floor(x.text.lower())


class Second:
    def third(self):
        def fourth():
            return 7
        return fourth()


def last(xs):
    if not all(x > LIMIT for x in xs): raise ValueError("a number is too small")
    return [x for x in xs]
'''


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "room" / "file.py"
    path.parent.mkdir()
    path.write_text(TEXT)
    return path


def test_what_is_changed_is_inside_of_functions_and_in_its_place(
    file: Path, tmp_path: Path
) -> None:
    content = file.read_bytes()
    shown = {mutant.shown(content) for mutant in mutants_of(file, tmp_path)}
    assert shown == {
        "room/file.py:7 first: x is None  ->  False",
        "room/file.py:7 first: x is None  ->  (x is not None)",
        "room/file.py:8 first: check_all(y)  ->  None",
        "room/file.py:9 first: 2  ->  (2 + 1)",
        "room/file.py:9 first: x < y.lower  ->  (x <= y.lower)",
        "room/file.py:9 first: y.lower  ->  y.upper",
        "room/file.py:9 first: floor  ->  ceil",
        "room/file.py:15 Second.third.fourth: 7  ->  (7 + 1)",
        "room/file.py:20 last: not all(x > LIMIT for x in xs)  ->  False",
        "room/file.py:20 last: x > LIMIT  ->  (x >= LIMIT)",
    }
    for mutant in mutants_of(file, tmp_path):
        changed = ast.parse(mutant.applied(content))
        assert ast.dump(changed) != ast.dump(ast.parse(content))
    assert functions_of(file) == ["first", "Second.third", "Second.third.fourth", "last"]


def test_the_choice_is_that_of_the_seed_and_has_as_many_of_each_kind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sites, "mutants_of", cache(mutants_of))  # the package is read once
    mutants = chosen(41, seed=2)
    assert mutants == chosen(41, seed=2) != chosen(41, seed=3)
    assert len(set(mutants)) == 41
    counts = [sum(mutant.kind == kind for mutant in mutants) for kind in KINDS]
    assert sorted(counts) == [10, 10, 10, 11]


def test_functions_that_are_loaded_get_the_changed_code(file: Path, tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("changed_here", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    second = module.Second()
    assert second.third() == 7
    (mutant,) = (one for one in mutants_of(file, tmp_path) if one.text == "(7 + 1)")
    judged._replace(file, mutant.applied(file.read_bytes()))
    assert second.third() == 8
    # A generator that is dropped with its check leaves the other functions in their places.
    with pytest.raises(ValueError, match="a number is too small"):
        module.last([0])
    (mutant,) = (
        one for one in mutants_of(file, tmp_path) if one.function == "last" and one.kind == "check"
    )
    judged._replace(file, mutant.applied(file.read_bytes()))
    assert module.last([0]) == [0]


def test_a_mutant_is_found_by_a_test_that_passes_without_it(tmp_path: Path) -> None:
    path = ROOT / "dpaudit" / "numbers" / "laurent.py"
    mutant = next(one for one in mutants_of(path) if one.function == "_logarithm")
    test = "tests/numbers/test_laurent.py"
    names = [
        f"{test}::test_the_logarithm_of_a_ratio_is_that_of_the_quotient",
        f"{test}::test_no_such_test",
    ]
    work = [(0, mutant, names, 60), (1, None, names, 60), (2, mutant, [], 60)]
    found = run_all(work, "suite", tmp_path, 1, (test,))
    assert found == {0: names[0], 1: judged.PASSED, 2: judged.PASSED}
    assert path.read_bytes() == (tmp_path / "copy-0" / path.relative_to(ROOT)).read_bytes()


def record(folder: Path, which: str, functions: list[str], rows: list[list[object]]) -> None:
    """Write a record: each row has a test, its seconds, and the numbers of its functions."""
    (folder / which).mkdir(parents=True)
    table = {name: number for number, name in enumerate(functions)}
    (folder / which / "functions.json").write_text(json.dumps(table))
    (folder / which / "a.rows").write_text("\n".join(map(json.dumps, rows)))


def test_a_test_is_tried_where_it_belongs_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mutants = chosen(4, seed=1)
    functions = [f"/elsewhere/project/{mutant.file}:{mutant.function}" for mutant in mutants]
    rows = [["t.py::slow", 9.0, [0]], ["t.py::stays", 0.1, [0, 1]], ["t.py::moved", 0.2, [0]]]
    record(tmp_path, "suite", functions, rows)
    record(tmp_path, "campaign", functions[::-1], [["t.py::long", 1.0, [3]]])
    now = {"suite": {"t.py::stays"}, "campaign": {"t.py::slow", "t.py::moved", "t.py::long"}}
    monkeypatch.setattr("tests.mutation.__main__.collected", now.__getitem__)
    assert chosen_rows(mutants[:1], tmp_path, "suite", 40) == [(["t.py::stays"], 0.1)]
    assert chosen_rows(mutants[:1], tmp_path, "campaign", 5) == [
        (["t.py::moved", "t.py::long"], 1.2)
    ]
    assert chosen_rows(mutants[1:2], tmp_path, "campaign", 40) == [([], 0.0)]


def test_a_test_that_fails_without_a_change_finds_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mutants = dict(enumerate(chosen(4, seed=1)))
    names = [f"{ROOT / mutant.file}:{mutant.function}" for mutant in mutants.values()]
    rows: list[list[object]] = [["t.py::breaks", 0.1, [0, 1, 2, 3]], ["t.py::finds", 9.0, [1]]]
    record(tmp_path, "suite", names, rows)

    def fake(work: list[tuple[int, Mutant | None, list[str], float]], *_: object) -> dict[int, str]:
        """Tell of tests of which one always fails, and one finds every mutant that it runs."""
        return {
            number: "t.py::breaks"
            if "t.py::breaks" in tests
            else "t.py::finds"
            if tests and mutant is not None
            else judged.PASSED
            for number, mutant, tests, _ in work
        }

    monkeypatch.setattr("tests.mutation.__main__.run_all", fake)
    now = {"t.py::breaks", "t.py::finds"}
    monkeypatch.setattr("tests.mutation.__main__.collected", lambda which: now)
    assert judge(mutants, "suite", tmp_path, 40, 1) == {1: "t.py::finds"}
