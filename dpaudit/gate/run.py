"""Running a gate: mechanisms and claims, each where it can be slow, crash or hang alone."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from dpaudit.audit.sizes import read_sizes
from dpaudit.errors import ConfigError, UsageError
from dpaudit.gate.asked import read_budget
from dpaudit.gate.claims import UNDECIDED, run_claims
from dpaudit.gate.config import GateConfig, read_config
from dpaudit.gate.entries import check_notion, check_order, run_entries
from dpaudit.results import ClaimFinding, Finding, GateDocument, Kind, Verdict
from dpaudit.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["run_gate"]


def run_gate(
    path: Path,
    jobs: int = 1,
    tick: Callable[[str], None] = lambda title: None,
    *,
    curves: bool = False,
) -> GateDocument:
    """Check everything that the configuration at ``path`` lists, and return what was found.

    With ``curves``, the privacy curve at the worst size is computed as well, for figures.

    Raises ``ConfigError`` for a configuration that is none, before anything is checked.
    """
    config = read_config(path)
    _check_entries(path, config)
    findings = run_entries(path, config, jobs, tick, curves=curves)
    claims = run_claims(config, tick) if config.claims else []
    return GateDocument(
        schema="dpaudit.gate/1",
        version=__version__,
        config=path.name,
        config_sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
        verdict=_verdict(findings, claims),
        mechanisms=tuple(findings),
        claims=tuple(claims),
    )


def _check_entries(path: Path, config: GateConfig) -> None:
    """Find what is wrong with sizes and budgets before any process is started."""
    for index, entry in enumerate(config.mechanisms):
        where = f"mechanism[{index}]"
        for key, read in (
            ("n", lambda e: None if e.n is None else read_sizes(e.n)),
            ("budget", read_budget),
            ("notion", check_notion),
            ("order", check_order),
        ):
            try:
                read(entry)
            except UsageError as error:
                raise ConfigError(path, f"{where}.{key}", str(error)) from None


def _verdict(findings: list[Finding], claims: list[ClaimFinding]) -> Verdict:
    if not findings and not claims:
        return Verdict.UNDECIDED
    if all(finding.passed for finding in findings) and all(claim.passed for claim in claims):
        return Verdict.WITHIN
    certain = any(one.kind in (Kind.EXCEEDS, Kind.TIE) for one in findings) or any(
        not one.passed and one.found not in UNDECIDED for one in claims
    )
    return Verdict.EXCEEDS if certain else Verdict.UNDECIDED
