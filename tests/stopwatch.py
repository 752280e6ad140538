"""From a bare folder to a verdict at each door of the README, by the clock.

``python -m tests.stopwatch`` lays out what a door shows, types its commands, and prints how many
commands and lines it took, how long, and the verdict; with ``--install`` a new environment is made
first and this checkout installed in it, the README's first command.  It fails where a door takes
too many commands or lines, or comes to no verdict.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tests.pages import PAGES, README, ROOT

__all__ = ["COMMANDS", "DOORS", "LINES", "Door"]

COMMANDS, LINES = 3, 15
"""How many commands a door may take to a verdict, and how many lines are written by hand."""

_FILE = re.compile(r"^```(?:python|toml) (\S+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_VERDICT = re.compile(r"^(?:within|exceeds): .*$", re.MULTILINE)


@dataclass(frozen=True)
class Door:
    """A part of the README that leads to a verdict."""

    title: str
    text: str
    files: dict[str, str]
    """What is written by hand: what the door shows, and what that names of doors before it."""

    @property
    def commands(self) -> list[str]:
        """What is typed, after the installation."""
        return re.findall(r"^\$ (?!echo)(.*)$", self.text, re.MULTILINE)

    @property
    def lines(self) -> int:
        """How many lines are written by hand."""
        return sum(bool(line.strip()) for text in self.files.values() for line in text.split("\n"))

    @property
    def short(self) -> bool:
        """Whether it takes no more commands, the installation among them, and lines than it may."""
        return 1 <= len(self.commands) < COMMANDS and self.lines <= LINES

    def walk(self, folder: Path, programs: Path) -> tuple[float, str]:
        """Return how many seconds its commands take in ``folder``, and the verdict, or ""."""
        for name, content in self.files.items():
            (folder / name).write_text(content)
        path = f"{programs}{os.pathsep}{os.environ['PATH']}"
        began = time.monotonic()
        said = "".join(
            subprocess.run(
                command,
                shell=True,
                cwd=folder,
                env={**os.environ, "PATH": path, "COLUMNS": "80"},
                capture_output=True,
                text=True,
                check=False,
            ).stdout
            for command in self.commands
        )
        found = _VERDICT.search(said)
        return time.monotonic() - began, found[0] if found else ""


def _doors() -> list[Door]:
    shown: dict[str, str] = {}
    doors = []
    for text in re.split(r"^## ", PAGES[README], flags=re.MULTILINE):
        title = text.partition("\n")[0]
        if "way in" not in title:
            continue
        own = dict(_FILE.findall(text))
        named = {name: text for name, text in shown.items() if name in "".join(own.values())}
        doors.append(Door(title, text, named | own))
        shown |= own
    return doors


DOORS = _doors()


def _installed(folder: Path) -> tuple[float, Path]:
    """Return how many seconds a new environment with this checkout takes, and its programs."""
    began = time.monotonic()
    subprocess.run([sys.executable, "-m", "venv", folder / ".venv"], check=True)
    programs = folder / ".venv" / "bin"
    subprocess.run([programs / "pip", "install", "--quiet", ROOT], check=True)
    return time.monotonic() - began, programs


def main(arguments: list[str]) -> int:
    """Walk through every door; return 1 where one is no way to a verdict."""
    failed = False
    with tempfile.TemporaryDirectory() as place:
        installing, programs = 0.0, Path(sys.executable).parent
        if "--install" in arguments:
            installing, programs = _installed(Path(place))
            print(f"installed in {installing:.0f} s")
        for door in DOORS:
            with tempfile.TemporaryDirectory() as folder:
                seconds, verdict = door.walk(Path(folder), programs)
            count = len(door.commands) + 1
            print(f"{door.title}: {count} commands, {door.lines} lines, {seconds:.1f} s")
            print(f"  {verdict or 'no verdict'}")
            failed |= not verdict or not door.short
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
