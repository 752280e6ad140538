"""The rows of questions in the page of commands: ``python -m tests.commands_page`` writes them."""

from pathlib import Path

from dpaudit.question import questions

__all__ = ["PAGE", "with_rows"]

PAGE = Path(__file__).resolve().parent.parent / "docs" / "commands.md"
_HEAD = "|---|---|\n"
_NEXT = "| `dpaudit gate` |"


def with_rows(page: str) -> str:
    """Return the page with a row for each way to ask each question that has a command."""
    start, end = page.index(_HEAD) + len(_HEAD), page.index(_NEXT)
    rows = [row for one in questions() if one.has_command for row in one.rows]
    return page[:start] + "".join(f"{row}\n" for row in rows) + page[end:]


if __name__ == "__main__":
    PAGE.write_text(with_rows(PAGE.read_text()))
