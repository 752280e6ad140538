"""One row, found in the environment of its library: ``python -m tests.libraries.audited``.

Reads an adapter's name, an environment's and a call's place as arguments; prints the row as JSON.
"""

from __future__ import annotations

import ast
import json
import struct
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

__all__ = ["audited", "function_of"]

Function = Callable[[Any], Any]


class _Once(ast.NodeTransformer):
    """Takes calls that are made once, whatever the input is, out of an expression."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names
        self.made: list[str] = []

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Put a name in the place of a call that is so called and does not read the input."""
        called = node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
        read = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
        if "x" in read or not called.startswith(self.names):
            return self.generic_visit(node)
        self.made.append(f"made_{len(self.made)} = {ast.unparse(node)}\n")
        return ast.Name(f"made_{len(self.made) - 1}", ast.Load())


def function_of(case: Case, once: tuple[str, ...] = ()) -> Function:
    """Return the call of a case as a function of its input, and of what is called ``once``."""
    names: dict[str, Any] = {"__name__": "called"}
    call, made = case.call, ""
    if once:
        taken = _Once(once)
        call = ast.unparse(taken.visit(ast.parse(call, mode="eval")))
        made = "".join(taken.made)
    exec(f"{case.setup}\n{made}def call(x):\n    return {call}\n", names)
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
    (found,) = dpaudit.check(declared(function_of(case))).report.results
    assert found.verdict is not None
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


def _drawn_from(case: Case, function: Function) -> Any:
    """Return the report of draws of a function."""

    def draw(dataset: Any, rng: Any) -> Any:
        return _plain(function(dataset))

    declared = dpaudit.sampler(
        datasets=list(case.inputs),
        neighbours=_neighbours(case),
        budget=_budget(case.stated),
        name="call",
    )
    return dpaudit.sample(declared(draw), draws=case.draws).report


def _single(output: Any) -> Any:
    """Return a float in single precision: the last bits of a double are gone, its law is not."""
    return struct.unpack("f", struct.pack("f", output))[0] if isinstance(output, float) else output


def _sampled(case: Case, row: Row, function: Function) -> Row:
    found = _drawn_from(case, function)
    verdict, read = str(found.verdict.value), ""
    if verdict == "exceeds" and "last bits" in found.event.words:
        coarse = _drawn_from(case, lambda x: _single(function(x)))
        verdict = str(coarse.verdict.value)
        if verdict == "exceeds":  # an atom of a law has last bits of its own
            found, read = coarse, "in single precision, "
        else:
            verdict = "granularity"
    row = replace(row, how="sampled", verdict=verdict)
    if found.epsilon:
        row = replace(row, epsilon=f"≥ {found.epsilon}")
    if found.delta:
        row = replace(row, delta=f"≥ {found.delta}")
    if (event := found.event) is not None:
        told = f"{event.count_x} of {event.draws} at {event.x!r}, {event.count_y} at {event.y!r}"
        row = replace(row, event=f"{told}: {read}{event.words}")
        if verdict in {"exceeds", "granularity"}:
            row = replace(row, script=case.show)
    return row


def _plain(found: Any) -> Any:
    """Return tuples and Python's numbers for what NumPy and others hold."""
    if hasattr(found, "tolist"):
        return _plain(found.tolist())
    if isinstance(found, (list, tuple)):
        return tuple(map(_plain, found))
    return found


def audited(environment: Environment, case: Case) -> Row:
    """Return the row of a call, found in this process."""
    started = time.monotonic()
    row = Row(environment.library, environment.version, case.call, case.stated, note=case.note)
    if case.how == "read":
        found = replace(row, how="read", verdict="exceeds", script=case.show, event=case.note)
        return replace(found, note="", case=repr(case))
    try:
        function = function_of(case, environment.once)
        function(case.inputs[0])
    except Exception as error:  # not kept: its environment may be what is wrong
        return replace(row, why=without_places(f"it raises {type(error).__name__}: {error}"))
    if case.how == "as run":
        try:
            row = _as_run(case, row)
        except DpauditError as refusal:
            row = replace(row, why=_short(refusal))
    if not row.verdict:
        try:
            row = _sampled(case, row, function)
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
