"""The gate's report as one HTML page, and what pages are made of: tables and figures.

The page has no script, no font and no request to anywhere; the figures are line charts as inline
SVG that follow its colours.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from html import escape
from itertools import pairwise
from math import exp, log
from typing import TYPE_CHECKING, Any, NamedTuple

from dpaudit.report.figures.widths import SEEN, Known, reach
from dpaudit.report.fitting import printable
from dpaudit.report.formats.chart import Chart, Line, chart, key_of, padded
from dpaudit.report.view import view_of, without_sizes
from dpaudit.report.views.differences import difference_blocks
from dpaudit.results import Difference, Event, Finding, GateDocument, GateVerdict

if TYPE_CHECKING:
    from dpaudit.report.view import Block, Charts, Series
    from dpaudit.results import Bound, Enclosure, Real, UndecidedSize

__all__ = ["Picture", "cells", "figures", "gate_html", "page", "table", "table_of", "today"]


_STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #59636e; --paper: #ffffff;
  --card: #f6f8fa; --rule: #d1d9e0; --good: #1a7f37; --bad: #cf222e; --line: #0550ae;
  --other: #bc4c00; }
@media (prefers-color-scheme: dark) { :root { --ink: #f0f6fc; --soft: #9198a1; --paper: #0d1117;
  --card: #151b23; --rule: #3d444d; --good: #3fb950; --bad: #ff7b72; --line: #79c0ff;
  --other: #ffa657; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 76rem; padding: 2rem 1.25rem 4rem; background: var(--paper);
  color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; } h2 { font-size: 1.2rem; margin: 2.5rem 0 .75rem; }
h3 { font-size: 1.05rem; margin: 0; } p { margin: .4rem 0; }
p, h2, h3, td { overflow-wrap: anywhere; } .soft { color: var(--soft); }
.good, .bad, .part { font-weight: 600; } .whole, td .good, td .bad, td .part {
  white-space: nowrap; } .good { color: var(--good); }
.bad { color: var(--bad); } .part { color: var(--line); }
a { color: var(--line); } :focus-visible { outline: 3px solid var(--line); outline-offset: 2px; }
code { overflow-wrap: anywhere; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: .95rem; }
th, td { text-align: left; padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--rule);
  vertical-align: top; font-variant-numeric: tabular-nums; }
section { background: var(--card); border: 1px solid var(--rule); border-radius: 8px;
  padding: 1rem 1.25rem; margin: 1rem 0; break-inside: avoid; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(17rem, 1fr)); gap: 1rem; }
figure { margin: .75rem 0 0; max-width: 36rem; }
figcaption { color: var(--soft); font-size: .875rem; }
img { max-width: 100%; height: auto; border-radius: 6px; }
@media (prefers-color-scheme: dark) { img { filter: brightness(.9); } }
svg { width: 100%; height: auto; } svg text { font: 10px system-ui, sans-serif; fill: var(--soft); }
.grid { stroke: var(--rule); stroke-width: .5; } .line, .budget, .chance { fill: none; }
.line { stroke: var(--line); stroke-width: 2; } circle.line { fill: var(--line); }
.budget { stroke: var(--bad); stroke-width: 1.5; stroke-dasharray: 5 4; }
.chance { stroke: var(--soft); stroke-width: 1; stroke-dasharray: 2 3; }
.other { fill: none; stroke: var(--other); stroke-width: 2; } circle.other { fill: var(--other); }
circle.dots { fill: var(--card); }
.region { fill: var(--soft); fill-opacity: .16; stroke: none; }
svg.key { width: 1.6rem; height: .6rem; margin: 0 .3rem 0 .6rem; }
summary { cursor: pointer; padding: .35rem 0; } code { font-size: .92em; }
section > h2 { margin-top: 1rem; } section > h2:first-child { margin-top: 0; }
@media (max-width: 40rem) { thead { display: none; } tr, td { display: block; }
  tr { border-bottom: 1px solid var(--rule); padding: .5rem 0; }
  td { border: 0; padding: 0 0 .15rem; overflow-wrap: anywhere; } td:empty { display: none; }
  td::before { content: attr(data-of) ": "; color: var(--soft); font-size: .85em; } }
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
    names = [escape(name) for name in header]
    body = "".join(
        "<tr>"
        + "".join(f'<td data-of="{n}">{cell}</td>' for n, cell in zip(names, row, strict=True))
        + "</tr>"
        for row in rows
    )
    return (
        f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
        "</div>"
    )


_LARGEST = 1e300
"""Largest number in a chart, which is drawn in floats; the table shows larger ones."""
_LARGEST_EPSILON = 600.0
"""Up to here exp(ε) is a float."""


def gate_html(document: GateDocument) -> bytes:
    """Return the page: the verdict, a summary, and for each mechanism its figures and witness."""
    counted = ", ".join(document.counted()) or "nothing was checked"
    verdict = f"{document.verdict.value}: {counted}"
    older, tone = document.baseline, _tone(document.verdict)
    if older is not None:
        verdict += f"; {older.verdict.value} than in {older.old.name}"
        tone = '"bad"' if document.got_worse else tone
    commit = escape(document.commit)
    heading = (
        f"<h1>dpaudit gate: <span class={tone}>{escape(verdict)}</span></h1>"
        f'<p class="soft">{escape(document.config)}{commit and f" at commit {commit[:12]}"}, '
        f'dpaudit {escape(document.version)}, page of <span class="whole">{today()}</span></p>'
    )
    if document.drawn:
        warning = "What passed by draws alone was not refuted, which proves nothing."
        heading += f'<p class="soft">{warning}</p>'
    findings = document.failures_first
    rows = [
        [
            _passed(finding),
            f'<a href="#m{number}">{escape(finding.title)}</a>',
            *cells(finding.kind.value, finding.message),
        ]
        for number, finding in enumerate(findings)
    ]
    parts = ["<h2>Mechanisms</h2>", table(("Verdict", "Mechanism", "Found", "How"), rows)]
    parts += [_section(number, finding) for number, finding in enumerate(findings)]
    if document.claims:
        parts += ["<h2>Claims</h2>", _claims(document)]
    if older is not None:
        parts += ["<h2>Baseline</h2>", *_baseline(older)]
    parts.append(
        '<h2>Provenance</h2><p class="soft">SHA-256 of the configuration: '
        f"<code>{document.config_sha256}</code></p>"
    )
    if commit:
        about = f"Commit: <code>{commit}</code>; files may have been changed since."
        parts.append(f'<p class="soft">{about}</p>')
    return page(f"dpaudit gate: {verdict}", heading, parts)


def today() -> str:
    """Return the date in UTC; ``SOURCE_DATE_EPOCH`` stands for now where builds set it."""
    now = os.environ.get("SOURCE_DATE_EPOCH", "")
    seconds = int(now) if now.isascii() and now.isdigit() and len(now) < 11 else time.time()
    return datetime.fromtimestamp(seconds, UTC).date().isoformat()


def _tone(verdict: GateVerdict) -> str:
    tones = {GateVerdict.WITHIN: '"good"', GateVerdict.NOT_REFUTED: '"part"'}
    return tones.get(verdict, '"bad"')


def _verdict(passed: bool) -> str:
    tone, word = ('"good"', "✓ passes") if passed else ('"bad"', "✗ fails")
    return f"<span class={tone}>{word}</span>"


def _passed(finding: Finding) -> str:
    """Return the verdict on an entry; one that passes by draws alone is marked differently."""
    if finding.passed and finding.kind.statistical:
        return '<span class="part">○ passes by draws</span>'
    return _verdict(finding.passed)


def _claims(document: GateDocument) -> str:
    rows = [
        [
            _verdict(claim.passed),
            f"<code>{escape(claim.id)}</code>",
            *cells(claim.expected, claim.found, claim.message),
        ]
        for claim in document.claims
    ]
    return table(("Verdict", "Claim", "Expected", "Found", "How"), rows)


def _baseline(older: Difference) -> Iterator[str]:
    """Iterate over the tables of changes, and the notes below them."""
    for block in difference_blocks(older):
        if block.header:
            yield f"<h3>{escape(printable(str(block.title)))}</h3>"
            yield table(block.header, [cells(*row) for row in block.rows])
        yield from (f"<p>{escape(printable(note))}</p>" for note in block.notes)


def _section(number: int, finding: Finding) -> str:
    where = ""
    if finding.location:
        where = f" · <code>{escape(finding.location.file)}:{finding.location.line}</code>"
    parts = [
        f'<section id="m{number}" aria-labelledby="h{number}">',
        f'<h3 id="h{number}">{escape(finding.title)} {_passed(finding)}</h3>',
        f'<p class="soft">{escape(finding.mechanism)}{where}</p><p>{escape(finding.message)}</p>',
        figures(
            Picture(finding.title, finding.report, finding.events, finding.events_n), finding.bounds
        ),
    ]
    report = finding.report
    shown = () if report is None else view_of(report).shown([report])
    for block in view_of(report).blocks(shown[0]) if shown else ():
        several = "Every size, with its worst pair"
        what = several if len(block.rows) > 1 else "The numbers, with the worst pair"
        parts.append(f"<details><summary>{what}</summary>{table_of(block)}</details>")
    return "".join([*parts, "</section>"])


def table_of(block: Block) -> str:
    """Return the table of a block as HTML."""
    return table(list(block.header), [cells(*row) for row in block.rows])


class Picture(NamedTuple):
    """A report with the worst events at one of its sizes, which charts are drawn from."""

    title: str
    """Name of what the report is about."""
    report: Any
    events: Sequence[Event] = ()
    """Probabilities (Q(S), P(S)) of the worst events S, rounded."""
    events_n: int = 0
    """The size that they are of."""
    charts: Sequence[Chart] = ()
    """Further charts, of what the report does not contain."""

    def at(self, words: str) -> str:
        """Return the size that events are of, after ``words``; empty where that tells nothing."""
        return "" if without_sizes(self.report) else f"{words}n = {self.events_n}"

    def points(self) -> list[tuple[float, float]]:
        """Return the events as points of floats."""
        return [(float(q), float(p)) for q, p in self.events]


def figures(picture: Picture, bounds: Sequence[Bound] = ()) -> str:
    """Return the figures of a report as HTML; empty where there is nothing to draw.

    Args:
        picture: the report.
        bounds: the limits that a gate sets on its numbers.
    """
    if picture.report is None:
        return ""
    charts = view_of(picture.report).charts(picture.report, bounds)
    drawn = _by_size(picture, charts)
    drawn += [_series(one) for one in charts.series if any(map(_drawable, one.points))]
    if charts.profile:
        drawn += _privacy_curve(picture, charts.epsilon)
    drawn += _trade_off(picture)
    drawn += map(_chart, picture.charts)
    return f'<div class="figures">{"".join(drawn)}</div>' if drawn else ""


def _by_size(picture: Picture, charts: Charts) -> list[str]:
    """Return the figure of intervals by size: bars where they can be seen, a line between others.

    An end beyond the figure is named below it.  One size alone needs no figure.
    """
    sizes, symbol = charts.values, charts.symbol
    unanswered: Sequence[UndecidedSize] = getattr(picture.report, "undecided", ())
    if len(sizes) + len(unanswered) < 2:
        return []
    widths, budget = Known(), None if charts.limit is None else float(charts.limit)
    ends = reach(value for _, value in sizes if float(value.lower) < _LARGEST)
    if not ends or (budget or 0) > _LARGEST:
        return []
    y_range = padded([0.0, budget or 0.0, *ends])
    line: list[list[tuple[float, float]]] = [[]]
    bars = []
    for size in unanswered:
        widths.say("undecided", f"n = {size.n}")
    for n, value in sizes:
        widths.note(symbol, value, f"n = {n}")
        low, high = float(value.lower), min(float(value.upper), y_range[1])
        if low >= _LARGEST:
            widths.say("infinite", f"n = {n}")
            line.append([])
        elif high - low > SEEN * (y_range[1] - y_range[0]):
            widths.barred = True
            bars.append(Line([(n, low), (n, high)]))
            line.append([])
        else:
            line[-1].append((n, high))
    low_n, high_n = min(n for n, _ in sizes), max(n for n, _ in sizes)
    low_n, high_n = (low_n - 1, high_n + 1) if low_n == high_n else (low_n, high_n)
    limit = [] if budget is None else [Line([(low_n, budget), (high_n, budget)], "budget")]
    drawn = chart(
        f"Realised {symbol} of {picture.title} by number of records",
        "records n",
        f"realised {symbol}",
        [*limit, *(Line(part) for part in line if part), *bars],
        x_range=(low_n, high_n),
        y_range=y_range,
        counted=True,
    )
    claims = "; ".join(["dashed: the budget"] * len(limit) + widths.clauses())
    return [_figure(drawn, f"Realised {symbol} by size; {claims}.")]


def _drawable(point: tuple[float, Enclosure]) -> bool:
    return float(point[1].lower) < _LARGEST and abs(point[0]) < _LARGEST


def _series(series: Series) -> str:
    """Return the figure of intervals over a number: bars, with a mark at each finite end."""
    points = [point for point in series.points if _drawable(point)]
    budget = None if series.limit is None else float(series.limit)
    ends = reach(value for _, value in points)
    y_range = padded([0.0, budget or 0.0, *ends])
    places = [x for x, _ in points]
    gap = (max(places) - min(places)) / 10 or 1.0
    x_range = min(places) - gap, max(places) + gap
    lines = [] if budget is None else [Line([(x, budget) for x in x_range], "budget")]
    for x, value in points:
        low, high = float(value.lower), min(float(value.upper), y_range[1])
        lines += [Line([(x, low), (x, high)]), Line([(x, low)]), Line([(x, high)])]
    drawn = chart(series.title, series.across, series.up, lines, x_range=x_range, y_range=y_range)
    dashed = "; dashed: the budget" * (budget is not None)
    return _figure(drawn, f"{series.says}{dashed}.")


def _privacy_curve(picture: Picture, budget: Real | None) -> list[str]:
    events, mark = picture.points(), 0.0 if budget is None else float(budget)
    if len(events) < 2 or mark > _LARGEST_EPSILON:
        return []
    slopes = [(p - p0) / (q - q0) for (q0, p0), (q, p) in pairwise(events) if q > q0 and p > p0]
    top = max([mark * 1.25, *(min(log(s), 60.0) for s in slopes if s > 1)]) or 1.0
    steps = [top * i / 120 for i in range(121)]
    curve = [(e, max(p - exp(e) * q for q, p in events)) for e in steps]
    limit = [(mark, 0.0), (mark, max(delta for _, delta in curve) or 1.0)]
    marks = [] if budget is None else [Line(limit, "budget")]
    drawn = chart(
        f"Realised δ of {picture.title} at every ε{picture.at(', ')}",
        "ε",
        "realised δ(ε)",
        [*marks, Line(curve)],
        x_range=(0, top),
    )
    what = (
        f"Lower bound of the privacy curve{picture.at(' at ')}, from its worst events to 9 digits"
    )
    dashed = "; dashed: the budget's ε" * len(marks)
    return [_figure(drawn, f"{what}{dashed}.")]


def _trade_off(picture: Picture) -> list[str]:
    events = picture.points()
    if len(events) < 2:
        return []
    drawn = chart(
        f"Trade-off function of {picture.title}{picture.at(', ')}",
        "type I error",
        "type II error",
        [Line([(0, 1), (1, 0)], "chance"), Line([(q, 1 - p) for q, p in events])],
        x_range=(0, 1),
        y_range=(0, 1),
    )
    what = f"Upper bound of the trade-off{picture.at(' at ')}, from its worst events to 9 digits"
    return [_figure(drawn, f"{what}: testing for one record; dotted: chance.")]


def _chart(drawn: Chart) -> str:
    """Return a chart with its title, its legend and its caption."""
    keys = [
        f"<span>{key_of(line)}{escape(printable(line.label))}</span>"
        for line in drawn.lines
        if line.label
    ]
    legend = f"<br>{' '.join(keys)}" if keys else ""
    caption = f"{drawn.title}: {'; '.join(drawn.says)}."
    told = f"{escape(printable(caption))}{legend}"
    return f"<figure>{drawn.drawn()}<figcaption>{told}</figcaption></figure>"


def _figure(svg: str, caption: str) -> str:
    return f"<figure>{svg}<figcaption>{escape(caption)}</figcaption></figure>"
