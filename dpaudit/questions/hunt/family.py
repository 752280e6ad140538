"""The mechanisms that a hunt looks at: one for each point, with what is fixed for all.

What is searched is asked for as ranges: ``prior=1/100..1``, ``n=2..300``, ``k=2,3``,
``m=1/2..9..1/2``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

from dpaudit.audit.certify import EpsilonDelta
from dpaudit.audit.plan import MAX_SIZE, Pairs, Plan
from dpaudit.audit.room import check_room
from dpaudit.errors import DomainError, ParameterError, SizeError, TooLargeError, UsageError
from dpaudit.mechanisms.base import CATEGORIES, MAX_CATEGORIES, Mechanism
from dpaudit.mechanisms.parameters import read_number
from dpaudit.questions.hunt.space import Choices, Dimension, Point, Range, Space, Steps, Value

if TYPE_CHECKING:
    from dpaudit.mechanisms.loading import Loaded

__all__ = ["Family", "Member", "read_ranges"]


_CORNERS = 64


@dataclass(frozen=True)
class Member:
    """Mechanism, size and plan that are audited at one point."""

    mechanism: Mechanism[Any]
    n: int
    plan: Plan


@dataclass(frozen=True)
class Family:
    """A mechanism whose parameters are partly fixed and partly searched."""

    subject: Loaded
    """Class, object or function that makes a mechanism from parameters."""
    space: Space
    """Space that is searched."""
    fixed: Mapping[str, object]
    """The parameters that are the same everywhere, ``n`` and ``k`` among them."""
    plan: Callable[[Mechanism[Any]], Plan]
    """Function that makes the plan of the audit at a point."""

    @classmethod
    def of(
        cls,
        subject: Loaded,
        dimensions: tuple[Dimension, ...],
        fixed: Mapping[str, object],
        plan: Callable[[Mechanism[Any]], Plan],
    ) -> Family:
        """Return the family, once it is clear that its outermost members exist.

        Raises ``UsageError`` for parameters that the mechanism does not have, or does not have
        with those values, and ``TooLargeError`` where there is no memory for any of them.
        """
        searched = [dimension.name for dimension in dimensions]
        for parameter in searched:
            if parameter in fixed:
                raise ParameterError(
                    parameter, f"{parameter} is both fixed and searched; give one of the two"
                )
        if "n" not in fixed and "n" not in searched:
            fixed = {**fixed, "n": _default_size(subject, dimensions, fixed, plan)}
        family = cls(subject, Space(dimensions), dict(fixed), plan)
        fits, refused = False, None
        # d dimensions have 2^d corners: the first of them show what is refused.
        for corner, _ in zip(product(*(d.ends for d in dimensions)), range(_CORNERS), strict=False):
            member = family.at(corner)
            Pairs(member.mechanism, member.n, member.plan)
            try:
                check_room(EpsilonDelta(), member.mechanism, (member.n,), member.plan)
                fits = True
            except TooLargeError as error:
                refused = refused or error
        if refused is not None and not fits:
            raise refused  # the first: of whole numbers the smallest
        return family

    def at(self, point: Point) -> Member:
        """Return what is audited at ``point``."""
        given = self.parameters(point)
        n = given.pop("n")
        assert isinstance(n, int)
        mechanism = self.subject.build(given)
        return Member(mechanism, n, self.plan(mechanism))

    def parameters(self, point: Point) -> dict[str, object]:
        """Return every parameter that is given at ``point``, with ``n``.

        A single number for the prior stands for a symmetric prior over the ``k`` categories;
        ``prior.1``, where searched, for the first of its parameters.
        """
        given = dict(self.fixed)
        for name, value in self.space.named(point).items():
            given[name] = value if name in ("n", "k") else str(value)
        parts = {name: given.pop(name) for name in list(given) if name.startswith("prior.")}
        if parts and not self.subject.has_prior:
            raise ParameterError(
                "prior",
                f"{self.subject.reference} has no prior, so {min(parts)} is not a parameter of it",
            )
        if parts or ("prior" in given and self.subject.has_prior):
            given["prior"] = _prior(given, parts)
        return given


def _default_size(
    subject: Loaded,
    dimensions: tuple[Dimension, ...],
    fixed: Mapping[str, object],
    plan: Callable[[Mechanism[Any]], Plan],
) -> int:
    """Return the only size of a mechanism of one user; ``SizeError`` where there are others."""
    size = None
    with suppress(UsageError):  # what is wrong with the parameters is said at the corners
        family = Family(subject, Space(dimensions), {**fixed, "n": 1}, plan)
        size = family.at(
            tuple(dimension.ends[0] for dimension in dimensions)
        ).mechanism.default_size
    if size is None:
        raise SizeError("the size is missing; give --n 50, or --over n=2..300 to search sizes too")
    return size


def _prior(given: Mapping[str, object], parts: Mapping[str, object]) -> object:
    """Return the prior that is given, a single number repeated, with some ``parts`` replaced."""
    prior = given.get("prior", "1")
    if not isinstance(prior, (tuple, list)):
        texts = str(prior).split(",")
        prior = texts * CATEGORIES.read(given.get("k", 2)) if len(texts) == 1 else texts
    if not parts:
        return prior
    replaced = list(prior)
    for name, value in parts.items():
        place = int(name.removeprefix("prior."))
        if place > len(replaced):
            raise ParameterError(
                "prior",
                f"{name}: there are {len(replaced)} categories; the last is prior.{len(replaced)}",
            )
        replaced[place - 1] = value
    return replaced


_ALLOWED = (
    "allowed are NAME=FIRST..LAST (every rational between; whole numbers for n and k), "
    "NAME=FIRST..LAST..STEP and NAME=VALUE,VALUE"
)
_WHOLE = {"n": (1, MAX_SIZE), "k": (2, MAX_CATEGORIES)}
"""Parameters that are searched on whole numbers, each with its least and largest value."""
_NAME = re.compile(r"[A-Za-z_]\w*|prior\.[1-9]\d{0,2}")
_ALIASES = {"eps": "epsilon"}
_LARGEST = Fraction(10**300)
_MOST_STEPS = 10**9


def read_ranges(given: Mapping[str, object] | Iterable[str]) -> tuple[Dimension, ...]:
    """Return the dimensions of ``NAME=VALUES`` texts, or of a mapping from names to values.

    The values of a mapping are texts like those after the ``=``, or lists.  Raises ``UsageError``.

    >>> [dimension.text for dimension in read_ranges(["prior=0.01..1", "n=2..300", "gs=quoted"])]
    ['1/100..1', '2..300', 'quoted']
    """
    if isinstance(given, str):
        given = [given]
    items = list(given.items()) if hasattr(given, "items") else [_split(text) for text in given]
    if not items:
        raise ParameterError("over", f"no parameter to search is given; {_ALLOWED}")
    found: dict[str, Dimension] = {}
    for raw, values in items:
        name = _ALIASES.get(str(raw).strip(), str(raw).strip())
        if not _NAME.fullmatch(name):
            raise ParameterError("over", f"over = {raw!r}: not the name of a parameter; {_ALLOWED}")
        if name in found:
            raise ParameterError(name, f"{name} is searched twice; give one range")
        found[name] = _dimension(name, values)
    return tuple(found.values())


def _split(text: object) -> tuple[str, str]:
    name, equals, values = str(text).partition("=")
    if not equals:
        raise ParameterError(
            "over",
            f"over = {_short(str(text))!r}: write the parameter, = and its values; {_ALLOWED}",
        )
    return name, values


def _dimension(name: str, values: object) -> Dimension:
    if isinstance(values, (list, tuple, range)):
        return _choices(name, list(values), values)
    text = str(values).strip()
    if ".." not in text:
        return _choices(name, text.split(","), text)
    if "," in text:
        raise _error(name, text, "it mixes a list and a range")
    parts = [part.strip() for part in text.split("..")]
    if not 2 <= len(parts) <= 3 or not all(parts):
        raise _error(name, text, "it is not a range")
    numbers = [_rational(name, part) for part in parts]
    first, last = numbers[:2]
    step = numbers[2] if len(numbers) == 3 else None
    if first > last:
        raise SizeError(
            f"{name} = {_short(text)}: the range runs backwards; "
            f"did you mean {parts[1]}..{parts[0]}?"
        )
    if name in _WHOLE:
        return _whole_steps(name, numbers)
    if step is not None:
        return _steps(name, text, first, last, step)
    return Choices(name, (first,)) if first == last else Range(name, first, last)


def _whole_steps(name: str, numbers: list[Fraction]) -> Steps:
    first, last, step = (_whole(name, number) for number in [*numbers, Fraction(1)][:3])
    _check_size(name, first)
    _check_size(name, last)
    if step < 1:
        raise DomainError(f"the step of {name}", step, "must be at least 1")
    return Steps(name, first, step, (last - first) // step + 1)


def _steps(name: str, text: str, first: Fraction, last: Fraction, step: Fraction) -> Steps:
    if step <= 0:
        raise DomainError(f"the step of {name}", step, "must be greater than 0")
    count = (last - first) // step + 1
    if count > _MOST_STEPS:
        raise _error(name, text, f"it has {count:.2e} steps, and the limit is {_MOST_STEPS:.0e}")
    if first.denominator == step.denominator == 1:
        return Steps(name, int(first), int(step), count)
    return Steps(name, first, step, count)


def _choices(name: str, values: Sequence[object], given: object) -> Choices:
    chosen: list[Value] = []
    for value in values:
        text = str(value).strip()
        if not text:
            raise _error(name, str(given), "a value is missing")
        if name in _WHOLE:
            number = _whole(name, _rational(name, text))
            _check_size(name, number)
            chosen.append(number)
        else:
            chosen.append(text)
    if not chosen:
        raise _error(name, str(given), "it is empty")
    return Choices(name, tuple(dict.fromkeys(chosen)))


def _whole(name: str, number: Fraction) -> int:
    if number.denominator != 1:
        raise DomainError(name, _short(str(number)), "must be a whole number")
    return int(number)


def _check_size(name: str, number: int) -> None:
    """Refuse an ``n`` or ``k`` that no hunt looks at."""
    least, most = _WHOLE[name]
    if not least <= number <= most:
        raise DomainError(
            name, _short(str(number)), f"must be a whole number from {least} to {most}"
        )


def _rational(name: str, text: str) -> Fraction:
    number = read_number(text, name).as_fraction()
    if number is None:
        raise DomainError(name, _short(text), "the ends of a range must be rational")
    # Coordinates of the search are floats, whose range this is.
    if number and not 1 / _LARGEST <= abs(number) <= _LARGEST:
        raise DomainError(
            name, _short(text), "must be 0, or from 10^-300 to 10^300 in absolute value"
        )
    return number


def _error(name: str, text: str, reason: str) -> ParameterError:
    return ParameterError(name, f"{name} = {_short(text)!r}: {reason}; {_ALLOWED}")


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."
