"""Interfaces of an audit to output laws: one law, and two laws side by side.

A mechanism may have any output space.  All that an audit needs of it is a :class:`Law` per dataset
and, for two laws P and Q, their :class:`Divergence`: the privacy loss ln(P(r)/Q(r)) of every
output r, the mass each side puts on it, and sums of those over outputs.  A law with a structure
(independent coordinates, geometric tails) brings a divergence that uses it; the results are the
same as over the whole list of outputs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from math import gcd
from typing import Any, ClassVar, NamedTuple, Protocol, TypeVar

from dpaudit.errors import LawError, PrecisionError
from dpaudit.numbers.ball import Ball, Sign, infinite_ball, nonnegative
from dpaudit.numbers.real import Real, order

__all__ = [
    "EXACT_FROM",
    "Atom",
    "Divergence",
    "Law",
    "LineLaw",
    "Listed",
    "ListedOutputs",
    "Loss",
    "LossMeasure",
    "Mass",
    "NotListedError",
    "OutputLaws",
    "against",
    "exact_excess",
    "excess",
    "infinite_loss",
    "largest",
]


EXACT_FROM = 512
"""Working precision, in bits, from which losses and masses are also given in closed form.

Closed forms decide ties and cost more than balls: balls of fewer bits have left something open."""

ItemT = TypeVar("ItemT")


class NotListedError(LawError):
    """Something needs a list of outputs, and these have a density."""

    def __init__(self) -> None:
        """Say what can be asked of such outputs."""
        super().__init__(
            "this needs a list of all outputs, and a continuous output has none; the privacy "
            "curve, the trade-off function, and δ at some ε (--at-eps, at_eps=) need no list"
        )


SumT = TypeVar("SumT", bound=Any)
DatasetT_contra = TypeVar("DatasetT_contra", contravariant=True)


@dataclass(frozen=True, slots=True)
class Loss:
    """The privacy loss ln(P(r)/Q(r)) of one output, or the largest over many.

    ``ball`` contains it at the working precision; ``exact`` is its closed form, where the law has
    one.  +∞ is the exact ball +∞: Q cannot produce an output that P can.
    """

    ball: Ball
    exact: Real | None
    output: Hashable
    """An output that has this loss."""

    @property
    def infinite(self) -> bool:
        """Tell whether this is the loss of an output that the other side cannot produce."""
        return not self.ball.is_finite()


def infinite_loss(output: Hashable) -> Loss:
    """Return the infinite loss of ``output``."""
    return Loss(infinite_ball(), None, output)


def against(number: Real | None, bound: Real) -> Sign:
    """Return the sign of ``number`` − ``bound``, undecided where no precision tells; None is +∞.

    One number may have two forms that are not seen to be equal.  Such an output is then summed in
    balls, and nothing else is lost.
    """
    if number is None:
        return Sign.POSITIVE
    try:
        return order(number, bound)
    except PrecisionError:
        return Sign.UNDECIDED


def largest(losses: Iterable[tuple[ItemT, Real]]) -> list[ItemT]:
    """Return the first of the items whose loss is the largest.

    Several where no precision tells which of them it is.
    """
    best: list[tuple[ItemT, Real]] = []
    for item, loss in losses:
        found = [against(loss, other) for _, other in best]
        # In doubt both stay; of equals the first.
        best = [one for one, sign in zip(best, found, strict=True) if sign is not Sign.POSITIVE]
        if all(sign in (Sign.POSITIVE, Sign.UNDECIDED) for sign in found):
            best.append((item, loss))
    return [item for item, _ in best]


def exact_excess(
    parts: Iterable[tuple[SumT, SumT, Real | None]],
    epsilon: Real,
    difference: Callable[[SumT, SumT], Real],
    zero: SumT,
) -> Mass:
    """Return Σ (P − e^ε·Q)₊ over parts (P, Q, ln(P/Q) or None for +∞), P and Q formal sums.

    ``difference`` gives P − e^ε·Q.  A part of which no precision tells whether its loss is above ε
    is added as a ball.
    """
    p_total, q_total = zero, zero
    untold: list[Ball] = []
    for p, q, loss in parts:
        found = against(loss, epsilon)
        if found is Sign.POSITIVE:
            p_total += p
            q_total += q
        elif found is Sign.UNDECIDED:
            untold.append(nonnegative(difference(p, q).ball()))
    value = difference(p_total, q_total)
    return Mass(sum(untold, value.ball()), None if untold else value)


def excess(p: Ball, loss: Ball, epsilon: Ball) -> Ball:
    """Return (P − e^ε·Q)₊ of an output of probability ``p`` and finite ``loss`` ln(P/Q).

    That is P·(1 − e^(ε − loss))₊, where nothing overflows however large ε is.
    """
    # 1 − e^x cancels near 0, and expm1 does not.
    share = -(epsilon - loss).expm1()
    return p * (nonnegative(share) if share.is_finite() else Ball(0).union(Ball(1)))


@dataclass(frozen=True, slots=True)
class Mass:
    """A probability, or a sum Σ (P(r) − e^ε·Q(r))₊: a ball, and the closed form where known."""

    ball: Ball
    exact: Real | None = None
    gap: Ball | None = None
    """By how much, at least, the two bounds differ that it lies between, whatever the precision."""


@dataclass(frozen=True, slots=True)
class Atom:
    """Outputs that share one privacy loss: their mass under P and under Q, and one of them."""

    p: Ball
    q: Ball
    output: Hashable
    exact: tuple[Real, Real] | None = None
    """Both masses in closed form, where the laws have one."""


@dataclass(frozen=True)
class LossMeasure:
    """Distribution of the privacy loss of a pair whose outputs are not listed.

    The atoms are sets of outputs of one loss; all else is spread without atoms.
    """

    below: Callable[[Ball], tuple[Ball, Ball]]
    """Gives, for l, the masses of P and of Q on losses ≤ l, atoms left out."""
    atoms: Callable[[], Sequence[tuple[Ball, Ball]]]
    """Gives both masses of every atom, in the order of the losses."""
    spread: Callable[[], tuple[Ball, Ball]]
    """Gives the whole masses of P and of Q without the atoms."""
    ends: tuple[Real, Real] | None = None
    """The losses of the two atoms, the smaller first, all other losses between; None for none."""


class Divergence(ABC):
    """Two output laws P (forward: the numerator) and Q, compared output by output."""

    symmetric: ClassVar[bool] = False
    """True if both directions are alike, and equal comparisons have one loss measure."""
    lists_atoms: ClassVar[bool] = True
    """False if outputs have a density: then ``atoms`` is refused, and δ is known at each ε."""

    @abstractmethod
    def max_loss(self, *, forward: bool) -> Loss:
        """Return max over outputs of ln(P/Q), or of ln(Q/P) if not ``forward``.

        The ball contains the maximum over every output; the output is one whose own loss overlaps
        it.  This is D∞(P‖Q), the max-divergence (Dwork and Roth 2014, Def. 3.6).
        """

    def loss_from_below(self, *, forward: bool) -> Loss | None:
        """Return what the largest loss is at least, where nothing bounds it from above; else None.

        ``max_loss`` is refused where this is not None.
        """
        return None

    @abstractmethod
    def loss_at(self, output: Hashable, *, forward: bool) -> Loss:
        """Return the loss of one ``output``."""

    @abstractmethod
    def hockey_stick(self, epsilon: Real, *, forward: bool) -> Mass:
        """Return Σ over outputs of (P(r) − e^ε·Q(r))₊, the hockey-stick divergence at e^ε."""

    @abstractmethod
    def atoms(self, *, forward: bool) -> Iterator[Atom]:
        """Iterate over outputs, or groups of outputs of equal loss, with both masses."""

    def loss_measure(self, *, forward: bool) -> LossMeasure | None:
        """Return how the loss ln(P/Q) is distributed, for laws with a density; None for others."""
        return None

    def of_runs(self, runs: int) -> Divergence | None:
        """Return the comparison of Pᵏ with Qᵏ, k = ``runs``, where it is one of the same kind."""
        return None

    def known(self, notion: str, order: Fraction | None, *, forward: bool) -> Mass | None:
        """Return a divergence that has a closed form without a list of outputs, or None.

        ``notion`` is ``kl``, ``renyi`` (of the ``order`` α > 1, else None), ``zcdp`` (the
        supremum of D_α/α over α > 1) or ``gdp`` (the smallest μ).  Laws with endlessly many
        different losses need this.
        """
        return None


class Listed(NamedTuple):
    """The outputs of a finite law, with their probabilities."""

    outputs: Sequence[Hashable]
    """Every output of positive probability."""
    keys: Sequence[Hashable | None]
    """The exact probability of each: equal only where the numbers are; None where none is known."""
    ball: Callable[[int], Ball]
    """Gives the probability of the output of that index, at the precision the law was built in."""


class Law(ABC):
    """The output law of a mechanism at one dataset, enclosed at the precision it was built in."""

    @abstractmethod
    def divergence_from(self, other: Law) -> Divergence:
        """Return the comparison of this law (P) with ``other`` (Q), of the same mechanism."""

    @abstractmethod
    def probability(self, output: Hashable) -> Mass:
        """Return the probability of one ``output``; 0 for an output outside the support."""

    @abstractmethod
    def output_count(self) -> int | None:
        """Return the size of the support, or None where it is infinite."""

    def listed(self) -> Listed | None:
        """Return all outputs, for a screen; None where they are too many to be looked at."""
        return None

    def quotients(self) -> Mapping[Hashable, tuple[int, int]] | None:
        """Return all outputs of positive probability with it as a quotient of whole numbers.

        They need not be in lowest terms.  None where some are not rational, or not known as such.
        """
        return None

    def outputs(self) -> Sequence[Hashable] | None:
        """Return every output of positive probability; None where they do not end, or too many."""
        found = self.listed()
        return None if found is None else found.outputs


class LineLaw(Law):
    """The law of a real number with a density."""

    @abstractmethod
    def below(self, value: Fraction) -> Ball:
        """Return the probability of a number that is at most ``value``."""


class OutputLaws(Protocol[DatasetT_contra]):
    """The output laws of one mechanism at one precision; work shared by a size is done once."""

    def law(self, dataset: DatasetT_contra) -> Law:
        """Return the output law at ``dataset``, enclosed at the working precision."""


class ListedOutputs(NamedTuple):
    """Numbers of outputs that laws list, and of different probabilities in closed form."""

    outputs: int
    """Of one law; 0 where they are not listed."""
    kinds: int = 0
    """The closed forms of the first law; 0 where there are none."""
    more: int = 0
    """Those of another law that are not among them."""
    bits: int = 0
    """Bits of the largest whole number, where the probabilities of both are quotients of them.

    In lowest terms; 0 where they are not, or numbers of 2⁶³ or more are among them.
    """

    @staticmethod
    def of(book: OutputLaws[Any], datasets: Iterable[Any]) -> ListedOutputs:
        """Return what the first two of the laws at ``datasets`` show."""
        outputs, bits = 0, list[int]()
        seen: list[set[Hashable]] = []
        for dataset in islice(datasets, 2):
            law = book.law(dataset)
            listed = law.listed()
            if listed is None:
                return ListedOutputs(0)
            quotients = law.quotients()
            bits.append(0 if quotients is None else _bits(quotients))
            outputs = max(outputs, len(listed.outputs))
            seen.append({key for key in listed.keys if key is not None})
        known = max(bits) if all(bits) else 0
        return ListedOutputs(outputs, len(seen[0]), len(seen[-1] - seen[0]), known)


def _bits(quotients: Mapping[Hashable, tuple[int, int]]) -> int:
    """Return the bits of the largest denominator in lowest terms; 0 for one of 2⁶³ or more."""
    if any(below >= 1 << 63 for _, below in quotients.values()):
        return 0
    return max(below // gcd(above, below) for above, below in quotients.values()).bit_length()
