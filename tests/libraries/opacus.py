"""Run the page on Opacus in an environment of its own, and write its outputs into the page.

    python -m tests.libraries.opacus [--work FOLDER] [--check]

With ``--check`` nothing is written, and the exit code is 1 where an output is no longer that of the
page.  The environment needs a gigabyte, and more where torch comes with its CUDA libraries.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from pathlib import Path

from tests.libraries.cases import Environment
from tests.libraries.environments import CHECKOUT, made
from tests.pages import PAGES, blocks, files, shell

__all__ = ["ENVIRONMENT", "PAGE", "WORK", "main", "outputs"]

PAGE = "docs/canaries_opacus.md"
ENVIRONMENT = Environment(
    "opacus", "1.6.0", (), install=("torch==2.13.0", "scikit-learn==1.9.1"), package="opacus"
)
WORK = CHECKOUT / "dpaudit-results" / "libraries"
_PROMPT = re.compile(r"^\$ (.*)$", re.MULTILINE)


def outputs(python: Path, folder: Path) -> list[str]:
    """Return the blocks of the page with what their commands print.

    Args:
        python: the interpreter of the environment.
        folder: an empty folder, in which they run in the order of the page.
    """
    for name, content in files(PAGE).items():
        (folder / name).write_text(content)
    for block in blocks(PAGE, "console"):
        for command in _PROMPT.findall(block):
            shell(command, folder)
    prefix = f'python() {{ OMP_NUM_THREADS=1 {python} -W ignore "$@"; }}\n'
    found = []
    for block in blocks(PAGE, "text"):
        parts = [
            f"$ {command}\n{shell(prefix + command, folder)}" for command in _PROMPT.findall(block)
        ]
        found.append("".join(parts))
    return found


def main() -> int:
    """Run the page, and write or compare its outputs."""
    parser = argparse.ArgumentParser(prog="python -m tests.libraries.opacus", description=__doc__)
    parser.add_argument("--work", type=Path, default=WORK)
    parser.add_argument("--check", action="store_true", help="write nothing")
    given = parser.parse_args()
    python = made(ENVIRONMENT, given.work)
    with tempfile.TemporaryDirectory() as folder:
        now = outputs(python, Path(folder))
    shown = blocks(PAGE, "text")
    if given.check:
        return int(now != shown)
    text = PAGES[PAGE]
    for old, new in zip(shown, now, strict=True):
        text = text.replace(f"```text\n{old}```", f"```text\n{new}```", 1)
    (CHECKOUT / PAGE).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
