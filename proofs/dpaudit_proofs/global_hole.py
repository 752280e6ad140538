"""EHD with the quoted constant at symmetric priors below 1: Jeffreys' prior, and the hole.

EHD has P_x(r) ∝ e^(−u·H(x, r)), u = ε/(2q), q = √(1 − π/4).  At a symmetric prior (s, …, s) let a
record move from category i to j, with smaller parameters a, b in the two: x has (a + 1, b) there, y
has (a, b + 1).  D = H(x, y) = √(1 − g(a)·g(b)), g(s) = G(s, s + 1), G(s, t) = Γ((s + t)/2)/
√(Γ(s)·Γ(t)).  The loss is at most u·D + ln(Z_y/Z_x), and has to be at most 2q·u.

* *a = b.*  Exchanging the two categories maps x to y and R to itself: Z_x = Z_y.
* *D ≤ q.*  ln(Z_y/Z_x) ≤ u·D by the triangle inequality.
* *Otherwise.*  An output r whose counts in i and j are those of x, and the one that differs from r
  in having those of y, weigh together the same under x and under y.  At all others
  H(x, r) − H(y, r) ≤ M, so that Z_y ≤ e^(uM)·Z_x where M ≥ 0, and D + M ≤ 2q is enough.  With
  A_x, A_y the affinities in i and j, and Q ≤ 1 that in the others, the difference is
  √(1 − A_x·Q) − √(1 − A_y·Q), which is at most 0 where A_y ≤ A_x and else grows with Q (``GROWS``):
  so M is one number for all k and n, a maximum over the two counts of r.

G(s + i, s + j) grows with s, as ψ is concave, and falls as its arguments part; so an interval of s
is enclosed by its ends, and large counts by a first one.  For the rest of the hole,
k = 2 and n ≤ 8, ln(Z_y/Z_x) = ∫₀ᵘ (E_x[H] − E_y[H]) dv, each mean falling with v; cells of s and v
are halved until the difference of the means is at most 2q − D on each.  For larger n there is
:mod:`dpaudit_proofs.far_outputs`.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.evidence import Counterexample, SMTProof, Sweep
from dpaudit.numbers.ball import (
    Ball,
    PrecisionNeeded,
    ball,
    certainly_less,
    pi_ball,
    precision,
)
from dpaudit_proofs.exponential_privacy import (
    AFFINITY_GROWS,
    AFFINITY_RECURRENCE,
    loss_beyond,
)
from dpaudit_proofs.exponential_privacy import quoted_factor as _quoted
from dpaudit_proofs.far_outputs import FROM_NINE, HOLE
from dpaudit_proofs.large_sizes import MONOTONE
from dpaudit_proofs.typed_refuted import REFUTED

__all__ = ["CLAIMS"]

_BITS = 96
_FAR = 24
"""Counts from here on are bounded together."""
_HOLE, _FIRST = HOLE
_LARGEST = 8
_NARROWEST = Fraction(1, 2**16)

Cell = tuple[Fraction, Fraction]


@cache
def _affinity(s: Fraction, i: int, j: int) -> Ball:
    """Return G(s + i, s + j)."""
    if i == j:
        return ball(1)
    if i > j:
        return _affinity(s, j, i)
    middle, first, second = (ball(s + q).lgamma() for q in (Fraction(i + j, 2), i, j))
    return (middle - (first + second) / 2).exp()


def _constant() -> Ball:
    return (1 - pi_ball() / 4).sqrt()


def _distance(s: Fraction, a: int, b: int) -> Ball:
    """Return √(1 − g(s + a)·g(s + b))."""
    return (1 - _affinity(s, a, a + 1) * _affinity(s, b, b + 1)).sqrt()


def _is_near(s: Fraction, a: int, b: int) -> bool:
    """Whether D ≤ q, at this s and all larger ones."""
    return certainly_less(_distance(s, a, b), _constant())


def _symmetric(first: Fraction, last: Fraction) -> tuple[int, str]:
    """Decide D + M ≤ 2q for symmetric priors from ``first`` to ``last``, all n and k."""
    cases = 0
    with precision(_BITS):
        cells = [(first, last)]
        while cells:
            low, high = cells.pop()
            if not (_is_near(low, 1, 1) and _is_near(low, 0, _FAR - 1)):
                return cases, f"s from {low}: too many pairs are far apart"
            steps = [m for m in range(1, _FAR - 1) if not _is_near(low, 0, m)]
            pairs = [(0, m) for m in steps] + [(m, 0) for m in steps]
            cases += len(pairs)
            if all(_is_paid(low, high, a, b) for a, b in pairs):
                continue
            if high - low < _NARROWEST:
                return cases, f"s near {float(low):.4f}"
            cells += [(low, (low + high) / 2), ((low + high) / 2, high)]
        symmetric_ones = certainly_less(_distance(first, 0, 0), 2 * _constant())
    return cases, "" if symmetric_ones else "D ≤ 2q where a = b"


def _is_paid(low: Fraction, high: Fraction, a: int, b: int) -> bool:
    """Whether H(x, r) − H(y, r) ≤ 2q − D for all r but two, for every s from low to high."""
    room = 2 * _constant() - _distance(low, a, b)
    # Beyond: H(x, r) − H(y, r) ≤ 1 − H(y, r), whatever the other coordinates are.
    for parameter in (a, b + 1):
        if not certainly_less(1 - (1 - _affinity(high, parameter, _FAR)).sqrt(), room):
            return False
    for i in range(_FAR):
        for j in range(_FAR):
            if (i, j) in ((a + 1, b), (a, b + 1)):
                continue
            of_x = _affinity(low, a + 1, i) * _affinity(low, b, j)
            of_y = _affinity(high, a, i) * _affinity(high, b + 1, j)
            if certainly_less(of_y, of_x):
                continue
            if not certainly_less((1 - of_x).sqrt() - (1 - of_y).sqrt(), room):
                return False
    return True


def _hole() -> tuple[int, str]:
    """Decide k = 2, n ≤ 8, every symmetric prior from 3/40 to 1/2, every ε."""
    cases = 0
    with precision(_BITS):
        for n in range(1, _LARGEST + 1):
            for c in range(n):
                cases += 1
                cells = [((_HOLE, _FIRST), (Fraction(0), Fraction(64)))]
                while cells:
                    span, reach = cells.pop()
                    if _is_near(span[0], c, n - 1 - c) or _means(n, c, span, reach):
                        continue
                    if max(reach[1] - reach[0], span[1] - span[0]) < _NARROWEST:
                        raise PrecisionNeeded(f"n = {n}, c = {c}, s near {float(span[0]):.4f}")
                    if 4 * (span[1] - span[0]) > reach[1] - reach[0]:
                        cells += [(half, reach) for half in _halves(span)]
                    else:
                        cells += [(span, half) for half in _halves(reach)]
    return cases, ""


def _means(n: int, c: int, span: Cell, reach: Cell) -> bool:
    """Whether E_x[H] − E_y[H] ≤ 2q − D on a cell of s and v, the last one having no end."""
    room = 2 * _constant() - _distance(span[0], c, n - 1 - c)
    first, last = (ball(v) for v in reach)

    def distances(s: Fraction, x: int) -> list[Ball]:
        return [
            ball(0) if r == x else (1 - _affinity(s, x, r) * _affinity(s, n - x, n - r)).sqrt()
            for r in range(n + 1)
        ]

    def sums(x: int) -> tuple[Ball, Ball, Ball, Ball]:
        large, small = distances(span[0], x), distances(span[1], x)
        heavy = [(-first * h).exp() for h in small]
        light = [(-last * h).exp() for h in large]
        return (
            sum((h * w for h, w in zip(large, heavy, strict=True)), Ball(0)),
            sum(light, Ball(0)),
            sum((h * w for h, w in zip(small, light, strict=True)), Ball(0)),
            sum(heavy, Ball(0)),
        )

    above, least, _, _ = sums(c)
    _, _, below, most = sums(c + 1)
    return certainly_less(above / least - below / most, room) and (
        reach[1] < 64 or certainly_less(above / least, room)
    )


def _halves(cell: Cell) -> list[Cell]:
    middle = (cell[0] + cell[1]) / 2
    return [(cell[0], middle), (middle, cell[1])]


_GROWS = SMTProof(
    title="√(1 − A_x·Q) − √(1 − A_y·Q) grows with Q where A_x ≤ A_y",
    role=Role.LEMMA,
    hypotheses=(
        "0 <= ax and ax <= ay and d >= 0",
        "R >= 0 and P >= R and R1 >= 0 and P1 >= R1 and P >= P1 and R >= R1",
        "(P - P1)*(P + P1) == ax*d and (R - R1)*(R + R1) == ay*d",
        "R > 0",
    ),
    goal="P - R <= P1 - R1",
)
"""P, R at Q and P1, R1 at Q + d."""

_SWAPPED = SMTProof(
    title="two outputs that x and y weigh the other way round add up to the same",
    role=Role.LEMMA,
    hypotheses=("wx1 == wy2 and wx2 == wy1",),
    goal="wx1 + wx2 == wy1 + wy2",
)

_LOSS = SMTProof(
    title="D + M ≤ 2q, u = ε/(2q), l ≤ u·M give u·D + l ≤ ε",
    hypotheses=("q > 0 and u > 0 and 2*q*u == e", "D + M <= 2*q", "l <= u*M"),
    goal="u*D + l <= e",
)

_SMALL = {"epsilon": "1/100", "prior": "69/1000,69/1000", "gs": "quoted"}
_FIVE = loss_beyond(
    "EHD",
    _SMALL,
    ((0, 5), (1, 4)),
    (0, 5),
    lambda local: _quoted(local) / 80,
    bound="1/100",
)

CLAIMS = (
    Claim(
        id="thm-3.1-EHD-symmetric",
        source="A Thm 3.1, at symmetric priors below 1; Jeffreys' prior is 1/2",
        statement="EHD with GS = √(1 − π/4) is ε-differentially private at every symmetric prior "
        "(s, …, s) with s ≥ 49/100",
        formula="P_x(r) ∝ exp(−ε·H(x, r)/(2√(1 − π/4))): P_x(r) ≤ e^ε·P_y(r) for all neighbours "
        "x, y and r ∈ R",
        domain="prior (s, …, s), s ≥ 49/100, all k ≥ 2, n ≥ 1, ε > 0",
        evidence=(
            AFFINITY_RECURRENCE,
            AFFINITY_GROWS,
            MONOTONE,
            _SWAPPED,
            _GROWS,
            _LOSS,
            Sweep(
                title="D + M ≤ 2q for every s, in cells enclosed by their ends",
                role=Role.LEMMA,
                bound="49/100 ≤ s ≤ 1, all pairs with D > q, all outputs",
                run=lambda: _symmetric(_FIRST, Fraction(1)),
            ),
        ),
        derivation="s ≥ 1 is thm-3.1-EHD.  For s below: (1) the loss of x against y is at most "
        "u·D + ln(Z_y/Z_x).  (2) Posterior parameters a + 1, b of x in the two categories, a, b of "
        "y, a, b ∈ s + ℕ.  If a = b, exchanging the categories maps x to y, and Z_x = Z_y; D ≤ "
        "√(1 − g(s)²) ≤ 2q.  If g(a)·g(b) ≥ π/4, D ≤ q and ln(Z_y/Z_x) ≤ u·D.  As g grows, what is "
        "left has min(a, b) = s and few steps between a and b.  (3) H(z, r)² = 1 − A_z(r)·Q(r), Q "
        "the affinity in the other categories, the same for x and y.  The candidates with "
        "(r_i, r_j) = (x_i, x_j) and those with (y_i, y_j) are paired by moving that record; H is "
        "√(1 − Q) and √(1 − A·Q) for one, and the other way round for the other (SWAPPED).  For "
        "all others H(x, r) − H(y, r) is at most what it is at Q = 1 (GROWS), and M bounds that "
        "over all (r_i, r_j).  Summed, Z_y ≤ e^(uM)·Z_x.  (4) G(s + i, s + j) grows with s, its "
        "logarithm having the derivative ψ(mean) − mean of ψ ≥ 0, and falls as r_i moves away "
        "from a on (MONOTONE's proof, one coordinate of it): counts from 24 on have H(x, r) − "
        "H(y, r) ≤ 1 − H(y, r), bounded at 24.  (5) LOSS.  Nothing else depends on k, n or ε.",
    ),
    Claim(
        id="thm-3.1-EHD-one-record",
        source="A Thm 3.1, one record: the exact domain",
        statement="at n = 1 and k = 2 EHD meets ε if and only if g(α₁)·g(α₂) ≥ π − 3, whatever ε; "
        "for a symmetric prior and k ≥ 3 that is necessary at every n",
        formula="ln(P_x(x)/P_y(x)) = ε·√(1 − g(α₁)·g(α₂))/(2·√(1 − π/4)) is the realised ε",
        domain="every prior, n = 1, k = 2; for k ≥ 3 symmetric priors and every n ≥ 1",
        evidence=(
            SMTProof(
                title="D ≤ 2q iff 1 − D² ≥ 1 − 4q² = π − 3, with 4q² = 4 − π",
                hypotheses=("D >= 0 and q > 0", "4*q^2 == 4 - p", "D^2 == 1 - G"),
                goal="(not D <= 2*q or G >= p - 3) and (not G >= p - 3 or D <= 2*q)",
            ),
        ),
        derivation="The two laws have the weights 1 and e^(−uD) on two outputs, so their "
        "normalisers agree and the losses are ±u·D, u = ε/(2q).  For k ≥ 3 and a symmetric prior "
        "(and for the pair with c_i = 1, c_j = 0 and all other records in a third category) "
        "exchanging i and j maps x to y, and the loss at r = x is u·D with D² = 1 − g(s)².  For a "
        "symmetric prior it is s ≥ 0.0515….",
    ),
    Claim(
        id="thm-3.1-EHD-one-record-suffices",
        **REFUTED["thm-3.1-EHD-one-record-suffices"],
        source="beside thm-3.1-EHD-one-record",
        statement="for symmetric priors on two categories g(s)² ≥ π − 3 is enough at every n",
        formula="g(s)² ≥ π − 3 ⟹ P_x(r) ≤ e^ε·P_y(r)",
        domain="prior (s, s), all n ≥ 1, ε > 0",
        evidence=(
            Counterexample(
                title="five records at s = 69/1000 and a small ε",
                parameters={
                    "prior": "(69/1000,69/1000)",
                    "n": "5",
                    "ε": "1/100",
                    "x = r": "(0,5)",
                    "y": "(1,4)",
                },
                shows="ln(P_x(r)/P_y(r)) > ε",
                margin=_FIVE[0],
                again=_FIVE[1],
            ),
        ),
        derivation="g(69/1000)² = 0.18… > π − 3.  In a search in floats the loss in multiples of ε "
        "is largest for small ε, and there at n = 5.  From s = 3/40 on nothing fails at any n "
        "(thm-3.1-EHD-hole), so the threshold for all n lies between 0.069 and 0.075.",
        repaired="s ≥ 3/40 is enough (thm-3.1-EHD-hole, thm-3.1-EHD-symmetric).",
    ),
    Claim(
        id="thm-3.1-EHD-hole",
        source="A Thm 3.1, at symmetric priors between 3/40 and 49/100",
        statement="EHD with GS = √(1 − π/4) is ε-differentially private there too, at every n",
        formula="P_x(r) ∝ exp(−ε·H(x, r)/(2√(1 − π/4))): P_x(r) ≤ e^ε·P_y(r) for all neighbours "
        "x, y and r ∈ R",
        domain="prior (s, s), 3/40 ≤ s ≤ 49/100, all n ≥ 1, ε > 0",
        evidence=(
            Sweep(
                title="every s and every ε at once: E_x[H] − E_y[H] ≤ 2q − D at every factor",
                role=Role.LEMMA,
                bound=f"n = 1..{_LARGEST}, all pairs, every 3/40 ≤ s ≤ 49/100 and ε > 0",
                run=_hole,
            ),
            FROM_NINE,
            _LOSS,
        ),
        derivation="ln(Z_y/Z_x) is the integral of E_x[H] − E_y[H] over the factor from 0 to u, "
        "and d/dv E[H] = −Var[H] ≤ 0, so that the loss is at most u·D + u·(2q − D) = ε.  From n = "
        "9 on the outputs beyond the tenth are taken together, by their weight "
        "(dpaudit_proofs.far_outputs).  With thm-3.1-EHD-symmetric and -one-record-suffices the "
        "threshold for (s, s) at all n lies between 0.069 and 0.075.  What is left: that number, "
        "and for k > 2 the s from there to 0.49, where the other counts add a factor Q to both "
        "affinities, a third parameter of every cell.",
    ),
)
