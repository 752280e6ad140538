"""Texts of figures: labels tell series apart, the caption holds what they share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import isfinite
from typing import Any

from dpaudit.numbers.real import Real
from dpaudit.report.figures.widths import listed
from dpaudit.report.fitting import printable
from dpaudit.report.table import MOST_SHOWN, relation_text, shortened
from dpaudit.results import Budget, Report, SizeResult, Verdict

__all__ = [
    "SYMBOLS",
    "budget_text",
    "clauses",
    "number_text",
    "parameter_clauses",
    "readable",
    "sizes_clauses",
    "tell_apart",
    "title_of",
    "unfinished",
]

_TITLE, _NUMBER = 48, 18

SYMBOLS = {"epsilon": "ε", "delta": "δ", "gamma": "γ", "beta": "β"}
"""Parameters that are written as symbols."""


def parameter_clauses(parameters: Mapping[str, Any]) -> dict[str, str]:
    """Return a readable clause for each of a mechanism's parameters."""
    return {
        name: f"{name} ({', '.join(value)})"
        if isinstance(value, list)
        else f"{SYMBOLS.get(name, name)} = {value}"
        for name, value in parameters.items()
    }


def clauses(subject: Report[Any]) -> dict[str, str]:
    """Return everything about a subject but its name, one readable clause for each item."""
    items = parameter_clauses(subject.parameters)
    limit = getattr(subject, "budget", None)
    budget = limit if isinstance(limit, Budget) else None
    if isinstance(limit, Real):
        items["budget"] = f"budget {limit}"
    own = (subject.parameters.get("epsilon"), subject.parameters.get("delta", "0"))
    if budget is not None and (str(budget.epsilon), str(budget.delta)) != own:
        items["budget"] = f"budget {budget_text(budget)}"
    if subject.stated is None:
        items["stated"] = "no stated budget"
    elif budget is not None and subject.stated != budget:
        items["stated"] = f"stated {budget_text(subject.stated)}"
    items["adjacency"] = f"{relation_text(subject)} neighbours"
    if subject.at is not None:
        items["at"] = f"pairs at {_place(subject.at)}"
    return items


def budget_text(budget: Budget) -> str:
    """Return a budget as ε = …, δ = …, without a δ of 0."""
    epsilon, delta = str(budget.epsilon), str(budget.delta)
    return f"ε = {epsilon}" if delta == "0" else f"ε = {epsilon}, δ = {delta}"


def _place(at: str) -> str:
    return "uniform data" if at == "uniform" else f"({readable(at.replace(',', ', '), _TITLE)})"


def tell_apart(
    names: Sequence[str], items: Sequence[dict[str, str]]
) -> tuple[list[str], list[str]]:
    """Return a label for each series, and the clauses for the caption.

    A label holds what differs between series that have it, or that only some of one name have.
    What all series share stands in the caption as it is; what only some have, with their names.
    """
    keys = list(dict.fromkeys(key for item in items for key in item))
    differing = []
    for key in keys:
        having = [name for name, item in zip(names, items, strict=True) if key in item]
        lacking = {name for name, item in zip(names, items, strict=True) if key not in item}
        values = {item[key] for item in items if key in item}
        if len(values) > 1 or lacking.intersection(having):
            differing.append(key)
    several = len(set(names)) > 1
    labels = []
    for name, item in zip(names, items, strict=True):
        own = [item[key] for key in differing if key in item]
        labels.append(", ".join([name, *own] if several or not own else own))
    shared: list[str] = []
    partial: dict[str, list[str]] = {}
    for key in keys:
        if key in differing:
            continue
        owners = [name for name, item in zip(names, items, strict=True) if key in item]
        clause = next(item[key] for item in items if key in item)
        if len(owners) == len(items):
            shared.append(clause)
        else:
            owned_by = ", ".join(dict.fromkeys(owners))
            partial.setdefault(owned_by, []).append(clause)
    shared += [f"{', '.join(own)} ({who})" for who, own in partial.items()]
    return _distinct(labels), list(map(readable, shared))


def number_text(value: Real) -> str:
    """Return a number for a label beside a panel: with its decimal, or about, where it is long.

    >>> from dpaudit.numbers.real import real
    >>> number_text(real("4/5")), number_text(real("ln(3)")), number_text(real("2"))
    ('4/5 = 0.8', 'ln(3) ≈ 1.099', '2')
    """
    text, about = str(value), float(value)
    decimal = f"{about:.4g}"
    if not isfinite(about) or not about:  # no float says it
        return readable(text, _NUMBER)
    if text == decimal or (text.isdecimal() and len(text) <= _NUMBER):
        return text
    if len(text) > _NUMBER:
        return f"about {decimal}"
    exact = value.as_fraction() == Fraction(decimal)
    return f"{text} {'=' if exact else '≈'} {decimal}"


def readable(text: str, most: int = MOST_SHOWN) -> str:
    """Return a user's text for a figure: on one line, without the middle of a long one."""
    # Shortened first as well: escapes could make a text of megabytes several times as long.
    return shortened(printable(shortened(text, 2 * most)), most)


def _distinct(labels: Sequence[str]) -> list[str]:
    """Return the labels as they are shown; those that differ stay different."""
    shown: dict[str, str] = {}
    for label in dict.fromkeys(labels):
        text = readable(label)
        alike = sum(text == readable(earlier) for earlier in shown)
        shown[label] = f"{text} ({alike + 1})" if alike else text
    return [shown[label] for label in labels]


def title_of(quantity: str, subjects: Sequence[Report[Any]], *, complete: bool) -> str:
    """Return the title of a figure of ``quantity``, over all pairs only if ``complete``."""
    names = {subject.mechanism for subject in subjects}
    whose = f" of {readable(names.pop(), _TITLE)}" if len(names) == 1 else ""
    places = {subject.at for subject in subjects}
    if not complete:
        over = "the pairs covered"
    elif len(places) > 1:
        over = "neighbouring pairs"
    else:
        at = places.pop()
        over = "all neighbouring pairs" if at is None else f"the neighbours of {_place(at)}"
    return f"{quantity}{whose} over {over}"


def unfinished(audits: Sequence[Any]) -> list[str]:
    """Return clauses about sizes that were asked for and have no result, if there are any."""
    return sizes_clauses(
        audits, {"not finished": lambda audit: audit.missing, "undecided": _undecided}
    )


def _undecided(audit: Any) -> list[int]:
    """Return the sizes without a result, and those whose verdict is open.

    Without a budget, those whose ε is open.
    """
    open_ = [r.n for r in audit.results if _is_open(r)]
    return sorted([*(size.n for size in audit.undecided), *open_])


def _is_open(result: Any) -> bool:
    verdict = getattr(result, "verdict", None)
    without = isinstance(result, SizeResult) and verdict is None
    return verdict is Verdict.UNDECIDED or (without and not result.enclosed)


def sizes_clauses(
    audits: Sequence[Any], words: Mapping[str, Callable[[Any], Sequence[int]]]
) -> list[str]:
    """Return a clause for each of ``words`` with the sizes of the audits that it is true of.

    Args:
        audits: the reports of a figure.
        words: by the word that the caption uses, a function that returns the sizes of a report.
    """
    alone = len({audit.mechanism for audit in audits}) == 1
    places: dict[str, list[str]] = {
        word: [
            f"n = {n}" if alone else f"{readable(audit.mechanism, _TITLE)} n = {n}"
            for n, audit in sorted(
                ((n, audit) for audit in audits for n in sizes(audit)), key=lambda place: place[0]
            )
        ]
        for word, sizes in words.items()
    }
    return listed(
        {
            word: dict.fromkeys(listed_places)
            for word, listed_places in places.items()
            if listed_places
        }
    )
