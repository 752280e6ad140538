"""Runs of different mechanisms: against all sequences, both sides, and looked at a second time."""

import cmath
import json
import random
import subprocess
import sys
import types
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from dpaudit.api.plans import mechanism
from dpaudit.cli.main import invoke
from dpaudit.errors import ParameterError
from dpaudit.laws.explicit import ExplicitLaw
from dpaudit.laws.shifted import GaussianDivergence, LaplaceDivergence
from dpaudit.mechanisms.user import finite_mechanism
from dpaudit.numbers import loss_cells
from dpaudit.numbers.ball import (
    Ball,
    ball,
    certainly_less,
    lower_fraction,
    precision,
    upper_fraction,
)
from dpaudit.numbers.loss_cells import lattice_of_points
from dpaudit.numbers.real import rational, real
from dpaudit.questions.account.certified import certified_account
from dpaudit.questions.account.contour import ContourBand
from dpaudit.questions.account.exact import Joint
from dpaudit.questions.account.joint import Run
from dpaudit.questions.account.known_moments import GaussianMoments, JointMoments, LaplaceMoments
from dpaudit.questions.account.lattices import Effort, band
from dpaudit.questions.account.outcomes import outcomes
from dpaudit.questions.account.sources import Listed, source_of
from dpaudit.results.accounts import DeltaRow, EpsilonRow
from tests.accounting.random import convolved, hockey_stick

Pairs = list[tuple[Fraction, Fraction]]
ORDERS = [Fraction(1), Fraction(3, 2), Fraction(4), Fraction(20)]


def law(dice: random.Random) -> Pairs:
    weights = [[dice.choice([1, 2, 3, 5, 8, 40]) for _ in range(3)] for _ in range(2)]
    if dice.random() < 0.3:
        weights[1][2] = 0
    return [
        (Fraction(a, sum(weights[0])), Fraction(b, sum(weights[1])))
        for a, b in zip(*weights, strict=True)
    ]


def divergence(pairs: Pairs) -> Any:
    p, q = (
        ExplicitLaw({i: rational(w) for i, w in enumerate(s) if w})
        for s in zip(*pairs, strict=True)
    )
    return p.divergence_from(q)


def products(first: Pairs, second: Pairs) -> Pairs:
    return [(p * a, q * b) for p, q in first for a, b in second]


def outside(kind: type[Joint], seed: int, effort: Effort) -> bool:
    """Tell whether runs of two random laws are on a wrong side of all sequences of outputs."""
    dice = random.Random(seed)
    one, two = law(dice), law(dice)
    runs, more = dice.randint(1, 3), dice.randint(1, 3)
    joint_masses = products(convolved(one, runs), convolved(two, more))
    with precision(320):
        sources = [Listed(outcomes(divergence(each)), forward=True) for each in (one, two)]
        found = band(kind(((sources[0], runs), (sources[1], more))), 1, effort)
        for order in ORDERS:
            low, high = found.delta(rational(order).ln())
            truth = hockey_stick(joint_masses, order)
            if not lower_fraction(low) <= truth <= upper_fraction(high):
                return True
    return False


FINE, COARSE = Effort(1e-3, Fraction(1, 10**12)), Effort(0.3, Fraction(1, 10**4))


@pytest.mark.parametrize("effort", [FINE, COARSE])
def test_lattices_of_different_laws_enclose_all_sequences(effort: Effort) -> None:
    assert [seed for seed in range(8) if outside(Joint, seed, effort)] == []


MUTANTS = {
    "the side of the lattice": ("above=lattice.above,\n        left", "above=True,\n        left"),
    "infinite losses above": ("right=infinite if lattice.above else", "right="),
    "the other mass": ("mass * (-lattice.loss(place)).exp()", "mass * (-lattice.loss(0)).exp()"),
}
"""Directions of putting a lattice on another step, turned round."""


def moved(engine: Any, seed: int) -> bool:
    """Tell whether lattices that are put on another step are on a wrong side of what they were."""
    dice = random.Random(seed)
    losses = sorted(dice.sample(range(-20, 30), 6))
    masses = {place: Fraction(dice.randint(1, 99), 1000) for place in losses}
    over = Fraction(dice.randint(0, 9), 1000)
    with precision(200):
        points = {place: ball(mass) for place, mass in masses.items()}
        for above in (False, True):
            before = lattice_of_points(
                points,
                real("1/10"),
                real("1/30"),
                90,
                above=above,
                infinite=ball(over),
                complete=False,
            )
            after = engine.on_step(before, real("1/4"))
            for at in ("0", "1/3", "5/4", "2"):
                truth = ball(before.infinite)
                for place, mass in enumerate(before.masses.coeffs()):
                    share = 1 - (real(at).ball() - before.loss(place)).exp()
                    truth += int(mass) * share.max(ball(0))
                truth /= 1 << 90
                found = after.delta(real(at))
                if above and certainly_less(found.upper(), truth.lower()):
                    return True
                if not above and certainly_less(truth.upper(), found.lower()):
                    return True
    return False


def test_lattices_on_another_step_stay_on_their_side() -> None:
    assert not any(moved(loss_cells, seed) for seed in range(40))


@pytest.mark.parametrize("name", MUTANTS)
def test_a_step_that_is_changed_to_the_wrong_side_is_caught(name: str) -> None:
    source = Path(str(loss_cells.__file__)).read_text()
    old, new = MUTANTS[name]
    assert source.count(old) == 1
    module = types.ModuleType("mutant")
    sys.modules["mutant"] = module  # dataclasses look there
    try:
        exec(compile(source.replace(old, new), "mutant", "exec"), module.__dict__)
        assert any(moved(module, seed) for seed in range(60))
    finally:
        del sys.modules["mutant"]


def user(name: str, laws: tuple[list[Fraction], list[Fraction]]) -> Any:
    @finite_mechanism(budget="9", datasets=[0, 1], neighbours="all", name=name)
    def one(x: int) -> dict[int, Fraction]:
        return {place: mass for place, mass in enumerate(laws[x]) if mass}

    return one


def test_few_runs_are_exact_in_both_directions() -> None:
    dice = random.Random(5)
    first, second = law(dice), law(dice)
    subjects = [
        user(name, ([p for p, _ in pairs], [q for _, q in pairs]))
        for name, pairs in (("a", first), ("b", second))
    ]
    found = certified_account(
        subjects[0], 1, 2, at_eps=["ln(2)", "0"], then=[Run(subjects[1], 3)], adaptive=False
    )
    both = products(convolved(first, 2), convolved(second, 3))
    for row, order in zip(found.rows, (Fraction(2), Fraction(1)), strict=True):
        assert isinstance(row, DeltaRow)
        assert row.delta.exact is not None
        ways = [hockey_stick(both, order), hockey_stick([(q, p) for p, q in both], order)]
        assert row.delta.exact.as_fraction() == max(ways)
        assert row.method == "exact"


def test_bounds_of_adaptive_runs_hold_for_runs_that_see_pairs_each_way() -> None:
    one = [(Fraction(1, 3), Fraction(10, 13)), (Fraction(2, 3), Fraction(3, 13))]
    two = [(Fraction(1, 2), Fraction(1, 5)), (Fraction(1, 2), Fraction(4, 5))]
    subjects = [
        user(name, ([p for p, _ in pairs], [q for _, q in pairs]))
        for name, pairs in (("a", one), ("b", two))
    ]
    (row,) = certified_account(subjects[0], 1, 1, at_eps=["ln(2)"], then=[Run(subjects[1], 2)]).rows
    assert isinstance(row, DeltaRow)
    assert row.adaptive_upper is not None
    turned = [(q, p) for p, q in two]
    for a in (one, [(q, p) for p, q in one]):
        for b in (two, turned):
            for c in (two, turned):
                seen = hockey_stick(products(products(a, b), c), Fraction(2))
                assert seen <= Fraction(row.adaptive_upper)


def test_gaussian_runs_of_two_kinds_are_one_gaussian_run() -> None:
    then = [Run(mechanism("Gaussian", sigma=4), 3)]
    found = certified_account(mechanism("Gaussian", sigma=2), 1, 1, at_eps=["1"], then=then)
    alone = certified_account(mechanism("Gaussian", sigma="4/sqrt(7)"), 1, 1, at_eps=["1"])
    (row,), (other,) = found.rows, alone.rows
    assert isinstance(row, DeltaRow)
    assert isinstance(other, DeltaRow)
    assert row.method == other.method == "closed form"
    assert row.delta.lower <= other.delta.upper
    assert other.delta.lower <= row.delta.upper


def test_moments_and_lattices_of_continuous_noise_agree() -> None:
    """Two Gaussian runs and a Laplace run, by an inverted transform and on lattices."""
    normal, spread = GaussianDivergence(real("1/2")), LaplaceDivergence(real("1/2"))
    with precision(160):
        sources = [(source_of(one, forward=True), k) for one, k in ((normal, 2), (spread, 1))]
        moments = JointMoments(
            ((GaussianMoments(real("1/2")), 2), (LaplaceMoments(real("1/2")), 1))
        )
        narrow = ContourBand(moments, 1, 1e-6).epsilon(real("1e-5"))
        wide = band(Joint(tuple(sources)), 1, Effort(1e-4, Fraction(1, 10**14))).epsilon(
            real("1e-5")
        )
    assert lower_fraction(wide[0]) < lower_fraction(narrow[0])
    assert upper_fraction(narrow[1]) < upper_fraction(wide[1])
    assert float(wide[1] - wide[0]) < 1e-2
    assert float(narrow[1] - narrow[0]) < 1e-5


def test_moments_of_laplace_noise_are_those_of_its_density() -> None:
    with precision(200):
        found = LaplaceMoments(real("1/2")).along(Ball(2), Ball(3), 2)
        s = float(Fraction(1, 2))
    cells = 20_000
    for place, value in enumerate(found):
        z = complex(2, 3 * place)
        total: complex = 0.5 * cmath.exp(z * s) + 0.5 * cmath.exp(-s - z * s)
        for cell in range(cells):
            loss = s * ((cell + 0.5) * 2 / cells - 1)
            total += cmath.exp(z * loss) * cmath.exp((loss - s) / 2) / 4 * (2 * s / cells)
        assert abs(total - complex(float(value.real), float(value.imag))) < 1e-7


def test_lattices_of_one_step_stay_exact() -> None:
    """Runs of two laws whose losses are multiples of one number are not put on another step."""
    subject = mechanism("RR")
    found = certified_account(
        subject, 1, 30_000, at_delta=["1e-10"], then=[Run(subject, 10_000)], width="1e-12"
    )
    alone = certified_account(subject, 1, 40_000, at_delta=["1e-10"], width="1e-12")
    (row,), (other,) = found.rows, alone.rows
    assert isinstance(row, EpsilonRow)
    assert isinstance(other, EpsilonRow)
    assert row.epsilon.width < Fraction(1, 10**10)
    assert row.epsilon.lower <= other.epsilon.upper
    assert other.epsilon.lower <= row.epsilon.upper
    assert row.adaptive_upper is not None
    assert row.adaptive_upper >= row.epsilon.lower


@pytest.mark.parametrize(
    ("then", "said"),
    [
        ("RR compose=2", "RR has different pairs of datasets from Gaussian"),
        (
            "Laplace scale=2 sample-rate=1/10",
            "some runs use samples and some all data, and these have",
        ),
        ("Laplace scale=2 compose=0", "must be a whole number of at least 1"),
        ("Laplace scale", "'scale' is not NAME=VALUE"),
        ("Laplace scale=1 scale=2", "is given twice"),
        ("", "the name of a mechanism is missing"),
        ("'", "No closing quotation"),
        ("Laplase scale=2", "Laplase"),
    ],
)
def test_what_cannot_be_composed_is_refused(
    then: str, said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    asked = ["account", "Gaussian", "--sigma", "2", "--at-eps", "1", "--then", then]
    assert invoke(asked) == 2
    captured = capfd.readouterr()
    assert said in captured.err
    assert (captured.out, captured.err.count("\n")) == ("", 1)


def test_samples_of_mechanisms_without_known_pairs_are_refused() -> None:
    subject = mechanism("RR")
    with pytest.raises(
        ParameterError, match="subsampling is certified only for Gaussian and Laplace"
    ):
        certified_account(
            subject, 1, 2, at_eps=["1"], sample_rate="1/10", then=[Run(subject, 1, real("1/10"))]
        )


@pytest.mark.parametrize(
    "words",
    [
        ["Gaussian", "--sigma", "2", "--compose", "2", "--then", "Laplace scale=2"],
        ["RR", "--compose", "4", "--then", "RR epsilon=1/2 compose=3"],
    ],
)
def test_verify_looks_again_and_rejects_what_is_changed(words: list[str], tmp_path: Path) -> None:
    path = tmp_path / "account.json"
    command = [sys.executable, "-m", "dpaudit"]
    asked = [*command, "account", *words, "--at-eps", "1", "--format", "json", "--output"]
    assert subprocess.run([*asked, str(path)], check=False).returncode == 0
    told = subprocess.run([*command, "verify", str(path)], check=False, capture_output=True)
    assert told.returncode == 0, told.stdout.decode() + told.stderr.decode()
    changed = json.loads(path.read_text())
    changed["then"][0]["compose"] += 1
    del changed["sha256"]
    path.write_text(json.dumps(changed))
    told = subprocess.run([*command, "verify", str(path)], check=False, capture_output=True)
    assert told.returncode == 1, told.stdout.decode() + told.stderr.decode()
