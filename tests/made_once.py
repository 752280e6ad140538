"""What many tests read and none changes, made once: gates, reports, the site.

A module's tests run in several workers of xdist, and each would make it again.  It is made in a
folder of pytest's cache that is named by a hash of the code, so that a later session finds it too;
``pytest --cache-clear`` forgets it.  What depends on more than the code, such as processes that
were started, belongs in a folder of the session.
"""

from __future__ import annotations

import fcntl
import hashlib
import shutil
import sys
from importlib.metadata import distributions
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["fingerprint", "made_once"]

ROOT = Path(__file__).parent.parent
FOLDERS = ("dpaudit", "docs", "proofs", "tests")


def fingerprint(root: Path = ROOT) -> str:
    """Return a hash of what results depend on: the checkout, Python, and what is installed."""
    digest = hashlib.sha256(sys.version.encode())
    # A set: one that lies in two folders of the path is found twice, and the path is no matter.
    for installed in sorted({f"{one.name} {one.version}" for one in distributions()}):
        digest.update(installed.encode())
    files = [path for path in root.iterdir() if path.suffix in (".md", ".toml", ".yml")]
    for folder in FOLDERS:
        files += (path for path in (root / folder).rglob("*") if "__pycache__" not in path.parts)
    for path in sorted(files):
        if path.is_file():
            content = path.read_bytes()
            digest.update(f"{path.relative_to(root)} {len(content)} ".encode() + content)
    return digest.hexdigest()


def made_once(within: Path, name: str, make: Callable[[Path], object]) -> Path:
    """Return a folder that ``make`` has filled, once for all who ask for it by the same name.

    Args:
        within: where such folders are kept; the fixture ``kept`` or ``session_folder``.
        name: the name of the folder, which is that of what it holds.
        make: fills the empty folder that it is given.  Where it fails, the next one tries again.
    """
    folder, complete = within / name, within / f"{name}.complete"
    within.mkdir(parents=True, exist_ok=True)
    with (within / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # closing the file opens it for the next
        if not complete.exists():
            # A folder without the mark is that of a session that was ended while it was filled.
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            make(folder)
            complete.touch()
    return folder
