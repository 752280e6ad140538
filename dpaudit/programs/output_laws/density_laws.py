"""The law of a program that gives out continuous draws."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from dpaudit.errors import LawError
from dpaudit.laws.densities import DensityLaw
from dpaudit.laws.mixed import Mixed, mixed
from dpaudit.laws.parts import Line, Term
from dpaudit.laws.suprema import folded
from dpaudit.numbers.expsum import EXPSUM_ONE
from dpaudit.numbers.piecewise import constant
from dpaudit.numbers.real import ONE, Real, rational
from dpaudit.programs.guarding.refusal import Refused
from dpaudit.programs.output_laws.densities import term
from dpaudit.programs.output_laws.printed_draws import Printed
from dpaudit.programs.unknowns.wholes import chance
from dpaudit.programs.zones.integrals import Weight, plus, product

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from dpaudit.programs.zones.regions import Region

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
    found = _merged([_term(region) for region in _of_one_frame(regions)])
    if all(map(_is_exact, found)):
        known[output] = found
    return found


def _is_exact(term: Term) -> bool:
    weights = term.weight, term.bare
    return all(isinstance(weight, Real) for weight in weights) and all(
        part.is_exact() for part in term.parts if isinstance(part, Mixed)
    )


def _of_one_frame(regions: Sequence[Region]) -> Sequence[Region]:
    if len({region.frame for region in regions}) > 1:
        raise Refused(
            "paths whose outputs have the same shape combine their draws in different ways, which "
            "dpaudit cannot compare",
            inside=False,
        )
    return regions


def _term(region: Region) -> Term:
    weight: Weight = region.weight
    for draw, support in region.wholes:
        weight = product(weight, chance(draw, support))
    found = term(*region.placed, region.forms, weight)
    return replace(found, frame=region.frame) if region.frame else found


def _merged(terms: list[Term]) -> tuple[Term, ...]:
    """Return a mixture with terms joined that differ in one density of a number alone."""
    found = list(terms)
    joined = True
    while joined and len(found) > 1:
        joined = False
        for i in range(len(found)):
            for j in range(i + 1, len(found)):
                both = _joined(found[i], found[j]) or _mixed(found[i], found[j])
                if both is not None:
                    found[i] = both
                    del found[j]
                    joined = True
                    break
            if joined:
                break
    return tuple(found)


def _joined(one: Term, other: Term) -> Term | None:
    if one.groups != other.groups:
        return None
    pairs = list(zip(one.parts, other.parts, strict=True))
    differing = [i for i, pair in enumerate(pairs) if pair[0] != pair[1]]
    ratio = _ratio(other.weight, one.weight)
    if len(differing) > 1:
        return None
    if ratio is not None and not differing:
        weight = product(one.weight, rational(1 + ratio))
        return replace(one, weight=weight, bare=weight, scale=EXPSUM_ONE)
    i = differing[0] if differing else 0
    left, right = pairs[i]
    if not isinstance(left, Line) or not isinstance(right, Line) or left.rate != right.rate:
        return None
    if ratio is not None:
        both = left.function + right.function * constant(EXPSUM_ONE.times(ratio))
        weight, bare, scale = one.weight, one.bare, one.scale
    else:
        ratio = _ratio(other.bare, one.bare)
        if ratio is None or left.rate != ONE:
            return None
        both = left.function * constant(one.scale)
        both += right.function * constant(other.scale.times(ratio))
        weight, bare, scale = one.bare, one.bare, EXPSUM_ONE
    parts = (*one.parts[:i], Line(folded(both, left.rate), left.rate), *one.parts[i + 1 :])
    return replace(one, weight=weight, parts=parts, bare=bare, scale=scale)


def _mixed(one: Term, other: Term) -> Term | None:
    """Return one term for two that differ in a density of one number, as a mixture."""
    if one.groups != other.groups:
        return None
    pairs = list(zip(one.parts, other.parts, strict=True))
    differing = [i for i, pair in enumerate(pairs) if pair[0] != pair[1]]
    if not differing:
        weight = plus(one.weight, other.weight)
        return replace(one, weight=weight, bare=weight, scale=EXPSUM_ONE)
    if len(differing) > 1 or len(one.groups[differing[0]]) > 1:
        return None
    i = differing[0]
    both = mixed([(one.weight, pairs[i][0]), (other.weight, pairs[i][1])])
    parts = (*one.parts[:i], both, *one.parts[i + 1 :])
    return replace(one, weight=ONE, parts=parts, bare=ONE, scale=EXPSUM_ONE)


def _ratio(above: Weight, below: Weight) -> Fraction | None:
    if not isinstance(above, Real) or not isinstance(below, Real):
        return None
    return Fraction(1) if above == below else (above / below).as_fraction()
