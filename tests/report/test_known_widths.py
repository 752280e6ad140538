"""Every kind of figure, with wide, undecided and endless intervals: what is drawn, what is claimed.

The intervals are put into real results; the drawn bars and bands and the caption are read back.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from matplotlib.collections import PolyCollection
from matplotlib.patches import Rectangle
from matplotlib.text import Text
from msgspec.structs import replace

import dpaudit
from dpaudit.notes.reproduce.figure import plot_panels
from dpaudit.numbers.real import real
from dpaudit.questions.account.figure import bounds_between, known_places, plot_accounts
from dpaudit.questions.check.figure import plot_measured, plot_realised
from dpaudit.questions.hunt.figure import plot_landscape
from dpaudit.questions.sample.figure import plot_sample
from dpaudit.report.figures.bands import plot_bands
from dpaudit.report.figures.curves import hockey_sticks, plot_curves, plot_tradeoffs, widest
from dpaudit.report.figures.sheet import save_figure
from dpaudit.report.figures.side_by_side import Box, Boxes, BoxSeries, Lines, LineSeries
from dpaudit.report.figures.widths import Known, width_text
from dpaudit.report.formats.html import gate_html
from dpaudit.report.views import view_of
from dpaudit.results import (
    Budget,
    Comparison,
    Enclosure,
    EventFound,
    Finding,
    GateDocument,
    GateVerdict,
    Kind,
    SampleReport,
    SampleVerdict,
    UndecidedSize,
    Verdict,
)
from dpaudit.results.curves import Vertex
from dpaudit.results.values import Natural

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BARS = "bars and bands hold the true value"


def between(low: str, high: str) -> Enclosure:
    return Enclosure(Decimal(low), Decimal(high))


WIDE, ENDLESS = between("0.25", "0.75"), between("0.25", "Infinity")


def texts(figure: Figure) -> str:
    found = (t.get_text() for t in figure.findobj(Text) if isinstance(t, Text))
    return "\n".join(text.replace("\n", " ") for text in found)


def points(axes: Axes, label: str) -> list[tuple[float, float]]:
    return [
        (float(x), float(y))
        for line in axes.lines
        if line.get_label() == label
        for x, y in zip(np.asarray(line.get_xdata()), np.asarray(line.get_ydata()), strict=True)
        if not math.isnan(y)
    ]


def bars(axes: Axes) -> list[tuple[float, float, float]]:
    ends = points(axes, "_interval")
    return [(x, low, high) for (x, low), (_, high) in zip(ends[::2], ends[1::2], strict=True)]


def boxes(axes: Axes, label: str) -> list[tuple[float, float]]:
    found = [p for p in axes.patches if isinstance(p, Rectangle) and p.get_label() == label]
    return [(p.get_y(), p.get_y() + p.get_height()) for p in found]


def bands(axes: Axes) -> list[PolyCollection]:
    return [
        c for c in axes.collections if isinstance(c, PolyCollection) and c.get_label() == "_band"
    ]


@cache
def checked() -> Any:
    return dpaudit.check("EHDS", n=[4, 6, 8]).report


@cache
def measured() -> Any:
    return dpaudit.check_notion("EHDS", n=[4, 6, 8], notion="tv", budget="1/2").report


@cache
def calibrated() -> Any:
    report = dpaudit.calibrate("EHDS", n=[4, 6, 8]).report
    return replace(
        report,
        results=tuple(
            replace(size, failing=str(Decimal(size.nominal) + Decimal("0.0999")))
            for size in report.results
        ),
    )


@cache
def compared() -> Any:
    return list(dpaudit.compare_accuracy(["EHDS", "LSHist"], at=[3, 3]).reports)


@cache
def hunted() -> Any:
    return dpaudit.hunt("EHDL", {"n": "2..6"}, prior="1/20").result


@cache
def mapped() -> Any:
    return dpaudit.hunt("EHDL", {"prior": "1/10..1", "n": "2..9"}, evaluations=30).result


def at_size(report: Any, n: int, **changes: Any) -> Any:
    results = tuple(replace(r, **changes) if r.n == n else r for r in report.results)
    return replace(report, results=results)


def without(report: Any, n: int) -> Any:
    kept = tuple(r for r in report.results if r.n != n)
    return replace(report, results=kept, undecided=(UndecidedSize(n, "not enclosed"),))


KINDS = [(checked, "epsilon", plot_realised), (measured, "value", plot_measured)]


@pytest.mark.parametrize(("report", "field", "plot"), KINDS, ids=["check", "notion"])
class TestSweeps:
    def test_narrow_intervals_are_a_line_and_certified_to_their_width(
        self, report: Callable[[], Any], field: str, plot: Any
    ) -> None:
        figure = plot([report()])
        width = max(getattr(r, field).width for r in report().results)
        assert width_text(width) in texts(figure)
        assert not bars(figure.axes[0])
        assert BARS not in texts(figure)

    def test_a_wide_interval_is_a_bar_that_no_line_goes_through(
        self, report: Callable[[], Any], field: str, plot: Any
    ) -> None:
        """It was a point of the line, "certified to 10⁻¹²"."""
        figure = plot([at_size(report(), 6, verdict=Verdict.UNDECIDED, **{field: WIDE})])
        axes = figure.axes[0]
        assert bars(axes) == [(6.0, 0.25, 0.75)]
        assert [x for x, _ in points(axes, "EHDS")] == [4.0, 8.0]
        shown = texts(figure)
        assert "known to intervals up to 0.50 wide" in shown
        assert BARS in shown
        assert "certified to" not in shown
        assert "undecided: n = 6" in shown
        low, high = axes.get_ylim()
        assert low <= 0.25
        assert high > 0.75

    def test_an_end_that_is_not_there_is_an_arrow_and_named(
        self, report: Callable[[], Any], field: str, plot: Any
    ) -> None:
        figure = plot([at_size(report(), 6, verdict=Verdict.UNDECIDED, **{field: ENDLESS})])
        axes = figure.axes[0]
        assert bars(axes) == [(6.0, 0.25, axes.get_ylim()[1])]
        assert points(axes, "_open") == [(6.0, 1.0)]
        assert "no upper end: n = 6" in texts(figure)

    def test_an_undecided_size_is_drawn_from_edge_to_edge_and_named(
        self, report: Callable[[], Any], field: str, plot: Any
    ) -> None:
        """It was left out, and the line went on across it."""
        figure = plot([without(report(), 6)])
        axes = figure.axes[0]
        assert bars(axes) == [(6.0, *axes.get_ylim())]
        assert "undecided: n = 6" in texts(figure)
        (line,) = [line for line in axes.lines if line.get_label() == "EHDS"]
        assert math.isnan(float(np.asarray(line.get_ydata())[1]))

    def test_axes_cut_no_interval(self, report: Callable[[], Any], field: str, plot: Any) -> None:
        """The lower end of an interval around a high point was below the axis."""
        found = report()
        for n in (4, 8):
            found = at_size(found, n, **{field: between("0.7", "0.7")})
        found = at_size(found, 6, **{field: between("0.6", "0.8")})
        low, high = plot([found]).axes[0].get_ylim()
        assert low <= 0.6
        assert high >= 0.8


def test_a_delta_that_may_be_0_is_an_arrow_down() -> None:
    audit = dpaudit.check("MH", n=[4, 6, 8], divisor=1).report
    unsure = replace(
        audit.results[1].delta_held, lower=Decimal(0), upper=Decimal("0.01"), exact=None
    )
    figure = plot_realised([at_size(audit, 6, delta=unsure)], quantity="delta")
    axes = figure.axes[0]
    assert bars(axes) == [(6.0, axes.get_ylim()[0], 0.01)]
    assert points(axes, "_open") == [(6.0, 0.0)]
    assert "≤ 0.01" in texts(figure)
    assert "known to intervals up to 0.01 wide" in texts(figure)


def loosened(report: Any, bits: int) -> Any:
    """Return a report whose lower hulls are below the true ones by 2^-bits of everything."""
    (result,) = report.results
    one = 1 << result.scale_bits
    lower = tuple(
        Vertex(Natural(v.q), Natural(max(0, v.p - (one >> bits))), v.outputs, v.x, v.y)
        for v in result.lower
    )
    return replace(report, results=(replace(result, lower=lower),))


@pytest.mark.parametrize("plot", [plot_curves, plot_tradeoffs], ids=["curve", "tradeoff"])
class TestHulls:
    def report(self, plot: Any) -> Any:
        kind = dpaudit.curve if plot is plot_curves else dpaudit.tradeoff
        return kind("EHDS", n=10).report

    def test_hulls_that_nobody_tells_apart_are_one_line(self, plot: Any) -> None:
        figure = plot([self.report(plot)])
        assert not bands(figure.axes[0])
        assert "certified to 10" in texts(figure)

    def test_hulls_apart_are_a_band_from_one_to_the_other(self, plot: Any) -> None:
        """A curve known within ±0.1 was one line, "certified to 10⁻¹²"."""
        report = loosened(self.report(plot), 4)
        figure = plot([report])
        axes = figure.axes[0]
        assert len(bands(axes)) == 1
        shown = texts(figure)
        assert "certified to" not in shown.replace("μ certified to", "")
        assert BARS in shown
        (result,) = report.results
        assert Fraction(widest(result)) >= Fraction(1, 16)
        assert "wide" in shown
        edges = [dict(points(axes, label)) for label in ("EHDS", "_lower")]
        assert max(edges[0][x] - edges[1][x] for x in edges[0]) > 0.05
        low, high = axes.get_ylim()
        assert all(low <= y <= high for edge in edges for y in edge.values())

    def test_an_undecided_size_is_named(self, plot: Any) -> None:
        report = replace(self.report(plot), undecided=(UndecidedSize(12, "not enclosed"),))
        assert "undecided: n = 12" in texts(plot([report]))


def test_a_walk_along_a_hull_finds_what_all_events_give() -> None:
    (curve,) = dpaudit.curve("MH", n=8, divisor=1).report.results
    scale = 1 << curve.scale_bits
    factors = [Fraction(i, 7) for i in range(7, 30)]
    expected = [
        max(Fraction(0), *(Fraction(v.p, scale) - a * Fraction(v.q, scale) for v in curve.upper))
        for a in factors
    ]
    assert hockey_sticks(curve.upper, scale, factors) == expected


@pytest.mark.parametrize(
    ("mu", "said"),
    [
        (between("0.2", "0.4"), "μ in [0.2, 0.4]"),
        (between("0.2", "Infinity"), "no Gaussian lies below: μ ≥ 0.2, without an upper end"),
        (between("Infinity", "Infinity"), "no Gaussian lies below: μ = ∞"),
    ],
)
def test_a_gaussian_is_drawn_as_far_as_its_mu_is_known(mu: Enclosure, said: str) -> None:
    """The middle of an interval was drawn and named as μ; of an endless one nothing was said."""
    report = dpaudit.tradeoff("EHDS", n=10).report
    (result,) = report.results
    figure = plot_tradeoffs([replace(report, results=(replace(result, mu=mu),))])
    assert said in texts(figure)
    assert len(bands(figure.axes[0])) == mu.upper.is_finite()


class TestCalibrated:
    def test_it_claims_what_the_tolerance_gave(self) -> None:
        """It claimed "certified to 10⁻¹²"."""
        report = calibrated()
        figure = view_of(report).plot([report])
        gap = max(Decimal(s.failing) - Decimal(s.nominal) for s in report.results)
        (claimed,) = [t for t in texts(figure).split(" · ") if "above it fails" in t]
        shown = Decimal(claimed.split("at most ")[1].split(" ")[0])
        assert gap <= shown <= gap * Decimal("1.1")
        assert texts(figure).count("certified to") == texts(figure).count("mean H certified to")
        expected = [(float(s.n), float(s.nominal), float(s.failing)) for s in report.results]
        assert bars(figure.axes[0]) == expected

    def test_sizes_without_an_end_are_arrows_and_named(self) -> None:
        report = at_size(calibrated(), 6, failing=None, exceeded=None, beyond=None)
        figure = view_of(report).plot([report])
        axes = figure.axes[0]
        assert bars(axes)[1][2] == axes.get_ylim()[1]
        assert points(axes, "_open") == [(6.0, 1.0)]
        assert "no failing nominal ε found: n = 6" in texts(figure)

    def test_a_wide_mean_error_is_a_bar(self) -> None:
        report = calibrated()
        error = replace(report.results[1].error, after=WIDE)
        figure = view_of(report).plot([at_size(report, 6, error=error)])
        axes = figure.axes[1]
        assert bars(axes) == [(6.0, 0.25, 0.75)]
        assert [x for x, _ in points(axes, "_after")] == [4.0, 8.0, 6.0]
        assert "known to intervals up to 0.50 wide" in texts(figure)
        assert axes.get_ylim()[1] > 0.75


class TestAccuracy:
    def changed(self, **changes: Any) -> Any:
        first, *others = compared()
        (result,) = first.results
        return [replace(first, results=(replace(result, **changes),)), *others]

    def figure(self, reports: Any) -> Figure:
        found: Figure = view_of(reports[0]).plot(reports)
        return found

    def test_narrow_quantiles_are_lines(self) -> None:
        figure = self.figure(compared())
        assert "certified to 10" in texts(figure)
        assert "exact quantiles" not in texts(figure)
        assert not boxes(figure.axes[0], "_median_interval")

    @pytest.mark.parametrize("end", ["0.75", "Infinity"])
    def test_a_wide_quantile_is_a_band_and_an_undecided_one_is_named(self, end: str) -> None:
        """The middle of an open median was drawn as an exact one; one without an end crashed."""
        quantiles = compared()[0].results[0].quantiles
        median = replace(
            quantiles[2], lower=WIDE.lower, upper=Decimal(end), exact=None, decided=False
        )
        figure = self.figure(self.changed(quantiles=(*quantiles[:2], median, *quantiles[3:])))
        axes = figure.axes[0]
        top = min(float(end), axes.get_ylim()[1])
        assert boxes(axes, "_median_interval") == [pytest.approx((0.25, top))]
        assert bool(points(axes, "_open")) == (end == "Infinity")
        assert "undecided: the 1/2 quantile of EHDS" in texts(figure)
        assert BARS in texts(figure)

    def test_a_wide_mean_is_a_bar(self) -> None:
        axes = self.figure(self.changed(mean=WIDE)).axes[0]
        assert [(low, high) for _, low, high in bars(axes)] == [(0.25, 0.75)]

    def test_a_mechanism_without_a_finding_is_drawn_and_named(self) -> None:
        *others, last = compared()
        open_ = replace(last, results=(), undecided=(UndecidedSize(6, "not told apart"),))
        figure = self.figure([*others, open_])
        axes = figure.axes[0]
        assert [(low, high) for _, low, high in bars(axes)] == [axes.get_ylim()]
        assert "undecided: LSHist" in texts(figure)


class TestLandscape:
    def scored(self, result: Any, **changes: Any) -> Any:
        from dataclasses import replace as changed

        first, *others = result.evaluated
        score = changed(first.score, **changes)
        return changed(result, evaluated=(changed(first, score=score), *others)), first.point

    def test_a_ratio_between_two_bounds_is_a_bar(self) -> None:
        result, point = self.scored(hunted(), epsilon=0.25, upper=0.75)
        figure = plot_landscape(result)
        assert bars(figure.axes[0]) == [(float(point[0]), 0.25, 0.75)]
        assert "known to intervals up to 0.50 wide" in texts(figure)

    def test_infinite_ratios_are_on_the_edge_and_named(self) -> None:
        """They were left out of curves, and of maps they were the darkest finite shade."""
        for result in (hunted(), mapped()):
            endless, _ = self.scored(result, epsilon=math.inf, upper=math.inf)
            figure = plot_landscape(endless)
            assert len(points(figure.axes[0], "_infinite")) == 1
            legend = [t.get_text() for one in figure.legends for t in one.get_texts()]
            assert "infinite" in legend

    def test_points_that_could_not_be_looked_at_are_marked_and_counted(self) -> None:
        from dataclasses import replace as changed

        from dpaudit.questions.hunt.global_search import Unevaluated

        for result in (hunted(), mapped()):
            left = Unevaluated(result.evaluated[0].point, "not enclosed", costly=False)
            figure = plot_landscape(changed(result, unevaluated=(left,)))
            assert len(points(figure.axes[0], "_left_out")) == 1
            assert "1 points undecided" in texts(figure)

    def test_a_map_says_what_its_shades_are(self) -> None:
        result, _ = self.scored(mapped(), epsilon=0.25, upper=0.75)
        shown = texts(plot_landscape(result))
        assert "lower bounds" in shown
        assert "known to intervals up to 0.50 wide" in shown


class TestReproduced:
    def figure(self, value: Enclosure) -> Figure:
        narrow = [between(f"0.{i}", f"0.{i}0000000001") for i in range(1, 6)]
        box = Box((*narrow[:2], value, *narrow[3:]), narrow[2])
        series = LineSeries("ours", (1.0, 2.0, 3.0), (narrow[0], value, narrow[1]))
        return plot_panels(
            "a title",
            ["N Fig. 0"],
            [
                Boxes("boxes", "x", "error", ("1",), (BoxSeries("ours", (box,)),)),
                Lines("lines", "n", "realised ε", (series,), level=(0.8, "budget")),
            ],
        )

    def test_narrow_intervals_are_lines_with_their_width(self) -> None:
        figure = self.figure(between("0.3", "0.30000000001"))
        assert "certified to 10⁻¹¹" in texts(figure)
        assert not any(bars(axes) for axes in figure.axes)

    @pytest.mark.parametrize("value", [WIDE, ENDLESS], ids=["wide", "endless"])
    def test_wide_ones_are_bands_and_bars(self, value: Enclosure) -> None:
        figure = self.figure(value)
        above, below = figure.axes
        top = [min(float(value.upper), axes.get_ylim()[1]) for axes in (above, below)]
        assert boxes(above, "_median_interval") == [pytest.approx((0.25, top[0]))]
        assert bars(below) == [(2.0, 0.25, top[1])]
        assert [x for x, _ in points(below, "ours")] == [1.0, 3.0]
        assert BARS in texts(figure)
        assert ("no upper end" in texts(figure)) == value.upper.is_infinite()


class TestGatePage:
    """The page of a gate drew upper ends alone, as one line, and called it certified."""

    def page(self, audit: Any) -> ET.Element:
        finding = Finding(
            title="one",
            mechanism="EHDS",
            kind=Kind.UNDECIDED,
            passed=False,
            message="",
            location=None,
            report=audit,
        )
        document = GateDocument(
            schema="dpaudit.gate/1",
            version="0",
            config="dpaudit.toml",
            config_sha256="",
            verdict=GateVerdict.UNDECIDED,
            mechanisms=(finding,),
            claims=(),
        )
        text = gate_html(document).decode()
        return ET.fromstring(text[text.index("<figure>") : text.index("</figure>") + 9])

    def lines(self, figure: ET.Element) -> list[list[list[float]]]:
        """Return the places of all but the budget, the first and the last height as 0 and 1."""
        return [
            [[float(part) for part in point.split(",")] for point in line.attrib["points"].split()]
            for line in figure.iter("polyline")
            if line.attrib["class"] == "line"
        ]

    def test_narrow_intervals_are_one_line(self) -> None:
        figure = self.page(checked())
        assert [len(line) for line in self.lines(figure)] == [3]
        assert "certified to 10" in "".join(figure.itertext())

    @pytest.mark.parametrize("value", [WIDE, ENDLESS], ids=["wide", "endless"])
    def test_wide_ones_are_bars(self, value: Enclosure) -> None:
        figure = self.page(at_size(checked(), 6, epsilon=value))
        (bar,) = self.lines(figure)
        (x, low), (other, high) = bar
        assert x == other
        top = min(float(line.attrib["y1"]) for line in figure.iter("line"))
        assert (high <= top + 0.1) == value.upper.is_infinite()
        assert low > high
        said = "".join(figure.itertext())
        assert BARS in said
        assert ("no upper end: n = 6" in said) == value.upper.is_infinite()
        assert ("up to 0.50 wide" in said) == value.upper.is_finite()

    def test_undecided_sizes_are_named(self) -> None:
        assert "undecided: n = 6" in "".join(self.page(without(checked(), 6)).itertext())


@cache
def over_an_interval() -> Any:
    return dpaudit.check_interval("EHDS", n=[4, 6], eps="1/2..1").report


class TestBands:
    def changed(self, **changes: Any) -> Any:
        first, *others = over_an_interval().results
        pieces = tuple(replace(piece, **changes) for piece in first.pieces)
        return replace(over_an_interval(), results=(replace(first, pieces=pieces), *others))

    def test_the_band_holds_both_lines_of_every_piece(self) -> None:
        report = self.changed(lower=(Decimal("0.1"),) * 2, upper=(Decimal("0.9"),) * 2)
        figure = plot_bands([report])
        (band,) = bands(figure.axes[0])
        heights = np.asarray(band.get_paths()[0].vertices)[:, 1]
        assert heights.max() == 0.9
        assert heights.min() >= 0.1  # the other size is known to be above that
        assert BARS in texts(figure)
        assert "known to intervals up to" in texts(figure)

    def test_narrow_pieces_are_a_line(self) -> None:
        report = self.changed(lower=(Decimal("0.9"),) * 2, upper=(Decimal("0.9000001"),) * 2)
        figure = plot_bands([report])
        assert not bands(figure.axes[0])
        assert "certified to 10⁻⁷" in texts(figure)

    def test_what_has_no_upper_end_is_named_and_not_drawn(self) -> None:
        endless = self.changed(upper=(Decimal("Infinity"),) * 2)
        endless = replace(endless, described={**endless.described, "name": "Endless"})
        assert "no upper end: Endless" in texts(plot_bands([over_an_interval(), endless]))
        assert "no upper end: Endless" in texts(plot_bands([endless]))  # with its budget alone

    def test_intervals_without_a_verdict_are_named(self) -> None:
        first, *others = over_an_interval().results
        parts = tuple(replace(part, verdict=Verdict.UNDECIDED) for part in first.stretches)
        report = replace(over_an_interval(), results=(replace(first, stretches=parts), *others))
        assert "undecided: ε = 0.5 to 1 (n = 4)" in texts(plot_bands([report]))


EVENT = EventFound(words="yes", x="0", y="1", draws=850, count_x=600, count_y=0)
COUNTED = SampleReport(
    schema="dpaudit.sample/1",
    version="0",
    mechanism={"name": "own"},
    n=1,
    relation="all",
    datasets=2,
    pairs=1,
    budget=Budget(real("1"), real("0")),
    draws=1000,
    error="exp(-20)",
    seed=0,
    verdict=SampleVerdict.NOT_REFUTED,
    event=EVENT,
)


class TestSampled:
    def test_bars_hold_both_probabilities_but_for_the_error(self) -> None:
        """They held each alone, and an error in closed form was a traceback."""
        figure = plot_sample([COUNTED])
        half = math.sqrt((math.log(4) + 20) / 1700)
        expected = [(0, 600 / 850 - half, 600 / 850 + half), (1, 0, half)]
        np.testing.assert_allclose(bars(figure.axes[0]), expected)
        assert points(figure.axes[0], "seen") == [(0.0, 600 / 850), (1.0, 0.0)]
        assert "both true probabilities, except with the error probability" in texts(figure)
        assert "certified" not in texts(figure)

    def test_a_budget_beyond_floats_is_drawn(self) -> None:
        """It was a traceback: e^2000 is no float."""
        report = replace(COUNTED, budget=Budget(real("2000"), real("0")))
        assert plot_sample([report]).axes[0].get_ylim()[1] <= 1.05

    @pytest.mark.parametrize(("distance", "high"), [("0.25", 0.25), ("", None)])
    def test_distances_are_bars_from_nothing(self, distance: str, high: float | None) -> None:
        one = Comparison(dataset="0", draws=9, outputs=2, worst="0", p_value="1", distance=distance)
        report = replace(COUNTED, event=None, against="law", comparisons=(one,))
        figure = plot_sample([report])
        assert bars(figure.axes[0]) == ([] if high is None else [(0.0, 0.0, high)])
        assert "all true distances, except with the error probability" in texts(figure)


@pytest.mark.parametrize(
    ("width", "said"),
    [
        ("0", "exact"),
        ("1E-12", "certified to 10⁻¹²"),
        ("1.1E-12", "certified to 10⁻¹¹"),
        ("0.001", "certified to 10⁻³"),
        ("0.0011", "known to intervals up to 0.0011 wide"),
        ("7", "known to intervals up to 7 wide"),
    ],
)
def test_the_words_for_a_width_are_never_less_than_it(width: str, said: str) -> None:
    assert width_text(Decimal(width)) == said


def test_quantities_known_differently_are_told_apart() -> None:
    known = Known()
    known.note("ε", between("0", "1E-12"))
    known.note("δ", between("0", "0.5"))
    assert known.clauses() == [
        "ε certified to 10⁻¹²",
        "δ known to intervals up to 0.5 wide",
    ]


HOSTILE = (
    "$\\frac{a}$ \\x \u202eevil\x1b[31m\x00\ud800\n]]>--><script>&#x0;%s{0}\U0001f600中\u0301 _"
)
LONG = HOSTILE * 10 + "y" * 300_000


def dressed(report: Any, text: str) -> Any:
    name = {**report.described, "name": text, text[:1000]: text, "p": [text, text]}
    return replace(report, described=name, adjacency=text)


FIGURES: dict[str, Callable[[str], Figure]] = {
    "check": lambda t: plot_realised([dressed(checked(), t), checked()]),
    "notion": lambda t: plot_measured([dressed(measured(), t)]),
    "curve": lambda t: plot_curves([dressed(dpaudit.curve("EHDS", n=4).report, t)]),
    "tradeoff": lambda t: plot_tradeoffs([dressed(dpaudit.tradeoff("EHDS", n=4).report, t)]),
    "calibrate": lambda t: view_of(calibrated()).plot([dressed(calibrated(), t)]),
    "accuracy": lambda t: view_of(compared()[0]).plot([dressed(one, t) for one in compared()]),
    "interval": lambda t: plot_bands([dressed(over_an_interval(), t)]),
    "account": lambda t: plot_accounts(
        [dressed(dpaudit.account("RR", compose=5, at_eps=["0", "2"], estimates=False).report, t)]
    ),
    "sample": lambda t: plot_sample(
        [replace(COUNTED, mechanism={"name": t}, event=replace(EVENT, words=t, x=t))]
    ),
    "side by side": lambda t: plot_realised(
        [dressed(dpaudit.check(name, n=4).report, t) for name in ("EHDS", "EHD")]
    ),
}


@pytest.mark.parametrize(
    "text", [HOSTILE, LONG, "_x", "", " "], ids=["hostile", "long", "_", "0", "b"]
)
@pytest.mark.parametrize("kind", FIGURES)
def test_hostile_texts_make_valid_bounded_figures(kind: str, text: str, tmp_path: Path) -> None:
    """A lone surrogate was a traceback out of the font's library; texts had no end."""
    figure = FIGURES[kind](text)
    assert figure.get_figheight() < 20
    for suffix in (".svg", ".pdf", ".png"):
        save_figure(figure, tmp_path / f"a{suffix}")
        assert (tmp_path / f"a{suffix}").stat().st_size < 2_000_000
    drawn = (tmp_path / "a.svg").read_text(encoding="utf-8")
    root = ET.fromstring(drawn)
    assert not [e for e in root.iter() if e.tag.endswith("script")]
    assert not {"\u202e", "\x1b", "\x00"} & set(drawn)
    if text == HOSTILE:
        assert "$\\frac{a}$" in "".join(root.itertext())


class TestAccounts:
    """δ(ε) of all runs as a band, ε over the number of runs as points or bars."""

    def account(self, **asked: Any) -> Any:
        return dpaudit.account("Gaussian", sigma=4, estimates=False, **asked)

    def changed(self, *values: Enclosure) -> Any:
        report = self.account(compose=9, at_eps=["0", "1", "2"]).report
        rows = [replace(row, delta=value) for row, value in zip(report.rows, values, strict=True)]
        return replace(report, rows=tuple(rows))

    def test_rows_known_to_intervals_are_bars_and_what_lies_between_is_a_band(self) -> None:
        wide = between("0.01", "0.1")
        figure = plot_accounts(
            [self.changed(between("0.5", "0.6"), wide, between("0.001", "0.002"))]
        )
        axes = figure.axes[0]
        assert [b for b in bars(axes) if b[0] == 1.0] == [(1.0, 0.01, 0.1)]
        (band,) = bands(axes)
        at_one = [y for x, y in np.asarray(band.get_paths()[0].vertices) if x == 1.0]
        assert {min(at_one), max(at_one)} == {0.01, 0.1}
        assert BARS in texts(figure)
        assert "known to intervals up to" in texts(figure)

    def test_the_band_between_rows_contains_the_curve(self) -> None:
        report = self.account(compose=16, at_eps=["0", "1/2", "3/2", "3"], at_delta=["1e-3"]).report
        places = known_places(report)
        x = [0.1, 0.25, 0.7, 1.0, 1.4, 2.0, 2.6, 2.9]
        found = self.account(compose=16, at_eps=[str(one) for one in x]).rows
        low, high = bounds_between(places, x)
        for least, row, most in zip(low, found, high, strict=True):
            assert least <= float(row.delta.lower) * (1 + 1e-12)
            assert float(row.delta.upper) <= most * (1 + 1e-12)
        assert all(most < 3 * least for least, most in zip(low[:3], high[:3], strict=True))

    def test_what_is_not_known_at_all_is_said(self) -> None:
        nothing = between("0", "1")
        figure = plot_accounts([self.changed(between("0.5", "0.6"), nothing, nothing)])
        assert "known to intervals up to 1 wide" in texts(figure)

    def test_an_endless_epsilon_over_the_number_of_runs_is_an_arrow_and_is_named(self) -> None:
        reports = list(self.account(compose=[4, 9, 16], at_delta=["1e-3"]).reports)
        first, *others = reports
        (row,) = first.rows
        endless = replace(first, rows=(replace(row, epsilon=ENDLESS),))
        figure = plot_accounts([endless, *others])
        assert "no upper end: δ = 1/1000 = 0.001, 4 runs" in texts(figure)
        assert points(figure.axes[0], "_open")
        infinite = between("Infinity", "Infinity")
        figure = plot_accounts([replace(first, rows=(replace(row, epsilon=infinite),)), *others])
        assert "infinite: δ = 1/1000 = 0.001, 4 runs" in texts(figure)

    def test_a_wide_epsilon_over_the_number_of_runs_is_a_bar(self) -> None:
        first, other = self.account(compose=[4, 9], at_delta=["1e-3"]).reports
        (row,) = first.rows
        figure = plot_accounts([replace(first, rows=(replace(row, epsilon=WIDE),)), other])
        assert bars(figure.axes[0]) == [(4.0, 0.25, 0.75)]
        line = points(figure.axes[0], "δ = 1/1000 = 0.001")
        assert [x for x, _ in line] == [9.0]

    def test_estimates_of_others_are_drawn_beside_it(self) -> None:
        pytest.importorskip("dp_accounting")
        found = dpaudit.account("Gaussian", sigma=4, compose=9, at_eps=["0", "1", "2"])
        axes = found.figure().axes[0]
        for name in ("pessimistic", "optimistic"):
            (curve,) = [line for line in axes.lines if line.get_label() == f"dp-accounting, {name}"]
            assert len(np.asarray(curve.get_xdata())) > 30
        plain = self.account(compose=9, at_eps=["0", "1", "2"]).figure()
        assert "dp-accounting" not in texts(plain)

    def test_nothing_finite_cannot_be_drawn(self) -> None:
        zero = between("0", "0")
        with pytest.raises(ValueError, match="no ε of the account"):
            plot_accounts([self.changed(zero, zero, zero)])
