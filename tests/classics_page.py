"""The table of the page of classics: ``python -m tests.classics_page`` writes it."""

from pathlib import Path
from typing import Any

from dpaudit.mechanisms.base import Mechanism
from dpaudit.mechanisms.parameters import ChoiceParameter
from dpaudit.mechanisms.registry import NOTES_GROUP, mechanism_groups

__all__ = ["PAGE", "with_table"]

PAGE = Path(__file__).resolve().parent.parent / "docs" / "classics.md"
_HEAD = "| mechanism | parameters | stated | its known mistakes |\n|---|---|---|---|\n"


def _row(cls: type[Mechanism[Any]]) -> str:
    choices = [one for one in cls.parameters if isinstance(one, ChoiceParameter)]
    mistakes = [
        f"`--{choice.name} {reading}`"
        for choice in choices
        for reading, meaning in choice.choices
        if meaning.startswith("a mistake")
    ]
    options = [f"`--{one.name.replace('_', '-')} {one.default}`" for one in cls.parameters]
    return f"| `{cls.name}` | {' '.join(options)} | {cls.guarantee} | {', '.join(mistakes)} |\n"


def with_table(page: str) -> str:
    """Return the page with a row for each mechanism of the package but those of the notes."""
    start = page.index(_HEAD) + len(_HEAD)
    groups = mechanism_groups()
    rows = [_row(cls) for group in groups if group != NOTES_GROUP for cls in groups[group].values()]
    return page[:start] + "".join(rows) + page[page.index("\n\n", start - 1) + 1 :]


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text()))
