"""Running a gate: every entry in a process of its own, which can be slow, crash or hang alone."""

from __future__ import annotations

import hashlib
import inspect
import multiprocessing
import os
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from dpaudit.api import make_plan
from dpaudit.audit.curve import privacy_curve
from dpaudit.audit.result import Audit, SizeResult, Verdict
from dpaudit.audit.sizes import read_sizes, sizes_of
from dpaudit.audit.sweep import assemble, sweep
from dpaudit.audit.words import excess_in_words
from dpaudit.errors import ConfigError, DpauditError, LawError, UsageError
from dpaudit.exact.real import order, real
from dpaudit.gate.config import Entry, GateConfig, read_config
from dpaudit.gate.result import ClaimFinding, Finding, GateDocument, Kind, Location
from dpaudit.mechanisms.loading import load_mechanism
from dpaudit.report.documents import AuditDocument, audit_document
from dpaudit.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection

    from dpaudit.audit.plan import Plan
    from dpaudit.mechanisms.base import Mechanism

__all__ = ["run_gate"]

_POLL = 0.02
_MAX_EVENTS = 400
_SCREENED_WORK, _BALL_WORK = 20_000_000, 500_000


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
    findings = _run_entries(path, config, jobs, tick, curves=curves)
    claims = _run_claims(config, jobs, tick) if config.claims else []
    return GateDocument(
        schema="dpaudit.gate/1",
        version=__version__,
        config=path.name,
        config_sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
        verdict=_verdict(findings, claims),
        mechanisms=findings,
        claims=claims,
    )


def _check_entries(path: Path, config: GateConfig) -> None:
    """Find what is wrong with sizes and budgets before any process is started."""
    for index, entry in enumerate(config.mechanisms):
        where = f"mechanism[{index}]"
        for key, read in (
            ("n", lambda e: None if e.n is None else read_sizes(e.n)),
            ("budget", _budget),
        ):
            try:
                read(entry)
            except UsageError as error:
                raise ConfigError(path, f"{where}.{key}", str(error)) from None


def _budget(entry: Entry) -> list[Any] | None:
    """Return the budget as one or two numbers, or None for the mechanism's own."""
    if entry.budget is None:
        return None
    parts = entry.budget if isinstance(entry.budget, list) else [entry.budget]
    if not 1 <= len(parts) <= 2:
        raise UsageError("must be EPSILON or [EPSILON, DELTA]")
    for part in parts:
        if isinstance(part, bool):
            raise UsageError(f"{str(part).lower()} is not a number")
        real(part)
    return parts


# -- entries, each in its own process --------------------------------------------------------------


@dataclass
class _Running:
    index: int
    entry: Entry
    process: multiprocessing.process.BaseProcess
    results: Connection
    deadline: float


def _run_entries(
    path: Path, config: GateConfig, jobs: int, tick: Callable[[str], None], *, curves: bool
) -> list[Finding]:
    context = multiprocessing.get_context("spawn")
    waiting = list(enumerate(config.mechanisms))[::-1]
    running: list[_Running] = []
    found: dict[int, Finding] = {}
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                index, entry = waiting.pop()
                ours, theirs = context.Pipe(duplex=False)
                arguments = (theirs, path.parent.resolve(), entry, config, curves)
                process = context.Process(target=_work, args=arguments, daemon=True)
                process.start()
                theirs.close()
                cap = entry.time_cap or config.time_cap
                running.append(_Running(index, entry, process, ours, time.monotonic() + cap))
            for one in list(running):
                finding = _collect(one, config)
                if finding is not None:
                    running.remove(one)
                    _end(one)
                    found[one.index] = finding
                    if finding.kind == Kind.NOT_LOADED.value:
                        raise ConfigError(path, f"mechanism[{one.index}]", finding.message)
                    tick(finding.title)
            time.sleep(_POLL)
    finally:
        for one in running:
            _end(one)
    return [found[index] for index in sorted(found)]


def _end(one: _Running) -> None:
    one.process.kill()
    one.process.join()
    one.results.close()


def _collect(one: _Running, config: GateConfig) -> Finding | None:
    """Return what a process found, or why it found nothing, or None while it works."""
    alive = one.process.is_alive()
    if one.results.poll():
        with suppress(EOFError, msgspec.MsgspecError):
            return msgspec.json.decode(one.results.recv_bytes(), type=Finding)
        alive = False
    if not alive:
        return _without_audit(
            one.entry, Kind.CRASHED, f"its process ended (code {one.process.exitcode})"
        )
    if time.monotonic() > one.deadline:
        cap = one.entry.time_cap or config.time_cap
        return _without_audit(one.entry, Kind.TIME_CAP, f"not finished after {cap:g} s")
    return None


def _without_audit(
    entry: Entry, kind: Kind, message: str, location: Location | None = None
) -> Finding:
    return Finding(
        title=entry.title,
        mechanism=entry.mechanism,
        kind=kind.value,
        passed=kind.passes,
        message=message,
        location=location,
        audit=None,
    )


def _work(
    results: Connection, folder: Path, entry: Entry, config: GateConfig, curves: bool
) -> None:
    """Audit one entry and send what was found: what the process is for."""
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    with suppress(KeyboardInterrupt):
        results.send_bytes(msgspec.json.encode(_find(folder, entry, config, curves=curves)))
        results.close()


def _leave_with_parent() -> None:
    """End this process when the gate that started it is gone, whatever a mechanism is doing."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _find(folder: Path, entry: Entry, config: GateConfig, *, curves: bool) -> Finding:
    location = None
    try:
        mechanism = load_mechanism(entry.mechanism, entry.parameters, folder)
        location = locate(mechanism, folder)
        plan = make_plan(
            mechanism,
            budget=_budget(entry),
            adjacency=entry.adjacency,
            digits=entry.digits or config.digits,
        )
        plan = replace(plan, precision_cap=entry.precision_cap or config.precision_cap)
        sizes = sizes_of(mechanism, entry.n)
        audit = assemble(mechanism, sizes, plan, sweep(mechanism, sizes, plan))
    except LawError as error:
        return _without_audit(entry, Kind.BROKEN, str(error), location)
    except UsageError as error:
        return _without_audit(entry, Kind.NOT_LOADED, str(error), location)
    except DpauditError as error:
        return _without_audit(entry, Kind.UNDECIDED, str(error), location)
    except Exception as error:  # whatever a mechanism raises is its failure
        text = " ".join(str(error).split())
        message = f"it raised {type(error).__name__}: {text}"
        return _without_audit(entry, Kind.BROKEN, message, location)
    kind, message = judge(audit, entry, config)
    document = audit_document([audit])
    assert isinstance(document, AuditDocument)
    worst = max(audit.results, key=lambda r: r.epsilon.upper, default=None)
    events = _worst_events(mechanism, worst.n, plan) if curves and worst else []
    return Finding(
        title=entry.title,
        mechanism=entry.mechanism,
        kind=kind.value,
        passed=kind.passes,
        message=message,
        location=location,
        audit=document,
        events=events,
        events_n=worst.n if worst and events else 0,
    )


def _worst_events(mechanism: Mechanism[Any], n: int, plan: Plan) -> list[tuple[str, str]]:
    """Return the events of the privacy curve at ``n``, thinned out; none where it takes long."""
    work = mechanism.adjacency(plan.adjacency).pair_count(n) * mechanism.entries(n)
    if work > (_SCREENED_WORK if mechanism.screen(n) is not None else _BALL_WORK):
        return []
    curve = privacy_curve(mechanism, n, plan)
    vertices = curve.lower[:: 1 + len(curve.lower) // _MAX_EVENTS]
    scale = 1 << curve.bits
    points = [(v.q / scale, v.p / scale) for v in (*vertices, curve.lower[-1])]
    return [(f"{q:.9g}", f"{p:.9g}") for q, p in points]


def locate(mechanism: Mechanism[Any], folder: Path) -> Location | None:
    """Return where a mechanism is defined, relative to ``folder`` if it lies inside."""
    source: Any = getattr(mechanism, "law", None) or type(mechanism)
    try:
        file = Path(inspect.getsourcefile(source) or "").resolve()
        line = inspect.getsourcelines(source)[1]
    except (TypeError, OSError):
        return None
    if file.is_relative_to(folder):
        return Location(file.relative_to(folder).as_posix(), line)
    parts = type(mechanism).__module__.split(".")
    return Location("/".join(parts) + ".py", line)


# -- judging ---------------------------------------------------------------------------------------


def judge(audit: Audit, entry: Entry, config: GateConfig) -> tuple[Kind, str]:
    """Return what becomes of an audit under the rules of its entry, with the reason in words."""
    worst = [r for r in audit.results if r.verdict is Verdict.EXCEEDS]
    if worst:
        return Kind.EXCEEDS, excess_in_words(audit, max(worst, key=lambda r: r.epsilon.upper))
    if audit.missing:
        return Kind.UNDECIDED, f"sizes that were not finished: {list(audit.missing)}"
    if audit.undecided:
        size = audit.undecided[0]
        return Kind.UNDECIDED, f"at n = {size.n}: {size.reason}"
    undecided = [r for r in audit.results if r.verdict is Verdict.UNDECIDED]
    if undecided:
        first = undecided[0]
        if entry.ties == "accept" and all(_is_tie(audit, r) for r in undecided):
            sizes = ", ".join(str(r.n) for r in undecided)
            return Kind.TIE_ACCEPTED, f"not told from its budget at n = {sizes}, as accepted"
        return Kind.UNDECIDED, f"at n = {first.n}: {first.reason}"
    if not audit.results:
        return Kind.UNDECIDED, "nothing was checked"
    if config.fail_on == "tie":
        for result in audit.results:
            if _exactly_the_budget(audit, result):
                return Kind.TIE, f"at n = {result.n} the realised ε is exactly the budget"
    largest = max(audit.results, key=lambda r: r.epsilon.upper)
    exact = largest.epsilon.exact
    realised = f"ε ≤ {largest.epsilon.upper}" if exact is None else f"ε = {exact} exactly"
    return Kind.WITHIN, f"{realised}, budget {audit.subject.budget[0]}"


def _is_tie(audit: Audit, result: SizeResult) -> bool:
    """Tell whether all pairs were covered and only the budget's last digits are in doubt."""
    complete = result.pairs_covered == result.pairs
    return complete and result.epsilon.is_tight(audit.subject.digits)


def _exactly_the_budget(audit: Audit, result: SizeResult) -> bool:
    if result.epsilon.exact is None:
        return False
    from dpaudit.exact.ball import Sign

    budget = real(audit.subject.budget[0])
    return order(real(result.epsilon.exact), budget) is Sign.ZERO


# -- claims ----------------------------------------------------------------------------------------


def _run_claims(config: GateConfig, jobs: int, tick: Callable[[str], None]) -> list[ClaimFinding]:
    from dpaudit.claims.claim import Settings
    from dpaudit.claims.decide import decide
    from dpaudit.claims.discover import ClaimError, discover, select

    known = discover()
    deadline = time.monotonic() + config.time_cap
    found = []
    for pattern, expected in config.claims.items():
        try:
            chosen = select(known, (pattern,))
        except ClaimError as error:
            found.append(_claim(pattern, expected, "unknown", str(error)))
            continue
        for item in chosen:
            if time.monotonic() > deadline:
                message = f"not decided after {config.time_cap:g} s"
                found.append(_claim(item.claim.id, expected, "time cap", message))
                continue
            decision = decide(item.claim, Settings()) if not item.failure else None
            verdict = decision.verdict.value if decision else "failed"
            reason = decision.reason if decision else item.failure
            found.append(_claim(item.claim.id, expected, verdict, reason))
            tick(item.claim.id)
    return found


def _claim(claim: str, expected: str, found: str, reason: str) -> ClaimFinding:
    passed = found == expected and found not in ("undecided", "failed", "unknown", "time cap")
    message = reason or (f"{found}, as expected" if passed else f"{found}, not {expected}")
    return ClaimFinding(id=claim, expected=expected, found=found, passed=passed, message=message)


def _verdict(findings: list[Finding], claims: list[ClaimFinding]) -> str:
    if not findings and not claims:
        return str(Verdict.UNDECIDED.value)
    if all(f.passed for f in findings) and all(c.passed for c in claims):
        return str(Verdict.WITHIN.value)
    certain = any(f.kind in (Kind.EXCEEDS.value, Kind.TIE.value) for f in findings) or any(
        not c.passed and c.found not in ("undecided", "failed", "unknown", "time cap")
        for c in claims
    )
    verdict = Verdict.EXCEEDS if certain else Verdict.UNDECIDED
    return str(verdict.value)
