"""One row, found in the environment of its library: ``python -m tests.libraries.audited``.

Reads an adapter's name, an environment's and a call's place as arguments; prints the row as JSON.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from typing import Any

import dpaudit
from dpaudit.errors import DpauditError
from dpaudit.report.table import compact
from tests.libraries.cases import Case, Environment, Row, without_places

__all__ = ["audited"]

Function = Callable[[Any], Any]


def _function(case: Case) -> Function:
    names: dict[str, Any] = {"__name__": "called"}
    exec(f"{case.setup}\ndef call(x):\n    return {case.call}\n", names)
    found: Function = names["call"]
    return found


def _neighbours(case: Case) -> Any:
    if case.neighbours == "all":
        return "all"
    related: Callable[[Any, Any], bool] = eval(f"lambda a, b: {case.neighbours}")
    return related


def _budget(stated: str) -> str | tuple[str, ...]:
    """Return ε, or (ε, δ)."""
    parts = tuple(part.strip() for part in stated.split(","))
    return parts if len(parts) > 1 else stated


def _as_run(case: Case, row: Row) -> Row:
    declared = dpaudit.program(
        datasets=list(case.inputs),
        neighbours=_neighbours(case),
        budget=_budget(case.stated),
        name="call",
        as_run=True,
    )
    (found,) = dpaudit.check(declared(_function(case))).report.results
    verdict = found.excess or str(found.verdict.value)
    row = replace(row, how="as run", verdict=verdict)
    if found.outputs == 1 and verdict == "within":
        row = replace(row, verdict="vacuous")
    if found.epsilon is not None:
        row = replace(row, epsilon=compact(found.epsilon))
    if found.delta is not None:
        row = replace(row, delta=compact(found.delta))
    if (seen := found.witness) is not None:
        row = replace(row, event=f"{seen.x!r} / {seen.y!r} → {seen.output!r}")
        if verdict == "exceeds":
            row = replace(row, script=case.show or _drawn(case, seen.x, seen.y, seen.output))
    return row


def _drawn(case: Case, x: Any, y: Any, output: Any) -> str:
    """Return lines that count an output at two inputs."""
    tests = {
        "bool": "x is event",
        "str": "x == event",
        "int": "x == event",
        "tuple": "plain(x) == event",
    }
    kind = "tuple" if isinstance(output, tuple) else type(output).__name__
    if kind not in tests:
        return ""
    lines = [*case.setup.splitlines(), f"call = lambda x: {case.call}"]
    if kind == "tuple":
        lines.append(_PLAIN)
    lines += [
        f"seen = lambda x: {tests[kind].replace('event', repr(output))}",
        f"print([sum(seen(call(x)) for i in range(10**5)) for x in {(x, y)!r}])",
    ]
    return "\n".join(lines)


_PLAIN = (
    "plain = lambda x: tuple(map(plain, x)) if hasattr(x, '__len__') and not isinstance(x, str) "
    "else x"
)


def _sampled(case: Case, row: Row) -> Row:
    function = _function(case)

    def draw(dataset: Any, rng: Any) -> Any:
        return _plain(function(dataset))

    declared = dpaudit.sampler(
        datasets=list(case.inputs),
        neighbours=_neighbours(case),
        budget=_budget(case.stated),
        name="call",
    )
    found = dpaudit.sample(declared(draw), draws=case.draws).report
    verdict = str(found.verdict.value)
    row = replace(row, how="sampled", verdict=verdict)
    if found.epsilon:
        row = replace(row, epsilon=f"≥ {found.epsilon}")
    if found.delta:
        row = replace(row, delta=f"≥ {found.delta}")
    if (event := found.event) is not None:
        told = f"{event.count_x} of {event.draws} at {event.x!r}, {event.count_y} at {event.y!r}"
        row = replace(row, event=f"{told}: {event.words}")
        if verdict == "exceeds":
            if "last bits" in event.words:
                row = replace(row, verdict="granularity")
            row = replace(row, script=case.show)
    return row


def _plain(found: Any) -> Any:
    """Return tuples and Python's numbers for what NumPy and others hold."""
    if hasattr(found, "tolist"):
        return _plain(found.tolist())
    if isinstance(found, (list, tuple)):
        return tuple(map(_plain, found))
    return found


def _raised(case: Case) -> str:
    """Return what a call raises that does not work at all."""
    if case.how == "read":
        return ""
    try:
        _function(case)(case.inputs[0])
    except Exception as error:
        return without_places(f"it raises {type(error).__name__}: {error}")
    return ""


def audited(environment: Environment, case: Case) -> Row:
    """Return the row of a call, found in this process."""
    started = time.monotonic()
    note = case.note
    row = Row(environment.library, environment.version, case.call, case.stated, note=note)
    if raised := _raised(case):
        return replace(row, why=raised)  # not kept: its environment may be what is wrong
    if case.how == "as run":
        try:
            row = _as_run(case, row)
        except DpauditError as refusal:
            row = replace(row, why=_short(refusal))
    if case.how == "read" and case.show:
        row = replace(row, how="read", verdict="exceeds", script=case.show, event=note, note="")
    elif case.how == "read":
        row = replace(row, how="read", why=note, note="")
    elif not row.verdict:
        try:
            row = _sampled(case, row)
        except DpauditError as refusal:
            row = replace(row, why=f"{row.why}; sampled: {_short(refusal)}".removeprefix("; "))
    return replace(row, seconds=round(time.monotonic() - started, 1), case=repr(case))


def _short(error: DpauditError) -> str:
    return without_places(str(error).rpartition("call at ")[2].replace("<string>:", "line "))


def main() -> None:
    adapter, place, number = sys.argv[1:]
    environment = import_module(f"tests.libraries.{adapter}").ENVIRONMENTS[int(place)]
    print(json.dumps(audited(environment, environment.cases[int(number)]).written()))


if __name__ == "__main__":
    main()
