"""Kinds of subject that a reference begins with, and the functions that load them.

What loads a subject lies above what reads references.  It is therefore registered by name, by
``dpaudit`` itself: every process imports that, and no room names a higher one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Loader = Callable[[str, str, Path], tuple[Any, str]]

__all__ = ["AS_RUN", "CALL", "COMMAND", "DRAWN", "DRAWS", "IDEAL", "RUNGS", "load", "register"]

CALL = "call "
"""Prefix of a reference to a call of a callable."""
DRAWS = "draws of "
"""Prefix of a reference to a callable to be drawn from."""
COMMAND = "command "
"""Prefix of a reference to a command that prints outputs."""

AS_RUN, IDEAL = "as-run", "ideal"
RUNGS = (AS_RUN, IDEAL)
"""Semantics of a plain function, the strongest first: as what it runs, floats and all; or as what
it means, its draws exact and its floats real numbers."""
DRAWN = "drawn"
"""No semantics: the function is only drawn from, which can show an excess and nothing else."""

_LOADERS: dict[str, str] = {}


def register(kind: str, loader: str) -> None:
    """Let references that begin with ``kind`` be loaded by a function.

    Args:
        kind: the beginning, as :data:`CALL`.
        loader: ``module:function``; it takes the reference, the text after its beginning and the
            folder that paths are relative to, and returns what the reference names and the SHA-256
            of its file.
    """
    _LOADERS[kind] = loader


def load(reference: str, folder: Path) -> tuple[Any, str] | None:
    """Return what a reference of a registered kind names, and the SHA-256 of its file.

    Returns:
        None for a reference of no registered kind.

    Raises:
        LoadError: for what cannot be loaded.
    """
    from pkgutil import resolve_name  # here: ``import dpaudit`` alone costs nothing

    for kind, place in _LOADERS.items():
        if reference.startswith(kind):
            loader: Loader = resolve_name(place)
            return loader(reference, reference.removeprefix(kind), folder)
    return None
