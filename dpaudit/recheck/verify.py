"""Verifying a report: its seal, and everything in it that can be computed a second time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mpmath import mp

from dpaudit.errors import TimeCapReached
from dpaudit.recheck.accounts import check_account
from dpaudit.recheck.audits import DATA, check_audit
from dpaudit.recheck.binding import Meant, check_meant
from dpaudit.recheck.calibrations import check_calibration
from dpaudit.recheck.curves import check_curve
from dpaudit.recheck.failures import NotAReportError, UnknownDefinitionError
from dpaudit.recheck.further_reports import (
    Account,
    Calibration,
    Calibrations,
    Gate,
    Notion,
    Notions,
    Tradeoff,
    Tradeoffs,
)
from dpaudit.recheck.gates import check_gate
from dpaudit.recheck.notions import check_notion
from dpaudit.recheck.reading import is_sealed, read_report
from dpaudit.recheck.reports import Audit, Audits, Curve, Curves, as_type
from dpaudit.recheck.tradeoffs import check_tradeoff
from dpaudit.recheck.verification import Findings, VerificationDocument
from dpaudit.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from dpaudit.recheck.known import OwnMechanism

__all__ = ["verify"]

_SINGLE: dict[str, tuple[type[Any], Callable[..., None]]] = {
    "audit": (Audit, check_audit),
    "curve": (Curve, check_curve),
    "notion": (Notion, check_notion),
    "tradeoff": (Tradeoff, check_tradeoff),
    "calibration": (Calibration, check_calibration),
    "account": (Account, check_account),
}
_SEVERAL: dict[str, type[Any]] = {
    "audits": Audits,
    "curves": Curves,
    "notions": Notions,
    "tradeoffs": Tradeoffs,
    "calibrations": Calibrations,
}
KNOWN = (*_SINGLE, *_SEVERAL, "gate")
_FAILURES = (
    *(ArithmeticError, AttributeError, LookupError, MemoryError, RecursionError, TypeError),
    *(ValueError, mp.NoConvergence),
)
"""What numbers that no mechanism has may come to: nothing is confirmed by it."""


def verify(
    path: Path,
    own: Sequence[OwnMechanism] = (),
    meant: Meant | None = None,
    *,
    all_pairs: bool = False,
    tick: Callable[[str], None] = lambda what: None,
) -> VerificationDocument:
    """Recheck the report at ``path`` from the definitions, in mpmath.

    Args:
        path: a JSON report of ``check``, in any notion, ``curve``, ``tradeoff``, ``calibrate``,
            ``account`` or ``gate``.
        own: mechanisms of users; those the report is about are made with its parameters.
        meant: what the report has to answer; None for whatever it says itself.
        all_pairs: whether to compute the maxima over all pairs again, not at the witnesses alone.
        tick: told what is rechecked next.

    Returns:
        What became of it; where the time of this process is up, what had been found until then.

    Raises:
        NotAReportError: for a file that is no such report, or has what no report can have.
    """
    content, digest = read_report(path)
    found = Findings()
    try:
        _check(content, own, meant or Meant(), found, all_pairs=all_pairs, tick=tick)
    except NotAReportError as error:
        raise NotAReportError(f"{path}: {error}") from None
    except TimeCapReached:
        found.unknown(path.name, "the time cap was reached: what is left was not rechecked")
    return VerificationDocument(
        schema="dpaudit.verification/1",
        version=__version__,
        report=path.name,
        report_sha256=digest,
        verdict=found.verdict,
        rechecked=dict(sorted(found.rechecked.items())),
        disagreements=found.disagreements,
        unconfirmed=found.unconfirmed,
        taken=list(found.taken),
        bound=(meant or Meant()).given(),
    )


def _check(
    content: dict[str, Any],
    own: Sequence[OwnMechanism],
    meant: Meant,
    found: Findings,
    **how: Any,
) -> None:
    schema = content.get("schema")
    kind = str(schema).removeprefix("dpaudit.").removesuffix("/1")
    if kind not in KNOWN or schema != f"dpaudit.{kind}/1":
        known = ", ".join(f"dpaudit.{name}/1" for name in KNOWN)
        raise NotAReportError(f"schema {schema!r} cannot be rechecked; known are {known}")
    if meant.config is not None and kind != "gate":
        raise NotAReportError("--config belongs to the report of a gate, which this is not")
    sealed = is_sealed(content)
    found.expect(sealed, "seals", str(schema), "the report does not have the SHA-256 it ends with")
    if kind == "gate":
        gate = as_type(content, Gate)
        _check_version(gate.version)
        parts: list[Any] = []
        for finding in gate.mechanisms:
            for name, part in (("audit", finding.audit), ("notion", finding.notion)):
                if part is not None:
                    _check_inner(name, part)
                    parts.append(part)
        _checked(lambda: check_gate(gate, own, found, meant.config, **how), found, gate.config)
    elif kind in _SEVERAL:
        document = as_type(content, _SEVERAL[kind])
        parts = document.calibrations if kind == "calibrations" else document.audits
        for part in parts:
            _check_inner(kind.removesuffix("s"), part)
        if getattr(document, "data", None) is not None:
            found.take(DATA)
        for part in parts:
            _check_part(kind.removesuffix("s"), part, own, found, **how)
        if hasattr(document, "verdict"):
            _check_worst(document.verdict, parts, found, str(schema))
    else:
        parts = [as_type(content, _SINGLE[kind][0])]
        _check_version(parts[0].version)
        _check_part(kind, parts[0], own, found, **how)
    check_meant(meant, parts, found, gate=kind == "gate")


def _check_version(version: str) -> None:
    """Refuse what another version wrote: its fields may mean something else."""
    if version != __version__:
        raise NotAReportError(
            f"it was written by dpaudit {version[:40] or '?'}; this is dpaudit {__version__}, "
            "which rechecks its own reports"
        )


def _check_inner(kind: str, part: Any) -> None:
    """Refuse a report inside another that is of another kind, or has a seal of its own."""
    if part.schema != f"dpaudit.{kind}/1":
        raise NotAReportError(f"an inner report has the schema {part.schema!r}, not of an {kind}")
    if part.sha256:
        raise NotAReportError("an inner report has a SHA-256: only the whole is sealed")
    _check_version(part.version)


def _check_part(
    kind: str, part: Any, own: Sequence[OwnMechanism], found: Findings, **how: Any
) -> None:
    """Check the report about one mechanism."""
    _, check = _SINGLE[kind]
    name = str(part.mechanism.get("name"))
    _checked(lambda: check(part, own, found, **how), found, name)


def _checked(check: Callable[[], None], found: Findings, where: str) -> None:
    """Check something; where its numbers lead out of what can be computed, say so."""
    try:
        check()
    except UnknownDefinitionError as error:
        found.unknown(where, str(error))
    except _FAILURES as error:
        what = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        found.unknown(where, f"it cannot be computed again ({what})")


def _check_worst(given: str, parts: list[Any], found: Findings, where: str) -> None:
    """Check the verdict on several audits."""
    verdicts = {part.verdict for part in parts}
    worst = next((v for v in ("exceeds", "undecided", "within") if v in verdicts), "undecided")
    message = f"the audits make it {worst}, not {given}"
    found.expect(given == worst, "verdicts", where, message)
