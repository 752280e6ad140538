"""The README and the pages of ``docs``: their blocks, and a shell to run them in."""

import os
import re
import subprocess
import sys
from pathlib import Path

__all__ = ["PAGES", "README", "ROOT", "blocks", "files", "shell"]

ROOT = Path(__file__).resolve().parent.parent
README = "README.md"
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text()
    for path in (ROOT / README, *sorted((ROOT / "docs").glob("*.md")))
}
"""Their texts by path."""


def blocks(page: str, language: str) -> list[str]:
    """The blocks of a page in one language, without those that are files."""
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGES[page], re.MULTILINE | re.DOTALL)


def files(page: str) -> dict[str, str]:
    """The files that a page shows, by name."""
    pattern = r"^```(?:python|toml|csv|json) (\S+)\n(.*?)^```$"
    return dict(re.findall(pattern, PAGES[page], re.MULTILINE | re.DOTALL))


def shell(command: str, folder: Path) -> str:
    """Run ``command`` with this interpreter's ``dpaudit`` first on the path; return its output."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    found = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return str(found.stdout)
