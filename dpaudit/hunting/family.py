"""The mechanisms that a hunt looks at: one for each point, with what is fixed for all."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

from dpaudit.audit.plan import Pairs
from dpaudit.errors import LoadError, ParameterError, SizeError, UsageError
from dpaudit.hunting.space import Space
from dpaudit.mechanisms.base import MAX_CATEGORIES, HistogramMechanism, Mechanism
from dpaudit.mechanisms.loading import mechanism_maker

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dpaudit.audit.plan import Plan
    from dpaudit.hunting.space import Dimension, Point

__all__ = ["Family", "Subject"]

_CORNERS = 64


@dataclass(frozen=True)
class Subject:
    """What is audited at one point."""

    mechanism: Mechanism[Any]
    n: int
    plan: Plan


@dataclass(frozen=True)
class Family:
    """A mechanism whose parameters are partly fixed and partly searched."""

    name: str
    """The mechanism, as it was asked for."""
    named: bool
    """Whether the command line can find it by that name."""
    make: Callable[[Mapping[str, object]], Mechanism[Any]]
    """Makes a mechanism from parameters."""
    space: Space
    """What is searched."""
    fixed: Mapping[str, object]
    """The parameters that are the same everywhere, ``n`` and ``k`` among them."""
    plan: Callable[[Mechanism[Any]], Plan]
    """What is asked of the mechanism at a point."""

    @classmethod
    def of(
        cls,
        given: str | Callable[..., Mechanism[Any]],
        dimensions: tuple[Dimension, ...],
        fixed: Mapping[str, object],
        plan: Callable[[Mechanism[Any]], Plan],
    ) -> Family:
        """Return the family, once it is clear that its outermost members exist.

        Raises ``UsageError`` for parameters that the mechanism does not have, or does not have
        with those values.
        """
        searched = [dimension.name for dimension in dimensions]
        for parameter in searched:
            if parameter in fixed:
                raise ParameterError(
                    parameter, f"{parameter} is fixed and searched as well; give one of the two"
                )
        if "n" not in fixed and "n" not in searched:
            raise SizeError("n is needed: --n 50, or --over n=2..300 to search sizes too")
        named = isinstance(given, str)
        name = str(given if named else getattr(given, "__name__", type(given).__name__))
        make = mechanism_maker(given) if isinstance(given, str) else partial(_made, given)
        family = cls(name, named, make, Space(dimensions), dict(fixed), plan)
        for corner, _ in zip(product(*(d.ends for d in dimensions)), range(_CORNERS), strict=False):
            subject = family.at(corner)
            Pairs(subject.mechanism, subject.n, subject.plan)
        return family

    def at(self, point: Point) -> Subject:
        """Return what is audited at ``point``."""
        given = self.parameters(point)
        n = given.pop("n")
        assert isinstance(n, int)
        mechanism = self.make(given)
        return Subject(mechanism, n, self.plan(mechanism))

    def parameters(self, point: Point) -> dict[str, object]:
        """Return every parameter that is given at ``point``, with ``n``.

        A single number for the prior stands for a symmetric prior over the ``k`` categories;
        ``prior.1``, where searched, for the first of its parameters.
        """
        given = dict(self.fixed)
        for name, value in self.space.named(point).items():
            given[name] = value if name in ("n", "k") else str(value)
        parts = {name: given.pop(name) for name in list(given) if name.startswith("prior.")}
        if parts and not self._has_prior():
            raise ParameterError("prior", f"{self.name} has no prior; {min(parts)} is none of it")
        if parts or ("prior" in given and self._has_prior()):
            given["prior"] = _prior(given, parts)
        return given

    def _has_prior(self) -> bool:
        """Tell whether the mechanism has a prior over categories, and not just a word for one."""
        own = getattr(self.make, "args", (getattr(self.make, "__self__", None),))[-1]
        own = getattr(own, "found", own)
        return isinstance(own, type) and issubclass(own, HistogramMechanism)


def _made(given: Callable[..., Mechanism[Any]], parameters: Mapping[str, object]) -> Mechanism[Any]:
    """Return what a class, or a function of a user's, makes from ``parameters``."""
    if isinstance(given, type) and issubclass(given, Mechanism):
        return given.build(parameters)
    name = getattr(given, "__name__", type(given).__name__)
    try:
        made = given(**parameters)
    except UsageError:
        raise
    except Exception as error:
        text = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        raise LoadError(name, f"it raised {text}") from error
    if not isinstance(made, Mechanism):
        raise LoadError(name, f"it made a {type(made).__name__}, not a mechanism")
    return made


def _prior(given: Mapping[str, object], parts: Mapping[str, object]) -> object:
    """Return the prior that is given, a single number repeated, with some ``parts`` replaced."""
    prior = given.get("prior", "1")
    if not isinstance(prior, (tuple, list)):
        texts = str(prior).split(",")
        prior = texts * _categories(given) if len(texts) == 1 else texts
    if not parts:
        return prior
    replaced = list(prior)
    for name, value in parts.items():
        place = int(name.removeprefix("prior."))
        if place > len(replaced):
            raise ParameterError(
                "prior", f"{name}: there are {len(replaced)} categories, prior.1 to the last"
            )
        replaced[place - 1] = value
    return replaced


def _categories(given: Mapping[str, object]) -> int:
    k = given.get("k", 2)
    if not isinstance(k, int) or isinstance(k, bool) or not 2 <= k <= MAX_CATEGORIES:
        raise ParameterError("k", f"k = {k}: must be a whole number from 2 to {MAX_CATEGORIES}")
    return k
