"""Mutants of stand-ins, held to real runs: python -m tests.programs.stand_in_mutants --count 300.

A stand-in that answers wrongly makes a false law.  So one line of one is changed, in place: a
constant, a comparison, a branch, an operator, what it returns.  The programs of the corpus that run
this line are explored, without real runs; where a law differs from the true one by 1/1000 in total
variation, the program is audited as it always is, and real runs must refuse it.
"""

from __future__ import annotations

import argparse
import ast
import copy
import functools
import gc
import importlib
import inspect
import math
import random
import resource
import signal
import sys
import time
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import CodeType, FunctionType, ModuleType
from typing import Any

from dpaudit.errors import LawError
from dpaudit.programs.as_run import explored
from dpaudit.programs.output_laws import derived
from dpaudit.programs.real import ideal
from dpaudit.programs.real.counted import DEFAULT_RUNS, RealRuns
from tests.programs.stand_in_corpus import CASES, Case

__all__ = ["Mutant", "Outcome", "classified", "main", "mutants"]

MODULES = [
    f"dpaudit.programs.unknowns.{name}"
    for name in ("kinds", "lazy", "unknown", "unknown_whole", "rounded")
] + [
    f"dpaudit.programs.exploring.{name}" for name in ("several", "source")
] + [
    f"dpaudit.programs.as_run.{name}"
    for name in ("floats", "converted", "curves", "numpy_arguments", "numpy_calls",
                 "numpy_kinds", "called_math", "supply")
]  # fmt: skip
DIFFERS = 1e-3
MOST_CASES = 6
MOST_SECONDS, MOST_OF_RUNS = 8.0, 120.0
"""Of the processor, for one program; and for one with all its real runs."""
PROBE = "__probe__"


@dataclass(frozen=True)
class Mutant:
    """One changed node of a module."""

    module: str
    line: int
    change: str
    tree: ast.Module

    def __str__(self) -> str:
        return f"{self.module}:{self.line}: {self.change}"


class _TooLongError(BaseException):
    """A program of which no end is seen."""


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant."""

    kind: str
    """``unchanged``, ``refused by real runs``, ``refused otherwise`` or ``SURVIVED``."""
    said: str = ""


# Changing code in place


def _parts(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _parts(constant)


def _source(module: ModuleType) -> str:
    return inspect.getsource(module)


@contextmanager
def changed(name: str, tree: ast.Module) -> Iterator[None]:
    """Let every function of a module, wherever it is held, run as another tree has it.

    Raises:
        ValueError: where a function does not close over the same names.
    """
    module = importlib.import_module(name)
    file = str(module.__file__)
    before = list(_parts(compile(_source(module), file, "exec", dont_inherit=True, flags=_FLAGS)))
    after = list(_parts(compile(tree, file, "exec", dont_inherit=True, flags=_FLAGS)))
    if len(before) != len(after):
        raise ValueError("a function is gone")
    functions = [
        one
        for one in gc.get_objects()
        if isinstance(one, FunctionType) and one.__code__.co_filename == file
    ]
    kept = [(one, one.__code__) for one in functions]
    try:
        for one, code in kept:
            for old, new in zip(before, after, strict=True):
                if code == old:
                    one.__code__ = new
                    break
        _forget()
        yield
    finally:
        for one, code in kept:
            one.__code__ = code
        _forget()


_FLAGS = __import__("__future__").annotations.compiler_flag


def _forget() -> None:
    """Clear every cache of the package."""
    for one in gc.get_objects():
        if isinstance(one, functools._lru_cache_wrapper) and one.__module__.startswith("dpaudit."):
            one.cache_clear()


# Which lines run


class _Probing(ast.NodeTransformer):
    """Tells of every statement of every function that it runs."""

    def __init__(self) -> None:
        self.inside = 0

    def generic_visit(self, node: ast.AST) -> ast.AST:
        function = isinstance(node, (ast.FunctionDef, ast.Lambda))
        self.inside += function
        super().generic_visit(node)
        if self.inside:
            for part in ("body", "orelse", "finalbody"):
                listed = getattr(node, part, None)
                if isinstance(listed, list) and listed and isinstance(listed[0], ast.stmt):
                    setattr(node, part, [one for each in listed for one in self._told(each)])
        self.inside -= function
        return node

    def _told(self, statement: ast.stmt) -> list[ast.stmt]:
        if isinstance(statement, (ast.Nonlocal, ast.Global)):
            return [statement]
        call = ast.parse(f"{PROBE}({statement.lineno})").body[0]
        return [ast.copy_location(one, statement) for one in (call, statement)]


def lines_run(cases: list[Case]) -> dict[tuple[str, int], list[Case]]:
    """Return which of the cases, of those that are right without a change, run which statements."""
    found: dict[tuple[str, int], set[int]] = defaultdict(set)
    current = [0]
    modules = [importlib.import_module(name) for name in MODULES]
    with contextmanagers(
        [
            changed(m.__name__, ast.fix_missing_locations(_Probing().visit(_tree(m))))
            for m in modules
        ]
    ):
        for module in modules:
            name = module.__name__
            vars(module)[PROBE] = lambda line, name=name: found[name, line].add(current[0])
        for current[0], case in enumerate(cases):
            if current[0] % 25 == 0:
                print(f"{current[0]} of {len(cases)} programs", file=sys.stderr, flush=True)
            try:
                with without_real_runs(), limited(MOST_SECONDS):
                    right = case.wrong(case.derived()) < DIFFERS / 2
            except (LawError, _TooLongError):
                right = False
            if not right:
                for listed in found.values():
                    listed.discard(current[0])
        for module in modules:
            vars(module)[PROBE] = lambda line: None  # closures that were made meanwhile have it
    return {key: [cases[number] for number in sorted(listed)] for key, listed in found.items()}


@contextmanager
def contextmanagers(listed: list[Any]) -> Iterator[None]:
    if not listed:
        yield
        return
    with listed[0], contextmanagers(listed[1:]):
        yield


def _tree(module: ModuleType) -> ast.Module:
    return ast.parse(_source(module))


# Mutants

COMPARED: dict[type, list[type]] = {
    ast.Lt: [ast.LtE, ast.Gt], ast.LtE: [ast.Lt, ast.GtE], ast.Gt: [ast.GtE, ast.Lt],
    ast.GtE: [ast.Gt, ast.LtE], ast.Eq: [ast.NotEq], ast.NotEq: [ast.Eq], ast.Is: [ast.IsNot],
    ast.IsNot: [ast.Is], ast.In: [ast.NotIn], ast.NotIn: [ast.In],
}  # fmt: skip
OPERATED: dict[type, type] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult,
    ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.FloorDiv: ast.Mult,
    ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr,
}  # fmt: skip
NAMES = {"floor": "ceil", "ceil": "floor", "min": "max", "max": "min", "any": "all", "all": "any"}
RETURNED = (False, True, NotImplemented, None, 0)


def _changes(node: Any) -> Iterator[tuple[str, Any]]:  # noqa: PLR0912
    """Yield what a node may be changed to, with words for it."""
    match node:
        case ast.Constant(value=bool(known)):
            yield "another constant", ast.Constant(not known)
        case ast.Constant(value=int(whole)):
            for by in (1, -1):
                yield f"{whole + by} for {whole}", ast.Constant(whole + by)
        case ast.Constant(value=float(real)):
            for near in (math.nextafter(real, math.inf), real * 1.01 + 1e-3):
                yield f"{near} for {real}", ast.Constant(near)
        case ast.Compare(left=left, ops=[operator, *more], comparators=right):
            for kind in COMPARED.get(type(operator), []):
                change = f"{kind.__name__} for {type(operator).__name__}"
                yield change, ast.Compare(left, [kind(), *more], right)
        case ast.BoolOp(op=operator, values=values):
            swapped: Any = ast.Or() if isinstance(operator, ast.And) else ast.And()
            yield "and for or, or or for and", ast.BoolOp(swapped, values)
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
            negated = copy.copy(node)
            negated.test = ast.UnaryOp(ast.Not(), test)
            yield "a branch negated", negated
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in OPERATED:
            kind = OPERATED[type(operator)]
            yield f"{kind.__name__} for {type(operator).__name__}", ast.BinOp(left, kind(), right)
        case ast.UnaryOp(op=ast.USub() | ast.Not(), operand=operand):
            yield "a sign or a not gone", operand
        case ast.Return(value=value) if value is not None:
            for other in RETURNED:
                text = ast.Name("NotImplemented", ast.Load()) if other is NotImplemented else None
                yield f"returns {other}", ast.Return(text or ast.Constant(other))
        case ast.Name(id=name) if name in NAMES:
            yield f"{NAMES[name]} for {name}", ast.Name(NAMES[name], ast.Load())
        case ast.Attribute(value=value, attr=name) if name in NAMES:
            yield f"{NAMES[name]} for {name}", ast.Attribute(value, NAMES[name], ast.Load())


class _Replacing(ast.NodeTransformer):
    def __init__(self, place: int, other: ast.AST) -> None:
        self.left, self.other = place, other

    def visit(self, node: ast.AST) -> Any:
        self.left -= 1
        if self.left == -1:
            return ast.copy_location(self.other, node)
        return self.generic_visit(node)


class _Places(ast.NodeVisitor):
    """Lists every node of a tree with its place and the statement of a function that it is in."""

    def __init__(self) -> None:
        self.found: list[tuple[int, int, ast.AST]] = []
        self.place, self.line, self.inside = -1, 0, 0

    def visit(self, node: ast.AST) -> None:
        self.place += 1
        function = isinstance(node, (ast.FunctionDef, ast.Lambda))
        line = self.line
        if isinstance(node, ast.stmt) and self.inside:
            self.line = node.lineno
        if self.inside and not isinstance(node, ast.FunctionDef):
            self.found.append((self.place, self.line, node))
        self.inside += function
        self.generic_visit(node)
        self.inside -= function
        self.line = line


def mutants(lines: dict[tuple[str, int], list[Case]], rng: random.Random) -> Iterator[Mutant]:
    """Yield mutants of statements that the corpus runs, in a random order."""
    listed: list[tuple[str, ast.Module, int, int, str, ast.AST]] = []
    for name in MODULES:
        tree = _tree(importlib.import_module(name))
        places = _Places()
        places.visit(tree)
        for place, line, node in places.found:
            if lines.get((name, line)):
                listed += [(name, tree, place, line, *change) for change in _changes(node)]
    rng.shuffle(listed)
    for name, tree, place, line, change, other in listed:
        made = _Replacing(place, copy.deepcopy(other)).visit(copy.deepcopy(tree))
        yield Mutant(name, line, change, ast.fix_missing_locations(made))


# What becomes of them


REAL_RUNS: list[tuple[Any, str, Any]] = [
    (explored, "hold_to_real_runs", lambda *given, **named: RealRuns(1)),
    (ideal, "hold_ideal", lambda *given, **named: RealRuns(1)),
    (derived, "_check_total", lambda *given, **more: None),
    (explored, "generator_states", lambda *given: {}),  # which takes longer than all else
]


@contextmanager
def without_real_runs() -> Iterator[None]:
    before = [getattr(module, name) for module, name, _ in REAL_RUNS]
    for module, name, other in REAL_RUNS:
        setattr(module, name, other)
    try:
        yield
    finally:
        for (module, name, _), one in zip(REAL_RUNS, before, strict=True):
            setattr(module, name, one)


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    def stop(*given: object) -> None:
        raise _TooLongError

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, 1.0)  # again, where C code lost it
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _derived(case: Case, real_runs: int | None = None) -> dict[Any, float] | str:
    """Return a law, or why there is none."""
    try:
        with limited(MOST_OF_RUNS if real_runs else MOST_SECONDS):
            return case.derived(real_runs)
    except _TooLongError:
        return "no end"
    except Exception as error:  # a mutant may do anything
        return f"{type(error).__name__}: {error}"


BY_REAL_RUNS = ("a real run", "the recomputed probabilities", "with plain numbers",
                "do not add up to 1")  # fmt: skip
"""What is said by real runs, and by the checks of probabilities that go with them."""


def classified(mutant: Mutant, cases: list[Case]) -> Outcome:
    """Tell what becomes of a mutant on programs that run its line.

    Raises:
        ValueError: for one that cannot be put in place.
    """
    refused = ""
    found = Outcome("unchanged")
    with changed(mutant.module, mutant.tree):
        for case in cases:
            with without_real_runs():
                law = _derived(case)
            if isinstance(law, str):
                refused = refused or f"{case.name}: {law}"
                if law == "no end":  # nor has another program one, and each takes long
                    break
                continue
            if case.wrong(law) < DIFFERS:
                continue
            law = _derived(case)  # whose real runs are as many as the time allows
            if not isinstance(law, str) and case.wrong(law) >= DIFFERS:
                law = _derived(case, DEFAULT_RUNS)
            if law == "no end":
                return Outcome("SURVIVED", f"{case.name}: its real runs have no end")
            if not isinstance(law, str):
                if case.wrong(law) >= DIFFERS:
                    return Outcome("SURVIVED", f"{case.name}: {law}, in truth {case.law}")
                continue
            kind = "by real runs" if any(one in law for one in BY_REAL_RUNS) else "otherwise"
            found = Outcome(f"refused {kind}", f"{case.name}: {law}")
    return (
        found if found.kind != "unchanged" or not refused else Outcome("refused otherwise", refused)
    )


def main(words: list[str]) -> int:
    """Classify so many mutants, and say which survived."""
    parser = argparse.ArgumentParser(prog="python -m tests.programs.stand_in_mutants")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(words)
    resource.setrlimit(resource.RLIMIT_DATA, (4 << 30, 4 << 30))  # some never stop growing
    warnings.simplefilter("ignore")
    rng = random.Random(given.seed)
    began = time.perf_counter()
    lines = lines_run(CASES)
    print(f"{len(lines)} statements run, {time.perf_counter() - began:.0f} s", file=sys.stderr)
    counts: Counter[str] = Counter()
    for mutant in mutants(lines, rng):
        cases = lines[mutant.module, mutant.line]
        try:
            outcome = classified(mutant, rng.sample(cases, min(MOST_CASES, len(cases))))
        except ValueError:
            continue
        counts[outcome.kind] += 1
        done = f"{sum(counts.values())} of {given.count}, {time.perf_counter() - began:.0f} s"
        print(f"{done}: {mutant}: {outcome.kind} {outcome.said[:160]}", file=sys.stderr, flush=True)
        if outcome.kind == "SURVIVED":
            print(f"{mutant}: {outcome.said}", flush=True)
        if sum(counts.values()) == given.count:
            break
    print(", ".join(f"{count} {kind}" for kind, count in counts.most_common()))
    return 1 if counts["SURVIVED"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
