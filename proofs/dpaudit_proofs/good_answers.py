"""How the probability of the good answers of M_H changes with the data size (N §3.4.1, L §4.3.1).

The notes call candidates within three steps of the posterior good, and say that their probability
falls as the candidates get more, with the speed n^(m−1).  At uniform data on two categories it
falls until n = 44 and rises from there: S_β(x) is the sensitivity of data far away while n is
small, and LS(x) = H(x, x+1) when n is large.  Then a candidate j steps away, at about j·LS(x), has
weight q^j with q = e^(−ε/2), and three steps on either side keep a share that does not fall.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any

from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.evidence import Counterexample, Fact, Identity, SMTProof
from dpaudit.claims.statement import forall
from dpaudit.notes.hellinger_exponential import MH
from dpaudit.numbers.ball import Ball, ball, working_precision
from dpaudit_proofs.definitions import beta_rate, number, posterior_distance
from dpaudit_proofs.typed_settings import BUDGET, NOTES

__all__ = ["CLAIMS"]

_EPSILON, _DELTA = Fraction(4, 5), Fraction(1, 2000)
_FLAT = (Fraction(1), Fraction(1))


def _share(n: int) -> Ball:
    """Return P(within three steps) under M_H at the uniform data of ``n`` records, n even."""
    return _computed(n, working_precision())


@lru_cache(maxsize=16)
def _computed(n: int, bits: int) -> Ball:
    mechanism = MH.build({"prior": _FLAT, "epsilon": _EPSILON, "delta": _DELTA})
    chances = mechanism.laws().law((n // 2, n // 2)).probabilities
    return sum(chances[n // 2 - 3 : n // 2 + 4], ball(0))


@lru_cache(maxsize=16)
def _share_again(n: int) -> Any:
    """Return the same in mpmath, from the definitions."""
    from mpmath import exp

    half = n // 2
    moved = [posterior_distance(_FLAT, (c, n - c), (c + 1, n - c - 1)) for c in range(n)]
    local = [max(moved[max(c - 1, 0) : c + 1]) for c in range(n + 1)]
    beta = beta_rate(number(_EPSILON), number(_DELTA), n + 1)
    smooth = max(local[c] * exp(-beta * abs(c - half)) for c in range(n + 1))
    away = [posterior_distance(_FLAT, (half, half), (c, n - c)) for c in range(n + 1)]
    weights = [exp(-number(_EPSILON) * h / (2 * smooth)) for h in away]
    return sum(weights[half - 3 : half + 4]) / sum(weights)


def _limit(exp: Callable[[Any], Any], rate: Any) -> Any:
    """Return (1 + 2(q + q² + q³))/(1 + 2q/(1 − q)), q = e^(−rate)."""
    q = exp(-rate)
    return (1 + 2 * (q + q**2 + q**3)) / (1 + 2 * q / (1 - q))


def _limit_ball() -> Ball:
    found: Ball = _limit(lambda rate: rate.exp(), ball(_EPSILON / 2))
    return found


def _limit_again() -> Any:
    from mpmath import exp

    return _limit(exp, number(_EPSILON) / 2)


def _typed_share(count: str) -> str:
    """Return P(within three steps) at the data (count, count), as text."""
    size = f"2*({count})"
    beta = f"log(1 - eps/(2*log(delta/(2*({size} + 1)))))"
    law = f"P_exp(eps/(2*S_beta((1, 1), {beta}, ({count}, {count}))), (1, 1), ({count}, {count}), "
    return f"sum(r, {count} - 3, {count} + 3, {law}(r, {size} - r)))"


_BEFORE, _AFTER = _typed_share("c"), _typed_share("c + 1")
_DOMAIN = (*BUDGET, "c >= 3")
_AT = ({**NOTES, "c": "22"},)


def _rises(n: int, later: int, factor: str = "1") -> Counterexample:
    """Return that the probability at ``later`` records is above ``factor`` times that at n."""
    times = "" if factor == "1" else f"{factor}·"
    return Counterexample(
        title=f"from {n} to {later} records",
        parameters={"prior": "(1,1)", "ε": "4/5", "δ": "1/2000", "n": f"{n}, {later}"},
        shows=f"P(within three steps) at {later} > {times}P(within three steps) at {n}",
        margin=lambda: _share(later) - ball(Fraction(factor)) * _share(n),
        again=lambda: _share_again(later) - number(factor) * _share_again(n),
    )


def _beside(title: str, value: str, sign: int) -> Fact:
    """Return that the limit lies above or below a decimal."""
    return Fact(
        title=title,
        role=Role.LEMMA,
        parameters={"ε": "4/5", "c": value},
        shows=f"the limit is {'above' if sign > 0 else 'below'} c",
        margin=lambda: sign * (_limit_ball() - ball(Fraction(value))),
        again=lambda: sign * (_limit_again() - number(value)),
    )


def _near(n: int, within: str) -> Fact:
    """Return that the probability at n is nearer to the limit than ``within``."""
    return Fact(
        title=f"at {n} records",
        role=Role.ILLUSTRATES,
        parameters={"prior": "(1,1)", "ε": "4/5", "δ": "1/2000", "n": str(n)},
        shows=f"|P(within three steps) − limit| < {within}",
        margin=lambda: ball(Fraction(within)) - abs(_share(n) - _limit_ball()),
        again=lambda: number(within) - abs(_share_again(n) - _limit_again()),
    )


def _closed() -> list[Any]:
    from sympy import Symbol

    q = Symbol("q", positive=True)
    kept = 1 + 2 * (q + q**2 + q**3)
    return [kept / (1 + 2 * q / (1 - q)), (1 - q) * kept / (1 + q)]


CLAIMS = (
    Claim(
        id="good-answers-fall",
        typed=forall("real eps delta, natural c", *_DOMAIN, holds=f"{_AFTER} < {_BEFORE}"),
        points=_AT,
        source="N §3.4.1; L §4.3.1 (“decreasing when the size of candidate set increasing”)",
        statement="the probability that M_H answers within three steps falls as the data get more, "
        "at uniform data on two categories",
        domain="c ≥ 3 records of each kind, ε > 0, 0 < δ < 1, prior (1,1)",
        evidence=(_rises(44, 46), _rises(80, 160)),
        repaired="At ε = 4/5 and δ = 1/2000 it falls from 0.772 at n = 10 to 0.447 at n = 44, and "
        "rises from there towards 0.7583 (good-answers-limit): while n is small, S_β(x) is the "
        "sensitivity of data far away.",
    ),
    Claim(
        id="good-answers-speed",
        typed=forall(
            "real eps delta, natural c", *_DOMAIN, holds=f"(c + 1)*({_AFTER}) <= c*({_BEFORE})"
        ),
        points=_AT,
        source="N §3.4.1; L §4.3.1 (“with speed”)",
        statement="the probability that M_H answers within three steps falls at least as fast as "
        "1/n^(m−1), at uniform data on m = 2 categories",
        domain="c ≥ 3 records of each kind, ε > 0, 0 < δ < 1, prior (1,1)",
        evidence=(_rises(44, 46, "22/23"), _rises(10, 640, "9/10")),
        repaired="It does not tend to 0 at all, but to (1 + 2(q + q² + q³))/(1 + 2q/(1 − q)), q = "
        "e^(−ε/2) (good-answers-limit); n^(m−1) is how the number of candidates grows.",
    ),
    Claim(
        id="good-answers-limit",
        source="new; N §3.4.1, L §4.3.1: what becomes of the good answers as n grows",
        statement="at uniform data on two categories the probability that M_H answers within three "
        "steps tends to (1 + 2(q + q² + q³))/(1 + 2q/(1 − q)), q = e^(−ε/2)",
        formula="lim P(|M_H(x) − x| ≤ 3) = (1 − q)(1 + 2q + 2q² + 2q³)/(1 + q), x = (n/2, n/2)",
        domain="prior (1,1), k = 2, even n, every ε > 0 and 0 < δ < 1, divisor 2 (N Def. 2.1)",
        evidence=(
            SMTProof(
                title="near weights and all weights, each within t of a limit, give the quotient",
                hypotheses=(
                    "0 <= t and t < 1 and N0 > 0 and Z0 > 0",
                    "(1 - t)*N0 <= N and N <= (1 + t)*N0",
                    "(1 - t)*Z0 <= Z and Z <= (1 + t)*Z0",
                ),
                goal="N*Z0*(1 - t) <= N0*Z*(1 + t) and N*Z0*(1 + t) >= N0*Z*(1 - t)",
            ),
            Identity(
                title="the limit in one quotient",
                role=Role.LEMMA,
                chain=_closed,
                shown=(
                    "(1 + 2(q + q² + q³))/(1 + 2q/(1 − q))",
                    "(1 − q)(1 + 2q + 2q² + 2q³)/(1 + q)",
                ),
            ),
            _beside("the limit from below", "0.7582", 1),
            _beside("the limit from above", "0.7583", -1),
            _near(640, "0.006"),
        ),
        derivation="x = (n/2, n/2), H_j = H(x, x ± j), both by symmetry.  (1) 1/z ≤ ψ′(z) ≤ 1/z + "
        "1/z² gives −ln G(s, t) = (s − t)²/(8s)·(1 + O(1/s)) for fixed s − t, so n·H_j² → j²/2 for "
        "fixed j, and H_j/H_1 → j.  (2) S_β(x)/H_1 → 1: it is at least LS(x) = H_1.  A dataset d "
        "away with θ = 2d/n ≤ 1/2 has LS ≤ H_1·e^(θ²)·(1 + O(1/n)), and θ² ≤ βd as soon as βn ≥ 1, "
        "which holds for large n since β·ln n has a positive limit.  One further away has "
        "LS·e^(−βd) ≤ e^(−βn/4), which falls faster than H_1 ~ 1/√(2n).  (3) So the weight of a "
        "candidate j steps away tends to q^j.  (4) A(x, x ± j) ≤ e^(−j²/(4(n + 1))), as in "
        "limit-EHD, gives H_j ≥ ½·min(j, √n)·H_1 for large n: candidates up to √n steps away have "
        "weights below a geometric series, the n others together at most n·e^(−ε√n/8).  So the sum "
        "of all weights tends to 1 + 2Σ q^j = 1 + 2q/(1 − q), and that of the near ones to "
        "1 + 2(q + q² + q³).",
    ),
)
