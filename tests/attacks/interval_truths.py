"""Why a changed line over a piece of an interval is still true: by the engine at points."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dpaudit import check

__all__ = ["line_true"]

_DIGITS = 80


def line_true(mutant: Any, place: tuple[Any, ...]) -> str:
    """Return why the lines of a piece are true: at its ends and in its middle, the engine's are.

    Of verdicts and worst pairs nothing is said.
    """
    size = mutant["results"][place[1]]
    at = place.index("pieces") + 2
    if len(place) > at and place[at] not in ("lower", "upper", "delta"):
        return ""
    piece = _at(mutant, place[:at])
    band = _at(mutant, place[: at - 2]) if "bands" in place else None
    first, last = Fraction(piece["first"]), Fraction(piece["last"])
    for there in (first, (first + last) / 2, last):
        share = (there - first) / (last - first)
        point = _point(mutant, size["n"], there, band)
        claims = [(piece, point.delta if band else point.epsilon)]
        claims += [(piece["delta"], point.delta)] if piece.get("delta") else []
        for lines, value in claims:
            lower, upper = (_height(lines[side], share) for side in ("lower", "upper"))
            if lower is None and value.lower.is_finite():
                return ""
            if lower is not None and value.upper.is_finite() and lower > Fraction(value.lower):
                return ""
            if upper is not None and not upper >= Fraction(value.upper):
                return ""
    return "the engine finds the same on both sides of the lines"


def _height(line: list[str], share: Fraction) -> Fraction | None:
    if "inf" in line:
        return None
    first, last = map(Fraction, line)
    return first + share * (last - first)


def _point(mutant: Any, n: int, there: Fraction, band: Any) -> Any:
    """The audit at one value of the parameter."""
    parameters = {key: part for key, part in mutant["mechanism"].items() if key != "name"}
    parameters[mutant.get("parameter", "epsilon")] = str(there)
    if band is None:
        epsilon = mutant["budget"]["epsilon"] or str(there)
    elif band.get("ratio") is not None:
        epsilon = str(Fraction(band["ratio"]) * there)
    else:
        epsilon = band["epsilon"]
    budget = [epsilon, "1/2"]
    name, relation = mutant["mechanism"]["name"], mutant["adjacency"]
    found = check(name, n=n, budget=budget, adjacency=relation, digits=_DIGITS, **parameters)
    return found.audit.results[0]


def _at(document: Any, place: tuple[Any, ...]) -> Any:
    for key in place:
        document = document[key]
    return document
