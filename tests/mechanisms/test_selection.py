"""Selection mechanisms: their laws against quadrature, their realised ε, and broken variants."""

from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import exp, log, mp, mpf

from dpaudit.api import mechanism
from dpaudit.mechanisms.classics.selection_base import QueryMechanism
from dpaudit.numbers.ball import Sign, precision, sign
from dpaudit.numbers.expsum import EXPSUM_ONE, EXPSUM_ZERO
from dpaudit.numbers.real import real
from dpaudit.questions.check.function import check
from tests.enclosing import assert_encloses
from tests.oracles.selection import (
    exponential,
    gumbel,
    laplace,
    noisy_max,
    permute_and_flip,
    strings,
    svt,
)

SELECTIONS = ["ExponentialMechanism", "PermuteAndFlip", "RNMLaplace", "RNMExponential", "RNMGumbel"]
SPARSE = ["AboveThreshold", "SVT1", "SVT2", "SVT4", "SVT5", "SVT6"]
WITH_C = ["SVT1", "SVT2", "SVT3", "SVT4"]
NARROW, CLOSE = Fraction(1, 10**30), Fraction(1, 10**9)

vectors = st.lists(st.integers(-1, 2), min_size=1, max_size=4).map(tuple)


def queries(name: str, **parameters: object) -> QueryMechanism:
    made = mechanism(name, **parameters)
    assert isinstance(made, QueryMechanism)
    return made


@pytest.mark.parametrize("name", [*SELECTIONS, *SPARSE, "SVT3", "RNMLaplaceValue"])
@pytest.mark.parametrize("answers", [(0,), (1, 0), (2, 0, 1), (0, 1, 1, -1)])
@pytest.mark.parametrize("c", [1, 2])
def test_laws_add_up_to_one_exactly(name: str, answers: tuple[int, ...], c: int) -> None:
    made = queries(name, **({"c": c, "threshold": "1/2"} if name in WITH_C else {}))
    forms = made.forms(answers)
    total = EXPSUM_ZERO
    for form in forms.values():
        total += form.above
    below = next(iter(forms.values())).below
    assert total == below
    assert below == EXPSUM_ONE or name in ("ExponentialMechanism", "RNMGumbel")
    assert len(forms) == made.output_count(len(answers))


@settings(max_examples=8)
@given(vectors, st.sampled_from(["1/10", "4/5", "ln(3)"]))
def test_selection_agrees_with_quadrature(answers: tuple[int, ...], eps: str) -> None:
    with mp.workdps(15):
        epsilon = (
            log(3) if eps == "ln(3)" else mpf(Fraction(eps).numerator) / Fraction(eps).denominator
        )
        scale = 2 / epsilon
        softmax = [exp(epsilon * answer / 2) for answer in answers]
        truths = {
            "RNMLaplace": noisy_max(laplace(scale), answers, scale),
            "RNMExponential": noisy_max(exponential(scale), answers, scale),
            "RNMGumbel": noisy_max(gumbel(scale), answers, scale),
            "ExponentialMechanism": [weight / sum(softmax) for weight in softmax],
            "PermuteAndFlip": permute_and_flip(answers, epsilon),
        }
    with precision(160):
        for name, truth in truths.items():
            law = queries(name, eps=eps).laws().law(answers)
            for index, chance in enumerate(truth):
                ball = law.probability(index).ball
                assert_encloses(ball, chance, width=NARROW, slack=CLOSE)


@settings(max_examples=6)
@given(
    st.lists(st.integers(-1, 1), min_size=1, max_size=3).map(tuple),
    st.sampled_from(["0", "1", "1/2"]),
    st.integers(1, 2),
)
def test_sparse_vectors_agree_with_quadrature(
    answers: tuple[int, ...], threshold: str, c: int
) -> None:
    half = mpf(1) / 2
    with mp.workdps(15):
        e = mpf(4) / 5
        scales: dict[str, tuple[mpf, mpf | None, int | None]] = {
            "AboveThreshold": (2 / e, 4 / e, 1),
            "SVT1": (1 / (e / 2), 2 * c / (e / 2), c),
            "SVT2": (c / (e / 2), 2 * c / (e / 2), c),
            "SVT4": (1 / (e / 4), 1 / (3 * e / 4), c),
            "SVT5": (1 / (e / 2), None, None),
            "SVT6": (1 / (e / 2), 1 / (e / 2), None),
        }
    at = {"0": mpf(0), "1": mpf(1), "1/2": half}[threshold]
    for name, (rho, nu, cutoff) in scales.items():
        given_c = {"c": c} if name in WITH_C else {}
        made = queries(name, threshold=threshold, **given_c)
        possible = list(strings(len(answers), cutoff))
        assert set(made.forms(answers)) == set(possible)
        with precision(160):
            law = made.laws().law(answers)
            for string in possible:
                truth = svt(answers, string, at, rho, nu, fresh=name == "SVT2")
                ball = law.probability(string).ball
                assert_encloses(ball, truth, width=NARROW, slack=CLOSE)


@given(vectors)
def test_exponential_noise_is_permute_and_flip(answers: tuple[int, ...]) -> None:
    """Ding et al. 2021: the two mechanisms are the same; here the sums are equal term by term."""
    assert queries("RNMExponential").forms(answers) == queries("PermuteAndFlip").forms(answers)


@given(vectors)
def test_gumbel_noise_is_the_exponential_mechanism(answers: tuple[int, ...]) -> None:
    assert queries("RNMGumbel").forms(answers) == queries("ExponentialMechanism").forms(answers)


@given(st.lists(st.integers(-1, 2), min_size=1, max_size=4).map(tuple))
def test_above_threshold_is_the_first_algorithm_with_one_answer(answers: tuple[int, ...]) -> None:
    assert queries("AboveThreshold").forms(answers) == queries("SVT1", c=1).forms(answers)


@given(vectors, st.integers(-3, 3))
def test_selection_depends_on_differences_only(answers: tuple[int, ...], by: int) -> None:
    moved = tuple(answer + by for answer in answers)
    for name in SELECTIONS:
        assert queries(name).forms(answers) == queries(name).forms(moved)


def patterns(name: str, **parameters: Any) -> Any:
    return check(name, 5, eps="1/10", adjacency="patterns", **parameters).only


def test_noisy_max_with_laplace_noise_realises_what_is_known() -> None:
    found = patterns("RNMLaplace")
    assert Decimal("0.09461490525") < found.epsilon.lower
    assert found.epsilon.upper < Decimal("0.09461490535")
    assert found.verdict.value == "within"


@pytest.mark.parametrize("name", ["RNMExponential", "PermuteAndFlip"])
def test_exponential_noise_realises_its_budget_exactly(name: str) -> None:
    found = patterns(name)
    assert found.epsilon.exact == real("1/10")
    assert found.verdict.value == "within"
    less = check(name, 5, eps="1/10", adjacency="patterns", budget="0.0999999999999999999999").only
    assert less.verdict == "exceeds"


def test_a_tie_with_a_logarithm_is_decided() -> None:
    found = check("RNMExponential", 5, eps="ln(3)", adjacency="patterns").only
    assert found.epsilon.exact == real("ln(3)")
    assert found.verdict == "within"


def test_the_fifth_algorithm_has_impossible_outputs() -> None:
    found = patterns("SVT5")
    assert found.epsilon.lower.is_infinite()
    assert found.verdict.value == "exceeds"
    x, y, output = found.witness.x, found.witness.y, found.witness.output
    pair = queries("SVT5", eps="1/10").laws()
    assert sign(pair.law(x).probability(output).ball) is Sign.POSITIVE
    assert sign(pair.law(y).probability(output).ball) is Sign.ZERO
    # By hand: ⊤ exactly where qᵢ ≥ T + ρ, so a ⊤ below a ⊥ is impossible.
    above = [value for value, symbol in zip(y, output, strict=True) if symbol == "⊤"]
    below = [value for value, symbol in zip(y, output, strict=True) if symbol == "⊥"]
    assert min(above) <= max(below)
    above = [value for value, symbol in zip(x, output, strict=True) if symbol == "⊤"]
    below = [value for value, symbol in zip(x, output, strict=True) if symbol == "⊥"]
    assert min(above) > max(below)


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("AboveThreshold", "within"),
        ("SVT1", "within"),
        ("SVT2", "within"),
        ("SVT4", "exceeds"),
        ("SVT5", "exceeds"),
        ("SVT6", "exceeds"),
    ],
)
@pytest.mark.parametrize("threshold", ["0", "1"])
def test_the_patterns_tell_sound_sparse_vectors_from_broken_ones(
    name: str, verdict: str, threshold: str
) -> None:
    assert patterns(name, threshold=threshold).verdict.value == verdict


@pytest.mark.parametrize("c", [1, 2, 5])
def test_the_first_two_algorithms_keep_their_budget_everywhere(c: int) -> None:
    for name in ("SVT1", "SVT2"):
        found = check(name, 3, eps="1/2", c=c).only
        assert (found.pairs, found.pairs_covered) == (158, 158)
        assert found.verdict == "within"


def test_five_queries_over_all_neighbours() -> None:
    found = check("SVT1", 5, eps="1/2").only
    assert (found.datasets, found.pairs, found.pairs_covered) == (243, 8282, 8282)
    assert found.verdict == "within"
    assert found.epsilon.width <= Decimal("1e-12")


def test_all_pairs_by_brute_force() -> None:
    """The largest loss over all pairs and outputs, from the quadrature alone."""
    e = mpf(1) / 2
    vectors = list(product((-1, 0, 1), repeat=2))
    with mp.workdps(15):
        laws = {v: [svt(v, s, mpf(0), 2 / e, 2 / e) for s in strings(2, None)] for v in vectors}
        largest = max(
            log(p / q)
            for x, y in product(vectors, repeat=2)
            if x != y and all(abs(a - b) <= 1 for a, b in zip(x, y, strict=True))
            for p, q in zip(laws[x], laws[y], strict=True)
        )
    found = check("SVT6", 2, eps="1/2", digits=20).only
    assert abs(float(found.epsilon.lower) - float(largest)) < 1e-9
    assert found.epsilon.width <= Decimal("1e-20")


@pytest.mark.parametrize("name", ["RNMLaplace", "PermuteAndFlip", "SVT1"])
def test_an_understated_sensitivity_is_found(name: str) -> None:
    """Noise for Δ = 1/3 while answers move by 1."""
    found = check(name, 4, eps="1/2", sensitivity="1/3").only
    assert found.verdict == "exceeds"


def test_small_and_large_parameters_are_still_enclosed() -> None:
    for eps in ("1e-9", "40"):
        found = check("SVT1", 3, eps=eps, digits=12).only
        assert found.epsilon.width <= Decimal("1e-12")
        assert found.verdict == "within"


@pytest.mark.parametrize("c", [1, 2, 3])
def test_the_most_that_a_string_gives_is_that_of_all_strings_one_by_one(c: int) -> None:
    made = queries("SVT3", c=c)
    vectors = list(product((-2, 0, 1, 3), repeat=4))
    strings = [s for length in (1, 2, 3, 4) for s in product((True, False), repeat=length)]
    # A string ends with its c-th number, or has fewer and one entry for each query.
    whole = [s for s in strings if (sum(s) == c and s[-1]) or (sum(s) < c and len(s) == 4)]
    for x, y in zip(vectors, vectors[::-1] + vectors[:7], strict=False):
        most = max(
            sum(
                abs(a - b) if number else max(0, b - a)
                for a, b, number in zip(x, y, s, strict=False)
            )
            for s in whole
        )
        assert made._moves(x, y) == most  # type: ignore[attr-defined]
