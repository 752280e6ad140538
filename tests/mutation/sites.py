"""What is changed: a constant, a comparison, a rounding or a check, inside of a function."""

from __future__ import annotations

import ast
import random
from collections import defaultdict
from itertools import cycle
from pathlib import Path
from typing import NamedTuple

__all__ = ["KINDS", "ROOT", "Mutant", "chosen", "functions_of", "mutants_of"]

ROOT = Path(__file__).parent.parent.parent
KINDS = ("constant", "comparison", "rounding", "check")

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
ROUNDINGS = {
    "floor": "ceil",
    "lower": "upper",
    "min": "max",
    "ROUND_FLOOR": "ROUND_CEILING",
    "ROUND_DOWN": "ROUND_UP",
    "below": "above",
}
ROUNDINGS |= {there: here for here, there in ROUNDINGS.items()}


class Mutant(NamedTuple):
    """One change of one file."""

    kind: str
    file: str
    """From the folder of the project on."""
    function: str
    """Its name with those of the classes and functions that it is in."""
    line: int
    start: int
    """Where the text that is replaced begins and ends, in bytes of the file."""
    end: int
    text: str
    """What stands there instead."""

    def applied(self, content: bytes) -> bytes:
        """Return the content of the file with the change in it."""
        return content[: self.start] + self.text.encode() + content[self.end :]

    def shown(self, content: bytes) -> str:
        """Return the change in a line."""
        before = " ".join(content[self.start : self.end].decode().split())
        return f"{self.file}:{self.line} {self.function}: {before}  ->  {self.text}"


class _Sites(ast.NodeVisitor):
    """Collects the mutants of a file."""

    def __init__(self, file: str, content: bytes) -> None:
        self.file = file
        starts = [0]
        for line in content.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        self.starts = starts
        self.within: list[str] = []
        self.depth = 0
        self.mutants: list[Mutant] = []

    def add(self, kind: str, node: ast.expr | ast.stmt, new: ast.AST | str) -> None:
        if not self.depth:
            return  # what runs at import is seen by every test
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = self.starts[node.lineno - 1] + node.col_offset
        end = self.starts[node.end_lineno - 1] + node.end_col_offset
        text = new if isinstance(new, str) else f"({ast.unparse(new)})"
        name = ".".join(self.within)
        self.mutants.append(Mutant(kind, self.file, name, node.lineno, start, end, text))

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.within.append(node.name)
        self.generic_visit(node)
        self.within.pop()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.within.append(node.name)
        self.depth += 1
        for statement in node.body:  # neither annotations nor defaults, which run at import
            self.visit(statement)
        self.depth -= 1
        self.within.pop()

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Leave out what is in texts: its place in the file is not told exactly."""

    def visit_Constant(self, node: ast.Constant) -> None:
        if type(node.value) is int or type(node.value) is float:
            self.add("constant", node, f"({node.value!r} + 1)")

    def visit_Compare(self, node: ast.Compare) -> None:
        first = COMPARISONS[type(node.ops[0])]()
        new = ast.Compare(node.left, [first, *node.ops[1:]], node.comparators)
        self.add("comparison", node, new)
        self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        if node.id in ROUNDINGS and isinstance(node.ctx, ast.Load):
            self.add("rounding", node, ROUNDINGS[node.id])

    def visit_Call(self, node: ast.Call) -> None:
        for part in (*node.args, *(word.value for word in node.keywords)):
            self.visit(part)
        called = node.func
        if isinstance(called, ast.Attribute) and called.attr in ("lower", "upper"):
            self.visit(called.value)  # of a text
        else:
            self.visit(called)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if node.attr in ROUNDINGS and isinstance(node.ctx, ast.Load):
            self.add("rounding", node, f"{ast.unparse(node.value)}.{ROUNDINGS[node.attr]}")
        self.visit(node.value)

    def visit_If(self, node: ast.If) -> None:
        if isinstance(node.body[0], ast.Raise):
            self.add("check", node.test, "False")
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call) and "check" in ast.unparse(node.value.func):
            self.add("check", node, "None")
        self.generic_visit(node)


def mutants_of(path: Path, root: Path = ROOT) -> list[Mutant]:
    """Return every change that could be made to a file."""
    content = path.read_bytes()
    sites = _Sites(path.relative_to(root).as_posix(), content)
    sites.visit(ast.parse(content))
    return sites.mutants


def functions_of(path: Path) -> list[str]:
    """Return the names of all functions of a file, each with those that it is in."""
    found: list[str] = []

    def visit(node: ast.AST, within: tuple[str, ...]) -> None:
        for child in ast.iter_child_nodes(node):
            inner = within
            if isinstance(child, ast.FunctionDef | ast.ClassDef):
                inner = (*within, child.name)
                if isinstance(child, ast.FunctionDef):
                    found.append(".".join(inner))
            visit(child, inner)

    visit(ast.parse(path.read_bytes()), ())
    return found


def chosen(count: int, seed: int, root: Path = ROOT) -> list[Mutant]:
    """Return mutants of the package, as many of each kind, spread over its rooms.

    Args:
        count: how many.
        seed: of the choice.
        root: the folder of the project.
    """
    by_room: dict[str, dict[str, list[Mutant]]] = {kind: defaultdict(list) for kind in KINDS}
    for path in sorted((root / "dpaudit").rglob("*.py")):
        room = path.relative_to(root / "dpaudit").parts[0]
        for mutant in mutants_of(path, root):
            by_room[mutant.kind][room].append(mutant)
    rng = random.Random(seed)
    picked: list[Mutant] = []
    for number, kind in enumerate(KINDS):
        rooms = sorted(by_room[kind])
        rng.shuffle(rooms)
        wanted = count * (number + 1) // len(KINDS) - len(picked)
        for room in cycle(rooms):
            if not wanted or not any(by_room[kind].values()):
                break
            sites = by_room[kind][room]
            if sites:
                picked.append(sites.pop(rng.randrange(len(sites))))
                wanted -= 1
    return picked
