"""Figures for print.  Only this room imports matplotlib, and never pyplot: no global state.

Each kind of figure is imported when it is asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dpaudit.report.figures.accuracy import plot_accuracy
    from dpaudit.report.figures.calibrated import plot_calibrated
    from dpaudit.report.figures.curves import plot_curves
    from dpaudit.report.figures.realised import plot_realised
    from dpaudit.report.figures.sheet import save_figure

__all__ = ["plot_accuracy", "plot_calibrated", "plot_curves", "plot_realised", "save_figure"]

_PLACES = {
    "plot_accuracy": "accuracy",
    "plot_calibrated": "calibrated",
    "plot_curves": "curves",
    "plot_realised": "realised",
    "save_figure": "sheet",
}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
