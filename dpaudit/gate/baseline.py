"""The baseline of a gate: an older JSON report that the gate may not be worse than.

It is read before anything is checked, so that a gate without its baseline checks nothing.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from dpaudit.errors import ConfigError, ParameterError
from dpaudit.fingerprint import fingerprint
from dpaudit.gate.config import read_config
from dpaudit.recheck.findings import NotAReportError
from dpaudit.report.differing import Read, read
from dpaudit.results import GateDocument

if TYPE_CHECKING:
    from dpaudit.gate.config import GateConfig

__all__ = ["baseline_path", "read_baseline"]


def baseline_path(path: Path, named: str | Path | None) -> Path | None:
    """Return the file of the baseline; None without one.

    Args:
        path: the configuration, whose key ``baseline`` names a file in its folder.
        named: another file, which is taken in place of that.
    """
    if named is not None:
        return Path(named)
    configured = read_config(path).baseline
    return None if configured is None else path.parent / configured


def read_baseline(path: Path, config: GateConfig, named: str | Path | None) -> Read | None:
    """Return the baseline; None without one.

    Args:
        path: the configuration.
        config: its content, with calls for plain functions.
        named: file that is taken in place of that of the configuration.

    Raises:
        UsageError: for a file that cannot be read, is no report of a gate, was changed after it
            was written, or has none of the entries and claims of the configuration.
    """
    file = baseline_path(path, named)
    if file is None:
        return None
    try:
        baseline = read(file)
        if not isinstance(baseline.document, GateDocument):
            raise NotAReportError(
                f"{file}: schema {baseline.kind} is not that of a gate; write a report with "
                "dpaudit gate --format json --output FILE"
            )
        if not _of_this_gate(baseline.document, config):
            raise NotAReportError(
                f"{file} is the report of another gate ({baseline.document.config}): nothing that "
                f"{path.name} lists is in it"
            )
    except NotAReportError as error:
        if named is None:
            raise ConfigError(path, "baseline", str(error)) from None
        raise ParameterError("baseline", f"--baseline: {error}") from None
    fingerprint()  # of the code that does the work: files may change meanwhile
    return baseline


def _of_this_gate(baseline: GateDocument, config: GateConfig) -> bool:
    """Tell whether an entry or a claim of the configuration is in the baseline."""
    titles = {finding.title for finding in baseline.mechanisms}
    names = {finding.mechanism for finding in baseline.mechanisms}
    return any(
        entry.title in titles or entry.mechanism in names for entry in config.mechanisms
    ) or any(
        fnmatchcase(claim.id, pattern) for claim in baseline.claims for pattern in config.claims
    )
