"""Pictures of what dpaudit shows, for the documentation: pages in a browser, runs in a terminal.

``python -m tests.recordings [NAME]...`` makes them again in ``docs/pictures``: each page at two
widths and in two themes, by Chromium, and each run as an SVG of a terminal of 80 columns, colours
and all, by rich.  They are to be looked at before they are committed.
"""

import io
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from fcntl import ioctl
from pathlib import Path

from tests.pages import ROOT, blocks, files, shell

__all__ = [
    "CHROMIUM",
    "COLUMNS",
    "PICTURES",
    "RUNS",
    "THEMES",
    "WIDTHS",
    "browse",
    "drawn",
    "pages_of_reports",
    "plain",
    "typed",
    "workplace",
]

COLUMN = "dpaudit check EHD EHDL EHDS MH --n 10..180 --plot column --plot-width column"
PICTURES = ROOT / "docs" / "pictures"
_TRAININGS = "docs/canaries_dpsgd.md"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
WIDTHS, THEMES = (1280, 400), {"dark": 0, "light": 1}
"""Of a desk and of a telephone; the number is Chromium's for the theme."""

COLUMNS = 80
RUNS = {
    "run-paper": ["dpaudit check survey.py:hasty --no-plot"],
    "run-code": [
        "dpaudit check service.py:noisy_count --inputs 0..3 --neighbours adjacent --budget 1 "
        "--no-plot"
    ],
    "run-gate": ["dpaudit gate"],
    "run-sweep": ["dpaudit check EHDS MH --n 10..60 --no-plot"],
}
"""What is recorded of the terminal: a law, a function, a gate, and a sweep."""


@contextmanager
def workplace() -> Iterator[Path]:
    """Give a folder with the files that the pages of gates show."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for page in ("docs/gate.md", "docs/gate_entries.md"):
            for file, content in files(page).items():
                (folder / file).write_text(content)
        yield folder


def typed(command: str, folder: Path, columns: int = COLUMNS) -> tuple[int, str]:
    """Run a command in a terminal of so many columns; return its exit code and what it shows.

    What a progress bar has drawn and taken back is part of it.
    """
    ours, theirs = pty.openpty()
    ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 200, columns, 0, 0))
    place = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    named = {name: value for name, value in os.environ.items() if name not in _NOT_PASSED_ON}
    process = subprocess.Popen(
        ["bash", "-c", command],
        cwd=folder,
        env={**named, "PATH": place, "TERM": "xterm-256color"},
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 1 << 16)
        except OSError:  # what Linux says once nobody has the other end
            break
        if not part:
            break
        shown += part
    os.close(ours)
    return process.wait(), shown.decode().replace("\r\n", "\n")


_NOT_PASSED_ON = ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR")


def plain(shown: str) -> str:
    """Return what stays on a terminal, without its colours."""
    kept = [line.rpartition("\r")[2] for line in shown.split("\n")]
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", "\n".join(kept))


def drawn(commands: list[str], folder: Path) -> str:
    """Return an SVG of a terminal in which ``commands`` were run."""
    from rich.console import Console
    from rich.text import Text

    console = Console(record=True, width=COLUMNS, file=io.StringIO(), color_system="standard")
    for command in commands:
        _, shown = typed(command, folder)
        kept = "\n".join(line.rpartition("\r")[2] for line in shown.split("\n"))
        console.print(Text(f"$ {command}", style="bold"))
        console.print(Text.from_ansi(kept.rstrip("\n")))
    name = re.sub(r"\W+", "-", commands[0])[:24]
    drawing = console.export_svg(title=commands[0].partition(" --")[0], unique_id=name)
    # rich would ask the network for a font
    return re.sub(r"@font-face \{.*?\}\s*|<!--.*?-->\s*", "", drawing, flags=re.DOTALL)


def pages_of_reports(folder: Path) -> dict[str, Path]:
    """Write the gate's page and that of reproduce into ``folder``; return where they are."""
    for name, content in files("docs/gate.md").items():
        (folder / name).write_text(content)
    gate, notes = folder / "gate.html", folder / "notes"
    for words in (
        ["gate", "--report", f"html={gate}"],
        ["reproduce", "fig-2", "fig-8", "table-beta", "--jobs", "1", "--output", str(notes)],
    ):
        command = [sys.executable, "-m", "dpaudit", *words]
        subprocess.run(command, cwd=folder, check=False, stdout=subprocess.DEVNULL)
    return {"gate": gate, "reproduce": notes / "reproduce.html"}


def browse(page: str, theme: str, profile: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Open a page in Chromium, which finds no host; ``words`` say what it shall do."""
    assert CHROMIUM is not None
    return subprocess.run(
        [
            *(CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"),
            *("--allow-file-access-from-files", "--host-resolver-rules=MAP * ~NOTFOUND"),
            *("--hide-scrollbars", f"--blink-settings=preferredColorScheme={THEMES[theme]}"),
            *(f"--user-data-dir={profile}", "--virtual-time-budget=8000", *words, page),
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def photograph(page: Path, width: int, theme: str, target: Path, folder: Path) -> None:
    """Write the upper part of a page as a small PNG: Chromium has no window of 400 pixels."""
    from PIL import Image

    height = 1000 if width > 500 else 900
    frame = folder / f"{target.stem}.html"
    frame.write_text(
        f'<body style="margin:0"><iframe src="{page.as_uri()}" '
        f'style="width:{width}px; height:{height}px; border:0"></iframe>'
    )
    whole = folder / f"{target.stem}.png"
    browse(
        frame.as_uri(),
        theme,
        folder / "profile",
        f"--window-size=1400,{height + 100}",
        f"--screenshot={whole}",
    )
    picture = Image.open(whole).convert("RGB").crop((0, 0, width, height))
    picture.quantize(256, dither=Image.Dither.NONE).save(target, optimize=True)


def canaries(folder: Path) -> None:
    """Run the page of broken trainings, and keep the figure that it draws as a small PNG."""
    from PIL import Image

    for name, content in files(_TRAININGS).items():
        (folder / name).write_text(content)
    (folder / "page.txt").write_text("\n".join(blocks(_TRAININGS, "python")))
    print(shell("python -m doctest page.txt", folder), end="")
    picture = Image.open(folder / "noise.png").convert("RGB")
    small = picture.quantize(256, dither=Image.Dither.NONE)
    small.save(PICTURES / "canaries.png", optimize=True)


def main(names: list[str]) -> None:
    """Make the pictures with these names, by default all."""
    PICTURES.mkdir(exist_ok=True)
    with workplace() as folder:
        for name, commands in RUNS.items():
            if not names or name in names:
                (PICTURES / f"{name}.svg").write_text(drawn(commands, folder))
                print(name)
        if not names or "column" in names:
            shell(COLUMN, folder)
            shutil.copy(folder / "column.svg", PICTURES)
        if not names or "canaries" in names:
            canaries(folder)
    if names and not any(name.startswith("page-") for name in names):
        return
    if CHROMIUM is None:
        print("Chromium is not installed: no pictures of pages", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for name, page in pages_of_reports(folder).items():
            if names and f"page-{name}" not in names:
                continue
            for width in WIDTHS:
                for theme in THEMES:
                    target = PICTURES / f"page-{name}-{width}-{theme}.png"
                    photograph(page, width, theme, target, folder)
                    print(target.stem)


if __name__ == "__main__":
    main(sys.argv[1:])
