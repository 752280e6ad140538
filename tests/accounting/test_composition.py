"""Exact composition against the sum over every sequence of outputs."""

from collections.abc import Hashable, Iterator
from fractions import Fraction
from itertools import pairwise
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp

from dpaudit.api import make_plan, mechanism
from dpaudit.errors import DomainError, LawError, ParameterError
from dpaudit.laws.explicit import ExplicitLaw
from dpaudit.laws.law import Atom
from dpaudit.mechanisms.user import finite_mechanism
from dpaudit.numbers.ball import Ball, ball, precision
from dpaudit.numbers.real import Real, real
from dpaudit.questions.account.composition import TABLE_LIMIT, compose, joint_bound
from dpaudit.questions.account.outcomes import LossClass, Outcomes, outcomes
from dpaudit.questions.account.profile import MAX_RUNS, certified_profile
from tests.accounting.products import composed_delta
from tests.enclosing import assert_encloses, ends, fraction_of
from tests.oracles import definitions
from tests.oracles.setting import DIGITS, Setting
from tests.oracles.setting import real as oracle_real

Weights = list[int]


def rational_law(weights: Weights) -> dict[int, Fraction]:
    total = sum(weights)
    return {output: Fraction(w, total) for output, w in enumerate(weights) if w}


LAWS = st.lists(st.integers(0, 9), min_size=2, max_size=4).filter(any)
"""Weights of a law; zeros make outputs that one side lacks."""


@given(LAWS, LAWS, st.integers(1, 4), st.fractions(1, 8, max_denominator=6))
def test_rational_laws_compose_exactly(
    left: Weights, right: Weights, runs: int, factor: Fraction
) -> None:
    p, q = rational_law(left), rational_law(right)
    divergence = ExplicitLaw(_reals(p)).divergence_from(ExplicitLaw(_reals(q)))
    composed = compose(outcomes(divergence), runs)
    for forward, sides in ((True, (p, q)), (False, (q, p))):
        found = composed.hockey_stick(real(factor).ln(), forward=forward)
        assert found.exact == real(composed_delta([sides] * runs, factor))


def _reals(law: dict[int, Fraction]) -> dict[Hashable, Real | Ball]:
    return {output: real(mass) for output, mass in law.items()}


HUGE = st.lists(st.integers(2**50, 2**60), min_size=3, max_size=3)
"""Weights whose ratios are not factored, so that no two losses count as related."""


@given(HUGE, HUGE, st.integers(2, 3), st.fractions(1, 3, max_denominator=6))
def test_ratios_too_large_to_factor_are_kept_apart(
    left: Weights, right: Weights, runs: int, factor: Fraction
) -> None:
    p, q = rational_law(left), rational_law(right)
    composed = compose(
        outcomes(ExplicitLaw(_reals(p)).divergence_from(ExplicitLaw(_reals(q)))), runs
    )
    found = composed.hockey_stick(real(factor).ln(), forward=True)
    assert found.exact == real(composed_delta([(p, q)] * runs, factor))


@given(LAWS, LAWS, st.integers(1, 4), st.integers(0, 40))
def test_an_irrational_threshold_is_decided(
    left: Weights, right: Weights, runs: int, tenths: int
) -> None:
    p, q = rational_law(left), rational_law(right)
    divergence = ExplicitLaw(_reals(p)).divergence_from(ExplicitLaw(_reals(q)))
    found = compose(outcomes(divergence), runs).hockey_stick(
        real(Fraction(tenths, 10)), forward=True
    )
    assert found.exact is not None
    with mp.workdps(DIGITS):
        sides = [{r: mp.mpf(m.numerator) / m.denominator for r, m in law.items()} for law in (p, q)]
        truth = composed_delta([(sides[0], sides[1])] * runs, mp.exp(mp.mpf(tenths) / 10))
        with precision(256):
            assert_encloses(
                found.exact.ball(), fraction_of(mp.mpf(truth)), width=Fraction(1, 10**50)
            )


@given(LAWS, LAWS, st.integers(1, 3), st.integers(0, 20))
def test_balls_and_exact_laws_agree(left: Weights, right: Weights, runs: int, tenths: int) -> None:
    p, q = rational_law(left), rational_law(right)
    epsilon = real(Fraction(tenths, 10))
    with precision(128):
        exact = outcomes(ExplicitLaw(_reals(p)).divergence_from(ExplicitLaw(_reals(q))))
        balls = compose(exact.as_balls(), runs)
        unmerged = outcomes(
            ExplicitLaw({r: ball(m) for r, m in p.items()}).divergence_from(
                ExplicitLaw({r: ball(m) for r, m in q.items()})
            )
        )
        assert unmerged.kind == "ball"
        truth = compose(exact, runs).hockey_stick(epsilon, forward=True).ball
        for other in (balls, compose(unmerged, runs)):
            found = other.hockey_stick(epsilon, forward=True)
            assert found.exact is None
            low, high = ends(found.ball)
            assert low <= ends(truth)[1]
            assert ends(truth)[0] <= high
            assert high - low < Fraction(1, 10**30)


SETTINGS = [
    Setting(mechanism=name, n=n, prior=(Fraction(1), Fraction(1)), epsilon=Fraction(4, 5))
    for name, n in (("EHDS", 3), ("EHD", 3), ("MH", 3), ("EHDL", 3), ("LSHist", 3), ("LSDim", 2))
]


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda s: s.mechanism)
@pytest.mark.parametrize("runs", [2, 3])
def test_every_pair_is_composed(setting: Setting, runs: int) -> None:
    grid = ["0", "1/5", "4/5", "3/2"]
    subject = mechanism(setting.mechanism)
    found = certified_profile(subject, setting.n, make_plan(subject, at_eps=grid, digits=25), runs)
    with mp.workdps(DIGITS):
        pairs = [
            (definitions.law(setting, x), definitions.law(setting, y))
            for x, y in definitions.ordered_pairs(setting)
        ]
        for text, delta in zip(grid, found.deltas, strict=True):
            factor = mp.exp(oracle_real(Fraction(text)))
            truth = max(composed_delta([(p, q)] * runs, factor) for p, q in pairs)
            exact = fraction_of(mp.mpf(truth))
            slack = Fraction(1, 10**40)
            assert Fraction(delta.value.lower) <= exact + slack
            assert exact - slack <= Fraction(delta.value.upper)
            assert delta.value.is_tight(25)
        one = definitions.realised_epsilon(setting).epsilon * runs
        assert Fraction(found.epsilon.lower) <= fraction_of(one) + Fraction(1, 10**40)
        assert fraction_of(one) - Fraction(1, 10**40) <= Fraction(found.epsilon.upper)


def test_countable_supports_compose_without_truncation() -> None:
    """P and Q of ⌊c + Lap(2/ε)⌋ have three different losses, so two runs are done by hand."""
    subject = mechanism("NotesLaplace", prior="1,1")
    plan = make_plan(subject, at_eps=["1/4"], digits=30)
    found = certified_profile(subject, 5, plan, 2)
    with mp.workdps(DIGITS):
        t, factor = mp.exp(mp.mpf(-2) / 5), mp.exp(mp.mpf(1) / 4)
        one = {
            "below": (mp.mpf(1) / 2, t / 2),
            "between": ((1 - t) / 2,) * 2,
            "above": (t / 2, mp.mpf(1) / 2),
        }
        p = {name: masses[0] for name, masses in one.items()}
        q = {name: masses[1] for name, masses in one.items()}
        truth = fraction_of(composed_delta([(p, q)] * 2, factor))
    assert Fraction(found.deltas[0].value.lower) <= truth + Fraction(1, 10**50)
    assert truth - Fraction(1, 10**50) <= Fraction(found.deltas[0].value.upper)
    assert found.deltas[0].value.exact is not None


def test_losses_on_a_lattice_stay_few() -> None:
    subject = mechanism("LSHist")
    law = subject.laws().law
    one = outcomes(law((4, 6)).divergence_from(law((5, 5))))
    assert one.kind == "closed"
    composed = compose(one, 100)
    assert len(composed.table) == 100 * (len(one.finite) - 1) + 1


def test_equal_losses_are_merged_and_nearly_equal_ones_are_not() -> None:
    p = {0: "1/4", 1: "1/4", 2: "1/2"}
    q = {0: "1/8", 1: "1/8", 2: "3/4"}
    near = {0: "1/8", 1: "1250000000000000000001/10000000000000000000000"}
    near[2] = str(1 - sum(map(Fraction, near.values())))
    law = {
        name: ExplicitLaw({r: real(m) for r, m in d.items()})
        for name, d in (("p", p), ("q", q), ("near", near))
    }
    assert len(outcomes(law["p"].divergence_from(law["q"])).finite) == 2
    assert len(outcomes(law["p"].divergence_from(law["near"])).finite) == 3


def test_a_tail_that_a_law_does_not_list_widens_the_interval() -> None:
    tail = Fraction(1, 1000)
    masses = [
        (ball(Fraction(3, 4) - tail), ball(Fraction(1, 4) - tail)),
        (ball(Fraction(1, 4)), ball(Fraction(3, 4))),
    ]
    vectors = [(1,), (0,)]
    one = Outcomes(
        "ball",
        1,
        tuple(LossClass(p, q, v) for (p, q), v in zip(masses, vectors, strict=True)),
        Ball(0),
        Ball(0),
    )
    found = compose(one, 3).hockey_stick(real("1/2"), forward=True).ball
    listed = {"a": Fraction(3, 4) - tail, "b": Fraction(1, 4)}
    other = {"a": Fraction(1, 4) - tail, "b": Fraction(3, 4)}
    with mp.workdps(DIGITS):
        factor = mp.exp(mp.mpf(1) / 2)
        least = composed_delta(
            [
                (
                    {r: mp.mpf(m.numerator) / m.denominator for r, m in listed.items()},
                    {r: mp.mpf(m.numerator) / m.denominator for r, m in other.items()},
                )
            ]
            * 3,
            factor,
        )
    low, high = ends(found)
    most = 1 - (1 - tail) ** 3
    assert abs(low - fraction_of(least)) < Fraction(1, 10**8)
    assert abs(high - fraction_of(least) - most) < Fraction(1, 10**8)


def test_too_large_a_composition_leaves_what_one_run_says() -> None:
    """Two accounts of the same: the refusal in one line, and δ from that of one run to 1."""
    subject = mechanism("EHDS")
    plan = make_plan(subject, at_eps=["1/5"])
    found, one = (certified_profile(subject, 180, plan, runs) for runs in (7, 1))
    assert found.refused is not None
    assert found.refused.startswith("compose = 7: a pair with 181 different")
    assert "\n" not in found.refused
    assert str(TABLE_LIMIT) in found.refused
    assert one.refused is None
    assert found.deltas[0].lower == one.deltas[0].lower > 0
    assert found.deltas[0].upper == 1
    assert found.epsilon.lower == 7 * one.epsilon.lower
    for runs in (0, -1, MAX_RUNS + 1, True):
        with pytest.raises(ParameterError, match="must be a whole number"):
            certified_profile(subject, 10, plan, runs)


def test_a_thousand_runs_are_a_thousand_and_one_terms() -> None:
    """Randomised response, k = 1000, against the binomial sum in whole numbers."""
    plan = make_plan(response, at_eps=["500*ln(3)", "550"], digits=30)
    found = certified_profile(response, 1, plan, 1000)
    assert found.joint == 1001
    total = sum(max(0, 3 ** (1000 - j) - 3 ** (500 + j)) * comb(1000, j) for j in range(1001))
    low, high = (Fraction(end) for end in (found.deltas[0].lower, found.deltas[0].upper))
    assert low <= Fraction(total, 4**1000) <= high
    assert all(delta.value.is_tight(30) for delta in found.deltas)


def test_every_way_to_compose_gives_one_law(monkeypatch: pytest.MonkeyPatch) -> None:
    """Multisets one by one, a power of a polynomial, and balls: the same table."""
    law = {0: Fraction(1, 10), 1: Fraction(2, 10), 2: Fraction(7, 10)}
    other = {0: Fraction(4, 10), 1: Fraction(4, 10), 2: Fraction(2, 10)}
    one = outcomes(ExplicitLaw(_reals(law)).divergence_from(ExplicitLaw(_reals(other))))
    truth = {runs: composed_delta([(law, other)] * runs, Fraction(3, 2)) for runs in (1, 2, 5)}
    epsilon = real("3/2").ln()
    for limit in (1 << 27, 0):  # whole numbers, and none
        monkeypatch.setattr("dpaudit.questions.account.composition._MOST_BITS", limit)
        for multisets in (True, False):
            monkeypatch.setattr(
                "dpaudit.questions.account.composition.joint_bound",
                lambda one, runs, few=multisets: 10**6 if few else 1,
            )
            for runs, delta in truth.items():
                with precision(128):
                    found = compose(one, runs).hockey_stick(epsilon, forward=True)
                    assert (found.exact == real(delta)) is bool(limit)
                    assert_encloses(found.ball, delta, width=Fraction(1, 10**30))


def test_gaussian_losses_are_on_a_lattice_and_their_tail_is_one() -> None:
    """Losses of the discrete Gaussian are affine in the output, so that sums of 10 are few."""
    subject = mechanism("DiscreteGaussian")
    law = subject.laws().law
    with precision(128):
        one = outcomes(law((0, 1)).divergence_from(law((1, 0))))
        assert joint_bound(one, 10) == 10 * (len(one.finite) - 1) + 1


def test_the_bound_on_joint_losses_holds_and_grows() -> None:
    subject = mechanism("LSDim", k=3)
    pair = next(iter(subject.adjacency().pairs(3)))
    law = subject.laws().law
    one = outcomes(law(pair[0]).divergence_from(law(pair[1])))
    bounds = [joint_bound(one, runs) for runs in range(1, 6)]
    sizes = [len(compose(one, runs).table) for runs in range(1, 6)]
    assert all(size <= bound for size, bound in zip(sizes, bounds, strict=True))
    assert all(a <= b for a, b in pairwise(bounds))


@finite_mechanism(datasets=[0, 1], budget="ln(3)")
def response(bit: int) -> dict[Hashable, str]:
    return {bit: "3/4", 1 - bit: "1/4"}


def test_randomised_response_has_its_closed_form() -> None:
    """δ_k(ε) of k runs is Σ_j C(k,j)·(3^(k−j) − e^ε·3^j)₊/4^k; at ε = k·ln 3 it is 0 exactly."""
    plan = make_plan(response, at_eps=["0", "ln(3)", "4*ln(3)"])
    found = certified_profile(response, 1, plan, 4)
    p, q = {0: Fraction(3, 4), 1: Fraction(1, 4)}, {0: Fraction(1, 4), 1: Fraction(3, 4)}
    for delta, factor in zip(found.deltas, (1, 3, 81), strict=True):
        assert delta.value.exact == composed_delta([(p, q)] * 4, factor)
    assert found.epsilon.exact == real("4*ln(3)")
    assert found.joint == 5


def test_undisclosed_outputs_make_delta_positive_at_every_epsilon() -> None:
    @finite_mechanism(datasets=[0, 1])
    def leaky(bit: int) -> dict[Hashable, str]:
        return {"same": "99/100", ("own", bit): "1/100"}

    found = certified_profile(leaky, 1, make_plan(leaky, budget=1, at_eps=["50"]), 3)
    assert found.deltas[0].value.exact == 1 - Fraction(99, 100) ** 3
    assert found.epsilon.upper.is_infinite()


def test_epsilon_below_zero_is_refused() -> None:
    with pytest.raises(DomainError):
        make_plan(response, at_eps=["-1"])


def test_a_law_that_lists_outputs_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dpaudit.questions.account.outcomes._MOST_OUTPUTS", 1000)
    one = ExplicitLaw({0: real(1)}).divergence_from(ExplicitLaw({0: real(1)}))

    class Endless(type(one)):  # type: ignore[misc]
        def atoms(self, *, forward: bool) -> Iterator[Atom]:
            while True:
                yield Atom(ball(Fraction(1, 9)), ball(Fraction(1, 9)), 0)

    one.__class__ = Endless
    with pytest.raises(LawError, match="more than 1000 outputs, which is the limit"):
        outcomes(one)
