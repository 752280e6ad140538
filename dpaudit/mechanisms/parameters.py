"""Parameters of mechanisms, and budgets: what they mean, may be, and how they are read exactly."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf
from typing import TypeGuard, cast

from dpaudit.errors import DomainError, NumberSyntaxError, ParameterError, nearest
from dpaudit.notices import notice
from dpaudit.numbers.ball import Sign
from dpaudit.numbers.real import ONE, ZERO, Number, Real, real
from dpaudit.results import Budget

__all__ = [
    "MARK",
    "OVER_INTERVALS",
    "ChoiceParameter",
    "Parameter",
    "PositiveParameter",
    "PriorParameter",
    "ProbabilityParameter",
    "WholeParameter",
    "budget_parts",
    "intervals_among",
    "is_interval",
    "is_number",
    "parameter_text",
    "read_budget",
    "read_budget_delta",
    "read_number",
    "usable_float",
]

_LEAST_FLOAT, _MOST_FLOAT = 1e-300, 1e300


@dataclass(frozen=True, slots=True)
class Parameter(ABC):
    """One parameter: its name (also of the option), its meaning, its default and why that."""

    name: str
    """The keyword, and with dashes the command-line option."""
    meaning: str
    """Meaning of the parameter, with its place in the notes."""
    default: str
    """The default, as text."""
    reason: str
    """Reason for the default."""

    @abstractmethod
    def read(self, value: object) -> object:
        """Return the exact value, or raise a ``UsageError`` that says what is allowed."""

    @property
    @abstractmethod
    def allowed(self) -> str:
        """Allowed values, in words."""

    @property
    def described(self) -> tuple[tuple[str, str], ...]:
        """Values that the sources give, each with its meaning."""
        return ()


@dataclass(frozen=True, slots=True)
class PositiveParameter(Parameter):
    """A real number above zero."""

    printed: tuple[tuple[str, str], ...] = ()
    """Values that the sources print, each with its place."""

    @property
    def described(self) -> tuple[tuple[str, str], ...]:
        return self.printed

    def read(self, value: object) -> Real:
        number = read_number(value, self.name)
        found = number.sign()
        if found is not Sign.POSITIVE:
            doubt = " (it may be 0)" if found is Sign.UNDECIDED else ""
            raise DomainError(self.name, number, f"must be {self.allowed}{doubt}")
        return number

    @property
    def allowed(self) -> str:
        return "a number greater than 0"


@dataclass(frozen=True, slots=True)
class ProbabilityParameter(Parameter):
    """A real number above zero and below one."""

    def read(self, value: object) -> Real:
        number = read_budget_delta(value, self.name)
        if number.sign() is not Sign.POSITIVE:
            raise DomainError(self.name, number, f"must be {self.allowed}")
        return number

    @property
    def allowed(self) -> str:
        return "a number greater than 0 and less than 1"


@dataclass(frozen=True, slots=True)
class ChoiceParameter(Parameter):
    """One of a few named readings, each with what it means."""

    choices: tuple[tuple[str, str], ...] = field(default=())
    old_names: tuple[tuple[str, str], ...] = ()
    """Names that some had before, and theirs now."""

    def read(self, value: object) -> str:
        text = str(value)
        if now := dict(self.old_names).get(text):
            notice(f"{self.name} = {text} is read as {now}")
            text = now
        names = [name for name, _ in self.choices]
        if text not in names:
            raise ParameterError(
                self.name,
                f"{self.name} = {text!r}: {nearest(text, names)}; allowed: {self.allowed}",
            )
        return text

    @property
    def allowed(self) -> str:
        return ", ".join(name for name, _ in self.choices)

    @property
    def described(self) -> tuple[tuple[str, str], ...]:
        return self.choices


@dataclass(frozen=True, slots=True)
class WholeParameter(Parameter):
    """A whole number between two bounds."""

    least: int = 1
    """The smallest."""
    most: int = 10**6
    """The largest."""

    def read(self, value: object) -> int:
        number = read_number(value, self.name).as_fraction()
        if number is None or number.denominator != 1 or not self.least <= number <= self.most:
            raise DomainError(self.name, value, f"must be {self.allowed}")
        return int(number)

    @property
    def allowed(self) -> str:
        return f"a whole number from {self.least} to {self.most}"


@dataclass(frozen=True, slots=True)
class PriorParameter(Parameter):
    """The parameters α of a Dirichlet prior: at least two rationals above zero."""

    def read(self, value: object) -> tuple[Fraction, ...]:
        parts = value.split(",") if isinstance(value, str) else value
        if not isinstance(parts, (list, tuple)):
            raise ParameterError(self.name, f"{self.name} = {value!r}: must be {self.allowed}")
        numbers = tuple(_rational(part, self.name) for part in cast("Sequence[object]", parts))
        if len(numbers) < 2:
            raise ParameterError(self.name, f"{self.name} = {value!r}: must be {self.allowed}")
        for number in numbers:
            if number <= 0:
                raise DomainError(self.name, number, f"must be {self.allowed}")
        return numbers

    @property
    def allowed(self) -> str:
        return "two or more rationals greater than 0, one for each category (1,1 or 1/2,1,3)"


MARK = ".."
"""Text between the two ends of an interval."""


def is_interval(text: object) -> TypeGuard[str]:
    """Tell whether an option asks for every number between two."""
    return isinstance(text, str) and MARK in text


OVER_INTERVALS = ("epsilon", "gamma", "delta", "prior", "scale", "sigma")
"""The parameters that may be every number between two; texts of others may hold the same mark."""


def intervals_among(parameters: Mapping[str, object]) -> list[str]:
    """Return which parameters are given as intervals."""
    return [name for name in OVER_INTERVALS if is_interval(parameters.get(name))]


def read_number(value: object, name: str) -> Real:
    """Return an exact number given for ``name``; ``NumberSyntaxError`` names it."""
    try:
        return real(cast("Number", value))
    except NumberSyntaxError as error:
        reason = error.reason
        if is_interval(value):
            reason = (
                "this is an interval, and one number is needed here; only check, curve, "
                "calibrate (check_interval and curve_interval in Python) and entries of a gate "
                "accept an interval FIRST..LAST, for one of ε, γ, δ, a symmetric prior, a scale "
                "and σ"
            )
        raise NumberSyntaxError(error.text, reason, name) from None


def is_number(text: str) -> bool:
    """Return True if a text is an exact number, such as ``0.3`` or ``ln(3)``."""
    try:
        real(text)
    except NumberSyntaxError:
        return False
    return True


def _rational(value: object, name: str) -> Fraction:
    number = read_number(value, name).as_fraction()
    if number is None:
        raise DomainError(name, value, "must be rational")
    return number


def read_budget_delta(value: object, name: str = "delta") -> Real:
    """Return a δ in [0, 1), or raise ``DomainError``."""
    number = read_number(value, name)
    if number.sign() in (Sign.NEGATIVE, Sign.UNDECIDED) or (
        (number - ONE).sign() is not Sign.NEGATIVE
    ):
        raise DomainError(name, number, "must be at least 0 and less than 1")
    return number


def usable_float(number: Real, name: str) -> float:
    """Return ``number`` ≥ 0 as a float, for work that is done in floats.

    Raises ``DomainError`` where it is too large, or too near 0, for floats to be of use.

    >>> usable_float(real("4/5"), "budget epsilon")
    0.8
    """
    if number == ZERO:
        return 0.0
    try:
        value = float(number)
    except OverflowError:
        value = inf
    if not _LEAST_FLOAT <= value <= _MOST_FLOAT:
        allowed = f"must lie between {_LEAST_FLOAT:g} and {_MOST_FLOAT:g} here"
        raise DomainError(name, number, allowed)
    return value


def parameter_text(value: object) -> str | list[str]:
    """Return a parameter's value as reports show it: text, or a list of texts."""
    if isinstance(value, tuple):
        return [str(part) for part in cast("Iterable[object]", value)]
    return str(value)


_BUDGETS_ALLOWED = "must be EPS or EPS,DELTA"


def budget_parts(
    given: Number | Sequence[Number], allowed: str = _BUDGETS_ALLOWED
) -> tuple[Real, ...]:
    """Return the one or two numbers of a budget, read exactly.

    Args:
        given: a number, a list of one or two, or a text of as many, joined by a comma.
        allowed: what is allowed, for the message.

    Raises:
        ParameterError: for no number, or more than two.
        NumberSyntaxError: for what is not a number.

    >>> [len(budget_parts(given)) for given in ("ln(3),1/2000", ["4/5", 0], 1)]
    [2, 2, 1]
    """
    if isinstance(given, str):
        parts: tuple[Number, ...] = tuple(given.split(","))
    elif isinstance(given, (list, tuple)):
        parts = tuple(cast("Iterable[Number]", given))
    else:
        parts = (cast("Number", given),)
    if not 1 <= len(parts) <= 2:
        raise ParameterError("budget", f"budget = {_shown(given)}: {allowed}")
    return tuple(read_number(part, "budget") for part in parts)


def read_budget(given: Number | Sequence[Number]) -> Budget:
    """Return the budget (ε, δ), δ = 0 if only ε is given.

    Raises:
        UsageError: for what :func:`budget_parts` refuses, ε < 0, δ outside [0, 1), or two zeros.

    >>> read_budget("4/5").delta == ZERO, str(read_budget(("4/5", "0.0005")).delta)
    (True, '1/2000')
    >>> str(read_budget("0,1/10"))
    '(0, 1/10)'
    """
    first, *rest = budget_parts(given)
    delta = read_budget_delta(rest[0], "budget delta") if rest else ZERO
    epsilon = read_number(first, "budget epsilon")
    if epsilon != ZERO or delta == ZERO:
        epsilon = PositiveParameter("budget epsilon", "", "", "").read(first)
    return Budget(epsilon, delta)


def _shown(given: object) -> str:
    return given if isinstance(given, str) else ", ".join(map(str, cast("Sequence[object]", given)))
