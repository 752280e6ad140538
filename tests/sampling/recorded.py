"""What a command measured, in its part of a page: made again by the command, never by hand."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["PAGE", "parser", "part", "record", "rows", "table"]

PAGE = Path(__file__).parents[2] / "docs" / "samplers_measured.md"


def _marks(name: str) -> tuple[str, str]:
    return f"<!-- {name} begins -->\n", f"<!-- {name} ends -->"


def part(name: str, page: Path = PAGE) -> str:
    """Return what a page says of a measurement."""
    text = page.read_text()
    begin, end = _marks(name)
    return text[text.index(begin) + len(begin) : text.index(end)]


def rows(name: str, page: Path = PAGE) -> list[dict[str, str]]:
    """Return the lines of the table of a measurement, by the heads of its columns."""
    lines = [
        [cell.strip() for cell in line.strip("| ").split("|")]
        for line in part(name, page).splitlines()
        if line.startswith("|")
    ]
    return [dict(zip(lines[0], line, strict=True)) for line in lines[2:]]


def record(name: str, said: str, page: Path = PAGE) -> None:
    """Put what was measured into a page."""
    text = page.read_text()
    begin, end = _marks(name)
    before, after = text.index(begin) + len(begin), text.index(end)
    page.write_text(f"{text[:before]}\n{said.strip()}\n\n{text[after:]}")


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def parser(doc: str) -> argparse.ArgumentParser:
    """Return a parser of the options that all measurements have."""
    found = argparse.ArgumentParser(description=doc.splitlines()[0])
    found.add_argument("--write", action="store_true", help="put what is found into the page")
    return found
