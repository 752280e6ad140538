"""A program read as steps over its entries, where its syntax proves that these are independent.

A function that only calculates (:mod:`dpaudit.programs.guarding.calculating`) keeps nothing from
one step to the next but in its variables.  What draws is one comprehension, or one loop, over what
does not depend on draws; each of its passes is written as a function of its own, of the names that
it uses. It is given immutable values alone, and hands on nothing but its entry.  So the passes are
the same functions of their own draws as in the program, whose order they keep, and their entries
are independent.  A pass that used a variable of another pass does not have it here, and raises.

Later comprehensions over the entries map each of them alone.  The entries end in a list, a tuple,
or a sum of whole numbers, of which a last function may make something else without draws.
Whatever is not seen to be of this form is not split, and is explored as a whole.
"""

from __future__ import annotations

import ast
import builtins
import copy
from dataclasses import dataclass, field
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from dpaudit.programs.entrywise.syntax import (
    added_to,
    definition_of,
    filled_list,
    leaves,
    loads,
    name_set,
    names_in,
    stores,
)

__all__ = ["PLACES", "Split", "Step", "split"]

PLACES = "_dpaudit_places"
"""The argument of :attr:`Split.prelude` that gives the places of a list."""
_TOTAL, _ITEMS = "_dpaudit_total", "_dpaudit_items"
_SCOPES = (
    ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.NamedExpr, ast.Global,
    ast.Nonlocal, ast.Try, ast.With, ast.Delete, ast.Import, ast.ImportFrom, ast.Yield,
    ast.YieldFrom, ast.Await, ast.Match,
)  # fmt: skip
"""Syntax that gives names a meaning which is not followed here."""
_COMPREHENSIONS = (ast.ListComp, ast.GeneratorExp)
_NOT_ONCE = (
    ast.IfExp, ast.BoolOp, ast.If, ast.For, ast.While, ast.Assert, ast.ListComp, ast.SetComp,
    ast.DictComp, ast.GeneratorExp,
)  # fmt: skip
"""Syntax whose parts may be left out, or run several times; comparisons in a chain are too."""


class _Other(Exception):  # noqa: N818  (it is no error: most programs are of another form)
    """The program is not of the form that is split."""


class Step(NamedTuple):
    """One pass of what draws, or of a later comprehension over the entries."""

    function: FunctionType
    """The pass as a function of the names of its items, of other variables, and of the source."""
    items: str
    """Under which name :attr:`Split.prelude` gives the items of all passes."""
    names: tuple[str, ...]
    """The other variables."""
    place: int | None
    """Position of the earlier entry among the items; None for what draws."""
    holds: str
    """Result of a pass: its ``entry``, a ``list`` of one, or what it adds to a ``sum``."""


@dataclass(frozen=True)
class Split:
    """A program as steps over its entries."""

    prelude: FunctionType
    """All that does not draw, of the program's arguments, and of what gives the places of a list.

    It returns the items and the variables by name.
    """
    steps: tuple[Step, ...]
    kind: str
    """``list``, ``tuple`` or ``sum``: the entries as they come, or added up."""
    last: FunctionType | None
    """The output as a function of the sum, and of other variables."""
    last_names: tuple[str, ...]
    """The variables of ``last``, the sum left out."""
    initial: str | None
    """The variable with the first summand; None for 0."""


@dataclass
class _Reader:
    """Reads the statements of a function, in order."""

    function: FunctionType
    node: ast.FunctionDef
    data: str
    source: str
    fixed: set[str]
    """Variables that do not depend on draws."""
    local: set[str]
    """Every variable of the function."""
    entries: dict[str, tuple[int, str]] = field(default_factory=dict)
    """Variables that hold all entries after a step, as a list or a tuple."""
    totals: set[str] = field(default_factory=set)
    """Variables that depend on the sum of entries."""
    empty: set[str] = field(default_factory=set)
    """Variables that hold an empty list, and were used for nothing yet."""
    prelude: list[ast.stmt] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    parents: list[int | None] = field(default_factory=list)
    last: list[ast.stmt] = field(default_factory=list)
    added: int | None = None
    """The step whose entries are added up."""
    initial: str | None = None
    total: str | None = None

    def read(self) -> Split:
        *body, end = self.node.body
        if not isinstance(end, ast.Return) or end.value is None:
            raise _Other
        for statement in self.node.body:
            if any(isinstance(one, _SCOPES) for one in ast.walk(statement)):
                raise _Other
        if any(isinstance(one, ast.Return) for part in body for one in ast.walk(part)):
            raise _Other
        for statement in body:
            self._statement(statement)
        return self._ended(end.value)

    def _statement(self, statement: ast.stmt) -> None:
        used = loads(statement)
        if not isinstance(statement, ast.For):
            self.empty -= used
        made_of_entries = not used.isdisjoint({self.source, *self.entries, *self.totals})
        if isinstance(statement, ast.For) and made_of_entries and used.isdisjoint(self.totals):
            self._loop(statement)
            return
        name = name_set(statement)
        value = getattr(statement, "value", None)
        if name is not None and value is not None and made_of_entries:
            found = self._entries(value)
            if found is not None:
                self._new({name})
                self.entries[name] = found
                return
        if made_of_entries:
            self._new(stores(statement) - self.totals)
            self.last.append(self._with_total(statement))
            self.totals |= stores(statement)
            return
        self._check_own_scopes(statement)
        self._new(stores(statement))
        self.fixed |= stores(statement)
        self.empty -= used
        if name is not None and isinstance(value, ast.List) and not value.elts:
            self.empty.add(name)
        self.prelude.append(statement)

    def _new(self, names: set[str]) -> None:
        """Hold each variable to be set by one statement alone: what reads it may come later."""
        if not names.isdisjoint({self.source, *self.fixed, *self.entries, *self.totals}):
            raise _Other
        if any(name.startswith(("_dpaudit", "__")) for name in names):
            raise _Other

    def _check_own_scopes(self, node: ast.AST) -> set[str]:
        """Return the names of comprehensions; refuse those that are variables of the function."""
        inner = {
            name
            for one in ast.walk(node)
            if isinstance(one, ast.comprehension)
            for name in stores(one.target)
        }
        if not inner.isdisjoint(self.local):
            raise _Other
        return inner

    def _is_builtin(self, node: ast.AST, *names: str) -> bool:
        """Tell whether a call is one of these functions of Python's, with one plain argument."""
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
            return False
        name = node.func.id
        plain = not node.keywords and not any(isinstance(one, ast.Starred) for one in node.args)
        genuine = name not in self.local and name not in self.function.__globals__
        return plain and genuine and name in names and hasattr(builtins, name)

    def _entries(self, value: ast.expr) -> tuple[int, str] | None:
        """Return the step whose entries an expression holds, and in what; None for no entries."""
        if isinstance(value, ast.Name):
            return self.entries.get(value.id)
        if self._is_builtin(value, "tuple", "list"):
            assert isinstance(value, ast.Call)
            assert isinstance(value.func, ast.Name)
            found = self._inner(value.args[0]) if len(value.args) == 1 else None
            return None if found is None else (found, value.func.id)
        if isinstance(value, ast.ListComp):
            return self._comprehension(value), "list"
        return None

    def _inner(self, value: ast.expr) -> int | None:
        """Return the step of what a call is given."""
        if isinstance(value, ast.GeneratorExp):
            return self._comprehension(value)
        found = self._entries(value)
        return None if found is None else found[0]

    def _comprehension(self, value: ast.ListComp | ast.GeneratorExp) -> int:
        """Add the step of a comprehension."""
        if any(one.is_async for one in value.generators):
            raise _Other
        targets = {name for one in value.generators for name in stores(one.target)}
        if not targets.isdisjoint(self.local) or self.source in targets:
            raise _Other
        block: list[ast.stmt] = [ast.Return(value.elt)]
        return self._step(value.generators, block, targets, "entry")

    def _loop(self, loop: ast.For) -> None:
        """Add the step of a loop that fills one list, or adds to one number."""
        if loop.orelse or any(map(leaves, loop.body)):
            raise _Other
        kept = self._kept(loop)
        held = [name for name in loads(loop) if name in kept]
        if len(held) != 1:
            raise _Other
        (name,) = held
        self.empty &= {name}
        adds = kept[name]
        targets = stores(loop.target)
        own = set().union(*map(stores, loop.body)) - {name}
        self._new(targets | own)
        if name in targets or not targets.isdisjoint(own) or (adds and name in self.empty):
            raise _Other
        if adds and (self.added is not None or name not in self.fixed):
            raise _Other
        start = ast.Constant(0) if adds else ast.List([], ast.Load())
        block: list[ast.stmt] = [
            ast.Assign([ast.Name(name, ast.Store())], start),
            *loop.body,
            ast.Return(ast.Name(name, ast.Load())),
        ]
        generator = ast.comprehension(loop.target, loop.iter, [], 0)
        self.fixed.discard(name)
        step = self._step([generator], block, targets, "sum" if adds else "list", own | {name})
        self.entries.update(dict.fromkeys(targets | own, (-1, "")))  # whatever they are afterwards
        if adds:
            self.added, self.initial, self.total = step, name, name
            self.totals.add(name)
        else:
            self._forget(name)
            self.entries[name] = step, "list"

    def _forget(self, name: str) -> None:
        """Take the empty list that a loop fills out of what does not draw."""
        self.prelude = [one for one in self.prelude if name not in stores(one)]

    def _kept(self, loop: ast.For) -> dict[str, bool]:
        """Return the variables that a loop fills (False), or adds to (True), and uses for no more.

        A list must be empty, and known by no other name.
        """
        filled = [filled_list(one) for part in loop.body for one in ast.walk(part)]
        added = [added_to(one) for part in loop.body for one in ast.walk(part)]
        names = [one.id for part in (loop.target, loop.iter, *loop.body) for one in names_in(part)]
        kept = {
            name: False
            for name in filled
            if name in self.empty and filled.count(name) == names.count(name)
        }
        more = {
            name: True
            for name in added
            if name is not None and added.count(name) == names.count(name)
        }
        return {**kept, **{name: adds for name, adds in more.items() if name in self.fixed}}

    def _step(
        self,
        generators: list[ast.comprehension],
        block: list[ast.stmt],
        targets: set[str],
        holds: str,
        own: set[str] = frozenset(),  # type: ignore[assignment]
    ) -> int:
        """Add a step; ``own`` are the variables that its block sets."""
        used = set().union(*map(loads, block))
        inner = set().union(*map(self._check_own_scopes, block))
        outside = set().union(*(loads(one) for one in generators)) - targets
        draws, before = self.source in used, outside & set(self.entries)
        if not outside.isdisjoint({self.source, *self.totals}) or (
            bool(before) == draws or (draws and self.steps)
        ):
            raise _Other
        if not targets.isdisjoint(inner) or any(t.startswith("__") for t in targets):
            raise _Other
        names = tuple(sorted((used & self.fixed) - targets - own))
        free = used - targets - own - inner - {self.source} - set(names)
        if not free.isdisjoint(self.local):
            raise _Other
        parent, place, listed = None, None, generators
        order = sorted(targets)
        if before:
            parent, place, listed = self._over_entries(generators, order)
        items = f"{_ITEMS}_{len(self.steps)}"
        self.prelude.append(_items(items, order, listed))
        given = [*order, *names, *([self.source] if draws else [])]
        function = _made(self.function, self.node, given, block)
        self.steps.append(Step(function, items, names, place, holds))
        self.parents.append(parent)
        return len(self.steps) - 1

    def _over_entries(
        self, generators: list[ast.comprehension], order: list[str]
    ) -> tuple[int, int, list[ast.comprehension]]:
        """Return the step whose entries are gone over, where an entry stands among the items.

        The generators are returned with the places of the entries instead of these.
        """
        if len(generators) != 1 or generators[0].ifs:
            raise _Other
        (generator,) = generators
        target, over = generator.target, generator.iter
        pairs: list[tuple[ast.expr, ast.expr | None]] = [(target, over)]
        changed = _places()
        if self._is_builtin(over, "enumerate", "zip"):
            assert isinstance(over, ast.Call)
            parts = target.elts if isinstance(target, ast.Tuple) else []
            given: list[ast.expr | None] = [None] if _called(over) == "enumerate" else []
            given += over.args
            if len(parts) != len(given):
                raise _Other
            pairs = list(zip(parts, given, strict=True))
            arguments = [_places() if self._is_entries(one) else one for one in over.args]
            changed = ast.Call(over.func, arguments, [])
        found = [(part, one) for part, one in pairs if self._is_entries(one)]
        if len(found) != 1 or not isinstance(found[0][0], ast.Name):
            raise _Other
        ((name, one),) = found
        assert isinstance(name, ast.Name)
        assert isinstance(one, ast.Name)
        step, _ = self.entries[one.id]
        if step < 0 or not loads(changed).isdisjoint(self.entries):
            raise _Other
        return step, order.index(name.id), [ast.comprehension(target, changed, [], 0)]

    def _is_entries(self, node: ast.AST | None) -> bool:
        return isinstance(node, ast.Name) and node.id in self.entries

    def _with_total(self, node: Any) -> Any:
        """Return a copy of what is made of a sum of entries, with one name for the sum."""
        changed = _Totals(self).visit(copy.deepcopy(node))
        used = loads(changed)
        self._check_own_scopes(changed)
        if self.source in used or not used.isdisjoint(self.entries):
            raise _Other
        return changed

    def add_up(self, step: int) -> None:
        """Take note of the step whose entries are added up: it is one alone."""
        if self.added is not None:
            raise _Other
        self.added, self.total = step, _TOTAL

    def _ended(self, value: ast.expr) -> Split:
        found = None if self.totals else self._entries(value)
        last, names = None, tuple[str, ...]()
        if found is not None:
            step, kind = found
        else:
            block = [*self.last, ast.Return(self._with_total(value))]
            if self.added is None or self.total is None:
                raise _Other
            step, kind = self.added, "sum"
            used = set().union(*map(loads, block))
            own = set().union(*map(stores, block)) | {self.total}
            names = tuple(sorted((used & self.fixed) - own))
            if not (used - own - set(names)).isdisjoint(self.local):
                raise _Other
            last = _made(self.function, self.node, [self.total, *names], block)
        chain: list[int] = []
        at: int | None = step
        while at is not None:
            chain.append(at)
            at = self.parents[at] if at >= 0 else None
        if sorted(chain) != list(range(len(self.steps))):
            raise _Other  # another step may raise, though its entries are not used
        steps = tuple(self.steps[one] for one in reversed(chain))
        if any(one.holds == "sum" for one in steps[:-1]):
            raise _Other
        wanted = {name for one in steps for name in one.names} | set(names)
        wanted |= {one.items for one in steps} | ({self.initial} if self.initial else set())
        keys = sorted(wanted)
        given = ast.Dict(
            [ast.Constant(name) for name in keys], [ast.Name(name, ast.Load()) for name in keys]
        )
        arguments = [one.arg for one in _arguments(self.node) if one.arg != self.source]
        arguments.append(PLACES)
        prelude = _made(self.function, self.node, arguments, [*self.prelude, ast.Return(given)])
        return Split(prelude, steps, kind, last, names, self.initial)


class _Totals(ast.NodeTransformer):
    """Puts a name in the place of ``sum(…)`` of entries."""

    def __init__(self, reader: _Reader) -> None:
        self._reader = reader
        self._once = True

    def visit(self, node: ast.AST) -> Any:
        before = self._once
        in_a_chain = isinstance(node, ast.Compare) and len(node.ops) > 1
        self._once &= not (in_a_chain or isinstance(node, _NOT_ONCE))
        found = super().visit(node)
        self._once = before
        return found

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if self._reader._is_builtin(node, "sum") and len(node.args) == 1:
            if isinstance(node.args[0], _COMPREHENSIONS) and not self._once:
                raise _Other  # it draws at some datasets, or several times
            step = self._reader._inner(node.args[0])
            if step is not None:
                self._reader.add_up(step)
                return ast.Name(_TOTAL, ast.Load())
        return self.generic_visit(node)


def split(function: Any) -> Split | None:
    """Return a program that only calculates as steps; None where it is not seen to be such."""
    if not isinstance(function, FunctionType) or function.__code__.co_freevars:
        return None
    node = definition_of(function)
    if node is None or node.args.vararg or node.args.kwarg or len(_arguments(node)) < 2:
        return None
    arguments = [one.arg for one in _arguments(node)]
    local = set(arguments).union(*map(stores, node.body))
    data, source = arguments[:2]
    fixed = set(arguments) - {source}
    try:
        return _Reader(function, node, data, source, fixed, local).read()
    except _Other:
        return None


def _arguments(node: ast.FunctionDef) -> list[ast.arg]:
    return [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]


def _called(call: ast.Call) -> str:
    assert isinstance(call.func, ast.Name)
    return call.func.id


def _items(name: str, order: list[str], generators: list[ast.comprehension]) -> ast.stmt:
    """Return a statement that lists the items of all passes, as tuples of these names."""
    item = ast.Tuple([ast.Name(one, ast.Load()) for one in order], ast.Load())
    return ast.Assign([ast.Name(name, ast.Store())], ast.ListComp(item, generators))


def _places() -> ast.Call:
    """Return what gives the places of all entries: there are as many as first items."""
    first = ast.Name(f"{_ITEMS}_0", ast.Load())
    return ast.Call(ast.Name(PLACES, ast.Load()), [first], [])


def _made(
    function: FunctionType, node: ast.FunctionDef, names: list[str], block: list[ast.stmt]
) -> FunctionType:
    """Return a function of these arguments with the globals of another one."""
    module = ast.parse(f"def {node.name}({', '.join(names)}): pass")
    one = module.body[0]
    assert isinstance(one, ast.FunctionDef)
    ast.increment_lineno(one, node.lineno - 1)
    one.body = copy.deepcopy(block)
    ast.fix_missing_locations(module)
    compiled = compile(module, function.__code__.co_filename, "exec", dont_inherit=True)
    (code,) = (one for one in compiled.co_consts if isinstance(one, CodeType))
    return FunctionType(code, function.__globals__, function.__name__)
