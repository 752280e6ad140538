"""Laws of two-sided geometric noise: rounded Laplace noise up to one constant for a coordinate.

The two-sided geometric law puts (1 − t)/(1 + t)·t^|z| on the integer z (Ghosh, Roughgarden and
Sundararajan 2009).  Times 1 + t it is made of the same pieces as rounded Laplace noise, and the
constant cancels in every privacy loss; only masses are divided by it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpaudit.laws.law import Atom, Divergence, Law, Loss, Mass
from dpaudit.laws.product import Completion, ProductLaw
from dpaudit.numbers.laurent import Laurent

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from dpaudit.laws.geometric import GeometricLaw
    from dpaudit.numbers.real import Real

__all__ = ["ONE_PLUS_T", "ScaledProductLaw"]

ONE_PLUS_T = Laurent.monomial(1, 0) + Laurent.monomial(1, 1)
"""What the masses of a coordinate add up to."""


class ScaledProductLaw(Law):
    """Independent integer coordinates whose pieces have the total mass 1 + t each."""

    def __init__(self, factors: tuple[GeometricLaw, ...], rate: Real) -> None:
        """Take one law for each coordinate, and their common rate, t = e^(−rate)."""
        self.product = ProductLaw(factors, rate, Completion("none", 0))
        self.total = ONE_PLUS_T.at(rate)

    def divergence_from(self, other: Law) -> Divergence:
        """Compare with another law of as many coordinates and the same rate."""
        if not isinstance(other, ScaledProductLaw):
            raise TypeError(f"geometric noise cannot be compared with a {type(other).__name__}")
        pairs = zip(self.product.factors, other.product.factors, strict=True)
        differing = sum(p is not q for p, q in pairs)
        return _ScaledDivergence(
            self.product.divergence_from(other.product), self.total**-differing
        )

    def probability(self, output: Hashable) -> Mass:
        """Return the probability of one ``output``."""
        mass = self.product.probability(output)
        assert mass.exact is not None, "products of geometric laws are exact"
        value = mass.exact * self.total ** -len(self.product.factors)
        return Mass(value.ball(), value)

    def output_count(self) -> int | None:
        """Return the number of outputs, None if infinite."""
        return self.product.output_count()


class _ScaledDivergence(Divergence):
    """A divergence of masses that are all to be multiplied by one ``factor``."""

    def __init__(self, divergence: Divergence, factor: Real) -> None:
        self.divergence = divergence
        self.factor = factor

    def max_loss(self, *, forward: bool) -> Loss:
        return self.divergence.max_loss(forward=forward)

    def loss_at(self, output: Hashable, *, forward: bool) -> Loss:
        return self.divergence.loss_at(output, forward=forward)

    def hockey_stick(self, epsilon: Real, *, forward: bool) -> Mass:
        mass = self.divergence.hockey_stick(epsilon, forward=forward)
        if mass.exact is None:
            return Mass(mass.ball * self.factor.ball(), None)
        value = mass.exact * self.factor
        return Mass(value.ball(), value)

    def atoms(self, *, forward: bool) -> Iterator[Atom]:
        for atom in self.divergence.atoms(forward=forward):
            factor = self.factor.ball()
            yield Atom(atom.p * factor, atom.q * factor, atom.output)
