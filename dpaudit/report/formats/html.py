"""The gate's report as one HTML page: the verdict, a summary, figures and witnesses.

The page has no script, no font and no request to anywhere; the figures are line charts as inline
SVG that follow its colours.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from itertools import pairwise
from math import exp, floor, log, log10
from typing import TYPE_CHECKING

from dpaudit.report.table import printable
from dpaudit.report.views import view_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from decimal import Decimal

    from dpaudit.results import Finding, GateDocument

__all__ = ["Line", "cells", "chart", "gate_html", "page", "table"]


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


_WIDTH, _HEIGHT = 360, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 12, 12, 40


@dataclass(frozen=True)
class Line:
    """A polyline, or a single point, with the name of its style."""

    points: Sequence[tuple[float, float]]
    style: str = "line"


def chart(
    title: str,
    x_label: str,
    y_label: str,
    lines: Sequence[Line],
    *,
    x_range: tuple[float, float] | None = None,
    y_range: tuple[float, float] | None = None,
) -> str:
    """Return an SVG figure of ``lines`` with axes, ticks and a title for screen readers."""
    every = [point for line in lines for point in line.points]
    x_low, x_high = x_range or _range([x for x, _ in every])
    y_low, y_high = y_range or _range([0.0, *(y for _, y in every)])

    def place(x: float, y: float) -> tuple[float, float]:
        across = (x - x_low) / (x_high - x_low)
        up = (y - y_low) / (y_high - y_low)
        return (
            _LEFT + across * (_WIDTH - _LEFT - _RIGHT),
            _HEIGHT - _BOTTOM - up * (_HEIGHT - _TOP - _BOTTOM),
        )

    parts = [
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(title)}">',
        f"<title>{escape(title)}</title>",
    ]
    for value in _ticks(x_low, x_high):
        x, y = place(value, y_low)
        parts.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{x:.1f}" y="{y + 14:.1f}" text-anchor="middle">{value:g}</text>')
    for value in _ticks(y_low, y_high):
        x, y = place(x_low, value)
        right = _WIDTH - _RIGHT
        parts.append(f'<line class="grid" x1="{x:.1f}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{x - 6:.1f}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>')
    middle_x, middle_y = (_LEFT + _WIDTH - _RIGHT) / 2, (_TOP + _HEIGHT - _BOTTOM) / 2
    parts.append(
        f'<text x="{middle_x:.0f}" y="{_HEIGHT - 6}" text-anchor="middle">{escape(x_label)}</text>'
    )
    parts.append(
        f'<text transform="translate(12 {middle_y:.0f}) rotate(-90)" text-anchor="middle">'
        f"{escape(y_label)}</text>"
    )
    for line in lines:
        placed = [place(x, y) for x, y in line.points]
        if len(placed) == 1:
            ((x, y),) = placed
            parts.append(f'<circle class="{line.style}" cx="{x:.2f}" cy="{y:.2f}" r="3"/>')
        else:
            path = " ".join(f"{x:.2f},{y:.2f}" for x, y in placed)
            parts.append(f'<polyline class="{line.style}" points="{path}"/>')
    parts.append("</svg>")
    return "".join(parts)


def _range(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    if low == high:
        return low - 0.5, high + 0.5
    return low, high + (high - low) * 0.05


def _ticks(low: float, high: float) -> list[float]:
    """Return up to six round numbers between ``low`` and ``high``."""
    rough = (high - low) / 5
    unit = 10 ** floor(log10(rough))
    step = next(factor * unit for factor in (1, 2, 5, 10) if factor * unit >= rough)
    first = -floor(-low / step)
    count = floor(high / step) - first + 1
    return [round((first + i) * step, 12) for i in range(count)]


_LARGEST = 1e300
"""What a chart of floats has room for; a number beyond is left to the table."""
_LARGEST_EPSILON = 600.0
"""Up to here exp(ε) is a float."""


def gate_html(document: GateDocument) -> bytes:
    """Return the page: the verdict, a summary, and for each mechanism its figures and witness."""
    entries = document.entries()
    failed = sum(not passed for passed, *_ in entries)
    verdict = "All budgets are kept" if not failed else f"{failed} of {len(entries)} fail"
    heading = (
        f"<h1>dpaudit gate: <span class={_tone(not failed)}>{escape(verdict)}</span></h1>"
        f'<p class="soft">{escape(document.config)}, {len(entries)} checked over every pair of '
        f"neighbouring datasets, dpaudit {escape(document.version)}</p>"
    )
    rows = [
        [
            _verdict(one.passed),
            f'<a href="#m{number}">{escape(one.title)}</a>',
            *cells(one.kind.value, one.message),
        ]
        for number, one in enumerate(document.mechanisms)
    ]
    parts = ["<h2>Mechanisms</h2>", table(("Verdict", "Mechanism", "Found", "How"), rows)]
    parts += [_section(number, one) for number, one in enumerate(document.mechanisms)]
    if document.claims:
        parts += ["<h2>Claims</h2>", _claims(document)]
    parts.append(
        '<h2>Provenance</h2><p class="soft">SHA-256 of the configuration: '
        f"<code>{document.config_sha256}</code></p>"
    )
    return page(f"dpaudit gate: {verdict}", heading, parts)


def _tone(passed: bool) -> str:
    return '"good"' if passed else '"bad"'


def _verdict(passed: bool) -> str:
    return f"<span class={_tone(passed)}>{'✓ passes' if passed else '✗ fails'}</span>"


def _claims(document: GateDocument) -> str:
    rows = [
        [
            _verdict(one.passed),
            f"<code>{escape(one.id)}</code>",
            *cells(one.expected, one.found, one.message),
        ]
        for one in document.claims
    ]
    return table(("Verdict", "Claim", "Expected", "Found", "How"), rows)


def _section(number: int, finding: Finding) -> str:
    where = ""
    if finding.location:
        where = f" · <code>{escape(finding.location.file)}:{finding.location.line}</code>"
    parts = [
        f'<section id="m{number}" aria-labelledby="h{number}">',
        f'<h3 id="h{number}">{escape(finding.title)} {_verdict(finding.passed)}</h3>',
        f'<p class="soft">{escape(finding.mechanism)}{where}</p><p>{escape(finding.message)}</p>',
        _figures(finding),
    ]
    report = finding.report
    shown = () if report is None else view_of(report).shown([report])
    for block in view_of(report).blocks(shown[0]) if shown else ():
        rows = [cells(*row) for row in block.rows]
        parts.append("<details><summary>Every size, with its worst pair</summary>")
        parts.append(f"{table(block.header, rows)}</details>")
    return "".join([*parts, "</section>"])


def _figures(finding: Finding) -> str:
    """Return the figures of a finding as HTML; empty where there is nothing to draw."""
    drawn = []
    if finding.audit is not None:
        audit = finding.audit
        sizes = [(r.n, r.epsilon.upper) for r in audit.results]
        drawn += _by_size(finding, "ε", sizes, float(audit.budget.epsilon))
        drawn += _privacy_curve(finding, float(audit.budget.epsilon))
    if finding.notion is not None:
        notion = finding.notion
        sizes = [(r.n, r.value.upper) for r in notion.results]
        drawn += _by_size(finding, notion.notion.symbol, sizes, float(notion.budget))
    if finding.curve is not None:
        drawn += _privacy_curve(finding, float(finding.curve.budget.epsilon))
    if finding.tradeoff is not None:
        sizes = [(r.n, r.mu.upper) for r in finding.tradeoff.results]
        drawn += _by_size(finding, "μ", sizes, float(finding.bounds[0].limit))
    if finding.accuracy is not None:
        sizes = [(r.n, r.mean.upper) for r in finding.accuracy.results]
        drawn += _by_size(finding, "mean error", sizes, float(finding.bounds[0].limit))
    drawn += _trade_off(finding)
    return f'<div class="figures">{"".join(drawn)}</div>' if drawn else ""


def _by_size(
    finding: Finding, symbol: str, sizes: list[tuple[int, Decimal]], budget: float
) -> list[str]:
    finite = [(n, float(upper)) for n, upper in sizes if upper < _LARGEST]
    if not finite or budget > _LARGEST:
        return []
    low, high = min(n for n, _ in finite), max(n for n, _ in finite)
    low, high = (low - 1, high + 1) if low == high else (low, high)
    drawn = chart(
        f"Realised {symbol} of {finding.title} by number of records",
        "records n",
        f"realised {symbol}",
        [Line([(low, budget), (high, budget)], "budget"), Line(finite)],
        x_range=(low, high),
    )
    return [_figure(drawn, f"Certified realised {symbol} by size; dashed: the budget.")]


def _events(finding: Finding) -> list[tuple[float, float]]:
    return [(float(q), float(p)) for q, p in finding.events]


def _privacy_curve(finding: Finding, budget: float) -> list[str]:
    events = _events(finding)
    if len(events) < 2 or budget > _LARGEST_EPSILON:
        return []
    slopes = [(p - p0) / (q - q0) for (q0, p0), (q, p) in pairwise(events) if q > q0 and p > p0]
    top = max([budget * 1.25, *(min(log(s), 60.0) for s in slopes if s > 1)])
    steps = [top * i / 120 for i in range(121)]
    curve = [(e, max(p - exp(e) * q for q, p in events)) for e in steps]
    limit = [(budget, 0.0), (budget, max(delta for _, delta in curve) or 1.0)]
    drawn = chart(
        f"Realised δ of {finding.title} at every ε, n = {finding.events_n}",
        "ε",
        "realised δ(ε)",
        [Line(limit, "budget"), Line(curve)],
        x_range=(0, top),
    )
    return [_figure(drawn, f"Privacy curve at n = {finding.events_n}; dashed: the budget's ε.")]


def _trade_off(finding: Finding) -> list[str]:
    events = _events(finding)
    if len(events) < 2:
        return []
    n = finding.events_n
    drawn = chart(
        f"Trade-off function of {finding.title}, n = {n}",
        "type I error",
        "type II error",
        [Line([(0, 1), (1, 0)], "chance"), Line([(q, 1 - p) for q, p in events])],
        x_range=(0, 1),
        y_range=(0, 1),
    )
    return [_figure(drawn, f"Trade-off at n = {n}: testing for one record; dotted: chance.")]


def _figure(svg: str, caption: str) -> str:
    return f"<figure>{svg}<figcaption>{escape(caption)}</figcaption></figure>"
