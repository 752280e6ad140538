"""Batches that are no Poisson samples, and replaced examples: both ends are on their sides.

The oracles are quadratures in floats of the pairs of laws themselves, and batches that are listed.
"""

import json
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from math import comb, exp, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

import dpaudit
from dpaudit.cli.main import invoke
from dpaudit.laws.shifted import GaussianDivergence
from dpaudit.numbers.ball import Ball, precision
from dpaudit.numbers.real import real
from dpaudit.questions.account.batches import SHIFTS, BatchRun, account_of_batches, some_above
from dpaudit.questions.account.subsampling import replaced, subsampled, turned_at_zero
from dpaudit.results import Verdict

X = np.linspace(-14.0, 20.0, 200_001)
GRID = np.linspace(-9.0, 12.0, 501)
ORDERS = [0.05, 0.3, 0.7, 0.95, 1.0, 1.02, 1.2, 2.0, 5.0, 30.0]
RUN = ["--noise-multiplier", "2", "--batch-size", "100", "--dataset-size", "5000", "--epochs", "3"]


def hockey_stick(p: Any, q: Any, order: float, cell: float = X[1] - X[0]) -> float:
    return float(np.maximum(p - order * q, 0).sum() * cell)


def mixed(rate: float, at: float, around: float = 0.0) -> Any:
    return (1 - rate) * norm.pdf(X - around) + rate * norm.pdf(X - at)


def masses(measure: Any, losses: list[float]) -> Any:
    with precision(160):
        return np.array([[float(one) for one in measure.below(Ball(x))] for x in losses])


def curve(measure: Any, order: float) -> float:
    """Return H of a loss measure, from its masses above ln a."""
    ((p, q),) = masses(measure, [float(np.log(order))])
    return float((1 - p) - order * (1 - q))


@pytest.mark.parametrize("rate", [0.02, 0.3, 0.9])
@pytest.mark.parametrize("mu", [0.3, 1.0, 2.5])
def test_the_pair_of_a_replaced_record_has_its_masses(mu: float, rate: float) -> None:
    measure = replaced(real(Fraction(mu)), real(Fraction(rate)))
    p, q = mixed(rate, mu), mixed(rate, -mu)
    for order in ORDERS:
        assert curve(measure, order) == pytest.approx(hockey_stick(p, q, order), abs=1e-6)


@pytest.mark.parametrize("seed", range(12))
def test_no_two_vectors_are_worse_than_opposite_ones(seed: int) -> None:
    """In the plane, by quadrature: what the lemma of Neyman and Pearson is used for."""
    dice = np.random.default_rng(seed)
    mu, rate = dice.uniform(0.3, 2.0), dice.uniform(0.05, 0.9)
    u, v = (
        mu * dice.uniform(0, 1) * np.array([np.cos(turn), np.sin(turn)])
        for turn in dice.uniform(0, 2 * np.pi, 2)
    )
    places = np.stack(np.meshgrid(GRID, GRID), axis=-1)
    p, q = (
        (1 - rate) * multivariate_normal.pdf(places, [0, 0])
        + rate * multivariate_normal.pdf(places, w)
        for w in (u, v)
    )
    cell = (GRID[1] - GRID[0]) ** 2
    measure = replaced(real(Fraction(mu)), real(Fraction(rate)))
    for order in ORDERS:
        assert hockey_stick(p, q, order, cell) <= curve(measure, order) + 1e-6


@pytest.mark.parametrize("size", [1, 2, 3])
def test_a_sample_of_fixed_size_is_bounded_where_a_record_is_replaced(size: int) -> None:
    """All samples are listed, of records at any place within the clipping norm."""
    sigma, records = 0.8, 4
    pair = GaussianDivergence(real(2) / real(Fraction(4, 5)))
    measure = pair.loss_measure(forward=True)
    assert measure is not None
    rate = real(Fraction(size, records))
    bound = turned_at_zero(subsampled(measure, rate, remove=True))
    cells = np.linspace(-14.0, 14.0, 40_001)

    def law(values: tuple[float, ...]) -> Any:
        sums = [sum(chosen) for chosen in combinations(values, size)]
        return sum(norm.pdf(cells, at, sigma) for at in sums) / len(sums)

    dice = np.random.default_rng(size)
    others = [(-1.0,) * (records - 1), (1.0,) * (records - 1)]
    others += [tuple(dice.uniform(-1, 1, records - 1)) for _ in range(20)]
    largest = dict.fromkeys(ORDERS, 0.0)
    for rest in others:
        for one, other in ((1.0, -1.0), (-1.0, 1.0), (0.4, -0.9)):
            p, q = law((*rest, one)), law((*rest, other))
            for order in ORDERS:
                found = hockey_stick(p, q, order, cells[1] - cells[0])
                assert found <= curve(bound, order) + 1e-6
                largest[order] = max(largest[order], found)
    for order in ORDERS:  # and it is attained at each order
        assert largest[order] == pytest.approx(curve(bound, order), abs=1e-6)
    shown = masses(bound, [-3.0, -1e-9, 0.0, 1e-9, 3.0])
    assert np.all(np.diff(shown, axis=0) >= 0)
    assert shown[2][0] - shown[1][0] > 0.01  # what is left has the loss 0
    with precision(160):  # and a ball around 0 holds either side
        p_both, q_both = bound.below(Ball(0, 1e-9))
    assert all(p_both.contains(Ball(float(p))) for p, _ in shown[1:4])
    assert all(q_both.contains(Ball(float(q))) for _, q in shown[1:4])


@pytest.mark.parametrize("shift", [-1.0, 0.0, 2.0])
def test_the_largest_of_a_batch_is_above_a_threshold_so_often(shift: float) -> None:
    draws = np.random.default_rng(5).normal(size=(200_000, 4))
    draws[:, 2] += shift
    for threshold in (0.5, 1.5):
        with precision(64):
            found = float(some_above(Ball(threshold), Ball(shift), 4))
        shown = (draws.max(axis=1) > threshold).mean()
        assert abs(found - shown) < 5 * sqrt(found * (1 - found) / len(draws))


def epochs_of_two(shifts: tuple[float, float], sigma: float) -> Callable[[float], float]:
    """Return δ(ε) of one epoch of two batches, by quadrature of its two laws."""
    places = np.stack(np.meshgrid(GRID, GRID), axis=-1)
    laws = []
    for shift in shifts:
        ends = ([shift / sigma, 0.0], [0.0, shift / sigma])
        laws.append(sum(multivariate_normal.pdf(places, end) for end in ends) / 2)
    cell = (GRID[1] - GRID[0]) ** 2
    p, q = laws
    return lambda e: max(hockey_stick(p, q, exp(e), cell), hockey_stick(q, p, exp(e), cell))


@pytest.mark.parametrize(("sampling", "relation"), SHIFTS)
@pytest.mark.parametrize("sigma", [0.7, 1.0, 2.0])
def test_an_epoch_is_between_both_ends(sampling: Any, relation: Any, sigma: float) -> None:
    run = BatchRun(sampling, relation, 2, Fraction(1, 2), 1, 1)
    orders = ["0", "1/2", "1", "2"]
    rows = account_of_batches(run, run.subject(str(sigma)), at_eps=orders, width="1%").rows
    assert rows[0].method == "bounds"
    worst = [epochs_of_two(shifts, sigma) for shifts in SHIFTS[sampling, relation]]
    for row, order in zip(rows, orders, strict=True):
        held: Any = row.delta
        truth = max(of(float(Fraction(order))) for of in worst)
        assert float(held.lower) <= truth + 1e-6
        assert truth <= float(held.upper) + 1e-6
        assert float(held.lower) > 0.3 * truth


def test_a_lower_end_of_epsilon_is_one_of_delta() -> None:
    """At the lower end of ε the lower end of δ is not below δ; several epochs are counted."""
    run = BatchRun("shuffle", "zero out", 60, Fraction(1, 20), 3, 3)
    row: Any
    (row,) = account_of_batches(run, run.subject("1"), at_delta=["1e-5"], width="1%").rows
    low = row.epsilon.lower
    assert 0 < low < row.epsilon.upper
    there: Any
    (there,) = account_of_batches(run, run.subject("1"), at_eps=[low], width="1%").rows
    assert float(there.delta.lower) >= 1e-5 * (1 - 1e-6)
    one = BatchRun("shuffle", "zero out", 20, Fraction(1, 20), 1, 1)
    less: Any
    (less,) = account_of_batches(one, one.subject("1"), at_delta=["1e-5"], width="1%").rows
    assert less.epsilon.lower < low


def test_counts_of_epochs_are_binomial() -> None:
    """A lower end of δ is that of some threshold, counted over the epochs in fractions."""
    run = BatchRun("allocation", "add or remove", 6, Fraction(1, 3), 2, 2)
    row: Any
    (row,) = account_of_batches(run, run.subject("1"), at_eps=["1"], width="1%").rows
    best = 0.0
    for threshold in np.linspace(-2, 12, 2000):
        p, q = (1 - norm.cdf(threshold) ** 2 * norm.cdf(threshold - s) for s in (1, 0))
        for a, b in ((p, q), (q, p)):
            parts = [
                comb(2, k) * (a**k * (1 - a) ** (2 - k) - exp(1) * b**k * (1 - b) ** (2 - k))
                for k in range(3)
            ]
            best = max(best, sum(max(part, 0) for part in parts))
    assert 0.98 * best <= float(row.delta.lower) <= best * (1 + 1e-4)


def bounded(**words: Any) -> Any:
    """Return the account of a training, by the function."""
    run: dict[str, Any] = {
        "noise_multiplier": 2, "batch_size": 100, "dataset_size": 5000, "epochs": 3
    }  # fmt: skip
    return dpaudit.account_dpsgd(**run | {"delta": "1e-5"} | words)


def ends(found: Any) -> tuple[float, float]:
    return float(found.rows[0].epsilon.lower), float(found.rows[0].epsilon.upper)


def test_every_choice_has_its_own_interval() -> None:
    """None is that of Poisson samples."""
    seen = [ends(bounded())]
    for sampling in ("poisson", "fixed", "shuffle", "allocation"):
        for adjacency in (None, "substitution"):
            if (sampling, adjacency) == ("poisson", None):
                continue
            low, high = ends(bounded(sampling=sampling, adjacency=adjacency))
            assert low < high
            assert high > seen[0][1]  # each is a weaker promise here
            assert (low, high) not in seen
            seen.append((low, high))


@pytest.mark.parametrize("words", [["--sampling", "shuffle"], ["--adjacency", "substitution"]])
def test_the_command_says_what_the_function_says(
    capfd: pytest.CaptureFixture[str], words: list[str]
) -> None:
    assert invoke(["account", "dpsgd", *RUN, *words, "--delta", "1e-5", "--format", "csv"]) == 0
    captured = capfd.readouterr()
    assert captured.err.count("\n") == 1
    assert "batches: " in captured.err
    wanted = bounded(**{words[0].removeprefix("--"): words[1]})
    assert captured.out == wanted.to_csv()


def test_batches_of_a_fixed_size_are_samples_with_half_the_noise() -> None:
    wanted = dpaudit.account(
        "Gaussian", sigma=1, sample_rate="1/50", compose=150, at_delta="1e-5", width="1%"
    )
    assert ends(bounded(sampling="fixed")) == ends(wanted)


def test_a_verdict_is_undecided_between_both_ends() -> None:
    low, high = ends(bounded(sampling="shuffle"))
    for epsilon, verdict in (
        (low * 0.9, Verdict.EXCEEDS),
        ((low + high) / 2, Verdict.UNDECIDED),
        (high * 1.01, Verdict.WITHIN),
    ):
        budget = f"{epsilon:.6f}", "1e-5"
        found = bounded(sampling="shuffle", delta=(), budget=budget)
        assert found.verdict is verdict


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--adjacency", "substitution"], 0),
        (["--sampling", "shuffle"], 3),
    ],
)
def test_reports_are_verified_or_said_to_be_unknown(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, words: list[str], code: int
) -> None:
    report = tmp_path / "report.json"
    few = ["--noise-multiplier", "2", "--sample-rate", "1/5", "--epochs", "1"]
    given = ["account", "dpsgd", *few, *words, "--delta", "1e-5", "--format", "json"]
    assert invoke([*given, "--output", str(report)]) == 0
    assert invoke(["verify", str(report)]) == code
    changed = json.loads(report.read_text())
    changed.pop("sha256")
    if words[0] == "--adjacency":
        changed["rows"][0]["epsilon"] = {"lower": "0.1", "upper": "0.2"}
        report.write_text(json.dumps(changed))
        assert invoke(["verify", str(report)]) == 1


def test_a_training_that_was_shuffled_is_bounded(capfd: pytest.CaptureFixture[str]) -> None:
    """The ε of an accountant that assumed Poisson samples is held to what shuffling has."""
    settings = {"noise_multiplier": 2, "batch_size": 100, "dataset_size": 5000, "epochs": 3}
    plain = dpaudit.account_run(settings, delta="1e-5").rows[0].epsilon
    found: Any = dpaudit.account_run(
        settings | {"shuffle": True}, delta="1e-5", their_epsilon=plain.upper
    )
    assert found.report.batches.sampling == "shuffle"
    training = found.report.training
    assert training is not None
    assert "the accountant assumed Poisson samples, but batches are" in training.remarks[-1]
    assert training.claim_verdict is not None
    assert training.claim_verdict.value != "within"
