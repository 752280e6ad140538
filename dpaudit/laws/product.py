"""Laws of independent coordinates, each rounded Laplace noise, followed by post-processing.

The coordinates are independent, so the privacy loss of a vector is the sum of the losses of its
coordinates, and a coordinate with the same law on both sides contributes nothing: it is left out.
The largest loss is the sum of the largest losses; masses are multiplied over the coordinates that
differ.  Nothing is approximated, and nothing of the size of the output space is ever built.

Two-sided geometric noise is rounded Laplace noise up to one constant for a coordinate.  Its law
puts (1 − t)/(1 + t)·t^|z| on the integer z (Ghosh, Roughgarden and Sundararajan 2009).  Times 1 + t
it is made of the same pieces as rounded Laplace noise, and the constant cancels in every privacy
loss; only masses are divided by it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import prod
from typing import Literal, NamedTuple

from dpaudit.laws.geometric import Comparison, GeometricLaw, compare_laws
from dpaudit.laws.law import Atom, Divergence, Law, Loss, Mass, infinite_loss, largest
from dpaudit.laws.tabulated import TabulatedDivergence, laurent_excess
from dpaudit.numbers.ball import Ball, maximum, minimum
from dpaudit.numbers.laurent import LAURENT_ONE, LAURENT_ZERO, Laurent
from dpaudit.numbers.real import ZERO, Real

__all__ = ["ONE_PLUS_T", "Completion", "ProductLaw", "ScaledProductLaw"]


@dataclass(frozen=True, slots=True)
class Completion:
    """Completion of the vector of noisy coordinates to the output: one more coordinate, or none.

    Every kind is injective for a fixed ``n``, so it changes no loss between datasets of one size.
    Between datasets of different sizes the last coordinate may give n away.
    """

    kind: Literal["none", "zero", "rest", "clamped-rest"]
    """Nothing; the constant 0; n − Σ; or n − Σ clamped to [0, n]."""
    n: int
    """The number of records."""

    def __call__(self, vector: tuple[int, ...]) -> tuple[int, ...]:
        """Return the printed output of ``vector``."""
        if self.kind == "none":
            return vector
        rest = 0 if self.kind == "zero" else self.n - sum(vector)
        if self.kind == "clamped-rest":
            rest = min(max(rest, 0), self.n)
        return (*vector, rest)

    def vector(self, output: tuple[int, ...]) -> tuple[int, ...]:
        """Return the vector behind a printed ``output``."""
        return output if self.kind == "none" else output[:-1]

    def same_as(self, other: Completion) -> bool:
        """Tell whether both print every vector alike."""
        return self == other or (self.kind == other.kind and self.kind in ("none", "zero"))


class ProductLaw(Law):
    """Independent integer coordinates, printed after a :class:`Completion`."""

    def __init__(
        self, factors: tuple[GeometricLaw, ...], rate: Real, completion: Completion
    ) -> None:
        """Take one law per noisy coordinate, their common ``rate`` 1/b, and the completion."""
        self.factors = factors
        self.rate = rate
        self.completion = completion

    def divergence_from(self, other: Law) -> Divergence:
        """Compare with another product law of the same mechanism."""
        if not isinstance(other, ProductLaw) or other.rate != self.rate:
            raise TypeError(
                "dpaudit compares such outputs only if both have noise of the same scale"
            )
        if self.completion.same_as(other.completion):
            return _ProductDivergence(self, other)
        # The last coordinate tells the two sizes apart, so coordinates are not independent.
        return TabulatedDivergence(self.table(), other.table(), self.rate)

    def table(self) -> dict[tuple[int, ...], Laurent] | None:
        """Return every printed output with its mass, or None where there are infinitely many."""
        if self.output_count() is None:
            return None
        return {
            self.completion(vector): prod(
                (factor.mass(r) for factor, r in zip(self.factors, vector, strict=True)),
                start=LAURENT_ONE,
            )
            for vector in product(*(factor.support() for factor in self.factors))
        }

    def probability(self, output: Hashable) -> Mass:
        """Return the probability of one printed ``output``."""
        assert isinstance(output, tuple)
        vector = self.completion.vector(output)
        possible = len(vector) == len(self.factors) and self.completion(vector) == output
        mass = LAURENT_ONE if possible else LAURENT_ZERO
        for factor, r in zip(self.factors, vector, strict=possible):
            mass *= factor.mass(r)
        value = mass.at(self.rate)
        return Mass(value.ball(), value)

    def outputs(self) -> list[Hashable] | None:
        table = self.table()
        return None if table is None else list(table)

    def output_count(self) -> int | None:
        """Return the number of outputs, None if infinite."""
        sizes = [factor.size for factor in self.factors]
        finite = [size for size in sizes if size is not None]
        return prod(finite) if len(finite) == len(sizes) else None


class _Part(NamedTuple):
    """A range of one coordinate with its loss ln(P/Q): a Real, or ±∞ as a sign."""

    range: Comparison
    loss: Real | None
    infinite: int


class _FactorDivergence:
    """Two laws of one coordinate: the ranges of constant loss, both ways round."""

    def __init__(self, p: GeometricLaw, q: GeometricLaw, rate: Real) -> None:
        self.parts = []
        for part in compare_laws(p, q):
            quotient = part.ratio
            loss = None if quotient is None else quotient.logarithm(rate)
            self.parts.append(_Part(part, loss, int(part.right is None) - int(part.left is None)))
        self._largest: dict[bool, list[_Part]] = {}

    def part_at(self, r: int) -> _Part:
        """Return the part that holds the integer ``r``."""
        for part in self.parts:
            first, last = part.range.first, part.range.last
            if (first is None or first <= r) and (last is None or r <= last):
                return part
        raise ValueError(f"{r} is an output of neither of the two datasets")

    def largest(self, *, forward: bool) -> list[_Part]:
        """Return a part with the largest loss in one direction.

        Several where no precision tells which of them it is.
        """
        if forward not in self._largest:
            sign = 1 if forward else -1
            best = [part for part in self.parts if part.infinite == sign][:1]
            if not best:
                losses = tuple(part.loss for part in self.parts)
                best = [self.parts[place] for place in _places(losses, forward)]
            assert best, "two distributions cannot both put all their mass where the other has none"
            self._largest[forward] = best
        return self._largest[forward]


@lru_cache(maxsize=4096)
def _places(losses: tuple[Real | None, ...], forward: bool) -> list[int]:
    """Return where the largest of the ``losses`` are, or of the opposite numbers.

    Laws that are shifted by as much have the same losses.
    """
    return largest(
        (place, loss if forward else _opposite(loss))
        for place, loss in enumerate(losses)
        if loss is not None
    )


@lru_cache(maxsize=4096)
def _opposite(loss: Real) -> Real:
    return -loss


@lru_cache(maxsize=1 << 12)
def _factor_divergence(p: GeometricLaw, q: GeometricLaw, rate: Real) -> _FactorDivergence:
    return _FactorDivergence(p, q, rate)


class _ProductDivergence(Divergence):
    """Two product laws; only the coordinates whose laws differ take part."""

    def __init__(self, p: ProductLaw, q: ProductLaw) -> None:
        self.p = p
        self.q = q
        self.differing = [
            index
            for index, (a, b) in enumerate(zip(p.factors, q.factors, strict=True))
            # By identity: makers of laws keep what they make.
            if a is not b
        ]
        self.factors = [
            _factor_divergence(p.factors[index], q.factors[index], p.rate)
            for index in self.differing
        ]

    def _output(self, parts: Sequence[_Part], *, forward: bool) -> Hashable:
        """Return a printed output whose differing coordinates lie in ``parts``."""
        source = self.p if forward else self.q
        # Coordinates that do not differ may show anything possible.
        vector = [factor.centre for factor in source.factors]
        for index, part in zip(self.differing, parts, strict=True):
            vector[index] = part.range.output
        return source.completion(tuple(vector))

    def max_loss(self, *, forward: bool) -> Loss:
        largest = [factor.largest(forward=forward) for factor in self.factors]
        parts = [best for best, *_ in largest]
        output = self._output(parts, forward=forward)
        if all(len(some) == 1 for some in largest) or any(part.loss is None for part in parts):
            return self._loss(parts, output, forward=forward)
        ball = Ball(0)
        for some in largest:
            losses = [part.loss.ball() for part in some if part.loss is not None]
            ball += maximum(losses) if forward else -minimum(losses)
        return Loss(ball, None, output)

    def _loss(self, parts: Sequence[_Part], output: Hashable, *, forward: bool) -> Loss:
        losses = []
        for part in parts:
            if part.loss is None:
                return infinite_loss(output)
            losses.append(part.loss)
        total = losses[0] if len(losses) == 1 else sum(losses, ZERO)
        exact = total if forward else _opposite(total)
        return Loss(exact.ball(), exact, output)

    def loss_at(self, output: Hashable, *, forward: bool) -> Loss:
        assert isinstance(output, tuple)
        vector = self.p.completion.vector(output)
        parts = [
            factor.part_at(vector[index])
            for index, factor in zip(self.differing, self.factors, strict=True)
        ]
        if any(part.infinite == (-1 if forward else 1) for part in parts):
            raise ValueError(f"{output} is not an output on this side")
        return self._loss(parts, output, forward=forward)

    def _joint(self, *, forward: bool) -> Iterator[tuple[tuple[_Part, ...], Laurent, Laurent]]:
        """Iterate over the joint ranges that the numerator can reach, with both masses."""
        for parts in product(*(factor.parts for factor in self.factors)):
            p, q = LAURENT_ONE, LAURENT_ONE
            for part in parts:
                p *= part.range.p
                q *= part.range.q
            numerator, denominator = (p, q) if forward else (q, p)
            if not numerator.is_zero():
                yield parts, numerator, denominator

    def hockey_stick(self, epsilon: Real, *, forward: bool) -> Mass:
        parts = (
            (p, q, self._loss(parts, None, forward=forward).exact)
            for parts, p, q in self._joint(forward=forward)
        )
        return laurent_excess(parts, epsilon, self.p.rate)

    def atoms(self, *, forward: bool) -> Iterator[Atom]:
        rate = self.p.rate
        for parts, p, q in self._joint(forward=forward):
            output = self._output(parts, forward=forward)
            masses = p.at(rate), q.at(rate)
            yield Atom(masses[0].ball(), masses[1].ball(), output, masses)


ONE_PLUS_T = Laurent.monomial(1, 0) + Laurent.monomial(1, 1)
"""Sum of the masses of a coordinate before they are normalised: 1 + t."""


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
        # The others are left out of the products of masses.
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
        factor = self.factor.ball()
        for atom in self.divergence.atoms(forward=forward):
            exact = atom.exact and (atom.exact[0] * self.factor, atom.exact[1] * self.factor)
            yield Atom(atom.p * factor, atom.q * factor, atom.output, exact)
