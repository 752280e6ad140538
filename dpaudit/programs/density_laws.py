"""The law of a program that gives out continuous draws."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dpaudit.errors import LawError
from dpaudit.laws.densities import DensityLaw
from dpaudit.numbers.real import Real
from dpaudit.programs.densities import term
from dpaudit.programs.integrals import Weight, product
from dpaudit.programs.mixtures import merged
from dpaudit.programs.printed import Printed
from dpaudit.programs.refusal import Refused
from dpaudit.programs.wholes import chance

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from dpaudit.laws.parts import Term
    from dpaudit.programs.regions import Region

__all__ = ["density_law"]


def density_law(
    masses: Mapping[Hashable, Weight],
    regions: Mapping[Hashable, Sequence[Region]],
    known: dict[Hashable, tuple[Term, ...]],
) -> DensityLaw:
    """Return the law of outputs whose probabilities are ``masses``, with their densities.

    Those that are ``known`` exactly are taken from there, and added.

    Raises ``LawError`` for a density that is not followed.
    """
    try:
        terms: dict[Hashable, tuple[Term, ...]] = {
            output: known.get(output) or _terms(output, found, known)
            for output, found in regions.items()
            if isinstance(output, Printed)
        }
    except Refused as refusal:
        raise LawError(str(refusal)) from None
    frames = {output: found[0].frame for output, found in regions.items()}

    def shown(output: Hashable, texts: Sequence[str]) -> Hashable:
        return (
            output.shown(texts, frames.get(output, ())) if isinstance(output, Printed) else output
        )

    return DensityLaw(masses, terms, shown)


def _terms(
    output: Hashable, regions: Sequence[Region], known: dict[Hashable, tuple[Term, ...]]
) -> tuple[Term, ...]:
    found = merged([_term(region) for region in _of_one_frame(regions)])
    if all(isinstance(one.weight, Real) and isinstance(one.bare, Real) for one in found):
        known[output] = found
    return found


def _of_one_frame(regions: Sequence[Region]) -> Sequence[Region]:
    if len({region.frame for region in regions}) > 1:
        raise Refused("outputs of one form mix their draws in different ways", inside=False)
    return regions


def _term(region: Region) -> Term:
    weight: Weight = region.weight
    for draw, support in region.wholes:
        weight = product(weight, chance(draw, support))
    found = term(*region.placed, region.forms, weight)
    return replace(found, frame=region.frame) if region.frame else found
