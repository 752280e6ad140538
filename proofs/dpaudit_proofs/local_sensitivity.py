"""The mechanism with local sensitivity is not private: witnesses, and the rate.

The printed argument fails (:mod:`dpaudit_proofs.local_argument`); the conclusion is right, though
not for the flat prior on two categories (:mod:`dpaudit_proofs.local_flat`).  Write f = 1/LS and
v_x(r) = f(x)·H(x, r), so that P_x(r) ∝ exp(−(ε/2)·v_x(r)).

**Witnesses.** Prior (10,10,10), n = 21 and the notes' ε = 0.8; on two categories prior
(1/10,1/10), n = 300; and N's own DL(7,4,5) at n = 100, 120, 150.

**No multiple of ε either.** Take k = 3, the prior (α, α, α₃), y = (0, 0, n), x = (1, 0, n − 1).
As n → ∞ the third coordinate's affinities tend to 1.  So with G(s) = Γ(s + ½)/√(Γ(s)·Γ(s + 1)) and
g = G(α), LS(y) → √(1 − g), LS(x) → √(1 − g²) (x's record moves to the second category) and
H(x, y) → √(1 − g).  All but a vanishing share of the candidates are at distance nearly 1 from both,
so N_x/|R| → exp(−(ε/2)·f_x), and the loss from y to x at the output BI(y) tends to

    ε/2 · (f_y − f_x + f_x·H(x, y)) = ε/2 · (f·(1 − 1/σ) + 1/σ),   f = 1/√(1 − g), σ = √(1 + g).

That is ε times a number above √(2α + 1)/8, since g² ≥ α/(α + ½): without bound as α grows.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.claims.certificate import OrthantCertificate
from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.evidence import Fact, SMTProof
from dpaudit.claims.statement import exists, forall
from dpaudit.numbers.ball import minimum
from dpaudit_proofs.definitions import number
from dpaudit_proofs.exponential_privacy import AFFINITY_RECURRENCE, Counts, loss_beyond

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["CLAIMS"]


def _local(epsilon: str, divisor: int = 2) -> Callable[[Any], Any]:
    """Return LS ↦ ε/(divisor·LS), in mpmath."""
    return lambda ls: number(epsilon) / (divisor * ls)


def _witness(
    title: str,
    prior: str,
    epsilon: str,
    sizes: tuple[int, ...],
    pair: Callable[[int], tuple[Counts, Counts]],
    *,
    role: Role = Role.PROVES,
    times: int = 1,
    divisor: int = 2,
) -> Fact:
    """Return the fact that the loss at r = x is above times·ε, at each of ``sizes``."""
    parameters = {"prior": prior, "epsilon": epsilon, "divisor": str(divisor)}
    bound = str(times * Fraction(epsilon))
    margins = [
        loss_beyond("EHDL", parameters, pair(n), pair(n)[0], _local(epsilon, divisor), bound=bound)
        for n in sizes
    ]
    x, y = pair(sizes[0])
    shown = {"n": ", ".join(map(str, sizes))}
    if len(sizes) == 1:
        shown |= {"x = r": str(x).replace(" ", ""), "y": str(y).replace(" ", "")}
    return Fact(
        title=title,
        role=role,
        parameters={"prior": f"({prior})", "ε": epsilon, "divisor": str(divisor), **shown},
        shows=f"ln(P_x(r)/P_y(r)) > {'' if times == 1 else times}ε",
        margin=lambda: minimum(margin() for margin, _ in margins),
        again=lambda: min(again() for _, again in margins),
    )


_LOWER = OrthantCertificate(
    title="g² ≥ α/(α + ½), factor by factor: p(p + 1)/(p + ½)² ≥ p(p + 3/2)/((p + ½)(p + 1))",
    role=Role.LEMMA,
    positive="(p + 1)^2 - (p + 3/2)*(p + 1/2)",
    shift={"p": "p"},
)

_AFFINITY = ("0 < g", "g < 1", "a >= 1", "g^2*(a + 1/2) >= a")


_TENTH = (
    "P_exp(4/5/(2*LS((1/10, 1/10), ({0}, 300 - {0}))), (1/10, 1/10), ({0}, 300 - {0}), (2, 298))"
)


def _corner(x: str) -> str:
    """Return the probability of the output (n, 0, 0) at x, at the prior of the captions."""
    return f"P_exp(4/5/(2*LS((7, 4, 5), {x})), (7, 4, 5), {x}, (n, 0, 0))"


CLAIMS = (
    Claim(
        id="em-local-not-dp",
        typed=exists(
            "real a b eps, natural n c r",
            "a > 0",
            "b > 0",
            "eps > 0",
            "c + 1 <= n",
            "r <= n",
            where="P_exp(eps/(2*LS((a, b), (c, n - c))), (a, b), (c, n - c), (r, n - r)) > "
            "exp(eps)*P_exp(eps/(2*LS((a, b), (c + 1, n - c - 1))), (a, b), (c + 1, n - "
            "c - 1), (r, n - r)) or P_exp(eps/(2*LS((a, b), (c + 1, n - c - 1))), (a, "
            "b), (c + 1, n - c - 1), (r, n - r)) > exp(eps)*P_exp(eps/(2*LS((a, b), (c, "
            "n - c))), (a, b), (c, n - c), (r, n - r))",
        ),
        points=({"a": "1/10", "b": "1/10", "eps": "4/5", "n": "300", "c": "1", "r": "2"},),
        source="N §2.2; D, E §1.2.2; L §2.2",
        statement="The exponential mechanism with local sensitivity is not ε-differentially "
        "private: there are a prior, n, ε, neighbours and an output with a larger loss",
        formula="∃ α, n, ε, neighbours x, y, r ∈ R: P_x(r) > e^ε·P_y(r), where "
        "P_x(r) ∝ exp(−ε·H(x, r)/(2·LS(x)))",
        domain="some prior, n, k and ε",
        evidence=(
            _witness(
                "three categories, an integer prior, the notes' ε: 1.006…·ε",
                "10,10,10",
                "4/5",
                (21,),
                lambda n: ((n, 0, 0), (n - 1, 1, 0)),
            ),
            _witness(
                "two categories: 0.8327… against 0.8",
                "1/10,1/10",
                "4/5",
                (300,),
                lambda n: ((2, n - 2), (1, n - 1)),
                role=Role.ILLUSTRATES,
            ),
            _witness(
                "without the factor 2 (N §3.3 and the tables) two records are enough",
                "1,1",
                "4/5",
                (2,),
                lambda n: ((0, n), (1, n - 1)),
                role=Role.ILLUSTRATES,
                divisor=1,
            ),
        ),
        derivation="The witness is a pair, an output and a loss above ε.  The printed argument "
        "does not find one: the case it considers has a loss below ε (em-local-step-13).  At the "
        "flat prior on two categories there is none (em-local-flat).",
    ),
    Claim(
        id="em-local-witness",
        typed=forall("", holds=f"{_TENTH.format(2)} > exp(4/5)*{_TENTH.format(1)}"),
        source="N §2.2; D, E §1.2.2; L §2.2",
        statement="EHDL at the prior (1/10, 1/10), n = 300 and ε = 4/5 is not ε-differentially "
        "private: x = r = (2, 298), y = (1, 299)",
        domain="this prior, n, ε, pair and output",
        evidence=(
            _witness(
                "0.8327… against 0.8",
                "1/10,1/10",
                "4/5",
                (300,),
                lambda n: ((2, n - 2), (1, n - 1)),
            ),
        ),
    ),
    Claim(
        id="em-local-captions",
        typed=forall(
            "natural n",
            "n >= 100",
            "n <= 150",
            "n == 100 or n == 120 or n == 150",
            holds=f"{_corner('(n, 0, 0)')} > exp(4/5)*{_corner('(n - 1, 1, 0)')}",
        ),
        source="N Fig. 4, 5 (captions)",
        statement="At the prior DL(7,4,5) and n = 100, 120, 150 the mechanism with local "
        "sensitivity is “Non-Private” at ε = 0.8",
        formula="∃ neighbours x, y, r ∈ R: P_x(r) > e^ε·P_y(r)",
        domain="prior (7,4,5), ε = 4/5, n = 100, 120 and 150",
        evidence=(
            _witness(
                "the least of the three margins",
                "7,4,5",
                "4/5",
                (100, 120, 150),
                lambda n: ((n, 0, 0), (n - 1, 1, 0)),
            ),
        ),
        derivation="In each case x = r = (n,0,0), y = (n − 1,1,0).  The excess is small: the loss "
        "is 1.04·ε to 1.06·ε there.",
    ),
    Claim(
        id="em-local-unbounded",
        source="N §2.2, D §1.2.2, read strongly",
        statement="The mechanism with local sensitivity is not C·ε-differentially private for any "
        "constant C, at any ε, even with integer priors on three categories",
        formula="∀ C, ε > 0 ∃ α, n, neighbours x, y, r ∈ R: P_x(r) > e^(C·ε)·P_y(r)",
        domain="all C > 0 and ε > 0; k = 3",
        evidence=(
            AFFINITY_RECURRENCE,
            _LOWER,
            SMTProof(
                title="g is at least 4/5",
                role=Role.LEMMA,
                hypotheses=_AFFINITY,
                goal="g >= 4/5",
            ),
            SMTProof(
                title="f = 1/√(1 − g) is at least √(2α + 1)",
                role=Role.LEMMA,
                hypotheses=(*_AFFINITY, "f > 0", "f^2*(1 - g) == 1"),
                goal="f^2 >= 2*a + 1",
            ),
            SMTProof(
                title="the limit of loss/ε is above f/8",
                hypotheses=("4/5 <= g", "g < 1", "s > 0", "s^2 == 1 + g", "f > 0"),
                goal="(f*(1 - 1/s) + 1/s)/2 > f/8",
            ),
            _witness(
                "a finite example: twice ε is exceeded with 20 records",
                "1000,1000,1000000",
                "1/10",
                (20,),
                lambda n: ((0, 0, n), (1, 0, n - 1)),
                role=Role.ILLUSTRATES,
                times=2,
            ),
        ),
        derivation="G(s)² is the product of p(p + 1)/(p + ½)², p = s, s + 1, … (the recurrence and "
        "G → 1), and α/(α + ½) that of p(p + 3/2)/((p + ½)(p + 1)): hence g² ≥ α/(α + ½).  Let "
        "y = (0,0,n), x = (1,0,n − 1), n → ∞.  The neighbours of y are at √(1 − g·G(α₃ + n − 1)), "
        "the farthest neighbour of x is (0,1,n − 1), at √(1 − g²), once n is large.  "
        "The affinity of either with r is at most that of the first coordinate, which tends to 0 "
        "as r₁ → ∞; the share of candidates with r₁ ≤ m tends to 0 for every m.  So "
        "N_x/|R| → e^(−(ε/2)f_x), likewise for y, and the loss ln(P_y(r)/P_x(r)) at r = BI(y), "
        "(ε/2)·f_x·H(x, y) + ln(N_x/N_y), tends to ε/2·(f_y − f_x + f_x·H(x, y)).  With "
        "f_y = f, f_x = f/s, H(x, y) = 1/f that is ε·(f(1 − 1/s) + 1/s)/2 > ε·f/8 ≥ "
        "ε·√(2α + 1)/8, which is at least C·ε from α = max(1, 32·C²) on.",
    ),
)
