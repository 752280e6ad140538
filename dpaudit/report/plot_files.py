"""Which files a plot can be written to, without loading the plotting library."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpaudit.errors import OutputError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["PLOT_SUFFIXES", "check_plot_suffix"]

PLOT_SUFFIXES = (".png", ".svg", ".pdf")


def check_plot_suffix(path: Path) -> None:
    """Raise ``OutputError`` unless ``path`` ends in one of :data:`PLOT_SUFFIXES`."""
    if path.suffix.lower() not in PLOT_SUFFIXES:
        allowed = ", ".join(PLOT_SUFFIXES)
        raise OutputError(path, f"a plot file must end in one of {allowed}")
