"""Rates in two worlds: the bound against closed forms, two Clopper-Pearson bounds and the truth."""

import json
import math
from decimal import Decimal
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from mpmath import mp, mpf

import dpaudit
from dpaudit.cli.main import invoke
from dpaudit.errors import UsageError
from dpaudit.recheck.verify import verify
from tests.recheck.sealing import verdict


def bound(counts: str, delta: str = "0", level: str = "1/20", digits: int = 6) -> Any:
    found = dpaudit.canaries(counts=counts, delta=delta, level=level, digits=digits)
    return found.bounds[0].epsilon


def two_bounds(counts: tuple[int, int, int, int], delta: float, level: float) -> float:
    """Return the ε that two Clopper-Pearson bounds refute, each at half the level."""
    x, n, y, m = counts

    def root(is_less: Any) -> Any:
        low, high = mpf(0), mpf(1)
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if is_less(middle) else (low, middle)
        return low

    def tail(trials: int, first: int, p: Any) -> Any:
        return mp.fsum(
            mp.binomial(trials, k) * p**k * (1 - p) ** (trials - k)
            for k in range(first, trials + 1)
        )

    low = root(lambda p: tail(n, x, p) < level / 2) if x else mpf(0)
    high = root(lambda p: tail(m, y + 1, p) < 1 - mpf(level) / 2) if y < m else mpf(1)
    ratios = [(low - delta) / high, (1 - high - delta) / (1 - low)]
    return float(mp.log(max(1, *ratios)))


@pytest.mark.parametrize("n", [3, 8, 20])
def test_all_against_none_has_a_closed_form(n: int) -> None:
    found = bound(f"tp={n},fp=0,of={n}")
    share = 0.05 ** (1 / (2 * n))
    truth = math.log(share / (1 - share))
    assert float(found.lower) <= truth <= float(found.upper)
    assert found.upper - found.lower <= Decimal("4e-6")


@pytest.mark.parametrize(("n", "m", "delta"), [(4, 4, 0.0), (5, 3, 0.0), (4, 4, 0.1), (3, 6, 0.01)])
def test_it_is_never_below_two_bounds(n: int, m: int, delta: float) -> None:
    for x, y in product(range(n + 1), range(m + 1)):
        found = bound(f"tp={x},fp={y},in={n},out={m}", str(delta))
        assert float(found.upper) >= two_bounds((x, n, y, m), delta, 0.05) - 1e-9


def test_a_true_epsilon_is_refuted_with_at_most_the_level() -> None:
    n, delta, level = 4, 0.05, 0.2
    lowers = {
        (x, y): float(bound(f"tp={x},fp={y},of={n}", str(delta), str(level)).lower)
        for x, y in product(range(n + 1), repeat=2)
    }
    masses = [[math.comb(n, k) * (i / 60) ** k * (1 - i / 60) ** (n - k) for k in range(n + 1)]
              for i in range(61)]  # fmt: skip
    for i, j in product(range(61), repeat=2):
        p, q = i / 60, j / 60
        needed = max((p - delta) / q if q else math.inf, (1 - q - delta) / (1 - p) if p < 1 else
                     math.inf if 1 - q > delta else 1.0)  # fmt: skip
        if p <= delta and not q:
            needed = max(1.0, (1 - delta) / (1 - p))
        epsilon = math.log(max(needed, 1.0)) if needed < math.inf else math.inf
        alarms = math.fsum(
            masses[i][x] * masses[j][y] for (x, y), low in lowers.items() if low > epsilon
        )
        assert alarms <= level + 1e-9, (p, q)


def test_rates_the_wrong_way_round_refute_nothing() -> None:
    found = bound("tp=2,fp=9,of=10")
    assert found.lower == found.upper == 0


@pytest.mark.wrong_on_purpose
def test_the_report_is_computed_again(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    line = ["canaries", "--counts", "tp=40,fp=5,of=50", "--delta", "1e-5", "--format", "json"]
    assert invoke([*line, "--budget", "1,1e-5"]) == 1
    text = capfdbinary.readouterr().out.decode()
    document = json.loads(text)
    assert document["verdict"] == "exceeds"
    assert document["bounds"][0]["delta"] == "1/100000"
    assert document["bounds"][0]["level"] == "1/20"
    (tmp_path / "report.json").write_text(text)
    assert verify(tmp_path / "report.json").verdict == "accepted"
    lower = document["bounds"][0]["epsilon"]["lower"]

    def changed(where: list[Any], to: Any) -> str:
        other = json.loads(text)
        place = other
        for key in where[:-1]:
            place = place[key]
        place[where[-1]] = to
        return str(verdict(tmp_path, other))

    assert changed(["version"], document["version"]) == "accepted"
    for where, to in (
        (["worlds", "true_positives"], 41),
        (["worlds", "members"], 51),
        (["right"], 86),
        (["verdict"], "not refuted"),
        (["bounds", 0, "level"], "1/10"),
        (["bounds", 0, "delta"], "1/10"),
        (["bounds", 0, "epsilon"], {"lower": lower, "upper": "9"}),
        (["bounds", 0, "epsilon"], {"lower": "1.35", "upper": "1.350000001"}),
        (["bounds", 0, "epsilon"], {"lower": "1.33", "upper": "1.330000001"}),
        (["bounds", 0, "epsilon"], {"lower": "0", "upper": "0"}),
    ):
        assert changed(where, to) == "rejected", where


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ("tp=6,fp=2", "counts must look like tp=600,fp=20,of=1000, or"),
        ("tp=6,fp=2,of=5", "must be at most 5"),
        ("tp=6,fp=-2,of=9", "not NAME=NUMBER"),
        ("tp=6,fp=2,off=9", "did you mean of"),
        ("tp=6,fp=2,of=20000", "must be from 1 to 10000"),
        ("tp=6,fp=2,of", "not NAME=NUMBER"),
    ],
)
def test_counts_that_cannot_be_are_one_line(counts: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        dpaudit.canaries(counts=counts)


def test_counts_stand_alone() -> None:
    with pytest.raises(UsageError, match="counts come from trainings with and without one canary"):
        dpaudit.canaries(counts="tp=6,fp=2,of=9", guesses=3)
