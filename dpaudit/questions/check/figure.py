"""Figures of the realised ε and δ, or of another measure, against the data size."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal

from matplotlib.lines import Line2D
from matplotlib.path import Path

from dpaudit.numbers.real import Real
from dpaudit.report.figures import captions
from dpaudit.report.figures.panels import ROW, Trace, fill_panel, marker, sizes_axis
from dpaudit.report.figures.sheet import Sheet
from dpaudit.report.figures.style import MUTED, house_style, series_style
from dpaudit.report.figures.widths import rounded_up
from dpaudit.report.view import without_sizes
from dpaudit.results import Audit, Enclosure, MeasuredAudit, Verdict

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["plot_measured", "plot_realised"]

Quantity = Literal["epsilon", "delta", "value"]
Sized = Sequence["Audit | MeasuredAudit"]


def plot_realised(
    audits: Sequence[Audit], *, quantity: Literal["epsilon", "delta"] = "epsilon"
) -> Figure:
    """Return a figure of the realised ε against the data size, one series for each audit.

    The audited budget is a labelled line.  A marker is empty where a size is within its budget,
    half full where that is undecided and full where it exceeds; without a budget there is no line,
    and a marker is a cross.  An infinite ε lies on the upper
    edge, in a row of its own for each series.  Where a budget has δ > 0 and its realised δ is not
    0 throughout, a second panel shows the realised δ at the ε of the budget; ``quantity="delta"``
    asks for that panel alone.  Audits that share their only size stand side by side instead.

    Every parameter is on the figure: in the legend where series differ in it, else in the caption.
    Raises ``ValueError`` if no audit has a result, and for the δ of one without a budget.
    """
    if quantity == "delta" and any(audit.budget is None for audit in audits):
        raise ValueError("without a budget there is no δ at its ε to plot; give a budget")
    return _realised(audits, quantity)


def plot_measured(audits: Sequence[MeasuredAudit]) -> Figure:
    """Return a figure of another measure against the data size, as :func:`plot_realised` draws ε.

    Raises ``ValueError`` if no audit has a result.
    """
    return _realised(audits, "value")


def _of(quantity: Quantity, result: Any) -> Enclosure:
    """Return the value of one size."""
    found: Enclosure = getattr(result, quantity)
    return found if quantity != "delta" else result.delta.value


def _limit(quantity: Quantity, audit: Any) -> Real | None:
    """Return what it may be at most; None without a budget."""
    limit: Real | None = audit.budget
    return limit if quantity == "value" or limit is None else getattr(limit, quantity)


@house_style()
def _realised(audits: Sized, quantity: Quantity) -> Figure:
    if not any(audit.results for audit in audits):
        raise ValueError("there is no finished size to plot")
    sizes = [one.n for audit in audits for one in (*audit.results, *audit.undecided)]
    side_by_side = len(audits) > 1 and len(set(sizes)) == 1
    labels, caption = captions.tell_apart(
        [one.mechanism for one in audits], list(map(captions.clauses, audits))
    )
    if len(set(sizes)) == 1 and not all(map(without_sizes, audits)):
        caption.insert(0, f"n = {sizes[0]}")
    caption += [*_coinciding(audits, labels, quantity), *captions.unfinished(audits)]
    shown: list[Quantity] = [quantity]
    mixed = [audit for audit in audits if quantity == "epsilon" and _allows_delta(audit)]
    if mixed:
        if any(map(_has_delta, mixed)):
            shown.append("delta")
        else:
            caption.append(_vanishing_delta(audits))
    symbol = _symbol(quantity, audits)
    sheet = Sheet([2.7] if len(shown) == 1 else [2.3, 1.3])
    above = below = 0.0
    for axes, quantity_here in zip(sheet.panels, shown, strict=True):
        traces = _traces(audits, labels, quantity_here, side_by_side=side_by_side)
        if quantity_here == "delta":
            rows = fill_panel(sheet, axes, traces, logarithmic=True, symbol="δ")
            below = ROW * max(0, rows - 1)
        else:
            above = ROW * fill_panel(sheet, axes, traces, logarithmic=False, symbol=symbol)
    named = len(audits) == 1
    if side_by_side:
        names = [label.replace(", ", "\n") for label in labels]
        named = sheet.name_places(sheet.panels[-1], names)
    else:
        sizes_axis(sheet.panels[-1], sizes, sheet.most_ticks)
    keys = [] if named else [series_style(i).key(label) for i, label in enumerate(labels)]
    complete = all(r.complete for audit in audits for r in audit.results)
    title = captions.title_of(f"Realised {symbol}", audits, complete=complete)
    return sheet.finish(
        title, caption, [keys, _verdict_keys(audits, quantity)], above=above, below=below
    )


def _traces(
    audits: Sized, labels: Sequence[str], quantity: Quantity, *, side_by_side: bool
) -> list[Trace]:
    """Return the traces of one panel; from one of δ, series that have none are left out."""
    traces = []
    of_delta = quantity == "delta"
    some = of_delta and any(_is_shown(audit) for audit in audits)
    for index, (audit, label) in enumerate(zip(audits, labels, strict=True)):
        results = audit.results
        if some and not _is_shown(audit):
            continue
        traces.append(
            Trace(
                label=label,
                symbol=_symbol(quantity, audits),
                style=series_style(index),
                budget=_limit(quantity, audit),
                x=[index if side_by_side else result.n for result in results],
                values=[_of(quantity, result) for result in results],
                verdicts=[result.verdict for result in results],
                where=_places(audit, audits),
                unknown=[index if side_by_side else size.n for size in audit.undecided],
            )
        )
    return traces


def _places(audit: Any, audits: Sized) -> list[str]:
    """Return what a caption calls the sizes of an audit."""
    whose = "" if len(audits) == 1 else f"{captions.readable(audit.mechanism, 48)} "
    return [f"{whose}n = {result.n}" for result in audit.results]


def _coinciding(audits: Sized, labels: Sequence[str], quantity: Quantity) -> list[str]:
    """Return a clause for each group of series that lie on one another."""
    groups: dict[tuple[tuple[int, Decimal, Decimal], ...], list[str]] = {}
    for audit, label in zip(audits, labels, strict=True):
        found = [(r.n, _of(quantity, r)) for r in audit.results]
        values = tuple((n, value.lower, value.upper) for n, value in found)
        groups.setdefault(values, []).append(label)
    return [
        f"{', '.join(group[:-1])} and {group[-1]} coincide"
        for values, group in groups.items()
        if len(group) > 1 and any(lower.is_finite() for _, lower, _ in values)
    ]


def _symbol(quantity: Quantity, audits: Any) -> str:
    """Return the symbol of what is measured."""
    if quantity != "value":
        return captions.SYMBOLS[quantity]
    return ", ".join(dict.fromkeys(audit.label for audit in audits))


def _is_shown(audit: Any) -> bool:
    """Tell whether there is a δ to be shown, or one that is allowed."""
    return audit.budget is not None and (_allows_delta(audit) or _has_delta(audit))


def _allows_delta(audit: Any) -> bool:
    """Tell whether there is a budget with δ > 0."""
    return audit.budget is not None and not audit.budget.is_pure


def _has_delta(audit: Any) -> bool:
    """Tell whether some realised δ at the ε of the budget is certainly above 0."""
    return any(result.delta.lower for result in audit.results)


def _vanishing_delta(audits: Any) -> str:
    """Return a clause about the realised δ of budgets with δ > 0, where no panel shows it."""
    owners = [audit for audit in audits if _allows_delta(audit)]
    budgets = {audit.budget.epsilon for audit in owners}
    where = f"δ({budgets.pop()})" if len(budgets) == 1 else "δ"
    largest = max((r.delta.upper for a in owners for r in a.results), default=Decimal(0))
    bound = f"≤ {rounded_up(largest)}" if largest else "= 0"
    names = ", ".join(dict.fromkeys(audit.mechanism for audit in owners))
    return f"realised {where} {bound}" + (f" ({names})" if len(owners) < len(audits) else "")


def _verdict_keys(audits: Sized, quantity: Quantity) -> list[Line2D]:
    """Return the legend's keys to the fill of markers; none where all sizes are within."""
    found = {result.verdict for audit in audits for result in audit.results}
    if found == {Verdict.WITHIN}:
        return []
    texts: dict[Verdict | None, str] = {
        Verdict.WITHIN: "within the budget",
        Verdict.UNDECIDED: "undecided",
        Verdict.EXCEEDS: "exceeds the budget",
    }
    if len(found) > 1:  # where none has a budget, no marker says anything of one
        texts[None] = "no budget"
    keys = [
        Line2D([], [], label=text, **marker("o", MUTED, verdict))
        for verdict, text in texts.items()
        if verdict in found
    ]
    if any(_of(quantity, r).lower.is_infinite() for audit in audits for r in audit.results):
        keys.append(
            Line2D(
                [],
                [],
                linestyle="none",
                marker=_infinity(),
                markersize=9,
                markeredgewidth=0.0,
                color=MUTED,
                label="infinite, at the upper edge",
            )
        )
    return keys


def _infinity() -> Path:
    """Return the sign ∞ as a marker."""
    from matplotlib.textpath import TextPath  # it reads fonts of TeX, for what is rarely drawn

    sign = TextPath((0, 0), "∞", size=10)
    box = sign.get_extents()
    centre = (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2
    return Path([(x - centre[0], y - centre[1]) for x, y in sign.vertices], sign.codes)
