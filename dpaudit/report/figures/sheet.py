"""The sheet of a figure, on which no text covers data or leaves the paper, and its file."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D

from dpaudit.report.figures import style
from dpaudit.report.figures.captions import readable
from dpaudit.report.figures.widths import Known
from dpaudit.report.files import plot_path, write_plot

__all__ = ["Captioned", "Sheet", "drawn", "save_figure"]


_TITLE_LETTERS, _LEGEND_LETTERS, _BESIDE = 76, 84, 24
_OWN_GAP = 0.8
"""Inches between panels of which each has its own abscissa."""


class Captioned(Figure):
    """A figure that knows its title and caption, as one line of text."""

    caption = ""


class Sheet:
    """A figure measured in inches: title and caption above the panels, legend below them.

    Panels keep their size however long the texts are; the figure grows instead.  For a column of
    two (:func:`~dpaudit.report.figures.style.of_width`) there is no title and no caption on it.
    """

    gap = 0.2

    def __init__(self, heights: Sequence[float], *, shared: bool = True) -> None:
        """Open a figure with one panel of each of the ``heights``.

        All have the same abscissa if it is ``shared``.  Otherwise each has its own, with its name
        below and room for a title above.
        """
        column = style.in_column()
        self.width = style.WIDTHS["column" if column else "page"]
        self.left = 0.56 if column else 0.72
        self.most_ticks = 5 if column else 10
        self._letters = style.LABEL_SIZE * (7 / 8.5 if column else 1)
        self.figure = Captioned(figsize=(self.width, 4.0))
        self._renderer: Any = FigureCanvasAgg(self.figure).get_renderer()  # type: ignore[no-untyped-call]
        self.heights = [height * (0.72 if column else 1) for height in heights]
        self.panels: list[Axes] = []
        for _ in self.heights:
            first = self.panels[0] if self.panels and shared else None
            self.panels.append(self.figure.add_axes((0.1, 0.1, 0.8, 0.8), sharex=first))
        for panel in self.panels[:-1] if shared else ():
            panel.tick_params(labelbottom=False)
        if not shared:
            self.gap = _OWN_GAP
        self._right_of_panels = 0.0
        self.known = Known()
        """The intervals that are drawn, for the caption."""

    def text_width(self, text: str, size: float) -> float:
        """Return the width of the widest line of ``text`` in inches."""
        properties = FontProperties(family=["DejaVu Sans"], size=size)
        measure: Callable[..., tuple[float, float, float]] = (
            self._renderer.get_text_width_height_descent
        )
        widths = (measure(line, properties, False)[0] for line in text.split("\n"))
        return max(widths) / self.figure.dpi

    def label_right(self, panel: Axes, heights: Sequence[float], labels: Sequence[str]) -> None:
        """Write ``labels`` right of ``panel`` at data ``heights``; move apart those that touch."""
        limits = [panel.transData.transform((0.0, height))[1] for height in heights]
        low, high = panel.transAxes.transform([(0.0, 0.0), (0.0, 1.0)])[:, 1]
        inches = self.heights[self.panels.index(panel)]
        order = sorted(range(len(labels)), key=lambda index: float(limits[index]))
        occupied = float("-inf")
        labels = [_brief(label) for label in labels]
        for index in order:
            lines = labels[index].count("\n") + 1
            half = 0.5 * 0.15 * lines / inches
            own_place = (float(limits[index]) - low) / (high - low)
            place = max(own_place, occupied + half)
            occupied = place + half
            panel.annotate(
                labels[index],
                (1.0, place),
                xycoords="axes fraction",
                xytext=(4, 0),
                textcoords="offset points",
                va="center",
                annotation_clip=False,
            )
            width = self.text_width(labels[index], self._letters) + 0.08
            self._right_of_panels = max(self._right_of_panels, width)

    def label_above(self, panel: Axes, places: Sequence[float], labels: Sequence[str]) -> float:
        """Write ``labels`` above ``panel`` at data ``places``; return the height they take.

        Labels that would touch stand in different rows.
        """
        low, high = panel.get_xlim()
        across = self.width - self.left - 1.0
        ends: list[float] = []
        for place, label in sorted(zip(places, map(_brief, labels), strict=True)):
            centre = (place - low) / (high - low) * across
            half = self.text_width(label, self._letters) / 2 + 0.06
            row = next((r for r, end in enumerate(ends) if end < centre - half), len(ends))
            ends[row : row + 1] = [centre + half]
            panel.annotate(
                label,
                (place, 1.0),
                xycoords=panel.get_xaxis_transform(),
                xytext=(0, 4 + 11 * row),
                textcoords="offset points",
                ha="center",
                annotation_clip=False,
            )
        return 0.16 * len(ends)

    def name_places(self, panel: Axes, names: Sequence[str]) -> bool:
        """Make the abscissa a list of ``names``, slanted where they do not fit side by side.

        Return False, and write none, if they do not fit either way.
        """
        panel.set_xlim(-0.5, len(names) - 0.5)
        panel.grid(visible=False, axis="x")
        panel.set_xticks(range(len(names)), [])
        slot = (self.width - self.left - self._right_of_panels - 0.1) / len(names)
        widths = [self.text_width(name, self._letters) for name in names]
        if max(widths) < slot - 0.06:
            panel.set_xticks(range(len(names)), list(names))
        elif all(0.87 * w + 0.2 < self.left + (i + 0.5) * slot for i, w in enumerate(widths)):
            panel.set_xticks(range(len(names)), list(names), rotation=30, ha="right")
            for label in panel.get_xticklabels():
                label.set_rotation_mode("anchor")
        else:
            return False
        return True

    def list_places(self, panel: Axes, names: Sequence[str]) -> list[Line2D]:
        """Name the places, or number them where names do not fit; return the keys of numbers."""
        if self.name_places(panel, names):
            return []
        self.name_places(panel, [str(i + 1) for i in range(len(names))])
        return [
            Line2D([], [], color=style.series_style(i).colour, label=f"{i + 1}: {name}")
            for i, name in enumerate(names)
        ]

    def finish(
        self,
        title: str,
        caption: Sequence[str],
        keys: Sequence[Sequence[Line2D]],
        *,
        above: float = 0.0,
        below: float = 0.0,
    ) -> Figure:
        """Place everything and return the figure.

        Args:
            title: of the figure.
            caption: clauses, between which lines may be broken; those about the widths of the
                intervals are added.
            keys: the blocks of the legend, one below the other.
            above: space that the panels need above their upper edge, in inches.
            below: space that they need below their lower edge, in inches.
        """
        right = self.width - max(self._right_of_panels, 0.08) - 0.08
        caption = list(map(readable, [*caption, *self.known.clauses()]))
        self.figure.caption = f"{readable(title)}. {'; '.join(caption)}."
        beyond = header = 0.0
        if not style.in_column():
            lines = self._wrap(caption, self.width - self.left - 0.12)
            heading = textwrap.wrap(readable(title), _TITLE_LETTERS)
            beyond = 0.18 * (len(heading) - 1)
            header = 0.42 + beyond + 0.15 * len(lines)
        header += above + (0.1 if style.in_column() else 0.0)
        legends = [self._legend(block, self.width - self.left - 0.12) for block in keys if block]
        footer = self._below_axis(below)
        tall = [
            legend.get_window_extent(self._renderer).height / self.figure.dpi + 0.05
            for legend in legends
        ]
        base = footer + sum(tall) + (0.05 if legends else 0.0)
        total = header + sum(self.heights) + self.gap * (len(self.heights) - 1) + base
        self.figure.set_size_inches(self.width, total)
        top = total - header
        for panel, height in zip(self.panels, self.heights, strict=True):
            top -= height
            panel.set_position(
                (
                    self.left / self.width,
                    top / total,
                    (right - self.left) / self.width,
                    height / total,
                )
            )
            top -= self.gap
            panel.yaxis.set_label_coords(-(self.left - 0.22) / (right - self.left), 0.5)
        start = self.left / self.width
        if not style.in_column():
            self._write(1 - 0.12 / total, heading, size=11)
            self._write(
                1 - (0.36 + beyond) / total, lines, size=8, color=style.MUTED, linespacing=1.3
            )
        place = base - footer
        for legend, height in zip(legends, tall, strict=True):
            legend.set_bbox_to_anchor((start, place / total))
            place -= height
        return self.figure

    def _write(self, height: float, lines: Sequence[str], **look: Any) -> None:
        """Write lines above the panels, from a ``height`` down."""
        self.figure.text(self.left / self.width, height, "\n".join(lines), va="top", **look)

    def _below_axis(self, pad: float) -> float:
        """Move the lowest tick labels down by ``pad``; return the height of what is below."""
        panel = self.panels[-1]
        panel.tick_params(axis="x", pad=3.5 + 72 * pad)
        box = panel.xaxis.get_tightbbox(self._renderer)
        bottom = panel.get_window_extent(self._renderer).y0
        return 0.1 if box is None else (bottom - float(box.y0)) / self.figure.dpi + 0.1

    def _wrap(self, clauses: Sequence[str], width: float) -> list[str]:
        lines: list[str] = []
        for clause in clauses:
            for place, part in enumerate(textwrap.wrap(clause, 90)):
                longer = f"{lines[-1]}{' ' if place else ' · '}{part}" if lines else part
                if lines and self.text_width(longer, 8) <= width:
                    lines[-1] = longer
                else:
                    lines.append(part)
        return lines

    def _legend(self, keys: Sequence[Line2D], width: float) -> Any:
        columns = min(len(keys), 5)
        letters = int(_LEGEND_LETTERS * self.width / style.WIDTHS["page"])
        for key in keys:
            label = "\n".join(textwrap.wrap(readable(str(key.get_label())), letters))
            key.set_label(f" {label}" if label.startswith("_") else label)
        while True:  # only a legend that is laid out knows its width
            legend = self.figure.legend(
                handles=[key for column in range(columns) for key in keys[column::columns]],
                loc="upper left",
                ncols=columns,
                frameon=False,
                borderpad=0,
                borderaxespad=0,
                handlelength=2.6 if style.in_column() else 3.2,
                columnspacing=1.6,
            )
            extent = legend.get_window_extent(self._renderer)
            if columns == 1 or extent.width / self.figure.dpi <= width:
                return legend
            legend.remove()
            columns -= 1


def _brief(label: str) -> str:
    """Return a label that fits beside a panel, line for line."""
    return "\n".join(readable(line, _BESIDE) for line in label.split("\n", 2)[:3])


_METADATA: dict[str, dict[str, str | None]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
}
"""By suffix, the metadata that would make two files of one figure differ."""


def save_figure(figure: Figure, path: Path, *, keep: bool = False) -> Path:
    """Write ``figure`` to ``path`` in the format of its suffix: .png (200 dpi), .svg or .pdf.

    Without a suffix it is an SVG.  Beside a vector file lies its caption as text, for a paper.
    The file is there whole or not at all, and the same figure makes the same bytes.

    Args:
        figure: the figure.
        path: path of the file.
        keep: whether another figure at ``path`` stays; this one gets a number then.

    Returns:
        The path that was written.

    Raises:
        OutputError: for another suffix, or where the file cannot be written.
    """
    path = plot_path(path)
    content, caption = drawn(figure, path.suffix)
    return write_plot(path, content, caption, keep=keep, column=style.in_column())


def drawn(figure: Figure, suffix: str) -> tuple[bytes, str]:
    """Return the file of ``figure`` in the format of a ``suffix``, and its caption."""
    suffix = suffix.lower()
    content = io.BytesIO()
    with style.house_style():
        caption = getattr(figure, "caption", "")
        metadata = {**_METADATA[suffix], "Title": caption.partition(". ")[0] or None}
        figure.savefig(content, format=suffix[1:], metadata=metadata)
    return content.getvalue(), caption
