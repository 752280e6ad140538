"""Random mechanisms written out, against sums of fractions from the definitions."""

from fractions import Fraction
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from dpaudit import check, check_notion, curve, real
from dpaudit.mechanisms.user import FiniteMechanism, finite_mechanism
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.results import Verdict

Law = dict[str, Fraction]

WEIGHTS = st.one_of(st.integers(0, 3), st.integers(0, 10**6), st.just(10**40))


@st.composite
def tables(draw: st.DrawFn) -> list[Law]:
    """Two to four laws over up to five outputs, with many ties and zeros."""
    outputs = "abcde"[: draw(st.integers(1, 5))]
    laws = []
    for _ in range(draw(st.integers(2, 4))):
        weights = draw(st.lists(WEIGHTS, min_size=len(outputs), max_size=len(outputs)).filter(any))
        laws.append(
            {output: Fraction(w, sum(weights)) for output, w in zip(outputs, weights, strict=True)}
        )
    return laws


def mechanism(laws: list[Law]) -> FiniteMechanism:
    return finite_mechanism(datasets=range(len(laws)), neighbours="all", name="table")(
        laws.__getitem__
    )


def directions(laws: list[Law]) -> list[tuple[Law, Law]]:
    return [pair for p, q in combinations(laws, 2) for pair in ((p, q), (q, p))]


def largest_ratio(laws: list[Law]) -> Fraction | None:
    """Return e^ε, None for infinity."""
    ratios = [
        p[output] / q[output] if q[output] else None
        for p, q in directions(laws)
        for output in p
        if p[output]
    ]
    return None if None in ratios else max(ratio for ratio in ratios if ratio is not None)


def delta(laws: list[Law], factor: Fraction) -> Fraction:
    """Return δ at ε = ln(factor)."""
    return max(
        sum((max(Fraction(0), p[output] - factor * q[output]) for output in p), Fraction(0))
        for p, q in directions(laws)
    )


def encloses(interval: Enclosure, value: Fraction) -> bool:
    return value in interval and interval.is_tight(12)


@settings(max_examples=40, deadline=None)
@given(tables(), st.fractions(1, 20, max_denominator=12))
def test_epsilon_delta_and_verdicts_are_those_of_the_fractions(
    laws: list[Law], factor: Fraction
) -> None:
    ratio = largest_ratio(laws)
    tie = factor if ratio is None else ratio
    points = [f"ln({tie})", f"ln({factor})", "0"]
    budget = points[0] if tie > 1 else "1"
    result = check(mechanism(laws), budget=budget, at_eps=points).only
    if ratio is None:
        assert result.epsilon.lower.is_infinite()
    else:
        assert real(result.epsilon.exact or "") == real(f"ln({ratio})")
    assert result.verdict is (Verdict.EXCEEDS if ratio is None else Verdict.WITHIN)
    expected = [delta(laws, tie), delta(laws, factor), delta(laws, Fraction(1))]
    for point, value in zip(result.curve, expected, strict=True):
        assert encloses(point.value, value)
    (curved,) = curve(mechanism(laws), budget=1, at_eps=points).curves
    for text, value in zip(points, expected, strict=True):
        assert encloses(curved.delta(real(text), 12).value, value)
    assert encloses(check_notion(mechanism(laws), 1, "tv", budget=1).value, expected[-1])


@settings(max_examples=20, deadline=None)
@given(tables().filter(lambda laws: (largest_ratio(laws) or 1) > 1))
def test_a_budget_just_below_the_largest_loss_is_exceeded(laws: list[Law]) -> None:
    ratio = largest_ratio(laws)
    assert ratio is not None
    below = 1 + (ratio - 1) * (1 - Fraction(1, 10**25))
    assert check(mechanism(laws), budget=f"ln({below})").verdict is Verdict.EXCEEDS


def test_one_number_in_two_forms_is_enclosed() -> None:
    """Both directions have one δ(0), which two sums of quotients of exponentials show."""
    weights = [
        {"a": "exp(-4/3)", "b": "exp(-1/3)"},
        {"a": "exp(-4)", "b": "exp(-4/3)"},
    ]
    subject = finite_mechanism(datasets=[0, 1], budget=5, normalised=False)(weights.__getitem__)
    result = check(subject, at_eps=[0]).only
    expected = (real("1/(1 + exp(1))") - real("1/(1 + exp(8/3))")).ball()
    assert result.curve[0].value.is_tight(12)
    assert float(result.curve[0].value.lower) <= float(expected) * (1 + 1e-15)
    assert float(result.curve[0].value.upper) >= float(expected) * (1 - 1e-15)
    assert result.verdict is Verdict.WITHIN
