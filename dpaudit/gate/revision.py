"""The commit that a folder is checked out at, read without running ``git`` or its hooks."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

__all__ = ["COMMIT_VARIABLES", "commit_of"]

COMMIT_VARIABLES = ("GITHUB_SHA", "CI_COMMIT_SHA")
"""Variables in which a service tells the commit, for a folder that came without its repository."""

_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_REFERENCE = re.compile(r"ref: (refs/[!-~]+)")
_MOST = 1 << 22


def commit_of(folder: Path) -> str:
    """Return the commit of the repository that ``folder`` lies in; empty where there is none.

    Files that were changed since are not looked at.
    """
    above = folder.resolve()
    for place in (above, *above.parents):
        if (place / ".git").exists():
            return _head(place / ".git")
    variables = (os.environ.get(name, "").strip() for name in COMMIT_VARIABLES)
    return next((text for text in variables if _COMMIT.fullmatch(text)), "")


def _head(entry: Path) -> str:
    """Return the commit that a repository has checked out; its entry may name another place."""
    place = entry.parent / _read(entry).removeprefix("gitdir: ") if entry.is_file() else entry
    shared = _read(place / "commondir")
    common = place / shared if shared else place
    head = _read(place / "HEAD")
    named = _REFERENCE.fullmatch(head)
    if named is not None and ".." not in named[1]:
        head = _read(common / named[1]) or _packed(common, named[1])
    return head if _COMMIT.fullmatch(head) else ""


def _packed(common: Path, name: str) -> str:
    lines = (line.split(" ") for line in _read(common / "packed-refs").splitlines())
    return next((line[0] for line in lines if line[1:] == [name]), "")


def _read(path: Path) -> str:
    """Return the text of a small file; empty where it cannot be read."""
    with suppress(OSError, ValueError), path.open() as file:
        return file.read(_MOST).strip()
    return ""
