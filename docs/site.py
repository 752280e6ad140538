"""What the site needs beyond the pages.

A page may point at files of the repository (``../tests/...``), which the site does not hold; and
blocks that are files are named after them (``python answers.py``).  Docstrings have examples and
references to other names, which Markdown does not know.
"""

import re
from textwrap import dedent, indent
from typing import Any

import griffe

__all__ = ["Docstrings", "on_page_markdown"]

_FILE = re.compile(r"^```(\w+) (\S+)$", re.MULTILINE)


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Return a page without links that lead out of ``docs``, and with its files named."""
    up = r"\.\./" * (1 + page.file.src_uri.count("/"))
    leaving = rf"\[([^\]]+)\]\({up}[^)]*\)"
    return _FILE.sub(r'```\1 title="\2"', re.sub(leaving, r"\1", markdown))


_EXAMPLE = re.compile(r"^(?P<margin> *)>>> .*(?:\n *\S.*)*", re.MULTILINE)
_ROLE = re.compile(r":(?:mod|class|func|meth|attr|data):`~?([^`]+)`")


class Docstrings(griffe.Extension):
    """Examples as blocks of code, and references to names as code, on the page of functions."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite the docstring of one object, before it is read as Markdown."""
        if obj.docstring is not None:
            obj.docstring.value = _ROLE.sub(r"`\1`", _EXAMPLE.sub(_fenced, obj.docstring.value))


def _fenced(example: re.Match[str]) -> str:
    """Return an example as a block: its output may look like a link."""
    return indent(f"```pycon\n{dedent(example[0])}\n```", example["margin"])
