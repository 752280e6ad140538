"""The flat prior with local sensitivity: every inequality of the proof, against plain numbers."""

import random
from dataclasses import replace
from fractions import Fraction

import pytest
from dpaudit_proofs import bhattacharyya, local_flat
from dpaudit_proofs.definitions import hellinger
from mpmath import gamma, log, mp, mpf, sqrt

from dpaudit.claims.certificate import BoxCertificate
from dpaudit.claims.claim import Settings, Status

K = mpf(427) / 100


def g(s: mpf) -> mpf:
    return gamma(s + mpf(1) / 2) / sqrt(gamma(s) * gamma(s + 1))


@pytest.mark.parametrize("seed", range(40))
def test_the_root_of_the_logarithm_is_a_metric(seed: int) -> None:
    rng = random.Random(seed)
    k = rng.choice((2, 2, 3, 5))
    with mp.workdps(30):
        total = mpf(rng.choice((1, 7, 90)))

        def point() -> list[mpf]:
            weights = [mpf(rng.random()) ** 3 + mpf("1e-4") for _ in range(k)]
            return [total * w / sum(weights) for w in weights]

        x, y, z = point(), point(), point()
        left, right, over = (
            sqrt(-log(1 - hellinger(p, q) ** 2)) for p, q in ((x, y), (y, z), (x, z))
        )
        assert over <= left + right


def test_the_defect_of_triangles() -> None:
    """(*) for the extreme case ρ(x, r) = ρ(x, y) + ρ(y, r), on a grid."""
    with mp.workdps(20):
        smallest = mpf(1)
        for i in range(1, 31):
            d = sqrt(mpf(i) / 900)
            for j in range(100):
                h = d + (1 - d) * mpf(j) / 100
                rho = sqrt(-log(1 - d**2)) + sqrt(-log(1 - h**2))
                bound = d + h - K * d**2 * (h - d)
                room = min(mpf(1), bound) - sqrt(1 - mp.exp(-(rho**2)))
                assert room >= -(mpf(10) ** -15)
                if j:
                    smallest = min(smallest, room / (d**3 * (h - d)))
        assert smallest < mpf(1) / 2  # the constant K is nearly the best


def test_sensitivity_grows_by_no_more_than_the_rate() -> None:
    with mp.workdps(30):
        closest = mpf(1)
        for b in (5, 6, 9, 40):
            for a in (b, b + 1, 3 * b, 10**4, 10**8):
                w, w_next = 1 - g(mpf(a)) * g(mpf(b - 1)), 1 - g(mpf(a + 1)) * g(mpf(b - 2))
                closest = min(closest, K * w - (1 - sqrt(w / w_next)))
                assert closest > 0
        assert closest < mpf(1) / 1000


def test_bounds_on_g() -> None:
    with mp.workdps(30):
        for s in (mpf(4), mpf(5), mpf("7.5"), mpf(60), mpf(1000)):
            square = g(s) ** 2
            assert 1 - 1 / (4 * s) < square
            assert square < 1 - (320 * s + 133) / (1280 * s**2 + 692 * s + 133)


@pytest.mark.parametrize("n", [161, 162, 500, 3001])
def test_the_key_inequality_near_both_ends(n: int) -> None:
    """h′ ≤ q·h + (2 − q)·D for every r, for x near the edge and near the middle."""
    with mp.workdps(20):

        def distance(c: int, r: int) -> mpf:
            return mpf(0) if c == r else hellinger((c + 1, n - c + 1), (r + 1, n - r + 1))

        near = {*range(n - 6, n - 1), *range((n + 1) // 2, (n + 1) // 2 + 3)}
        outputs = {*range(0, n, 97), *range(n // 2, n // 2 + 9), *range(n - 9, n + 1)}
        for c in near:
            d, d_next = distance(c, c + 1), distance(c + 1, c + 2)
            q = d / d_next
            assert q < 1
            for r in outputs:
                h, across = distance(c + 1, r), distance(c, r)
                assert across <= q * h + (2 - q) * d
                assert q * h - across <= q * d + mpf(10) ** -15


def test_the_closed_forms_at_the_edge() -> None:
    with mp.workdps(30):
        a = mpf(170)

        def affinity(left: tuple[mpf, int], right: tuple[mpf, int]) -> mpf:
            return 1 - hellinger(left, right) ** 2

        tiny = mpf(10) ** -25
        for b in (3, 4):
            expected = sqrt(a * (b - 2) / ((a + 1) * (b - 1)))
            assert abs(affinity((a, b), (a + 2, b - 2)) - expected) < tiny
        assert abs(affinity((a + 1, 3), (a + 3, 1)) ** 2 - (a + 1) / (2 * (a + 2))) < tiny
        steps = (a + mpf(1) / 2) ** 2 / ((a + 1) * (a + 2))
        three = g(a) ** 2 * steps * 3 * mp.pi / 32
        assert abs(affinity((a, 4), (a + 3, 1)) ** 2 - three) < tiny


def test_perturbed_proofs_fail() -> None:
    """A slightly larger K, or a slightly larger domain, is more than the certificates bear."""
    larger = [
        replace(e, positive=e.positive.replace(bhattacharyya.RATE, "437/100"))
        for e in bhattacharyya.DEFECT
        if isinstance(e, BoxCertificate) and e.box.keys() == {"w", "t"} and not e.strict
    ]
    wider = [replace(e, box={**e.box, "w": ("0", "1/20")}) for e in larger]
    assert len(larger) == 1
    for evidence in (*larger, *wider):
        assert evidence.check(Settings()).status is Status.FAILS
    with_two = replace(local_flat.FAR, goal="q*h + (3/2 - q)*D - hx")
    assert with_two.check(Settings()).status is Status.FAILS


def test_the_spread_is_that_of_the_definition() -> None:
    with mp.workdps(20):
        n, c = 9, 6

        def scaled(z: int, r: int) -> mpf:
            def at(u: int, v: int) -> mpf:
                return mpf(0) if u == v else hellinger((u + 1, n - u + 1), (v + 1, n - v + 1))

            return at(z, r) / max(at(z, z - 1), at(z, z + 1))

        values = [scaled(c + 1, r) - scaled(c, r) for r in range(n + 1)]
        flat = (Fraction(1), Fraction(1))
        found = mpf(str(local_flat.spread(flat, n, c).str(12, radius=False)))
        assert abs(found - (max(values) - min(values))) < mpf(10) ** -8
