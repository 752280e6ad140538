"""Marks each function of the package that runs: loaded as ``sitecustomize`` in every process.

Python's own tracing is of no use for this: programs that are followed forbid or replace it.  So
every function gets a first statement that sets a byte of a file in memory, which processes that
are started share.  This file is copied to a folder of its own, and imports nothing but the
standard library.
"""

from __future__ import annotations

import ast
import builtins
import json
import mmap
import os
import sys
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any

__all__ = ["BITS", "TABLE", "share"]

TABLE = "DPAUDIT_MARKS"
"""The variable of the environment that names the file of all functions: a number for each."""
BITS = "DPAUDIT_MARKED"
"""The one that names the file with a byte for each function."""


def share(path: str) -> mmap.mmap:
    """Let this process, and those that it starts, mark their functions in a file."""
    with Path(path).open("r+b") as file:
        marked = mmap.mmap(file.fileno(), 0)
    builtins.__marked__ = marked  # type: ignore[attr-defined]
    os.environ[BITS] = path
    return marked


class _Marking(SourceFileLoader):
    """Loads a module whose functions mark that they run, from its source alone."""

    numbers: dict[str, int]

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        tree = ast.parse(self.get_data(path))
        known = {key: self.numbers[key] for key in self.numbers if key.startswith(f"{path}:")}

        def visit(node: ast.AST, within: tuple[str, ...]) -> None:
            for child in ast.iter_child_nodes(node):
                inner = within
                if isinstance(child, ast.FunctionDef | ast.ClassDef):
                    inner = (*within, child.name)
                    number = known.get(f"{path}:{'.'.join(inner)}")
                    if isinstance(child, ast.FunctionDef) and number is not None:
                        (mark,) = ast.parse(f"__marked__[{number}] = 1").body
                        for part in ast.walk(mark):
                            ast.copy_location(part, child)
                        # After the docstring, which has to be the first statement.
                        child.body.insert(int(ast.get_docstring(child) is not None), mark)
                visit(child, inner)

        visit(tree, ())
        return compile(tree, path, "exec", dont_inherit=True)


class _Finder:
    """Finds the modules of the package before all others do."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name.partition(".")[0] != "dpaudit":
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _Marking(spec.loader.name, spec.loader.path)
        return spec


if TABLE in os.environ and __name__ == "sitecustomize":
    _Marking.numbers = json.loads(Path(os.environ[TABLE]).read_text())
    builtins.__marked__ = bytearray(len(_Marking.numbers))  # type: ignore[attr-defined]
    if BITS in os.environ:
        share(os.environ[BITS])
    sys.meta_path.insert(0, _Finder)
