"""One report as an HTML page: what was found, figures, the table, the witness, how to repeat it.

It is made of what pages of gates are made of, and says nothing that the report does not.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from dpaudit.fingerprint import fingerprint
from dpaudit.report.fitting import printable
from dpaudit.report.formats.html import Picture, figures, page, table_of, today
from dpaudit.report.view import view_of
from dpaudit.version import __version__

if TYPE_CHECKING:
    from dpaudit.report.view import Block

__all__ = ["audit_html"]

_GOOD, _BAD = ("within",), ("exceeds", "undecided")


def audit_html(pictures: Sequence[Picture], words: Sequence[str]) -> bytes:
    """Return the page of one or more reports of one kind.

    Args:
        pictures: each report, with the events that its charts are drawn from.
        words: the command that made them, as words; empty for none.
    """
    names = ", ".join(dict.fromkeys(printable(picture.title) for picture in pictures))
    asked = words[0] if words else _asked(pictures[0].report)
    heading = (
        f"<h1>dpaudit {escape(asked)}: {escape(names)}</h1>"
        f'<p class="soft">dpaudit {escape(__version__)}, page of '
        f'<span class="whole">{today()}</span></p>'
    )
    parts = [_section(picture) for picture in pictures]
    return page(f"dpaudit {asked}: {names}", heading, [*parts, _repeated(words)])


def _asked(report: Any) -> str:
    """Return the name of what a report answers, from that of its schema."""
    name: str = report.schema.partition("/")[0].removeprefix("dpaudit.")
    return name


def _section(picture: Picture) -> str:
    report = picture.report
    view = view_of(report)
    (shown,) = view.shown([report])
    blocks = [_block(report, block) for block in view.blocks(shown)]
    witness = "".join(f"<p>{escape(printable(text))}</p>" for text in view.witness(report))
    verdict = getattr(report, "verdict", None)
    told = "" if verdict is None else f"<p>Verdict: {_toned(str(verdict.value))}</p>"
    parts = [told, *blocks, figures(picture), witness and f"<h2>The witness</h2>{witness}"]
    return f"<section>{''.join(parts)}</section>{_assumptions(view.assumed(report))}"


def _assumptions(sentences: Sequence[str]) -> str:
    if not sentences:
        return ""
    items = "".join(f"<li>{escape(printable(sentence))}</li>" for sentence in sentences)
    return f"<section><h2>What has to be true</h2><ul>{items}</ul></section>"


def _toned(verdict: str) -> str:
    tone = "good" if verdict in _GOOD else "bad" if verdict in _BAD else "part"
    return f'<span class="{tone}">{escape(verdict)}</span>'


def _block(report: Any, block: Block) -> str:
    """Return a block of the text form as HTML, in the same order."""

    def parts() -> Iterator[str]:
        titles = (block.title,) if isinstance(block.title, str) else block.title
        yield from (f"<h2>{escape(printable(title))}</h2>" for title in titles if title)
        yield from (f"<p>{escape(printable(text))}</p>" for text in block.summary)
        if block.header:
            yield table_of(block)
        yield from (f'<p class="soft">{escape(printable(text))}</p>' for text in block.notes)

    return "".join(parts())


def _repeated(words: Sequence[str]) -> str:
    if not words:
        return ""
    command = escape(printable(shlex.join(["dpaudit", *words])))
    digest = fingerprint()
    code = f" Its code has the fingerprint <code>{escape(digest)}</code>." if digest else ""
    return (
        f"<section><h2>To repeat it</h2><p><code>{command}</code></p>"
        f'<p class="soft">With dpaudit {escape(__version__)}, in the same folder.{code}</p>'
        "</section>"
    )
