"""Why a changed report that is accepted is true: by what the engine finds at more digits.

Nothing here asks the second definitions.  A change that nothing below explains counts as a false
statement that was accepted.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

from dpaudit.api.plans import mechanism
from dpaudit.exact.ball import precision
from dpaudit.exact.real import real

__all__ = ["TAKEN", "why_true"]

Place = tuple[Any, ...]
_BITS = 400

TAKEN = {
    r"(.*\.)?(reason|message|note|no_error)": "messages in words",
    r"(.*\.)?title": "messages in words",
    r"(.*\.)?location(\..*)?": "messages in words",
    r"config|config_sha256": "the gate's configuration",
    r"(.*\.)?events(_n|\..*)?": "the events that a gate's figures are drawn from",
    r"claims(\..*)?": "the verdicts of claims",
    r"(.*\.)?results\.\*\.(audits|beyond(\..*)?)": "how many nominal ε were tried",
    r"(.*\.)?loaded\.reference": "where a mechanism was loaded from",
    r"discretisation|rows\.\*\.(pessimistic|optimistic|dominating|adaptive_upper).*": (
        "what dp-accounting estimates"
    ),
    r"(.*\.)?(upper|lower)\.\*\.outputs": "how many outputs the events of a curve consist of",
    r"(.*\.)?witness\.(type_one|type_two|order)": "rounded",
}
"""What a recheck says that it takes from the report, by the place; the words have to be there."""


def why_true(
    original: Any, precise: Any, mutant: Any, place: Place, taken: list[str]
) -> str:
    """Return why what was changed at ``place`` is still true; empty where nothing says so.

    Args:
        original: the report as the engine wrote it.
        precise: the same at more digits.
        mutant: the report as it was accepted.
        place: where it was changed.
        taken: what the recheck says that it took from the report.
    """
    shape = ".".join("*" if isinstance(key, int) else key for key in place)
    for pattern, words in TAKEN.items():
        if re.fullmatch(pattern, shape) and any(words in one for one in taken):
            return words
    here, there = _at(original, place), _at(mutant, place)
    if isinstance(here, str) and isinstance(there, str) and _same_value(here, there):
        return "the same number"
    if place[-1] == "digits" and all(_narrow(part, there) for part in _intervals(mutant)):
        return "every interval is as narrow as that"
    if len(place) > 2 and place[-3] in ("upper", "lower") and place[-1] in ("p", "q"):
        return _vertex_true(original, precise, mutant, place)
    if _only_fewer(here, there) and place[-1] in ("curve", "values", "rows"):
        return "fewer statements, all of them true"
    for depth in range(len(place), 0, -1):
        part = _at(mutant, place[:depth])
        if isinstance(part, dict) and "lower" in part and "upper" in part and "x" not in part:
            return _interval_true(_at(precise, place[:depth]), part)
        if isinstance(part, dict) and {"x", "y"} <= set(part):
            return _at_pair(mutant, precise, place[:depth], part)
    return ""


def _at(document: Any, place: Place) -> Any:
    for key in place:
        try:
            document = document[key]
        except (KeyError, IndexError, TypeError):
            return None
    return document


def _same_value(here: str, there: str) -> bool:
    try:
        return bool(real(here) == real(there))
    except Exception:
        return False


def _intervals(document: Any) -> list[Any]:
    if isinstance(document, list):
        return [found for part in document for found in _intervals(part)]
    if not isinstance(document, dict):
        return []
    found = [inner for part in document.values() for inner in _intervals(part)]
    return [document, *found] if {"lower", "upper"} <= set(document) else found


def _narrow(part: Any, digits: int) -> bool:
    if isinstance(part["lower"], list) or part["upper"] == "inf":
        return True
    lower, upper = Fraction(part["lower"]), Fraction(part["upper"])
    return upper - lower <= max(Fraction(1), upper) / 10**digits


def _vertex_true(original: Any, precise: Any, mutant: Any, place: Place) -> str:
    """A vertex that is further out than it was is a bound all the same."""
    side, which = place[-3], place[-1]
    hulls = [_at(one, place[:-2]) for one in (original, precise, mutant)]
    if len(hulls[0]) != len(hulls[1]):
        return ""
    _, there, here = (
        Fraction(int(_at(one, place)), 2 ** _at(one, (*place[:-3], "scale_bits")))
        for one in (original, precise, mutant)
    )
    further = here >= there if (side == "upper") is (which == "p") else here <= there
    return "the vertex is further out than the event at more digits" if further else ""


def _only_fewer(here: Any, there: Any) -> bool:
    if not isinstance(here, list) or not isinstance(there, list):
        return False
    return all(one in here for one in there) and len(there) == len({str(one) for one in there})


def _interval_true(precise: Any, part: Any) -> str:
    """A wider interval that contains the one at more digits is true."""
    ends = [Fraction(end) if end != "inf" else None for end in (part["lower"], part["upper"])]
    truth = [Fraction(end) if end != "inf" else None for end in (precise["lower"], precise["upper"])]
    if part.get("exact") is not None and part["exact"] != precise.get("exact"):
        return ""
    if None in truth:
        return "infinite" if ends[1] is None and (ends[0] is None) is (truth[0] is None) else ""
    below = ends[0] is not None and ends[0] <= truth[0]
    above = ends[1] is None or ends[1] >= truth[1]
    return "the interval contains the true value" if below and above else ""


def _at_pair(mutant: Any, precise: Any, place: Place, part: Any) -> str:
    """A witness, or the pair of a δ: compute what is said of it at the pair that is shown."""
    subject = _subject(mutant, place)
    if subject is None:
        return ""
    parameters = {key: value for key, value in subject["mechanism"].items() if key != "name"}
    loaded = subject.get("loaded")
    made = mechanism(loaded["reference"] if loaded else subject["mechanism"]["name"], **parameters)
    x, y = _value(part["x"]), _value(part["y"])
    with precision(_BITS):
        book = made.laws()
        both = book.law(x).versus(book.law(y))
        if "output" in part and "loss" in part:
            loss = both.loss_at(_value(part["output"]), forward=True)
            return _ball_in(loss.ball, part["loss"], "the loss of this output")
        if "epsilon" in part:
            delta = both.hockey_stick(real(part["epsilon"]), forward=True)
            true = _interval_true(_at(precise, place), part)
            return true and _ball_in(delta.ball, part, "δ at this pair")
    return ""


def _ball_in(ball: Any, interval: Any, what: str) -> str:
    if not ball.is_finite():
        return what if interval["upper"] == "inf" else ""
    lower, upper = (Fraction(str(real(interval[end]))) for end in ("lower", "upper"))
    with precision(_BITS):
        from dpaudit.exact.ball import ball as to_ball

        inside = (ball - to_ball(lower)).upper() >= 0 and (to_ball(upper) - ball).upper() >= 0
    return what if inside else ""


def _value(shown: Any) -> Any:
    return tuple(map(_value, shown)) if isinstance(shown, list) else shown


def _subject(document: Any, place: Place) -> Any:
    """The innermost report about one mechanism around a place."""
    for depth in range(len(place), -1, -1):
        part = _at(document, place[:depth])
        if isinstance(part, dict) and isinstance(part.get("mechanism"), dict):
            return part
    return None
