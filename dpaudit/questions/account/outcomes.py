"""The outcomes of one run that k runs are composed of: classes of outputs of equal privacy loss.

Outputs with the same likelihood ratio P/Q are one outcome for every event that matters to
composition, so they are merged, but only where the two ratios are *equal*: laws known exactly are
merged by their closed forms, laws known as balls are merged only as the law itself groups them.

An outcome carries a vector of integers such that outcomes of equal vector sum have equal loss.
Where the losses are known in closed form the vectors are their coordinates over common terms (ln 2,
ln 3, the rate of a Laplace law), so that k runs of a law on a lattice have few different losses; a
loss known as a ball has a coordinate of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import gcd, lcm
from typing import TYPE_CHECKING, Any, Literal

from dpaudit.errors import LawError
from dpaudit.numbers.ball import Ball, PrecisionNeeded, Sign, sign
from dpaudit.numbers.real import ONE, ZERO, Real, rational

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from dpaudit.laws.law import Atom, Divergence

__all__ = ["Kind", "LossClass", "Outcomes", "outcomes", "spaced", "unit_vectors"]

Kind = Literal["rational", "closed", "ball"]
"""Representation of masses: integers over a common denominator, closed forms, or balls."""

_MOST_OUTPUTS = 1_000_000
"""A law that lists more outputs is refused."""

_LOGARITHM_BITS = 48
"""Ratios of larger integers are not factored: their losses count as unrelated."""


@dataclass(frozen=True, slots=True)
class LossClass:
    """Outputs of one finite privacy loss."""

    p: Any
    """The mass under P: int, Real or Ball, as the kind of its :class:`Outcomes` says."""
    q: Any
    """The mass under Q."""
    vector: tuple[int, ...]
    """Non-negative coordinates of the loss, up to a constant that all outcomes share."""


@dataclass(frozen=True)
class Outcomes:
    """The outcomes of one run under two laws P and Q.

    Outputs that only one side can produce are in none of the outcomes.  Whatever mass P and Q have
    beyond the outcomes belongs to those or, for the kind ``ball`` only, to a tail that the law does
    not list.
    """

    kind: Kind
    """Representation of the masses."""
    unit: int
    """Masses of kind ``rational`` are multiples of 1/unit; 1 for the other kinds."""
    finite: tuple[LossClass, ...]
    """One outcome for each finite loss."""
    only_p: Ball
    """Mass of P that is known to lie where Q has none."""
    only_q: Ball
    """Mass of Q that is known to lie where P has none."""

    def as_balls(self) -> Outcomes:
        """Return the same outcomes with masses as balls at the working precision."""
        if self.kind == "ball":
            return self
        finite = tuple(
            LossClass(self.ball(one.p), self.ball(one.q), one.vector) for one in self.finite
        )
        return Outcomes("ball", 1, finite, self.only_p, self.only_q)

    def ball(self, mass: Any) -> Ball:
        """Return a mass of one run as a ball."""
        if self.kind == "rational":
            return Ball(int(mass)) / self.unit
        found: Ball = mass.ball() if self.kind == "closed" else mass
        return found


def outcomes(divergence: Divergence) -> Outcomes:
    """Return the outcomes of one run at the working precision.

    A law with infinitely many classes of equal loss must list finitely many of them; the rest is
    taken for a tail of unknown loss.  Raises ``LawError`` where they do not come to an end.
    """
    finite: list[Atom] = []
    only: list[list[Atom]] = [[], []]
    for atom in _listed(divergence, forward=True):
        if sign(atom.p) is sign(atom.q) is Sign.UNDECIDED:
            continue  # no more than a bound of a tail
        if sign(atom.p) is not Sign.ZERO:
            (only[0] if sign(atom.q) is Sign.ZERO else finite).append(atom)
    for atom in _listed(divergence, forward=False):
        if sign(atom.q) is Sign.ZERO:
            only[1].append(atom)
    lacking = [sum((atom.p for atom in side), Ball(0)) for side in only]
    exact = [atom.exact for atom in finite if atom.exact is not None]
    if len(exact) < len(finite) or not _is_complete(exact, only):
        known = zip(finite, _vectors(_exact_losses(divergence, finite)), strict=True)
        balls = tuple(LossClass(atom.p, atom.q, vector) for atom, vector in known)
        return Outcomes("ball", 1, balls, *lacking)
    fractions = [(p.as_fraction(), q.as_fraction()) for p, q in exact]
    ratios = [(p, q) for p, q in fractions if p is not None and q is not None]
    if len(ratios) == len(exact):
        return _rational(ratios, *lacking)
    return _closed(exact, _exact_losses(divergence, finite), *lacking)


def spaced(
    divergence: Divergence, *, forward: bool
) -> tuple[Real, Real, list[tuple[int, Ball, Ball]]] | None:
    """Return step, offset and (index, mass, other mass) of a pair whose losses are evenly spaced.

    A loss is offset + index·step then, exactly; None where the losses are not known to be so, or
    are all one.  Outputs of one side, and tails, are left out.
    """
    atoms = [
        atom
        for atom in _listed(divergence, forward=forward)
        if sign(atom.p) is sign(atom.q) is Sign.POSITIVE
    ]
    losses = []
    for atom in atoms:
        known = _exact_loss(divergence, atom, forward=forward)
        ratio = None if atom.exact is None else (atom.exact[0] / atom.exact[1]).as_fraction()
        loss = known if ratio is None else _logarithm(ratio)
        if loss is None:
            return None
        losses.append(loss)
    vectors = _vectors(losses)
    away = [tuple(a - b for a, b in zip(vector, vectors[0], strict=True)) for vector in vectors]
    base = next((vector for vector in away if any(vector)), None)
    if base is None:
        return None
    unit = gcd(*base)
    base = tuple(part // unit for part in base)
    place = next(index for index, part in enumerate(base) if part)
    times = [vector[place] // base[place] for vector in away]
    if any(
        tuple(part * time for part in base) != vector
        for vector, time in zip(away, times, strict=True)
    ):
        return None
    unit = gcd(*times)
    highest, lowest = max(range(len(times)), key=times.__getitem__), min(times)
    other = times.index(lowest)
    step = (losses[highest] - losses[other]) / rational((times[highest] - lowest) // unit)
    if step.sign() is Sign.NEGATIVE:
        unit, step = -unit, -step
    start = losses[0]
    return (
        step,
        start,
        [(time // unit, atom.p, atom.q) for time, atom in zip(times, atoms, strict=True)],
    )


def _exact_losses(divergence: Divergence, atoms: Sequence[Atom]) -> list[Real | None]:
    return [_exact_loss(divergence, atom, forward=True) for atom in atoms]


def _exact_loss(divergence: Divergence, atom: Atom, *, forward: bool) -> Real | None:
    """Return the loss of an atom in closed form, None where none is known."""
    try:
        return divergence.loss_at(atom.output, forward=forward).exact
    except (PrecisionNeeded, ValueError):  # a group without an output that stands for it
        return None


def _listed(divergence: Divergence, *, forward: bool) -> Iterator[Atom]:
    for count, atom in enumerate(divergence.atoms(forward=forward), start=1):
        if count > _MOST_OUTPUTS:
            raise LawError(
                f"a dataset has more than {_MOST_OUTPUTS} outputs, which is the limit for "
                "composition"
            )
        yield atom


def _is_complete(finite: Sequence[tuple[Real, Real]], only: Sequence[Sequence[Atom]]) -> bool:
    """Tell whether the masses on each side add up to exactly 1, so that no tail is missing."""
    for side, atoms in enumerate(only):
        total = sum((pair[side] for pair in finite), ZERO)
        for atom in atoms:
            if atom.exact is None:
                return False
            total += atom.exact[0]
        if total != ONE:
            return False
    return True


def _rational(masses: Sequence[tuple[Fraction, Fraction]], only_p: Ball, only_q: Ball) -> Outcomes:
    merged: dict[Fraction, list[Fraction]] = {}
    for p, q in masses:
        total = merged.setdefault(p / q, [Fraction(0), Fraction(0)])
        total[0] += p
        total[1] += q
    unit = lcm(*(mass.denominator for pair in merged.values() for mass in pair))
    vectors = _vectors([_logarithm(ratio) for ratio in merged])
    finite = tuple(
        LossClass(int(p * unit), int(q * unit), vector)
        for (p, q), vector in zip(merged.values(), vectors, strict=True)
    )
    return Outcomes("rational", unit, finite, only_p, only_q)


def _logarithm(ratio: Fraction) -> Real | None:
    if max(ratio.numerator.bit_length(), ratio.denominator.bit_length()) > _LOGARITHM_BITS:
        return None
    return rational(ratio).ln()


def _closed(
    masses: Sequence[tuple[Real, Real]], losses: Sequence[Real | None], only_p: Ball, only_q: Ball
) -> Outcomes:
    merged: dict[Real | int, list[Real]] = {}
    for index, ((p, q), loss) in enumerate(zip(masses, losses, strict=True)):
        total = merged.setdefault(index if loss is None else loss, [ZERO, ZERO])
        total[0] += p
        total[1] += q
    vectors = _vectors([loss if isinstance(loss, Real) else None for loss in merged])
    finite = tuple(
        LossClass(p, q, vector) for (p, q), vector in zip(merged.values(), vectors, strict=True)
    )
    return Outcomes("closed", 1, finite, only_p, only_q)


def unit_vectors(count: int) -> Iterator[tuple[int, ...]]:
    """Give ``count`` unrelated vectors; the last may be zero, as the number of runs is fixed."""
    for index in range(count):
        yield tuple(int(place == index) for place in range(count - 1))


def _vectors(losses: Sequence[Real | None]) -> list[tuple[int, ...]]:
    """Return integer coordinates ≥ 0 of the losses over their terms; None is a term of its own."""
    rows: list[dict[Hashable, Fraction]] = [
        {} if loss is None else dict(loss.coordinates().items()) for loss in losses
    ]
    columns = dict.fromkeys(term for row in rows for term in row)
    unrelated = [index for index, loss in enumerate(losses) if loss is None]
    own = _own_terms(len(unrelated))
    if not columns and len(unrelated) == len(losses):
        return list(own)
    vectors: list[list[int]] = [[] for _ in rows]
    for term in columns:
        column = [row.get(term, Fraction(0)) for row in rows]
        low = min(column)
        scale = lcm(*((value - low).denominator for value in column))
        for vector, value in zip(vectors, column, strict=True):
            vector.append(int((value - low) * scale))
    places = dict(zip(unrelated, own, strict=True))
    none = (0,) * len(unrelated)
    return [(*vector, *places.get(index, none)) for index, vector in enumerate(vectors)]


@lru_cache(maxsize=8)
def _own_terms(count: int) -> tuple[tuple[int, ...], ...]:
    """Return ``count`` vectors, each of a term of its own; all pairs of a size share them."""
    return tuple(tuple(int(place == index) for place in range(count)) for index in range(count))
