"""The recheck of matrix mechanisms: the sensitivity from the file, and every row from that.

The lower end of the sensitivity is that of the report's pattern, in fractions.  The upper end is
computed again where columns of a pattern have no row in common, by a dynamic programme, for falling
Toeplitz strategies, and where there are few patterns, one by one.  Rows are those of the Gaussian
mechanisms at both ends, to the digits that a report shows.
"""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from mpmath import mp, mpf

from dpaudit.recheck.agreement import end
from dpaudit.recheck.findings import NotAReportError, UnknownDefinitionError
from dpaudit.recheck.numbers import fraction, order, shown_digits, value, whole_tuple
from dpaudit.recheck.options import MESSAGES
from dpaudit.recheck.strategies import Matrix, strategy_of
from dpaudit.results import EpsilonRow

if TYPE_CHECKING:
    from dpaudit.recheck.subject import Recheck
    from dpaudit.results import CertifiedAccount, DeltaRow, MatrixRelease

__all__ = ["check_matrix"]

TAKEN = (
    "that the noise multiplier, the participation (the most steps, their separation and schema) "
    "and the δ and ε of the rows are the ones you mean, and the digits of ends beyond the 17th"
)
SEARCHED = "which of a search and sums of rows gave the upper end of the sensitivity"
LOOSE = "that sums of rows bound the sensitivity no closer"
_RELATION = "histogram-substitution"
_PAIR = [(0, 1), (1, 0)]
_BEYOND = 60
_CONTEXT = Context(prec=17)
_ROUNDED = Fraction(1, 10**9)
"""Sums of products of floats may exceed the largest sum by this, in proportion."""
_MOST_LOST = 2_000
_TINY = 12_000
"""A positive δ below 10 to minus this is shown as one between 0 and that."""


def check_matrix(recheck: Recheck, account: CertifiedAccount, where: str) -> None:
    """Recheck what an account says of a matrix mechanism."""
    release = account.matrix
    assert release is not None
    recheck.findings.take(TAKEN)
    _check_account(recheck, account, where)
    if not (
        1 <= release.max_participations <= release.steps and 1 <= release.min_sep <= release.steps
    ):
        raise NotAReportError(
            f"{release.max_participations} steps, {release.min_sep} apart, are not in "
            f"{release.steps} steps"
        )
    if order(release.noise_multiplier, "0") <= 0:
        raise NotAReportError(f"noise_multiplier = {release.noise_multiplier}: must be positive")
    fits = _is_pattern(release.pattern, release) and len(release.signs) == len(release.pattern)
    message = f"{release.pattern} are not steps of one user"
    recheck.expect(fits, "participation", where, message)
    low, high = end(release.sensitivity.lower), end(release.sensitivity.upper)
    if low is None or high is None or not 0 < low <= high:
        raise NotAReportError(f"{release.sensitivity} is no sensitivity")
    top = release.sensitivity.exact or str(release.sensitivity.upper)
    sigma = str(account.described.get("sigma"))
    message = f"sigma = {sigma} is not {release.noise_multiplier} over the sensitivity {top}"
    agrees = account.described.get("name") == "Gaussian"
    agrees = agrees and order(f"({sigma})*({top})", str(release.noise_multiplier)) == 0
    recheck.expect(agrees, "noise of matrix mechanisms", where, message)
    for row in account.rows:
        _check_row(recheck, release, row, where)
    if fits:
        recheck.attempt(where, _check_sensitivity, recheck, release, (low, high), where)


def _check_account(recheck: Recheck, account: CertifiedAccount, where: str) -> None:
    """Check that an account is of one Gaussian mechanism on one pair, and hides no failure."""
    fits = account.compose == 1 and not account.then and account.sample_rate is None
    fits = fits and account.batches is None and account.training is None
    fits = fits and account.direction is None and account.solved is None
    fits = fits and account.loaded is None
    recheck.expect(fits, "matrix mechanisms", where, "it is not one Gaussian mechanism")
    fits = account.adjacency == _RELATION and not account.adjacency_defaulted
    fits = fits and account.n == account.pairs == 1 and account.at is None
    message = f"the Gaussian mechanism of a strategy is that of the one pair of {_RELATION}, n = 1"
    recheck.expect(fits, "pairs of matrix mechanisms", where, message)
    ended = account.unmet or account.interrupted
    message = "intervals are said to be wide, or the account to have ended early, without a reason"
    recheck.expect(bool(account.refused) == ended, "reasons", where, message)
    if account.refused:
        recheck.findings.take(MESSAGES)


def _is_pattern(pattern: tuple[int, ...], release: MatrixRelease) -> bool:
    gaps = [later - step for step, later in pairwise(pattern)]
    exactly = release.participation == "fixed-epoch"
    apart = all(gap == release.min_sep if exactly else gap >= release.min_sep for gap in gaps)
    count = 1 <= len(pattern) <= release.max_participations
    return count and apart and min(gaps, default=1) >= 1 and pattern[-1] < release.steps


def _check_row(
    recheck: Recheck, release: MatrixRelease, row: EpsilonRow | DeltaRow, where: str
) -> None:
    """Check that a row holds the Gaussian mechanisms of both ends of the sensitivity, and no more.

    Each end is the value itself, to the digits that a report shows.
    """
    exact = release.sensitivity.exact
    try:
        pair = sorted(whole_tuple(dataset, "counts") for dataset in (row.x, row.y))
    except ValueError:
        pair = []
    message = f"{row.x} and {row.y} are not the one pair of the Gaussian mechanism"
    recheck.expect(pair == _PAIR, "neighbours", where, message)
    method = "bounds" if exact is None else "closed form"
    message = f"its method is {method}, not {row.method}"
    recheck.expect(row.method == method, "methods of rows", where, message)
    interval = row.epsilon if isinstance(row, EpsilonRow) else row.delta
    message = f"a bound of {row.adaptive_upper} for one run, which is the upper end of {interval}"
    fits = row.adaptive_upper == interval.upper and interval.exact is None
    recheck.expect(fits, "bounds for adaptive runs", where, message)
    with mp.workdps(recheck.dps + _BEYOND):
        sigma = value(release.noise_multiplier)
        ends = [release.sensitivity.lower, release.sensitivity.upper]
        low, high = [fraction(Fraction(bound)) / sigma for bound in ends]
        if exact is not None:
            low = high = value(exact) / sigma
        bottom, top = end(interval.lower), end(interval.upper)
        if isinstance(row, EpsilonRow):
            limit = value(row.delta)
            agrees = _is_epsilon(bottom, low, limit, -1) and _is_epsilon(top, high, limit, 1)
            message = f"ε at δ = {row.delta} is not between the ends of {interval}"
            recheck.expect(agrees, "ε at δ", where, message)
            return
        epsilon = value(row.epsilon)
        least, most = _delta(epsilon, low), _delta(epsilon, high)
        agrees = bottom is not None and top is not None
        agrees = agrees and _is_delta(bottom, least, -1) and _is_delta(top, most, 1)
        message = (
            f"δ({row.epsilon}) is from {shown_digits(least, 20)} to {shown_digits(most, 20)}, "
            f"which is not {interval}"
        )
        recheck.expect(agrees, "δ", where, message)


def _is_epsilon(bound: Fraction | None, mu: mpf, limit: mpf, side: int) -> bool:
    """Tell whether an end is the ε at which δ is ``limit``, on its side, to 17 digits."""
    if limit <= 0:
        return bound is None
    if bound is None:
        return False
    at, near = fraction(bound), mpf(10) ** -_CONTEXT.prec
    beyond = _delta(at, mu) - limit
    if bound == 0:
        return bool(beyond <= 0)
    inside = _delta(at * (1 - side * near), mu) - limit
    return bool(side * beyond <= 0 <= side * inside)


def _is_delta(bound: Fraction | None, delta: mpf, side: int) -> bool:
    """Tell whether an end is a δ, on its side, to 17 digits."""
    assert bound is not None
    at = fraction(bound)
    near = max(delta * mpf(10) ** -_CONTEXT.prec, mpf(10) ** -_TINY)
    return bool(0 <= side * (at - delta) <= near)


def _delta(epsilon: mpf, mu: mpf) -> mpf:
    """Return δ(ε) of the Gaussian mechanism of μ (Balle and Wang 2018, Theorem 8)."""
    # The tails fall as the exponential of a square, and differ by about μ in proportion.
    lost = 2 * mp.log10(1 + epsilon / mu) + abs(mp.log10(mu))
    if lost > _MOST_LOST:
        raise UnknownDefinitionError("δ of so small a μ loses too many digits")
    with mp.workdps(mp.dps + int(lost)):
        root = mp.sqrt(2)
        near, far = (epsilon / mu - mu / 2) / root, (epsilon / mu + mu / 2) / root
        return (mp.erfc(near) - mp.exp(epsilon) * mp.erfc(far)) / 2


def _check_sensitivity(
    recheck: Recheck, release: MatrixRelease, ends: tuple[Fraction, Fraction], where: str
) -> None:
    matrix = Matrix(strategy_of(release, recheck.options.folder))
    if len(matrix.rows) != release.steps:
        raise NotAReportError(f"the strategy has {len(matrix.rows)} steps, not {release.steps}")
    message = "the report is wrong about whether the strategy is lower triangular"
    recheck.expect(release.triangular == matrix.triangular, "triangular strategies", where, message)
    reached = matrix.reached(release.pattern, release.signs)
    exact = release.sensitivity.exact
    message = (
        f"the pattern has sensitivity √{float(reached):.15g}, and the report gives "
        "another lower end"
    )
    agrees = _is_root(release.sensitivity.lower, reached, ROUND_FLOOR)
    if exact is not None:
        agrees = agrees and order(f"({exact})*({exact})", str(reached)) == 0
    recheck.expect(agrees, "lower ends of sensitivities", where, message)
    bound = matrix.bound(release)
    names = ("search", "rows") if bound == "rows" else (bound,)
    message = f"the method of the upper end is {' or '.join(names)}, not {release.bound}"
    recheck.expect(release.bound in names, "methods of sensitivities", where, message)
    if bound == "rows":
        recheck.findings.take(SEARCHED)
    largest = matrix.largest(release)
    agrees = largest <= ends[1] ** 2
    if release.sensitivity.lower == release.sensitivity.upper or exact is not None:
        agrees = agrees and reached == largest
    if bound in ("toeplitz", "orthogonal") or exact is not None:
        agrees = agrees and _is_root(release.sensitivity.upper, largest, ROUND_CEILING)
    elif release.bound == "rows":
        recheck.findings.take(LOOSE)
    else:
        agrees = agrees and ends[1] ** 2 <= largest * (1 + _ROUNDED)
    message = f"the sensitivity is at most the square root of {float(largest):.15g}"
    recheck.expect(agrees, "upper ends of sensitivities", where, message)


def _is_root(bound: Decimal, square: Fraction, rounding: str) -> bool:
    """Tell whether a number is the root of a fraction, rounded to 17 digits."""
    if len(bound.normalize().as_tuple().digits) > _CONTEXT.prec:
        return False
    if rounding == ROUND_FLOOR:
        return Fraction(bound) ** 2 <= square < Fraction(_CONTEXT.next_plus(bound)) ** 2
    return Fraction(_CONTEXT.next_minus(bound)) ** 2 < square <= Fraction(bound) ** 2
