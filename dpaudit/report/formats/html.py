"""The gate's report as one HTML page: the verdict, a summary, figures and witnesses."""

from __future__ import annotations

from html import escape
from itertools import pairwise
from math import exp, log
from typing import TYPE_CHECKING

from dpaudit.report.formats.charts import Line, chart
from dpaudit.report.formats.page import cells, page, table
from dpaudit.report.views import view_of

if TYPE_CHECKING:
    from decimal import Decimal

    from dpaudit.results import Finding, GateDocument

__all__ = ["gate_html"]

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
    for block in view_of(report).blocks(report) if report is not None else ():
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
