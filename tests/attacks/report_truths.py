"""Why a changed report that is accepted is true: by what the engine finds at more digits.

Nothing here asks the second definitions.  A change that nothing below explains counts as a false
statement that was accepted.
"""

from __future__ import annotations

import json
import re
from fractions import Fraction
from itertools import pairwise
from math import inf
from typing import Any

from dpaudit import check
from dpaudit.api.plans import mechanism
from dpaudit.errors import LawError
from dpaudit.numbers.ball import Sign, precision
from dpaudit.numbers.ball import ball as to_ball
from dpaudit.numbers.real import order, real
from tests.attacks.interval_truths import line_true

__all__ = ["TAKEN", "why_true"]

Place = tuple[Any, ...]
_BITS = 400
_ENDS = ((), ("lower",), ("upper",), ("exact",))
_LISTS = ("claims", "curve", "mechanisms", "reports", "rows", "values")
"""Lists of statements that are true one by one."""
TAKEN = {
    r"(.*\.)?(reason|message|note|no_error|title|location(\..*)?)": "messages in words",
    r"config|config_sha256": "the gate's configuration",
    r"(.*\.)?events(_n|\..*)?": "the events that a gate's figures are drawn from",
    r"claims(\..*)?": "the verdicts of claims",
    r"(.*\.)?results\.\*\.(audits|beyond(\..*)?)": "how many nominal ε were tried",
    r"(.*\.)?loaded\.reference": "where a mechanism was loaded from",
    r"(.*\.)?fingerprint": "which code made it",
    r"discretisation|rows\.\*\.(pessimistic|optimistic|dominating|adaptive_upper).*": (
        "the estimates of dp-accounting"
    ),
    r"(.*\.)?(upper|lower)\.\*\.outputs": "how many outputs the events of a curve consist of",
    r"(.*\.)?budget_implied": "that the budget is the one you mean",
    r"data(\..*)?": "the file of the data",
    r"width|rows\.\*\.method|interrupted|unmet|refused(\..*)?": "how it was computed",
    r"rows\.\*\.adaptive_upper": "the bounds for adaptive runs",
    r"(.*\.)?witness\.type_(one|two)": "the last digits of the errors of tests",
    r"(.*\.)?witness\.order": "that no order gives more than the one shown",
}
"""What a recheck says that it takes from the report, by the place; the words have to be there."""


def why_true(original: Any, precise: Any, mutant: Any, place: Place, taken: list[str]) -> str:
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
    if not place:
        missing = original.keys() - mutant.keys() - {"fingerprint"}
        empty = all(original[key] in (None, "", "nats", False) for key in missing)
        same = empty and original | mutant | {"sha256": ""} == original | {"sha256": ""}
        return "what is left out is read as it was" if same else ""
    here, there = _at(original, place), _at(mutant, place)
    if isinstance(here, str) and isinstance(there, str) and _same_value(here, there):
        return "the same number"
    if place[-1] == "mechanism" and isinstance(there, str) and there.lower() == here.lower():
        return "names of mechanisms are read in either case"
    if place[-1] == "digits" and all(_narrow(part, there) for part in _intervals(mutant)):
        return "every interval is as narrow as that"
    if place[-1] == "tolerance" and Fraction(here) <= Fraction(there):
        return "what is within a tolerance is within a larger one"
    if place[-1] in _LISTS and _only_fewer(here, there):
        return "fewer statements, all of them true"
    if "pieces" in place:
        return line_true(mutant, place)
    return _by_the_engine(original, precise, mutant, place)


def _by_the_engine(original: Any, precise: Any, mutant: Any, place: Place) -> str:
    """Compute again what was changed."""
    if "ratio" in place and _at(mutant, (*place[: place.index("error")], "gain", "exact")) == "1":
        part = _at(mutant, place[: place.index("ratio") + 1])
        return _interval_true({"lower": "1", "upper": "1"}, part)  # nothing was changed
    for side in ("upper", "lower"):
        if side in place and isinstance(_at(mutant, place[: place.index(side) + 1]), list):
            rest = place[place.index(side) + 1 :]
            if not rest or rest[-1] in ("p", "q"):
                return _hull_true(precise, mutant, place[: place.index(side)], side)
    if "mechanism" in place[:-1]:
        return _same_laws(original, mutant, place) or _again(mutant, place)
    if "budget" in place:
        return _verdicts_true(precise, mutant, place[: place.index("budget")])
    for depth in range(len(place), 0, -1):
        part = _at(mutant, place[:depth])
        if not isinstance(part, dict):
            continue
        if "lower" in part and place[depth:] in _ENDS:
            return _interval_true(_at(precise, place[:depth]), part)
        if {"p", "q", "x", "y"} <= set(part):
            return _event_true(mutant, place[:depth], part)
        if place[depth:] == ("epsilon",) and "lower" in part:
            return _at_another(mutant, place, part)
        if {"x", "y"} <= set(part):
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
        return order(real(here), real(there)) is Sign.ZERO
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
    return bool(upper - lower <= max(Fraction(1), upper) / 10**digits)


def _hull_true(precise: Any, mutant: Any, place: Place, side: str) -> str:
    """An upper hull has to be above the one at more digits, every vertex of a lower one below."""
    hulls = [_points(_at(one, place), side) for one in (mutant, precise)]
    upper, points = hulls if side == "upper" else reversed(hulls)
    below = all(p <= _height(upper, q) for q, p in points)
    return "all events are on the right side of the hull" if below else ""


def _height(hull: list[tuple[Fraction, Fraction]], q: Fraction) -> Fraction:
    """A hull at q; beyond its last point it goes on level."""
    for (left, low), (right, high) in pairwise(hull):
        if left <= q < right:
            return low + (high - low) * (q - left) / (right - left)
    return hull[-1][1]


def _points(size: Any, side: str) -> list[tuple[Fraction, Fraction]]:
    scale = 2 ** size["scale_bits"]
    return [(Fraction(int(v["q"]), scale), Fraction(int(v["p"]), scale)) for v in size[side]]


def _only_fewer(here: Any, there: Any) -> bool:
    if not isinstance(here, list) or not isinstance(there, list):
        return False
    return all(one in here for one in there)


def _interval_true(precise: Any, part: Any) -> str:
    """A wider interval that contains the one at more digits is true."""
    if not all(isinstance(part.get(end), str) for end in ("lower", "upper")):
        return ""
    ends, truth = (
        [inf if one[end] == "inf" else Fraction(one[end]) for end in ("lower", "upper")]
        for one in (part, precise)
    )
    if part.get("exact") is not None and part["exact"] != precise.get("exact"):
        return ""
    inside = ends[0] <= truth[0] and truth[1] <= ends[1]
    return "the interval contains the true value" if inside else ""


def _at_pair(mutant: Any, precise: Any, place: Place, part: Any) -> str:
    """A witness, or the pair of a δ: compute what is said of it at the pair that is shown."""
    with precision(_BITS):
        both = _both(mutant, place, part)
        if "output" in part and "loss" in part:
            loss = both.loss_at(_value(part["output"]), forward=True)
            return _ball_in(loss.ball, part["loss"], "the loss of this output")
        truth = _at(precise, place)
        try:
            same = _masses(both) == _masses(_both(precise, place, truth))
        except LawError:  # noise with a density, which is symmetric
            same = sorted(map(str, (part["x"], part["y"]))) == sorted(
                map(str, (truth["x"], truth["y"]))
            )
    return "a pair of the same two laws" if same else ""


def _masses(both: Any) -> list[tuple[str, str]]:
    """The probabilities of all outputs, to as many digits as tell laws apart."""
    return sorted(
        (f"{float(atom.p):.11e}", f"{float(atom.q):.11e}") for atom in both.atoms(forward=True)
    )


def _same_laws(original: Any, mutant: Any, place: Place) -> str:
    """Other parameters are of no account where every dataset keeps its law."""
    subject = _subject(mutant, place)
    sizes = subject.get("sizes") or [subject["n"]]
    with precision(_BITS):
        made = [_mechanism(_subject(one, place)) for one in (original, mutant)]
        books = [one.laws() for one in made]
        for n in sizes:
            for pair in made[0].adjacency(subject["adjacency"]).pairs(n):
                for dataset in pair:
                    loss = [
                        books[0]
                        .law(dataset)
                        .divergence_from(books[1].law(dataset))
                        .max_loss(forward=way)
                        for way in (True, False)
                    ]
                    if not all(one.ball.is_finite() and float(one.ball) < 1e-50 for one in loss):
                        return ""
    return "every dataset has the law that it had"


def _again(mutant: Any, place: Place) -> str:
    """Audit anew what the changed report says that was audited."""
    subject = _subject(mutant, place)
    if subject.get("schema") != "dpaudit.audit/1":
        return ""
    parameters = {key: value for key, value in subject["mechanism"].items() if key != "name"}
    found = json.loads(
        check(
            subject["mechanism"]["name"],
            n=",".join(map(str, subject["sizes"])),
            budget=[subject["budget"]["epsilon"], subject["budget"]["delta"]],
            adjacency=subject["adjacency"],
            at=subject["at"],
            digits=30,
            at_eps=[point["epsilon"] for point in subject["results"][0]["curve"]],
            **parameters,
        ).to_json()
    )
    for here, there in zip(subject["results"], found["results"], strict=True):
        intervals = [(one["epsilon"], one["delta"], *one["curve"]) for one in (there, here)]
        if here["verdict"] != there["verdict"] or here["pairs"] != there["pairs"]:
            return ""
        if not all(map(_interval_true, *intervals)):
            return ""
    return "an audit of what it says finds the same"


def _at_another(mutant: Any, place: Place, part: Any) -> str:
    """δ at another ε is 0 where no loss is as large; nothing else is taken for true here."""
    subject = _subject(mutant, place)
    realised = [subject, *subject.get("results", [])]
    largest = next(
        (one["epsilon"] for one in realised if isinstance(one.get("epsilon"), dict)), None
    )
    if part["upper"] != "0" or largest is None or largest["upper"] == "inf":
        return ""
    above = order(real(part["epsilon"]), real(largest["upper"])) is not Sign.NEGATIVE
    return "no loss is as large as that" if above else ""


def _both(mutant: Any, place: Place, part: Any) -> Any:
    """The laws at the pair that is shown, side by side."""
    subject = _subject(mutant, place)
    book = _mechanism(subject, _nominal(mutant, place)).laws()
    return book.law(_value(part["x"])).divergence_from(book.law(_value(part["y"])))


def _nominal(mutant: Any, place: Place) -> dict[str, str]:
    """The nominal ε of one of the audits of a calibration."""
    for name, shown in (("realised", "nominal"), ("exceeded", "failing")):
        if name in place:
            return {"epsilon": _at(mutant, (*place[: place.index(name)], shown))}
    return {}


def _mechanism(subject: Any, nominal: dict[str, str] | None = None) -> Any:
    parameters = {**subject["mechanism"], **(nominal or {})}
    del parameters["name"]
    loaded = subject.get("loaded")
    return mechanism(loaded["reference"] if loaded else subject["mechanism"]["name"], **parameters)


def _event_true(mutant: Any, place: Place, part: Any) -> str:
    """An event of the pair that is shown: its outputs by decreasing loss, so many of them."""
    scale = 2 ** _at(mutant, (*place[:-2], "scale_bits"))
    with precision(_BITS):
        masses = [(atom.p, atom.q) for atom in _both(mutant, place, part).atoms(forward=True)]
        masses.sort(key=lambda mass: float(mass[0] / mass[1]), reverse=True)
        for index, which in enumerate("pq"):
            mass = sum((mass[index] for mass in masses[: part["outputs"]]), start=to_ball(0))
            if abs(Fraction(int(part[which]), scale) - Fraction(float(mass))) > Fraction(1, 10**14):
                return ""
    return "an event of this pair with these probabilities"


def _verdicts_true(precise: Any, mutant: Any, place: Place) -> str:
    """Another budget: the verdicts have to be those that it makes of the true values."""
    subject, budget = _at(precise, place), _at(mutant, (*place, "budget"))
    for there in _judged(subject):
        if "value" in there:
            side = _side(there["value"], budget)
        else:
            side = _side(there["epsilon"], budget["epsilon"])
            if side != "within" and real(budget["delta"]) != real(0):
                side = _side(there["delta"], budget["delta"])
        if side != there["verdict"]:
            return ""
    return "the verdicts are those that this budget makes"


def _judged(document: Any) -> list[Any]:
    if isinstance(document, list):
        return [found for part in document for found in _judged(part)]
    if not isinstance(document, dict):
        return []
    found = [inner for part in document.values() for inner in _judged(part)]
    if "verdict" in document and ("value" in document or {"epsilon", "delta"} <= set(document)):
        found.append(document)
    return found


def _side(interval: Any, bound: str) -> str:
    limit = real(bound)
    if interval["upper"] != "inf" and order(real(interval["upper"]), limit) is not Sign.POSITIVE:
        return "within"
    if interval["lower"] == "inf" or order(real(interval["lower"]), limit) is Sign.POSITIVE:
        return "exceeds"
    return "undecided"


def _ball_in(ball: Any, interval: Any, what: str) -> str:
    if not ball.is_finite():
        return what if interval["upper"] == "inf" else ""
    lower, upper = (Fraction(str(real(interval[end]))) for end in ("lower", "upper"))
    with precision(_BITS):
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
