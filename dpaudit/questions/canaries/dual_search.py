"""A search for strong certificates under μ-GDP, in floats: nothing that it finds is trusted.

With one budget the best certificate is known: b = P[W ≥ v] and c = b·(1 − b)/(v·P[W = v]), the
sharp bound at the ε that suits μ best.  With more budgets prices come from a linear program; b is
then the least number that the exact check accepts.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from dpaudit.questions.canaries.profile_bounds import Certificate, is_feasible

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dpaudit.questions.canaries.one_run import Guesses

    Floats = NDArray[np.float64]

__all__ = ["MOST_GUESSES", "certificate_at", "certificate_for"]

MOST_GUESSES = 100_000
"""The check of more guesses takes seconds."""
_MOST_OF_PROGRAM, _FEW = 1_000, 400
"""Programs of more guesses take over a second, or fail; those of few may have more budgets."""
_BELOW, _ABOVE, _BUDGETS, _FEWER = 2.0, 1.5, 29, 15
_EPSILONS = np.concatenate([[0.0], np.geomspace(1e-6, 0.01, 50), np.arange(1, 2_001) / 50])
_HALVINGS, _ROUNDS = 44, 8
_ODDS, _PRICE_BITS = 2**20, 80


def certificate_at(seen: Guesses, mu: float) -> Certificate | None:
    """Return the strongest certificate that is found for one μ; None where there is none.

    Args:
        seen: the guesses, of which at least one is right.
        mu: the μ > 0 for which it is to be strong; it holds for every other one too.
    """
    _, epsilon = _best_budget(seen, mu)
    found = [_of_one(seen, epsilon)]
    if seen.guesses <= _MOST_OF_PROGRAM:
        found.append(_of_several(seen, mu, epsilon))
    feasible = [one for one in found if one is not None]
    return min(feasible, key=lambda one: _value(seen, one, mu), default=None)


def certificate_for(seen: Guesses, level: float, first: Certificate | None) -> Certificate | None:
    """Return the certificate that refutes the largest μ that is found; None where there is none.

    A certificate that is best at μ is at most the level there and refutes a larger μ′; the one that
    is best at μ′ refutes a larger one still.

    Args:
        seen: the guesses, of which at least one is right.
        level: the level.
        first: a certificate that is known already.
    """
    low, high = 0.0, 1.0
    while _best_budget(seen, high)[0] <= level and high < 1e4:
        low, high = high, 2 * high
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _best_budget(seen, middle)[0] <= level else (low, middle)
    largest, best = 0.0, first
    if first is not None:
        largest = _root(seen, first, level)
    if not max(low, largest) > 0:
        return None
    mu = max(low, largest)
    for _ in range(_ROUNDS):
        found = certificate_at(seen, mu)
        if found is None:
            break
        mu = _root(seen, found, level)
        if mu <= largest * (1 + 1e-9):
            break
        largest, best = mu, found
    return best if largest > 0 else None


def _deltas(mu: float, epsilons: Floats) -> Floats:
    from scipy.special import log_ndtr, ndtr

    first = ndtr(mu / 2 - epsilons / mu)
    second = np.exp(epsilons + log_ndtr(-mu / 2 - epsilons / mu))
    found: Floats = np.maximum(first - second, 0.0)
    return found


def _value(seen: Guesses, certificate: Certificate, mu: float) -> float:
    epsilons = np.log([float(odds) for odds, _ in certificate.prices])
    prices = np.array([float(price) for _, price in certificate.prices])
    return float(certificate.base) + float(seen.weight) * float(prices @ _deltas(mu, epsilons))


def _root(seen: Guesses, certificate: Certificate, level: float) -> float:
    """Return about the largest μ that the certificate refutes; 0 where it refutes none."""
    if float(certificate.base) >= level:
        return 0.0
    low, high = 0.0, 1.0
    while _value(seen, certificate, high) <= level and high < 1e4:
        low, high = high, 2 * high
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        is_below = _value(seen, certificate, middle) <= level
        low, high = (middle, high) if is_below else (low, middle)
    return low


def _tails(seen: Guesses, epsilons: Floats) -> tuple[Floats, Floats]:
    """Return P[W ≥ v] and the price of one budget, at each ε."""
    from scipy.special import betainc, gammaln

    r, v = seen.guesses, seen.right
    share = 1 / (1 + np.exp(-epsilons))
    tail = betainc(v, r - v + 1, share)
    below = betainc(r - v + 1, v, 1 / (1 + np.exp(epsilons)))
    ways = gammaln(r + 1) - gammaln(v + 1) - gammaln(r - v + 1)
    with np.errstate(all="ignore"):
        at = np.exp(ways + v * epsilons - r * np.logaddexp(0, epsilons))
        price = tail * below / (v * at)
    return tail, np.where(np.isfinite(price), price, np.inf)


def _best_budget(seen: Guesses, mu: float) -> tuple[float, float]:
    """Return the least bound of one budget of μ-GDP, and its ε."""
    tail, price = _tails(seen, _EPSILONS)
    with np.errstate(invalid="ignore"):
        values = tail + float(seen.weight) * price * _deltas(mu, _EPSILONS)
    values = np.where(np.isnan(values), np.inf, values)
    place = int(np.argmin(values))
    return float(values[place]), float(_EPSILONS[place])


def _odds(epsilon: float) -> Fraction:
    """Return odds near e^ε with few bits."""
    return max(Fraction(round(math.exp(epsilon) * _ODDS), _ODDS), Fraction(1))


def _above(number: float, part: float) -> Fraction:
    """Return a short fraction a little above a float."""
    return Fraction(math.ceil(Fraction(number * (1 + part)) * 2**_PRICE_BITS), 2**_PRICE_BITS)


def _of_one(seen: Guesses, epsilon: float) -> Certificate | None:
    odds = _odds(epsilon)
    tail, price = (float(one[0]) for one in _tails(seen, np.array([math.log(odds)])))
    if not math.isfinite(price):
        return None
    for part in (1e-12, 1e-10, 1e-8, 1e-6):
        found = Certificate(_above(tail, part), ((odds, _above(price, part)),))
        if is_feasible(seen.guesses, seen.right, found):
            return found
    return None


def _of_several(seen: Guesses, mu: float, epsilon: float) -> Certificate | None:
    count = _BUDGETS if seen.guesses <= _FEW else _FEWER
    near = np.linspace(max(0.0, epsilon - _BELOW), epsilon + _ABOVE, count)
    odds = sorted({_odds(float(one)) for one in near})
    prices = _solved(seen, mu, np.array([float(one) for one in odds]))
    if prices is None:
        return None
    pairs = tuple(
        (one, _above(float(price), 1e-12))
        for one, price in zip(odds, prices, strict=True)
        if price > 0
    )
    low, high = Fraction(0), Fraction(1)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        is_enough = is_feasible(seen.guesses, seen.right, Certificate(middle, pairs))
        low, high = (low, middle) if is_enough else (middle, high)
    found = Certificate(high, pairs)
    return found if is_feasible(seen.guesses, seen.right, found) else None


def _solved(seen: Guesses, mu: float, odds: Floats) -> Floats | None:
    """Return prices by the linear program; its unknowns are b, the prices and all y."""
    from scipy.optimize import linprog
    from scipy.sparse import bmat, csr_matrix, diags, identity, kron

    r, count = seen.guesses, len(odds)
    errors = np.arange(r + 1.0)
    now = diags(r - errors[:r], shape=(r + 1, r))
    places = np.arange(r)
    before = csr_matrix((errors[1:], (places + 1, places)), shape=(r + 1, r))
    kept = kron(now, np.ones((1, count))) - kron(before, odds.reshape(1, count))
    caps = kron(np.ones((r, 1)), identity(count))
    table = bmat(
        [
            [csr_matrix(-np.ones((r + 1, 1))), None, -kept],
            [None, -caps, identity(r * count)],
        ],
        format="csr",
    )
    limits = np.concatenate([-(errors <= r - seen.right).astype(float), np.zeros(r * count)])
    costs = float(seen.weight) * _deltas(mu, np.log(odds))
    goal = np.concatenate([[1.0], costs, np.zeros(r * count)])
    found = linprog(goal, A_ub=table, b_ub=limits, bounds=(0, None), method="highs")
    if not found.success:
        return None
    prices: Floats = np.maximum(found.x[1 : count + 1], 0.0)
    return prices
