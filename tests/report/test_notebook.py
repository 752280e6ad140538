"""What a finished piece of work is in a notebook: short, drawn, and a frame of honest floats."""

import ast
import json
from decimal import Decimal
from typing import Any

import pytest

import dpaudit
from dpaudit.errors import MissingExtraError
from tests.pages import ROOT


@pytest.fixture(scope="module")
def found() -> Any:
    return dpaudit.check("EHDS", n="10..40", at_eps=["1/2"])


def test_the_repr_is_one_short_line(found: Any) -> None:
    """That of a curve had 86,400 characters."""
    for shown in (found, dpaudit.curve("MH", n=20), dpaudit.hunt("EHDL", ["n=2..5"])):
        text = repr(shown)
        assert "\n" not in text
        assert len(text) <= 330
        assert text.startswith(f"<{type(shown).__name__}: ")
    assert "within: ε = 4/5 at n = 10..40 (31 sizes)" in repr(found)


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
