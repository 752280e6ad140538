"""The syntax tree of a function, from a text that compiles to the very code that runs."""

from __future__ import annotations
import __future__

import ast
import linecache
from functools import lru_cache
from types import CodeType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FunctionType

__all__ = [
    "added_to",
    "definition_of",
    "filled_list",
    "leaves",
    "loads",
    "name_set",
    "names_in",
    "stores",
]

_FUTURES = sum({getattr(__future__, name).compiler_flag for name in __future__.all_feature_names})
"""Flags of what ``from __future__`` switches on: whoever compiled the file may have set some."""
_ENDS_A_PASS = (ast.Break, ast.Continue)
_OWN_SCOPE = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def definition_of(function: FunctionType) -> ast.FunctionDef | None:
    """Return the definition of a function; None where no text is found that gives its code.

    A file may have changed since it was imported, so its text is compiled again, and must give the
    code object that runs.
    """
    code = function.__code__
    text = "".join(linecache.getlines(code.co_filename, function.__globals__))
    try:
        tree, compiled = _parsed(text, code.co_filename, code.co_flags & _FUTURES)
    except (SyntaxError, ValueError, RecursionError):
        return None
    same_name = [one for one in _codes(compiled) if _place(one) == _place(code)]
    nodes = [
        one
        for one in ast.walk(tree)
        if isinstance(one, ast.FunctionDef)
        and one.name == code.co_name
        and min([one.lineno, *(d.lineno for d in one.decorator_list)]) == code.co_firstlineno
    ]
    return nodes[0] if len(nodes) == 1 and same_name == [code] else None


@lru_cache(maxsize=16)
def _parsed(text: str, filename: str, futures: int) -> tuple[ast.Module, CodeType]:
    return ast.parse(text), compile(text, filename, "exec", futures, dont_inherit=True)


def _codes(code: CodeType) -> Iterator[CodeType]:
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield one
            yield from _codes(one)


def _place(code: CodeType) -> tuple[str, int]:
    return code.co_name, code.co_firstlineno


def stores(node: ast.AST) -> set[str]:
    """Return the names that a statement sets in the scope that it stands in."""
    found: set[str] = set()
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if isinstance(one, _OWN_SCOPE):
            continue
        if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load):
            found.add(one.id)
        waiting += ast.iter_child_nodes(one)
    return found


def loads(node: ast.AST) -> set[str]:
    """Return the names in a piece of syntax, whatever is done with them."""
    return {one.id for one in names_in(node)}


def name_set(statement: ast.stmt) -> str | None:
    """Return the one name that a statement sets, if it does nothing else."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    if isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    one = targets[0] if len(targets) == 1 else None
    return one.id if isinstance(one, ast.Name) else None


def names_in(node: ast.AST) -> list[ast.Name]:
    """Return the names in a piece of syntax, each as often as it stands there."""
    return [one for one in ast.walk(node) if isinstance(one, ast.Name)]


def filled_list(node: ast.AST) -> str | None:
    """Return the list to which a statement appends one value."""
    call = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(call, ast.Call) or len(call.args) != 1 or call.keywords:
        return None
    method = call.func
    if not isinstance(method, ast.Attribute) or method.attr != "append":
        return None
    starred = isinstance(call.args[0], ast.Starred)
    return method.value.id if isinstance(method.value, ast.Name) and not starred else None


def added_to(node: ast.AST) -> str | None:
    """Return the name of a number to which a statement adds."""
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
        return node.target.id if isinstance(node.target, ast.Name) else None
    return None


def leaves(node: ast.stmt) -> bool:
    """Tell whether a statement of a loop ends the loop, or a pass of it."""
    if isinstance(node, (ast.For, ast.While)):
        return any(map(leaves, node.orelse))
    return isinstance(node, _ENDS_A_PASS) or any(
        leaves(one) for one in ast.iter_child_nodes(node) if isinstance(one, ast.stmt)
    )
