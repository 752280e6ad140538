"""``dpaudit.diff``: two reports compared."""

from __future__ import annotations

import os
from pathlib import Path

from dpaudit.api.finished import Finished
from dpaudit.errors import ParameterError
from dpaudit.results import Change, Difference, DifferenceVerdict

__all__ = ["Differences", "diff"]


class Differences(Finished[Difference]):
    """Result of :func:`diff`: the differences of two reports.

    They can be exported as text, JSON, CSV, Markdown or data frames."""

    @property
    def verdict(self) -> DifferenceVerdict:
        """``worse`` if a verdict got worse or something is no longer checked, else ``no worse``."""
        return self.report.verdict

    @property
    def changes(self) -> tuple[Change, ...]:
        """The changes, worse ones first."""
        return self.report.changes

    def __str__(self) -> str:
        """Return the text of the command line."""
        return self.rendered("text")


def diff(old: str | Path, new: str | Path) -> Differences:
    """Compare two reports of one kind, and list the changed numbers and verdicts.

    Reports are matched by mechanism, parameters and question, results by n, and entries of a gate
    by their titles.  A number counts as changed only if its two intervals do not overlap.

    Args:
        old: a JSON report of check, curve, calibrate, accuracy, tradeoff, account, sample or gate.
        new: a later one of the same kind.

    Returns:
        The differences: ``.verdict``, and ``.changes``, worse ones first.

    Raises:
        UsageError: for a file that is not such a report, or was changed after it was written, and
            for reports of two different kinds.

    Example: ``dpaudit.diff("main.json", "branch.json").verdict == "no worse"``
    """
    from dpaudit.report.differing import compare, read

    for name, path in (("old", old), ("new", new)):
        if not isinstance(path, (str, os.PathLike)):
            raise ParameterError(name, f"{name} = {path!r}: must be the path of a JSON report")
    return Differences(compare(read(Path(old)), read(Path(new))))
