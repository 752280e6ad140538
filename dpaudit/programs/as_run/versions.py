"""The versions of libraries whose algorithms were held to the re-expressed ones, bit for bit."""

from __future__ import annotations

import platform
import sys

from dpaudit.errors import LawError

__all__ = ["TESTED", "check_versions"]

TESTED = {"Python": ("3.11",), "NumPy": ("2.4",)}
"""``python -m tests.programs.streams`` tests them; a version is added when it agrees."""


def check_versions() -> None:
    """Raise ``LawError`` for a library that is loaded here in a version that was not tested."""
    numpy = sys.modules.get("numpy")
    here = {
        "Python": platform.python_version(),
        **({"NumPy": str(numpy.__version__)} if numpy is not None else {}),
    }
    for name, version in here.items():
        if ".".join(version.split(".")[:2]) not in TESTED[name]:
            raise LawError(
                f"{name} {version}: its random algorithms were not tested bit for bit; tested are "
                f"{name} {' and '.join(TESTED[name])}"
            )
