"""Figures as files."""

from __future__ import annotations

import io
from itertools import count
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


def save_figure(figure: Figure, path: Path, *, keep: bool = False) -> Path:
    """Write ``figure`` to ``path`` in the format of its suffix: .png (200 dpi), .svg or .pdf.

    The file is there whole or not at all, and the same figure makes the same bytes.

    Args:
        figure: what is drawn.
        path: where it goes.
        keep: whether another figure that is there stays; this one gets a number then.

    Returns:
        Where it went.

    Raises:
        OutputError: for another suffix, or where the file cannot be written.
    """
    check_plot_suffix(path)
    suffix = path.suffix.lower()
    content = io.BytesIO()
    with house_style():
        figure.savefig(content, format=suffix[1:], metadata=_METADATA[suffix])
    drawn = content.getvalue()
    found = path
    for number in count(2):
        if not keep or not found.exists() or found.read_bytes() == drawn:
            break
        found = path.with_stem(f"{path.stem}-{number}")
    write_whole(found, drawn)
    return found
