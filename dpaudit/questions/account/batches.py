"""Bounds of DP-SGD whose batches are no Poisson samples, from both sides.

Every example's gradient has at most the length 1 after clipping, and the sum of a batch gets normal
noise of deviation σ; μ = 1/σ.

* *Above, shuffled epochs and allocation*: an example is in one batch an epoch.  Given which one,
  and all other examples, an epoch is a Gaussian mechanism of μ (2μ where the example is replaced),
  and the rest does not see it.  H is jointly convex, so that the average over batches is no more,
  and E epochs are one Gaussian mechanism of √E·μ (Dong, Roth and Su 2022, Section 3).
* *Below*: others' gradients are all −1 along one line, and the example's is 1.  From the sums of an
  epoch's t batches the usual ones are taken away: t normal numbers around 0, and that of one batch
  around b·μ without the example and a·μ with it.  The largest of them is above a threshold c with
  probability 1 − Φ(c)^(t − 1)·Φ(c − aμ), whichever batch it is.  Epochs are independent here, and
  how often the largest is above c is binomial: whatever such counts show, the training shows.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, lgamma
from typing import TYPE_CHECKING, Any, Literal

import msgspec
import numpy as np

from dpaudit.api.plans import mechanism
from dpaudit.errors import ParameterError
from dpaudit.mechanisms.parameters import read_number
from dpaudit.numbers.ball import Ball, certainly_less, integer_power, precision
from dpaudit.numbers.enclosure import enclose
from dpaudit.numbers.normal import normal_cdf
from dpaudit.numbers.real import rational
from dpaudit.questions.account.certified import certified_account
from dpaudit.questions.account.dpsgd import SAMPLINGS
from dpaudit.questions.account.refining import verdict_of
from dpaudit.results import Batches, DeltaRow, Enclosure, EpsilonRow
from dpaudit.results.accounts import NEIGHBOURS

if TYPE_CHECKING:
    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.numbers.real import Real
    from dpaudit.questions.account.dpsgd import TrainingRun
    from dpaudit.results import Budget, CertifiedAccount

__all__ = [
    "NOT_SOUGHT",
    "NO_DIRECTION",
    "SHIFTS",
    "BatchRun",
    "account_of_batches",
    "batches_of",
    "joined",
    "some_above",
]

SHIFTS: dict[tuple[str, str], tuple[tuple[int, int], ...]] = {
    ("shuffle", "zero out"): ((2, 1), (1, 0)),
    ("shuffle", "substitution"): ((2, 0), (1, -1)),
    ("allocation", "add or remove"): ((1, 0),),
    ("allocation", "substitution"): ((1, -1),),
}
"""By batches and neighbours, the places a and b of the example's batch, with and without it.

Batches of a shuffled epoch have a fixed size: the example is in the place of another one, whose
gradient is −1 (a = 2), and so is the one of gradient 0 (b = 1).  Where each example is put into a
batch by itself, its gradient is added.
"""

NOT_SOUGHT = (
    "--solve supports only Poisson sampling with one example added or removed; otherwise compute "
    "ε for one value at a time"
)
"""Refusal of --solve with other batches or neighbours."""

NO_DIRECTION = (
    "--direction applies only to Poisson sampling with one example added or removed; leave it out"
)
"""Refusal of --direction with them."""

_BITS = 192
_DIGITS = 12
_MOST_EPOCHS = 2000  # of more, a lower end is that of so many
_THRESHOLDS = 160
_BISECTIONS = 50
_STEPS_BACK = (1e-9, 1e-6, 1e-3, 1e-1)


@dataclass(frozen=True)
class BatchRun:
    """A training with batches that are no Poisson samples, or a replaced example."""

    sampling: Literal["poisson", "shuffle", "fixed", "allocation"]
    """The draw of batches."""
    relation: Literal["add or remove", "substitution", "zero out"]
    """Neighbours."""
    steps: int
    """Number of batches."""
    rate: Fraction
    """Share of the examples in a batch."""
    whole: int
    """Number of whole epochs."""
    most: int
    """Largest number of batches that hold one example."""

    @property
    def batches(self) -> int:
        """Number of batches of an epoch, the last one perhaps a smaller one."""
        return ceil(1 / self.rate)

    @property
    def moves(self) -> int:
        """Largest move of a batch's sum by one example, in clipping norms."""
        fixed = self.sampling == "fixed"
        return 2 if fixed or (self.relation == "substitution" and self.sampling != "poisson") else 1

    @property
    def described(self) -> Batches:
        """Batches as a report has them; Poisson samples are no batches."""
        assert self.sampling != "poisson"
        return Batches(
            sampling=self.sampling,
            relation=self.relation,
            of=self.batches,
            whole=self.whole,
            most=self.most,
        )

    def subject(self, noise_multiplier: str) -> Mechanism[Any]:
        """Return the Gaussian mechanism of a step: one example moves a sum by 1."""
        sigma = read_number(noise_multiplier, "noise-multiplier") / rational(self.moves)
        return mechanism("Gaussian", sigma=sigma)

    def __str__(self) -> str:
        """Return what is accounted for in words."""
        by = {
            "poisson": "exact: two opposite gradients are the worst pair",
            "fixed": (
                "computed as for Poisson samples in which one example changes a sum by 2 clipping "
                "norms"
            ),
            "shuffle": (
                "the upper bound does not use that batches are random (no amplification); the "
                "lower bound comes from one attack: an adversary counts the epochs in which some "
                "batch has a large sum. Every epoch is shuffled anew"
            ),
            "allocation": (
                "the upper bound does not use that batches are random (no amplification); the "
                "lower bound comes from one attack: an adversary counts the epochs in which some "
                "batch has a large sum"
            ),
        }[self.sampling]
        if self.sampling == "fixed" and self.relation == "substitution":
            by += "; the upper bound is of a pair that may belong to no two datasets"
        return (
            f"DP-SGD: {self.steps} steps, batches: {self.sampling}, each {self.rate} of the "
            f"dataset; neighbours: {NEIGHBOURS[self.relation]}; {by}"
        )


def batches_of(
    sampling: str | None, adjacency: str | None, training: TrainingRun, epochs: str | None
) -> BatchRun | None:
    """Return a training with other batches or neighbours than the usual ones, or None.

    Args:
        sampling: the draw of batches; None for Poisson samples.
        adjacency: ``substitution``, or None.
        training: rate and number of steps.
        epochs: number of passes through the data, where that was given.

    Raises:
        ParameterError: for neighbours that are none of training.
    """
    if adjacency not in (None, "substitution"):
        raise ParameterError(
            "adjacency",
            "dpsgd accepts only --adjacency substitution (one example is replaced); without it, "
            "one example is added or removed",
        )
    way: Any = sampling or "poisson"
    if way not in SAMPLINGS:
        raise ParameterError(
            "sampling", f"sampling = {sampling}: must be one of {', '.join(SAMPLINGS)}"
        )
    if way == "poisson" and adjacency is None:
        return None
    if training.sample_rate == 1:
        raise ParameterError(
            "sampling",
            "each batch is the whole dataset, so there is no sampling; leave --sampling out",
        )
    relation: Any = adjacency or ("zero out" if way == "shuffle" else "add or remove")
    passes = None if epochs is None else read_number(epochs, "epochs").as_fraction()
    if passes is None:  # an epoch has ⌊1/q⌋ batches or ⌈1/q⌉
        whole = training.steps // ceil(1 / training.sample_rate)
        most = ceil(Fraction(training.steps, floor(1 / training.sample_rate)))
    else:
        whole, most = floor(passes), ceil(passes)
    return BatchRun(way, relation, training.steps, training.sample_rate, whole, most)


def account_of_batches(
    run: BatchRun, subject: Mechanism[Any], *, budget: Budget | None = None, **options: Any
) -> CertifiedAccount:
    """Return the account of a training, both ends certified.

    Args:
        run: the training.
        subject: the Gaussian mechanism of its noise multiplier, or of half of it where an example
            moves a sum by 2: replaced, or in batches of a fixed size.
        budget: the budget of the training.
        options: ``at_delta``, ``at_eps`` and ``width``, as of
            :func:`~dpaudit.questions.account.certified.certified_account`.

    Raises:
        ParameterError, DomainError: for what is not allowed.
    """

    def account(runs: int, **more: Any) -> CertifiedAccount:
        return certified_account(subject, 1, runs, budget=budget, **options, **more)

    if run.sampling == "poisson":
        return account(run.steps, sample_rate=run.rate, direction="substitution")
    if run.sampling == "fixed":
        high = low = account(run.steps, sample_rate=run.rate)
        rows: Any = low.rows
        if run.relation == "substitution":
            way = "substitution of a fixed size"
            high = account(run.steps, sample_rate=run.rate, direction=way)
            rows = [joined(a, b) for a, b in zip(low.rows, high.rows, strict=True)]
            high = msgspec.structs.replace(high, direction="both")
    else:
        high = account(run.most)
        rows = [_bounded(run, subject, row) for row in high.rows]
    found = msgspec.structs.replace(
        high, compose=run.steps, rows=tuple(rows), batches=run.described
    )
    if budget is None:
        return found
    return msgspec.structs.replace(found, verdict=verdict_of(budget, found.judged.delta))


def joined(low: EpsilonRow | DeltaRow, high: EpsilonRow | DeltaRow) -> EpsilonRow | DeltaRow:
    """Return a row from the lower end of one and the upper end of another."""
    if isinstance(low, EpsilonRow) and isinstance(high, EpsilonRow):
        upper = max(high.epsilon.upper, low.epsilon.upper)
        ends: dict[str, Any] = {"epsilon": Enclosure(low.epsilon.lower, upper)}
    else:
        assert isinstance(low, DeltaRow)
        assert isinstance(high, DeltaRow)
        upper = max(high.delta.upper, low.delta.upper)
        ends = {"delta": Enclosure(low.delta.lower, upper)}
    return msgspec.structs.replace(low, adaptive_upper=upper, method="bounds", **ends)


def _bounded(run: BatchRun, subject: Any, row: EpsilonRow | DeltaRow) -> EpsilonRow | DeltaRow:
    """Return the row of an upper account with the lower end of a training's thresholds."""
    tests = _Tests(run, subject.sigma)
    if isinstance(row, EpsilonRow):
        top = row.epsilon.upper
        low = tests.epsilon(row.delta, float(top) if top.is_finite() else 1e4)
        ends: dict[str, Any] = {"epsilon": Enclosure(min(low, top), top)}
    else:
        top = row.delta.upper
        ends = {"delta": Enclosure(min(tests.delta(row.epsilon), top), top)}
    return msgspec.structs.replace(row, x=None, y=None, adaptive_upper=top, method="bounds", **ends)


@dataclass(frozen=True)
class _Tests:
    """Thresholds, which floats choose and balls hold to."""

    run: BatchRun
    sigma: Real
    """Deviation of the noise over what an example moves: half the noise multiplier for 2."""

    @property
    def epochs(self) -> int:
        return min(self.run.whole, _MOST_EPOCHS)

    @property
    def unit(self) -> int:
        """Number of the subject's deviations of which the shifts are multiples, upside down."""
        return 2 if self.run.relation == "substitution" else 1

    def delta(self, epsilon: Real) -> Decimal:
        """Return a lower end of δ at ε."""
        if not self.epochs:
            return Decimal(0)
        with precision(_BITS):
            at = epsilon.ball()
            _, shifts, threshold, turned = self._best(float(at))
            return max(
                enclose(self._held(at, shifts, threshold, turned), _DIGITS).lower, Decimal(0)
            )

    def epsilon(self, delta: Real, top: float) -> Decimal:
        """Return a lower end of ε at δ, at most about ``top``."""
        if not self.epochs:
            return Decimal(0)
        with precision(_BITS):
            wanted = delta.ball()
            low, high = 0.0, top
            for _ in range(_BISECTIONS):
                middle = (low + high) / 2
                if self._best(middle)[0] > float(wanted):
                    low = middle
                else:
                    high = middle
            for share in _STEPS_BACK:
                at = Decimal(repr(low * (1 - share)))
                _, shifts, threshold, turned = self._best(float(at))
                held = self._held(Ball(float(at)), shifts, threshold, turned)
                if at > 0 and certainly_less(wanted, held):
                    return enclose(Ball(float(at)), _DIGITS).lower
        return Decimal(0)

    def _best(self, epsilon: float) -> tuple[float, tuple[int, int], float, bool]:
        """Return about the largest δ, with its shifts, its threshold and its direction."""
        mu = 1 / float(self.sigma) / self.unit
        found = []
        for shifts in SHIFTS[self.run.sampling, self.run.relation]:
            reach = max(4.0, max(shifts) * mu) + 8.0
            for threshold in np.linspace(-2.0, reach, _THRESHOLDS):
                p, q = (_above(float(threshold), one * mu, self.run.batches) for one in shifts)
                for turned, (a, b) in ((False, (p, q)), (True, (q, p))):
                    value = _binomial(a, b, self.epochs, epsilon)
                    found.append((value, shifts, float(threshold), turned))
        return max(found)

    def _held(self, epsilon: Ball, shifts: tuple[int, int], threshold: float, turned: bool) -> Ball:
        """Return a ball whose lower end is not above δ at ε."""
        mu = 1 / self.sigma.ball() / self.unit
        p, q = (some_above(Ball(threshold), mu * one, self.run.batches) for one in shifts)
        if turned:
            p, q = q, p
        count = self.epochs
        total, ways = Ball(0), 1
        for above in range(count + 1):
            a = integer_power(p, above) * integer_power(1 - p, count - above) * ways
            b = integer_power(q, above) * integer_power(1 - q, count - above) * ways
            ways = ways * (count - above) // (above + 1)
            if certainly_less(Ball(0), a - epsilon.exp() * b):
                total += a - epsilon.exp() * b
        return total


def some_above(threshold: Ball, shift: Ball, batches: int) -> Ball:
    """Return the probability that one of ``batches`` normal numbers is above a threshold.

    All but one are around 0, and one around ``shift``.
    """
    others = integer_power(normal_cdf(threshold), batches - 1)
    return 1 - others * normal_cdf(threshold - shift)


@lru_cache(maxsize=10_000)
def _above(threshold: float, shift: float, batches: int) -> tuple[float, float]:
    """Return ln of the probability of :func:`some_above`, and of its complement, in floats."""
    with precision(64):
        inside = float(
            (batches - 1) * normal_cdf(Ball(threshold)).log()
            + normal_cdf(Ball(threshold - shift)).log()
        )
    return float(np.log(max(-np.expm1(inside), 1e-300))), inside


def _binomial(p: tuple[float, float], q: tuple[float, float], count: int, epsilon: float) -> float:
    """Return about δ of so many independent events of either probability."""
    k = np.arange(count + 1)
    ways = _ways(count)
    a, b = (ways + k * one[0] + (count - k) * one[1] for one in (p, q))
    gap = np.minimum(epsilon + b - a, 0)
    return float((np.exp(np.minimum(a, 0)) * -np.expm1(gap)).sum())


@lru_cache(maxsize=4)
def _ways(count: int) -> Any:
    """Return ln of the binomial coefficients, in floats."""
    top = lgamma(count + 1)
    return np.array([top - lgamma(k + 1) - lgamma(count - k + 1) for k in range(count + 1)])
