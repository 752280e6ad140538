"""Outputs with continuous draws in them: what is fixed of one, and the affine forms in its places.

A place that is an affine function of earlier places (twice the same number, a sum that was printed
as well) has no density of its own: the output lies on a plane, and two planes share no mass.  So
the planes belong to what is fixed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from dpaudit.mechanisms.user_laws import Collected, Mapped, held

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from dpaudit.programs.exploring.run import Terms

__all__ = [
    "Counted", "Decimals", "Form", "Frame", "OpenWhole", "Place", "Printed", "Truth", "framed",
    "planes", "with_places",
]  # fmt: skip

Row = dict[int, Fraction]
Frame = tuple[tuple[Fraction, ...], ...]


class Form(NamedTuple):
    """An affine combination of continuous draws that a run gives out."""

    terms: Terms
    constant: Fraction

    def rescaled(self, scales: Sequence[Fraction]) -> Form:
        """Return the form of draws that are each counted in other units."""
        return Form(tuple((node, a / scales[node]) for node, a in self.terms), self.constant)


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Position in an output of a number that is drawn from a density."""

    index: int

    def __str__(self) -> str:
        """Show it as a number without a value."""
        return "x"

    __repr__ = __str__


@dataclass(frozen=True, slots=True)
class Printed:
    """Fixed part of an output: its places, and the planes that it lies on."""

    fixed: Hashable
    """The output, with a :class:`Place` for each continuous number."""
    free: tuple[int, ...]
    """The places that determine all."""
    planes: tuple[tuple[int, tuple[tuple[int, Fraction], ...], Fraction], ...]
    """Each other place, as an affine function of the free ones."""
    mark: int = field(init=False, repr=False, compare=False)
    """Its hash."""

    def __post_init__(self) -> None:
        """Calculate the hash once: outputs are looked up for every pair of datasets."""
        object.__setattr__(self, "mark", hash((self.fixed, self.free, self.planes)))

    def __hash__(self) -> int:
        """Return the hash of all fields."""
        return self.mark

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what it is; a hash is another one in each process."""
        return Printed, (self.fixed, self.free, self.planes)

    def shown(self, texts: Sequence[str], frame: Frame = ()) -> Hashable:
        """Return the output with a text for each free place, as reports show it.

        The texts are about the coordinates of a ``frame``, if there is one.
        """
        names = dict(zip(self.free, texts, strict=False))
        if frame:
            names = {
                place: " and ".join(
                    f"{_combined(row, self.free)} {text.removeprefix('x ')}"
                    for row, text in zip(frame, texts, strict=False)
                    if text != "any" and max(i for i, a in enumerate(row) if a) == own
                )
                for own, place in enumerate(self.free)
            }
        shown: Hashable = with_places(self.fixed, lambda place: names.get(place.index) or "any")
        return shown

    def __str__(self) -> str:
        """Show the output."""
        return str(self.fixed)


class OpenWhole(NamedTuple):
    """A place of an output: factor·Z + constant, Z the countable draw of that number in the run."""

    number: int
    factor: int | Fraction
    constant: int | Fraction


@dataclass(frozen=True, slots=True)
class Decimals:
    """A number of an output that is a float, as what was rounded to decimals is."""

    number: Any
    """Its place, or what is shown for it."""

    def __str__(self) -> str:
        """Show it as another number than a whole one of the same value."""
        text = str(self.number)
        if "." in text or text == "any":
            return text
        return f"{text}.0" if text.lstrip("-").isdecimal() else f"{text} (float)"

    __repr__ = __str__


@dataclass(frozen=True, slots=True)
class Truth:
    """The place of a True or False of an output, as 1 and 0."""

    place: Place

    def __str__(self) -> str:
        """Show it as a place."""
        return str(self.place)

    __repr__ = __str__


@dataclass(frozen=True, slots=True)
class Counted:
    """Fixed part of an output, with a :class:`Place` for each whole number that is open."""

    fixed: Hashable

    def __str__(self) -> str:
        """Show the output."""
        return str(self.fixed)


def with_places(output: Any, replace: Any) -> Any:
    """Return an output with something else for each place."""
    if isinstance(output, Place):
        return replace(output)
    if isinstance(output, tuple):
        return held(output, [with_places(part, replace) for part in output])
    if type(output) is Decimals:
        return Decimals(with_places(output.number, replace))
    if type(output) is Truth:
        found = replace(output.place)
        return bool(found) if type(found) is int else found
    if type(output) is Mapped:
        return held(output, [(key, with_places(part, replace)) for key, part in output.items])
    if type(output) in (frozenset, Collected):
        return held(output, [with_places(part, replace) for part in output])
    return output


def planes(fixed: Hashable, forms: Sequence[Form]) -> tuple[Printed, tuple[Form, ...]]:
    """Return what is fixed of an output with these forms, and the forms of its free places."""
    reduced: list[tuple[int, Row, Row, Fraction]] = []
    free: list[int] = []
    dependent = []
    for index, form in enumerate(forms):
        row, by, constant = dict(form.terms), {index: Fraction(1)}, form.constant
        for pivot, other, its, its_constant in reduced:
            factor = row.get(pivot, Fraction(0))
            if factor:
                row, by = _less(row, other, factor), _less(by, its, factor)
                constant -= factor * its_constant
        if row:
            pivot = min(row)
            lead = row[pivot]
            row = {node: a / lead for node, a in row.items()}
            reduced.append((pivot, row, {i: b / lead for i, b in by.items()}, constant / lead))
            free.append(index)
        else:  # Σ by·place = constant
            own = by.pop(index)
            coefficients = tuple(sorted((i, -b / own) for i, b in by.items()))
            dependent.append((index, coefficients, constant / own))
    return Printed(fixed, tuple(free), tuple(dependent)), tuple(forms[i] for i in free)


def _less(row: Row, other: Row, factor: Fraction) -> Row:
    """Return row − factor·other."""
    found = dict(row)
    for key, a in other.items():
        found[key] = found.get(key, Fraction(0)) - factor * a
    return {key: a for key, a in found.items() if a}


def framed(forms: Sequence[Form]) -> tuple[Frame, tuple[Form, ...]]:
    """Return coordinates of the free places in which few draws meet, and the forms of these.

    The frame is the matrix that gives the coordinates; it is empty where the places themselves will
    do, because no two of them share a draw.  A linear change of all outputs alike changes no loss.
    """
    used = [node for form in forms for node, _ in form.terms]
    if len(used) == len(set(used)):
        return (), tuple(forms)
    rows = [
        (dict(form.terms), {place: Fraction(1)}, form.constant) for place, form in enumerate(forms)
    ]
    for place in range(len(rows)):
        row, by, constant = rows[place]
        pivot = min(row)
        lead = row[pivot]
        row = {node: a / lead for node, a in row.items()}
        by, constant = {i: b / lead for i, b in by.items()}, constant / lead
        rows[place] = row, by, constant
        for other, (its, its_by, its_constant) in enumerate(rows):
            factor = its.get(pivot)
            if factor and other != place:
                changed = _less(its, row, factor), _less(its_by, by, factor)
                rows[other] = *changed, its_constant - factor * constant
    frame = tuple(tuple(by.get(i, Fraction(0)) for i in range(len(forms))) for _, by, _ in rows)
    return frame, tuple(Form(tuple(sorted(row.items())), constant) for row, _, constant in rows)


def _combined(row: Sequence[Fraction], free: Sequence[int]) -> str:
    """Return a row of a frame as text, with x1 for the first place of an output."""
    parts = [(a, f"x{place + 1}") for a, place in zip(row, free, strict=True) if a]
    text = " ".join(
        f"{'-' if a < 0 else '+'} {'' if abs(a) == 1 else f'{abs(a)}*'}{name}" for a, name in parts
    )
    return text.removeprefix("+ ")
