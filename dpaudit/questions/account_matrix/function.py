"""The Python interface of accounts of matrix mechanisms: ``dpaudit.account_matrix``."""

from __future__ import annotations

import os
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import erfc, exp, isqrt, sqrt
from operator import index
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from dpaudit.api.plans import mechanism, one_or_several
from dpaudit.errors import DomainError, ParameterError
from dpaudit.mechanisms.parameters import read_budget, read_number
from dpaudit.numbers.ball import Sign
from dpaudit.numbers.real import order, rational, real
from dpaudit.questions.account.batches import joined
from dpaudit.questions.account.certified import certified_account, read_points
from dpaudit.questions.account.dpsgd import DPSGD_WIDTH
from dpaudit.questions.account.interface import Accounted
from dpaudit.questions.account.refining import verdict_of
from dpaudit.questions.account_matrix.sensitivity import (
    Participation,
    Sensitivity,
    sensitivity_of,
)
from dpaudit.questions.account_matrix.strategy import Strategy, read_strategy
from dpaudit.report.render import document_of
from dpaudit.results import Enclosure, MatrixRelease, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dpaudit.numbers.real import Number, Real
    from dpaudit.results import Budget, CertifiedAccount

__all__ = [
    "account_matrix",
    "account_of",
    "accounted",
    "ends_of",
    "read_noise",
    "release_of",
]

_LEAST_NOISE = real("1/100")
_DIGITS = 17
_SMALL = 10**12
_NOISE_DIGITS = 4
_MOST_EPSILON = 500
_HALVINGS = 60


def account_matrix(
    strategy: str | os.PathLike[str] | object,
    *,
    max_participations: int,
    min_sep: int,
    noise_multiplier: Number | None = None,
    participation: Literal["min-sep", "fixed-epoch"] = "min-sep",
    delta: Number | Iterable[Number] = (),
    epsilon: Number | Iterable[Number] = (),
    budget: Number | Sequence[Number] | None = None,
    solve: Literal["noise-multiplier"] | None = None,
    width: Number = DPSGD_WIDTH,
) -> Accounted:
    """Certify ε and δ of a matrix mechanism (DP-FTRL, MF-DP-FTRL, BandMF).

    A training of T steps releases C·x + z, or anything computed from it, such as B·(C·x + z): row t
    of x is the sum of the clipped gradients of step t, and every number of z is normal with
    deviation σ. It is as private as one Gaussian mechanism of μ = sensitivity/σ (Choquette-Choo et
    al. 2023, arXiv 2211.06530), even where gradients depend on earlier outputs, if C is lower
    triangular (Denisov et al. 2022, arXiv 2202.08312). Neighbours: all contributions of one user
    are replaced by 0. Sampling of batches amplifies nothing here.

    Args:
        strategy: the strategy (encoder) matrix C, T × T: a ``.npy``, ``.npz`` or ``.csv`` file, or
            an array.
        max_participations: k, the largest number of steps in which one user takes part.
        min_sep: b, two of these steps are at least b apart (1 allows steps in a row).
        noise_multiplier: σ, the standard deviation of the noise divided by the clipping norm.
        participation: ``"min-sep"``, or ``"fixed-epoch"`` if steps of a user are exactly b apart.
        delta: the δ at which ε is certified.
        epsilon: the ε, in nats, at which δ is certified.
        budget: the budget (ε, δ) of the training; adds a verdict.
        solve: ``"noise-multiplier"`` finds the smallest one of four digits that certainly keeps the
            budget; leave ``noise_multiplier`` out.
        width: largest accepted width of an interval of ε or δ for a known sensitivity; ``"1%"`` is
            relative.  If only bounds of the sensitivity are known, intervals are wider.

    Returns:
        The account; ``.report.matrix`` has the sensitivity, with a pattern that reaches it.

    Raises:
        UsageError: if a value is missing or impossible, or the matrix is no strategy.

    >>> found = account_matrix([[1, 0], [1, 1]], noise_multiplier=2, max_participations=2,
    ...                        min_sep=1, delta="1e-5")
    >>> print(found.report.matrix.sensitivity.exact, found.report.matrix.pattern)
    sqrt(5) (0, 1)
    """
    deltas, epsilons = read_points(
        one_or_several(delta), one_or_several(epsilon), ("delta", "epsilon")
    )
    report, _ = accounted(
        strategy,
        Participation(
            _whole(max_participations, "max-participations"),
            _whole(min_sep, "min-sep"),
            participation,
        ),
        noise_multiplier=noise_multiplier,
        at_delta=deltas,
        at_eps=epsilons,
        budget=None if budget is None else read_budget(budget),
        solve=solve,
        width=width,
    )
    document: Any = document_of([report])
    return Accounted(document)


def accounted(
    strategy: str | os.PathLike[str] | object,
    participation: Participation,
    *,
    noise_multiplier: Number | None,
    at_delta: Sequence[Number] = (),
    at_eps: Sequence[Number] = (),
    budget: Budget | None = None,
    solve: str | None = None,
    width: Number = DPSGD_WIDTH,
) -> tuple[CertifiedAccount, Any]:
    """Return the account of a matrix mechanism, and its Gaussian mechanism at the upper end.

    The arguments are those of :func:`account_matrix`.
    """
    if solve not in (None, "noise-multiplier"):
        raise ParameterError("solve", f"solve = {solve}: must be noise-multiplier")
    if (noise_multiplier is None) == (solve is None):
        raise ParameterError(
            "noise-multiplier",
            "give --noise-multiplier, such as 1, or --solve noise-multiplier with --budget, not "
            "both",
        )
    if solve is not None and budget is None:
        raise ParameterError("budget", "--solve noise-multiplier needs --budget EPS,DELTA")
    if not at_delta and not at_eps and budget is None:
        raise ParameterError("delta", "ε depends on δ; give one, such as --delta 1e-5")
    sigma = None if noise_multiplier is None else read_noise(noise_multiplier)
    matrix = read_strategy(strategy)
    found = sensitivity_of(matrix, participation)
    path = os.fspath(strategy) if isinstance(strategy, (str, os.PathLike)) else ""
    options = {"at_delta": at_delta, "at_eps": at_eps, "budget": budget, "width": width}
    if sigma is None:
        assert budget is not None
        sigma = real(_smallest_noise(_root(found), budget))
    return account_of(release_of(matrix, participation, found, sigma, str(path)), options)


def _whole(number: object, name: str) -> int:
    """Return a whole number of any type, as one of NumPy."""
    if isinstance(number, bool) or not hasattr(number, "__index__"):
        raise DomainError(name, number, "must be a whole number")
    return index(number)


def read_noise(noise_multiplier: Number) -> Real:
    """Return σ; ``UsageError`` for what is no number of at least 0.01."""
    sigma = read_number(noise_multiplier, "noise-multiplier")
    if order(sigma, _LEAST_NOISE) is Sign.NEGATIVE:
        raise DomainError("noise-multiplier", noise_multiplier, "must be at least 0.01")
    return sigma


def release_of(
    matrix: Strategy, participation: Participation, found: Sensitivity, sigma: Real, path: str
) -> MatrixRelease:
    """Return the matrix mechanism of a strategy whose sensitivity is known."""
    bound: Any = found.method
    signs: Any = found.signs
    return MatrixRelease(
        steps=matrix.steps,
        noise_multiplier=sigma,
        max_participations=participation.most,
        min_sep=participation.separation,
        participation=participation.schema,
        sensitivity=_root(found),
        pattern=found.pattern,
        signs=signs,
        bound=bound,
        triangular=matrix.triangular,
        path=path,
        sha256=matrix.sha256,
    )


def _root(found: Sensitivity) -> Enclosure:
    """Return the square root of sens², rounded outward to 17 digits, and exactly where short."""
    exact = None
    if found.lower == found.upper and max(found.lower.as_integer_ratio()) < _SMALL:
        exact = rational(found.lower).sqrt()
    ends = list[Decimal]()
    for square, rounding in ((found.lower, ROUND_FLOOR), (found.upper, ROUND_CEILING)):
        p, q = square.as_integer_ratio()
        scale = 10 ** (2 * _DIGITS + max(0, len(str(q)) - len(str(p))))
        root = isqrt(p * scale * scale // q)  # of the square times scale², rounded down
        if rounding == ROUND_CEILING and Fraction(root, scale) ** 2 < square:
            root += 1
        context = Context(prec=_DIGITS, rounding=rounding)
        ends.append(context.divide(Decimal(root), Decimal(scale)))
    return Enclosure(ends[0], ends[1], exact)


def ends_of(release: MatrixRelease) -> list[Any]:
    """Return the Gaussian mechanisms at both ends of the sensitivity, or the one that is known."""
    sigma, sensitivity = release.noise_multiplier, release.sensitivity
    if sensitivity.exact is not None:
        return [mechanism("Gaussian", sigma=sigma / sensitivity.exact)]
    ends = (sensitivity.lower, sensitivity.upper)
    return [mechanism("Gaussian", sigma=sigma / real(end)) for end in ends]


def account_of(release: MatrixRelease, options: dict[str, Any]) -> tuple[CertifiedAccount, Any]:
    """Return the account at both ends of the sensitivity, and the mechanism at the upper end."""
    *low, subject = ends_of(release)
    if not low:
        account = certified_account(subject, 1, 1, **options)
        return msgspec.structs.replace(account, matrix=release), subject
    lower, account = (certified_account(end, 1, 1, **options) for end in (low[0], subject))
    rows = [joined(a, b) for a, b in zip(lower.rows, account.rows, strict=True)]
    account = msgspec.structs.replace(account, rows=tuple(rows), matrix=release)
    budget = options["budget"]
    if budget is not None:
        account = msgspec.structs.replace(account, verdict=verdict_of(budget, account.judged.delta))
    return account, subject


def _smallest_noise(sensitivity: Enclosure, budget: Budget) -> Decimal:
    """Return the smallest noise multiplier of four digits that certainly keeps a budget.

    δ falls with the noise, so that the one beside a number that keeps the budget tells.
    """
    epsilon, delta = float(budget.epsilon.ball()), float(budget.delta.ball())
    if not 0 < delta < 1 or epsilon > _MOST_EPSILON:
        raise ParameterError("budget", f"--solve needs 0 < δ < 1 and ε of at most {_MOST_EPSILON}")
    top = sensitivity.exact or real(sensitivity.upper)
    context = Context(prec=_NOISE_DIGITS)

    def keeps(noise: Decimal) -> bool:
        subject = mechanism("Gaussian", sigma=real(noise) / top)
        found = certified_account(subject, 1, 1, budget=budget, adaptive=False, decide=True)
        return found.verdict is Verdict.WITHIN

    start = Decimal.from_float(float(sensitivity.upper) / _mean_difference(epsilon, delta))
    low, high = (context.multiply(start, Decimal(x)) for x in ("0.998", "1.002"))
    while not keeps(high):
        high = context.multiply(high, Decimal(2))
    while keeps(low):
        low = context.divide(low, Decimal(2))
    while context.next_plus(low) < high:
        middle = max(context.next_plus(low), context.divide(context.add(low, high), Decimal(2)))
        middle = min(middle, context.next_minus(high))
        low, high = (low, middle) if keeps(middle) else (middle, high)
    return high


def _mean_difference(epsilon: float, delta: float) -> float:
    """Return about the μ whose Gaussian mechanism keeps (ε, δ), in floats that prove nothing."""
    low, high = 1e-9, 1e3
    for _ in range(_HALVINGS):
        mu = sqrt(low * high)
        shift, half = epsilon / mu / sqrt(2), mu / 2 / sqrt(2)
        if (erfc(shift - half) - exp(epsilon) * erfc(shift + half)) / 2 > delta:
            high = mu
        else:
            low = mu
    return low
