"""Recorded command lines: what each printed, wrote and ended with.

``commands.txt`` lists them; ``recorded/`` holds a line of JSON for each, one file for each command.
``python -m tests.golden.corpus [WORDS]`` records them again, or those that contain the words: to be
done only where a change of what users see is meant, in the commit that makes it.
"""

import contextlib
import json
import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from dpaudit.cli.main import invoke

__all__ = ["COMMANDS", "Outcome", "outcome", "recorded", "workplace"]

HERE = Path(__file__).parent
RECORDED = HERE / "recorded"
COMMANDS = [
    line
    for line in (HERE / "commands.txt").read_text().splitlines()
    if line and not line.startswith("#")
]


@dataclass
class Outcome:
    """What came of a command line."""

    command: str
    exit: int
    stdout: Any
    """The text, or the document where it is one of JSON."""
    stderr: str
    files: list[str]
    """What it wrote."""


@contextlib.contextmanager
def workplace() -> Iterator[Path]:
    """Work in a new folder that holds the files that the command lines name."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for path in (HERE / "inputs").iterdir():
            if path.is_file():
                shutil.copy(path, folder)
        os.chdir(folder)
        try:
            for needed in ("audit.json", "changed.json"):
                invoke([*shlex.split("check EHDS --n 5,6 --format json --output"), needed])
            invoke(shlex.split("check EHDS --n 6,7 --format json --output wider.json"))
            text = (folder / "changed.json").read_text()
            (folder / "changed.json").write_text(text.replace('"upper": "0.', '"upper": "0.9', 1))
            yield folder
        finally:
            os.chdir(before)


def outcome(command: str, folder: Path) -> Outcome:
    """Run a command line in ``folder``, in this process, and return what came of it."""
    before = {path for path in folder.rglob("*") if path.is_file()}
    with tempfile.TemporaryFile("w+b") as out, tempfile.TemporaryFile("w+b") as err:
        with _streams(out.fileno(), err.fileno()):
            code = invoke(shlex.split(command))
        texts = []
        for stream in (out, err):
            stream.seek(0)
            texts.append(stream.read().decode())
    made = sorted(path for path in folder.rglob("*") if path.is_file() and path not in before)
    names = [path.relative_to(folder).as_posix() for path in made if path.suffix != ".pyc"]
    for path in made:
        path.unlink()
    texts = [text.replace(str(folder), "FOLDER") for text in texts]
    shown: Any = texts[0]
    with contextlib.suppress(ValueError):
        shown = json.loads(shown)
    return Outcome(command, int(code), shown, texts[1], names)


@contextlib.contextmanager
def _streams(out: int, err: int) -> Iterator[None]:
    """Send this process's standard output and error, and those of its children, elsewhere."""
    kept = [(number, os.dup(number)) for number in (1, 2)]
    replaced = sys.stdout, sys.stderr
    sys.stdout.flush()
    sys.stderr.flush()
    os.dup2(out, 1)
    os.dup2(err, 2)
    sys.stdout = os.fdopen(os.dup(1), "w", encoding="utf-8")
    sys.stderr = os.fdopen(os.dup(2), "w", encoding="utf-8")
    try:
        yield
    finally:
        sys.stdout.close()
        sys.stderr.close()
        sys.stdout, sys.stderr = replaced
        for number, copy in kept:
            os.dup2(copy, number)
            os.close(copy)


def _file(command: str) -> Path:
    first = shlex.split(command)[0].strip("-")
    return RECORDED / f"{first}.jsonl"


def recorded() -> dict[str, Outcome]:
    """Return what was recorded, by command line."""
    lines = [line for path in RECORDED.glob("*.jsonl") for line in path.read_text().splitlines()]
    found = [Outcome(**json.loads(line)) for line in lines]
    return {one.command: one for one in found}


def main(words: list[str]) -> None:
    """Record the command lines that contain all ``words`` again."""
    kept = {} if not words else recorded()
    with workplace() as folder:
        for command in COMMANDS:
            if all(word in command for word in words) or command not in kept:
                kept[command] = outcome(command, folder)
                print(kept[command].exit, command)
    RECORDED.mkdir(exist_ok=True)
    for path in {_file(command) for command in COMMANDS}:
        lines = [
            json.dumps(asdict(kept[command]), ensure_ascii=False)
            for command in COMMANDS
            if _file(command) == path
        ]
        path.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
