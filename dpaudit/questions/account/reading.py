"""Reading what ``dpaudit account`` is given: numbers of runs, other runs, grids of ε, a size."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from dpaudit.cli.isolated import run_words
from dpaudit.errors import DomainError, ParameterError, SizeError
from dpaudit.mechanisms.loading import load_mechanism
from dpaudit.mechanisms.parameters import read_number
from dpaudit.numbers.ball import Sign
from dpaudit.numbers.real import Real, order, real

if TYPE_CHECKING:
    from dpaudit.questions.account.joint import Run

__all__ = ["read_grid", "read_run", "read_size", "read_steps"]

_MANY = 10_000
_MOST_STEPS = 1000


def read_steps(text: str) -> list[int]:
    """Return numbers of runs, as 100,200..1000..100; ``UsageError`` for nonsense.

    >>> read_steps("5,10..20..5")
    [5, 10, 15, 20]
    """
    found: list[int] = []
    for part in text.split(","):
        ends = [_whole("compose", end) for end in part.split("..")]
        if len(ends) == 3 and ends[0] <= ends[1] and (ends[1] - ends[0]) // ends[2] < _MOST_STEPS:
            found += range(ends[0], ends[1] + 1, ends[2])
        elif len(ends) == 1:
            found += ends
        else:
            raise ParameterError(
                "compose",
                f"compose = {part}: must be a whole number, or FIRST..LAST..STEP with at most "
                f"{_MOST_STEPS} numbers",
            )
    return sorted(dict.fromkeys(found))


def read_run(text: str) -> Run:
    """Return runs such as ``Laplace scale=3 compose=5``; ``UsageError`` for nonsense.

    >>> read_run("Laplace scale=3 compose=5").runs
    5
    """
    from dpaudit.questions.account.joint import Run

    name, *words = run_words(text)
    chosen: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        key = key.removeprefix("--").replace("-", "_")
        if not equals or not key or key in chosen:
            reason = "is given twice" if key in chosen and equals else "is not NAME=VALUE"
            raise ParameterError("then", f"then = {text!r}: {word!r} {reason}")
        chosen[key] = value
    runs = _whole("compose", chosen.pop("compose", "1"))
    rate = chosen.pop("sample_rate", None)
    number = None if rate is None else read_number(rate, "sample-rate")
    return Run(load_mechanism(name, dict(chosen)), runs, number)


def read_size(text: str) -> int:
    """Return a size; ``SizeError`` for what is none."""
    try:
        return _whole("n", text)
    except ParameterError:
        raise SizeError(f"n = {text}: must be one whole number, at least 1") from None


def read_grid(text: str, name: str = "epsilon-grid") -> list[Real]:
    """Return the ε of a list such as ``0..1..1/4,ln(3)``; ``UsageError`` for nonsense.

    >>> print(*read_grid("0..1..1/4,ln(3)"))
    0 1/4 1/2 3/4 1 ln(3)
    """
    found: list[Real] = []
    for part in text.split(","):
        ends = part.split("..")
        if len(ends) == 1:
            found.append(read_number(part, name))
        elif len(ends) == 3:
            found += _range(part, [_fraction(end, name) for end in ends], name)
        else:
            raise ParameterError(
                name, f"{name} = {part}: must be a number, or a range FIRST..LAST..STEP"
            )
    for epsilon in found:
        if order(epsilon, real(0)) is Sign.NEGATIVE:
            raise DomainError(name, epsilon, "must be at least 0")
    return found


def _whole(name: str, text: str) -> int:
    if not text.isascii() or not text.isdecimal() or len(text) > 9 or int(text) < 1:
        raise ParameterError(name, f"{name} = {text}: must be a whole number of at least 1")
    return int(text)


def _fraction(text: str, name: str) -> Fraction:
    value = read_number(text, name).as_fraction()
    if value is None:
        raise ParameterError(
            name, f"{name} = {text}: the ends and the step of a range must be rational"
        )
    return value


def _range(part: str, ends: list[Fraction], name: str) -> list[Real]:
    first, last, step = ends
    if step <= 0 or last < first or (last - first) / step >= _MANY:
        raise ParameterError(
            name,
            f"{name} = {part}: needs FIRST ≤ LAST, STEP > 0 and fewer than {_MANY} values",
        )
    return [real(first + index * step) for index in range(int((last - first) / step) + 1)]
