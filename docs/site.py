"""What the site needs beyond the pages.

A page may point at files of the repository (``../tests/...``), which the site does not hold; and
blocks that are files are named after them (``python answers.py``).  The first use of a word of this
tool on a page leads to the glossary.  Docstrings have examples and references to other names, which
Markdown does not know.
"""

import re
from textwrap import dedent, indent
from typing import Any

import griffe

__all__ = ["TERMS", "Docstrings", "on_page_markdown", "with_terms"]

_FILE = re.compile(r"^```(\w+) (\S+)$", re.MULTILINE)


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Return a page without links that lead out of ``docs``, and with its files named."""
    depth = page.file.src_uri.count("/")
    up = r"\.\./" * (1 + depth)
    kept = re.sub(rf"\[([^\]]+)\]\({up}[^)]*\)", r"\1", markdown)
    if page.file.src_uri != "glossary.md":
        kept = with_terms(kept, "../" * depth + "glossary.md")
    return _FILE.sub(r'```\1 title="\2"', kept)


TERMS = {
    "law": r"laws?",
    "ball": r"balls?",
    "rest": r"`rest`",
    "as-run": r"as run",
    "ideal": r"ideal",
    "cell": r"cells?",
}
"""Words of this tool: the heading in the glossary, and the word as a pattern."""

_APART = re.compile(r"^```.*?^```$|^[#|!<][^\n]*|!?\[[^\]]*\]\([^)]*\)", re.MULTILINE | re.DOTALL)
"""Blocks, headings, rows, and links: there a word stays as it is."""

_CODE = re.compile(r"`[^`\n]*`")


def with_terms(markdown: str, glossary: str) -> str:
    """Return a page on which the first use of each word of this tool leads to ``glossary``."""
    for heading, word in TERMS.items():
        if f"glossary.md#{heading})" in markdown:
            continue
        apart = [match.span() for match in _APART.finditer(markdown)]
        if not word.startswith("`"):
            apart += [match.span() for match in _CODE.finditer(markdown)]
        for match in re.finditer(rf"(?<![\w-]){word}(?![\w-])", markdown, re.IGNORECASE):
            if not any(begin <= match.start() < end for begin, end in apart):
                linked = f"[{match[0]}]({glossary}#{heading})"
                markdown = markdown[: match.start()] + linked + markdown[match.end() :]
                break
    return markdown


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
