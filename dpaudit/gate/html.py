"""The gate's report as one HTML page: no script, no font, no request to anywhere."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from dpaudit.gate.figures import figures

if TYPE_CHECKING:
    from dpaudit.results import Audit, MeasuredAudit
    from dpaudit.results.gates import Finding, GateDocument

__all__ = ["gate_html"]

_STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #59636e; --paper: #ffffff;
  --card: #f6f8fa; --rule: #d1d9e0; --good: #1a7f37; --bad: #cf222e; --line: #0550ae; }
@media (prefers-color-scheme: dark) { :root { --ink: #f0f6fc; --soft: #9198a1; --paper: #0d1117;
  --card: #151b23; --rule: #3d444d; --good: #3fb950; --bad: #ff7b72; --line: #79c0ff; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 2rem 1.25rem 4rem; background: var(--paper);
  color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; } h2 { font-size: 1.2rem; margin: 2.5rem 0 .75rem; }
h3 { font-size: 1.05rem; margin: 0; } p { margin: .4rem 0; } .soft { color: var(--soft); }
.good, .bad { white-space: nowrap; } .good { color: var(--good); }
.bad { color: var(--bad); font-weight: 600; }
a { color: var(--line); } :focus-visible { outline: 3px solid var(--line); outline-offset: 2px; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--rule);
  vertical-align: top; } td.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
section.finding { background: var(--card); border: 1px solid var(--rule); border-radius: 8px;
  padding: 1rem 1.25rem; margin: 1rem 0; break-inside: avoid; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(17rem, 1fr)); gap: 1rem; }
figure { margin: .75rem 0 0; } figcaption { color: var(--soft); font-size: .875rem; }
svg { width: 100%; height: auto; } svg text { font: 10px system-ui, sans-serif; fill: var(--soft); }
.grid { stroke: var(--rule); stroke-width: .5; } .line, .budget, .chance { fill: none; }
.line { stroke: var(--line); stroke-width: 2; } circle.line { fill: var(--line); }
.budget { stroke: var(--bad); stroke-width: 1.5; stroke-dasharray: 5 4; }
.chance { stroke: var(--soft); stroke-width: 1; stroke-dasharray: 2 3; }
summary { cursor: pointer; padding: .35rem 0; } code { font-size: .92em; }
@media print { body { max-width: none; padding: 0; font-size: 11pt; }
  details > * { display: block; }  section.finding { background: none; } }
"""


def gate_html(document: GateDocument) -> str:
    """Return the page: the verdict, a summary, and for each mechanism its figures and witness."""
    passed = [one.passed for one in document.mechanisms]
    passed += [one.passed for one in document.claims]
    failed = passed.count(False)
    total = len(document.mechanisms) + len(document.claims)
    verdict = "All budgets are kept" if not failed else f"{failed} of {total} fail"
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        f"<title>dpaudit gate: {escape(verdict)}</title><style>{_STYLE}</style></head><body>",
        f"<header><h1>dpaudit gate: <span class={_tone(not failed)}>{escape(verdict)}</span></h1>",
        f'<p class="soft">{escape(document.config)}, {total} checked over every pair of '
        f"neighbouring datasets, dpaudit {escape(document.version)}</p></header><main>",
        _summary(document),
    ]
    parts += [_section(number, one) for number, one in enumerate(document.mechanisms)]
    if document.claims:
        parts.append(_claims(document))
    parts.append(
        f'<h2>Provenance</h2><p class="soft">SHA-256 of the configuration: '
        f"<code>{document.config_sha256}</code></p></main></body></html>\n"
    )
    return "".join(parts)


def _tone(passed: bool) -> str:
    return '"good"' if passed else '"bad"'


def _verdict(passed: bool) -> str:
    return f"<span class={_tone(passed)}>{'✓ passes' if passed else '✗ fails'}</span>"


def _summary(document: GateDocument) -> str:
    rows = "".join(
        f'<tr><td>{_verdict(one.passed)}</td><td><a href="#m{number}">{escape(one.title)}</a></td>'
        f"<td>{escape(one.kind)}</td><td>{escape(one.message)}</td></tr>"
        for number, one in enumerate(document.mechanisms)
    )
    return (
        '<h2>Mechanisms</h2><div class="scroll"><table><thead><tr><th scope="col">Verdict</th>'
        '<th scope="col">Mechanism</th><th scope="col">Found</th><th scope="col">How</th></tr>'
        f"</thead><tbody>{rows}</tbody></table></div>"
    )


def _claims(document: GateDocument) -> str:
    rows = "".join(
        f"<tr><td>{_verdict(one.passed)}</td><td><code>{escape(one.id)}</code></td>"
        f"<td>{escape(one.expected)}</td><td>{escape(one.found)}</td>"
        f"<td>{escape(one.message)}</td></tr>"
        for one in document.claims
    )
    return (
        '<h2>Claims</h2><div class="scroll"><table><thead><tr><th scope="col">Verdict</th>'
        '<th scope="col">Claim</th><th scope="col">Expected</th><th scope="col">Found</th>'
        f'<th scope="col">How</th></tr></thead><tbody>{rows}</tbody></table></div>'
    )


def _section(number: int, finding: Finding) -> str:
    where = ""
    if finding.location:
        where = f" · <code>{escape(finding.location.file)}:{finding.location.line}</code>"
    parts = [
        f'<section class="finding" id="m{number}" aria-labelledby="h{number}">',
        f'<h3 id="h{number}">{escape(finding.title)} {_verdict(finding.passed)}</h3>',
        f'<p class="soft">{escape(finding.mechanism)}{where}</p><p>{escape(finding.message)}</p>',
    ]
    parts.append(figures(finding))
    if finding.audit is not None:
        parts.append(_sizes(finding.audit))
    if finding.notion is not None:
        parts.append(_notion_sizes(finding.notion))
    parts.append("</section>")
    return "".join(parts)


def _sizes(audit: Audit) -> str:
    rows = "".join(
        f'<tr><td class="number">{r.n}</td><td class="number">{r.pairs_covered} of {r.pairs}</td>'
        f'<td class="number">{_interval(r.epsilon)}</td>'
        f'<td class="number">{_interval(r.delta)}</td>'
        f"<td>{escape(_show(r.witness.x))} / {escape(_show(r.witness.y))} → "
        f"{escape(_show(r.witness.output))}</td><td>{escape(r.verdict.value)}</td></tr>"
        for r in audit.results
    )
    epsilon = escape(str(audit.budget.epsilon))
    return (
        f'<details><summary>Every size, with its worst pair</summary><div class="scroll"><table>'
        f'<thead><tr><th scope="col">n</th><th scope="col">pairs</th><th scope="col">realised ε'
        f'</th><th scope="col">δ({epsilon})</th><th scope="col">worst pair → output</th>'
        f'<th scope="col">verdict</th></tr></thead><tbody>{rows}</tbody></table></div></details>'
    )


def _notion_sizes(audit: MeasuredAudit) -> str:
    rows = "".join(
        f'<tr><td class="number">{r.n}</td><td class="number">{r.pairs_covered} of {r.pairs}</td>'
        f'<td class="number">{_interval(r.value)}</td>'
        f"<td>{escape(_show(r.witness.x))} / {escape(_show(r.witness.y))}</td>"
        f"<td>{escape(r.verdict.value)}</td></tr>"
        for r in audit.results
    )
    return (
        f"<details><summary>Every size, with its worst pair</summary>"
        f'<div class="scroll"><table><thead><tr><th scope="col">n</th><th scope="col">pairs</th>'
        f'<th scope="col">{escape(audit.notion.symbol)}</th><th scope="col">worst pair</th>'
        f'<th scope="col">verdict</th></tr></thead><tbody>{rows}</tbody></table></div></details>'
    )


def _interval(value: Any) -> str:
    if value.exact is not None:
        return escape(f"{value.exact} exactly")
    return escape(str(value))


def _show(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return f"({', '.join(map(_show, value))})"
    return str(value)
