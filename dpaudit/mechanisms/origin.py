"""Where a mechanism was loaded from: enough to find it again, and to know it for the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable
    from pathlib import Path

__all__ = ["Origin"]


@dataclass(frozen=True, slots=True)
class Origin:
    """A reference to a mechanism with the parameters it was made with."""

    reference: str
    """``path.py:name``, ``package.module:name``, or the name of an entry point."""
    sha256: str
    """The SHA-256 of the file that defines it; empty where there is no such file."""
    base: Path
    """The folder that paths are relative to."""
    parameters: tuple[tuple[str, Hashable], ...]
    """Its parameters."""
