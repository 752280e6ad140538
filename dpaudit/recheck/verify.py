"""Verifying a report: its seal, and everything in it that can be computed a second time."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from dpaudit.recheck.accounts import check_account
from dpaudit.recheck.audits import DATA, check_audit
from dpaudit.recheck.calibrations import check_calibration
from dpaudit.recheck.curves import check_curve
from dpaudit.recheck.failures import NotAReportError
from dpaudit.recheck.further_reports import Account, Calibration, Gate, Notion, Tradeoff
from dpaudit.recheck.gates import check_gate
from dpaudit.recheck.notions import check_notion
from dpaudit.recheck.reports import Audit, Curve, as_type, seal_of
from dpaudit.recheck.tradeoffs import check_tradeoff
from dpaudit.recheck.verification import Findings, VerificationDocument
from dpaudit.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from dpaudit.recheck.definition import Definition

__all__ = ["verify"]

_MOST_BYTES = 1 << 30
KNOWN = (
    *("audit", "audits", "curve", "curves", "gate", "notion", "notions", "tradeoff", "tradeoffs"),
    *("calibration", "calibrations", "account"),
)


def verify(
    path: Path,
    own: Mapping[str, Definition] | None = None,
    config: Path | None = None,
    *,
    all_pairs: bool = False,
    tick: Callable[[str], None] = lambda what: None,
) -> VerificationDocument:
    """Recheck the report at ``path`` from the definitions, in mpmath.

    Args:
        path: a JSON report of ``check``, in any notion, ``curve``, ``tradeoff``, ``calibrate``,
            ``account`` or ``gate``.
        own: definitions of users' mechanisms, by the name that the report uses.
        config: the configuration that a gate's report has to answer.
        all_pairs: whether to compute the maxima over all pairs again, not at the witnesses alone.
        tick: told what is rechecked next.

    Raises ``NotAReportError`` for a file that is no such report.
    """
    content, digest = _read(path)
    try:
        found = _check(content, own or {}, config, all_pairs=all_pairs, tick=tick)
    except NotAReportError as error:
        raise NotAReportError(f"{path}: {error}") from None
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
    )


def _read(path: Path) -> tuple[dict[str, Any], str]:
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise NotAReportError(f"{path} cannot be read: {error.strerror or error}") from None
    if len(data) > _MOST_BYTES:
        raise NotAReportError(f"{path} is larger than {_MOST_BYTES} bytes")
    try:
        content = json.loads(data.decode())
    except (ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())[:120]
        raise NotAReportError(f"{path} is not JSON: {reason}") from None
    if not isinstance(content, dict):
        raise NotAReportError(f"{path} is no report: it is not an object with a schema")
    return content, hashlib.sha256(data).hexdigest()


def _check(
    content: dict[str, Any],
    own: Mapping[str, Definition],
    config: Path | None,
    *,
    all_pairs: bool,
    tick: Callable[[str], None],
) -> Findings:
    found = Findings()
    schema = str(content.get("schema"))
    if schema not in {f"dpaudit.{name}/1" for name in KNOWN}:
        known = ", ".join(f"dpaudit.{name}/1" for name in KNOWN)
        raise NotAReportError(f"schema {schema!r} cannot be rechecked; known are {known}")
    if config is not None and schema != "dpaudit.gate/1":
        raise NotAReportError("--config belongs to the report of a gate, which this is not")
    try:
        sealed = content.get("sha256") == seal_of(content)
    except UnicodeEncodeError:
        raise NotAReportError("it has text that is not Unicode") from None
    found.expect(sealed, "seals", schema, "the report does not have the SHA-256 it ends with")
    if schema == "dpaudit.gate/1":
        gate = as_type(content, Gate)
        check_gate(gate, own, found, config, all_pairs=all_pairs, tick=tick)
    else:
        kind = schema.removeprefix("dpaudit.").removesuffix("/1")
        several = kind.endswith("s")
        listed = "calibrations" if kind == "calibrations" else "audits"
        parts = _parts(content, listed) if several else [content]
        if several and content.get("data") is not None:
            found.take(DATA)
        for part in parts:
            _check_part(kind.removesuffix("s"), part, own, found, all_pairs=all_pairs, tick=tick)
        if several and kind not in ("curves", "tradeoffs"):
            _check_worst(content, parts, found)
    return found


def _check_part(
    kind: str, part: dict[str, Any], own: Mapping[str, Definition], found: Findings, **how: Any
) -> None:
    """Check the report about one mechanism."""
    match kind:
        case "audit":
            check_audit(as_type(part, Audit), own, found, **how)
        case "notion":
            check_notion(as_type(part, Notion), own, found, **how)
        case "curve":
            check_curve(as_type(part, Curve), own, found, **how)
        case "tradeoff":
            check_tradeoff(as_type(part, Tradeoff), own, found, **how)
        case "account":
            check_account(as_type(part, Account), own, found, **how)
        case "calibration":
            check_calibration(as_type(part, Calibration), own, found, **how)


def _check_worst(content: dict[str, Any], parts: list[Any], found: Findings) -> None:
    """Check the verdict on several audits."""
    verdicts = {part.get("verdict") for part in parts}
    worst = next((v for v in ("exceeds", "undecided", "within") if v in verdicts), "undecided")
    message = f"the audits make it {worst}, not {content.get('verdict')}"
    same = content.get("verdict") == worst
    found.expect(same, "verdicts", str(content.get("schema")), message)


def _parts(content: dict[str, Any], listed: str) -> list[Any]:
    parts = content.get(listed)
    if not isinstance(parts, list) or not all(isinstance(part, dict) for part in parts):
        raise NotAReportError(f"it has no list of {listed}")
    return parts
