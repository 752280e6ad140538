"""N Fig. 11: the realised ε of M_H for n = 90..180, over all pairs and at uniform data."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from dpaudit.audit.certify import EpsilonDelta
from dpaudit.audit.plan import Plan
from dpaudit.audit.sweep import sweep
from dpaudit.notes.reproduce.findings import (
    Item,
    PrintedCheck,
    PrintedOutcome,
    Table,
    check_statement,
)
from dpaudit.notes.reproduce.readings import build
from dpaudit.numbers.real import ZERO, real
from dpaudit.report.figures.side_by_side import Lines, LineSeries
from dpaudit.results import Budget, SizeResult, decimal_text

__all__ = ["reproduce_concrete_epsilon"]

_SIZES = tuple(range(90, 181))
_EPSILON = "4/5"
_DIVISORS = {"2": "as defined (divisor 2)", "1": "without the 2 (N §3.3)"}
_SCOPES = {None: "all pairs", "uniform": "pairs at uniform data"}


def reproduce_concrete_epsilon() -> Item:
    """Return the realised ε at every size of the figure."""
    audits = {
        (divisor, scope): _audit(divisor, scope) for divisor in _DIVISORS for scope in _SCOPES
    }
    checks = [_check(scope, audits) for scope in _SCOPES]
    lines = tuple(
        (
            str(result.n),
            _SCOPES[scope],
            _DIVISORS[divisor],
            *result.epsilon.texts(),
            *(str(side) for side in (result.witness.x, result.witness.y, result.witness.output)),
        )
        for (divisor, scope), results in audits.items()
        for result in results
        if isinstance(result, SizeResult)
    )
    header = ("n", "pairs", "reading", "epsilon_lower", "epsilon_upper", "x", "y", "output")
    panels = [_panel(scope, audits["2", scope]) for scope in _SCOPES]
    return Item(
        "fig-11",
        "Realised ε of M_H for n = 90 to 180",
        "N §4.4, Fig. 11",
        tuple(checks),
        Table(header, lines),
        tuple(panels),
        (
            "Prior (1,1), ε = 0.8, δ = 0.0005. Realised: the largest log-ratio over all outputs "
            "and both directions, with nothing left to δ. The two captions are the same, and speak "
            "of uniform data; all pairs and the pairs of uniform data are drawn.",
        ),
        ("ε = 0.8, δ = 0.0005", "prior (1,1)", "reading: as defined (divisor 2)"),
    )


def _audit(divisor: str, scope: str | None) -> list[object]:
    mechanism = build("MH", divisor=divisor, epsilon=_EPSILON, delta="1/2000", prior=(1, 1))
    plan = Plan(Budget(real(_EPSILON), ZERO), digits=12, at=scope)
    return list(sweep(EpsilonDelta(), mechanism, _SIZES, plan))


def _check(scope: str | None, audits: dict[tuple[str, str | None], list[object]]) -> PrintedCheck:
    findings = {name: _below(audits[divisor, scope]) for divisor, name in _DIVISORS.items()}
    what = f"{_SCOPES[scope]}: the concrete ε is smaller than 0.8 for n = 90 to 180"
    return check_statement(what, "smaller than 0.8", findings)


def _below(results: Sequence[object]) -> tuple[PrintedOutcome, str]:
    sizes = [result for result in results if isinstance(result, SizeResult)]
    if len(sizes) < len(_SIZES):
        return PrintedOutcome.UNDECIDED, "a size was not enclosed"
    low = min(sizes, key=lambda result: result.epsilon.lower)
    high = max(sizes, key=lambda result: result.epsilon.upper)
    text = (
        f"from {decimal_text(low.epsilon.lower)[:9]} at n = {low.n} "
        f"to {decimal_text(high.epsilon.lower)[:9]} at n = {high.n}"
    )
    budget = Fraction(_EPSILON)
    if all(Fraction(result.epsilon.upper) < budget for result in sizes):
        return PrintedOutcome.REPRODUCED, text
    if any(Fraction(result.epsilon.lower) >= budget for result in sizes):
        return PrintedOutcome.NOT_REPRODUCED, text
    return PrintedOutcome.UNDECIDED, text


def _panel(scope: str | None, results: Sequence[object]) -> Lines:
    sizes = [result for result in results if isinstance(result, SizeResult)]
    return Lines(
        f"M_H, {_SCOPES[scope]}",
        "records n",
        "realised ε",
        (
            LineSeries(
                "realised ε",
                tuple(float(result.n) for result in sizes),
                tuple(result.epsilon for result in sizes),
            ),
        ),
        level=(float(real(_EPSILON)), "upper bound ε = 0.8"),
    )
