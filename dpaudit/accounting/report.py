"""An account as a table, as JSON (``dpaudit.account/1``) and as CSV."""

from __future__ import annotations

import csv
import io
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import msgspec

from dpaudit.accounting.comparison import excess
from dpaudit.exact.enclosure import decimal_text
from dpaudit.report.documents import BudgetDocument, DeltaPoint, Interval, encode, subject_fields
from dpaudit.report.table import compact, dataset_text, headline
from dpaudit.report.text import aligned_table, markdown_table

if TYPE_CHECKING:
    from collections.abc import Hashable

    from dpaudit.accounting.comparison import Account, Row

__all__ = ["FORMS", "AccountDocument", "account_document", "ratio_text", "render_account"]

FORMS = ("text", "json", "csv", "markdown")
"""The forms of a report."""


class EstimateDocument(msgspec.Struct):
    """dp-accounting's answers beside the certified δ(ε); floats in their shortest form."""

    delta: DeltaPoint
    """The certified δ(ε) and the pair it is attained at."""
    pessimistic: str
    """The pessimistic estimate for the worst pair."""
    optimistic: str
    """The optimistic estimate for the worst pair."""
    dominating: str
    """The pessimistic estimate for the dominating pair of all pairs."""
    ratio: str | None
    """pessimistic / certified δ(ε); null where that is 0."""
    standing: str
    """above, within or below the certified interval."""
    shortfall: str
    """By how much the pessimistic estimate is below the certified lower end; 0 if it is not."""


class AccountDocument(msgspec.Struct):
    """The comparison of one mechanism at one size."""

    schema: str
    version: str
    mechanism: dict[str, Any]
    stated: BudgetDocument | None
    adjacency: str
    at: str | None
    digits: int
    n: int
    pairs: int
    compose: int
    discretisation: str
    epsilon: Interval
    """The realised ε of so many runs."""
    below: int
    """How many estimates are below the certified lower end."""
    rows: list[EstimateDocument]


def account_document(account: Account) -> AccountDocument:
    """Return the document of an account."""
    fields = subject_fields(account.subject)
    del fields["budget"]
    epsilon = account.profile.epsilon
    return AccountDocument(
        schema="dpaudit.account/1",
        n=account.profile.n,
        pairs=account.profile.pairs,
        compose=account.profile.runs,
        discretisation=repr(account.discretisation),
        epsilon=Interval(decimal_text(epsilon.lower), decimal_text(epsilon.upper), epsilon.exact),
        below=len(account.below),
        rows=[_row_document(row) for row in account.rows],
        **fields,
    )


def _row_document(row: Row) -> EstimateDocument:
    point, value = row.delta, row.delta.value
    return EstimateDocument(
        delta=DeltaPoint(
            point.epsilon,
            decimal_text(value.lower),
            decimal_text(value.upper),
            value.exact,
            _plain(point.x),
            _plain(point.y),
        ),
        pessimistic=repr(row.pessimistic),
        optimistic=repr(row.optimistic),
        dominating=repr(row.dominating),
        ratio=ratio_text(row),
        standing=row.standing.value,
        shortfall=shortfall_text(row),
    )


def _plain(value: Hashable) -> object:
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    return value if value is None or isinstance(value, (int, str, bool)) else str(value)


def ratio_text(row: Row) -> str | None:
    """Return pessimistic / certified δ(ε) to 12 digits, None where δ(ε) may be 0."""
    middle = row.delta.value.lower
    if not middle:
        return None
    return str(round(Decimal(row.pessimistic) / middle, 12).normalize())


def shortfall_text(row: Row) -> str:
    """Return by how much the pessimistic estimate is below the certified lower end, or 0."""
    below = -excess(row.pessimistic, row.delta.value)
    if below <= 0:
        return "0"
    return f"{Decimal(below.numerator) / Decimal(below.denominator):.3e}"


def render_account(account: Account, form: str) -> bytes:
    """Return the account in one of :data:`FORMS`."""
    if form == "json":
        return encode(account_document(account))
    if form == "csv":
        return _csv(account).encode()
    return _table(account, markdown=form == "markdown").encode()


_HEADER = [
    *("ε", "certified δ(ε)", "pessimistic", "ratio", "optimistic", "dominating"),
    *("worst pair", "pessimistic is"),
]


def _cells(row: Row) -> list[str]:
    point = row.delta
    fate = row.standing.value
    if fate == "below":
        fate = f"BELOW by {shortfall_text(row)}"
    return [
        point.epsilon,
        compact(point.value),
        repr(row.pessimistic),
        ratio_text(row) or "–",
        repr(row.optimistic),
        repr(row.dominating),
        "–" if point.x is None else f"{dataset_text(point.x)} / {dataset_text(point.y)}",
        fate,
    ]


def _table(account: Account, *, markdown: bool) -> str:
    profile = account.profile
    runs = "1 run" if profile.runs == 1 else f"{profile.runs} runs on the same data"
    count = len(account.below)
    lines = [
        headline(account.subject),
        f"n = {profile.n}, {profile.pairs} pairs, {runs}; realised ε {compact(profile.epsilon)}; "
        f"dp-accounting with losses in steps of {account.discretisation!r}",
    ]
    table = (markdown_table if markdown else aligned_table)(
        _HEADER, [_cells(row) for row in account.rows]
    )
    end = (
        f"{count} of {len(account.rows)} pessimistic estimates are below the certified δ(ε)."
        if count
        else "No pessimistic estimate is below the certified δ(ε)."
    )
    gap = "\n\n" if markdown else "\n"
    return f"{gap.join(lines)}\n\n{table.rstrip()}\n\n{end}\n"


def _csv(account: Account) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(
        [
            *("mechanism", "n", "compose", "discretisation", "epsilon"),
            *("delta_lower", "delta_upper", "delta_exact", "x", "y"),
            *("pessimistic", "optimistic", "dominating", "ratio", "standing", "shortfall"),
        ]
    )
    for row in account.rows:
        point, value = row.delta, row.delta.value
        writer.writerow(
            [
                account.subject.mechanism,
                *(str(account.profile.n), str(account.profile.runs)),
                *(repr(account.discretisation), point.epsilon),
                *(decimal_text(value.lower), decimal_text(value.upper), value.exact or ""),
                *("" if side is None else dataset_text(side) for side in (point.x, point.y)),
                *map(repr, (row.pessimistic, row.optimistic, row.dominating)),
                *(ratio_text(row) or "", row.standing.value, shortfall_text(row)),
            ]
        )
    return stream.getvalue()
