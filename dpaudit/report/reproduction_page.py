"""The page of what was reproduced: HTML with the pictures in it, and Markdown beside them."""

from __future__ import annotations

from base64 import b64encode
from html import escape
from typing import TYPE_CHECKING

from dpaudit.report.reproduction import MARKS, verdict_of
from dpaudit.reproduce.findings import Item, Outcome
from dpaudit.reproduce.run import Failed
from dpaudit.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dpaudit.reproduce.findings import Check

__all__ = ["reproduction_html", "reproduction_markdown"]

_STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #59636e; --paper: #ffffff;
  --card: #f6f8fa; --rule: #d1d9e0; --good: #1a7f37; --bad: #cf222e; --line: #0550ae; }
@media (prefers-color-scheme: dark) { :root { --ink: #f0f6fc; --soft: #9198a1; --paper: #0d1117;
  --card: #151b23; --rule: #3d444d; --good: #3fb950; --bad: #ff7b72; --line: #79c0ff; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 76rem; padding: 2rem 1.25rem 4rem; background: var(--paper);
  color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; } h2 { font-size: 1.2rem; margin: 0; }
p { margin: .4rem 0; } .soft { color: var(--soft); }
.good, .bad, .part { white-space: nowrap; font-weight: 600; } .good { color: var(--good); }
.bad { color: var(--bad); } .part { color: var(--line); }
a { color: var(--line); } :focus-visible { outline: 3px solid var(--line); outline-offset: 2px; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: .92rem; }
th, td { text-align: left; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--rule);
  vertical-align: top; overflow-wrap: anywhere; }
td:first-child { white-space: nowrap; overflow-wrap: normal; }
section { background: var(--card); border: 1px solid var(--rule); border-radius: 8px;
  padding: 1rem 1.25rem; margin: 1.25rem 0; }
figure { margin: .75rem 0 0; } img { max-width: 100%; height: auto; border-radius: 6px; }
@media (prefers-color-scheme: dark) { img { filter: brightness(.9); } }
code { font-size: .92em; } @media print { body { max-width: none; padding: 0; font-size: 10pt; }
  section { background: none; break-inside: auto; } }
"""

_TONES = {
    "reproduced": "good",
    "reproduced in part": "part",
    "not reproduced": "bad",
    "undecided": "bad",
    "shown": "part",
}
_HEADER = ("Verdict", "What is printed", "Reading", "Value", "Remark")


def _heading(found: Sequence[Item | Failed], missing: Sequence[str]) -> str:
    items = [one for one in found if isinstance(one, Item)]
    checks = [check for item in items for check in item.checks]
    counts = {outcome: sum(check.outcome is outcome for check in checks) for outcome in Outcome}
    parts = [f"{count} {outcome.value}" for outcome, count in counts.items() if count]
    return (
        f"{len(items)} tables, captions and figures; {len(checks)} numbers and statements: "
        f"{', '.join(parts)}; {verdict_of(found, missing)}"
    )


def reproduction_html(
    found: Sequence[Item | Failed], missing: Sequence[str], pictures: Mapping[str, bytes]
) -> bytes:
    """Return the page: no script, no font, no request; ``pictures`` are PNG by the item's id."""
    title = "The notes, reproduced"
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'; img-src data:\">",
        f"<title>dpaudit: {title}</title><style>{_STYLE}</style></head><body>",
        f'<header><h1>{title}</h1><p class="soft">{escape(_heading(found, missing))}; dpaudit '
        f"{escape(__version__)}</p></header><main>",
        _contents(found, missing),
    ]
    parts += [_failed(one) if isinstance(one, Failed) else _section(one, pictures) for one in found]
    return "".join([*parts, "</main></body></html>\n"]).encode()


def _verdict(verdict: str) -> str:
    return f'<span class="{_TONES[verdict]}">{escape(verdict)}</span>'


def _contents(found: Sequence[Item | Failed], missing: Sequence[str]) -> str:
    rows = []
    for one in found:
        verdict = one.verdict if isinstance(one, Item) else "undecided"
        rows.append(
            f'<tr><td>{_verdict(verdict)}</td><td><a href="#{one.id}">{escape(one.id)}</a></td>'
            f"<td>{escape(one.title)}</td><td>{escape(one.place)}</td></tr>"
        )
    rows += [
        f'<tr><td class="bad">not computed</td><td>{escape(name)}</td><td></td><td></td></tr>'
        for name in missing
    ]
    head = "".join(f'<th scope="col">{name}</th>' for name in ("Verdict", "Item", "What", "Place"))
    return (
        f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}'
        "</tbody></table></div>"
    )


def _failed(one: Failed) -> str:
    return (
        f'<section id="{one.id}"><h2>{escape(one.title)}: {_verdict("undecided")}</h2>'
        f"<p>{escape(one.reason)}</p></section>"
    )


def _section(item: Item, pictures: Mapping[str, bytes]) -> str:
    rows = "".join(
        "<tr>" + "".join(f"<td>{cell}</td>" for cell in _cells(check)) + "</tr>"
        for check in item.checks
    )
    head = "".join(f'<th scope="col">{name}</th>' for name in _HEADER)
    remarks = "".join(f'<p class="soft">{escape(remark)}</p>' for remark in item.remarks)
    image = b64encode(pictures[item.id]).decode()
    return (
        f'<section id="{item.id}" aria-labelledby="h-{item.id}"><h2 id="h-{item.id}">'
        f"{escape(item.title)}: {_verdict(item.verdict)}</h2>"
        f'<p class="soft">{escape(item.place)} · {escape(item.line())} · numbers: '
        f"<code>{item.id}.csv</code></p>{remarks}"
        f'<figure><img alt="{escape(item.title)}" src="data:image/png;base64,{image}"></figure>'
        f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
        "</div></section>"
    )


def _plain(check: Check) -> tuple[str, str, str, str, str]:
    digits = f", {check.digits} digits" if check.digits else ""
    verdict = f"{MARKS[check.outcome]} {check.outcome.value}{digits}"
    value = "" if check.value is None else str(check.value)
    return verdict, check.subject, check.reading, value, check.why


def _cells(check: Check) -> list[str]:
    verdict, *others = _plain(check)
    tone = _TONES[check.outcome.value]
    return [f'<span class="{tone}">{escape(verdict)}</span>', *map(escape, others)]


def reproduction_markdown(found: Sequence[Item | Failed], missing: Sequence[str]) -> bytes:
    """Return the page as Markdown; its pictures are the PNG files beside it."""
    lines = ["# The notes, reproduced", "", f"{_heading(found, missing)}; dpaudit {__version__}"]
    for one in found:
        if isinstance(one, Failed):
            lines += ["", f"## {_text(one.title)}: undecided", "", _text(one.reason)]
            continue
        lines += ["", f"## {_text(one.title)}: {one.verdict}", "", _text(one.line()), ""]
        lines += [f"{_text(one.place)}; numbers: [{one.id}.csv]({one.id}.csv)", ""]
        lines += [f"- {_text(remark)}" for remark in one.remarks]
        lines += ["", f"![{_text(one.title)}]({one.id}.png)", ""]
        lines += [f"| {' | '.join(_HEADER)} |", "|" + "---|" * len(_HEADER)]
        lines += [f"| {' | '.join(map(_text, _plain(check)))} |" for check in one.checks]
    if missing:
        lines += ["", f"Not computed: {', '.join(missing)}"]
    return ("\n".join(lines) + "\n").encode()


def _text(text: str) -> str:
    for mark in "\\|<*_[]":
        text = text.replace(mark, f"\\{mark}" if mark != "<" else "&lt;")
    return " ".join(text.split())
