"""Figures as files."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from dpaudit.report.figures.style import house_style
from dpaudit.report.files import check_plot_suffix, write_whole

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure

__all__ = ["save_figure"]

_METADATA: dict[str, dict[str, str | None]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
}
"""By suffix, the metadata that would make two files of one figure differ."""


def save_figure(figure: Figure, path: Path) -> None:
    """Write ``figure`` to ``path`` in the format of its suffix: .png (200 dpi), .svg or .pdf.

    The file is there whole or not at all, and the same figure makes the same bytes.  Raises
    ``OutputError`` for another suffix, or where the file cannot be written.
    """
    check_plot_suffix(path)
    suffix = path.suffix.lower()
    content = io.BytesIO()
    with house_style():
        figure.savefig(content, format=suffix[1:], metadata=_METADATA[suffix])
    write_whole(path, content.getvalue())
