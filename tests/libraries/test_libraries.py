"""The audits of libraries: a part of them, and that rows are kept and read as they were found."""

import json
import math
import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.libraries import __main__ as command
from tests.libraries import audited as audited_module
from tests.libraries import environments, pure_ldp
from tests.libraries.audited import audited
from tests.libraries.cases import Case, Environment, Row, without_places
from tests.libraries.coverage import gaps, kept_names
from tests.libraries.names import public_names
from tests.libraries.page import written
from tests.untested import refusal

HERE = Environment("here", "0", ())


def digits(interval: str) -> float:
    """Return the digits that both ends of an interval share."""
    found = re.match(r"\d+\.\d+", interval)
    assert found is not None, interval
    return float(found.group())


def test_a_kept_budget_and_a_broken_one_are_told_apart() -> None:
    setup = "import random"
    call = "x ^ (random.random() >= {})"
    kept = audited(HERE, Case(call.format("3 / 4"), "ln(3)", (0, 1), setup))
    broken = audited(HERE, Case(call.format("4 / 5"), "ln(3)", (0, 1), setup))
    grain = audited(HERE, Case(call.format("3 / 4"), "1.0986122886681", (0, 1), setup))
    assert (kept.how, kept.verdict, kept.epsilon) == ("as run", "within", "ln(3) exactly")
    assert (broken.how, broken.verdict) == ("as run", "exceeds")
    assert digits(broken.epsilon) == pytest.approx(math.log(4))
    assert (grain.how, grain.verdict) == ("as run", "granularity")
    assert kept.script == grain.script == ""
    assert "dpaudit" not in broken.script
    assert "for x in (" in broken.script


def test_what_is_not_followed_is_drawn_from_and_says_why() -> None:
    row = audited(
        HERE,
        Case("x + random.gauss(0, 1)", "1, 1/10", (0.0, 1.0), "import random", draws=2_000),
    )
    assert row.how == "sampled"
    assert row.verdict in {"not refuted", "too few draws"}
    assert row.why


def test_an_answer_without_randomness_exceeds_and_one_that_is_always_the_same_is_vacuous() -> None:
    told = audited(HERE, Case("x", "1", (0, 1)))
    same = audited(HERE, Case("x - x", "1", (0, 1)))
    assert (told.how, told.verdict, told.delta) == ("as run", "exceeds", "1 exactly")
    assert (same.how, same.verdict) == ("as run", "vacuous")


def test_what_a_call_raises_is_told_without_places() -> None:
    row = audited(HERE, Case("int(object)", "1", (0, 1)))
    kept = without_places("at 0x7fb10c376ef0 in /tmp/a.py: no")
    assert row.why.startswith("it raises TypeError: int() argument")
    assert kept == "at … in … no"


def test_what_is_read_is_a_violation_that_its_lines_show() -> None:
    shown = audited(HERE, Case("f(…)", "1", (), how="read", note="a seed", show="print(1)"))
    assert (shown.verdict, shown.script, shown.event) == ("exceeds", "print(1)", "a seed")
    page = written([shown], [HERE])
    assert "**exceeds** [1] | a seed |" in page
    assert "\n\na seed\n\n```text\nprint(1)\n```" in page


@pytest.mark.parametrize(
    ("call", "verdict", "words"),
    [
        ("(x + random.random()) - x", "granularity", "the number of last bits that are 0"),
        ("min(1.0, max(0.0, random.gauss(2 * x, 1)))", "exceeds", "in single precision, the"),
    ],
    ids=["the grain of floats", "an atom of a clipped law"],
)
def test_only_the_grain_of_floats_is_called_so(call: str, verdict: str, words: str) -> None:
    """Atoms of a law have last bits of their own: what they tell is not granularity."""
    row = audited(HERE, Case(call, "1/2", (0.0, 1.0), "import random", "sampled", draws=10_000))
    assert (row.how, row.verdict) == ("sampled", verdict)
    assert words in row.event


def test_what_makes_no_draw_is_called_once_and_all_else_at_every_draw() -> None:
    case = Case(
        "sum(make_bit()) + make_bit()[0] * 2 + make_other(x)[0] * 4 + coin() * 8", "1", (0, 1),
        "import random\ndef make_bit():\n    return [random.getrandbits(1)]\n"
        "def make_other(x):\n    return [random.getrandbits(1)]\n"
        "def coin():\n    return random.getrandbits(1)\n",
    )  # fmt: skip
    once = audited_module.function_of(case, ("make_",))
    anew = audited_module.function_of(case)
    assert len({once(0) % 4 for _ in range(200)}) == 1
    assert len({once(0) for _ in range(200)}) == 4
    assert len({anew(0) for _ in range(1000)}) == 16


def test_names_without_a_row_or_a_reason_are_gaps_and_so_are_reasons_without_a_name() -> None:
    case = Case("made(x)", "1", (0, 1), "from a import imported\nmade = lambda x: other(x)")
    environment = Environment("a", "1", (case,), package="a", without={"a.b.*": "why", "a.z": "?"})
    names = ["a.made", "a.other", "a.b.c", "a.imported"]
    assert gaps(environment, names) == [
        "a-1: a.imported has no row and no reason",
        "a-1: a.z is the reason of no name",
    ]
    assert "* a 1, `b.*`: why" in written([], [environment])


def test_public_names_are_those_a_package_defines_each_once() -> None:
    found = public_names("dpaudit")
    assert "dpaudit.errors.LawError" in found
    assert len({name.rpartition(".")[2] for name in found if name.endswith(".LawError")}) == 1
    assert not [name for name in found if "._" in name or name.startswith("numpy")]


@pytest.mark.parametrize(
    "environment", [one for _, _, one in command._listed()], ids=lambda one: one.name
)
def test_every_public_name_of_a_library_has_a_row_or_a_reason(environment: Environment) -> None:
    assert gaps(environment, kept_names(environment)) == []


def test_a_library_alone_is_installed_without_what_it_asks_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[list[str]] = []
    (tmp_path / "a-1" / "lib" / "python3" / "site-packages").mkdir(parents=True)
    monkeypatch.setattr(environments, "_called", called.append)
    environments.made(Environment("a", "1", (), ("b==2",), bare=True, numpy="3"), tmp_path)
    _, alone, rest = called
    assert alone[-2:] == ["--no-deps", "a==1"]
    assert "a==1" not in rest
    assert {"b==2", "numpy==3"} <= set(rest)


@pytest.mark.parametrize("environment", [one for _, _, one in command._listed()])
def test_every_call_is_listed_once(environment: Environment) -> None:
    listed = [repr(case) for case in environment.cases]
    assert len(set(listed)) == len(listed)


def test_a_row_is_kept_as_long_as_its_case_is_the_same(tmp_path: Path) -> None:
    case = Case("f(x)", "1", (0, 1))
    row = Row("a", "1", case.call, case.stated, verdict="within", case=repr(case))
    path = tmp_path / "row.json"
    path.write_text(json.dumps(row.written()))
    assert command._kept(path, case) == row
    assert command._kept(path, replace(case, stated="2")) is None


def test_the_page_counts_its_rows_and_shows_each_violation() -> None:
    rows = [
        Row("a", "1", "f(x)", "1", "as run", "1 exactly", "0 exactly", "within", "0 / 1 → 0"),
        Row("a", "1", "g(x)", "1", "as run", "inf", "1", "exceeds", "0 / 1 → 0", script="print(1)"),
        Row("b", "2", "h(x)", "1", why="not installed"),
    ]
    page = written(rows, [])
    assert "3 rows: 1 within, 1 exceeds, 1 none." in page
    left_open = replace(rows[1], note="documented: bounds come from the data")
    assert (
        "4 rows: 2 exceeds, 1 within, 1 none; of those that exceed, 1 are documented."
        in written([*rows, left_open], [])
    )
    assert "### [1] a 1, ε = 1" in page
    assert "none: not installed" in page


def test_unary_encoding_of_an_old_version_exceeds_its_budget(tmp_path: Path) -> None:
    """In an environment of its own: q more than the stated chance of a 1 where the value is."""
    if reason := refusal():
        pytest.skip(reason)
    environment = pure_ldp.ENVIRONMENTS[1]
    row = command.found_row("pure_ldp", 1, 0, environment, tmp_path, borrowed=True)
    if row.why.startswith("not installed"):
        pytest.skip(f"the package index gave nothing: {row.why}")
    assert (row.version, row.how, row.verdict, row.why) == ("1.1.2", "as run", "exceeds", "")
    p = 1 / (1 + math.exp(-1 / 2))
    q = 1 - p
    true_one = p + q * q
    expected = math.log(true_one * (1 - q) / (q * (1 - true_one)))
    assert digits(row.epsilon) == pytest.approx(expected)
    x, y = json.loads(row.printed)
    assert x > math.e * y
