"""Phases of a training: so many steps of DP-SGD with one noise multiplier and one rate."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

from dpaudit.errors import DomainError, ParameterError
from dpaudit.mechanisms.parameters import read_number
from dpaudit.numbers.ball import Sign
from dpaudit.numbers.real import order, real

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["MOST_PHASES", "Log", "Phase", "merged", "phase_of", "whole"]

MOST_PHASES = 1000
"""More phases than this are refused."""

_LEAST_NOISE = real("1/10")
_USUAL = real("3/10")  # the least noise multiplier that noise on a mean is taken for


@dataclass(frozen=True)
class Phase:
    """So many steps of the Gaussian mechanism, each on a Poisson sample."""

    noise_multiplier: str
    """The standard deviation of the noise over the clipping norm."""
    rate: Fraction
    """The probability with which an example is in a batch; 1 where every batch is all data."""
    steps: int
    """Number of batches."""


@dataclass(frozen=True)
class Log:
    """A training as it was read."""

    source: Literal["opacus", "dp-accounting", "settings"]
    """Form of what was read."""
    phases: tuple[Phase, ...]
    """Its phases, those of the same noise and rate together."""
    sampling: str | None = None
    """The way in which batches were drawn, where that is said."""
    epsilon: str | None = None
    """The ε that the training's own accountant gave."""
    delta: str | None = None
    """The δ that it belongs to."""
    remarks: tuple[str, ...] = ()
    """Readings that were chosen, and what was not read."""
    sha256: str = field(default="", compare=False)
    """SHA-256 of the file."""

    @property
    def steps(self) -> int:
        """Number of steps of all phases."""
        return sum(phase.steps for phase in self.phases)


def whole(value: Any, name: str) -> int:
    """Return a whole number of at least 0; ``ParameterError`` for anything else.

    >>> whole(3, "steps")
    3
    """
    if isinstance(value, bool) or not hasattr(value, "__index__") or value.__index__() < 0:
        raise ParameterError(name, f"{name} = {value}: must be a whole number of at least 0")
    return int(value.__index__())


def phase_of(
    noise_multiplier: object, rate: object, steps: object, *, batch_size: int | None = None
) -> Phase:
    """Return a phase; ``UsageError`` for what cannot be.

    Args:
        noise_multiplier: a number, as text or as Python's.
        rate: likewise.
        steps: how many.
        batch_size: the size of batches, where it is known.

    >>> phase_of(1.1, 0.01, 100)
    Phase(noise_multiplier='1.1', rate=Fraction(1, 100), steps=100)
    """
    text = _text(noise_multiplier, "noise_multiplier")
    sigma = read_number(text, "noise_multiplier")
    if order(sigma, _LEAST_NOISE) is Sign.NEGATIVE:
        allowed = (
            "must be at least 0.1; below that, ε is in the thousands and dpaudit does not "
            "compute it"
        )
        times = None if batch_size is None else sigma * real(batch_size)
        if times is not None and order(times, _USUAL) is not Sign.NEGATIVE:
            allowed += (
                f"; it is {float(times):.4g} divided by the batch size of {batch_size}: if it is "
                f"the noise on a mean, write noise_multiplier = {float(times):.4g}"
            )
        raise DomainError("noise_multiplier", text, allowed)
    share = read_number(_text(rate, "sample_rate"), "sample_rate").as_fraction()
    if share is None or not 0 < share <= 1:
        raise DomainError("sample_rate", rate, "must be above 0 and at most 1")
    return Phase(text, share, whole(steps, "steps"))


def _text(value: object, name: str) -> str:
    """Return a number as text: a float by its shortest form, which is what was written."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str, Fraction)):
        if not hasattr(value, "__float__"):
            raise ParameterError(name, f"{name} = {value!r}: must be a number")
        value = float(value)
    return repr(value) if isinstance(value, float) else str(value)


def merged(phases: Iterable[Phase]) -> tuple[Phase, ...]:
    """Return phases of the same noise and rate as one; composition knows no order.

    Raises:
        ParameterError: where there are no steps, or too many different phases.

    >>> one = phase_of(1, 0.01, 2)
    >>> [phase.steps for phase in merged([one, phase_of(2, 0.01, 1), one])]
    [4, 1]
    """
    steps: dict[tuple[str, Fraction], int] = {}
    for phase in phases:
        key = phase.noise_multiplier, phase.rate
        steps[key] = steps.get(key, 0) + phase.steps
    found = tuple(Phase(*key, count) for key, count in steps.items() if count)
    if not found:
        raise ParameterError(
            "steps", "the training has no steps, so ε is 0 and there is nothing to compute"
        )
    if len(found) > MOST_PHASES:
        raise ParameterError(
            "steps", f"{len(found)} phases with different noise or rate; the limit is {MOST_PHASES}"
        )
    return found
