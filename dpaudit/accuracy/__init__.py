"""How accurate a mechanism is at a dataset, exactly: the whole law of its error."""

from dpaudit.accuracy.law import ErrorLaw, Group, Quantile, Steps, error_law
from dpaudit.accuracy.sampling import sample_errors

__all__ = ["ErrorLaw", "Group", "Quantile", "Steps", "error_law", "sample_errors"]
