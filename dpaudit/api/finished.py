"""What every finished piece of work offers: a table, JSON, a figure."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from dpaudit.errors import PrecisionError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from dpaudit.audit.result import UndecidedSize

__all__ = ["Finished", "only_result"]


ResultT = TypeVar("ResultT")


def only_result(results: Sequence[ResultT], undecided: Sequence[UndecidedSize]) -> ResultT:
    """Return the result of the only size; ``ValueError`` if there are more.

    Raises ``PrecisionError`` if something could not be enclosed at the precision cap.
    """
    if not results and len(undecided) == 1:
        raise PrecisionError(undecided[0].reason)
    if len(results) != 1:
        raise ValueError(f"{len(results)} sizes were audited; look into .results")
    return results[0]


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
