"""Figures of gates: how much of its budget every entry uses, at every size."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpaudit.report.figures.captions import readable
from dpaudit.report.figures.intervals import UNKNOWN, draw_arrow, draw_bars, middle
from dpaudit.report.figures.sheet import Sheet
from dpaudit.report.figures.style import draw_budget, house_style, series_style
from dpaudit.report.figures.widths import reach, rounded_up
from dpaudit.results import Enclosure, Finding, GateDocument

__all__ = ["plot_gate"]

_LONGEST = 40
_HIGHEST = 2.5
"""Largest share of a budget on the axis; a larger one is an arrow, so that others stay apart."""


@house_style()
def plot_gate(
    documents: Sequence[GateDocument], shares: Sequence[Sequence[Enclosure]] = ()
) -> Figure:
    """Return a figure of how much of its budget each entry uses, a mark for every size.

    Args:
        documents: the gate.
        shares: for each entry the shares of its numbers, in their order.

    Raises ``ValueError`` if there is nothing to plot.
    """
    (document,) = documents
    if not any(shares):
        raise ValueError("no entry came to a number that could be plotted")
    sheet = Sheet([3.0])
    axes = sheet.panels[0]
    axes.set_ylabel("share of the budget")
    ends = [end for end in reach(entry for own in shares for entry in own) if end <= _HIGHEST]
    axes.set_ylim(0.0, 1.08 * max([1.06, *ends]))
    axes.set_xlim(-0.5, len(shares) - 0.5)
    draw_budget(axes, 1.0)
    own_shares = {id(entry): own for entry, own in zip(document.mechanisms, shares, strict=True)}
    findings = document.failures_first
    for place, finding in enumerate(findings):
        _draw_entry(sheet, axes, place, finding, own_shares[id(finding)])
    keys = [sheet.list_places(axes, [readable(finding.title, _LONGEST) for finding in findings])]
    title = f"{document.verdict.value}: {', '.join(document.counted())}"
    several = any(len(own) > 1 for own in shares)
    caption = ["a mark for every size"] * several
    caption += ["dashed: the whole budget", "filled: the entry fails"]
    return sheet.finish(title, [document.config, *caption], [key for key in keys if key])


def _draw_entry(
    sheet: Sheet, axes: Axes, place: int, finding: Finding, own: Sequence[Enclosure]
) -> None:
    """Draw the marks of one entry, one above the other."""
    name, style = readable(finding.title, _LONGEST), series_style(place)
    if not own:
        draw_bars(sheet.known, axes, [place], [UNKNOWN], what="", colour=style.colour)
        sheet.known.say(finding.kind.value, name)
        return
    top = axes.get_ylim()[1]
    inside = [share for share in own if middle(share) <= top]
    draw_bars(
        sheet.known,
        axes,
        [place] * len(inside),
        inside,
        what="share",
        colour=style.colour,
        where=[name] * len(inside),
    )
    face = "white" if finding.passed else style.colour
    axes.plot(
        [place] * len(inside),
        [middle(share) for share in inside],
        linestyle="none",
        marker=style.marker,
        markersize=3.5,
        color=style.colour,
        markerfacecolor=face,
    )
    if len(inside) == len(own):
        return
    draw_arrow(axes, place, "^", style.colour)
    most = max(share.upper for share in own)
    times = "without end" if most.is_infinite() else f"up to {rounded_up(most, 3)} times it"
    sheet.known.say(f"beyond the budget, {times}", name)
