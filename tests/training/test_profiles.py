"""Tests of a whole profile: all small mechanisms, primal programs, exact recursions, the truth."""

import json
import random
from fractions import Fraction
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy.optimize import linprog
from scipy.sparse import coo_matrix

import dpaudit
from dpaudit.cli.main import invoke
from dpaudit.errors import UsageError
from dpaudit.numbers.ball import ball, lower_fraction, precision, upper_fraction
from dpaudit.questions.canaries.dual_search import certificate_at
from dpaudit.questions.canaries.one_run import Guesses
from dpaudit.questions.canaries.profile_bounds import (
    Certificate,
    allowed,
    gaussian_delta,
    is_feasible,
)
from dpaudit.recheck.verify import verify
from dpaudit.results import CanaryVerdict
from tests.recheck.sealing import verdict

Rows = list[dict[int, float]]


def delta(mu: float, odds: float) -> float:
    """δ(ln E) of μ-GDP, in mpmath."""
    with mp.workdps(40):
        shift = mp.log(odds) / mu
        return float(mp.ncdf(mpf(mu) / 2 - shift) - odds * mp.ncdf(-mpf(mu) / 2 - shift))


def optimum(
    costs: list[float], rows: list[dict[int, float]], limits: list[float], ones: Any
) -> Any:
    """The largest Σ costs·x over x ≥ 0 with rows·x ≤ limits, where sums over ``ones`` are 1."""

    def table(several: Rows) -> Any:
        cells = [(i, j, x) for i, row in enumerate(several) for j, x in row.items()]
        i, j, x = zip(*cells, strict=True)
        return coo_matrix((x, (i, j)), shape=(len(several), len(costs))).tocsr()

    found = linprog(
        [-one for one in costs],
        A_ub=table(rows),
        b_ub=limits,
        A_eq=table([dict.fromkeys(one, 1.0) for one in ones]),
        b_eq=[1.0] * len(ones),
        method="highs",
    )
    assert found.success
    return -found.fun


def symmetric(m: int, r: int, v: int, odds: list[float], deltas: list[float]) -> float:
    """The most that a law p of the errors allows: the primal program, in both directions."""
    n = len(odds)
    count = r + 1 + 2 * r * n
    costs = [1.0 if k <= r - v else 0.0 for k in range(r + 1)] + [0.0] * (2 * r * n)
    rows: Rows = []
    limits = []
    for j, (one, most) in enumerate(zip(odds, deltas, strict=True)):
        first = r + 1 + 2 * r * j
        for k in range(r):
            rows += [
                {k: r - k, k + 1: -one * (k + 1), first + k: -1.0},
                {k + 1: k + 1.0, k: -one * (r - k), first + r + k: -1.0},
            ]
            limits += [0.0, 0.0]
        for half in (0, r):
            rows.append({first + half + k: 1.0 for k in range(r)})
            limits.append(m * most)
    assert count == len(costs)
    return float(optimum(costs, rows, limits, [range(r + 1)]))


def every_mechanism(m: int, r: int, v: int, odds: list[float], deltas: list[float]) -> float:
    """The largest probability of v right guesses over all laws of guesses with that profile."""
    members = [tuple(s >> i & 1 for i in range(m)) for s in range(2**m)]
    guesses = [
        guess
        for code in range(3**m)
        for guess in [tuple(code // 3**i % 3 for i in range(m))]
        if sum(one != 2 for one in guess) <= r
    ]
    size = len(guesses)
    pairs = [(s, s ^ (1 << i)) for s in range(len(members)) for i in range(m)]
    start = len(members) * size
    costs = [0.0] * (start + len(pairs) * size * len(odds))
    for s, inside in enumerate(members):
        for t, guess in enumerate(guesses):
            if sum(a == b for a, b in zip(inside, guess, strict=True)) >= v:
                costs[s * size + t] = 1 / len(members)
    rows: Rows = []
    limits = []
    place = start
    for one, most in zip(odds, deltas, strict=True):
        for s, other in pairs:
            for t in range(size):
                rows.append({s * size + t: 1.0, other * size + t: -one, place + t: -1.0})
                limits.append(0.0)
            rows.append({place + t: 1.0 for t in range(size)})
            limits.append(most)
            place += size
    ones = [range(s * size, (s + 1) * size) for s in range(len(members))]
    return float(optimum(costs, rows, limits, ones))


def found_for(m: int, r: int, v: int, mu: float) -> tuple[Certificate, float]:
    certificate = certificate_at(Guesses(m, r, v), mu)
    assert certificate is not None
    with precision(200):
        return certificate, float(allowed(Fraction(m), certificate, ball(Fraction(mu))).mid())


def parts(certificate: Certificate, mu: float) -> tuple[list[float], list[float]]:
    odds = [float(one) for one, _ in certificate.prices]
    return odds, [delta(mu, one) for one in odds]


@pytest.mark.parametrize("m", [1, 2, 3])
def test_no_mechanism_of_few_canaries_is_above_a_certificate(m: int) -> None:
    choose = random.Random(m)
    for _ in range(6):
        r = choose.randint(1, m)
        v = choose.randint(1, r)
        mu = choose.choice([0.02, 0.1, 0.3])
        certificate, bound = found_for(m, r, v, mu)
        most = every_mechanism(m, r, v, *parts(certificate, mu))
        assert most <= bound + 1e-7


def test_no_mechanism_of_four_canaries_is_above_a_certificate() -> None:
    mu = 0.1
    certificate, bound = found_for(4, 3, 3, mu)
    odds, deltas = parts(certificate, mu)
    most = every_mechanism(4, 3, 3, odds[:3], deltas[:3])
    assert most >= symmetric(4, 3, 3, odds, deltas) - 1e-7
    assert every_mechanism(4, 3, 3, odds, deltas) <= bound + 1e-7


def test_certificates_reach_the_optimum_of_the_primal_program() -> None:
    choose = random.Random(1123)
    for _ in range(40):
        m = choose.randint(1, 200)
        r = choose.randint(1, min(m, 40))
        v = choose.randint((r + 1) // 2, r)
        mu = choose.choice([0.2, 0.5, 1.0, 2.0])
        certificate, bound = found_for(m, r, v, mu)
        if not certificate.prices:
            assert bound == 1
            continue
        most = symmetric(m, r, v, *parts(certificate, mu))
        assert most <= bound * (1 + 1e-7), (m, r, v, mu)
        assert min(1.0, bound) <= most * (1 + 1e-3) + 1e-7, (m, r, v, mu)


def sharp(r: int, v: int, odds: Fraction) -> tuple[Fraction, Fraction]:
    """b and c of one budget, in rational arithmetic."""
    mass = [comb(r, k) * odds**k / (1 + odds) ** r for k in range(r + 1)]
    beta = sum(mass[v:], Fraction(0))
    return beta, beta * (1 - beta) / (v * mass[v])


def test_one_budget_needs_the_sharp_price_and_no_less() -> None:
    choose = random.Random(3)
    for _ in range(100):
        r = choose.randint(1, 40)
        v = choose.randint(1, r)
        odds = Fraction(choose.randint(8, 48), 8)
        base, price = sharp(r, v, odds)
        if base > Fraction(999, 1000):
            continue  # 1 − b is changed by much, and the price with it
        more, less = 1 + Fraction(1, 10**9), 1 - Fraction(1, 10**6)
        assert is_feasible(r, v, Certificate(base * more, ((odds, price * more),)))
        assert not is_feasible(r, v, Certificate(base * less, ((odds, price * more),)))
        assert not is_feasible(r, v, Certificate(base * more, ((odds, price * less),)))


def exactly_feasible(r: int, v: int, certificate: Certificate) -> bool:
    """The recursion in fractions, and every inequality written out."""
    before = [Fraction(0)] * len(certificate.prices)
    for k in range(r + 1):
        paid = sum(
            (odds * y for (odds, _), y in zip(certificate.prices, before, strict=True)), Fraction(0)
        )
        left = max(Fraction(0), (k <= r - v) - certificate.base + k * paid)
        if k == r:
            return not left
        left /= r - k
        now = []
        for _, price in certificate.prices:
            now.append(min(left, price))
            left -= now[-1]
        if left:
            return False
        before = now
    raise AssertionError


def test_the_check_agrees_with_fractions() -> None:
    choose = random.Random(5)
    agreed = {True: 0, False: 0}
    for _ in range(400):
        r = choose.randint(1, 12)
        v = choose.randint(1, r)
        odds = sorted({Fraction(choose.randint(4, 24), 4) for _ in range(3)})
        prices = tuple((one, Fraction(choose.randint(0, 30), 100)) for one in odds)
        certificate = Certificate(Fraction(choose.randint(0, 100), 101), prices)
        wanted = exactly_feasible(r, v, certificate)
        assert is_feasible(r, v, certificate) == wanted
        agreed[wanted] += 1
    assert min(agreed.values()) > 40


@pytest.mark.parametrize(
    "certificate",
    [
        Certificate(Fraction(-1), ((Fraction(2), Fraction(1)),)),
        Certificate(Fraction(1, 2), ((Fraction(2), Fraction(-1)),)),
        Certificate(Fraction(1, 2), ((Fraction(1, 2), Fraction(9)),)),
        Certificate(Fraction(1, 2), ((Fraction(3), Fraction(9)), (Fraction(2), Fraction(9)))),
        Certificate(Fraction(1, 2), ()),
    ],
)
def test_what_is_no_certificate_is_not_feasible(certificate: Certificate) -> None:
    assert not is_feasible(5, 5, certificate)


def test_the_profile_is_that_of_mpmath() -> None:
    choose = random.Random(9)
    with mp.workdps(60), precision(256):
        for _ in range(100):
            mu = Fraction(choose.randint(1, 400), 100)
            odds = Fraction(choose.randint(100, 5000), 100)
            found = gaussian_delta(ball(mu), odds)
            at, e = (mpf(one.numerator) / one.denominator for one in (mu, odds))
            shift = mp.log(e) / at
            wanted = mp.ncdf(at / 2 - shift) - e * mp.ncdf(-at / 2 - shift)
            low, high = (
                mpf(end.numerator) / end.denominator
                for end in (lower_fraction(found), upper_fraction(found))
            )
            assert low - mpf("1e-55") <= wanted <= high + mpf("1e-55")


def test_a_whole_profile_refutes_more_than_its_best_budget() -> None:
    """At one ε the sharp bound is 0.0658 at least; see the module ``one_run``."""
    _, bound = found_for(1000, 100, 90, 0.6)
    single = min(
        float(base + 1000 * Fraction(delta(0.6, float(odds))) * price)
        for odds in (Fraction(k, 20) for k in range(30, 200))
        for base, price in [sharp(100, 90, odds)]
    )
    assert bound < 0.65 * single


def test_the_largest_mu_is_that_of_the_program() -> None:
    audit = dpaudit.canaries(canaries=300, guesses=60, right=52, profile="mu=1")
    tested = audit.report.profile
    assert tested is not None
    (largest,) = tested.bounds
    odds = [float(np.exp(one)) for one in np.linspace(0.2, 4.5, 40)]
    low, high = float(largest.mu.lower), float(largest.mu.upper) * 1.02
    assert symmetric(300, 60, 52, odds, [delta(low, e) for e in odds]) <= 0.0502
    assert symmetric(300, 60, 52, odds, [delta(high, e) for e in odds]) > 0.05


def test_a_training_with_a_known_mu_is_seldom_refuted() -> None:
    """One Gaussian step: each canary adds μ to a score of its own, and noise is standard."""
    rng = np.random.default_rng(1123)
    mu, m, guesses, audits = 1.5, 200, 40, 400
    verdicts: dict[int, Any] = {}
    refuted = shown = 0
    for _ in range(audits):
        member = rng.integers(2, size=m)
        scores = rng.normal(size=m) + mu * member
        order = np.argsort(scores)
        right = int(
            (1 - member[order[: guesses // 2]]).sum() + member[order[-guesses // 2 :]].sum()
        )
        if right not in verdicts:
            verdicts[right] = dpaudit.canaries(
                canaries=m, guesses=guesses, right=right, profile=f"mu={mu}"
            )
        audit = verdicts[right]
        refuted += audit.verdict is CanaryVerdict.EXCEEDS
        shown += audit.report.profile.bounds[0].mu.lower > 0.4
    assert refuted <= audits * 0.05 + 3 * (audits * 0.05 * 0.95) ** 0.5
    assert shown > audits / 2


@pytest.mark.parametrize(("mu", "wanted"), [("0.5", "exceeds"), ("0.7", "not refuted")])
def test_the_verdict_is_about_the_claim(mu: str, wanted: str) -> None:
    audit = dpaudit.canaries(canaries=1000, guesses=100, right=90, profile=f"mu={mu}")
    assert audit.verdict is not None
    assert audit.verdict.value == wanted


def test_the_verdict_and_the_largest_mu_agree() -> None:
    for right in (60, 70, 80, 90, 100):
        counts: dict[str, Any] = {"canaries": 500, "guesses": 100, "right": right}
        tested = dpaudit.canaries(**counts, profile="mu=1").report.profile
        assert tested is not None
        lower = tested.bounds[0].mu.lower
        if lower > 0:
            assert dpaudit.canaries(**counts, profile=f"mu={lower}").verdict == "exceeds"
        above = float(tested.bounds[0].mu.upper) + 0.02
        assert dpaudit.canaries(**counts, profile=f"mu={above}").verdict == "not refuted"


def test_nothing_right_refutes_nothing() -> None:
    audit = dpaudit.canaries(canaries=50, guesses=10, right=0, profile="mu=1/2")
    tested = audit.report.profile
    assert tested is not None
    assert tested.p_value.lower == 1
    assert not tested.bounds[0].mu.upper
    assert audit.verdict is CanaryVerdict.NOT_REFUTED


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"profile": "sigma=1"}, "mu=NUMBER"),
        ({"profile": "1.5"}, "mu=NUMBER"),
        ({"profile": "mu=0"}, "from 1e-06 to 1000"),
        ({"profile": "mu=x"}, "x"),
        ({"profile": "mu=1", "budget": 1}, "a budget or a profile"),
        ({"profile": "mu=1", "level": ("1/9", "1/8")}, "one level"),
        ({"profile": "mu=1", "canaries": 10**6, "guesses": 10**6}, "at most 100000"),
    ],
)
def test_what_cannot_be_is_refused(given: dict[str, Any], said: str) -> None:
    counts: dict[str, Any] = {"canaries": 50, "guesses": 10, "right": 9}
    with pytest.raises(UsageError, match=said):
        dpaudit.canaries(**(counts | given))


def test_a_profile_needs_a_number_of_guesses(capfd: pytest.CaptureFixture[str]) -> None:
    scores, member = list(range(20)), [0, 1] * 10
    with pytest.raises(UsageError, match="with one number of guesses"):
        dpaudit.canaries(scores, member, profile="mu=1")
    words = ["canaries", "--counts", "tp=4,fp=1,of=5", "--profile", "mu=1"]
    assert invoke(words) == 2
    assert "with one number of guesses" in capfd.readouterr().err


def test_text_and_csv_tell_the_largest_mu(capfd: pytest.CaptureFixture[str]) -> None:
    words = [
        "canaries",
        "--canaries",
        "1000",
        "--guesses",
        "100",
        "--right",
        "90",
        "--profile",
        "mu=0.6",
    ]
    assert invoke(words) == 1
    text = capfd.readouterr().out
    assert "exceeds: the guesses refute 3/5-GDP at level 1/20" in text
    assert "probability at most 0.0408" in text
    assert "μ ≥ 0.6169 (error probability at most 1/20)" in text
    assert invoke([*words, "--format", "csv"]) == 1
    head, line = capfd.readouterr().out.splitlines()
    row = dict(zip(head.split(","), line.split(","), strict=True))
    assert (row["mu"], row["mu_lower"], row["mu_upper"]) == ("3/5", "0.6169", "0.6170")


@pytest.mark.wrong_on_purpose
def test_a_test_that_says_too_much_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    true = dpaudit.canaries(canaries=200, guesses=50, right=44, profile="mu=0.6").to_json()
    path.write_text(true)
    assert verify(path).verdict == "accepted"
    profile = json.loads(true)["profile"]
    certificate, (bound,) = profile["certificate"], profile["bounds"]
    prices = certificate["prices"]

    def scaled(text: str) -> str:
        return str(Fraction(text) * Fraction(99, 100))

    cheap = [one | {"price": scaled(one["price"])} for one in prices]
    wrong: list[dict[str, Any]] = [
        {"mu": "1/2"},
        {"mu": "7/10"},
        {"p_value": {"lower": "0.01", "upper": "0.01"}},
        {"p_value": {"lower": "0.01", "upper": "0.9"}},
        {"certificate": None},
        {"certificate": certificate | {"base": scaled(certificate["base"])}},
        {"certificate": certificate | {"prices": cheap}},
        {"certificate": certificate | {"prices": prices[:-1]}},
        {"certificate": certificate | {"base": "ln(2)"}},
        {"bounds": []},
        {"bounds": [bound | {"level": "1/10"}]},
        {"bounds": [bound | {"certificate": None}]},
        {"bounds": [bound | {"mu": {"lower": "0.9000", "upper": "0.9001"}}]},
        {"bounds": [bound | {"mu": {"lower": "0.1000", "upper": "0.1001"}}]},
        {"bounds": [bound | {"mu": {"lower": "0", "upper": "0"}, "certificate": None}]},
    ]
    changed = [{"profile": profile | change} for change in wrong]
    changed += [{"right": 45}, {"canaries": 201}, {"guesses": 51}, {"profile": None}]
    changed += [{"budget": {"epsilon": "1", "delta": "0"}}]
    other = "not refuted" if json.loads(true)["verdict"] == "exceeds" else "exceeds"
    changed.append({"verdict": other})
    for change in changed:
        assert verdict(tmp_path, json.loads(true) | change) == "rejected", change
