"""What the site needs beyond the pages.

A page may point at files of the repository (``../tests/...``), which the site does not hold; and
blocks that are files are named after them (``python answers.py``).
"""

import re
from typing import Any

__all__ = ["on_page_markdown"]

_FILE = re.compile(r"^```(\w+) (\S+)$", re.MULTILINE)
_LEAVES = re.compile(r"\[([^\]]+)\]\(\.\./[^)]*\)")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Return a page without links that lead out of ``docs``, and with its files named."""
    return _FILE.sub(r'```\1 title="\2"', _LEAVES.sub(r"\1", markdown))
