"""A bound of EHD at the flat prior for every n: certified sizes, and a tail by its limit."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dpaudit import check_interval
from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.evidence import Fact, Sweep
from dpaudit.numbers.ball import Ball, ball
from dpaudit_proofs.definitions import number
from dpaudit_proofs.flat_limits import NORMALISER, quoted, quoted_again

__all__ = ["CLAIMS"]

_SWEPT = 130
_EVERY_N = Fraction(29, 50)


def _ehd_sizes() -> tuple[int, str]:
    """Hold EHD below 0.58·ε for every ε from 1/10 to 2 and n up to 130."""
    found = check_interval("EHD", n=f"1..{_SWEPT}", eps="1/10..2")
    for size in found.results:
        for piece in size.pieces:
            ends = zip((piece.first, piece.last), piece.upper, strict=True)
            if not all(Fraction(high) <= _EVERY_N * Fraction(e) for e, high in ends):
                return len(found.results), f"n = {size.n}, ε from {piece.first} to {piece.last}"
    return len(found.results), ""


def _ratio(n: int) -> Ball:
    """Return (e^u − 1)/u·S/(n + 1) at ε = 2, S = Σ G(2, 1 + r) over r ≤ 60 and what is beyond."""
    u = 1 / quoted()
    total = ball(0)
    for r in range(61):
        s = Fraction(1 + r)
        logs = [ball(q).lgamma() for q in ((s + 2) / 2, Fraction(2), s)]
        last = (logs[0] - (logs[1] + logs[2]) / 2).exp()
        total += last
    total += last * 4  # consecutive ones fall by more than 4/5 from there on
    return (u.exp() - 1) / u * total / (n + 1)


def _outermost() -> Ball:
    """Return what is left for the outermost pair: 2q·0.58 − D_n − 2q·ratio over 2q."""
    return 2 * quoted() * (ball(_EVERY_N)) - _edge(0) - _ratio(_SWEPT + 1)


def _edge(c: int) -> Ball:
    """Return H(c, c + 1) at n = 131 in balls; it falls with n."""
    s, t = Fraction(c + 1), Fraction(_SWEPT + 1 - c)
    half = Fraction(1, 2)
    log = sum(
        (ball(q + half).lgamma() - (ball(q).lgamma() + ball(q + 1).lgamma()) / 2 for q in (s, t)),
        ball(0),
    )
    return (1 - log.exp()).sqrt()


def _edge_again(c: int) -> Any:
    from mpmath import gamma, mpf, sqrt

    def g(s: int) -> Any:
        return gamma(s + mpf(1) / 2) / sqrt(gamma(s) * gamma(mpf(s + 1)))

    return sqrt(1 - g(c + 1) * g(_SWEPT + 1 - c))


def _outermost_again() -> Any:
    from mpmath import exp, gamma, mpf, sqrt

    u = 1 / quoted_again()
    terms = [gamma((mpf(3) + r) / 2) / sqrt(gamma(mpf(1) + r)) for r in range(61)]
    total = sum(terms) + 4 * terms[-1]
    room = 2 * quoted_again() * number("0.58") - _edge_again(0)
    return room - (exp(u) - 1) / u * total / (_SWEPT + 2)


CLAIMS = (
    Claim(
        id="sup-EHD",
        source="N's next step; EHD with GS = √(1 − π/4) at the flat prior",
        statement="EHD realises at most 0.58·ε at every n",
        formula="realised(n, ε) ≤ 0.58·ε; so 1.72 times a budget keeps it for all n",
        domain="prior (1,1), k = 2, all n ≥ 1, 1/10 ≤ ε ≤ 2",
        evidence=(
            Sweep(
                title="every ε from 1/10 to 2",
                role=Role.LEMMA,
                bound=f"n = 1..{_SWEPT}, all pairs, every ε from 1/10 to 2",
                run=_ehd_sizes,
            ),
            Fact(
                title="n > 130, the outermost pair",
                role=Role.LEMMA,
                parameters={"n": "131", "ε": "2"},
                shows="2q·0.58 > D_n + ((e^u − 1)/u)·S/(n + 1)",
                margin=_outermost,
                again=_outermost_again,
            ),
            Fact(
                title="n > 130, all other pairs",
                role=Role.LEMMA,
                parameters={"n": "131"},
                shows="2q·0.58 > 2·H(1, 2)",
                margin=lambda: 2 * quoted() * ball(Fraction(_EVERY_N)) - 2 * _edge(1),
                again=lambda: 2 * quoted_again() * number("0.58") - 2 * _edge_again(1),
            ),
            NORMALISER,
        ),
        derivation="n ≤ 130: certified audits over the interval.  n > 130: a pair other than the "
        "outermost has D = H(c, c + 1) ≤ H(1, 2) (I-right, I-left), and a loss of at most 2uD.  "
        "D² = 1 − g(c + 1)·g(n − c) falls with n.  The outermost: as in limit-EHD, with A(x, r) ≤ "
        "G(2, 1 + r) for x = (1, n − 1) and A ≤ G(1, 1 + r) ≤ the same sum for x = (0, n) "
        "(G(1, 1 + r) ≤ G(2, 1 + r) for r ≥ 1, and 1 + G(1, 2) ≤ G(2, 1) + 1); consecutive "
        "terms fall by at least 4/5 from r = 60 on.  ln(1 + t) ≤ t, and (e^u − 1)/u grows "
        "with u, so ε = 2 is the worst.",
    ),
)
