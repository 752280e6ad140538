"""What a finished piece of work is in a notebook: short, drawn, and a frame of honest floats."""

import ast
import inspect
import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import fields, is_dataclass
from decimal import Decimal
from typing import Any

import pytest

import dpaudit
from dpaudit.errors import MissingExtraError
from dpaudit.gate.interface import Gated
from dpaudit.results import Finding, GateDocument, GateVerdict, Kind
from dpaudit.results.brief import LONGEST
from tests.pages import ROOT


@pytest.fixture(scope="module")
def found() -> Any:
    return dpaudit.check("EHDS", n="10..40", at_eps=["1/2"])


@pytest.fixture(scope="module")
def everything(found: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """One result of every public function that gives one."""
    folder = tmp_path_factory.mktemp("results")
    report, config = folder / "report.json", folder / "dpaudit.toml"
    report.write_text(found.to_json())
    (folder / "own.py").write_text("raise ValueError\n")
    config.write_text(
        '[[mechanism]]\nmechanism = "RR"\n[[mechanism]]\nmechanism = "own.py:x"\n'
        '[claims]\nI-right = "proved"\n'
    )

    @dpaudit.sampler(budget=1, datasets=[0, 1], neighbours="all")
    def noisy(x: int, rng: Any) -> int:
        return x ^ int(rng.random() < 0.2)

    @dpaudit.program(budget=1, datasets=[0, 1], neighbours="all")
    def release(x: int, source: Any) -> Any:
        return x + source.laplace(1)

    @dpaudit.finite_mechanism(budget=1, datasets=["x", "y"], neighbours="all")
    def law(x: str) -> dict[str, str]:
        return {x: "0.6", "z": "0.4"}

    return {
        "check": found,
        "check_notion": dpaudit.check_notion("EHDS", n=3, notion="renyi", order=2),
        "check_interval": dpaudit.check_interval("RR", n=1, eps="1/2..1"),
        "curve": dpaudit.curve("MH", n=20),
        "curve_interval": dpaudit.curve_interval("RR", n=1, eps="1/2..1"),
        "tradeoff": dpaudit.tradeoff("RR", n=1),
        "calibrate": dpaudit.calibrate("GRR", k=3),
        "compare_accuracy": dpaudit.compare_accuracy("EHDS", at=[2, 3]),
        "canaries": dpaudit.canaries(canaries=90, guesses=30, right=24),
        "plan_canaries": dpaudit.plan_canaries(50),
        "canaries_needed": dpaudit.canaries_needed(2),
        "plan_inclusion": dpaudit.plan_inclusion(50, seed=1),
        "hunt": dpaudit.hunt("EHDL", ["n=2..5"]),
        "account": dpaudit.account("RR", compose=10, at_delta=["1e-6"], budget=(9, "1e-6")),
        "an account that compares": dpaudit.account("RR", epsilons=["1/2"], estimates=False),
        "account_dpsgd": dpaudit.account_dpsgd(
            noise_multiplier="1.1", sample_rate="1/100", steps=10, delta="1e-5"
        ),
        "account_run": dpaudit.account_run(
            {"noise_multiplier": "1.1", "sample_rate": "1/100", "steps": 10}, delta="1e-5"
        ),
        "account_matrix": dpaudit.account_matrix(
            [[1, 0], [1, 1]], noise_multiplier=4, max_participations=2, min_sep=1, delta="1e-5"
        ),
        "run_gate": dpaudit.run_gate(config),
        "verify": dpaudit.verify(report),
        "diff": dpaudit.diff(report, report),
        "prove": dpaudit.prove("I-right"),
        "reproduce": dpaudit.reproduce("table-beta"),
        "sample": dpaudit.sample(noisy, draws="1e4", error="0.01"),
        "sampler": noisy,
        "program": release,
        "finite_mechanism": law,
        "mechanism": dpaudit.mechanism("EHDS"),
        "real": dpaudit.real("ln(3)"),
    }


NO_RESULT = {"mechanisms", "memory_cap", "schema", "to_dp_accounting"}
"""Public functions that give a list, a context, JSON, and a distribution of another library."""

READS_BACK = ("Real", "FiniteMechanism", "Program", "Sampler")
"""What shows itself whole where it stands alone, as it reads back; its length is its user's."""


def inside(value: Any, deep: int = 6) -> Iterator[Any]:
    """Iterate over a value and what its fields, properties, items and members are."""
    yield value
    if not deep or (
        "dpaudit" not in type(value).__module__ and not isinstance(value, (dict, tuple))
    ):
        return
    names = {f.name for f in fields(value)} if is_dataclass(value) else set()
    names |= set(getattr(value, "__struct_fields__", ()))
    for cls in type(value).__mro__:
        names |= {n for n, v in vars(cls).items() if isinstance(v, property) and n[0] != "_"}
    parts: list[Any] = []
    for name in names - {"evidence", "typed"}:
        with suppress(ValueError, AssertionError):  # what only some have, as of one size
            parts.append(getattr(value, name))
    parts += [*value.values()][:5] if isinstance(value, dict) else []
    parts += value[:3] if isinstance(value, tuple) else []
    for part in parts:
        yield from inside(part, deep - 1)


def test_every_public_function_that_finds_something_is_looked_at(
    everything: dict[str, Any],
) -> None:
    functions = {name for name in dpaudit.__all__ if inspect.isfunction(getattr(dpaudit, name))}
    assert functions - NO_RESULT - {"mechanisms"} <= everything.keys()


def test_what_is_found_and_all_that_is_in_it_has_a_short_repr(everything: dict[str, Any]) -> None:
    """That of a curve had 86,400 characters, that of a decision 6,453."""
    seen, long = 0, {}
    for name, whole in everything.items():
        for value in inside(whole):
            if "dpaudit" in type(value).__module__ and type(value).__name__ not in READS_BACK:
                text = repr(value)
                seen += 1
                if len(text) > LONGEST or "\n" in text:
                    long[type(value).__name__] = (name, text)
    assert not long
    assert seen > 500
    found = repr(everything["check"])
    assert found.startswith("<Check: EHDS; within: ε = 4/5 at n = 10..40 (31 sizes), 775 pairs")
    assert repr(everything["prove"]["I-right"]) == "<Decision I-right: proved (checked)>"


FINISHED = [
    *(
        "check",
        "check_notion",
        "check_interval",
        "curve",
        "curve_interval",
        "tradeoff",
        "calibrate",
    ),
    *("compare_accuracy", "hunt", "account", "an account that compares", "run_gate", "verify"),
    *("prove", "reproduce", "sample", "account_dpsgd", "account_run", "account_matrix"),
]
UNDRAWN = {"verify", "prove", "reproduce", "an account that compares", "plan_inclusion"}
"""What has no figure in a notebook."""


@pytest.mark.parametrize("name", FINISHED)
def test_whatever_is_found_is_a_page_and_a_frame(name: str, everything: dict[str, Any]) -> None:
    found = everything[name]
    page = found._repr_html_()
    assert "<table" in page or "<ul" in page or "worst point" in page
    assert ("<img alt=" in page) == (name not in UNDRAWN)
    assert "http" not in page.partition("base64")[0]
    assert str(found) != repr(found)
    assert json.loads(found.to_json())["schema"].startswith("dpaudit.")
    frame = pytest.importorskip("pandas")
    assert isinstance(found.to_pandas(), frame.DataFrame)
    assert len(found.to_pandas()) == len(found.to_polars()) >= 1


def test_what_fails_among_many_is_not_left_out_of_a_page_or_a_text() -> None:
    def entry(number: int) -> Finding:
        kind = Kind.UNDECIDED if number == 20 else Kind.WITHIN
        return Finding(
            title=f"entry {number}",
            mechanism="RR",
            kind=kind,
            passed=kind.passes,
            message="",
            location=None,
            report=None,
        )

    found = Gated(
        GateDocument(
            schema="dpaudit.gate/1",
            version="0",
            config="dpaudit.toml",
            config_sha256="0" * 64,
            verdict=GateVerdict.UNDECIDED,
            mechanisms=tuple(map(entry, range(40))),
            claims=(),
        )
    )
    for shown in (str(found), found._repr_html_()):
        assert all(f"entry {number}" in shown for number in range(40))
        assert shown.count("FAIL") == 1


def test_a_gate_tells_what_failed(everything: dict[str, Any]) -> None:
    gate = everything["run_gate"]
    assert gate.verdict == "undecided"
    assert gate.failed == ("own.py:x",)
    assert [one.kind.value for one in gate.mechanisms] == ["within", "not loaded"]
    assert [one.found for one in gate.claims] == ["proved"]
    assert "not loaded: own.py:x" in gate.figure().caption


def test_the_page_has_the_table_and_the_figure_and_asks_nothing_of_the_network(found: Any) -> None:
    page = found._repr_html_()
    assert page.count("<tr>") == 13  # with the head and the mark of what is left out
    assert "data:image/svg+xml;base64," in page
    assert "http" not in page.partition("base64")[0]


def test_what_users_name_is_text_on_the_page() -> None:
    @dpaudit.finite_mechanism(budget=1, datasets=["<b>x</b>", "y"], neighbours="all")
    def law(answer: str) -> dict[str, str]:
        return {answer: "0.6", "z": "0.4"}

    page = dpaudit.check(law)._repr_html_()
    assert "<b>x" not in page
    assert "&lt;b&gt;x&lt;/b&gt;" in page


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_hold_floats_rounded_outward(found: Any, library: str) -> None:
    pytest.importorskip(library)
    frame = getattr(found, f"to_{library}")()
    for result, low, high, n, at in zip(
        found.results,
        frame["epsilon_lower"],
        frame["epsilon_upper"],
        frame["n"],
        frame["delta_upper_1"],
        strict=True,
    ):
        assert n == result.n
        assert Decimal(low) <= result.epsilon.lower <= result.epsilon.upper <= Decimal(high)
        assert result.curve[0].value <= at


def test_a_library_that_is_missing_is_named(found: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "polars", None)
    with pytest.raises(MissingExtraError, match=r"polars is not installed; pip install 'dpaudit"):
        found.to_polars()


def test_the_gallery_runs_and_every_cell_shows_something() -> None:
    cells = json.loads((ROOT / "docs" / "gallery.ipynb").read_text())["cells"]
    names: dict[str, Any] = {}
    shown = 0
    for cell in cells:
        if cell["cell_type"] != "code":
            continue
        *before, last = ast.parse(cell["source"]).body
        assert isinstance(last, ast.Expr)
        exec(compile(ast.Module(before, []), "gallery", "exec"), names)
        found = eval(compile(ast.Expression(last.value), "gallery", "eval"), names)
        assert "<table>" in found._repr_html_()
        assert "<img alt=" in found._repr_html_()
        shown += 1
    assert shown == 5
