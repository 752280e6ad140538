"""Decided claims: a table, an explanation, Markdown, JSON; and statements given as data."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from dpaudit import results
from dpaudit.claims.claim import Claim, ClaimVerdict, Decision, Grade
from dpaudit.claims.ledger import Standing
from dpaudit.claims.polynomial import FormulaError
from dpaudit.claims.statement import domain_text, formula_text, read
from dpaudit.errors import UsageError, counted
from dpaudit.fingerprint import fingerprint
from dpaudit.report.fitting import aligned_table, terminal_width
from dpaudit.report.render import listed
from dpaudit.report.table import csv_table
from dpaudit.report.tools import marked, solvers_asked, tally_by_tool, tools_of
from dpaudit.results.documents import encode

if TYPE_CHECKING:
    from pathlib import Path

    from dpaudit.claims.deciding import Finding


__all__ = [
    "claims_csv",
    "claims_json",
    "claims_listed",
    "claims_markdown",
    "claims_report",
    "claims_table",
    "domain_of",
    "explanation",
    "formula_of",
    "read_question",
    "statement_report",
    "tally",
    "verdict_of",
]


def tally(decisions: Sequence[Decision]) -> str:
    """Return how many claims have which verdict, by grade, in one line.

    >>> tally([])
    'no claims'
    """
    parts = []
    for grade in Grade:
        counts = Counter(d.verdict for d in decisions if d.grade is grade)
        if counts:
            each = ", ".join(f"{counts[v]} {v.value}" for v in ClaimVerdict if counts[v])
            parts.append(f"{counts.total()} {grade.value} ({each})" if grade != "none" else each)
    claims = counted(len(decisions), "claim")
    return f"{claims}: {', '.join(parts)}" if parts else "no claims"


def _shortened(text: str, width: int) -> str:
    return textwrap.shorten(text, width, placeholder=" …")


def _kinds(decision: Decision) -> str:
    counts = Counter(evidence.kind for evidence in decision.claim.evidence)
    return ", ".join(f"{n} {kind}" if n > 1 else kind for kind, n in counts.items()) or "none"


def verdict_of(decisions: Sequence[Decision], standings: Mapping[str, Standing]) -> str:
    """Return how decisions stand to the ledger: failed, changed, undecided or as recorded."""
    verdicts = {decision.verdict for decision in decisions}
    if ClaimVerdict.FAILED in verdicts:
        return "failed"
    changed = [d for d in decisions if standings[d.claim.id] is Standing.CHANGED]
    if any(d.verdict is not ClaimVerdict.UNDECIDED for d in changed):
        return "changed"
    undecided = ClaimVerdict.UNDECIDED in verdicts or not decisions
    return "undecided" if undecided else "as recorded"


def claims_report(
    decisions: Sequence[Decision],
    standings: Mapping[str, Standing],
    form: str,
    *,
    verdict: str,
    explain: bool = False,
    note: str = "",
) -> bytes:
    """Return decisions in any form; the text with a ``note``, or everything about each claim."""
    if form == "json":
        return claims_json(decisions, standings, verdict)
    if form == "csv":
        return claims_csv(decisions, standings)
    if form == "markdown":
        return claims_markdown(decisions).encode()
    if explain:
        return "\n".join(explanation(decision) for decision in decisions).encode()
    lines = [claims_table(decisions, standings), "", tally(decisions)]
    lines += [
        f"{d.claim.id}: {d.reason}"
        for d in decisions
        if d.verdict in (ClaimVerdict.UNDECIDED, ClaimVerdict.FAILED)
    ]
    lines += [note] if note else []
    changed = [d.claim.id for d in decisions if standings[d.claim.id] is Standing.CHANGED]
    if changed:
        lines.append(f"changed against the ledger: {', '.join(changed)}")
    return ("\n".join(lines) + "\n").encode()


def claims_table(decisions: Sequence[Decision], standings: Mapping[str, Standing]) -> str:
    """Return the table of decisions, a row for each claim."""
    rows = [
        [
            decision.claim.id,
            decision.headline,
            decision.grade.value,
            _shortened(decision.domain or decision.reason, 64),
            _kinds(decision),
            f"{decision.seconds:.2f}",
            standings[decision.claim.id].value,
        ]
        for decision in decisions
    ]
    return aligned_table(
        ["claim", "verdict", "grade", "where", "evidence", "seconds", "ledger"], rows
    )


def formula_of(claim: Claim) -> str:
    """Return the formula as it is shown: made from the typed statement where there is one."""
    return claim.formula if claim.typed is None else formula_text(claim.typed)


def domain_of(claim: Claim) -> str:
    """Return the domain as it is shown: made from the typed statement where there is one."""
    return claim.domain if claim.typed is None else domain_text(claim.typed)


_GRADES = {
    Grade.KERNEL: "a proof checker accepted the theorem made from the statement",
    Grade.CHECKED: "the engine checked that the evidence decides the statement",
    Grade.SWEPT: "the engine evaluated the statement in every case up to the bound",
    Grade.ARGUED: "the evidence holds; that it decides the statement is prose, unchecked",
    Grade.NONE: "no verdict",
}


def explanation(decision: Decision) -> str:
    """Return everything about a claim, for a reader who wants to be convinced."""
    claim = decision.claim
    lines = [f"{claim.id}: {decision.headline}", "=" * (len(claim.id) + 12), ""]
    formula, domain = formula_of(claim), domain_of(claim)
    holds_on = "" if decision.domain == domain else decision.domain
    comment = "Statement" if claim.typed is None else "Comment"
    for name, text in (
        ("Source", claim.source),
        ("Step of", claim.step_of),
        ("Grade", f"{decision.grade.value}: {_GRADES[decision.grade]}"),
        ("Statement", "" if claim.typed is None else formula),
        (comment, claim.statement),
        ("Formula", formula if claim.typed is None else ""),
        ("Domain", domain),
        ("Holds on", holds_on),
        ("Repaired", claim.repaired),
        ("Why", claim.derivation),
        ("Reason", decision.reason),
        *(("Reading", reading) for reading in claim.readings),
    ):
        lines += _paragraph(name, text)
    for number, evidence in enumerate(claim.evidence, start=1):
        where = f", on {evidence.domain}" if evidence.domain else ""
        lines += ["", f"Evidence {number}: {evidence.title}"]
        lines += _paragraph("kind", f"{evidence.kind}, {evidence.role.value}{where}", indent=2)
        lines += _paragraph("checks", evidence.explained(), indent=2)
        if number <= len(decision.outcomes):
            outcome = decision.outcomes[number - 1]
            lines += _paragraph(outcome.status.value, outcome.detail, indent=2)
    return "\n".join(lines) + "\n"


def _paragraph(name: str, text: str, indent: int = 0) -> list[str]:
    """Return ``text`` wrapped under its ``name``; nothing for an empty text."""
    if not text:
        return []
    margin, width = " " * (indent + 11), min(100, terminal_width() or 100)
    blocks = [
        textwrap.wrap(block, width, initial_indent=margin, subsequent_indent=margin)
        for block in text.strip().splitlines()
    ]
    wrapped = [line for block in blocks for line in (block or [""])]
    wrapped[0] = f"{' ' * indent}{name:<10} {wrapped[0].lstrip()}"
    return wrapped


def claims_markdown(decisions: Sequence[Decision]) -> str:
    """Return "what is claimed and what is true" as Markdown, worth reading on its own."""
    head = ("claim", "where it is said", "what is claimed", "verdict", "grade", "tools")
    rows = [f"| {' | '.join((*head, 'what is true'))} |", f"|{'---|' * (len(head) + 1)}"]
    solvers = solvers_asked(decisions)
    tools = {decision.claim.id: tools_of(decision, solvers) for decision in decisions}
    for decision in decisions:
        claim = decision.claim
        cells = [
            f"`{claim.id}`",
            claim.source,
            claim.statement if claim.typed is None else formula_of(claim),
            f"**{decision.headline}**",
            decision.grade.value,
            marked(tools[claim.id], solvers),
            _truth(claim, decision),
        ]
        rows.append(
            f"| {' | '.join(' '.join(c.replace('|', chr(92) + '|').split()) for c in cells)} |"
        )
    by_tool = tally_by_tool(list(tools.values()), solvers)
    counted = [by_tool, ""] if any(tools.values()) else []
    return "\n".join([tally(decisions), "", *counted, *rows]) + "\n"


def _truth(claim: Claim, decision: Decision) -> str:
    if claim.repaired:
        return claim.repaired
    if claim.typed is not None and decision.reason and not claim.derivation:
        proved = decision.verdict is ClaimVerdict.PROVED
        return "it, on the whole domain" if proved else decision.reason
    if decision.verdict is ClaimVerdict.PROVED:
        return "it, on the whole domain" if not claim.derivation else claim.derivation
    return claim.derivation or decision.reason or decision.domain


def claims_csv(decisions: Sequence[Decision], standings: Mapping[str, Standing]) -> bytes:
    """Return a line for each claim."""
    header = ("claim", "source", "step_of", "formula", "verdict", "grade", "domain", "reason")
    rows = [
        (
            *(d.claim.id, d.claim.source, d.claim.step_of, formula_of(d.claim), d.headline),
            *(d.grade.value, d.domain or domain_of(d.claim), d.reason, standings[d.claim.id].value),
        )
        for d in decisions
    ]
    return csv_table((*header, "recorded"), rows)


def claims_listed(claims: Sequence[Claim], form: str) -> bytes:
    """Return which claims there are, and where they are said, in any form."""
    rows = [(claim.id, claim.step_of, claim.source) for claim in claims]
    return listed(("claim", "step of", "source"), rows, form, "dpaudit.claim-list/1")


def claims_json(
    decisions: Sequence[Decision], standings: Mapping[str, Standing], verdict: str
) -> bytes:
    """Return the ``dpaudit.claims/1`` document."""
    documents = tuple(
        results.ClaimResult(
            id=d.claim.id,
            source=d.claim.source,
            statement=d.claim.typed,
            comment=d.claim.statement,
            verdict=d.headline,
            grade=d.grade.value,
            domain=d.domain or domain_of(d.claim),
            evidence=tuple(
                results.EvidenceResult(
                    e.kind, e.title, e.role.value, e.domain, o.status.value, o.detail
                )
                for e, o in zip(d.claim.evidence, d.outcomes, strict=False)
            ),
            formula=formula_of(d.claim),
            step_of=d.claim.step_of,
            repaired=d.claim.repaired,
            reason=d.reason,
            recorded=standings[d.claim.id].value,
        )
        for d in decisions
    )
    report = results.ClaimsReport(
        schema="dpaudit.claims/1", fingerprint=fingerprint(), verdict=verdict, claims=documents
    )
    return encode(report)


_SCHEMA = "dpaudit.statement/1"


def read_question(path: Path) -> results.StatementQuestion:
    """Return the statement in a file; ``UsageError`` for any other file."""
    try:
        question = msgspec.json.decode(path.read_bytes(), type=results.StatementQuestion)
        if question.schema != _SCHEMA:
            raise UsageError(f"{path}: its schema is {question.schema!r}, not {_SCHEMA!r}")
        read(question.statement)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}") from None
    except (msgspec.MsgspecError, UnicodeDecodeError, FormulaError, RecursionError) as error:
        raise UsageError(f"{path}: not a statement: {error}") from None
    return question


def statement_report(question: results.StatementQuestion, finding: Finding, form: str) -> bytes:
    """Return the verdict on a statement in any form."""
    formula = formula_text(question.statement)
    if form == "json":
        result = results.StatementResult(
            schema="dpaudit.statement-verdict/1",
            fingerprint=fingerprint(),
            claim=question.claim,
            statement=question.statement,
            formula=formula,
            verdict=finding.verdict.value,
            grade=finding.grade.value,
            reason=finding.reason,
        )
        return encode(result)
    if form == "csv":
        row = (question.claim, formula, finding.verdict.value, finding.grade.value, finding.reason)
        return csv_table(("claim", "formula", "verdict", "grade", "reason"), [row])
    if form == "markdown":
        verdict = f"**{finding.verdict.value}** ({finding.grade.value})"
        return f"`{formula}`\n\n{verdict}: {finding.reason}\n".encode()
    lines = [
        formula,
        f"by the evidence of {question.claim}: {finding.verdict.value} ({finding.grade.value})",
        finding.reason,
    ]
    return ("\n".join(lines) + "\n").encode()
