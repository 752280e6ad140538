"""Checking the mechanisms that a configuration lists, each in a process of its own."""

from __future__ import annotations

import inspect
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from dpaudit.api import make_plan
from dpaudit.audit.curve import privacy_curve
from dpaudit.audit.sizes import sizes_of
from dpaudit.audit.sweep import assemble, sweep
from dpaudit.errors import ConfigError, DpauditError, LawError, UsageError
from dpaudit.gate.children import Child, serve
from dpaudit.gate.judge import judge, judged_value
from dpaudit.gate.result import Finding, Kind, Location
from dpaudit.mechanisms.budgets import budget_parts
from dpaudit.mechanisms.loading import load_mechanism
from dpaudit.notices import notices_on_stderr
from dpaudit.notions.question import ask, check_notion_name
from dpaudit.notions.result import NotionAudit
from dpaudit.notions.sweep import assemble_notion, sweep_notion
from dpaudit.report.documents import AuditDocument, audit_document
from dpaudit.report.notions import NotionDocument, notion_document

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection

    from dpaudit.audit.plan import Plan
    from dpaudit.audit.result import Audit
    from dpaudit.gate.config import Entry, GateConfig
    from dpaudit.mechanisms.base import Mechanism

__all__ = ["check_notion", "check_order", "read_budget", "run_entries"]

_POLL = 0.02
_MAX_EVENTS = 400
_SCREENED_WORK, _BALL_WORK = 20_000_000, 500_000


@dataclass
class _Running:
    index: int
    entry: Entry
    child: Child


def run_entries(
    path: Path, config: GateConfig, jobs: int, tick: Callable[[str], None], *, curves: bool
) -> list[Finding]:
    """Return what was found of every mechanism, at most ``jobs`` of them side by side."""
    waiting = list(enumerate(config.mechanisms))[::-1]
    running: list[_Running] = []
    found: dict[int, Finding] = {}
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                index, entry = waiting.pop()
                arguments = (path.parent.resolve(), entry, config, curves)
                child = Child.start(_work, arguments, entry.time_cap or config.time_cap)
                running.append(_Running(index, entry, child))
            for one in list(running):
                finding = _collect(one, config)
                if finding is not None:
                    running.remove(one)
                    one.child.end()
                    found[one.index] = finding
                    if finding.kind == Kind.NOT_LOADED.value:
                        raise ConfigError(path, f"mechanism[{one.index}]", finding.message)
                    tick(finding.title)
            time.sleep(_POLL)
    finally:
        for one in running:
            one.child.end()
    return [found[index] for index in sorted(found)]


def _collect(one: _Running, config: GateConfig) -> Finding | None:
    """Return what a process found, or why it found nothing, or None while it works."""
    ended = one.child.ended
    message = one.child.message()
    if message is not None:
        with suppress(msgspec.MsgspecError):
            return msgspec.json.decode(message, type=Finding)
        ended = True
    if ended:
        code = one.child.process.exitcode
        return _without_audit(one.entry, Kind.CRASHED, f"its process ended (code {code})")
    if one.child.late:
        cap = one.entry.time_cap or config.time_cap
        return _without_audit(one.entry, Kind.TIME_CAP, f"not finished after {cap:g} s")
    return None


def _work(
    connection: Connection, folder: Path, entry: Entry, config: GateConfig, curves: bool
) -> None:
    def work(send: Callable[[bytes], None]) -> None:
        with notices_on_stderr():
            send(msgspec.json.encode(_find(folder, entry, config, curves=curves)))

    serve(connection, work)


def read_budget(entry: Entry) -> list[Any] | None:
    """Return the budget as one or two numbers, or None for the mechanism's own."""
    if entry.budget is None:
        return None
    if isinstance(entry.budget, bool):
        raise UsageError(f"{str(entry.budget).lower()} is not a number")
    return list(budget_parts(entry.budget, "must be EPSILON or [EPSILON, DELTA]"))


def check_notion(entry: Entry) -> None:
    """Raise ``UsageError`` for a notion that there is not."""
    if entry.notion is not None and entry.notion != "renyi":
        check_notion_name(entry.notion, None)


def check_order(entry: Entry) -> None:
    """Raise ``UsageError`` for an order that is none, or that does not go with the notion."""
    if isinstance(entry.order, bool):
        raise UsageError(f"{str(entry.order).lower()} is not a number")
    if entry.notion is not None:
        check_notion_name(entry.notion, entry.order)
    elif entry.order is not None:
        raise UsageError('it goes with notion = "renyi"')


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


def _find(folder: Path, entry: Entry, config: GateConfig, *, curves: bool) -> Finding:
    location = None
    try:
        mechanism = load_mechanism(entry.mechanism, entry.parameters, folder)
        location = locate(mechanism, folder)
        audit, plan = _audited(mechanism, entry, config)
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
    results: tuple[Any, ...] = audit.results
    worst = max(results, key=lambda result: judged_value(audit, result).upper, default=None)
    events = _worst_events(mechanism, worst.n, plan) if curves and worst else []
    return Finding(
        title=entry.title,
        mechanism=entry.mechanism,
        kind=kind.value,
        passed=kind.passes,
        message=message,
        location=location,
        **_documents(audit),
        events=events,
        events_n=worst.n if worst and events else 0,
    )


def _audited(
    mechanism: Mechanism[Any], entry: Entry, config: GateConfig
) -> tuple[Audit | NotionAudit, Plan]:
    """Return the audit that an entry asks for, in ε and δ or in the notion it names."""
    budget = read_budget(entry)
    plan = make_plan(
        mechanism,
        budget=budget if entry.notion is None else 1,  # that of a notion is in the question
        adjacency=entry.adjacency,
        digits=entry.digits or config.digits,
    )
    plan = replace(plan, precision_cap=entry.precision_cap or config.precision_cap)
    sizes = sizes_of(mechanism, entry.n)
    if entry.notion is None:
        return assemble(mechanism, sizes, plan, sweep(mechanism, sizes, plan)), plan
    question = ask(mechanism, entry.notion, order=entry.order, budget=budget)
    found = sweep_notion(question, mechanism, sizes, plan)
    return assemble_notion(mechanism, sizes, plan, question, found), plan


def _documents(audit: Audit | NotionAudit) -> dict[str, Any]:
    """Return the audit's document, as the field of a finding that it belongs in."""
    if isinstance(audit, NotionAudit):
        notion = notion_document([audit])
        assert isinstance(notion, NotionDocument)
        return {"audit": None, "notion": notion}
    document = audit_document([audit])
    assert isinstance(document, AuditDocument)
    return {"audit": document}


def _is_screened(mechanism: Mechanism[Any], n: int) -> bool:
    from dpaudit.laws.screen import NotScreened

    try:
        return mechanism.screen(n) is not None
    except NotScreened:
        return False


def _worst_events(mechanism: Mechanism[Any], n: int, plan: Plan) -> list[tuple[str, str]]:
    """Return the events of the privacy curve at ``n``, thinned out; none where it takes long."""
    work = mechanism.adjacency(plan.adjacency).pair_count(n) * mechanism.entries(n)
    if work > (_SCREENED_WORK if _is_screened(mechanism, n) else _BALL_WORK):
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
