"""Lines and rows that views of audits share, whatever notion of privacy an audit is in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dpaudit import results
from dpaudit.errors import counted
from dpaudit.report import table
from dpaudit.report.table import valued
from dpaudit.report.view import unfinished, without_sizes

__all__ = [
    "are_inputs",
    "coverage_text",
    "covered_cells",
    "place_of_worst",
    "reasons_of",
    "summary_of",
]


def are_inputs(audit: Any) -> bool:
    """Tell whether an audit is of a program at the inputs that were given, and at no others."""
    return without_sizes(audit) and audit.semantics is not None


def coverage_text(audit: Any) -> str:
    """Return what was covered, of sizes or of the inputs of a function, which are all there is."""
    pairs = counted(sum(result.pairs_covered for result in audit.results), "pair")
    if are_inputs(audit):
        inputs = counted(audit.results[0].datasets, "input")
        return f"these {inputs}: {pairs}, both ways, every output"
    sizes = table.sizes_text([result.n for result in audit.results])
    return f"{sizes}, {pairs}, both directions, every output"


def covered_cells(result: results.Coverage) -> list[str]:
    """Return the cells of a row that say what was covered."""
    return [str(result.n), str(result.pairs_covered), table.outputs_text(result)]


def summary_of(
    audit: Any,
    subject: str,
    label: str,
    value: Callable[[Any], results.Enclosure],
    where: Callable[[Any], str],
) -> tuple[list[str], int | None]:
    """Return lines on the verdict and the largest ``value``, and the row of that value.

    Args:
        audit: the report.
        subject: words for the budget that is kept or not.
        label: name of the value.
        value: returns the value of one size.
        where: returns words for the place of the largest value.
    """
    if not audit.results:
        return [], None
    place = place_of_worst(audit, value)
    worst = audit.results[place]
    about = "for" if are_inputs(audit) else "at"
    largest = valued(value(worst).rounded(audit.digits))
    # A person who reads one line is not to take the formula for the code.
    reading = " in the ideal reading" if audit.semantics == "ideal" and audit.interposed else ""
    return [
        f"{audit.verdict.value}{reading}: {subject} {about} {coverage_text(audit)}",
        f"largest {label}: {largest} at n = {worst.n}, {where(worst)}",
    ], place


def place_of_worst(audit: Any, value: Callable[[Any], results.Enclosure]) -> int:
    """Return which of the sizes has the largest ``value``."""
    sizes = audit.results
    return max(range(len(sizes)), key=lambda i: (value(sizes[i]).upper, -sizes[i].n))


def reasons_of(audit: Any) -> list[str]:
    """Return what is undecided or not enclosed, or was not finished."""
    reasons = [
        f"n = {r.n} {'not enclosed' if r.verdict is None else 'undecided'}: {r.reason}"
        for r in audit.results
        if r.reason
    ]
    return [*reasons, *unfinished(audit)]
