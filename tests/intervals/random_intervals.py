"""Random audits over intervals against audits at points inside them.

``python -m tests.intervals.random_intervals 500`` looks at 500 of them.  Each has a privacy curve
as well, at a proportion of the nominal ε and at a fixed ε′, whose bands hold δ of point audits.
"""

import random
import sys
from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import dpaudit
from dpaudit.api.finished import swept
from dpaudit.api.plans import make_plan
from dpaudit.numbers.real import rational
from dpaudit.questions.interval.curves import CurvesOverInterval
from dpaudit.questions.interval.measure import OverInterval
from dpaudit.results import (
    DeltaBand,
    DeltaPiece,
    IntervalCurve,
    IntervalSize,
    Piece,
    SizeResult,
    Verdict,
)

BAND = Fraction(1, 100)

PRIORS = ("1,1", "1/10,1/10", "2,1/2", "1/2,1/2", "1,1,1", "1/3,2,1")
HELLINGER: dict[str, dict[str, tuple[str, ...]]] = {
    "EHDS": {"gamma": ("1", "1/4", "3")},
    "EHD": {"gs": ("quoted", "computed")},
    "EHDL": {"divisor": ("1", "2")},
    "MH": {
        "delta": ("0.0005", "1/10"),
        "divisor": ("1", "2"),
        "count": ("n", "n+1", "candidates"),
        "smoothing": ("neighbour", "own"),
    },
}
CLOSED: dict[str, tuple[dict[str, tuple[str, ...]], tuple[int, ...]]] = {
    "LSHist": ({}, (1, 2, 5, 40)),
    "LSDim": ({}, (1, 7)),
    "LSZhang": ({}, (1, 7)),
    "NotesLaplace": ({"rounding": ("floor", "toward-zero")}, (1, 6)),
    "Geometric": ({}, (1, 9)),
    "TruncatedGeometric": ({}, (1, 2, 30)),
    "RoundedLaplace": ({"rounding": ("floor", "nearest"), "range": ("line", "clamped")}, (1, 6)),
    "RR": ({}, (1,)),
    "kRR": ({"k": ("2", "5")}, (1,)),
    "AboveThreshold": ({"sensitivity": ("1", "2")}, (1, 2, 3)),
    "SVT1": ({"c": ("1", "2"), "threshold": ("0", "1/2")}, (2, 3)),
    "SVT2": ({"c": ("1", "2")}, (2,)),
    "SVT4": ({"c": ("1", "2")}, (2,)),
    "SVT5": ({}, (2,)),
    "SVT6": ({}, (2,)),
    "ExponentialMechanism": ({}, (2, 3)),
    "PermuteAndFlip": ({}, (2, 3)),
    "RNMLaplace": ({}, (2, 3)),
    "RNMExponential": ({}, (2, 3)),
}


@dataclass(frozen=True)
class Case:
    """One audit over an interval."""

    name: str
    n: int
    parameters: dict[str, Any]
    low: Fraction
    high: Fraction
    budget: Fraction | None
    """A constant; None for the nominal ε."""


def draw(rng: random.Random) -> Case:
    """Return a random case; half of them are of the Hellinger mechanisms."""
    parameters: dict[str, Any] = {}
    if rng.random() < 0.5:
        name = rng.choice(list(HELLINGER))
        options = {**HELLINGER[name], "prior": PRIORS}
    else:
        name = rng.choice(list(CLOSED))
        options, _ = CLOSED[name]
    for option, values in options.items():
        parameters[option] = rng.choice(values)
    if name in HELLINGER:
        n = rng.randint(1, 60 if parameters["prior"].count(",") == 1 else 8)
    else:
        n = rng.choice(CLOSED[name][1])
    low = Fraction(rng.randint(1, 60), rng.choice((10, 20, 30)))
    high = low + Fraction(rng.randint(1, 40), rng.choice((10, 40, 1000)))
    budget = Fraction(rng.randint(2, 30), 10) if rng.random() < 0.5 else None
    return Case(name, n, parameters, low, high, budget)


def over_interval(case: Case) -> IntervalSize:
    """Return the audit over the interval."""
    mechanism = dpaudit.mechanism(case.name, eps=case.high, **case.parameters)
    plan = make_plan(mechanism, budget=case.budget)
    measure = OverInterval((case.low, case.high), constant=case.budget is not None)
    report = swept(measure, mechanism, [case.n], plan, 1)
    assert not report.undecided, (case, report.undecided)
    (found,) = report.results
    return found


def at_point(case: Case, epsilon: Fraction) -> SizeResult:
    """Return the audit at one ε."""
    mechanism = dpaudit.mechanism(case.name, eps=epsilon, **case.parameters)
    budget = mechanism.nominal if case.budget is None else None
    given = (budget.epsilon, budget.delta) if budget is not None else case.budget
    return dpaudit.check(mechanism, case.n, budget=given).results[0]


def line(ends: tuple[Any, Any], share: Fraction) -> Fraction | None:
    """Return the value of a line; None for infinity."""
    if ends[0].is_infinite():
        return None
    return Fraction(ends[0]) + share * (Fraction(ends[1]) - Fraction(ends[0]))


def check_point(case: Case, piece: Piece, epsilon: Fraction) -> None:
    """Assert that a point audit is inside the band of a piece, with the verdict of the piece."""
    point = at_point(case, epsilon)
    first, last = Fraction(piece.first), Fraction(piece.last)
    share = (epsilon - first) / (last - first)
    low, high = line(piece.lower, share), line(piece.upper, share)
    where = (case, piece, epsilon, point.epsilon)
    if point.epsilon.lower.is_infinite():
        assert high is None, where
    else:
        assert low is not None, where
        assert low <= Fraction(point.epsilon.upper), where
        assert high is None or Fraction(point.epsilon.lower) <= high, where
    if piece.slope is not None:
        assert point.epsilon.exact is not None, where
        assert point.epsilon.exact == rational(Fraction(piece.slope) * epsilon), where
    if piece.verdict is not Verdict.UNDECIDED:
        assert point.verdict is piece.verdict, where


def is_narrow(piece: Piece) -> bool:
    """Tell whether the band of a piece is at most 1 % wide at both ends."""
    return (
        piece.slope is not None
        or piece.lower[0].is_infinite()
        or all(
            Fraction(high) <= Fraction(low) * (1 + BAND)
            for low, high in zip(piece.lower, piece.upper, strict=True)
        )
    )


def check_case(case: Case, rng: random.Random, points: int = 3) -> IntervalSize:
    """Assert that the pieces are the interval, narrow, and true at its ends and inside."""
    found = over_interval(case)
    pieces = found.pieces
    assert found.pairs_covered == found.pairs, case
    assert Fraction(pieces[0].first) == case.low, case
    assert Fraction(pieces[-1].last) == case.high, case
    assert all(a.last == b.first for a, b in pairwise(pieces)), case
    assert all(p.verdict is Verdict.UNDECIDED or is_narrow(p) for p in pieces), case
    chosen = [(pieces[0], case.low), (pieces[-1], case.high)]
    for _ in range(points):
        piece = rng.choice(pieces)
        first, last = Fraction(piece.first), Fraction(piece.last)
        chosen.append((piece, first + (last - first) * Fraction(rng.randint(0, 12), 12)))
    for piece, epsilon in chosen:
        check_point(case, piece, epsilon)
    return found


RATIOS = ("0", "1/10", "1/4", "3/10", "1/2", "3/4", "9/10", "1", "5/4")
SMALL = Fraction(1, 10**6)


def smaller(case: Case) -> Case:
    """Return a case at a size at which the curves of all pairs are soon there."""
    most = 3 if "prior" in case.parameters and case.parameters["prior"].count(",") > 1 else 14
    most = 2 if case.name.startswith("SVT") else most
    return replace(case, n=min(case.n, most))


def curve_over_interval(case: Case, ratio: str, at: Fraction) -> IntervalCurve:
    """Return the privacy curve over the interval, at a proportion and at a fixed ε′."""
    mechanism = dpaudit.mechanism(case.name, eps=case.high, **case.parameters)
    plan = make_plan(mechanism, budget=1, at_eps=[at])
    measure = CurvesOverInterval((case.low, case.high), "epsilon", (Fraction(ratio),))
    report = swept(measure, mechanism, [case.n], plan, 1)
    assert not report.undecided, (case, report.undecided)
    (found,) = report.results
    return found


def check_delta(case: Case, band: DeltaBand, piece: DeltaPiece, epsilon: Fraction) -> None:
    """Assert that δ of a point audit is inside the band of a piece."""
    mechanism = dpaudit.mechanism(case.name, eps=epsilon, **case.parameters)
    at: Any = band.epsilon if band.ratio is None else Fraction(band.ratio) * epsilon
    point = dpaudit.check(mechanism, case.n, budget=(9, "1/2"), at_eps=[at]).results[0].curve[0]
    first, last = Fraction(piece.first), Fraction(piece.last)
    share = (epsilon - first) / (last - first)
    low, high = line(piece.lower, share), line(piece.upper, share)
    where = (case, band.ratio, band.epsilon, piece, epsilon, point)
    assert low is not None, where
    assert high is not None, where
    assert low <= Fraction(point.upper), where
    assert Fraction(point.lower) <= high, where
    if piece.zero:
        assert point.lower == 0, where
        assert Fraction(point.upper) <= Fraction(1, 10**12), where


def is_delta_narrow(piece: DeltaPiece) -> bool:
    """Tell whether δ is known to 1 % of itself, or to 10⁻⁶, at both ends of a piece."""
    return all(
        Fraction(high) - Fraction(low) <= max(SMALL, BAND * Fraction(low))
        for low, high in zip(piece.lower, piece.upper, strict=True)
    )


def check_curve(case: Case, rng: random.Random, points: int = 3) -> IntervalCurve:
    """Assert that the pieces of a curve are the interval, narrow, and true at points."""
    case = smaller(case)
    found = curve_over_interval(case, rng.choice(RATIOS), Fraction(rng.randint(0, 30), 20))
    assert found.pairs_covered == found.pairs, case
    for band in found.bands:
        pieces = band.pieces
        assert Fraction(pieces[0].first) == case.low, case
        assert Fraction(pieces[-1].last) == case.high, case
        assert all(a.last == b.first for a, b in pairwise(pieces)), case
        assert all(map(is_delta_narrow, pieces)), (case, band.ratio, band.epsilon)
        chosen = [(pieces[0], case.low), (pieces[-1], case.high)]
        for _ in range(points):
            piece = rng.choice(pieces)
            first, last = Fraction(piece.first), Fraction(piece.last)
            chosen.append((piece, first + (last - first) * Fraction(rng.randint(0, 12), 12)))
        for piece, epsilon in chosen:
            check_delta(case, band, piece, epsilon)
    return found


def main(count: int, seed: int) -> None:
    """Look at ``count`` random audits over intervals."""
    rng = random.Random(seed)
    verdicts: Counter[str] = Counter()
    names: Counter[str] = Counter()
    exact = pieces = of_curves = zeros = 0
    for number in range(count):
        case = draw(rng)
        found = check_case(case, rng)
        verdicts[found.verdict.value] += 1
        names[case.name] += 1
        pieces += len(found.pieces)
        exact += all(piece.slope is not None for piece in found.pieces)
        curve = check_curve(case, rng)
        of_curves += sum(len(band.pieces) for band in curve.bands)
        zeros += sum(all(piece.zero for piece in band.pieces) for band in curve.bands)
        if number % 50 == 49:
            told = f"{5 * (number + 1)} points, {pieces} pieces"
            curves = f"{10 * (number + 1)} points of curves, {of_curves} pieces, {zeros} bands of 0"
            print(f"{number + 1} audits, {told}, {curves}", flush=True)
    print(f"all {count} hold: {dict(verdicts)}; exact throughout: {exact}; {dict(names)}")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1)
