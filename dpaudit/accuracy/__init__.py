"""How accurate a mechanism is at a dataset, exactly: the whole law of its error."""

from dpaudit.accuracy.law import ErrorLaw, Group, Quantile, Steps, error_law

__all__ = ["ErrorLaw", "Group", "Quantile", "Steps", "error_law"]
