"""Pages in HTML: no script, no font, no request to anywhere."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from dpaudit.report.table import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["cells", "page", "table"]

_STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #59636e; --paper: #ffffff;
  --card: #f6f8fa; --rule: #d1d9e0; --good: #1a7f37; --bad: #cf222e; --line: #0550ae; }
@media (prefers-color-scheme: dark) { :root { --ink: #f0f6fc; --soft: #9198a1; --paper: #0d1117;
  --card: #151b23; --rule: #3d444d; --good: #3fb950; --bad: #ff7b72; --line: #79c0ff; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 76rem; padding: 2rem 1.25rem 4rem; background: var(--paper);
  color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; } h2 { font-size: 1.2rem; margin: 2.5rem 0 .75rem; }
h3 { font-size: 1.05rem; margin: 0; } p { margin: .4rem 0; } .soft { color: var(--soft); }
.good, .bad, .part { white-space: nowrap; font-weight: 600; } .good { color: var(--good); }
.bad { color: var(--bad); } .part { color: var(--line); }
a { color: var(--line); } :focus-visible { outline: 3px solid var(--line); outline-offset: 2px; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: .95rem; }
th, td { text-align: left; padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--rule);
  vertical-align: top; font-variant-numeric: tabular-nums; }
section { background: var(--card); border: 1px solid var(--rule); border-radius: 8px;
  padding: 1rem 1.25rem; margin: 1rem 0; break-inside: avoid; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(17rem, 1fr)); gap: 1rem; }
figure { margin: .75rem 0 0; } figcaption { color: var(--soft); font-size: .875rem; }
img { max-width: 100%; height: auto; border-radius: 6px; }
@media (prefers-color-scheme: dark) { img { filter: brightness(.9); } }
svg { width: 100%; height: auto; } svg text { font: 10px system-ui, sans-serif; fill: var(--soft); }
.grid { stroke: var(--rule); stroke-width: .5; } .line, .budget, .chance { fill: none; }
.line { stroke: var(--line); stroke-width: 2; } circle.line { fill: var(--line); }
.budget { stroke: var(--bad); stroke-width: 1.5; stroke-dasharray: 5 4; }
.chance { stroke: var(--soft); stroke-width: 1; stroke-dasharray: 2 3; }
summary { cursor: pointer; padding: .35rem 0; } code { font-size: .92em; }
@media print { body { max-width: none; padding: 0; font-size: 10pt; }
  details > * { display: block; } section { background: none; break-inside: auto; } }
"""


def page(title: str, heading: str, parts: Iterable[str]) -> bytes:
    """Return a page: a title as text, then what is HTML already.

    Args:
        title: what the window is called.
        heading: what stands above the rest.
        parts: the rest.
    """
    head = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'; img-src data:\">"
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>"
    )
    body = f"<body><header>{heading}</header><main>{''.join(parts)}</main></body></html>"
    return f"{head}{body}\n".encode()


def cells(*texts: str) -> list[str]:
    """Return cells of a table made of text."""
    return [escape(printable(text)) for text in texts]


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; the header is text, the cells are HTML already."""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in header)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return (
        f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
        "</div>"
    )
