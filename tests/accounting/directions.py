"""Every directed rounding in the code of accounts, and the same code with one turned round.

A direction is an end of an interval or of a ball that is taken, a side that is passed on, a mass as
a whole number that is rounded.  Files that only choose in floats where to look, or only show what
was found, are not here; single places of others that do so are in :data:`CHOSEN`, with a reason.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["CHOSEN", "FILES", "Direction", "directions"]

ROOT = Path(__file__).parents[2]

_NUMBERS = ("contour", "lattice", "loss_cells", "merging")
_LEFT_OUT = {
    "foreseen": "it estimates in floats what a composition takes",
    "report": "it shows what was found",
    "estimated": "it asks others, for a figure",
}
FILES = (
    *(
        path
        for path in sorted((ROOT / "dpaudit" / "accounting").glob("*.py"))
        if path.stem not in _LEFT_OUT
    ),
    *(ROOT / "dpaudit" / "numbers" / f"{name}.py" for name in _NUMBERS),
)

CHOSEN = {
    "ways.sort(key=": "the order in which pairs are looked at",
    "upper = float(_delta(": "where a search looks next",
    "allowed = 100 * finest": "how narrow an interval has to be",
    "if interval.upper < _NEGLIGIBLE": "how narrow an interval has to be",
    "if interval.upper < best or": "whether an interval is narrow enough",
    "if interval.upper.is_infinite()": "how much finer a lattice is made next",
    "best = max(other.found[given].lower": "whether an interval is narrow enough",
    "count = min(_ROW, ceil(": "how many places are looked at together",
    "_FLOATS[0].lower()": "a letter",
    "= balls.upper_fraction(low": "where an upper end is looked for, then shown to be one",
    "certainly_less(Ball(0), q.upper())": "which events are left out, each a lower bound",
    "for v in curve.lower if v.x": "which pairs are exported",
    "float(profile.epsilon.upper)": "whether dp-accounting has room for a grid",
    "one.look(runs, wide if": "which rows are looked at again",
    "middle = (start + end) // 2": "where a bisection looks next",
    "rows = (count - 1)": "how many rows a matrix has",
    "start = (self.first": "the index of a point",
    "grid.upper(e)": "the name of a bound, of which there is no other side",
}
"""Places that only choose where to look or what to show: what a code line has, and what it does."""

_TURNED = {
    "upper": "lower",
    "abs_upper": "abs_lower",
    "upper_fraction": "lower_fraction",
    "float_up": "float_down",
    "ROUND_CEILING": "ROUND_FLOOR",
}
_NAMES = _TURNED | {value: key for key, value in _TURNED.items()}

Span = Callable[[ast.expr], tuple[int, int]]
Turn = tuple[str, tuple[int, int], bytes]


@dataclass(frozen=True)
class Direction:
    """One place where something is rounded to a side."""

    path: Path
    line: int
    what: str
    code: str
    """The line it is in."""
    mutant: str
    """The whole file with this direction turned round."""

    @property
    def name(self) -> str:
        """Return the place and what is turned."""
        return f"{self.path.relative_to(ROOT)}:{self.line}: {self.what}"


def directions(path: Path) -> list[Direction]:
    """Return every directed rounding of a file."""
    text = path.read_text(encoding="utf-8")
    lines, raw = text.split("\n"), text.encode()
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line.encode()) + 1)

    def span(node: ast.expr) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        first = starts[node.lineno - 1] + node.col_offset
        return first, starts[node.end_lineno - 1] + node.end_col_offset

    found = []
    tree = ast.parse(text)
    for node in ast.walk(tree):
        for what, (first, last), new in _turns(node, raw, span):
            mutant = raw[:first] + new + raw[last:] + _missing(tree, node, new.decode())
            place = raw.count(b"\n", 0, first)
            code = lines[place].strip()
            if not any(part in code for part in CHOSEN):
                found.append(Direction(path, place + 1, what, code, mutant.decode()))
    return sorted(found, key=lambda one: one.line)


def _missing(tree: ast.Module, node: ast.AST, name: str) -> bytes:
    """Return the import of a name that a file lacks, where it imports the one that is turned."""
    if not isinstance(node, ast.Name):
        return b""
    imported = [one for one in ast.walk(tree) if isinstance(one, ast.ImportFrom)]
    known = {alias.name: one.module for one in imported for alias in one.names}
    if node.id not in known or name in known:
        return b""
    return f"\nfrom {known[node.id]} import {name}\n".encode()


def _turns(node: ast.AST, raw: bytes, span: Span) -> Iterator[Turn]:
    if isinstance(node, ast.Attribute) and node.attr in _NAMES and isinstance(node.ctx, ast.Load):
        end, new = span(node)[1], _NAMES[node.attr]
        yield f".{node.attr} → .{new}", (end - len(node.attr), end), new.encode()
    if isinstance(node, ast.Name) and node.id in _NAMES and "_" in node.id:
        yield f"{node.id} → {_NAMES[node.id]}", span(node), _NAMES[node.id].encode()
    sides = None
    if isinstance(node, ast.keyword) and node.arg == "above":
        sides = node.value
    if isinstance(node, (ast.IfExp, ast.If)) and ast.unparse(node.test).endswith("above"):
        sides = node.test
    if sides is not None:
        first, last = span(sides)
        yield "sides exchanged", (first, last), b"(not (" + raw[first:last] + b"))"
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        called = ast.unparse(node.value)
        if called.startswith("fixed_point(") or called.endswith(".epsilon(value - slack)"):
            new = str(1 - int(str(node.slice.value)))
            yield "the other end", span(node.slice), new.encode()
    if isinstance(node, (ast.UnaryOp, ast.BinOp)):
        yield from _whole(node, span)


def _whole(node: ast.UnaryOp | ast.BinOp, span: Span) -> Iterator[Turn]:
    """Give the masses that are rounded: quotients by a power of 2, or of a fraction of a cell."""
    if isinstance(node, ast.UnaryOp):
        inner = node.operand
        if isinstance(inner, ast.BinOp) and isinstance(inner.left, ast.UnaryOp) and _rounds(inner):
            down = ast.unparse(ast.BinOp(inner.left.operand, inner.op, inner.right))
            yield "rounded down, not up", span(node), f"({down})".encode()
    elif _rounds(node) and not _negative(node.left) and _is_mass(node):
        left, right = ast.unparse(node.left), ast.unparse(node.right)
        op = "//" if isinstance(node.op, ast.FloorDiv) else ">>"
        yield "rounded up, not down", span(node), f"(-((-({left})) {op} ({right})))".encode()


def _rounds(node: ast.BinOp) -> bool:
    return isinstance(node.op, (ast.FloorDiv, ast.RShift))


def _negative(node: ast.expr) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)


def _is_mass(node: ast.BinOp) -> bool:
    right = ast.unparse(node.right)
    return right in ("bits", "scale", "need", "p1 - p0", "1 << bits") or "GUARD" in right
