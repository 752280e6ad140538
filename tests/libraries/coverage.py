"""Which public names of libraries have a row or a reason why they have none.

The names that a version has are kept in ``public``: ``python -m tests.libraries --coverage`` reads
them anew in its environment.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from tests.libraries.cases import Environment, without_places
from tests.libraries.environments import UnavailableError, made, run

__all__ = ["gaps", "kept_names", "read_names"]

_FOLDER = Path(__file__).parent / "public"
_SECONDS = 240.0


def _path(environment: Environment) -> Path:
    return _FOLDER / f"{environment.name}.txt"


def kept_names(environment: Environment) -> list[str]:
    """Return the names that were read last."""
    return _path(environment).read_text().split()


def read_names(environment: Environment, work: Path) -> list[str]:
    """Return the public names of a library, read in its environment, and keep them.

    Raises:
        UnavailableError: where the environment cannot be had, or the package is not imported.
    """
    python = made(environment, work)
    done = run(python, ["-m", "tests.libraries.names", environment.package], environment, _SECONDS)
    if done.returncode:
        said = (done.stderr.strip().splitlines() or ["nothing"])[-1]
        raise UnavailableError(f"its names cannot be read: {without_places(said)[:200]}")
    _FOLDER.mkdir(exist_ok=True)
    _path(environment).write_text(done.stdout)
    return done.stdout.split()


def gaps(environment: Environment, names: Sequence[str]) -> list[str]:
    """Return what is wrong: names without a row and a reason, and reasons without a name.

    A name has a row where a call, or the preparation of one beyond its imports, says it.
    """
    told = [line for case in environment.cases for line in (case.call, *case.setup.splitlines())]
    said = {
        word
        for line in told
        if not line.startswith(("from ", "import "))
        for word in re.findall(r"\w+", line)
    }
    found = []
    used = set()
    for name in names:
        reasons = [pattern for pattern in environment.without if fnmatchcase(name, pattern)]
        used.update(reasons)
        if not reasons and name.rpartition(".")[2] not in said:
            found.append(f"{environment.name}: {name} has no row and no reason")
    idle = [pattern for pattern in environment.without if pattern not in used]
    return [
        *found,
        *(f"{environment.name}: {pattern} is the reason of no name" for pattern in idle),
    ]
