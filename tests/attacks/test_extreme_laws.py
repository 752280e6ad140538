"""Laws of extreme parameters, and ties: what has a closed form is decided, by ε or by δ."""

from fractions import Fraction
from typing import Any

import pytest

import dpaudit
from dpaudit.audit.certify import _verdict
from dpaudit.audit.maximum import Maximum
from dpaudit.audit.scan import Scan
from dpaudit.data.neighbouring import RELATIONS
from dpaudit.errors import ParameterError
from dpaudit.mechanisms.base import Budget, Mechanism
from dpaudit.mechanisms.user import finite_mechanism
from dpaudit.numbers.ball import Ball
from dpaudit.numbers.real import ZERO, Real, real
from dpaudit.results import Verdict
from tests.attacks.random_audits import main
from tests.attacks.subjects import DEFINED


def coin(yes: Any, no: Any, budget: Any = "1", *, normalised: bool = True) -> Mechanism[Any]:
    """Two datasets whose laws are mirror images."""

    def law(answer: int) -> dict[int, Any]:
        return {answer: yes, 1 - answer: no}

    return finite_mechanism(
        datasets=[0, 1], neighbours="all", budget=budget, normalised=normalised, name="coin"
    )(law)


TINY = Fraction(1, 10**3000)


@pytest.mark.parametrize(("step", "verdict"), [(TINY, "exceeds"), (-TINY, "within"), (0, "within")])
@pytest.mark.parametrize("engine", ["screen", "ball"])
def test_a_law_beside_its_budget_is_decided(step: Fraction, verdict: str, engine: str) -> None:
    subject = coin(Fraction(3, 4) + step, Fraction(1, 4) - step)
    found = dpaudit.check(subject, budget=("ln(3)", 0), engine=engine)
    assert found.verdict == verdict
    assert found.delta_held.value.exact == real(max(4 * step, Fraction(0)))


@pytest.mark.parametrize(
    ("delta", "verdict"), [(ZERO, Verdict.WITHIN), (real("3e-3000"), Verdict.EXCEEDS)]
)
def test_delta_decides_where_epsilon_cannot(delta: Real, verdict: Verdict) -> None:
    unclear = Maximum[Any](Ball(1, 0.5), None, (0, 1))
    allowed = Maximum[Any](delta.ball(), delta, (0, 1))
    assert _verdict(Scan([unclear, allowed], 1), Budget(real(1), ZERO)) is verdict


def test_an_unlikely_output_does_not_hide_the_largest_loss() -> None:
    laws = [{0: 3, 1: 1, 2: "exp(-5000)"}, {0: 1, 1: 3, 2: "2*exp(-5000)"}]
    subject = finite_mechanism(
        datasets=[0, 1], neighbours="all", budget=2, normalised=False, name="three"
    )(lambda x: laws[x])
    found = dpaudit.check(subject)
    assert found.verdict is Verdict.WITHIN
    assert "1.0986122886" in str(found.epsilon)
    weights = coin("1", "exp(-5000)", budget=5000, normalised=False)
    assert dpaudit.check(weights).epsilon.exact == 5000


@pytest.mark.parametrize("engine", ["screen", "ball"])
def test_an_output_of_one_side_only_is_infinite_before_losses_are_sorted(engine: str) -> None:
    subject = dpaudit.mechanism("LSZhang", k=4, eps="1e4")
    relations = ["histogram-add-remove", "add-remove"]
    for name in relations:
        try:
            subject.adjacency(name)
        except ParameterError:
            continue
        found = dpaudit.check(subject, 2, adjacency=name, engine=engine)
        assert found.verdict is Verdict.EXCEEDS
        assert found.epsilon.lower.is_infinite()
        return
    raise AssertionError(f"none of {relations} is known")


@pytest.mark.parametrize("eps", ["1001", "5000", "1e6", "1e400", "1e-400", "1e6*ln(3)"])
def test_the_tie_of_permute_and_flip_is_exact_at_every_epsilon(eps: str) -> None:
    for name in ("PermuteAndFlip", "RNMExponential"):
        found = dpaudit.check(dpaudit.mechanism(name, eps=eps), 3)
        assert found.verdict is Verdict.WITHIN
        assert found.epsilon.exact == real(eps)


EXTREME = ["1e-300", "1e-30", "1e4", "1e6", "1e300", "1e3*ln(3)"]
FAMILIES: dict[str, int] = {
    **dict.fromkeys(["LSZhang", "LSDim", "LSHist", "NotesLaplace"], 2),
    **dict.fromkeys(["RR", "kRR", "SUE", "OUE"], 1),
    **dict.fromkeys(["Geometric", "TruncatedGeometric", "RoundedLaplace"], 3),
    **dict.fromkeys(["NoisyHistogram", "ExponentialMechanism", "RNMLaplace"], 2),
    **dict.fromkeys(["AboveThreshold", "SVT2", "SVT4", "SVT6"], 2),
}


@pytest.mark.parametrize("eps", EXTREME)
@pytest.mark.parametrize("name", FAMILIES)
def test_closed_forms_are_decided_at_extreme_parameters(name: str, eps: str) -> None:
    subject = dpaudit.mechanism(name, eps=eps)
    n = FAMILIES[name]
    found = dpaudit.check(subject, n)
    assert not found.audit.undecided
    assert found.verdict is not Verdict.UNDECIDED
    if found.epsilon.exact is not None:  # the tie that it realises, as a budget
        again = dpaudit.check(subject, n, budget=found.epsilon.exact)
        assert again.verdict is Verdict.WITHIN


def test_random_subjects_know_every_relation() -> None:
    """Few seeds meet each: a new relation ended the long run of random subjects, and no test."""
    assert set(DEFINED) == {*RELATIONS} - {"adjacent", "one-key"}


@pytest.mark.parametrize("seed", [1, 2])
def test_random_audits_agree_with_the_oracle(seed: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--subjects", "6", "--seed", str(seed)]) == 0, capsys.readouterr().out


@pytest.mark.parametrize("engine", ["screen", "ball"])
@pytest.mark.parametrize("first", [True, False])
def test_an_output_that_may_be_impossible_is_no_infinite_loss(engine: str, first: bool) -> None:
    """Both laws are the same: 1/3·3 − 1 is 0, in balls; it was ε = ∞, and ``exceeds``."""

    def law(answer: int) -> dict[int, Any]:
        rest = Ball(1) / 3 * 3 - 1
        return {0: 1 - rest, 1: rest} if bool(answer) is first else {0: 1}

    same = finite_mechanism(datasets=[0, 1], neighbours="all", budget="1/10", name="same")(law)
    assert dpaudit.check(same, engine=engine).verdict == "undecided"


@pytest.mark.parametrize("engine", ["screen", "ball"])
def test_an_output_that_is_certainly_possible_decides(engine: str) -> None:
    def law(answer: int) -> dict[int, Any]:
        rest = Ball(1) / 3 * 3 - 1
        return {0: Ball(1) / 2, 1: rest, 2: Ball(1) / 2 - rest} if answer else {0: 1}

    sure = finite_mechanism(datasets=[0, 1], neighbours="all", budget="1/10", name="sure")(law)
    found = dpaudit.check(sure, engine=engine)
    assert found.verdict == "exceeds"
    assert found.witness.output == 2
