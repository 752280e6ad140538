"""The gate's report as one HTML page: the verdict, a summary, figures and witnesses.

The figures are line charts as inline SVG that follow the page's colours.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from itertools import pairwise
from math import exp, floor, log, log10
from typing import TYPE_CHECKING

from dpaudit.report.formats.page import cells, page, table
from dpaudit.report.views import view_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from decimal import Decimal

    from dpaudit.results import Finding, GateDocument

__all__ = ["Line", "chart", "gate_html"]


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
    for audit in (finding.audit, finding.notion):
        for block in view_of(audit).blocks(audit) if audit is not None else ():
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
