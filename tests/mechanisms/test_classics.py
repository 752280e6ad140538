"""The classics against brute force from their definitions, and against their closed forms."""

import json
import random
import subprocess
import sys
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

import dpaudit
from dpaudit.cli.main import invoke
from dpaudit.errors import (
    DomainError,
    NumberSyntaxError,
    ParameterError,
    SizeError,
    UsageError,
)
from dpaudit.mechanisms.classics import base
from dpaudit.mechanisms.registry import mechanism_classes
from dpaudit.numbers.ball import ball, certainly_less, precision
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.numbers.real import ZERO
from dpaudit.results import Budget, Verdict
from tests.enclosing import fraction_of, overlap
from tests.oracles.classics import DIGITS, ORACLES, Laws, delta, laws_of, realised

SLACK = Fraction(1, 10**34)
WIDTH = Decimal("1e-30")
LOCAL = [name for name, cls in mechanism_classes().items() if issubclass(cls, base.LocalMechanism)]
E = Verdict.EXCEEDS
W = Verdict.WITHIN


def number(value: object) -> Any:
    """What the oracle computes with: words and whole numbers as they are, fractions in mpmath."""
    if isinstance(value, Fraction):
        return mpf(value.numerator) / value.denominator
    return value


def contains(interval: Enclosure, truth: Any) -> None:
    """The interval contains the truth and is narrow; infinity is itself."""
    if mp.isinf(truth):
        assert interval.lower == interval.upper == Decimal("Infinity")
        return
    exact = fraction_of(truth)
    assert Fraction(interval.lower) <= exact + SLACK
    assert exact - SLACK <= Fraction(interval.upper)
    assert interval.width <= WIDTH


def check_against_oracle(
    name: str, given: Mapping[str, Any], n: int, unbounded: bool = False
) -> None:
    at = Fraction(1, 3)
    found = dpaudit.check(
        dpaudit.mechanism(name, **given), n, digits=30, at_eps=[at, 0], engine="ball"
    )
    with mp.workdps(DIGITS):
        laws: Laws = laws_of(name, {key: number(value) for key, value in given.items()}, n)
        contains(found.epsilon, mp.inf if unbounded else realised(laws))
        for epsilon, point in zip((at, Fraction(0)), found.audit.results[0].curve, strict=True):
            contains(point.value, delta(laws, number(epsilon)))
        (curve,) = dpaudit.curve(dpaudit.mechanism(name, **given), n, digits=30).curves
        truth = delta(laws, number(at))
        value = curve.delta(dpaudit.real(at), 30).value
        exact = fraction_of(truth)
        assert Fraction(value.lower) - SLACK <= exact <= Fraction(value.upper) + SLACK
    result = found.audit.results[0]
    assert result.pairs == result.pairs_covered == len(laws[1])


WIDE = st.fractions(2, 6, max_denominator=12)
APART = {"NoisyHistogram", "DiscreteGaussian"}
"""Those whose laws are long: fewer cases below."""


@pytest.mark.parametrize("name", [name for name in ORACLES if name not in APART])
@settings(max_examples=15, deadline=None)
@given(rng=st.randoms(use_true_random=False))
def test_random_settings_agree_with_brute_force(name: str, rng: random.Random) -> None:
    oracle = ORACLES[name]
    check_against_oracle(name, oracle.settings(rng), rng.randint(*oracle.sizes), oracle.unbounded)


@settings(max_examples=5, deadline=None)
@given(
    st.fixed_dictionaries(
        {
            "epsilon": WIDE,
            "cells": st.just(2),
            "neighbours": st.sampled_from(["histogram-add-remove", "histogram-substitution"]),
            "noise": st.just("calibrated"),
        }
    )
)
def test_random_histograms_agree_with_brute_force(chosen: dict[str, Any]) -> None:
    factor = 1 if chosen["neighbours"] == "histogram-add-remove" else 2
    check_against_oracle("NoisyHistogram", chosen | {"epsilon": factor * chosen["epsilon"]}, 1)


@settings(max_examples=25, deadline=None)
@given(st.fractions(Fraction(1, 8), 12, max_denominator=16), st.integers(1, 4))
def test_random_discrete_gaussians_agree_with_brute_force(sigma: Fraction, n: int) -> None:
    check_against_oracle("DiscreteGaussian", {"sigma": sigma}, n, unbounded=True)


TIES: list[tuple[str, dict[str, Any], int, str]] = [
    ("RR", {"eps": "ln(3)"}, 1, "ln(3)"),
    ("RR", {"eps": "ln(3)", "truth": "3/4"}, 1, "ln(3)"),
    ("RR", {"eps": "1"}, 1, "1"),
    ("RR", {"eps": "1", "truth": "exp(1)/(1+exp(1))"}, 1, "1"),
    ("RR", {"eps": "3", "base": "2"}, 1, "3*ln(2)"),
    ("kRR", {"eps": "ln(3)", "k": 7}, 1, "ln(3)"),
    ("kRR", {"eps": "4/5", "k": 20}, 1, "4/5"),
    ("SUE", {"eps": "ln(3)", "k": 9}, 1, "ln(3)"),
    ("SUE", {"eps": "2*ln(3)", "p": "3/4", "k": 3}, 1, "2*ln(3)"),
    ("SUE", {"eps": "4/5", "k": 3}, 1, "4/5"),
    ("OUE", {"eps": "ln(3)", "k": 9}, 1, "ln(3)"),
    ("OUE", {"eps": "ln(3)", "q": "1/4"}, 1, "ln(3)"),
    ("OUE", {"eps": "4/5", "k": 3}, 1, "4/5"),
    ("OUE", {"eps": "sqrt(2)"}, 1, "sqrt(2)"),
    ("RAPPOR", {}, 1, "2*ln(77/45)"),
    ("RAPPOR", {"hashes": 16, "bits": 64}, 1, "16*ln(77/45)"),
    ("RAPPOR", {"p": 0, "q": 1}, 1, "4*ln(3)"),
    ("RAPPOR", {"inputs": "all", "bits": 6}, 1, "2*ln(77/45)"),
    ("SubsetSelection", {"eps": "ln(3)"}, 1, "ln(3)"),
    ("SubsetSelection", {"eps": "sqrt(2)", "k": 14, "subset": 7}, 1, "sqrt(2)"),
    ("SubsetSelection", {"eps": "1", "k": 2, "subset": 1}, 1, "1"),
    ("PermanentRAPPOR", {}, 1, "4*ln(3)"),
    ("PermanentRAPPOR", {"f": "1/4", "hashes": 3}, 1, "6*ln(7)"),
    ("PermanentRAPPOR", {"inputs": "all", "bits": 7}, 1, "4*ln(3)"),
    ("PermanentRAPPOR", {"eps": "1"}, 1, "1"),
    ("PermanentRAPPOR", {"eps": "ln(3)", "hashes": 3}, 1, "ln(3)"),
    ("PermanentRAPPOR", {"eps": "1/2", "hashes": 1, "inputs": "all", "bits": 1000}, 1, "1/2"),
    ("RAPPOR", {"eps": "sqrt(2)", "p": 0, "q": 1}, 1, "sqrt(2)"),
    ("OLH", {}, 1, "4/5"),
    ("OLH", {"eps": "ln(3)", "k": 1000}, 1, "ln(3)"),
    ("OLH", {"eps": "30", "k": 3}, 1, "30"),
    ("OLH", {"eps": "1", "k": 3, "g": 7}, 1, "1"),
    ("BLH", {"eps": "sqrt(2)", "k": 1000}, 1, "sqrt(2)"),
    ("BLH", {"eps": "1", "k": 2}, 1, "1"),
    ("Geometric", {"eps": "ln(3)"}, 30, "ln(3)"),
    ("Geometric", {"eps": "1/10"}, 30, "1/10"),
    ("TruncatedGeometric", {"eps": "ln(3)"}, 30, "ln(3)"),
    ("TruncatedGeometric", {"eps": "sqrt(2)"}, 1, "sqrt(2)"),
    ("TruncatedGeometric", {"eps": "3", "base": "2"}, 4, "3*ln(2)"),
    ("DiscreteLaplace", {"scale": "7/3"}, 9, "3/7"),
    ("RoundedLaplace", {"eps": "ln(3)"}, 9, "ln(3)"),
    ("RoundedLaplace", {"eps": "ln(3)", "range": "clamped"}, 9, "ln(3)"),
    ("RoundedLaplace", {"eps": "1/7", "rounding": "nearest"}, 9, "1/7"),
    ("RoundedLaplace", {"eps": "1/7", "rounding": "nearest", "range": "clamped"}, 9, "1/7"),
    ("NoisyHistogram", {"eps": "ln(3)", "cells": 3}, 4, "ln(3)"),
    (
        "NoisyHistogram",
        {"eps": "ln(3)", "cells": 3, "neighbours": "histogram-substitution"},
        4,
        "ln(3)",
    ),
]


@pytest.mark.parametrize(("name", "given", "n", "epsilon"), TIES, ids=str)
def test_what_is_stated_is_realised_exactly(
    name: str, given: dict[str, Any], n: int, epsilon: str
) -> None:
    """A tie between the realised and the stated ε is seen to be one, whatever the pair."""
    found = dpaudit.check(name, n, **given)
    assert found.audit.stated == Budget(dpaudit.real(epsilon), ZERO)
    assert str(found.epsilon.exact) == str(dpaudit.real(epsilon))
    assert found.verdict is W
    assert str(found.delta_held.value.exact) == "0"


@pytest.mark.parametrize(
    ("p", "q", "f", "h"), [("1/3", "3/4", "1/5", 1), ("1/10", "9/10", "2/3", 3)]
)
def test_the_budgets_of_rappor_are_the_papers(p: str, q: str, f: str, h: int) -> None:
    """ε₁ and ε∞ as Erlingsson et al. 2014 write them."""
    q_star = f"({f}*({p}+{q})/2 + (1-{f})*{q})"
    p_star = f"({f}*({p}+{q})/2 + (1-{f})*{p})"
    once = dpaudit.real(f"{h}*ln({q_star}*(1-{p_star})/({p_star}*(1-{q_star})))")
    forever = dpaudit.real(f"2*{h}*ln((1-{f}/2)/({f}/2))")
    given: dict[str, Any] = {"f": f, "p": p, "q": q, "hashes": h}
    found = dpaudit.check("RAPPOR", 1, **given)
    assert found.epsilon.exact == once
    assert dpaudit.check("PermanentRAPPOR", 1, f=f, hashes=h).epsilon.exact == forever
    before = once
    for reports in (2, 4, 8):
        several = dpaudit.check("RAPPOR", 1, reports=reports, **given)
        assert several.verdict is W
        assert several.epsilon.exact is not None
        now = dpaudit.real(several.epsilon.exact)
        assert float(before) < float(now) < float(forever)
        before = now


def test_two_disjoint_values_are_the_worst_of_all() -> None:
    chosen: list[tuple[str, dict[str, Any]]] = [
        ("RAPPOR", {"f": "1/3"}),
        ("PermanentRAPPOR", {"f": "1/3"}),
        ("RAPPOR", {"f": "1/2", "p": "1/5", "q": "4/5"}),
    ]
    for name, parameters in chosen:
        found = [
            dpaudit.check(name, 1, at_eps=["0", "1/2"], bits=5, inputs=inputs, **parameters)
            for inputs in ("disjoint", "all")
        ]
        assert found[0].epsilon == found[1].epsilon
        assert [point.value for point in found[0].audit.results[0].curve] == [
            point.value for point in found[1].audit.results[0].curve
        ]
        assert found[1].audit.results[0].pairs == 105  # C(5 + 10, 2)


BROKEN: list[tuple[str, dict[str, Any], int, str | None]] = [
    ("RR", {"eps": "ln(3)", "truth": "76/100"}, 1, "ln(19/6)"),
    ("RR", {"coin": "left"}, 1, None),
    ("RR", {"base": "mixed"}, 1, "4/5"),
    ("kRR", {"base": "mixed", "eps": "ln(3)"}, 1, "ln(3)"),
    ("kRR", {"eps": "ln(3)", "truth": "76/100", "k": 3}, 1, "ln(19/3)"),
    ("SUE", {"coin": "left"}, 1, None),
    ("SUE", {"eps": "ln(3)", "p": "3/4"}, 1, "2*ln(3)"),
    ("OUE", {"eps": "ln(3)", "q": "1/5"}, 1, "2*ln(2)"),
    ("PermanentRAPPOR", {"coin": "left"}, 1, None),
    ("Geometric", {"base": "mixed"}, 5, "4/5"),
    ("TruncatedGeometric", {"base": "mixed", "eps": "ln(3)"}, 5, "ln(3)"),
    ("TruncatedGeometric", {"eps": "ln(2)", "truncation": "redrawn"}, 1, "ln(2)"),
    ("TruncatedGeometric", {"eps": "ln(2)", "truncation": "redrawn"}, 2, "ln(16/7)"),
    ("RoundedLaplace", {"noise": "inverted"}, 5, "5/4"),
    ("NoisyHistogram", {"noise": "inverted"}, 3, "5/4"),
]


@pytest.mark.parametrize(("name", "given", "n", "epsilon"), BROKEN, ids=str)
def test_broken_variants_are_rejected_with_a_witness(
    name: str, given: dict[str, Any], n: int, epsilon: str | None
) -> None:
    found = dpaudit.check(name, n, **given)
    if (name, n, given.get("truncation")) == ("TruncatedGeometric", 1, "redrawn"):
        assert found.verdict is W  # with two outputs, redrawing is randomised response
        return
    assert found.verdict is E
    law = dpaudit.mechanism(name, **given).laws().law
    x, y, output = found.witness.x, found.witness.y, found.witness.output
    p, q = (law(dataset).probability(output).exact for dataset in (x, y))
    assert p is not None
    assert q is not None
    if epsilon is None:
        assert found.epsilon.upper == Decimal("Infinity")
        assert q == dpaudit.real(0) != p
    else:
        assert str(found.epsilon.exact) == str(dpaudit.real(epsilon))
        assert abs(float(p) / float(q) - 2.718281828459045 ** float(dpaudit.real(epsilon))) < 1e-9


def test_a_histogram_calibrated_to_one_relation_fails_for_the_other() -> None:
    found = dpaudit.check("NoisyHistogram", 4, adjacency="histogram-substitution")
    assert found.verdict is E
    assert str(found.epsilon.exact) == "8/5"
    other = dpaudit.check(
        "NoisyHistogram", 4, neighbours="histogram-substitution", adjacency="histogram-add-remove"
    )
    assert other.verdict is W
    assert str(other.epsilon.exact) == "2/5"


def test_the_discrete_gaussian_is_held_to_what_its_concentration_implies() -> None:
    found = dpaudit.check("DiscreteGaussian", 3, sigma="2", delta="exp(-8)")
    assert str(found.audit.stated) == "(17/8, exp(-8))"
    assert found.verdict is W
    assert str(found.witness.output) == "r → −∞"
    tight = dpaudit.check("DiscreteGaussian", 3, sigma="2", budget=["1", "7/1000"])
    assert tight.verdict is E  # δ(1) = 0.00724…
    assert dpaudit.check("DiscreteGaussian", 3, sigma="2", budget=["1", "73/10000"]).verdict is W


BAD: list[tuple[str, dict[str, Any], type[UsageError], str]] = [
    ("RR", {"truth": 2}, DomainError, "truth = 2: must be a number greater than 0 and less than 1"),
    ("RR", {"truth": "calibratd"}, NumberSyntaxError, "truth = "),
    ("RR", {"truth": "1/2", "coin": "left"}, ParameterError, "above 1/2"),
    ("RR", {"coin": "lost"}, ParameterError, "tossed, left"),
    ("RR", {"base": "10"}, ParameterError, "e, 2, mixed"),
    ("kRR", {"k": 1}, DomainError, "k = 1: must be a whole number from 2 to 1000"),
    ("kRR", {"k": "5/2"}, DomainError, "whole number"),
    ("kRR", {"k": True}, NumberSyntaxError, "bool"),
    ("SubsetSelection", {"subset": 4}, ParameterError, "subset = 4: must be below k = 4"),
    ("SubsetSelection", {"subset": 0}, DomainError, "from 1 to 999"),
    ("SUE", {"k": 13, "coin": "left"}, ParameterError, "at most 12"),
    ("SUE", {"p": "1/2", "coin": "left"}, ParameterError, "above 1/2"),
    ("OUE", {"p": "calibrated"}, NumberSyntaxError, "p = "),
    ("OUE", {"q": 1}, DomainError, "or calibrated"),
    ("RAPPOR", {"f": 0}, DomainError, "f = 0"),
    ("RAPPOR", {"p": "3/4", "q": "3/4"}, ParameterError, "q = 3/4: must be above p = 3/4"),
    ("RAPPOR", {"q": "1.1"}, DomainError, "q = 11/10: must be a number from 0 to 1"),
    ("RAPPOR", {"bits": 3}, ParameterError, "need at least 4"),
    ("RAPPOR", {"eps": 1, "f": "1/4"}, ParameterError, "f follows from epsilon"),
    ("PermanentRAPPOR", {"eps": 0}, DomainError, "epsilon = 0: must be a number greater than 0"),
    (
        "OLH",
        {"g": 1},
        DomainError,
        "g = 1: must be a whole number from 2 to 1000000, or calibrated",
    ),
    ("RAPPOR", {"bits": 30, "inputs": "all"}, ParameterError, "465 possible Bloom filters"),
    ("RAPPOR", {"bits": 2, "inputs": "all"}, ParameterError, "below the number of bits"),
    ("PermanentRAPPOR", {"bits": 13, "coin": "left"}, ParameterError, "bits = 13"),
    ("TruncatedGeometric", {"truncation": "clamp"}, ParameterError, "did you mean clamped"),
    ("DiscreteLaplace", {"scale": 0}, DomainError, "greater than 0"),
    ("DiscreteLaplace", {"epsilon": 1}, ParameterError, "has no parameter epsilon"),
    ("DiscreteGaussian", {"sigma": "-1"}, DomainError, "greater than 0"),
    ("DiscreteGaussian", {"delta": 0}, DomainError, "greater than 0"),
    ("NoisyHistogram", {"cells": 1}, DomainError, "from 2 to 64"),
    ("RoundedLaplace", {"rounding": "toward-zero"}, ParameterError, "floor, nearest"),
]


@pytest.mark.parametrize(("name", "given", "error", "says"), BAD, ids=str)
def test_bad_values_are_refused_in_one_line(
    name: str, given: dict[str, Any], error: type[UsageError], says: str
) -> None:
    with pytest.raises(error) as caught:
        dpaudit.mechanism(name, **given)
    assert type(caught.value) is error
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_sets_of_one_value_are_randomised_response() -> None:
    """Every δ(ε) of SubsetSelection with sets of one value is that of kRR."""
    given: dict[str, Any] = {"at_eps": ["0", "1/3", "4/5"], "k": 6}
    sets, values = (
        dpaudit.check("SubsetSelection", 1, subset=1, **given),
        dpaudit.check("kRR", 1, **given),
    )
    assert sets.audit.results[0].curve == values.audit.results[0].curve
    assert sets.epsilon == values.epsilon


@pytest.mark.parametrize("name", LOCAL)
def test_one_user_is_one_user(name: str) -> None:
    assert dpaudit.mechanism(name).default_size == 1
    with pytest.raises(SizeError, match="n must be 1 or left out"):
        dpaudit.check(name, 2)
    with pytest.raises(ParameterError, match="known: all"):
        dpaudit.check(name, 1, adjacency="histogram-add-remove")


def test_a_range_that_shows_how_many_records_there_are() -> None:
    """Counts clamped to 0 … n give n away if records may be added: the audit says so."""
    settings_of: dict[str, dict[str, Any]] = {
        "TruncatedGeometric": {},
        "RoundedLaplace": {"range": "clamped"},
    }
    for name, chosen in settings_of.items():
        found = dpaudit.check(name, 3, adjacency="histogram-add-remove", **chosen)
        assert found.verdict is E
        assert found.witness.output == (4,)
    assert dpaudit.check("Geometric", 3, adjacency="histogram-add-remove").verdict is W


@pytest.mark.parametrize("name", ORACLES)
def test_laws_sum_to_one_and_losses_are_those_of_the_probabilities(name: str) -> None:
    mechanism = dpaudit.mechanism(name)
    n = mechanism.default_size or 4
    with precision(200):
        book = mechanism.laws()
        x, y = next(iter(mechanism.adjacency().pairs(n)))
        p, q = book.law(x), book.law(y)
        divergence = p.divergence_from(q)
        for forward in (True, False):
            atoms = list(divergence.atoms(forward=forward))
            for side in ([atom.p for atom in atoms], [atom.q for atom in atoms]):
                assert (sum(side, ball(0)) - 1).contains(0) or not forward
            for atom in atoms:
                if isinstance(atom.output, str):
                    continue
                loss = divergence.loss_at(atom.output, forward=forward)
                a, b = (law.probability(atom.output).ball for law in (p, q))
                assert overlap(loss.ball, (a / b if forward else b / a).log())
                assert not certainly_less(divergence.max_loss(forward=forward).ball, loss.ball)
        assert p.probability("nothing" if name in ("RR", "kRR") else ()).exact == dpaudit.real(0)


def test_reports_of_endless_losses_can_be_resumed(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    arguments = ["check", "DiscreteGaussian", "--format", "json", "--output", str(report)]
    assert invoke([*arguments, "--n", "2..3"]) == 0
    assert invoke([*arguments, "--n", "2..5", "--resume"]) == 0
    resumed = report.read_bytes()
    assert invoke([*arguments, "--n", "2..5"]) == 0
    assert report.read_bytes() == resumed
    assert json.loads(resumed)["results"][0]["epsilon"]["lower"] == "inf"


def test_sizes_may_be_left_out_for_one_user(capfd: pytest.CaptureFixture[str]) -> None:
    assert invoke(["check", "RR", "SUE", "--eps", "ln(3),4/5", "--no-plot"]) == 0
    assert capfd.readouterr().out.count("largest realised ε: ") == 4
    assert invoke(["check", "RR", "EHDS", "--no-plot"]) == 2
    assert "the sizes are missing; give --n, such as 10" in capfd.readouterr().err
    assert invoke(["check", "RR", "--n", "5", "--no-plot"]) == 2
    assert capfd.readouterr().err.startswith("dpaudit: n = 5: RR randomises the value of one user")


def test_classics_are_listed_in_groups(capfd: pytest.CaptureFixture[str]) -> None:
    assert invoke(["list"]) == 0
    text = capfd.readouterr().out
    places = [text.index(line) for line in ("The notes\n", "Randomised by", "Counts with integer")]
    assert places == sorted(places)


def test_the_version_needs_no_classic() -> None:
    code = (
        "import sys, dpaudit.cli.main as m; m.invoke(['--version']); "
        "print([name for name in sys.modules if 'classics' in name or 'mechanisms' in name])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 2.5])
def test_another_library_agrees_on_integer_noise(epsilon: float) -> None:
    from dp_accounting.pld import privacy_loss_mechanism as other

    for name, parameters, loss in (
        ("DiscreteGaussian", {"sigma": 3}, other.DiscreteGaussianPrivacyLoss(3)),
        ("DiscreteLaplace", {"scale": "5/4"}, other.DiscreteLaplacePrivacyLoss(0.8)),
        ("RoundedLaplace", {"eps": "4/5"}, None),
    ):
        chosen: dict[str, Any] = dict(parameters)
        found = dpaudit.check(name, 3, at_eps=[epsilon], **chosen)
        (point,) = found.audit.results[0].curve
        if loss is None:  # rounding is post-processing of continuous noise
            continuous = other.LaplacePrivacyLoss(1.25).get_delta_for_epsilon(epsilon)
            assert float(point.value.lower) <= continuous + 1e-12
        else:
            truth = loss.get_delta_for_epsilon(epsilon)
            assert float(point.value.midpoint) == pytest.approx(truth, rel=1e-9, abs=1e-15)


def test_noise_too_wide_to_be_summed_is_undecided() -> None:
    """Never a pass, and never a sum without end."""
    found = dpaudit.check("DiscreteGaussian", 3, sigma="1e9")
    assert found.verdict is Verdict.UNDECIDED
    assert "terms" in found.audit.undecided[0].reason
    curves = dpaudit.curve("DiscreteGaussian", 3, sigma="1e9")
    assert "outputs" in curves.audit.undecided[0].reason
