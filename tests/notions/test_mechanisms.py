"""Whole mechanisms: every pair, both directions, against the independent laws of the oracles."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import log, mp, mpf

from dpaudit import check, check_notion, mechanism
from dpaudit.audit.quantity import PairOfLaws
from dpaudit.errors import DomainError, LawError, ParameterError
from dpaudit.laws.explicit import ExplicitLaw
from dpaudit.laws.law import Atom, Divergence, Loss, Mass
from dpaudit.laws.losses import Losses
from dpaudit.mechanisms.user import FiniteMechanism, finite_mechanism
from dpaudit.numbers.ball import Ball, PrecisionNeeded
from dpaudit.numbers.real import Real, real
from dpaudit.questions.notion.closed_forms import gaussian_renyi
from dpaudit.questions.notion.notion import (
    Concentrated,
    Gaussian,
    KullbackLeibler,
    Renyi,
    RenyiLimit,
)
from dpaudit.results import Verdict
from tests.campaigns import part
from tests.notions import oracle
from tests.oracles.definitions import ordered_pairs
from tests.oracles.laws import law_for_pair
from tests.oracles.setting import Setting
from tests.situations import build

if TYPE_CHECKING:
    from dpaudit.mechanisms.base import HistogramMechanism

EPSILON = Fraction(4, 5)


def setting(name: str, n: int, k: int = 2, **readings: str) -> Setting:
    return Setting(name, n, (Fraction(1),) * k, EPSILON, readings=tuple(readings.items()))


def worst(case: Setting, order: Fraction | None) -> mpf:
    """The largest D_α over all ordered pairs, KL for None, term by term in mpmath."""
    found = mpf(0)
    for x, y in ordered_pairs(case):
        p, q = law_for_pair(case, x, y), law_for_pair(case, y, x)
        if order is None:
            value = sum(p[r] * log(p[r] / q[r]) for r in p)
        else:
            a = mpf(order.numerator) / order.denominator
            value = log(sum(p[r] ** a * q[r] ** (1 - a) for r in p)) / (a - 1)
        found = max(found, value)
    return found


CASES = [
    setting("EHDS", 6),
    setting("EHD", 5),
    setting("EHDL", 7),
    setting("MH", 4),
    setting("EHDS", 3, 3),
    setting("LSHist", 5),
    setting("LSDim", 3, 3),
    setting("LSZhang", 4, coordinates="all"),
    setting("NotesLaplace", 2),
    setting("NotesLaplace", 2, rounding="toward-zero"),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.mechanism}-{case.n}")
@pytest.mark.parametrize("order", [None, Fraction(3, 2), Fraction(6)])
def test_mechanisms_are_their_oracles(case: Setting, order: Fraction | None) -> None:
    subject: HistogramMechanism = build(case)
    notion = "kl" if order is None else "renyi"
    found = check_notion(subject, case.n, notion, order=order, budget=9, digits=20).only
    with mp.workdps(oracle.DIGITS):
        truth = worst(case, order)
        slack = mpf(10) ** -18  # the oracle leaves out the far tails of an endless law
        assert mpf(str(found.value.lower)) - slack <= truth <= mpf(str(found.value.upper)) + slack
    assert found.value.is_tight(20)
    assert found.pairs_covered == found.pairs


@st.composite
def mechanisms(draw: st.DrawFn) -> FiniteMechanism:
    size, outputs = draw(st.integers(2, 4)), draw(st.integers(2, 4))
    weights = st.lists(st.integers(1, 30), min_size=outputs, max_size=outputs)
    table = {
        dataset: {r: Fraction(w, sum(row)) for r, w in enumerate(row)}
        for dataset, row in ((d, draw(weights)) for d in range(size))
    }

    @finite_mechanism(datasets=list(table), neighbours="all")
    def law(dataset: int) -> Mapping[Any, Any]:
        return table[dataset]

    return law


@given(mechanisms())
@settings(max_examples=part(25, 8), deadline=None)
def test_random_mechanisms_are_the_worst_of_their_pairs(subject: FiniteMechanism) -> None:
    datasets = list(subject.relation.datasets(1))
    rows = [list(map(Fraction, subject(d).values())) for d in datasets]
    pairs = [(p, q) for p in rows for q in rows if p is not q]
    with mp.workdps(oracle.DIGITS):
        truths = {
            "kl": max(oracle.kl(p, q) for p, q in pairs),
            "gdp": max(oracle.gaussian(p, q) for p, q in pairs),
            "tv": max(oracle.mp_of(oracle.tv(p, q)) for p, q in pairs),
        }
        for notion, truth in truths.items():
            found = check_notion(subject, 1, notion, budget=1, digits=20)
            slack = mpf(10) ** -40
            assert mpf(str(found.value.lower)) <= truth + slack
            assert mpf(str(found.value.upper)) >= truth - slack
            assert found.value.is_tight(20)
        found = check_notion(subject, 1, "zcdp", budget=1, digits=20)
        grid = [1 + Fraction(k, 8) for k in range(1, 80)]
        at_least = max(oracle.supremum_on(p, q, grid) for p, q in pairs)
        assert mpf(str(found.value.upper)) >= at_least - slack
        x, y = found.witness.x, found.witness.y
        assert subject.relation.adjacent(x, y) or truths["kl"] == 0


def test_pure_and_approximate_are_what_check_finds() -> None:
    plain = check("MH", 12, budget=("4/5", "1/1000"))
    pure = check_notion("MH", 12, "pure", budget="4/5")
    both = check_notion("MH", 12, "approximate", budget=("4/5", "1/1000"))
    limit = check_notion("MH", 12, "renyi", order="inf", budget="4/5")
    assert pure.value == plain.epsilon == limit.value
    assert both.value.lower == plain.delta_held.value.lower
    assert both.value.upper == plain.delta_held.value.upper
    assert both.verdict is plain.verdict


def test_the_order_one_is_kl() -> None:
    one = check_notion("LSHist", 6, "renyi", order=1, budget=1)
    assert one.value == check_notion("LSHist", 6, "kl", budget=1).value


def test_equal_laws_measure_zero_exactly() -> None:
    @finite_mechanism(datasets=[0, 1], budget=1)
    def constant(_: int) -> Mapping[Any, Any]:
        return {"a": "1/3", "b": "2/3"}

    for notion, order in (("kl", None), ("renyi", "5/2"), ("tv", None), ("pure", None)):
        found = check_notion(constant, 1, notion, order=order, budget=1)
        assert found.value.lower == found.value.upper == 0
        assert found.verdict is Verdict.WITHIN
    for notion in ("zcdp", "gdp"):
        found = check_notion(constant, 1, notion, budget="1/10")
        assert found.value.lower == 0
        assert found.value.is_tight(12)
        assert found.verdict is Verdict.WITHIN


def test_laws_of_balls_alone_never_pass_a_tie() -> None:
    """The same randomised response with rounded masses: its KL is not told from its budget."""

    @finite_mechanism(datasets=[0, 1], budget="ln(3)")
    def rounded(bit: int) -> Mapping[Any, Any]:
        third = Ball(1) / 3 * 3 / 4
        return {bit: 1 - third, 1 - bit: third}

    found = check_notion(rounded, 1, "kl", budget="ln(3)/2")
    assert found.verdict is Verdict.UNDECIDED
    assert "a tie, or nearly one" in found.only.reason


def test_add_remove_gives_sizes_away_in_every_notion() -> None:
    for notion in ("kl", "zcdp", "gdp", "pure"):
        found = check_notion("EHDS", 4, notion, budget=1, adjacency="histogram-add-remove")
        assert found.verdict is Verdict.EXCEEDS
        assert not found.value.lower.is_finite()
        assert found.witness.output is not None
    kept = check_notion(
        "NotesLaplace", 4, "kl", budget=1, adjacency="histogram-add-remove", coordinates="all"
    )
    assert kept.verdict is Verdict.WITHIN


def test_more_digits_lie_inside_fewer() -> None:
    for notion in ("zcdp", "gdp", "kl"):
        few, many = (
            check_notion("EHD", 12, notion, budget=1, digits=digits).value for digits in (8, 40)
        )
        assert few.lower <= many.lower <= many.upper <= few.upper
        assert many.is_tight(40)


def test_workers_find_the_same() -> None:
    alone = check_notion("EHDS", "4..7", "zcdp", budget=1)
    shared = check_notion("EHDS", "4..7", "zcdp", budget=1, jobs=2)
    assert alone.to_json() == shared.to_json()


@pytest.mark.parametrize(
    ("notion", "arguments", "words"),
    [
        ("zdcp", {"budget": 1}, "did you mean zcdp"),
        ("renyi", {"budget": 1}, "needs an order"),
        ("kl", {"budget": 1, "order": 2}, "has no order"),
        ("gdp", {}, "give a budget for gdp"),
        ("zcdp", {"budget": "1,2"}, "must be one number"),
        ("approximate", {"budget": "1"}, "EPS,DELTA"),
    ],
)
def test_nonsense_is_named(notion: str, arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        check_notion("EHDS", 3, notion, **arguments)


@pytest.mark.parametrize("order", ["1/2", "sqrt(2)", "-3", "10000001"])
def test_orders_that_are_none_are_refused(order: str) -> None:
    with pytest.raises(DomainError, match="from 1 to 1000000, or inf"):
        check_notion("EHDS", 3, "renyi", order=order, budget=1)


@pytest.mark.parametrize("budget", ["0", "-1"])
def test_budgets_are_positive(budget: str) -> None:
    with pytest.raises(DomainError):
        check_notion("EHDS", 3, "zcdp", budget=budget)


def test_what_states_nothing_or_a_delta_implies_no_budget() -> None:
    with pytest.raises(ParameterError, match="states no budget"):
        check_notion(mechanism("EHDL"), 3, "kl")
    with pytest.raises(ParameterError, match="implies no budget in the notion kl"):
        check_notion(mechanism("MH"), 3, "kl")


def test_many_outputs_with_few_ratios_still_tie_exactly() -> None:
    """Randomised response over 100 answers: three different pairs of masses."""
    answers = 100

    @finite_mechanism(datasets=[0, 1, 2], budget="ln(10)", normalised=False)
    def law(dataset: int) -> Mapping[Any, Any]:
        return {r: 10 if r == dataset else 1 for r in range(answers)}

    # KL = (p − q)·ln(p/q) over the two answers that differ, p = 10/109, q = 1/109.
    found = check_notion(law, 1, "kl", budget="9*ln(10)/109")
    assert found.verdict is Verdict.WITHIN
    assert check_notion(law, 1, "kl", budget="9*ln(10)/109 - 1e-50").verdict is Verdict.EXCEEDS


class _Partial(Divergence):
    """A comparison that keeps some outputs to itself."""

    def __init__(self, whole: Divergence, tail: Atom | None) -> None:
        self.whole, self.tail = whole, tail

    def max_loss(self, *, forward: bool) -> Loss:
        return self.whole.max_loss(forward=forward)

    def loss_at(self, output: Any, *, forward: bool) -> Loss:
        return self.whole.loss_at(output, forward=forward)

    def hockey_stick(self, epsilon: Real, *, forward: bool) -> Mass:
        return self.whole.hockey_stick(epsilon, forward=forward)

    def atoms(self, *, forward: bool) -> Iterator[Atom]:
        yield next(self.whole.atoms(forward=forward))
        if self.tail is not None:
            yield self.tail


def test_a_tail_is_never_passed_over() -> None:
    halves: dict[Any, Any] = {0: real("1/2"), 1: real("1/2")}
    whole = ExplicitLaw(halves).divergence_from(ExplicitLaw(halves))
    with pytest.raises(LawError, match=r"total probability of only 0\.500000"):
        Losses.of(_Partial(whole, None), forward=True)
    some = Ball(0).union(Ball(1))
    with pytest.raises(PrecisionNeeded, match="beyond 0"):
        Losses.of(_Partial(whole, Atom(some, some, "beyond 0")), forward=True)


def test_the_name_of_an_impossible_output_may_be_zero() -> None:
    @finite_mechanism(datasets=[0, 1], budget=1)
    def law(dataset: int) -> Mapping[Any, Any]:
        return {dataset: 1}

    found = check_notion(law, 1, "gdp", budget=1)
    assert found.verdict is Verdict.EXCEEDS
    assert found.witness.output == 0


class _Shifted(_Partial):
    """What is known of two Gaussian laws one standard deviation apart, and no list of outputs."""

    def atoms(self, *, forward: bool) -> Iterator[Atom]:
        raise AssertionError("outputs are listed although nothing depends on them")

    def known(self, notion: str, order: Fraction | None, *, forward: bool) -> Mass | None:
        value = real("1/2") if order is None else gaussian_renyi(1, order)
        value = real(1) if notion == "gdp" else value
        return Mass(value.ball(), value)


def test_laws_that_know_a_divergence_are_not_listed() -> None:
    halves: dict[Any, Any] = {0: real("1/2"), 1: real("1/2")}
    laws = PairOfLaws(_Shifted(ExplicitLaw(halves).divergence_from(ExplicitLaw(halves)), None))
    found = Renyi(Fraction(7, 2)).known(laws, forward=True)
    assert found is not None
    assert found.exact == real("7/4")
    for notion in (KullbackLeibler(), Concentrated(), RenyiLimit("1")):
        found = notion.known(laws, forward=False)
        assert found is not None
        assert found.exact == real("1/2")
    assert RenyiLimit("inf").known(laws, forward=True) is None
    found = Gaussian().known(laws, forward=True)
    assert found is not None
    assert found.exact == real(1)
    assert found.type_one == found.type_two


@pytest.mark.parametrize("epsilon", ["1", "ln(3)", "1/7"])
@pytest.mark.parametrize(
    ("notion", "order"), [("kl", None), ("renyi", "3/2"), ("renyi", "2"), ("renyi", "5")]
)
def test_randomised_response_attains_what_its_epsilon_implies(
    epsilon: str, notion: str, order: str | None
) -> None:
    """The implied bound is the divergence of randomised response itself: a tie, decided exactly."""
    audit = check_notion("RR", None, notion, order=order, eps=epsilon)
    assert audit.verdict is Verdict.WITHIN


def test_a_budget_a_hair_below_a_tie_is_exceeded() -> None:
    """A tie is decided by its closed form, which also tells what is not quite one."""
    for shift, verdict in ((Fraction(1, 10**400), "within"), (-Fraction(1, 10**400), "exceeds")):
        budget = real("ln(7/3)") + real(shift)
        audit = check_notion("RR", None, "renyi", order=2, eps="ln(3)", budget=str(budget))
        assert audit.verdict.value == verdict


def test_a_long_closed_form_is_shown_by_its_first_digits() -> None:
    """The ε of RAPPOR is a sum of logarithms whose implied bounds fill a screen."""
    text = str(check_notion("RAPPOR", None, "kl", eps=1))
    assert max(map(len, text.splitlines())) < 200
    text = str(check("RAPPOR", None, eps=1, at_eps=["1/10"]))
    assert max(map(len, text.splitlines())) < 250
