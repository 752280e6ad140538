"""Fingerprint of the sources of this package, and of the arithmetic beneath.

A version's text stays the same while the code is changed.  What was computed elsewhere, by a worker
or before an interruption, is taken only from the same code on the same arithmetic.
"""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from pathlib import Path

from dpaudit.version import __version__

__all__ = ["fingerprint", "fingerprint_of"]

_LIBRARY = re.compile(r"\.(so|pyd|dll|dylib)\b")


@lru_cache(maxsize=1)
def fingerprint() -> str:
    """Return the version and a hash of every source file, and those of python-flint.

    It is empty where the sources are not there to be read: then nothing is known to be the same.
    It takes some 20 ms, once in a process; call it before the work, as files may change meanwhile.
    """
    sources = fingerprint_of(Path(__file__).parent)
    return f"dpaudit {__version__} {sources}; {_flint()}" if sources else ""


def fingerprint_of(folder: Path) -> str:
    """Return a hash of the names and the contents of all Python files below ``folder``."""
    digest = hashlib.sha256()
    files = sorted((path.relative_to(folder).as_posix(), path) for path in folder.rglob("*.py"))
    for name, path in files:
        content = path.read_bytes()
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:16] if files else ""


def _flint() -> str:
    """Return the version of python-flint, with a hash of the libraries that were installed."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        installed = distribution("python-flint")
    except PackageNotFoundError:
        return "python-flint ?"
    # The record of an installation lists a hash of each file; those of byte code are added later.
    listed = (installed.read_text("RECORD") or "").splitlines()
    libraries = sorted(
        line for line in listed if ".so" in line or ".pyd" in line or ".dylib" in line
    )
    build = hashlib.sha256("\n".join(libraries).encode()).hexdigest()[:8]
    return f"python-flint {installed.version} {build}"
