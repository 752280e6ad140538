"""Work of the process of one entry: load the mechanism, audit it, and send the numbers.

It runs a user's code, so the gate checks its message: see :mod:`dpaudit.gate.messages`.
"""

from __future__ import annotations

import inspect
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpaudit.audit.conformance import check_what_is_relied_on
from dpaudit.audit.curve import worst_events
from dpaudit.audit.isolated import hold_to_memory
from dpaudit.audit.plan import Plan, sizes_of
from dpaudit.audit.runner import Task, Workers, prepare
from dpaudit.errors import DpauditError, LawError, TooLargeError, UsageError, one_line
from dpaudit.fingerprint import fingerprint
from dpaudit.gate.config import Entry, GateConfig, in_keys
from dpaudit.gate.entries import entry_question, entry_questions
from dpaudit.gate.functions import load_entry
from dpaudit.gate.messages import EntryMessage, closest
from dpaudit.gate.requests import plan_of
from dpaudit.machine import MOST_MEMORY, amount, memory_cap, read_memory_cap
from dpaudit.notices import notices_on_stderr
from dpaudit.report.render import marked
from dpaudit.results import Kind, Location, Reported
from dpaudit.results.documents import encode

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.mechanisms.spec import Spec


__all__ = ["preload", "tell"]


def preload() -> None:
    """Do once, before processes of entries are forked, what each of them would do."""
    for name in ("importlib.metadata", "numpy", "resource"):
        import_module(name)
    fingerprint()
    entry_questions()  # what each of them computes with


def tell(
    send: Callable[[bytes], None],
    spec: Spec,
    entry: Entry,
    config: GateConfig,
    curves: bool,
) -> None:
    """Audit the mechanism of one entry, and send the report or the failure as one JSON document."""
    most = MOST_MEMORY if entry.memory_cap is None else entry.memory_cap
    try:
        with notices_on_stderr(), memory_cap(most):
            hold_to_memory(read_memory_cap(most))
            answer = _find(spec, entry, config, curves=curves)
    except MemoryError:
        reason = f"it needed more than its memory limit of {amount(read_memory_cap(most))}"
        answer = EntryMessage(failure=Kind.MEMORY_CAP, message=reason)
    except BaseException as error:  # whatever a mechanism raises is its failure
        answer = EntryMessage(failure=Kind.BROKEN, message=f"it raised {one_line(error)}")
    send(encode(answer))


def _find(spec: Spec, entry: Entry, config: GateConfig, *, curves: bool) -> EntryMessage:
    location, question = None, entry_question(entry)
    try:
        mechanism = question.known_mechanism(spec, entry) or load_entry(spec, entry)
        folder = Path(spec.folder)
        if question.reads_file:
            location = _inside(folder / spec.reference, folder, 1)
        else:
            location = locate(mechanism, folder)
        if question.counts_draws:
            report = question.drawn(mechanism, entry, folder)
            return EntryMessage(location=location, report=report)
        report, plan = _reported(mechanism, entry, config, spec)
    except DpauditError as error:
        kinds = {LawError: Kind.BROKEN, TooLargeError: Kind.MEMORY_CAP, UsageError: Kind.NOT_LOADED}
        causes = (kind for cause, kind in kinds.items() if isinstance(error, cause))
        failure = next(causes, Kind.UNDECIDED)
        return EntryMessage(failure=failure, message=in_keys(str(error)), location=location)
    drawn = curves and question.has_events
    rows = question.rows(report, question.bounds(entry)) if drawn else []
    n = closest(rows).n if rows else 0
    events = worst_events(mechanism, n, plan) if n else ()
    return EntryMessage(
        location=location, events=events, events_n=n if events else 0, report=report
    )


def _reported(
    mechanism: Mechanism[Any], entry: Entry, config: GateConfig, spec: Spec
) -> tuple[Reported, Plan]:
    """Return the report that an entry asks for, and how it was made."""
    plan, question = plan_of(mechanism, entry, config), entry_question(entry)
    sizes = sizes_of(mechanism, entry.n, plan.at)
    if not question.is_swept:
        if mechanism.loaded_from is not None:
            check_what_is_relied_on(mechanism, sizes, entry.adjacency)
        return question.reported(mechanism, entry, plan, spec), plan
    task = Task(mechanism, sizes, plan, question.measured(mechanism, entry)).as_measured()
    work = prepare([task], Workers(1))
    if task.mechanism.loaded_from is not None:
        check_what_is_relied_on(task.mechanism, sizes, entry.adjacency)
    (values,) = work.collected()
    return marked(task.report(values)), plan


def locate(mechanism: Mechanism[Any], folder: Path) -> Location | None:
    """Return where a mechanism is defined, relative to ``folder`` if it lies inside."""
    drawn = getattr(mechanism, "function", None)
    source: Any = drawn or getattr(mechanism, "law", None) or type(mechanism)
    try:
        file = Path(inspect.getsourcefile(source) or "").resolve()
        line = inspect.getsourcelines(source)[1]
    except (TypeError, OSError):
        return None
    parts = type(mechanism).__module__.split(".")
    return _inside(file, folder, line) or Location("/".join(parts) + ".py", line)


def _inside(file: Path, folder: Path, line: int) -> Location | None:
    """Return the place of a file relative to ``folder``, None if it lies outside."""
    file = file.resolve()
    if not file.is_relative_to(folder):
        return None
    return Location(file.relative_to(folder).as_posix(), line)
