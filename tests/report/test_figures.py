from __future__ import annotations

import math
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text
from msgspec.structs import replace

from dpaudit.audit.certify import EpsilonDelta
from dpaudit.audit.curve import Curves
from dpaudit.audit.plan import Plan
from dpaudit.audit.sweep import sweep
from dpaudit.errors import OutputError
from dpaudit.mechanisms.registry import mechanism_class
from dpaudit.notes.reproduce.figure import plot_panels
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.numbers.real import real
from dpaudit.questions.check.figure import plot_realised
from dpaudit.report.figures.captions import number_text
from dpaudit.report.figures.curves import plot_curves
from dpaudit.report.figures.sheet import save_figure
from dpaudit.report.figures.side_by_side import Lines, LineSeries
from dpaudit.report.figures.style import of_width, series_style
from dpaudit.report.formats.chart import Line, chart
from dpaudit.results import Audit, SizeResult, Verdict

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    from dpaudit.results import CurveReport

SIZES = (4, 6, 8, 10)
CATALOGUE = ("EHD", "EHDL", "EHDS", "MH", "LSZhang", "LSDim", "LSHist", "NotesLaplace")


def audited(
    name: str, sizes: tuple[int, ...] = SIZES, given: dict[str, object] | None = None, **asked: Any
) -> Audit:
    mechanism = mechanism_class(name).build(given or {})
    plan = Plan(mechanism.nominal, **asked)
    measure = EpsilonDelta()
    return measure.report(mechanism, sizes, plan, sweep(measure, mechanism, sizes, plan))


def curved(
    name: str, sizes: tuple[int, ...] = SIZES, given: dict[str, object] | None = None, **asked: Any
) -> CurveReport:
    mechanism = mechanism_class(name).build(given or {})
    plan = Plan(mechanism.nominal, **asked)
    measure = Curves()
    return measure.report(mechanism, sizes, plan, sweep(measure, mechanism, sizes, plan))


def changed(audit: Audit, n: int, **changes: Any) -> Audit:
    def at(result: SizeResult) -> SizeResult:
        return replace(result, **changes) if result.n == n else result

    return replace(audit, results=tuple(at(result) for result in audit.results))


def texts(figure: Figure) -> str:
    return "\n".join(t.get_text() for t in figure.findobj(Text) if isinstance(t, Text))


def labelled(axes: Axes, label: str) -> list[Line2D]:
    return [line for line in axes.lines if line.get_label() == label]


def xs(line: Line2D) -> list[float]:
    return [float(x) for x in np.asarray(line.get_xdata())]


def ys(line: Line2D) -> list[float]:
    return [float(y) for y in np.asarray(line.get_ydata())]


def marked_at(axes: Axes, verdict: Verdict) -> list[tuple[float, float]]:
    return [
        (float(x), float(y))
        for line in labelled(axes, f"_{verdict.value}")
        for x, y in zip(xs(line), ys(line), strict=True)
    ]


def legend_labels(figure: Figure) -> list[str]:
    return [text.get_text() for legend in figure.legends for text in legend.get_texts()]


class TestRealised:
    def test_the_budget_is_a_line_labelled_with_its_value(self) -> None:
        figure = plot_realised([audited("EHDS", given={"epsilon": "3/5"})])
        (line,) = labelled(figure.axes[0], "_budget")
        assert ys(line) == [0.6, 0.6]
        assert "budget\n3/5 = 0.6" in texts(figure)

    def test_an_irrational_budget_keeps_its_closed_form(self) -> None:
        figure = plot_realised([audited("LSHist", given={"epsilon": "ln(3)"})])
        (line,) = labelled(figure.axes[0], "_budget")
        assert ys(line)[0] == pytest.approx(math.log(3))
        assert "ε = ln(3)" in texts(figure)

    def test_different_budgets_are_told_apart(self) -> None:
        budgets = ("1/2", "4/5", "5/6")
        figure = plot_realised([audited("EHDS", given={"epsilon": budget}) for budget in budgets])
        lines = labelled(figure.axes[0], "_budget")
        assert [ys(line)[0] for line in lines] == [float(Fraction(budget)) for budget in budgets]
        assert len({line.get_color() for line in lines}) == 3
        assert all(f"budget {budget}" in texts(figure) for budget in budgets)

    @pytest.mark.parametrize("name", CATALOGUE)
    def test_points_lie_in_the_certified_intervals(self, name: str) -> None:
        audit = audited(name)
        (line,) = labelled(plot_realised([audit]).axes[0], name)
        assert xs(line) == list(SIZES)
        for result, y in zip(audit.results, ys(line), strict=True):
            assert float(result.epsilon.lower) <= y <= float(result.epsilon.upper)

    @pytest.mark.parametrize("name", CATALOGUE)
    def test_every_parameter_is_on_the_figure(self, name: str) -> None:
        audit = audited(name)
        for audits in ([audit], [audit, audited("EHDS", given={"gamma": "7/3"})]):
            found = texts(plot_realised(audits))
            assert name in found
            assert "histogram-substitution" in found
            for value in audit.parameters.values():
                shown = f"({', '.join(value)})" if isinstance(value, list) else f"= {value}"
                assert shown in found

    def test_the_legend_names_only_what_differs(self) -> None:
        figure = plot_realised([audited("EHDS", given={"gamma": g}) for g in ("1/4", "1", "4")])
        assert legend_labels(figure) == ["γ = 1/4", "γ = 1", "γ = 4"]
        figure = plot_realised([audited(name) for name in ("EHD", "EHDS", "MH")])
        assert legend_labels(figure) == ["EHD", "EHDS", "MH"]
        assert "γ = 1 (EHDS)" in texts(figure)
        figure = plot_realised(
            [audited("EHD"), *(audited("MH", given={"divisor": d}) for d in "12")]
        )
        assert legend_labels(figure)[:3] == ["EHD", "MH, divisor = 1", "MH, divisor = 2"]

    def test_adjacency_and_restriction_are_named(self) -> None:
        figure = plot_realised([audited("EHDS", at="uniform")])
        assert "over the neighbours of uniform data" in texts(figure)
        figure = plot_realised([audited("EHDS"), audited("EHDS", at="uniform")])
        assert "over neighbouring pairs" in texts(figure)
        assert any("uniform data" in label for label in legend_labels(figure))

    def test_all_pairs_are_claimed_only_if_all_were_covered(self) -> None:
        audit = audited("EHDS")
        assert "over all neighbouring pairs" in texts(plot_realised([audit]))
        assert "all neighbouring" not in texts(plot_realised([changed(audit, 6, pairs_covered=1)]))

    def test_a_budget_that_is_not_the_stated_one_is_named(self) -> None:
        mechanism = mechanism_class("EHDS").build({})
        plan = Plan(mechanism_class("EHDS").build({"epsilon": "1/5"}).nominal)
        measure = EpsilonDelta()
        audit = measure.report(mechanism, SIZES, plan, sweep(measure, mechanism, SIZES, plan))
        found = texts(plot_realised([audit]))
        assert "stated ε = 4/5" in found
        assert "budget\n1/5 = 0.2" in found
        assert "no stated budget" in texts(plot_realised([audited("EHDL")]))

    def test_exceeding_sizes_have_full_markers(self) -> None:
        audit = audited("MH", given={"divisor": "1"})
        assert audit.verdict is Verdict.EXCEEDS
        figure = plot_realised([audit])
        assert {x for x, _ in marked_at(figure.axes[0], Verdict.EXCEEDS)} == set(SIZES)
        (line,) = labelled(figure.axes[0], "_exceeds")
        assert line.get_markerfacecolor() == line.get_color()
        assert "exceeds the budget" in legend_labels(figure)
        within = plot_realised([audited("EHDS")])
        assert labelled(within.axes[0], "_within")[0].get_markerfacecolor() == "white"
        assert legend_labels(within) == []

    def test_one_exceeding_size_of_many_is_not_thinned_away(self) -> None:
        audit = audited("EHDS", tuple(range(1, 61)))
        for n in (1, 30, 60):
            axes = plot_realised([changed(audit, n, verdict=Verdict.EXCEEDS)]).axes[0]
            assert [x for x, _ in marked_at(axes, Verdict.EXCEEDS)] == [n]
            assert len(marked_at(axes, Verdict.WITHIN)) < 20

    def test_undecided_sizes_have_half_full_markers_and_their_interval(self) -> None:
        audit = audited("EHDS")
        unsure = Enclosure(Decimal("0.5"), Decimal("0.9"))
        figure = plot_realised([changed(audit, 8, verdict=Verdict.UNDECIDED, epsilon=unsure)])
        (line,) = labelled(figure.axes[0], "_undecided")
        assert line.get_fillstyle() == "bottom"
        assert marked_at(figure.axes[0], Verdict.UNDECIDED)[0] == pytest.approx((8.0, 0.7))
        (interval,) = labelled(figure.axes[0], "_interval")
        assert ys(interval)[0] == 0.5
        assert "undecided" in legend_labels(figure)

    def test_an_interval_without_upper_end_is_drawn_from_its_lower_end(self) -> None:
        unsure = Enclosure(Decimal("0.25"), Decimal("Infinity"))
        audit = changed(audited("EHDS"), 8, verdict=Verdict.UNDECIDED, epsilon=unsure)
        axes = plot_realised([audit]).axes[0]
        assert marked_at(axes, Verdict.UNDECIDED) == [(8.0, 0.25)]

    def test_infinite_values_lie_on_the_upper_edge(self) -> None:
        figure = plot_realised([audited("EHDS", adjacency="histogram-add-remove")])
        axes = figure.axes[0]
        assert marked_at(axes, Verdict.EXCEEDS) == [(float(n), 1.0) for n in SIZES]
        (line,) = labelled(axes, "_exceeds")
        assert line.get_transform() != axes.transData
        assert "∞" in texts(figure)
        assert any("infinite" in label for label in legend_labels(figure))
        assert all(math.isfinite(limit) for limit in axes.get_ylim())

    def test_finite_and_infinite_series_share_a_figure(self) -> None:
        both = [
            audited("EHDS", adjacency=name)
            for name in ("histogram-substitution", "histogram-add-remove")
        ]
        axes = plot_realised(both).axes[0]
        assert len(marked_at(axes, Verdict.WITHIN)) == len(SIZES)
        assert len(marked_at(axes, Verdict.EXCEEDS)) == len(SIZES)

    def test_a_positive_delta_has_a_panel_of_its_own(self) -> None:
        audits = [audited("MH", given={"divisor": divisor}) for divisor in "12"]
        figure = plot_realised(audits)
        _, below = figure.axes
        assert below.get_yscale() == "log"
        (budget,) = labelled(below, "_budget")
        assert ys(budget)[0] == 0.0005
        (line,) = labelled(below, "divisor = 1")
        for result, y in zip(audits[0].results, ys(line), strict=True):
            assert float(result.delta_held.value.lower) <= y <= float(result.delta_held.value.upper)
        assert marked_at(below, Verdict.WITHIN) == [(float(n), 0.0) for n in SIZES]

    def test_no_panel_for_a_delta_that_is_zero(self) -> None:
        figure = plot_realised([audited("MH"), audited("EHD")])
        assert len(figure.axes) == 1
        assert "realised δ(4/5) = 0 (MH)" in texts(figure)
        assert len(plot_realised([audited("EHDS")]).axes) == 1

    def test_a_delta_that_may_be_above_zero_is_not_called_zero(self) -> None:
        audit = audited("MH")
        at = audit.results[0].delta_held
        unsure = replace(at, lower=Decimal(0), upper=Decimal("1.234e-13"), exact=None)
        assert "realised δ(4/5) ≤ 1.3E-13" in texts(
            plot_realised([changed(audit, 6, delta=unsure)])
        )
        wide = replace(at, lower=Decimal(0), upper=Decimal("0.01"), exact=None)
        below = plot_realised([changed(audit, 6, delta=wide)], quantity="delta").axes[0]
        (interval,) = labelled(below, "_interval")
        assert ys(interval) == [below.get_ylim()[0], 0.01]

    def test_delta_alone(self) -> None:
        figure = plot_realised([audited("MH", given={"divisor": "1"})], quantity="delta")
        assert [axes.get_ylabel() for axes in figure.axes] == ["realised δ"]
        assert plot_realised([audited("EHDS")], quantity="delta").axes

    def test_audits_of_one_size_stand_side_by_side(self) -> None:
        figure = plot_realised([audited(name, (7,)) for name in CATALOGUE])
        axes = figure.axes[0]
        assert [label.get_text() for label in axes.get_xticklabels()] == list(CATALOGUE)
        assert {x for x, _ in marked_at(axes, Verdict.WITHIN)} == set(map(float, range(8)))
        assert "n = 7" in texts(figure)
        (point,) = marked_at(plot_realised([audited("EHDS", (7,))]).axes[0], Verdict.WITHIN)
        assert point[0] == 7.0

    def test_names_too_long_for_the_axis_go_to_the_legend(self) -> None:
        audits = [
            audited("LSZhang", (7,), {"coordinates": c, "epsilon": e})
            for c in ("printed", "all")
            for e in ("1/2", "4/5", "ln(3)")
        ]
        figure = plot_realised(audits)
        assert "ε = ln(3), coordinates = all" in legend_labels(figure)

    def test_series_that_coincide_are_named(self) -> None:
        figure = plot_realised([audited(name) for name in ("LSDim", "EHD", "NotesLaplace")])
        assert "LSDim and NotesLaplace coincide" in texts(figure)

    def test_missing_sizes_are_named(self) -> None:
        audit = replace(audited("EHDS"), missing=(12, 14))
        assert "not finished: n = 12, 14" in texts(plot_realised([audit]))

    def test_nothing_to_plot(self) -> None:
        empty = replace(audited("EHDS"), results=(), missing=SIZES)
        with pytest.raises(ValueError, match="no finished size"):
            plot_realised([empty])
        with pytest.raises(ValueError, match="no finished curve"):
            plot_curves([])
        assert plot_realised([empty, audited("EHD")]).axes


class TestCurves:
    def test_a_curve_lies_between_the_certified_values(self) -> None:
        audit = curved("EHDS", (10,), at_eps=tuple(real(e) for e in ("0", "1/20", "1/10", "1/5")))
        (line,) = labelled(plot_curves([audit]).axes[0], "EHDS")
        x, y = xs(line), ys(line)
        at_zero, *others, at_budget = audit.results[0].values
        assert [str(at.epsilon) for at in (at_zero, at_budget)] == ["0", "4/5"]
        assert y[0] == pytest.approx(float(at_zero.value.lower), rel=1e-9)
        for at in others:
            after = next(i for i, epsilon in enumerate(x) if epsilon >= Fraction(str(at.epsilon)))
            assert y[after] <= float(at.value.upper) * (1 + 1e-9)
            assert y[after - 1] >= float(at.value.lower) * (1 - 1e-9)

    @pytest.mark.parametrize("name", CATALOGUE[:7])
    def test_a_curve_ends_where_delta_vanishes(self, name: str) -> None:
        realised = audited(name, (6,)).results[0].epsilon.midpoint
        figure = plot_curves([curved(name, (6,))])
        (line,) = labelled(figure.axes[0], name)
        x, y = xs(line), ys(line)
        assert 0.9 * realised < x[-1] <= realised
        assert y == sorted(y, reverse=True)
        assert y[-1] == pytest.approx(figure.axes[0].get_ylim()[0])

    def test_the_stated_point_with_positive_delta(self) -> None:
        figure = plot_curves([curved("MH", (6,))])
        (point,) = labelled(figure.axes[0], "_point")
        assert (xs(point), ys(point)) == ([0.8], [0.0005])
        assert {"ε = 4/5 = 0.8", "δ = 1/2000 = 0.0005"} <= set(texts(figure).split("\n"))

    def test_the_stated_point_with_zero_delta_is_on_the_floor(self) -> None:
        figure = plot_curves([curved("EHDS", (6,))])
        (point,) = labelled(figure.axes[0], "_point")
        assert (xs(point), ys(point)) == ([0.8], [figure.axes[0].get_ylim()[0]])
        assert "budget (4/5, 0), below the axis" in legend_labels(figure)

    def test_one_line_for_each_mechanism_and_size(self) -> None:
        figure = plot_curves([curved(name, (4, 8)) for name in ("EHDS", "LSHist")])
        expected = [f"{name}, n = {n}" for name in ("EHDS", "LSHist") for n in (4, 8)]
        assert set(expected) < set(legend_labels(figure))
        assert all(labelled(figure.axes[0], label) for label in expected)
        assert "γ = 1 (EHDS)" in texts(figure)

    def test_a_delta_that_never_vanishes_goes_on_to_the_right(self) -> None:
        axes = plot_curves([curved("EHDS", (4,), adjacency="histogram-add-remove")]).axes[0]
        (line,) = labelled(axes, "EHDS")
        x, y = xs(line), ys(line)
        assert x[-1] == axes.get_xlim()[1]
        assert set(y) == {1.0}

    def test_budgets_are_labelled_once_each(self) -> None:
        audits = [curved("MH", (6,), {"epsilon": e}) for e in ("4/5", "41/50")]
        lines = texts(plot_curves(audits)).split("\n")
        assert lines.count("δ = 1/2000 = 0.0005") == 1
        assert lines.count("ε = 4/5 = 0.8") == 1  # above the axes
        assert lines.count("ε = 4/5") == 1  # in the legend


def test_eight_series_are_told_apart_without_colour() -> None:
    styles = [series_style(index) for index in range(64)]
    assert len({(str(style.dashes), style.marker) for style in styles}) == 64
    assert len({str(style.dashes) for style in styles[:8]}) == 8
    assert len({style.marker for style in styles[:8]}) == 8
    figure = plot_realised([audited(name) for name in CATALOGUE])
    keys = figure.legends[0].get_lines()
    assert len({(str(key._dash_pattern), key.get_marker()) for key in keys}) == 8  # type: ignore[attr-defined]


@pytest.mark.parametrize("names", [("EHDS",), ("EHD", "MH"), CATALOGUE])
def test_no_text_leaves_the_sheet_or_touches_another(names: tuple[str, ...]) -> None:
    audits = [audited(name) for name in names]
    curves = [curved(name, (5,)) for name in names[:4]]
    for figure in (plot_realised(audits), plot_curves(curves)):
        renderer = figure.canvas.get_renderer()  # type: ignore[attr-defined]
        figure.draw(renderer)
        sheet = figure.bbox
        boxes = {
            text.get_text(): text.get_window_extent(renderer)
            for text in figure.findobj(Text)
            if isinstance(text, Text) and text.get_text() and text.get_visible()
        }
        ticks = {label.get_text() for axes in figure.axes for label in axes.get_xticklabels()}
        ticks |= {label.get_text() for axes in figure.axes for label in axes.get_yticklabels()}
        boxes = {text: box for text, box in boxes.items() if text not in ticks}
        for text, box in boxes.items():
            assert sheet.x0 <= box.x0, text
            assert box.x1 <= sheet.x1, text
            assert sheet.y0 <= box.y0, text
            assert box.y1 <= sheet.y1, text
            for other, other_box in boxes.items():
                assert text == other or not box.overlaps(other_box), (text, other)
            assert all(not box.shrunk(0.98, 0.9).overlaps(axes.bbox) for axes in figure.axes), text


class TestFiles:
    def test_png(self, tmp_path: Path) -> None:
        figure = plot_realised([audited("EHDS")])
        save_figure(figure, tmp_path / "a.png")
        content = (tmp_path / "a.png").read_bytes()
        assert content.startswith(b"\x89PNG\r\n\x1a\n")
        width, height = (int.from_bytes(content[at : at + 4], "big") for at in (16, 20))
        assert width == 1280
        assert height == pytest.approx(200 * figure.get_figheight(), abs=1)

    def test_svg_has_its_text_as_text(self, tmp_path: Path) -> None:
        save_figure(plot_realised([audited("EHDS")]), tmp_path / "a.svg")
        root = ET.parse(tmp_path / "a.svg").getroot()
        found = ["".join(e.itertext()) for e in root.iter("{http://www.w3.org/2000/svg}text")]
        assert "realised ε" in found
        assert any("γ = 1" in text for text in found)

    def test_pdf(self, tmp_path: Path) -> None:
        save_figure(plot_realised([audited("EHDS")]), tmp_path / "a.PDF")
        content = (tmp_path / "a.PDF").read_bytes()
        assert content.startswith(b"%PDF-")
        assert b"/CIDFontType2" in content or b"/Type42" in content
        assert b"CreationDate" not in content

    @pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
    def test_the_same_input_makes_the_same_bytes(self, suffix: str, tmp_path: Path) -> None:
        contents = []
        for name in ("a", "b"):
            path = tmp_path / f"{name}{suffix}"
            save_figure(plot_curves([curved("MH", (4, 6))]), path)
            contents.append(path.read_bytes())
            save_figure(plot_realised([audited("EHDS", adjacency="histogram-add-remove")]), path)
            contents.append(path.read_bytes())
        assert contents[:2] == contents[2:]

    def test_another_suffix_is_refused(self, tmp_path: Path) -> None:
        figure = plot_realised([audited("EHDS")])
        for name in ("a.jpg", ".", "a.png.txt"):
            with pytest.raises(OutputError, match=r"\.png, \.svg, \.pdf") as caught:
                save_figure(figure, tmp_path / name)
            assert caught.value.path == tmp_path / name
        assert list(tmp_path.iterdir()) == []

    def test_an_unwritable_folder_is_one_line(self, tmp_path: Path) -> None:
        figure = plot_realised([audited("EHDS")])
        with pytest.raises(OutputError, match=r"cannot write .*No such file") as caught:
            save_figure(figure, tmp_path / "missing" / "a.png")
        assert "\n" not in str(caught.value)
        (tmp_path / "file").write_text("")
        with pytest.raises(OutputError):
            save_figure(figure, tmp_path / "file" / "a.png")

    def test_a_failed_rename_leaves_nothing_behind(self, tmp_path: Path) -> None:
        (tmp_path / "a.png").mkdir()
        with pytest.raises(OutputError):
            save_figure(plot_realised([audited("EHDS")]), tmp_path / "a.png")
        assert [path.name for path in tmp_path.iterdir()] == ["a.png"]

    def test_a_folder_that_takes_no_files(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(**_: object) -> None:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr("tempfile.mkstemp", refuse)
        with pytest.raises(OutputError, match=r"cannot write a\.png: Permission denied"):
            save_figure(plot_realised([audited("EHDS")]), Path("a.png"))

    def test_an_old_file_is_replaced_whole(self, tmp_path: Path) -> None:
        path = tmp_path / "a.svg"
        path.write_text("old")
        save_figure(plot_realised([audited("EHDS")]), path)
        assert path.read_bytes().startswith(b"<?xml")
        beside = tmp_path / "a.caption.txt"
        assert sorted(tmp_path.iterdir()) == [beside, path]


class TestForPapers:
    """Figures as papers print them: vectors, in a column, with what they say as text."""

    def test_a_name_without_a_suffix_is_a_vector_file(self, tmp_path: Path) -> None:
        found = save_figure(plot_realised([audited("EHDS")]), tmp_path / "fig")
        assert found == tmp_path / "fig.svg"
        assert ET.parse(found).getroot().tag.endswith("svg")

    @pytest.mark.parametrize("suffix", [".svg", ".pdf"])
    def test_a_caption_lies_beside_a_vector_file_and_says_all(
        self, suffix: str, tmp_path: Path
    ) -> None:
        audit = audited("MH")
        save_figure(plot_realised([audit]), tmp_path / f"a{suffix}")
        caption = (tmp_path / "a.caption.txt").read_text()
        assert caption.count("\n") == 1
        assert caption.startswith("Realised ε of MH over all neighbouring pairs. ")
        assert "certified to 10" in caption
        for value in audit.parameters.values():
            assert (f"({', '.join(value)})" if isinstance(value, list) else f"= {value}") in caption
        save_figure(plot_realised([audit]), tmp_path / "b.png")  # it has all of it on it
        assert not (tmp_path / "b.caption.txt").exists()

    def test_in_a_column_no_letter_is_small_and_the_title_is_in_the_caption(
        self, tmp_path: Path
    ) -> None:
        with of_width("column"):
            figure = plot_realised([audited(name) for name in ("EHD", "EHDL", "EHDS", "MH")])
            save_figure(figure, tmp_path / "a.png")
        assert figure.get_figwidth() == pytest.approx(3.4)
        assert "neighbouring pairs" not in texts(figure)
        assert "neighbouring pairs" in (tmp_path / "a.caption.txt").read_text()
        sizes = [float(text.get_fontsize()) for text in figure.findobj(Text) if text.get_text()]
        assert min(sizes) >= 7
        renderer: Any = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
        for legend in figure.legends:
            box = legend.get_window_extent(renderer)
            assert box.x1 <= figure.bbox.x1
        assert plot_realised([audited("EHDS")]).get_figwidth() == pytest.approx(6.4)

    def test_every_computed_size_has_a_dot(self) -> None:
        sizes = tuple(range(1, 61))
        (line,) = labelled(plot_realised([audited("EHDS", sizes)]).axes[0], "EHDS")
        assert xs(line) == list(sizes)
        assert line.get_marker() == "."
        infinite = audited("EHDS", sizes, adjacency="histogram-add-remove")
        (edge,) = labelled(plot_realised([infinite]).axes[0], "_computed")
        assert xs(edge) == list(sizes)

    def test_axes_begin_at_0_so_that_nothing_is_exaggerated(self) -> None:
        audit = audited("EHDS", tuple(range(40, 61)), given={"epsilon": "1/3"})
        assert plot_realised([audit]).axes[0].get_ylim()[0] == 0.0
        y = tuple(Enclosure(Decimal(text), Decimal(text)) for text in ("0.98", "1"))
        panel = Lines("lines", "n", "value", (LineSeries("s", (1.0, 2.0), y),))
        assert plot_panels("title", [], [panel]).axes[0].get_ylim()[0] == 0.0

    def test_the_budget_is_named_with_its_decimal(self) -> None:
        budgets = {"4/5": "4/5 = 0.8", "ln(3)": "ln(3) ≈ 1.099", "1/3": "1/3 ≈ 0.3333", "2": "2"}
        budgets |= {"1e400": "1e400", "exp(800)": "exp(800)"}  # more than a float holds
        for given, shown in budgets.items():
            assert number_text(real(given)) == shown


def test_global_settings_are_left_alone(tmp_path: Path) -> None:
    before = dict(mpl.rcParams)
    with mpl.rc_context({"axes.grid": False, "font.size": 31.0, "text.usetex": False}):
        inside = dict(mpl.rcParams)
        save_figure(plot_curves([curved("MH", (4,))]), tmp_path / "a.svg")
        save_figure(plot_realised([audited("EHDS")]), tmp_path / "b.png")
        assert dict(mpl.rcParams) == inside
    assert dict(mpl.rcParams) == before
    save_figure(plot_realised([audited("EHDS")]), tmp_path / "c.png")
    assert (tmp_path / "b.png").read_bytes() == (tmp_path / "c.png").read_bytes()


def test_a_dollar_sign_is_a_dollar_sign(tmp_path: Path) -> None:
    audit = audited("EHDS")
    priced = replace(audit, described={**audit.described, "name": r"$\frac$ $x"})
    figure = plot_realised([priced, audit])
    save_figure(figure, tmp_path / "a.svg")
    assert r"$\frac$ $x" in (tmp_path / "a.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("statement", "absent"),
    [
        ("import dpaudit, dpaudit.audit.sweep, dpaudit.report, dpaudit.errors", "matplotlib"),
        ("import dpaudit.report.figures", "matplotlib.pyplot"),
    ],
)
def test_what_importing_costs(statement: str, absent: str) -> None:
    code = f"{statement}\nimport sys\nassert {absent!r} not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_what_is_counted_has_whole_ticks() -> None:
    """Half a record is no size: a page of one size had ticks at 0.5 and 1.5."""
    for ends in ((0.0, 2.0), (3.0, 4.0), (10.0, 60.0)):
        drawn = chart("t", "records n", "ε", [Line([(ends[0], 1.0)])], x_range=ends, counted=True)
        places = re.findall(r'text-anchor="middle">([^<]*)</text>', drawn)[:-2]
        assert places
        assert all(place.isdecimal() for place in places)
    half = Enclosure(Decimal("0.5"), Decimal("0.5"))
    panel = Lines("t", "r", "y", (LineSeries("s", tuple(map(float, range(1, 22))), (half,) * 21),))
    (axes,) = plot_panels("t", [], [panel]).axes
    assert all(float(tick).is_integer() for tick in axes.get_xticks())
