"""Privacy curves over an interval, and δ where it decides: true at every point, ties at 0."""

import json
import random
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import dpaudit
from dpaudit.api.plans import make_plan
from dpaudit.cli.main import invoke
from dpaudit.errors import UsageError
from dpaudit.laws.deltas_over import Abscissa, ClosedDeltas, PairForms
from dpaudit.numbers.ball import Ball, precision
from dpaudit.numbers.expsum import ExpSum
from dpaudit.numbers.varying import Varying, shares
from dpaudit.questions.interval.curves import CurvesOverInterval
from dpaudit.recheck.verify import verify
from dpaudit.results import IntervalCurve, Verdict
from dpaudit.results.documents import seal_of
from tests.intervals.random_intervals import check_curve, draw, is_delta_narrow


@pytest.mark.parametrize("seed", range(16))
def test_random_curves_hold_delta_of_every_point_audit(seed: int) -> None:
    rng = random.Random(seed)
    check_curve(draw(rng), rng)


@pytest.mark.parametrize(
    ("name", "n"), [("LSHist", 12), ("TruncatedGeometric", 30), ("RR", 1), ("PermuteAndFlip", 2)]
)
def test_delta_is_exactly_0_from_the_tie_on_and_nowhere_before(name: str, n: int) -> None:
    (found,) = dpaudit.curve_interval(name, n, eps="1/10..2", at_ratio="99/100,1,5/4").results
    before, tie, beyond = found.bands
    assert all(piece.zero for band in (tie, beyond) for piece in band.pieces)
    assert not any(piece.zero for piece in before.pieces)
    (fixed,) = dpaudit.curve_interval(name, n, eps="1/10..2", at_eps="1/2").results[0].bands
    assert max(Fraction(piece.last) for piece in fixed.pieces if piece.zero) == Fraction(1, 2)
    assert all(piece.zero == (Fraction(piece.last) <= Fraction(1, 2)) for piece in fixed.pieces)


@pytest.mark.parametrize(
    ("name", "parameter", "interval", "given"),
    [
        ("Gaussian", "sigma", "1..4", {}),
        ("DiscreteGaussian", "sigma", "1/3..4", {}),
        ("Laplace", "scale", "1/2..4", {}),
        ("DiscreteLaplace", "scale", "1/2..4", {}),
        ("EHDS", "gamma", "1/2..2", {}),
        ("EHDS", "prior", "1/2..2", {}),
        ("MH", "delta", "1/10..1/2", {"prior": "1/2,2"}),
    ],
)
def test_curves_over_other_parameters_hold_every_point(
    name: str, parameter: str, interval: str, given: dict[str, Any]
) -> None:
    asked = {**given, parameter: interval}
    (found,) = dpaudit.curve_interval(name, 4, at_eps=["0", "1/5", "1"], **asked).results
    rng = random.Random(7)
    assert found.complete
    for band in found.bands:
        assert all(map(is_delta_narrow, band.pieces))
        for piece in rng.sample(band.pieces, min(4, len(band.pieces))):
            first, last = Fraction(piece.first), Fraction(piece.last)
            for share in (Fraction(0), Fraction(rng.randint(1, 9), 10), Fraction(1)):
                value = first + share * (last - first)
                own: Any = (value,) * 2 if parameter == "prior" else value
                at = [str(band.epsilon)]
                mechanism = dpaudit.mechanism(name, **{**given, parameter: own})
                point = dpaudit.check(mechanism, 4, budget=(9, "1/2"), at_eps=at).results[0]
                low, high = (
                    Fraction(ends[0]) + share * (Fraction(ends[1]) - Fraction(ends[0]))
                    for ends in (piece.lower, piece.upper)
                )
                assert low <= Fraction(point.curve[0].upper), (piece, value)
                assert Fraction(point.curve[0].lower) <= high, (piece, value)


def test_shares_hold_every_value_and_the_slopes_of_all_chords() -> None:
    functions: list[Callable[[Any], Any]] = [
        lambda t: -(t * t) * 3,
        lambda t: t * 2 - 1,
        lambda t: (t * -1).exp(),
    ]
    low, high = Fraction(1, 2), Fraction(3, 4)
    with precision(96):
        whole = Varying.parameter(low, high)
        found = shares([function(whole) for function in functions])
        places = [low + (high - low) * Fraction(part, 6) for part in range(7)]
        rows = []
        for place in places:
            at = Ball(place.numerator) / place.denominator
            weights = [function(at).exp() for function in functions]
            rows.append([weight / sum(weights, Ball(0)) for weight in weights])
        for index, share in enumerate(found):
            values = [row[index] for row in rows]
            assert all(share.range.overlaps(value) for value in values)
            assert float(share.range.rad()) < 0.2
            for i, first in enumerate(values):
                for j in range(i):
                    run = places[i] - places[j]
                    chord = (first - values[j]) * run.denominator / run.numerator
                    assert share.slope.overlaps(chord)


def test_outputs_of_one_loss_are_put_together_and_others_are_not() -> None:
    half, t = ExpSum.term(Fraction(1, 2)), ExpSum.term(Fraction(1, 2), s=1)
    one = ExpSum.term(1)
    pair = PairForms(0, 1, ((half, t, one), (half, t, one), (t, half, one)))
    merged = pair.merged().masses
    assert set(merged) == {(half + half, t + t, one), (t, half, one)}
    family = ClosedDeltas([pair, pair._replace(x=2)], 2, lambda rate: rate, Fraction(1))
    assert family.ways == [(0, 1), (1, 0)]  # another pair with the same masses is not looked at
    mixed, total = half + t, one + one
    twice = PairForms(0, 1, ((mixed, one, total),) * 2 + ((mixed + mixed, one + one, total),))
    once = PairForms(2, 3, ((mixed + mixed, one + one, total),))
    several = ClosedDeltas([twice, once], 2, lambda rate: rate, Fraction(1))
    assert len(several.ways) == 4  # how often an output comes counts
    found = family.piece(Fraction(1), Fraction(2))(Abscissa(Fraction(1)), range(2))
    assert found.lines.upper == (0, 0)


@pytest.mark.parametrize(
    ("name", "budget"), [("Gaussian", "1,1/100"), ("DiscreteGaussian", "1,1/100")]
)
def test_noise_without_a_largest_loss_is_held_to_delta(
    name: str, budget: str, tmp_path: Path
) -> None:
    epsilon, delta = budget.split(",")
    found = dpaudit.check_interval(name, 1, sigma="1..10", budget=(epsilon, delta))
    assert found.verdict is Verdict.EXCEEDS
    (size,) = found.results
    assert [one.verdict.value for one in size.stretches] == ["exceeds", "undecided", "within"]
    undecided = size.stretches[1]
    assert Fraction(undecided.last) - Fraction(undecided.first) < Fraction(1, 10_000)
    for sigma, verdict in ((undecided.first, "exceeds"), (undecided.last, "within")):
        point = dpaudit.check(name, 1, sigma=sigma, budget=(epsilon, delta))
        assert point.verdict == verdict
    path = tmp_path / "report.json"
    path.write_text(found.to_json())
    held = verify(path)
    assert held.verdict == "accepted", held
    assert held.rechecked["δ at points"] > 20
    assert "δ at the ε of the budget" in [axes.get_ylabel() for axes in found.figure().axes]
    within = dpaudit.check_interval(name, 1, sigma="2..10", budget=(epsilon, delta))
    assert within.verdict is Verdict.WITHIN
    pure = dpaudit.check_interval(name, 1, sigma="2..10", budget=1)
    assert pure.verdict is Verdict.EXCEEDS


def test_a_budget_with_delta_is_decided_where_the_realised_epsilon_is_too_large() -> None:
    found = dpaudit.check_interval("EHDS", 6, eps="1/2..2", budget=("1/10", "1/10"))
    (size,) = found.results
    assert found.verdict is Verdict.EXCEEDS
    assert [one.verdict.value for one in size.stretches] == ["within", "undecided", "exceeds"]
    edge = size.stretches[1]
    for eps, verdict in ((edge.first, "within"), (edge.last, "exceeds")):
        assert dpaudit.check("EHDS", 6, eps=eps, budget=("1/10", "1/10")).verdict == verdict


def _report(tmp_path: Path, *words: str) -> tuple[Path, dict[str, Any]]:
    path = tmp_path / "report.json"
    assert invoke(["curve", *words, "--format", "json", "--output", str(path)]) == 0
    return path, json.loads(path.read_text())


@pytest.mark.wrong_on_purpose  # reports are changed, to be rejected
@pytest.mark.parametrize(
    "words",
    [
        ("EHDS", "--n", "4", "--eps", "1/10..2", "--at-ratio", "0,1/4"),
        ("LSHist", "--n", "3", "--eps", "1/10..2", "--at-eps", "1/2"),
        ("Laplace", "--scale", "1..2", "--at-eps", "1/4"),
    ],
)
def test_verify_computes_points_and_believes_no_band(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    path, true = _report(tmp_path, *words)
    held = verify(path)
    assert held.verdict == "accepted", held
    assert held.rechecked["δ at points"] > 20
    (size,) = true["results"]
    band, *others = size["bands"]
    pieces = band["pieces"]
    forged: list[dict[str, Any]] = [
        {"lower": ["0", "0"], "upper": ["0", "0"], "zero": True},
        {"lower": ["0", "0"], "upper": ["0.0001", "0.0001"]},
        {"lower": ["0.9", "0.9"], "upper": ["1", "1"]},
        {"last": "0.1234"},
        {"upper": ["0", "0"]},
        {"x": [0, 2]},
    ]
    bands = [{**band, "pieces": [*pieces[:-1], {**pieces[-1], **one}]} for one in forged]
    bands += [{**band, "pieces": pieces[1:]}, {**band, "ratio": "1/7", "epsilon": None}]
    sizes = [{**size, "bands": [one, *others]} for one in bands]
    sizes += [{**size, "pairs": 99, "pairs_covered": 99}, {**size, "pairs_covered": 0}]
    for one in sizes:
        changed = {**true, "results": [one]}
        path.write_text(json.dumps({**changed, "sha256": seal_of(changed)}))
        try:
            assert verify(path).verdict == "rejected", one
        except UsageError:
            assert one["bands"][0]["ratio"] == "1/7"  # of a parameter that is no ε


def test_results_from_elsewhere_are_looked_at() -> None:
    mechanism = dpaudit.mechanism("EHDS", eps=2)
    plan = make_plan(mechanism, budget=1)
    ends = Fraction(1, 10), Fraction(2)
    measure = CurvesOverInterval(ends, "epsilon", (Fraction(0), Fraction(1)))
    found: IntervalCurve = measure.at_size(mechanism, 4, plan, lambda pairs: None)
    assert measure.judged(found, plan, 4) == found
    first, second = found.bands
    sunk = replace(first.pieces[0], upper=(Decimal(-1), Decimal(-1)))
    for bands in (
        (second, first),
        (replace(first, pieces=first.pieces[1:]), second),
        (replace(first, pieces=(sunk, *first.pieces[1:])), second),
    ):
        with pytest.raises(ValueError, match=r".+"):
            measure.judged(replace(found, bands=bands), plan, 4)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("EHDS --n 4 --at-ratio 1", "--at-ratio needs an interval"),
        ("EHDS --n 4 --gamma 1..2", "a curve over an interval of a parameter other than ε"),
        (
            "EHDS --n 4 --gamma 1..2 --at-ratio 1/2",
            "--at-ratio needs an interval of the nominal ε; for",
        ),
        ("EHDS --n 4 --eps 1..2 --at-ratio -1", "at least 0"),
        ("EHDS --n 4 --eps 1..2 --at-ratio x", "x"),
        ("EHDS --n 4 --eps 1..2 --at-ratio ln(2)", "rational"),
        ("EHDS --n 4 --eps 2..1", "FIRST < LAST"),
        ("EHDS --n 4 --eps 1..2 --at 2,2", "--at"),
        ("EHDS --n 4 --eps 1..2 --resume x.json", "--resume"),
        ("NoisyHistogram --n 4 --eps 1..2", "cannot be audited over an interval"),
        ("SVT3 --n 2 --eps 1..2", "cannot be audited over an interval"),
        ("Gaussian --sigma 0..2 --at-eps 1", "0 < FIRST"),
    ],
)
def test_what_no_curve_over_an_interval_takes_is_one_line(
    words: str, why: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert invoke(["curve", *words.split(), "--no-plot"]) == 2
    told = capfd.readouterr().err
    assert why in told
    assert len(told.splitlines()) == 1


def test_a_size_with_too_many_outputs_is_named_and_has_no_result(
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert invoke(["curve", "EHDS", "--n", "3,400", "--eps", "1..2", "--no-plot"]) == 3
    said = capfd.readouterr().out
    assert "400 pairs with 401 outputs are more losses than" in " ".join(said.split())


def test_processes_change_nothing() -> None:
    one, two = (
        dpaudit.curve_interval("EHDS", "2..4", eps="1..2", at_ratio="0", jobs=jobs).results
        for jobs in (1, 2)
    )
    assert one == two


@pytest.mark.parametrize(
    ("name", "n", "given", "at"),
    [
        ("Gaussian", None, {"sigma": "1..1000"}, "50"),
        ("Gaussian", None, {"sigma": "700..1500"}, "16"),
        ("Gaussian", None, {"sigma": "1..2"}, "1e9"),
        ("DiscreteGaussian", 3, {"sigma": "10..20"}, "400"),
    ],
)
def test_a_delta_that_is_nearly_0_has_short_lines(
    name: str, n: int | None, given: dict[str, Any], at: str
) -> None:
    found = dpaudit.curve_interval(name, n, at_eps=[at], **given)
    (size,) = found.report.results
    (band,) = size.bands
    for piece in band.pieces:
        assert not piece.zero
        assert is_delta_narrow(piece)
        assert all(0 < end < Fraction(1, 10**6) for end in map(Fraction, piece.upper))
        assert all(len(str(end)) < 30 for end in (*piece.lower, *piece.upper))


@pytest.mark.parametrize(
    ("name", "n", "given", "budget"),
    [
        ("Gaussian", None, {"sigma": "1..2"}, (1, "1e-400")),
        ("RR", None, {"eps": "1/10..2"}, "1e-400"),
        ("RR", None, {"eps": "1e-390..1e-380"}, "1e-395"),
    ],
)
def test_a_budget_nearer_0_than_floats_is_exceeded_with_a_witness(
    name: str, n: int | None, given: dict[str, Any], budget: Any
) -> None:
    found = dpaudit.check_interval(name, n, budget=budget, **given)
    assert found.verdict is Verdict.EXCEEDS
    (size,) = found.report.results
    assert size.exceeded is not None


@pytest.mark.parametrize("name", ["EHDS", "MH"])
def test_an_epsilon_beyond_floats_leaves_a_size_without_a_result(name: str) -> None:
    for found in (
        dpaudit.check_interval(name, 4, eps="1e-390..1e-320"),
        dpaudit.curve_interval(name, 4, eps="1e-390..1e-320"),
    ):
        assert [one.n for one in found.report.undecided] == [4]
        assert not found.report.results


@pytest.mark.wrong_on_purpose  # reports are changed, to be rejected
def test_verify_believes_no_0_where_a_loss_is_larger_than_the_abscissa(tmp_path: Path) -> None:
    path, true = _report(tmp_path, "Gaussian", "--sigma", "10..11", "--at-eps", "50")
    assert verify(path).verdict == "accepted"
    (size,) = true["results"]
    (band,) = size["bands"]
    nothing = {"first": "10", "last": "11", "lower": ["0", "0"], "upper": ["0", "0"], "zero": True}
    changed = {**true, "results": [{**size, "bands": [{**band, "pieces": [nothing]}]}]}
    path.write_text(json.dumps({**changed, "sha256": seal_of(changed)}))
    assert verify(path).verdict == "rejected"


@pytest.mark.wrong_on_purpose  # reports are changed, to be rejected
def test_verify_looks_at_a_worst_pair_where_no_middle_is_computed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, true = _report(tmp_path, "EHDS", "--n", "4", "--eps", "1..2", "--at-ratio", "1/8")
    monkeypatch.setattr("dpaudit.recheck.interval_points._MOST_ENTRIES", 20 * 9)
    assert verify(path).rechecked["δ at worst pairs"] > 0
    (size,) = true["results"]
    (band,) = size["bands"]
    pieces = band["pieces"]
    even = {1 + Fraction(part, 8) for part in range(9)}
    looked_at = 0
    for place, piece in enumerate(pieces):
        first, last = Fraction(piece["first"]), Fraction(piece["last"])
        if (first + last) / 2 in even or not any(first <= one <= last for one in even):
            continue
        looked_at += 1
        for pair in ({"x": [2, 2], "y": [1, 3]}, {"x": None}):
            others = [*pieces[:place], {**piece, **pair}, *pieces[place + 1 :]]
            changed = {**true, "results": [{**size, "bands": [{**band, "pieces": others}]}]}
            path.write_text(json.dumps({**changed, "sha256": seal_of(changed)}))
            assert verify(path).verdict == "rejected", pair
    assert looked_at


@pytest.mark.parametrize(
    ("name", "parameter", "interval", "budget"),
    [
        ("Laplace", "scale", "1e-5..1e5", 1),
        ("EHDS", "prior", "1e-6..1e6", "4/5"),
        ("MH", "delta", "1e-100..1/2", "4/5"),
    ],
)
def test_an_interval_over_powers_of_ten_is_cut_by_powers(
    name: str, parameter: str, interval: str, budget: Any
) -> None:
    n = None if name == "Laplace" else 4
    asked: Any = {parameter: interval}
    (found,) = dpaudit.check_interval(name, n, budget=budget, **asked).report.results
    for piece in found.pieces:
        narrow = Fraction(piece.first) * (1 + Fraction(1, 10**4)) > Fraction(piece.last)
        assert narrow or piece.verdict is not Verdict.UNDECIDED
        assert len(piece.first) < 120
