"""Figures for print.  Only this room imports matplotlib, and never pyplot: no global state."""

from dpaudit.report.figures.accuracy import plot_accuracy
from dpaudit.report.figures.calibrated import plot_calibrated
from dpaudit.report.figures.curves import plot_curves
from dpaudit.report.figures.files import save_figure
from dpaudit.report.figures.realised import plot_realised

__all__ = ["plot_accuracy", "plot_calibrated", "plot_curves", "plot_realised", "save_figure"]
