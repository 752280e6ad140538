"""EHD with the quoted constant on two categories, at priors (s, s) with 3/40 ≤ s ≤ 49/100, n ≥ 9.

x = (0, n), y = (1, n − 1); the other pairs have D ≤ q (see :mod:`dpaudit_proofs.global_hole`).

* *Z_x ≤ Z_y.*  For r ≥ 1 both affinities of y to r are the larger: G grows as its arguments come
  closer.  So H(y, r) ≤ H(x, r), and the outputs 0 and 1 weigh together the same.
* *Z_y ≤ e^(u(2q − D))·Z_x.*  ln(Z_y/Z_x) is the integral of E_x[H] − E_y[H] over v from 0 to u, and
  the difference is at most 2q − D at every v: outputs up to R = min(n, 10) one by one, those beyond
  together.  With m their weight under x, H from h to 1 there, and A, B the sums of H·w and of w up
  to R,

      E_x[H] ≤ (A_x + m)/(B_x + m),   E_y[H] ≥ (A_y + h·m)/(B_y + m),

  as the weight under y is at least m.  Sizes are taken in blocks: H(x, r) falls as n grows, to a
  limit.  Cells of s, of v and of m/(1 + m) are halved until the bounds decide; m is between
  (n − R)·e^(−v) and (n − R)·e^(−vh), and any number in the block without an end.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from dpaudit.claims.claim import Role
from dpaudit.claims.evidence import Sweep
from dpaudit.numbers.ball import Ball, ball, certainly_less, pi_ball, precision

__all__ = ["FROM_NINE", "HOLE"]

HOLE = (Fraction(3, 40), Fraction(49, 100))
_BITS = 53
_SINGLE = 10
_BLOCKS = (
    *((n, n) for n in range(9, 19)),
    *((19, 20), (21, 22), (23, 25), (26, 29), (30, 35), (36, 44), (45, 59)),
    *((60, 79), (80, 119), (120, 199), (200, None)),
)
_LAST = Fraction(64)  # beyond it v has no end
_MOST = 20_000

Span = tuple[Fraction, Fraction]
Reach = tuple[Fraction, Fraction | None]
Block = tuple[int, int | None]
Row = list[tuple[Ball, Ball]]


@lru_cache(maxsize=1 << 17)
def _affinity(s: Fraction, i: int, j: int) -> Ball:
    """Return G(s + i, s + j)."""
    middle, first, second = (ball(s + q).lgamma() for q in (Fraction(i + j, 2), i, j))
    return (middle - (first + second) / 2).exp()


@lru_cache(maxsize=1 << 10)
def _distances(span: Span, block: Block) -> tuple[list[Row], Ball, Ball]:
    """Return bounds of H(x, r) and H(y, r), r ≤ R, the least h beyond, and the largest D."""
    (low, high), (first, last) = span, block
    near = min(first, _SINGLE)
    rows: list[Row] = []
    for x in (0, 1):
        row: Row = []
        for r in range(near + 1):
            most = _affinity(high, x, r)
            if last is not None:
                most = most * _affinity(high, last - x, last - r)
            least = _affinity(low, x, r) * _affinity(low, first - x, first - r)
            ends = ((1 - most).sqrt(), (1 - least).sqrt())
            row.append((Ball(0), Ball(0)) if r == x else ends)
        rows.append(row)
    beyond = (1 - _affinity(high, 1, near + 1)).sqrt()
    return rows, beyond, (1 - _affinity(low, 0, 1) * _affinity(low, first - 1, first)).sqrt()


def _is_decided(span: Span, reach: Reach, share: Span, block: Block) -> bool:
    """Whether E_x[H] − E_y[H] ≤ 2q − D all over a cell, or nothing is in it."""
    (of_x, of_y), beyond, apart = _distances(span, block)
    near = min(block[0], _SINGLE)
    first, last = ball(reach[0]), None if reach[1] is None else ball(reach[1])
    least = ball(share[0] / (1 - share[0]))
    most = None if share[1] == 1 else ball(share[1] / (1 - share[1]))
    fewest = Ball(0) if last is None else (block[0] - near) * (-last).exp()
    if most is not None and certainly_less(most, fewest):
        return True
    if block[1] is not None and certainly_less((block[1] - near) * (-first * beyond).exp(), least):
        return True

    def light(x: int, row: Row) -> list[Ball]:
        if last is None:
            return [ball(int(r == x)) for r in range(len(row))]
        return [(-last * high).exp() for _, high in row]

    above = _sum([high * (-first * low).exp() for low, high in of_x])
    below = _sum([low * w for (low, _), w in zip(of_y, light(1, of_y), strict=True)])
    weight_of_y = _sum([(-first * low).exp() for low, _ in of_y])
    if not certainly_less(below, beyond * weight_of_y):
        return False  # else the bound grows with m
    top = ball(1)
    if most is not None:
        top = top.min((above + most) / (_sum(light(0, of_x)) + most))
    bottom = (below + beyond * least) / (weight_of_y + least)
    return certainly_less(top - bottom, 2 * (1 - pi_ball() / 4).sqrt() - apart)


def _sum(balls: list[Ball]) -> Ball:
    return sum(balls, Ball(0))


def _halves(low: Fraction, high: Fraction) -> tuple[Span, Span]:
    middle = (low + high) / 2
    return (low, middle), (middle, high)


def _decide(block: Block) -> str:
    """Return the cell of a block that is not decided; empty if all are."""
    everything = (Fraction(0), Fraction(1))
    cells: list[tuple[Span, Reach, Span]] = [
        (HOLE, (Fraction(0), _LAST), everything),
        (HOLE, (_LAST, None), everything),
    ]
    for _ in range(_MOST):
        if not cells:
            return ""
        span, reach, share = cells.pop()
        if _is_decided(span, reach, share, block):
            continue
        first, last = reach
        lengths = (
            8 * (span[1] - span[0]),
            Fraction(0) if last is None else (last - first) / 4,
            2 * (share[1] - share[0]),
        )
        longest = lengths.index(max(lengths))
        if longest == 0:
            cells += [(half, reach, share) for half in _halves(*span)]
        elif longest == 1 and last is not None:
            cells += [(span, half, share) for half in _halves(first, last)]
        else:
            cells += [(span, reach, half) for half in _halves(*share)]
    return f"n from {block[0]} to {block[1]}: {len(cells)} cells are open"


def _from_nine() -> tuple[int, str]:
    with precision(_BITS):
        near = 1 - _affinity(HOLE[0], 1, 2) ** 2  # D² of pairs that are not outermost, at most
        if not certainly_less(near, 1 - pi_ball() / 4):
            return 1, "a pair that is not outermost"
        for block in _BLOCKS:
            if failure := _decide(block):
                return len(_BLOCKS), failure
    return len(_BLOCKS), ""


FROM_NINE = Sweep(
    title="every n ≥ 9, s and ε at once: E_x[H] − E_y[H] ≤ 2q − D at every factor",
    bound="blocks of n from 9 on, the last without an end; every 3/40 ≤ s ≤ 49/100 and ε > 0",
    role=Role.PROVES,
    run=_from_nine,
)
