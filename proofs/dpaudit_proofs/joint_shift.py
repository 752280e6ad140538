"""Shifting dataset and output together: normalisers of neighbours at every n, prior (1,1), k = 2.

x = c, y = c + 1 ≤ (n + 1)/2 by the first count, P_x(r) ∝ e^(−κ·f_x·H(x, r)), f_x ≤ 1/LS(x).

* *The shift.*  Let D_c be the largest |H(c + 1, r + 1) − H(c, r)|, 0 ≤ r < n.  Sums over outputs,
  term by term, with r = n of Z_x against r = 0 of Z_y:

      ln(P_x(r)/P_y(r)) and ln(P_y(r)/P_x(r)) ≤ κ·(1 + |f_x − f_y| + D_c·f_x + E·e^(κE)/(n + 1)),
      E = |f_x − f_y| + (1 − H(c + 1, 0))·f_x.

  H(x, n) is the largest distance from x, so that its term is at most 1/(n + 1) of Z_x; and
  H(y, 0) ≤ H(x, n), so that the other way round nothing is lost.
* *D_c.*  t = −ln(1 − H²) = D(c + 1, r + 1) + D(n − c + 1, n − r + 1) with D(p, q) = ½lnΓ(p) +
  ½lnΓ(q) − lnΓ((p + q)/2) = ∫ ψ′ under a tent over [p, q].  Shifting both by δ changes D at the
  rate ∫ ψ″ under the same tent, which is between −ψ′(min(p, q))·D and 0, as ψ″ + ψ′² > 0.  The two
  parts of t move apart, so |dt/dδ| ≤ t·ψ′(m), m the smallest parameter on the way, and |dH/dδ| ≤
  ½√t·e^(−t/2)·ψ′(m), √t·e^(−t/2) ≤ e^(−1/2), ψ′(m) ≤ 1/m + 1/m².  If m = p − j, p ≥ c + 1, then
  t ≥ D(p − j + 1, p + 1).  For c < 58 it is looked at itself, for n from 61 on in blocks: D(n − c +
  1, n − r + 1) falls with n.
* *Limits.*  H_c, the limit of H(c, c + 1), is below H(c, c + 1) at every n, and LS(x′)/LS(z) ≤
  H_(x′−1)/H_(z−1) for x′ < z ≤ n/2: 1 − G·s over 1 − G′·s grows with s where G < G′.

What each mechanism has for f decides how large |f_x − f_y| is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from dpaudit.numbers.ball import Ball, ball, certainly_less, maximum, precision

__all__ = [
    "FAR",
    "NEAR",
    "SMALLEST",
    "Shifted",
    "edge_distance",
    "excess",
    "far_shift",
    "limit_distance",
    "own_rise",
    "root",
    "shift",
    "shifted",
    "steepest_beyond",
]

BITS = 64
SMALLEST = 51
"""n from here on."""
NEAR = 58
"""Below it D_c is looked at itself."""
FAR = 1000
"""From here on c is in the formulas alone."""
_REACH = 250
_BLOCKS = (
    51,
    54,
    57,
    60,
    64,
    68,
    72,
    77,
    83,
    90,
    98,
    108,
    120,
    135,
    155,
    180,
    210,
    250,
    300,
    370,
    460,
    600,
    800,
    1200,
    2000,
    5000,
)


@lru_cache(maxsize=1)
def _logs() -> list[Ball]:
    """Return lnΓ(1 + j/2) for all j that are needed."""
    with precision(BITS + 32):
        return [ball(1 + Fraction(j, 2)).lgamma() for j in range(2 * (_BLOCKS[-1] + 4))]


def _apart(p: int, q: int) -> Ball:
    """Return D(p, q)."""
    logs = _logs()
    return (logs[2 * p - 2] + logs[2 * q - 2]) / 2 - logs[p + q - 2]


def _distance(t: Ball) -> Ball:
    return (1 - (-t).exp()).sqrt()


@lru_cache(maxsize=1 << 11)
def limit_distance(c: int) -> Ball:
    """Return H_c."""
    return _distance(_apart(c + 1, c + 2))


def _moved(near: Sequence[Ball], less: Sequence[Ball], more: Sequence[Ball]) -> Ball:
    """Return a bound of |H(c + 1, r + 1) − H(c, r)|, each a list of before and after the shift.

    t is ``near`` plus what lies between ``less`` and ``more``, whose growth does so too.  One bound
    is from the ends of both distances, one the mean value theorem, as dH/dt falls with t.
    """
    low = [_distance(a + b) for a, b in zip(near, less, strict=True)]
    high = [_distance(a + b) for a, b in zip(near, more, strict=True)]
    apart = (high[1] - low[0]).max(high[0] - low[1])
    step = near[1] - near[0]
    change = abs(step + less[1] - less[0]).max(abs(step + more[1] - more[0]))
    least = (near[0] + less[0]).min(near[1] + less[1])
    return apart.min(change * (-least).exp() / (2 * _distance(least)))


@dataclass(frozen=True)
class Shifted:
    """H(c, r) and H(c + 1, r + 1) at all n of a block: t is ``near`` plus the far coordinate's."""

    near: tuple[Ball, Ball]
    """D of the first coordinate, before and after the shift."""
    less: tuple[Ball, Ball]
    """Lower bounds of D of the second."""
    more: tuple[Ball, Ball]
    """Upper bounds of the same; that it grows by is between the growth of both."""

    def moved(self) -> Ball:
        """Return a bound of |H(c + 1, r + 1) − H(c, r)|."""
        return _moved(self.near, self.less, self.more)

    def grown(self) -> Ball:
        """Return a bound of H(c + 1, r + 1) − H(c, r), by the mean value theorem; at least 0."""
        change = self.near[1] - self.near[0] + self.more[1] - self.more[0]
        least = (self.near[0] + self.less[0]).min(self.near[1] + self.less[1])
        return change.max(Ball(0)) * (-least).exp() / (2 * _distance(least))

    def after(self) -> Ball:
        """Return a lower bound of H(c + 1, r + 1)."""
        return _distance(self.near[1] + self.less[1])


def shifted(c: int) -> Iterator[Shifted]:
    """Iterate over blocks that have every n ≥ 51 and every r ≤ 250 but c."""
    for first, last in zip(_BLOCKS, (*_BLOCKS[1:], None), strict=True):
        for r in range(_REACH + 1):
            least = max(first, r + 1, 2 * c + 1)
            if r == c or (last is not None and least > last):
                continue
            near = _apart(c + 1, r + 1), _apart(c + 2, r + 2)
            more = _apart(least - c + 1, least - r + 1), _apart(least - c, least - r)
            less = Ball(0), Ball(0)
            if last is not None:
                less = _apart(last - c + 1, last - r + 1), _apart(last - c, last - r)
            yield Shifted(near, less, more)


def far_shift(c: int) -> Ball:
    """Return a bound of |H(c + 1, r + 1) − H(c, r)| for every r > 250."""
    return (-_apart(c + 1, _REACH + 2)).exp().max((-_apart(c + 2, _REACH + 3)).exp())


def edge_distance(c: int) -> Ball:
    """Return a lower bound of H(c + 1, 0)."""
    return _distance(_apart(1, c + 2))


@lru_cache(maxsize=1 << 7)
def _near(c: int) -> Ball:
    """Return a bound of D_c at every n from 51 on."""
    return maximum([far_shift(c), *(cell.moved() for cell in shifted(c))])


def _steep(m: int) -> Ball:
    """Return a bound of ψ′(m)."""
    return ball(Fraction(m + 1, m * m))


@lru_cache(maxsize=1)
def _far() -> list[Ball]:
    """Return bounds of D_c for c from NEAR to 1000, by p ≥ c + 1."""
    peak = ball(Fraction(-1, 2)).exp()
    bounds = []
    for p in range(NEAR + 1, FAR + 2):
        found = [peak * _steep(p) / 2]
        for j in range(1, p):
            t = _apart(p - j + 1, p + 1)
            top = t.sqrt() * (-t / 2).exp() if certainly_less(Ball(1), t) else peak
            found.append(top * _steep(p - j) / 2)
        bounds.append(maximum(found))
    last = ball(Fraction(608, 1000)) / (FAR + 1)  # steepest_beyond
    for place in reversed(range(len(bounds))):
        last = bounds[place] = bounds[place].max(last)
    return bounds


def shift(c: int) -> Ball:
    """Return a bound of D_c, c ≤ 1000, at every n ≥ 51."""
    return _near(c) if c < NEAR else _far()[c - NEAR]


def steepest_beyond() -> tuple[Ball, Ball]:
    """Return p·(bound of D_c) for p ≥ 1001: where m ≥ p/2, and where m is less.

    There j > p/2 and t ≥ j²/(8(p + 1)) ≥ T = p²/(32(p + 1)), as ψ′(z) ≥ 1/z; the bound falls with
    p, and ψ′(1) ≤ 2.
    """
    p = ball(FAR + 1)
    t = p * p / (32 * (p + 1))
    return ball(Fraction(-1, 2)).exp() * (1 + 2 / p), p * t.sqrt() * (-t / 2).exp()


@lru_cache(maxsize=1)
def _roots() -> list[Ball]:
    logs = [limit_distance(max(z - 1, 0)).log() for z in range(FAR + 2)]
    return [
        maximum((logs[x] - logs[z]) / (z - x) for x in range(z)).exp() - 1
        for z in range(1, FAR + 2)
    ]


def root(z: int) -> Ball:
    """Return a bound of max over x′ < z of (LS(x′)/LS(z))^(1/(z − x′)) − 1, 1 ≤ z ≤ 1001."""
    return _roots()[z - 1]


def own_rise(c: int) -> Ball:
    """Return a bound of 1/LS(c + 1) − 1/LS(c), c ≤ 1000."""
    if c == 0:
        return Ball(0)
    before = limit_distance(c - 1)
    return (before / limit_distance(c) - 1) / before


def excess(c: int, rise: Ball, factor: Ball, most: Fraction) -> Ball:
    """Return a bound of the loss over κ less 1, κ ≤ ``most``, at every n ≥ 51.

    Args:
        c: the pair.
        rise: a bound of |f_x − f_y|.
        factor: a bound of f_x.
        most: the largest κ.
    """
    far = rise + (1 - edge_distance(c)) * factor
    edge = far * (ball(most) * far).exp() / (max(SMALLEST, 2 * c + 1) + 1)
    return rise + shift(c) * factor + edge
