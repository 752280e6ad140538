from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from matplotlib.collections import PathCollection, PolyCollection
from matplotlib.contour import ContourSet
from matplotlib.text import Text

import dpaudit
from dpaudit.mechanisms.user import FiniteMechanism, finite_mechanism
from dpaudit.report.figures.sheet import save_figure

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D


def lines(axes: Axes, label: str) -> list[Line2D]:
    return [line for line in axes.lines if line.get_label() == label]


def ends(line: Line2D) -> list[tuple[float, float]]:
    return [
        (float(x), float(y))
        for x, y in zip(np.asarray(line.get_xdata()), np.asarray(line.get_ydata()), strict=True)
    ]


def legend(figure: Figure) -> list[str]:
    return [text.get_text() for legend in figure.legends for text in legend.get_texts()]


def texts(figure: Figure) -> str:
    return "\n".join(t.get_text() for t in figure.findobj(Text) if isinstance(t, Text))


def test_over_one_parameter_it_is_a_curve_with_the_budget_and_the_worst_point() -> None:
    found = dpaudit.hunt("EHDL", {"n": "2..60"}, prior="1/20")
    figure = found.figure()
    (axes,) = figure.axes
    (curve,) = lines(axes, "ratio")
    expected = sorted((float(p.point[0]), p.score.epsilon) for p in found.result.evaluated)
    assert ends(curve) == expected
    (budget,) = lines(axes, "_budget")
    assert {y for _, y in ends(budget)} == {1.0}
    (star,) = lines(axes, "_worst")
    assert found.worst is not None
    assert ends(star) == [max(expected, key=lambda point: point[1])]
    assert axes.get_xlabel() == "n"
    assert axes.get_xscale() == "log"
    assert axes.get_xlim() == (2, 60)
    assert "prior = 1/20" in texts(figure)
    assert "mathdefault" not in texts(figure)


def test_over_two_parameters_it_is_a_map_with_a_line_at_the_budget() -> None:
    found = dpaudit.hunt("EHDL", {"prior": "1/100..1", "n": "2..120"}, evaluations=150)
    figure = found.figure()
    (axes,) = figure.axes
    filled = [c for c in axes.collections if isinstance(c, ContourSet) and c.filled]
    drawn = [c for c in axes.collections if isinstance(c, ContourSet) and not c.filled]
    assert len(filled) == 1
    assert [list(contour.levels) for contour in drawn] == [[1.0]]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("prior", "n")
    (star,) = lines(axes, "_worst")
    assert ends(star) == [(0.01, 120.0)]
    assert "worst found: prior = 1/100, n = 120 (exceeds)" in legend(figure)
    assert "ε = budget" in legend(figure)
    levels = [float(level) for level in filled[0].levels]
    ratios = [point.score.epsilon for point in found.result.evaluated]
    assert levels[0] <= min(ratios)
    assert max(ratios) <= levels[-1]


def test_nothing_above_the_budget_has_no_line_there() -> None:
    found = dpaudit.hunt("EHDS", {"prior": "1/10..1", "gamma": "1/2..3"}, n=8, evaluations=60)
    figure = found.figure()
    (axes,) = figure.axes
    assert all(c.filled for c in axes.collections if isinstance(c, ContourSet))
    assert "ε = budget" not in legend(figure)
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("prior", "γ")


def test_a_list_makes_a_series_for_each_of_its_values() -> None:
    found = dpaudit.hunt("MH", {"divisor": "2,1", "n": "2..30"})
    figure = found.figure()
    (axes,) = figure.axes
    for divisor in ("2", "1"):
        (curve,) = lines(axes, f"divisor = {divisor}")
        assert ends(curve) == sorted(
            (float(p.point[1]), p.score.ratio)
            for p in found.result.evaluated
            if p.point[0] == divisor
        )
    assert "Realised δ" in texts(figure)


def test_delta_that_is_nowhere_above_0_gives_way_to_epsilon() -> None:
    found = dpaudit.hunt("MH", {"n": "2..30"})
    assert found.result.measure == "delta"
    figure = found.figure()
    assert "Realised ε" in texts(figure)
    assert "δ is 0 at the ε of the budget at every point" in texts(figure)


def test_of_three_parameters_two_are_drawn() -> None:
    found = dpaudit.hunt(
        "EHDS", {"k": "2,3", "prior": "1/10..1", "gamma": "1/2..3"}, n=5, evaluations=80
    )
    figure = found.figure()
    assert (figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()) == ("prior", "γ")
    assert "k = 2,3" in texts(figure)
    assert "the largest over the parameters not shown" in texts(figure)


def response(p: str, q: str = "0") -> FiniteMechanism:
    keep = Fraction(1) if Fraction(p) > Fraction(1, 2) else Fraction(3, 4)

    @finite_mechanism(datasets=[0, 1], budget="ln(3)")
    def law(bit: int) -> dict[object, object]:
        return {bit: keep, 1 - bit: 1 - keep}

    return law


@pytest.mark.parametrize(
    "over",
    [
        {"p": "0..1"},
        {"p": "0..1", "q": "0..1"},
        {"p": "1"},
        {"p": "1/4"},
        {"p": "1/4,1/3", "q": "1,2,3"},
        {"p": "0..1/2", "q": "0..1"},
        {"p": "0..1..1/100", "q": "1,2"},
        {"p": "0..1/2..1/8", "q": "5..5"},
        {"p": "1e-300..1e-200"},
    ],
    ids=str,
)
def test_flat_infinite_and_tiny_landscapes_are_drawn(over: dict[str, Any], tmp_path: Path) -> None:
    found = dpaudit.hunt(response, over, n=1, evaluations=40)
    figure = found.plot(tmp_path / "a.png")
    (star,) = lines(figure.axes[0], "_worst")
    assert all(math.isfinite(end) for point in ends(star) for end in point)
    save_figure(figure, tmp_path / "b.png")
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


def test_points_in_a_row_are_shown_as_points() -> None:
    found = dpaudit.hunt(response, {"p": "0..1/2..1/20", "q": "0..1..1/4"}, n=1, evaluations=4)
    (axes,) = found.figure().axes
    assert not [c for c in axes.collections if isinstance(c, PathCollection | PolyCollection)]


def test_without_points_there_is_nothing_to_draw() -> None:
    found = dpaudit.hunt("EHDL", {"n": "100000,200000"}, time_cap=1)
    with pytest.raises(ValueError, match="no point to plot"):
        found.figure()


def test_long_fractions_are_shortened() -> None:
    found = dpaudit.hunt("EHDL", {"prior": "1e-200..1e-150"}, n=3, evaluations=10)
    assert any("prior = about 1e-" in text for text in legend(found.figure()))
