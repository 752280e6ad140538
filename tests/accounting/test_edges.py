"""Infinite losses, masses known as balls, ties between pairs, mixed directions, interruptions."""

import random
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from dpaudit import program
from dpaudit.api.plans import mechanism
from dpaudit.errors import LawError
from dpaudit.laws.shifted import GaussianDivergence
from dpaudit.mechanisms.parameters import read_budget
from dpaudit.mechanisms.user import finite_mechanism
from dpaudit.numbers.ball import Ball, ball, lower_fraction, precision, upper_fraction
from dpaudit.numbers.enclosure import enclose
from dpaudit.numbers.lattice import LossLattice
from dpaudit.numbers.loss_cells import lattice_of_points
from dpaudit.numbers.real import ZERO, rational, real
from dpaudit.questions.account import candidates as directed
from dpaudit.questions.account import certified
from dpaudit.questions.account.certified import certified_account
from dpaudit.questions.account.contour import ContourBand
from dpaudit.questions.account.lattices import Effort, _Composition, band
from dpaudit.questions.account.moments import ListedMoments, SampledGaussianMoments
from dpaudit.questions.account.outcomes import LossClass, Outcomes, unit_vectors
from dpaudit.questions.account.pair_selection import falls_short
from dpaudit.questions.account.sources import Listed
from dpaudit.questions.account.subsampling import subsampled
from dpaudit.results import Verdict
from dpaudit.results.accounts import DeltaRow, EpsilonRow
from tests.accounting.random import convolved, hockey_stick

TINY = Fraction(1, 10**6)
LAWS = {
    "a": [Fraction(1, 2), Fraction(3, 10), Fraction(1, 5) - TINY, TINY],
    "b": [Fraction(3, 10), Fraction(3, 10), Fraction(2, 5), Fraction(0)],
}
"""Two laws; the last output is only of the first."""


def listed(laws: dict[str, list[Fraction]]) -> Any:
    @finite_mechanism(budget="1", datasets=sorted(laws), neighbours="all")
    def one(x: str) -> dict[int, Fraction]:
        return {place: mass for place, mass in enumerate(laws[x]) if mass}

    return one


def infinite(runs: int) -> Fraction:
    return 1 - (1 - TINY) ** runs


@pytest.mark.parametrize("runs", [2, 300, 2000])
def test_infinite_losses_of_few_and_many_runs(runs: int) -> None:
    """ε is infinite at a δ below the infinity mass, and δ never falls below that mass."""
    below, above = infinite(runs) * Fraction(99, 100), infinite(runs) * Fraction(101, 100)
    found = certified_account(
        listed(LAWS), 1, runs, at_delta=[below, above], at_eps=[10**5], adaptive=False, width="1/10"
    )
    first, second, far = found.rows
    assert isinstance(first, EpsilonRow)
    assert isinstance(second, EpsilonRow)
    assert isinstance(far, DeltaRow)
    assert first.epsilon.lower.is_infinite()
    assert not second.epsilon.upper.is_infinite()
    assert Fraction(far.delta.lower) <= infinite(runs) <= Fraction(far.delta.upper)
    assert float(far.delta.width) < 1e-4


def test_infinite_losses_on_lattices_and_contours_alike() -> None:
    pairs = list(zip(LAWS["a"], LAWS["b"], strict=True))
    with precision(200):
        kept = zip(pairs, unit_vectors(3), strict=False)
        finite = tuple(LossClass(ball(p), ball(q), vector) for (p, q), vector in kept)
        one = Outcomes("ball", 1, finite, ball(TINY), Ball(0))
        joint = convolved([(p, q) for p, q in pairs if q], 9)
        for order in (Fraction(1), Fraction(3), Fraction(9)):
            truth = hockey_stick(joint, order) + infinite(9)
            for found in (
                band(Listed(one, forward=True), 9, Effort(1e-3, Fraction(1, 10**12))),
                ContourBand(ListedMoments(one, forward=True), 9, 1e-3),
            ):
                low, high = found.delta(rational(order).ln())
                assert lower_fraction(low) <= truth <= upper_fraction(high)


@pytest.mark.parametrize("runs", [1, 3])
def test_masses_that_may_be_nothing_are_enclosed(runs: int) -> None:
    """Of a law with a rest, an output may have any mass from 0 to the rest on either side."""
    rest, part = Fraction(1, 1 << 30), Fraction(1, 1 << 29)
    sides = [(Fraction(1, 2), Fraction(1, 4)), (Fraction(1, 2), Fraction(3, 4) - part)]
    with precision(200):
        wide = Ball(0).union(ball(rest))
        *vectors, last_vector = unit_vectors(3)
        known = [LossClass(ball(p), ball(q), v) for (p, q), v in zip(sides, vectors, strict=True)]
        for masses in ((wide, ball(part)), (ball(part), wide)):
            unknown = LossClass(*masses, last_vector)
            one = Outcomes("ball", 1, (*known, unknown), Ball(0), Ball(0))
            for mass in (Fraction(0), rest / 2, rest):
                last = (mass, part) if unknown.p is wide else (part, mass)
                joint = convolved([*sides, last], runs)
                total = sum(p for p, _ in [*sides, last])
                found = band(Listed(one, forward=True), runs, Effort(1e-4, Fraction(1, 10**12)))
                for order in (Fraction(1), Fraction(3, 2), Fraction(5)):
                    truth = hockey_stick(joint, order)
                    low, high = found.delta(rational(order).ln())
                    assert lower_fraction(low) <= truth <= upper_fraction(high) + max(total - 1, 0)


def test_adaptive_runs_may_see_one_pair_in_both_directions() -> None:
    """Once each way, the two laws reach a δ that twice the same way does not."""
    sides = [
        (Fraction(1, 3), Fraction(10, 13)),
        (Fraction(2, 3), Fraction(1, 26)),
        (Fraction(0), Fraction(5, 26)),
    ]
    laws = {"a": [p for p, _ in sides], "b": [q for _, q in sides]}
    mixed = [(p * s, q * r) for p, q in sides for r, s in sides]
    (row,) = certified_account(listed(laws), 1, 2, at_eps=["ln(10)"]).rows
    assert isinstance(row, DeltaRow)
    truth = hockey_stick(mixed, Fraction(10))
    assert Fraction(row.delta.upper) < truth
    assert row.adaptive_upper is not None
    assert Fraction(row.adaptive_upper) >= truth


def test_of_pairs_that_differ_beyond_the_digits_shown_the_larger_counts() -> None:
    half, more = Fraction(1, 2), Fraction(1, 10**50)
    laws = {"a": [half, half], "b": [half + 2 * more, half - 2 * more], "c": [half + more * 9] * 1}
    laws["c"].append(1 - laws["c"][0])
    for budget in (7 * more, 9 * more):
        found = certified_account(listed(laws), 1, 1, budget=read_budget(["0", budget]))
        expected = Verdict.WITHIN if budget == 9 * more else Verdict.EXCEEDS
        assert found.verdict is expected


def test_pairs_whose_ends_agree_are_told_apart() -> None:
    """Two pairs have δ = 1/3 up to 10⁻⁵⁰; the budget lies between them."""
    more, third = Fraction(1, 10**50), Fraction(1, 3)
    laws = {
        "a": [Fraction(1), Fraction(0)],
        "b": [1 - third, third],
        "c": [1 - third - 2 * more, third + 2 * more],
    }
    found = certified_account(
        listed(laws), 1, 1, budget=read_budget(["0", third + more]), adaptive=False
    )
    assert found.verdict is Verdict.EXCEEDS


def test_an_interruption_keeps_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs that were not looked at may have any δ and ε, and a line says how many they are."""
    laws = {**LAWS, "c": [Fraction(1, 4)] * 4}
    looked: list[Any] = []
    look = directed.Candidate.look

    def interrupted(one: Any, *given: Any) -> None:
        if len(looked) == 2:
            raise KeyboardInterrupt
        looked.append(one)
        look(one, *given)

    monkeypatch.setattr(directed.Candidate, "look", interrupted)
    found = certified_account(listed(laws), 1, 2, at_delta=["1/10"], at_eps=["1"])
    assert found.interrupted
    assert (
        "4 of 6 directed pairs have no interval yet; the widest possible one is assumed for them"
        in found.refused
    )
    first, second = found.rows
    assert isinstance(first, EpsilonRow)
    assert isinstance(second, DeltaRow)
    assert first.epsilon.upper.is_infinite()
    assert 0 < second.delta.lower < second.delta.upper == 1


def test_an_interruption_while_refining_keeps_the_intervals_so_far(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A second, finer look, and the search for adaptive bounds, may be cut short."""
    subject = mechanism("Laplace", scale="10")
    plain = certified_account(subject, 1, 12, at_delta=["1e-6"], width="1e-6", adaptive=False)
    looked: list[Any] = []
    look = directed.Candidate.look

    def interrupted(one: Any, *given: Any) -> None:
        looked.append(one)
        if len(looked) == 2:
            raise KeyboardInterrupt
        look(one, *given)

    monkeypatch.setattr(directed.Candidate, "look", interrupted)
    found = certified_account(subject, 1, 12, at_delta=["1e-6"], width="1e-6")
    assert found.interrupted
    ((first,), (second,)) = (found.rows, plain.rows)
    assert isinstance(first, EpsilonRow)
    assert isinstance(second, EpsilonRow)
    assert first.epsilon.lower <= second.epsilon.lower < second.epsilon.upper <= first.epsilon.upper
    assert 0 < first.epsilon.width < Decimal("1e-2")

    def bounds(*given: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(directed.Candidate, "look", look)
    monkeypatch.setattr(certified, "adaptive_bounds", bounds)
    found = certified_account(subject, 1, 12, at_delta=["1e-6"], width="1e-6")
    (last,) = found.rows
    assert isinstance(last, EpsilonRow)
    assert found.interrupted
    assert (last.epsilon, last.adaptive_upper) == (second.epsilon, None)
    assert "interrupted before bounds for adaptive runs were found" in found.refused


def test_what_is_no_number_is_not_infinite() -> None:
    nothing = Ball.pos_inf() - Ball.pos_inf()
    assert enclose(nothing, 9).lower == 0
    assert enclose(Ball.pos_inf(), 9).lower.is_infinite()


def test_a_lattice_of_one_point_is_coarsened_as_others_are() -> None:
    """Products of lattices of different steps would put masses in wrong places."""

    def one(step: str, places: dict[int, str]) -> LossLattice:
        points = {place: real(mass).ball() for place, mass in places.items()}
        return lattice_of_points(
            points, real(step), ZERO, 128, above=True, infinite=Ball(0), complete=True
        )

    fine, coarse = one("1/8", {3: "1"}), one("1/2", {0: "1/2", 2: "1/2"})
    product = _Composition(2, Effort(1.0, Fraction(1, 10**9)), True, False).times(fine, coarse, 2)
    with precision(200):  # the losses are 3/8 and 11/8, each with mass 1/2
        truth = (1 - (-real("3/8")).exp().ball()) / 2 + (1 - (-real("11/8")).exp().ball()) / 2
        assert upper_fraction(product.delta(ZERO)) >= lower_fraction(truth)


@pytest.mark.parametrize("remove", [True, False])
def test_a_loss_at_the_end_of_what_samples_reach_counts(remove: bool) -> None:
    """With much shift nearly all mass is next to ln(1 − q); a ball around it may hold that mass."""
    measure = GaussianDivergence(real("100")).loss_measure(forward=True)
    assert measure is not None
    with precision(64):
        rate = real("1/10")
        end = (real(1) - rate).ln().ball() * Ball(1, 1e-15)
        p, q = subsampled(measure, rate, remove=remove).below(end if remove else -end)
        assert upper_fraction(q) > Fraction(8, 10)
        assert remove or upper_fraction(p) > Fraction(8, 10)


def test_few_sampled_runs_are_not_held_to_a_negative_level() -> None:
    moments = SampledGaussianMoments(real(1), real("1/10"), True)
    with precision(128):
        moment = moments.along(Ball(1), Ball(1), 1)[0].real
        assert float(moments.decay(Ball(1), moment, Ball(10**9), 20)) == 1.0


def test_of_many_pairs_those_left_out_do_not_exceed_the_rest() -> None:
    """No pair exceeds the upper end; mirrored pairs and lesser ones are dropped."""
    odd = Fraction(1, 2**61 - 1)  # so that losses are unrelated
    first = [Fraction(1, 2) + odd, Fraction(3, 10), Fraction(1, 5) - odd]
    second = [Fraction(9, 20) + odd, Fraction(7, 20) + odd, Fraction(1, 5) - 2 * odd]
    laws = {"a": first, "b": second, "c": second[::-1], "d": first[::-1]}
    asked: dict[str, Any] = {"at_delta": ["1e-6"], "width": "1e-2", "adaptive": False}
    (row,) = certified_account(listed(laws), 1, 400, **asked).rows
    assert isinstance(row, EpsilonRow)
    assert row.method == "contour"
    ends = []
    for pair in ("ad", "bc", "ab"):
        (other,) = certified_account(listed({x: laws[x] for x in pair}), 1, 400, **asked).rows
        assert isinstance(other, EpsilonRow)
        ends.append(other.epsilon)
    assert max(one.lower for one in ends) <= row.epsilon.upper
    assert row.epsilon.lower <= max(one.upper for one in ends)


def test_a_mirrored_pair_dominates_and_a_smaller_one_does_not() -> None:
    sides = [(Fraction(1, 2), Fraction(1, 3)), (Fraction(1, 2), Fraction(2, 3))]
    wider = [(Fraction(1, 2), Fraction(1, 4)), (Fraction(1, 2), Fraction(3, 4))]

    def moments(pairs: list[tuple[Fraction, Fraction]]) -> ListedMoments:
        known = zip(pairs, unit_vectors(len(pairs)), strict=True)
        finite = tuple(LossClass(ball(p), ball(q), vector) for (p, q), vector in known)
        return ListedMoments(Outcomes("ball", 1, finite, Ball(0), Ball(0)), forward=True)

    with precision(320):
        assert moments(sides).dominates(moments(sides[::-1]))
        assert moments(wider).dominates(moments(sides))
        assert not moments(sides).dominates(moments(wider))
        close = [
            (p, q + change) for (p, q), change in zip(sides, (-(TINY**9), TINY**9), strict=True)
        ]
        assert not moments(sides).dominates(moments(close))


def test_a_delta_below_all_floats_ends_in_an_interval() -> None:
    (row,) = certified_account(
        listed({"a": [Fraction(1, 2)] * 2, "b": [Fraction(1, 3), Fraction(2, 3)]}),
        1,
        3000,
        at_delta=[Fraction(1, 10**400)],
        adaptive=False,
    ).rows
    assert isinstance(row, EpsilonRow)
    assert 0 < row.epsilon.lower <= row.epsilon.upper


def test_programs_are_composed_and_those_with_a_rest_are_refused() -> None:
    """Runs of a program with an output of one side alone; one whose paths do not end has no law."""

    @program(datasets=[0, 1], neighbours="all", budget=9)
    def once(x: int, random: Any) -> int:
        if x and random.bernoulli(TINY):
            return 2
        return int(random.bernoulli(Fraction(1, 2 + x)))

    @program(datasets=[0, 1], neighbours="all", budget=9, paths=24)
    def waits(x: int, random: Any) -> int:
        count = 0
        while not random.bernoulli(Fraction(1, 2 + x)):
            count += 1
        return count

    (row, tiny) = certified_account(once, 1, 3, at_eps=["0"], at_delta=[TINY / 2]).rows[::-1]
    rest = 1 - TINY
    pairs = [
        (rest * Fraction(2, 3), Fraction(1, 2)),
        (rest * Fraction(1, 3), Fraction(1, 2)),
        (TINY, Fraction(0)),
    ]
    assert isinstance(row, DeltaRow)
    assert isinstance(tiny, EpsilonRow)
    assert row.delta.exact is not None
    assert row.delta.exact.as_fraction() == hockey_stick(convolved(pairs, 3), Fraction(1))
    assert tiny.epsilon.lower.is_infinite()
    with pytest.raises(LawError, match="more than 24 paths"):
        certified_account(waits, 1, 3, at_eps=["0"])


@pytest.mark.parametrize("seed", [0])
def test_pairs_fall_short_only_of_what_is_larger(seed: int) -> None:
    """Whatever is noted of a pair that is left out is not below what all its runs reach."""
    dice = random.Random(seed)
    weights = [[dice.randint(1, 30) for _ in range(3)] for _ in range(2)]
    pairs = [
        (Fraction(a, sum(weights[0])), Fraction(b, sum(weights[1])))
        for a, b in zip(*weights, strict=True)
    ]
    joint = convolved(pairs, 9)
    with precision(320):
        finite = tuple(
            LossClass(ball(p), ball(q), vector)
            for (p, q), vector in zip(pairs, unit_vectors(3), strict=True)
        )
        moments = ListedMoments(Outcomes("ball", 1, finite, Ball(0), Ball(0)), forward=True)
        for slack in (ZERO, real("1/100")):
            for order in (Fraction(3, 2),):
                epsilon = rational(order).ln()
                truth = hockey_stick(joint, order) + (slack.as_fraction() or 0)
                for share in ("9/10", "2"):
                    best = Decimal(float(truth * Fraction(share)))
                    if not 0 < best < 1:
                        continue
                    one = directed.Candidate(
                        0, 1, None, None, None, None, Effort(1e-3, TINY), moments=moments
                    )
                    one.slack = slack
                    given = ("epsilon", epsilon)
                    if falls_short(one, 9, {given: best}):
                        assert truth <= Fraction(one.found[given].upper) < Fraction(best)
                    else:
                        assert share != "2"
                    one.found.clear()
                    wanted = ("delta", rational(truth))
                    at = Decimal(float(epsilon.ball()) * float(Fraction(share)))
                    if falls_short(one, 9, {wanted: at}):
                        assert upper_fraction(epsilon.ball()) <= Fraction(at)
