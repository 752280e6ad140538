"""Commands that call a function of one's own, for messages about one that is called wrongly.

What a function does with its argument is read from its code, and nothing of it is run: the names
of columns that it asks for, and the library whose frames or arrays it takes.
"""

from __future__ import annotations

import ast
import inspect
import json
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from dpaudit.errors import Remedy

__all__ = ["called_with", "functions_in", "listed_remedy", "with_inputs"]

_FRAMES = ("pandas", "polars")
_MOST_NAMED = 4
_NUMBERS = {"int", "float", "Fraction", "Decimal", "complex"}


def with_inputs(function: Callable[..., Any], word: str, name: str) -> list[Remedy]:
    """Return commands that give a function inputs, the likeliest kind first.

    Args:
        function: the function, of which nothing is run.
        word: what names it on the command line.
        name: its first parameter, the dataset.
    """
    tree = _tree_of(function)
    loops = tree is not None and _goes_through(tree, name)
    keys = () if tree is None else tuple(_keys_in(tree))[:_MOST_NAMED]
    whole: dict[str, int] = dict.fromkeys(keys or ("age",), 1)
    other = dict.fromkeys(whole, 0)
    rows = f"{json.dumps([other, whole])}, {json.dumps([other])}"
    numbers = Remedy((("--inputs", "0..3"), ("--neighbours", "adjacent")), f"{name} is a number")
    lists = Remedy((("--inputs", "[1, 2, 3], [1, 2]"),), f"{name} is a list")
    records = Remedy((("--inputs", rows),), f"{name} is a list of records")
    maker = _frame_maker(getattr(function, "__globals__", {}))
    call = (word, f"{word}({maker}(_))")
    frames = [Remedy((call, ("--inputs", rows)), f"{name} is a frame")] if maker else []
    if _annotation(function, name) in _NUMBERS:
        return [numbers]
    if keys and not loops:
        both = f"{json.dumps(whole)}, {json.dumps(other)}"
        record = Remedy((("--inputs", both),), f"{name} is a record")
        return [*frames, record, records]
    if keys:
        return [records, *frames]
    return [lists, records, *frames] if loops else [numbers, lists, records, *frames]


def called_with(
    module: ModuleType, title: str, raised: BaseException, datasets: Iterable[Any]
) -> str:
    """Return the call with a frame or an array that an error of a list asks for; empty for none.

    Of records a frame is made, and of other lists an array.

    Args:
        module: the module of the function.
        title: the call as it was written.
        raised: what it raised when it was called with a list.
        datasets: the inputs.
    """
    text = str(raised)
    if "'list'" not in text and "list indices must be integers" not in text:
        return ""
    wanted = getattr(raised, "name", None)  # the attribute that a list has not
    records = any(isinstance(row, dict) for dataset in datasets for row in dataset)
    maker = (_frame_maker if records else _array_maker)(vars(module))
    if not maker or (wanted is not None and not _has(module, maker, wanted)):
        return ""
    made = f"{maker}(_)"
    if "(" not in title:
        return f"{title}({made})"
    head, mark, tail = title.partition("(_")
    return f"{head}({made}{tail}" if mark else ""


def listed_remedy(listed: list[Any]) -> list[Remedy]:
    """Return the command for which what was read as several inputs is one list of values."""
    if not all(isinstance(value, (int, float, str, type(None))) for value in listed):
        return []
    try:
        texts = [json.dumps(part, ensure_ascii=False) for part in (listed, listed[:-1])]
    except ValueError:
        return []
    return [
        Remedy(
            (("--inputs", ", ".join(texts)),),
            "it is one list, compared with the same list without its last entry",
        )
    ]


def functions_in(path: Path) -> list[str]:
    """Return the names of the functions that a file defines, of which nothing is run."""
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        return []
    names = (node.name for node in tree.body if isinstance(node, ast.FunctionDef))
    return [name for name in names if not name.startswith("_")][:_MOST_NAMED]


def _tree_of(function: Callable[..., Any]) -> ast.AST | None:
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, ValueError, SyntaxError, RecursionError, MemoryError):
        return None


def _keys_in(tree: ast.AST) -> Iterator[str]:
    """Iterate over the texts that subscripts and ``get`` ask for, each once, in their order."""
    places: dict[str, tuple[int, int]] = {}
    for node in ast.walk(tree):
        key = None
        if isinstance(node, ast.Subscript):
            key = node.slice
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            key = node.args[0] if node.func.attr in ("get", "groupby") and node.args else None
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            places.setdefault(key.value, (key.lineno, key.col_offset))
    yield from sorted(places, key=places.__getitem__)


def _goes_through(tree: ast.AST, name: str) -> bool:
    """Tell whether code loops over a parameter, or takes its length or its sum."""
    for node in ast.walk(tree):
        over = (
            getattr(node, "iter", None) if isinstance(node, (ast.For, ast.comprehension)) else None
        )
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
            over = node.args[0] if node.func.id in ("len", "sum", "sorted", "set") else None
        if isinstance(over, ast.Name) and over.id == name:
            return True
    return False


def _annotation(function: Callable[..., Any], name: str) -> str:
    kind = getattr(function, "__annotations__", {}).get(name, "")
    return kind if isinstance(kind, str) else getattr(kind, "__name__", "")


def _frame_maker(names: Mapping[str, Any]) -> str:
    """Return what makes a frame in a module, as it is written there; empty for nothing."""
    alias = next(filter(None, (_alias(names, library) for library in _FRAMES)), "")
    return f"{alias}.DataFrame" if alias else ""


def _array_maker(names: Mapping[str, Any]) -> str:
    alias = _alias(names, "numpy")
    return f"{alias}.array" if alias else ""


def _alias(names: Mapping[str, Any], library: str) -> str:
    """Return the name of a library in a module; empty if it is not imported there."""
    return next(
        (
            name
            for name, value in list(names.items())
            if isinstance(value, ModuleType) and value.__name__ == library
        ),
        "",
    )


def _has(module: ModuleType, made: str, attribute: str) -> bool:
    """Tell whether what is made has an attribute, which a list has not."""
    alias, _, maker = made.partition(".")
    kind = getattr(vars(module)[alias], "ndarray" if maker == "array" else maker)
    return hasattr(kind, attribute)
