"""An account as a document (``dpaudit.estimates/1``), as a table and as CSV."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction

from dpaudit.arithmetic import DECIMALS, formatted
from dpaudit.errors import counted
from dpaudit.questions.account.comparison import Account, Row, excess, standing
from dpaudit.report.render import render
from dpaudit.report.table import compact, dataset_text, headline, interval_cells
from dpaudit.report.view import Block, View
from dpaudit.report.views import VIEWS
from dpaudit.results import AccountDocument, Enclosure, EstimateDocument, RowDocument, decimal_text

__all__ = ["account_document", "difference_text", "ratio_text", "render_account"]

_HEAD = (
    *("version", "described", "stated", "adjacency", "adjacency_defaulted", "at"),
    *("digits", "epsilon_unit", "loaded"),
)


def account_document(account: Account) -> AccountDocument:
    """Return the document of an account."""
    return AccountDocument(
        schema="dpaudit.estimates/1",
        n=account.profile.n,
        pairs=account.profile.pairs,
        compose=account.profile.runs,
        discretisation=repr(account.discretisation),
        epsilon=account.profile.epsilon,
        below=len(account.below),
        rows=[_row_document(row, account) for row in account.rows],
        composed=account.profile.refused is None,
        refused=list(account.refused),
        **{name: getattr(account.subject, name) for name in _HEAD},
    )


def _row_document(row: Row, account: Account) -> RowDocument:
    value = row.delta.value
    return RowDocument(
        delta=row.delta,
        pessimistic=_estimate(row.pessimistic, value),
        optimistic=_estimate(row.optimistic, value),
        dominating=_estimate(row.dominating, value),
        adaptive_upper=None if row.adaptive is None else decimal_text(row.adaptive),
        ratio=_ratio(row, account),
        below=row.below,
    )


def _ratio(row: Row, account: Account) -> str | None:
    """Return the ratio of a row, if there is an estimate, and a δ to hold it to."""
    if row.pessimistic is None or account.profile.refused is not None:
        return None
    return ratio_text(row.pessimistic, row.delta.value)


def _estimate(estimate: float | None, value: Enclosure) -> EstimateDocument | None:
    if estimate is None:
        return None
    return EstimateDocument(
        repr(estimate), standing(estimate, value).value, difference_text(estimate, value)
    )


def ratio_text(estimate: float, value: Enclosure) -> str | None:
    """Return estimate / δ(ε) to 9 digits, None where δ(ε) may be 0."""
    if not value.lower:
        return None
    return formatted(DECIMALS.divide(Decimal.from_float(estimate), value.lower), ".9g")


def difference_text(estimate: float, value: Enclosure) -> str:
    """Return how far the estimate is outside the interval, with its sign, or 0."""
    outside = excess(estimate, value)
    if not outside:
        return "0"
    return formatted(DECIMALS.divide(outside.numerator, outside.denominator), "+.3e")


_NOISE = Decimal("1e-15")
"""Largest error of dp-accounting's floats near 0."""

_HEADER = [
    *("ε", "certified δ(ε)", "pessimistic", "ratio", "optimistic", "dominating"),
    *("adaptive ≤", "worst pair", "below"),
]


def _cells(row: Row, account: Account) -> list[str]:
    point, value = row.delta, row.delta.value
    meant_above = {"pessimistic": row.pessimistic, "dominating": row.dominating}
    below = [
        f"{name} by {-float(excess(estimate, value)):.2e}"
        for name, estimate in meant_above.items()
        if estimate is not None and _is_clearly_below(estimate, value)
    ]
    return [
        str(point.epsilon),
        compact(Enclosure(value.lower, value.upper))
        if account.profile.refused is None
        else f"≥ {compact(Enclosure(value.lower, value.lower))}",
        _estimate_text(row.pessimistic),
        (_ratio(row, account) or "–") if value.lower >= _NOISE else "–",
        _estimate_text(row.optimistic),
        _estimate_text(row.dominating),
        "–" if row.adaptive is None else _shortened(row.adaptive),
        "–" if point.x is None else f"{dataset_text(point.x)} / {dataset_text(point.y)}",
        ", ".join(below) or "no",
    ]


def _estimate_text(estimate: float | None) -> str:
    """Return an estimate to nine digits: its last ones differ between processors."""
    if estimate is None:
        return "–"
    return "< 1e-15" if abs(estimate) < _NOISE else f"{estimate:.9g}"


def _is_clearly_below(estimate: float, value: Enclosure) -> bool:
    """Tell whether an estimate is below the interval by more than a float's last digits."""
    short = -excess(estimate, value)
    return short > max(Fraction(_NOISE), Fraction(value.lower) / 10**9)


def _shortened(bound: Decimal) -> str:
    """Return a bound rounded up to as many digits as a float shows."""
    return str(Context(prec=16, rounding=ROUND_CEILING).plus(bound))


def _blocks(account: Account) -> Iterator[Block]:
    profile = account.profile
    runs = counted(profile.runs, "run") + " on the same data" * (profile.runs > 1)
    count = sum(
        any(
            one is not None and _is_clearly_below(one, row.delta.value)
            for one in (row.pessimistic, row.dominating)
        )
        for row in account.rows
    )
    at = f"n = {profile.n}, {counted(profile.pairs, 'pair')}, {runs}"
    at += f"; realised ε {compact(profile.epsilon)}"
    if any(row.pessimistic is not None or row.dominating is not None for row in account.rows):
        at += f"; dp-accounting with losses in steps of {account.discretisation!r}"
    end = (
        f"At {count} of {len(account.rows)} ε a pessimistic estimate is below the certified δ(ε)."
        if count
        else "No pessimistic estimate is below the certified δ(ε) by more than its last digits."
    )
    if all(row.pessimistic is row.dominating is None for row in account.rows):
        end = "There are no estimates."
    rows = [_cells(row, account) for row in account.rows]
    yield Block((headline(account.subject), at), _HEADER, rows, [end, *account.refused])


def _lines(account: Account) -> Iterator[dict[str, str]]:
    for row in account.rows:
        point, value = row.delta, row.delta.value
        cells = {
            "mechanism": account.subject.mechanism,
            "n": str(account.profile.n),
            "compose": str(account.profile.runs),
            "discretisation": repr(account.discretisation),
            "epsilon": str(point.epsilon),
            **interval_cells("delta", value),
            "x": "" if point.x is None else dataset_text(point.x),
            "y": "" if point.y is None else dataset_text(point.y),
            "optimistic": "" if row.optimistic is None else repr(row.optimistic),
            "adaptive_upper": "" if row.adaptive is None else decimal_text(row.adaptive),
            "ratio": _ratio(row, account) or "",
        }
        for name, estimate in (("pessimistic", row.pessimistic), ("dominating", row.dominating)):
            if estimate is None:
                cells |= dict.fromkeys((name, f"{name}_standing", f"{name}_difference"), "")
                continue
            cells[name] = repr(estimate)
            cells[f"{name}_standing"] = standing(estimate, value).value
            cells[f"{name}_difference"] = difference_text(estimate, value)
        yield cells


_COLUMNS = (
    *("mechanism", "n", "compose", "discretisation", "epsilon"),
    *("delta_lower", "delta_upper", "delta_exact", "x", "y"),
    *("pessimistic", "optimistic", "dominating", "adaptive_upper", "ratio"),
    *("pessimistic_standing", "pessimistic_difference"),
    *("dominating_standing", "dominating_difference"),
)

VIEWS[Account] = View(
    blocks=_blocks, columns=lambda account: _COLUMNS, lines=_lines, document=account_document
)


def render_account(account: Account, form: str) -> bytes:
    """Return an account in one of the forms of a report."""
    return render([account], form)
