"""Laws with a rest: what is said of a pair contains the truth, wherever the rest may lie."""

import random
from fractions import Fraction
from math import exp, inf, log
from typing import Any

import pytest

import dpaudit
from dpaudit import finite_mechanism
from dpaudit.errors import DpauditError, LawError, ParameterError
from dpaudit.laws.explicit import ExplicitLaw
from dpaudit.laws.rest import RestLaw
from dpaudit.numbers.ball import precision
from dpaudit.numbers.real import ONE, rational, real


def drawn_law(rng: random.Random, outputs: int) -> dict[int, Fraction]:
    weights = [rng.randint(0, 20) for _ in range(outputs - 1)] + [rng.randint(1, 20)]
    return {o: Fraction(w, sum(weights)) for o, w in enumerate(weights) if w}


def cut(rng: random.Random, law: dict[int, Fraction]) -> dict[int, Fraction]:
    """Return less of a law: some outputs are left out, and of others a part."""
    shares = {o: rng.choice([Fraction(1), Fraction(1), Fraction(9, 10), Fraction(0)]) for o in law}
    return {o: p * shares[o] for o, p in law.items() if shares[o]}


def reals(law: dict[int, Fraction]) -> dict[Any, Any]:
    return {o: rational(p) for o, p in law.items()}


@pytest.mark.parametrize("seed", range(200))
def test_the_truth_lies_between_the_bounds(seed: int) -> None:
    rng = random.Random(seed)
    p, q = (drawn_law(rng, 6) for _ in range(2))
    known_p, known_q = cut(rng, p), cut(rng, q)
    if not known_p or not known_q:
        return
    with precision(100):
        other = ExplicitLaw(reals(q)) if known_q == q else RestLaw(reals(known_q))
        compared = RestLaw(reals(known_p)).divergence_from(other)
        for forward, (x, y) in ((True, (p, q)), (False, (q, p))):
            bound = compared.loss_from_below(forward=forward)
            assert bound is not None
            truth = max(log(m / y[o]) if o in y else inf for o, m in x.items())
            assert float(bound.ball.lower()) <= truth + 1e-12
            for at in (Fraction(0), Fraction(1, 2), Fraction(3)):
                found = compared.hockey_stick(rational(at), forward=forward).ball
                delta = sum(max(0.0, float(m) - exp(at) * float(y.get(o, 0))) for o, m in x.items())
                assert float(found.lower()) <= delta + 1e-12
                assert delta - 1e-12 <= float(found.upper())
                rests = (1 - sum(known_p.values()), 1 - sum(known_q.values()))
                width = rests[0] + Fraction(exp(at)) * rests[1] if forward else 0
                assert (
                    not forward
                    or float(found.upper() - found.lower()) <= width * (1 + 1e-8) + 1e-12
                )


def test_without_a_rest_it_is_the_divergence_itself() -> None:
    p, q = {0: Fraction(3, 4), 1: Fraction(1, 4)}, {0: Fraction(1, 4), 1: Fraction(3, 4)}
    with precision(100):
        found = RestLaw(reals(p)).divergence_from(RestLaw(reals(q)))
        loss = found.loss_from_below(forward=True)
        assert loss is not None
        assert loss.output == 0
        assert abs(float(loss.ball) - log(3)) < 1e-20 + 1e-15
        assert float(found.hockey_stick(rational(0), forward=True).ball.rad()) < 1e-25


def test_an_output_that_a_whole_law_lacks_has_an_infinite_loss() -> None:
    p, q = {0: Fraction(1, 2), 1: Fraction(1, 4)}, {0: Fraction(1)}
    with precision(100):
        found = RestLaw(reals(p)).divergence_from(ExplicitLaw(reals(q)))
        loss = found.loss_from_below(forward=True)
        assert loss is not None
        assert loss.infinite
        assert loss.output == 1


def test_nothing_but_bounds_is_given() -> None:
    law = RestLaw(reals({0: Fraction(1, 2)}))
    found = law.divergence_from(law)
    assert law.listed() is None
    for refused in (
        lambda: found.max_loss(forward=True),
        lambda: found.loss_at(0, forward=True),
        lambda: found.atoms(forward=True),
    ):
        with pytest.raises(LawError, match="rest"):
            refused()


T = real("exp(-1/2)")


def geometric(x: int, low: int = -105, high: int = 105) -> dict[int, Any]:
    """Two-sided geometric noise of scale 2, its tails cut."""
    return {k: (1 - T) / (1 + T) * T ** abs(k - x) for k in range(low, high + 1)}


def written(budget: Any, **given: Any) -> Any:
    return finite_mechanism(datasets=[0, 1], neighbours="all", budget=budget, **given)


def test_a_written_law_with_a_rest_is_decided_by_its_delta() -> None:
    law = written(("1/2", "1e-20"), rest="exp(-50)")(geometric)
    found = dpaudit.check(law, n=1)
    (result,) = found.results
    assert found.verdict == "within"
    assert float(result.epsilon.lower) == pytest.approx(0.5, abs=1e-9)
    assert result.epsilon.upper.is_infinite()
    assert float(result.delta_held.lower) == 0 < float(result.delta_held.upper) < 1e-22
    assert "exp(-50)" in str(found)
    pure = dpaudit.check(law, n=1, budget="1/2")
    assert pure.verdict == "undecided"
    assert "some probability is not assigned to any output, so ε is" in pure.results[0].reason
    assert dpaudit.check(law, n=1, budget="1/4").verdict == "exceeds"


def test_a_rest_that_is_no_rest_is_refused() -> None:
    with pytest.raises(ParameterError, match="from 0 to less than 1"):
        written(1, rest="3/2")
    with pytest.raises(ParameterError, match="from 0 to less than 1"):
        written(1, rest="-1/2")
    with pytest.raises(ParameterError, match="normalised"):
        written(1, rest="1/2", normalised=False)
    for law, told in (
        (
            lambda x: geometric(x, -10, 10),
            "the unlisted part is larger than the rest that is stated for it",
        ),
        (lambda x: {0: "3/4", 1: "1/2"}, "add up to more than 1"),
        (lambda x: {0: "5/4", 1: "-1/4"}, "negative"),
    ):
        with pytest.raises(DpauditError, match=told):
            dpaudit.check(written((1, "1/10"), rest="1/1000")(law), n=1)


def test_a_law_that_leaves_nothing_is_exact() -> None:
    law = written("ln(3)", rest="1/1000")(lambda x: {x: "3/4", 1 - x: "1/4"})
    (result,) = dpaudit.check(law, n=1).results
    assert str(result.epsilon.exact) == "ln(3)"
    assert result.verdict == "within"


def test_an_object_may_state_a_rest(tmp_path: Any, capfd: pytest.CaptureFixture[str]) -> None:
    from dpaudit.cli.main import invoke

    file = tmp_path / "own.py"
    file.write_text(
        "from dpaudit import real\n"
        "t = real('exp(-1)')\n"
        "class Count:\n"
        "    datasets, neighbours, budget, rest = [0, 1], 'all', (1, '1e-9'), 'exp(-25)'\n"
        "    def law(self, x):\n"
        "        return {k: (1 - t) / (1 + t) * t ** abs(k - x) for k in range(-30, 31)}\n"
    )
    report = tmp_path / "r.json"
    assert invoke(["check", f"{file}:Count", "--format", "json", "--output", str(report)]) == 0
    assert '"rest": "exp(-25)"' in report.read_text()
    assert invoke(["verify", str(report), "--own", f"{file}:Count"]) == 3
    assert "unconfirmed" in capfd.readouterr().out
    for command in ("curve", "tradeoff"):
        assert invoke([command, f"{file}:Count", "--no-plot"]) == 2
        told = capfd.readouterr().err
        assert "some probability is not assigned to any output" in told


def test_closed_forms_calculate_with_exact_numbers() -> None:
    half = Fraction(1, 2)
    assert 1 - T == ONE - T
    assert half * T == rational(half) * T == T * half == T / 2
    assert rational(2) / T == 2 / T
    assert half + T == T + half
    assert T - 1 == -(1 - T)
    assert rational(0) == 0 * T
    for other in (0.5, True, "1", None):
        with pytest.raises(TypeError):
            T + other  # type: ignore[operator]
