"""The second look at many runs by Fourier transforms: its ends hold, and are near each other."""

import ast
import json
import random
from fractions import Fraction
from pathlib import Path

import pytest
from mpmath import mp, mpf

import dpaudit.recheck
from dpaudit.cli.main import invoke
from dpaudit.recheck import spectrum
from dpaudit.recheck.continuous import Gaussian, Laplace
from dpaudit.recheck.findings import UnknownDefinitionError
from dpaudit.recheck.losses import atoms_of, below_of, continuous, listed
from dpaudit.recheck.spectrum import Spectrum
from tests.accounting.random import convolved, hockey_stick

ROUNDING = 1 + mpf(10) ** -25


@pytest.fixture(autouse=True)
def digits() -> object:
    with mp.workdps(40):
        yield


@pytest.mark.parametrize("seed", range(12))
def test_random_laws_lie_between_both_ends(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spectrum, "_POINTS", 1 << 10)
    dice, laws = random.Random(seed), []
    for _ in range(2):
        weights = [dice.choice([0, 1, 2, 3, 5, 8]) for _ in range(3)] + [dice.randint(1, 5)]
        laws.append([Fraction(one, sum(weights)) for one in weights])
    law, runs = list(zip(*laws, strict=True)), dice.randint(2, 6)
    joint = convolved(law, runs)
    found = Spectrum(
        [
            listed(
                [
                    (mpf(p.numerator) / p.denominator, mpf(q.numerator) / q.denominator)
                    for p, q in law
                ],
                runs,
            )
        ]
    )
    for order in (Fraction(1), Fraction(13, 10), Fraction(4)):
        truth = hockey_stick(joint, order)
        low, high = found.delta(mp.log(mpf(order.numerator) / order.denominator))
        exact = mpf(truth.numerator) / truth.denominator
        assert low <= exact * ROUNDING
        assert exact <= high * ROUNDING
        assert high - low < 0.3


def test_gaussian_runs_have_their_closed_form_between_both_ends() -> None:
    noise = Gaussian({"sigma": "100", "delta": "1/100000"})
    found = Spectrum([continuous(below_of(noise, 1, None), 10_000, turned=False)])
    for epsilon in ("1", "4", "6.5"):
        low, high = found.delta(mpf(epsilon))
        truth = noise.delta_of_runs(1, 10_000, mpf(epsilon))
        assert low <= truth <= high
        assert high - low < truth / 20


@pytest.mark.parametrize("remove", [True, False])
@pytest.mark.parametrize("kind", [Gaussian, Laplace])
def test_one_sampled_run_lies_between_both_ends(
    kind: type, remove: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """(P − a·Q)₊ of a sampled pair is a multiple of that of the pair at another order."""
    monkeypatch.setattr(spectrum, "_POINTS", 1 << 13)
    given = {"sigma": "1", "delta": "1/100000"} if kind is Gaussian else {"scale": "1"}
    noise = kind(given)
    rate, factor = mpf("0.1"), mp.exp(mpf("0.05"))
    pair = noise, 1, rate
    losses = continuous(below_of(*pair), 1, turned=not remove, atoms=atoms_of(*pair))
    assert losses.window[1] < 20  # and not where it is looked for at most
    low, high = Spectrum([losses]).delta(mpf("0.05"))
    if remove:
        share, order = rate, 1 + (factor - 1) / rate
    else:
        share = 1 - factor * (1 - rate)
        order = factor * rate / share
    truth = share * noise.delta((1, 0), (0, 1), mp.log(order))
    assert low <= truth <= high
    assert high - low < truth / (10 if kind is Gaussian else 10**4)  # all but the ends is merged


def test_no_loss_is_larger_than_the_largest_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spectrum, "_POINTS", 1 << 11)
    pair = Laplace({"scale": "1"}), 1, mpf("0.1")
    found = Spectrum([continuous(below_of(*pair), 3, atoms=atoms_of(*pair))])
    last = 3 * mp.log1p(mpf("0.1") * mp.expm1(1))
    assert found.delta(last * (1 + mpf(10) ** -20)) == (0, 0)
    assert found.delta(last * (1 - mpf(10) ** -3))[1] > 0


def test_few_sampled_gaussian_runs_have_two_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """What lies outside of the circle is little, however little is known of the tiniest masses."""
    monkeypatch.setattr(spectrum, "_POINTS", 1 << 11)
    below = below_of(Gaussian({"sigma": "1", "delta": "1/100000"}), 1, mpf("0.1"))
    low, high = Spectrum([continuous(below, 10)]).delta(mpf("0.5"))
    assert low < mpf("0.034113") < high
    assert high - low < high / 100


@pytest.mark.parametrize("noise", ["Laplace --scale 1", "Gaussian --sigma 1"])
def test_few_sampled_runs_are_confirmed(
    noise: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Certain ends lie inside of the claim: nothing else is confirmed."""
    monkeypatch.setattr(spectrum, "_POINTS", 1 << 13)
    file = tmp_path / "account.json"
    asked = ["account", *noise.split(), "--sample-rate", "1/10", "--compose", "4"]
    assert invoke([*asked, "--at-eps", "1/2", "--format", "json", "--output", str(file)]) == 0
    assert invoke(["verify", str(file)]) == 0


def test_losses_of_a_lattice_are_exact_but_for_the_transform() -> None:
    p = 1 / (1 + mp.exp(mpf("-0.8")))
    low, high = Spectrum([listed([(p, 1 - p), (1 - p, p)], 1000)]).delta(mpf(350))
    assert 0 < high - low < high / 10**20


def test_losses_that_take_too_many_points_are_not_looked_at() -> None:
    third = mpf(1) / 3
    law = [(third, third * mp.exp(mpf("0.001"))), (2 * third, 2 * third * mp.exp(mpf(-1)))]
    with pytest.raises(UnknownDefinitionError, match="too many points"):
        Spectrum([listed(law, 10**9)]).delta(mpf(1))


def test_a_changed_interval_is_contradicted_by_certain_ends(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "account.json"
    asked = ["account", "Laplace", "--scale", "10", "--compose", "300", "--at-eps", "5"]
    assert invoke([*asked, "--format", "json", "--output", str(file)]) == 0
    assert invoke(["verify", str(file)]) == 0
    content = json.loads(file.read_text())
    (row,) = content["rows"]
    true = {end: float(text) for end, text in row["delta"].items()}
    row["adaptive_upper"] = "1"
    for factor in (2, 0.5):
        row["delta"] = {end: f"{value * factor:.12f}" for end, value in true.items()}
        file.write_text(json.dumps(content))
        capfd.readouterr()
        assert invoke(["verify", str(file)]) == 1
        assert "δ(5) is from " in capfd.readouterr().out


def test_only_losses_and_their_spectrum_are_rechecked_in_balls_of_arb() -> None:
    folder = Path(str(dpaudit.recheck.__file__)).parent
    using = {
        path.name
        for path in folder.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and node.module == "flint"
    }
    # Products of polynomials over all counts of guesses are balls; what is rechecked were floats.
    assert using == {"all_sizes.py", "laplace_runs.py", "losses.py", "runs.py", "spectrum.py"}
