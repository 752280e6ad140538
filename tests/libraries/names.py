"""The public names of a package: ``python -m tests.libraries.names PACKAGE`` prints them.

A name is the dotted place of a class or function that the package defines: the module that defines
it where that is public, else the shortest public module that has it.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import pkgutil
import sys
import warnings
from collections.abc import Iterator
from types import ModuleType

__all__ = ["public_names"]


def _modules(root: ModuleType) -> Iterator[ModuleType]:
    """Yield a package and its public modules, those that cannot be imported left out."""
    yield root
    for found in pkgutil.iter_modules(getattr(root, "__path__", ())):
        if found.name.startswith(("_", "test")):
            continue
        try:
            module = importlib.import_module(f"{root.__name__}.{found.name}")
        except Exception as error:
            print(f"{root.__name__}.{found.name}: {error}", file=sys.stderr)
            continue
        yield from _modules(module)


def public_names(package: str) -> list[str]:
    """Return the public classes and functions that a package defines, each once."""
    places: dict[int, list[tuple[bool, int, str]]] = {}
    root = package.partition(".")[0]
    for module in _modules(importlib.import_module(package)):
        for name, value in vars(module).items():
            origin = str(getattr(value, "__module__", "")).partition(".")[0]
            if name.startswith("_") or origin.lstrip("_") != root or not callable(value):
                continue
            away = value.__module__ != module.__name__
            place = f"{module.__name__}.{name}"
            places.setdefault(id(value), []).append((away, len(place), place))
    return sorted({min(found)[2] for found in places.values()})


def main() -> None:
    warnings.simplefilter("ignore")
    with contextlib.redirect_stdout(io.StringIO()):
        found = public_names(sys.argv[1])
    print("\n".join(found))


if __name__ == "__main__":
    main()
