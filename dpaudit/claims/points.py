"""Points of a statement's domain, always the same, and what it comes to at them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import chain
from math import ceil, floor
from typing import TYPE_CHECKING

from dpaudit.claims.elementary import Undefined
from dpaudit.claims.evaluate import certain, confirmed
from dpaudit.claims.lists import examples
from dpaudit.claims.meaning import OF_LISTS
from dpaudit.claims.polynomial import Polynomial, constant, variable
from dpaudit.claims.rationals import exact
from dpaudit.claims.terms import RELATIONS, Term

if TYPE_CHECKING:
    from dpaudit.claims.statement import Read

__all__ = ["SAMPLES", "Trial", "all_cases", "contains", "place", "points", "try_out"]


Point = dict[str, Fraction]

SAMPLES = 96
"""Number of points of a domain that are tried, besides small whole numbers and those given."""

_SMALL = 7

_MOST_CASES = 5000

_WHOLE = [Fraction(q) for q in (0, 1, 2, 3, 4, 5, 6, 8, 11, 16, 25, 40, -1, -3)]

_REAL = [
    Fraction(text)
    for text in [
        "1",
        "0",
        "1/2",
        "2",
        "1/10",
        "3",
        "3/2",
        "5",
        "1/100",
        "10",
        "7/3",
        "9/10",
        "99/100",
        "30",
        "1/1000",
        "-1",
        "-1/2",
        "-2",
        "-7",
        "100",
    ]
]

_MOST_VISITED = 1200

_WHOLE_SORTS = ("integer", "natural")


def polynomial(term: Term, at: Mapping[str, Fraction]) -> Polynomial | None:
    """Return the polynomial that a term is with the variables of ``at`` put in, or None."""
    match term.head:
        case "number":
            return constant(Fraction(term.value))
        case "name" if term.value != "pi":
            name = str(term.value)
            return constant(at[name]) if name in at else variable(name)
    parts = [polynomial(arg, at) for arg in term.args]
    if any(part is None for part in parts):
        return None
    known = [part for part in parts if part is not None]
    match term.head:
        case "neg":
            return -known[0]
        case "+":
            return known[0] + known[1]
        case "-":
            return known[0] - known[1]
        case "*":
            return known[0] * known[1]
        case "/" if not known[1].variables() and known[1].terms:
            return known[0] * constant(1 / known[1].constant_term())
        case "^" if not known[1].variables():
            power = known[1].constant_term()
            return known[0] ** int(power) if power.denominator == 1 and 0 <= power < 20 else None
    return None


def _difference(relation: Term, at: Point) -> Fraction | None:
    left, right = (exact(arg, at) for arg in relation.args)
    return None if left is None or right is None else left - right


def _edge(relation: Term, name: str, at: Point) -> Fraction | None:
    """Return where ``relation`` becomes an equality in ``name``, if it looks linear in it."""
    found = [_difference(relation, {**at, name: Fraction(q)}) for q in range(3)]
    known = [q for q in found if q is not None]
    if len(known) < 3 or known[2] - 2 * known[1] + known[0] or known[1] == known[0]:
        return None
    return -known[0] / (known[1] - known[0])


def _relations(term: Term) -> Iterator[Term]:
    return (part for part in term.walk() if part.head in RELATIONS)


def _candidates(name: str, sort: str, edges: Iterable[Term], at: Point) -> list[Fraction]:
    """Return values to try for a variable: at the edges and beside them first, then everywhere."""
    if sort in OF_LISTS:
        return examples(sort)
    found: list[Fraction] = []
    for relation in edges:
        if (edge := _edge(relation, name, at)) is None:
            continue
        if sort == "real":
            found += [edge, edge + Fraction(1, 1000), edge - Fraction(1, 1000), edge + 1, edge - 1]
        else:
            found += [
                Fraction(q) for q in (floor(edge), ceil(edge), floor(edge) - 1, ceil(edge) + 1)
            ]
    found += _REAL if sort == "real" else _WHOLE
    return list(dict.fromkeys(found))


def _met(at: Point, domain: Iterable[Term]) -> bool | None:
    """Return whether all parts of the domain whose variables are known hold; None if undecided."""
    found: bool | None = True
    for part in domain:
        names = part.free()
        if not names <= at.keys():
            continue
        truth = _holds_at(part, tuple((name, at[name]) for name in sorted(names)))
        if truth is False:
            return False
        found = found if truth else None
    return found


@lru_cache(maxsize=1 << 17)
def _holds_at(part: Term, values: tuple[tuple[str, Fraction], ...]) -> bool | None:
    """Return whether a part of a domain holds; None if undecided, or without a meaning there.

    Kept, since statements that are alike share most parts of their domains, and points most values.
    """
    try:
        return certain(part, dict(values))
    except (Undefined, ZeroDivisionError):
        return None


def _possible(at: Point, domain: Iterable[Term]) -> bool:
    return _met(at, domain) is True


def _constants(parsed: Read) -> list[Term]:
    """Return the parts of a domain that have no variable."""
    return [part for part in parsed.domain if not part.free()]


def points(parsed: Read, wanted: int = SAMPLES) -> list[Point]:
    """Return points of the domain, always the same: its edges, small cases and points all over."""
    if not _possible({}, _constants(parsed)):
        return []
    edges = [r for part in (*parsed.domain, parsed.proposition) for r in _relations(part)]

    visited = 0

    def extend(at: Point, left: tuple[tuple[str, str], ...], share: int) -> Iterator[Point]:
        """Iterate over at most ``share`` points, from all over the values of the next variable."""
        nonlocal visited
        visited += 1
        if not left:
            yield dict(at)
        if not left or visited > _MOST_VISITED:
            return
        (name, sort), *rest = left
        decided = [part for part in parsed.domain if name in part.free()]
        values = [
            value
            for value in _candidates(name, sort, edges, at)
            if _possible({**at, name: value}, decided)
        ]
        step = max(1, len(values) // share)
        each, got = max(1, share // max(1, len(values))), 0
        for value in [v for start in range(step) for v in values[start::step]]:
            for point in extend({**at, name: value}, tuple(rest), each):
                yield point
                got += 1
                if got >= share:
                    return

    found = list(extend({}, parsed.sorts, wanted))
    if parsed.sorts and all(sort in _WHOLE_SORTS for _, sort in parsed.sorts):
        found += _small_cases(parsed)
    unique = {tuple(sorted(at.items())): at for at in found}
    return list(unique.values())


def _small_cases(parsed: Read) -> list[Point]:
    cases: list[Point] = [{}]
    for name, _ in parsed.sorts:
        decided = [part for part in parsed.domain if name in part.free()]
        cases = [
            {**at, name: Fraction(value)}
            for at in cases
            for value in range(_SMALL + 1)
            if _possible({**at, name: Fraction(value)}, decided)
        ][:300]
    return cases[:SAMPLES]


def all_cases(parsed: Read) -> list[Point] | None:
    """Return every point of a domain that is seen to be finite, or None.

    None too where it is not certain of a point whether it is one of them.
    """
    if (met := _met({}, _constants(parsed))) is None:
        return None
    cases: list[Point] = [{}] if met else []
    for name, sort in parsed.sorts:
        if sort not in _WHOLE_SORTS:
            return None
        decided = [part for part in parsed.domain if name in part.free()]
        longer: list[Point] = []
        for at in cases:
            ends = _ends(name, decided, at)
            if ends is None or ends[1] - ends[0] > _MOST_CASES:
                return None
            found = [{**at, name: Fraction(value)} for value in range(ends[0], ends[1] + 1)]
            known = [_met(further, decided) for further in found]
            if None in known:
                return None
            longer += [further for further, met in zip(found, known, strict=True) if met]
            if len(longer) > _MOST_CASES:
                return None
        cases = longer
    return cases


def _ends(name: str, domain: Iterable[Term], at: Point) -> tuple[int, int] | None:
    """Return whole numbers between which a variable lies, by inequalities linear in it."""
    lows: list[int] = []
    highs: list[int] = []
    for part in domain:
        for link in part.args if part.head == "and" else (part,):
            if link.head not in RELATIONS or link.head == "!=":
                continue
            sides = [polynomial(arg, at) for arg in link.args]
            if sides[0] is None or sides[1] is None:
                continue
            coefficients = dict((sides[0] - sides[1]).terms)
            slope = coefficients.pop(((name, 1),), Fraction(0))
            edge = -coefficients.pop((), Fraction(0))
            if not slope or coefficients:
                continue
            edge, above = edge / slope, (link.head in (">", ">=")) == (slope > 0)
            if above or link.head == "==":
                lows.append(ceil(edge))
            if not above or link.head == "==":
                highs.append(floor(edge))
    return (max(lows), min(highs)) if lows and highs else None


def contains(parsed: Read, at: Mapping[str, Fraction]) -> bool:
    """Return whether a point has every variable, of its sort, and certainly lies in the domain."""

    def fits(value: Fraction, sort: str) -> bool:
        if sort in OF_LISTS:
            return value in examples(sort)
        return sort == "real" or value.denominator == 1

    right = all(name in at and fits(at[name], sort) for name, sort in parsed.sorts)
    return right and len(at) == len(parsed.sorts) and _possible(dict(at), parsed.domain)


@dataclass(frozen=True)
class Trial:
    """Outcome of evaluating a statement at points of its domain."""

    tried: int
    """Number of points evaluated."""
    false_at: Point | None = None
    """A point at which it is false, in balls and in mpmath."""
    true_at: Point | None = None
    """A point at which it is true, in balls and in mpmath."""
    undefined: str = ""
    """Point at which the statement has no meaning, and the reason; empty if none was met."""
    every: bool = False
    """True if these are all points of the domain, and each was decided."""


def try_out(parsed: Read, given: Iterable[Mapping[str, Fraction]] = ()) -> Trial:
    """Evaluate a statement at the points given and at points of its domain, in balls and mpmath.

    For a domain that is seen to be finite these are all points; a universal statement that is
    false somewhere, or an existential one that is true somewhere, is decided there and then.
    """
    decisive = not parsed.forall
    every: list[Point] | None = None
    first: dict[bool, Point] = {}
    undefined, undecided, tried = "", 0, 0

    def look(at: Point, *, whole: bool) -> bool | None:
        truth = certain(parsed.proposition, at)
        return confirmed(parsed.proposition, at) if whole or truth is decisive else truth

    def batches() -> Iterator[list[Point]]:
        nonlocal every
        yield [dict(at) for at in given if contains(parsed, at)]
        every = all_cases(parsed)
        yield points(parsed) if every is None else every

    for at in chain.from_iterable(batches()):
        tried += 1
        try:
            truth = look(at, whole=every is not None)
        except (Undefined, ZeroDivisionError) as error:
            undefined = undefined or f"{place(at)}: {error}"
            continue
        if truth is None:
            undecided += 1
            continue
        first.setdefault(truth, at)
        if truth is decisive:
            break
    complete = every is not None and not undecided and not undefined and tried > 0
    return Trial(tried, first.get(False), first.get(True), undefined, complete)


def place(at: Mapping[str, Fraction]) -> str:
    """Return a point as text."""
    return ", ".join(f"{name} = {value}" for name, value in at.items()) or "there"
