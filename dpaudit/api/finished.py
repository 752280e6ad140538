"""What every finished piece of work offers: a table, JSON, a figure."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Finished"]


class Finished(ABC):
    """A finished audit with its ways out: a table, JSON, a figure."""

    @abstractmethod
    def to_json(self) -> str:
        """Return the JSON document."""

    @abstractmethod
    def figure(self) -> Figure:
        """Return the figure."""

    @abstractmethod
    def __str__(self) -> str:
        """Return the table."""

    def plot(self, path: str | Path | None = None) -> Figure:
        """Return the figure, and save it to ``path`` (.png, .svg or .pdf) if given."""
        from dpaudit.report.figures import save_figure

        figure = self.figure()
        if path is not None:
            save_figure(figure, Path(path))
        return figure
