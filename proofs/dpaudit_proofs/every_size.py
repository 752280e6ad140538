"""What M_H, EHDS and EHDL lose at every n, prior (1,1), k = 2: from the joint shift.

With κ = ε/2 for EHDL, ε/4 for EHDS, a pair loses at most κ·(1 + excess).

* *M_H* takes more: :mod:`dpaudit_proofs.every_smoothing`.
* *EHDS*, γ = 1.  f = 1/S_γ grows by at most 1 per step, f ≤ min(1/LS(0) + c, 1/LS(c)), and from
  c = 3 on f = 1/LS, as 1/LS(z) − 1/LS(x′), at most that of the limits, is below z − x′.
* *EHDL*.  f = 1/LS.
* *The limit at c < 58.*  Almost all outputs are far, ln(Z_y/Z_x) → κ·(f_x − f_y) as in limit-EHD,
  and with H(y, r) ≤ H(x, y) + H(x, r) the loss tends to at most κ·(f_y·H_c + max(f_x − f_y, 0)).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

from dpaudit import check_interval
from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.evidence import SMTProof, Sweep
from dpaudit.numbers.ball import Ball, ball, certainly_less, maximum, minimum, precision
from dpaudit_proofs.every_smoothing import EVIDENCE as EVERY_SMOOTHING
from dpaudit_proofs.joint_shift import (
    BITS,
    FAR,
    NEAR,
    SMALLEST,
    excess,
    limit_distance,
    own_rise,
    shift,
    steepest_beyond,
)

__all__ = ["BEYOND", "CLAIMS", "FORMULAS", "limits_reached"]

_OWN = 3  # from here on S_γ = LS
_PEAK = Fraction(1, 100)  # more than what 1/LS exceeds √(8(z + 1)) by, in parts, from z = 1000 on

FORMULAS = SMTProof(
    title="Z_y ≤ e^m·(Z_x − w) + e^e·w, w ≤ Z_x/(n + 1), gives Z_y/Z_x ≤ e^m + (e^e − 1)/(n + 1)",
    role=Role.LEMMA,
    hypotheses=(
        "N > 0 and Zx > 0 and em >= 1 and ee >= 1 and w >= 0 and w*N <= Zx",
        "Zy <= em*(Zx - w) + ee*w",
    ),
    goal="Zy*N <= Zx*(em*N + (ee - 1))",
)
"""em = e^m, ee = e^e, N = n + 1."""


def _all(cases: Iterator[tuple[str, Ball, Ball]]) -> tuple[int, str]:
    """Return how many cases there are, and the first whose ball is not below its bound."""
    with precision(BITS):
        count = 0
        for name, value, bound in cases:
            count += 1
            if not certainly_less(value, bound):
                return count, f"{name}: {value} is not below {bound}"
    return count, ""


def _inverse(c: int) -> Ball:
    """Return a bound of 1/LS(c)."""
    return 1 / limit_distance(max(c - 1, 0))


def _most() -> Ball:
    """Return a bound of 1/LS at z ≤ 1001 ≤ √(8(z + 1))·(1 + peak)."""
    return (8 * ball(FAR + 2)).sqrt() * (1 + ball(_PEAK) / 10)


def _capped(most: Fraction) -> Iterator[tuple[str, Ball, Ball]]:
    for c in range(FAR):
        factor = minimum([_inverse(0) + c, _inverse(c)])
        rise = Ball(0) if c == 0 else Ball(1) if c < _OWN else own_rise(c)
        yield f"c = {c}", excess(c, rise, factor, Fraction(1, 2)), ball(4 * most - 1)
    yield from _own()


def _own() -> Iterator[tuple[str, Ball, Ball]]:
    """Iterate over 1/LS(z) − 1/LS(x′) < z − x′ from z = 3 to 1000."""
    inverse = [_inverse(z) for z in range(FAR + 1)]
    for z in range(_OWN, FAR + 1):
        for x in range(z):
            yield f"z = {z}, x′ = {x}", inverse[z] - inverse[x], ball(z - x)


def _beyond() -> Iterator[tuple[str, Ball, Ball]]:
    """Iterate over what holds from c = 1000 on, where all of it falls with c."""
    most, z = _most(), ball(FAR)
    yield "1/LS", _inverse(FAR + 1), most
    for name, value in zip(("near", "far"), steepest_beyond(), strict=True):
        yield f"p·D_c, {name}", value, ball(Fraction(608, 1000))
    close = ((1 + 2 / z) / z).exp() - 1  # x′ ≥ z/2: |d ln LS| ≤ ψ′(x′)/2
    apart = (2 * (limit_distance(0) * most).log() / z).exp() - 1  # x′ < z/2, LS(x′) ≤ LS(0)
    rise = maximum([close, apart]) * most
    moved = ball(Fraction(608, 1000)) / (FAR + 1) * most
    yield "the excess", rise + moved + rise * rise.exp() / (2 * FAR), ball(Fraction(3, 4))
    yield "1/LS(z) − 1/LS(x′) per step, x′ ≥ z/2", close * most, Ball(1)
    yield "1/LS(z) < z/2", most, z / 2


def _limit(
    factors: Callable[[int], Ball], most: tuple[int, Fraction]
) -> Iterator[tuple[str, Ball, Ball]]:
    """Iterate over the limits of pairs below that of c = ``most[0]``, y against x."""
    at = most[0]
    f = [factors(c) for c in range(NEAR + 1)]
    lead = f[at] * limit_distance(at) + f[at + 1] - f[at]
    for c in range(NEAR):
        for x, y in ((c, c + 1), (c + 1, c)):
            if (x, y) == (at + 1, at):
                continue  # the leading one
            value = f[y] * limit_distance(c) + (f[x] - f[y]).max(Ball(0))
            yield f"({x} against {y})", value, lead
    for c in range(NEAR, FAR):
        far = 1 + own_rise(c) + shift(c) * _inverse(c)
        yield f"c = {c}", far, ball(most[1])
    yield "the bound of the others", ball(most[1]), lead
    yield from _own()


def _ehds_factor(c: int) -> Ball:
    return minimum(_inverse(x) + (c - x) for x in range(c + 1))


def limits_reached(name: str) -> Sweep:
    """Return that no pair has a limit above the one claimed, for EHDS or EHDL."""
    factors, most = {
        "EHDS": (_ehds_factor, (2, Fraction(179, 100))),
        "EHDL": (_inverse, (1, Fraction(184, 100))),
    }[name]
    return Sweep(
        title="no other pair has as large a limit, and all from c = 58 on stay below it",
        bound="pairs c = 0..999, both directions",
        role=Role.LEMMA,
        run=lambda: _all(_limit(factors, most)),
    )


BEYOND = Sweep(
    title="from c = 1000 on the formulas alone are below what is wanted",
    bound="the formulas at c = 1000, beyond which they fall",
    role=Role.LEMMA,
    run=lambda: _all(_beyond()),
)


def _audited() -> tuple[int, str]:
    """Hold EHDS to 0.66·ε at every nominal ε of an interval, at small n."""
    found = check_interval("EHDS", n=f"1..{SMALLEST - 1}", eps="1/10..2")
    for size in found.results:
        for piece in size.pieces:
            ends = zip((piece.first, piece.last), piece.upper, strict=True)
            if not all(Fraction(high) <= Fraction(66, 100) * Fraction(e) for e, high in ends):
                return len(found.results), f"n = {size.n}, ε from {piece.first} to {piece.last}"
    return len(found.results), ""


_SHIFT = (
    "Shift x = c and r to c + 1 and r + 1 (joint_shift says the steps): a pair loses at most "
    "κ·(1 + |f_x − f_y| + D_c·f_x + E·e^(κE)/(n + 1)), as u_y·H(x, y) ≤ κ by H(x, y) ≤ LS ≤ S.  "
)

CLAIMS = (
    Claim(
        id="lemma-2.3-large",
        source="N §2.3.4, Lemma 2.3: a theorem for every n ≥ 51",
        statement="M_H is even ε-differentially private at every n ≥ 51, whatever ε and δ are",
        formula="∀ n ≥ 51, x ~ y, r ∈ R, ε > 0, 0 < δ < 1: P_x(r) ≤ e^ε·P_y(r)",
        domain="k = 2, prior (1,1), n ≥ 51, ε > 0, 0 < δ < 1; so for every β > 0 in place of M_H's",
        evidence=(*EVERY_SMOOTHING, FORMULAS, BEYOND),
        derivation="κ = ε/2.  S_β falls towards the middle, and from x to y, one step nearer to "
        "it, by a factor that has a bound whatever β is: ρ = 1/S(y) − 1/S(x) is below 1.13.  "
        "Weights: f_y·H(y, r) − f_x·H(x, r) ≤ √(1 + 2ρ²) by the angles between the square roots of "
        "the densities, and f_x·H(x, r) − f_y·H(y, r) ≤ f_x·H(x, y) ≤ 1 − ρ/f_y.  Normalisers: "
        "shift x = c and r to c + 1 and r + 1 (joint_shift); what grows by ρ in the exponent is "
        "paid where H is large, and the shift costs something only where H is not.  Either "
        "direction loses less than 2κ (every_smoothing says the steps).",
    ),
    Claim(
        id="sup-EHDS",
        source="N's next step; EHDS at the flat prior, γ = 1",
        statement="EHDS loses at most 0.66·ε at every n, for ε from 1/10 to 2",
        formula="∀ n ≥ 1, x ~ y, r ∈ R, 1/10 ≤ ε ≤ 2: P_x(r) ≤ e^(33ε/50)·P_y(r)",
        domain="k = 2, prior (1,1), γ = 1, all n ≥ 1, 1/10 ≤ ε ≤ 2",
        evidence=(
            FORMULAS,
            BEYOND,
            Sweep(
                title="audits over the whole interval of ε",
                bound=f"n = 1..{SMALLEST - 1}, all pairs, every ε from 1/10 to 2",
                role=Role.LEMMA,
                run=_audited,
            ),
            Sweep(
                title="the excess is below 1.64",
                bound="pairs c = 0..999, at every n ≥ 51 at once",
                role=Role.PROVES,
                run=lambda: _all(_capped(Fraction(66, 100))),
            ),
        ),
        derivation=_SHIFT + "κ = ε/4.  So a nominal ε of 3/2 of a budget keeps it at every n, "
        "and by limit-EHDS-below none above 2.228 times it does for large n.",
    ),
)
