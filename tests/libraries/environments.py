"""Environments of one version of one library each, with what dpaudit needs, made on demand."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from tests.libraries.cases import without_places

if TYPE_CHECKING:
    from tests.libraries.cases import Environment

__all__ = ["CHECKOUT", "UnavailableError", "made", "run"]

CHECKOUT = Path(__file__).resolve().parents[2]
_INSTALL_SECONDS = 900
_MAKING = Lock()


class UnavailableError(Exception):
    """An environment cannot be had; says why."""


def _requirements(environment: Environment, *, borrowed: bool) -> list[str]:
    """Return what is installed beside the library: its pins, and what dpaudit needs."""
    if borrowed:
        return [*environment.install]
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
    return [*environment.install, f"numpy=={environment.numpy}", *project["dependencies"]]


def made(environment: Environment, work: Path, *, borrowed: bool = False) -> Path:
    """Return the interpreter of an environment, which is made if it is not there.

    Args:
        environment: what is installed.
        work: the folder that holds environments.
        borrowed: take what dpaudit needs from the environment that runs this.

    Raises:
        UnavailableError: where something cannot be installed.
    """
    with _MAKING:
        return _made(environment, work, borrowed=borrowed)


def _made(environment: Environment, work: Path, *, borrowed: bool) -> Path:
    if environment.missing:
        raise UnavailableError(environment.missing)
    folder = work / environment.name
    python, done = folder / "bin" / "python", folder / "installed"
    library = f"{environment.library}=={environment.version}"
    more = _requirements(environment, borrowed=borrowed)
    wanted = "\n".join([library, *more])
    if done.exists() and done.read_text() == wanted:
        return python
    _called([sys.executable, "-m", "venv", "--clear", str(folder)])
    (packages,) = folder.glob("lib/python*/site-packages")
    paths = [str(CHECKOUT), *(path for path in sys.path if borrowed and "-packages" in path)]
    (packages / "dpaudit-checkout.pth").write_text("\n".join(paths))
    install = [str(python), "-m", "pip", "install", "--quiet"]
    if environment.bare:
        _called([*install, "--no-deps", library])
        _called([*install, *more])
    else:
        _called([*install, library, *more])
    done.write_text(wanted)
    return python


def _called(command: list[str]) -> None:
    try:
        found = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=_INSTALL_SECONDS
        )
    except subprocess.TimeoutExpired:
        raise UnavailableError(f"not installed in {_INSTALL_SECONDS} s") from None
    if found.returncode:
        errors = [line for line in found.stderr.splitlines() if line.startswith("ERROR")]
        said = (errors or found.stderr.splitlines() or ["nothing"])[-1].removeprefix("ERROR: ")
        raise UnavailableError(f"not installed: {without_places(said)[:200]}")


def run(
    python: Path, arguments: list[str], environment: Environment, seconds: float
) -> subprocess.CompletedProcess[str]:
    """Run an environment's interpreter from the checkout, with what its library is told."""
    return subprocess.run(
        [str(python), *arguments],
        cwd=CHECKOUT,
        env={**os.environ, **environment.variables, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=seconds,
    )
