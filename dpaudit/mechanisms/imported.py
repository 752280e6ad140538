"""Modules that are imported by their names, with the SHA-256 of what was compiled."""

from __future__ import annotations

import hashlib
import importlib
import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import SourceFileLoader
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import CodeType, ModuleType

__all__ = ["COMPILED", "import_recorded", "record"]

COMPILED = "__dpaudit_sha256__"
"""Name of the module attribute with the SHA-256 of the source that was compiled here."""


def record(module: ModuleType, content: bytes) -> None:
    """Note on a module what it was compiled from."""
    object.__setattr__(module, COMPILED, hashlib.sha256(content).hexdigest())


def import_recorded(name: str) -> ModuleType:
    """Import a module as Python does, and record what it is compiled from where that is a file.

    One that is imported already stays as it is.
    """
    finder = _Finder(name)
    sys.meta_path.insert(0, finder)
    try:
        return importlib.import_module(name)
    finally:
        sys.meta_path.remove(finder)


class _Loader(SourceFileLoader):
    """Compiles what it read, not byte code that may be of another file by now."""

    _content = b""

    def get_code(self, fullname: str) -> CodeType:
        self._content = self.get_data(self.path)
        code: CodeType = self.source_to_code(self._content, self.path)
        return code

    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        record(module, self._content)


class _Finder(MetaPathFinder):
    """Finds one module as the others would, with a loader that records."""

    def __init__(self, name: str) -> None:
        self._name = name

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self._name:
            return None
        for finder in sys.meta_path:
            find = None if finder is self else getattr(finder, "find_spec", None)
            spec: ModuleSpec | None = None if find is None else find(fullname, path, target)
            if spec is not None:
                if type(spec.loader) is SourceFileLoader:
                    spec.loader = _Loader(spec.loader.name, spec.loader.path)
                return spec
        return None
