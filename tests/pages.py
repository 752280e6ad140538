"""The README and the pages of ``docs``: their blocks, and a shell to run them in.

``python -m tests.pages [PAGE]...`` writes into the pages what their commands print: to be done only
where a change of what users see is meant, in the commit that makes it.
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

__all__ = [
    "PAGES",
    "README",
    "ROOT",
    "blocks",
    "build_site",
    "files",
    "printed",
    "shell",
    "without_runs",
]

ROOT = Path(__file__).resolve().parent.parent
README = "README.md"
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text()
    for path in (ROOT / README, *sorted((ROOT / "docs").rglob("*.md")))
}
"""Their texts by path."""


def build_site(folder: Path) -> None:
    """Build the documentation into a folder, as ``nox -s docs`` does; any warning fails.

    ``--quiet`` would silence warnings before strict mode counts them.
    """
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def blocks(page: str, language: str) -> list[str]:
    """The blocks of a page in one language, without those that are files."""
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGES[page], re.MULTILINE | re.DOTALL)


def files(page: str) -> dict[str, str]:
    """The files that a page shows, by name."""
    pattern = r"^```(?:python|toml|csv|json) (\S+)\n(.*?)^```$"
    return dict(re.findall(pattern, PAGES[page], re.MULTILINE | re.DOTALL))


def shell(command: str, folder: Path) -> str:
    """Run ``command`` with this interpreter's ``dpaudit`` first on the path; return its output.

    It is what a terminal of 80 columns shows.
    """
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    found = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path, "COLUMNS": "80"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return str(found.stdout)


def printed(page: str, block: str, folder: Path) -> str:
    """Return a console block with what its commands print, run in ``folder``.

    One shell runs the whole block, and $? is what it would be for a reader.
    """
    commands = re.findall(r"^\$ (.*)$", block, re.MULTILINE)
    assert commands
    script = "\n".join(
        f"status=$?; printf '%s\\n' {shlex.quote(f'$ {command}')}; (exit $status); {command}"
        for command in commands
    )
    for name, content in files(page).items():
        (folder / name).write_text(content)
    return shell(script, folder)


def without_runs(text: str) -> str:
    """Return what is shown without how many real runs a machine had the time for.

    Where the lines of that sentence end hangs on the number: its words are one line, also where
    spaces were taken out.
    """
    return _RUNS.sub(lambda found: f"checked with real runs{' '.join(found[1].split())}", text)


_RUNS = re.compile(
    r"checked\s*with\s*[\d,]+\s*real\s*runs\s*a\s*dataset:\s*an\s*error\s*in\s*more\s*than"
    r"\s*[\d.]+\s*%(.*?10⁻⁹|)",
    re.DOTALL,
)


def main(pages: list[str]) -> None:
    """Write what the commands of ``pages`` (default: all) print."""
    for page in pages or PAGES:
        text = PAGES[page]
        for block in blocks(page, "console"):
            with tempfile.TemporaryDirectory() as folder:
                shown = printed(page, block, Path(folder))
            text = text.replace(f"```console\n{block}```", f"```console\n{shown}```")
        if text != PAGES[page]:
            (ROOT / page).write_text(text)
            print(page)


if __name__ == "__main__":
    main(sys.argv[1:])
