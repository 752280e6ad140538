"""Accuracy of a mechanism at a dataset, exactly: the whole law of its error."""

from dpaudit.accuracy.law import ErrorLaw, error_law
from dpaudit.accuracy.listing import Group, Steps
from dpaudit.accuracy.sampling import sample_errors

__all__ = ["ErrorLaw", "Group", "Steps", "error_law", "sample_errors"]
