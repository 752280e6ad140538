"""The Python interface of gates: ``dpaudit.run_gate``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpaudit.api.finished import Finished
from dpaudit.gate import run
from dpaudit.gate.entries import shares_of
from dpaudit.report.views import view_of
from dpaudit.results import ClaimFinding, Difference, Finding, GateDocument, GateVerdict

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from matplotlib.figure import Figure


__all__ = ["Gated", "run_gate"]


class Gated(Finished[GateDocument]):
    """Result of :func:`run_gate`: the outcome of each entry and claim.

    It can be exported as text, JSON, CSV, Markdown, data frames or a figure."""

    @property
    def verdict(self) -> GateVerdict:
        """``within`` if everything passed, ``exceeds`` if something fails for certain.

        ``not refuted`` if everything passed, but some entries only by sampling.
        """
        return self.report.verdict

    @property
    def mechanisms(self) -> tuple[Finding, ...]:
        """Outcome of each entry, in their order."""
        return self.report.mechanisms

    @property
    def claims(self) -> tuple[ClaimFinding, ...]:
        """Outcome of each claim."""
        return self.report.claims

    @property
    def failed(self) -> tuple[str, ...]:
        """Titles of the entries and ids of the claims that did not pass."""
        return tuple(title for passed, title, *_ in self.report.entries() if not passed)

    @property
    def baseline(self) -> Difference | None:
        """Differences from the baseline, whose ``verdict`` is ``worse`` or ``no worse``.

        None without a baseline.
        """
        return self.report.baseline

    def figure(self) -> Figure:
        """Return the figure: the share of its budget that each entry uses, at every size."""
        return view_of(self.report).plot(self.reports, shares_of(self.report))


def run_gate(
    path: str | Path,
    jobs: int = 1,
    progress: Callable[[str], None] = lambda title: None,
    *,
    curves: bool = False,
    digits: int | None = None,
    memory_cap: int | None = None,
    baseline: str | Path | None = None,
) -> Gated:
    """Check every entry and claim of a configuration, each entry in its own process.

    Args:
        path: a ``dpaudit.toml``, or a ``pyproject.toml`` with ``[tool.dpaudit]``.
        jobs: number of entries checked at the same time.
        progress: called with the name of the entry that is checked next.
        curves: True to compute the privacy curve at the worst size too, for the HTML page.
        digits: intervals are at most 10^−digits wide, or narrower if the configuration says so.
        memory_cap: memory limit in MB for each entry without its own memory-cap.
        baseline: the JSON report of an older gate to compare with; by default that of the
            configuration.

    Returns:
        The result: ``.verdict``, the titles that ``.failed``, and every entry in ``.mechanisms``.

    Raises:
        ConfigError: for an invalid configuration, before anything is checked.
        ParameterError: for digits that are not from 1 to 1000, and for a baseline that is no
            report of this gate.

    Example::

        dpaudit.run_gate("dpaudit.toml").verdict == "within"
    """
    document = run.run_gate(
        path,
        jobs,
        progress,
        curves=curves,
        digits=digits,
        memory_cap=memory_cap,
        baseline=baseline,
    )
    return Gated(document)
