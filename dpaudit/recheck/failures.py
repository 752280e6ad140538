"""What can be wrong with a report as such, before any number is looked at."""

from __future__ import annotations

from dpaudit.errors import UsageError

__all__ = ["NotAReportError", "UnknownDefinitionError"]


class NotAReportError(UsageError):
    """A file that is no report, or has a field that does not belong there."""


class UnknownDefinitionError(Exception):
    """A mechanism, or a reading of one, that is not defined here a second time."""
