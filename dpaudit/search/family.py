"""The mechanisms that a hunt looks at: one for each point, with what is fixed for all."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

from dpaudit.audit.plan import Pairs
from dpaudit.errors import ParameterError, SizeError
from dpaudit.mechanisms.base import CATEGORIES
from dpaudit.search.space import Space

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dpaudit.audit.plan import Plan
    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.mechanisms.loading import Loaded
    from dpaudit.search.space import Dimension, Point

__all__ = ["Family", "HuntedMechanism"]

_CORNERS = 64


@dataclass(frozen=True)
class HuntedMechanism:
    """What is audited at one point."""

    mechanism: Mechanism[Any]
    n: int
    plan: Plan


@dataclass(frozen=True)
class Family:
    """A mechanism whose parameters are partly fixed and partly searched."""

    subject: Loaded
    """What makes a mechanism from parameters."""
    space: Space
    """What is searched."""
    fixed: Mapping[str, object]
    """The parameters that are the same everywhere, ``n`` and ``k`` among them."""
    plan: Callable[[Mechanism[Any]], Plan]
    """What is asked of the mechanism at a point."""

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
        family = cls(subject, Space(dimensions), dict(fixed), plan)
        for corner, _ in zip(product(*(d.ends for d in dimensions)), range(_CORNERS), strict=False):
            member = family.at(corner)
            Pairs(member.mechanism, member.n, member.plan)
        return family

    def at(self, point: Point) -> HuntedMechanism:
        """Return what is audited at ``point``."""
        given = self.parameters(point)
        n = given.pop("n")
        assert isinstance(n, int)
        mechanism = self.subject.build(given)
        return HuntedMechanism(mechanism, n, self.plan(mechanism))

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
                "prior", f"{self.subject.reference} has no prior; {min(parts)} is none of it"
            )
        if parts or ("prior" in given and self.subject.has_prior):
            given["prior"] = _prior(given, parts)
        return given


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
                "prior", f"{name}: there are {len(replaced)} categories, prior.1 to the last"
            )
        replaced[place - 1] = value
    return replaced
