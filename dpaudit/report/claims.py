"""Decided claims: a table, an explanation, Markdown, JSON; and what certificates rest on."""

from __future__ import annotations

import platform
import textwrap
from collections import Counter
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from dpaudit.claims.claim import Claim, ClaimVerdict
from dpaudit.fingerprint import fingerprint
from dpaudit.numbers.ball import flint_version
from dpaudit.report.table import aligned_table
from dpaudit.results import Assumption, ClaimResult, ClaimsReport, EvidenceResult, TrustReport
from dpaudit.results.documents import encode
from dpaudit.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dpaudit.claims.claim import Decision
    from dpaudit.claims.ledger import Standing

__all__ = [
    "claims_json",
    "claims_markdown",
    "claims_table",
    "explanation",
    "tally",
    "trust",
    "trust_text",
]


def tally(decisions: Sequence[Decision]) -> str:
    """Return how many claims have which verdict, in one line.

    >>> tally([])
    'no claims'
    """
    counts = Counter(decision.verdict for decision in decisions)
    parts = [f"{counts[verdict]} {verdict.value}" for verdict in ClaimVerdict if counts[verdict]]
    claims = "1 claim" if len(decisions) == 1 else f"{len(decisions)} claims"
    return f"{claims}: {', '.join(parts)}" if parts else "no claims"


def _shortened(text: str, width: int) -> str:
    return textwrap.shorten(text, width, placeholder=" …")


def _kinds(decision: Decision) -> str:
    counts = Counter(evidence.kind for evidence in decision.claim.evidence)
    return ", ".join(f"{n} {kind}" if n > 1 else kind for kind, n in counts.items()) or "none"


def claims_table(decisions: Sequence[Decision], standings: Mapping[str, Standing]) -> str:
    """Return the table: id, verdict, domain, evidence, seconds, and how it stands to the ledger."""
    rows = [
        [
            decision.claim.id,
            decision.verdict.value,
            _shortened(decision.domain or decision.reason, 64),
            _kinds(decision),
            f"{decision.seconds:.2f}",
            standings[decision.claim.id].value,
        ]
        for decision in decisions
    ]
    return aligned_table(["claim", "verdict", "where", "evidence", "seconds", "ledger"], rows)


def explanation(decision: Decision) -> str:
    """Return everything about a claim, for a reader who wants to be convinced."""
    claim = decision.claim
    lines = [f"{claim.id}: {decision.verdict.value}", "=" * (len(claim.id) + 12), ""]
    holds_on = "" if decision.domain == claim.domain else decision.domain
    for name, text in (
        ("Source", claim.source),
        ("Step of", claim.step_of),
        ("Statement", claim.statement),
        ("Formula", claim.formula),
        ("Domain", claim.domain),
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
    margin = " " * (indent + 11)
    blocks = [
        textwrap.wrap(block, 100, initial_indent=margin, subsequent_indent=margin)
        for block in text.strip().splitlines()
    ]
    wrapped = [line for block in blocks for line in (block or [""])]
    wrapped[0] = f"{' ' * indent}{name:<10} {wrapped[0].lstrip()}"
    return wrapped


def claims_markdown(decisions: Sequence[Decision]) -> str:
    """Return "what is claimed and what is true" as Markdown, worth reading on its own."""
    rows = ["| claim | where it is said | what is claimed | verdict | what is true |"]
    rows.append("|---|---|---|---|---|")
    for decision in decisions:
        claim = decision.claim
        cells = [
            f"`{claim.id}`",
            claim.source,
            claim.statement,
            f"**{decision.verdict.value}**",
            _truth(claim, decision),
        ]
        rows.append(
            f"| {' | '.join(' '.join(c.replace('|', chr(92) + '|').split()) for c in cells)} |"
        )
    return "\n".join([tally(decisions), "", *rows]) + "\n"


def _truth(claim: Claim, decision: Decision) -> str:
    if claim.repaired:
        return claim.repaired
    if decision.reason:
        return decision.reason
    if decision.verdict is ClaimVerdict.PROVED:
        return "it, on the whole domain" if not claim.derivation else claim.derivation
    return claim.derivation or decision.domain


def claims_json(
    decisions: Sequence[Decision], standings: Mapping[str, Standing], verdict: str
) -> bytes:
    """Return the ``dpaudit.claims/1`` document."""
    documents = tuple(
        ClaimResult(
            id=d.claim.id,
            source=d.claim.source,
            statement=d.claim.statement,
            verdict=d.verdict.value,
            domain=d.domain or d.claim.domain,
            evidence=tuple(
                EvidenceResult(e.kind, e.title, e.role.value, e.domain, o.status.value, o.detail)
                for e, o in zip(d.claim.evidence, d.outcomes, strict=False)
            ),
            formula=d.claim.formula,
            step_of=d.claim.step_of,
            repaired=d.claim.repaired,
            reason=d.reason,
            recorded=standings[d.claim.id].value,
        )
        for d in decisions
    )
    report = ClaimsReport(
        schema="dpaudit.claims/1", fingerprint=fingerprint(), verdict=verdict, claims=documents
    )
    return encode(report)


def trust() -> TrustReport:
    """Return what the certificates of this installation rest on, with the versions in use."""
    return TrustReport(
        schema="dpaudit.trust/1",
        version=__version__,
        fingerprint=fingerprint(),
        trusted=(
            Assumption(
                "ball arithmetic (Arb, part of FLINT)",
                "every operation returns a ball that contains the true result",
                f"FLINT {flint_version()}, python-flint {_installed('python-flint')}",
            ),
            Assumption(
                "whole numbers, fractions and decimals of Python",
                "exact inputs, hulls of curves, rounding outward, the polynomials that decide ties",
                f"{platform.python_implementation()} {platform.python_version()}",
            ),
            Assumption(
                "the reading of the definitions",
                "a mechanism is the output law that its formula defines; `dpaudit show MECHANISM` "
                "prints it",
            ),
            Assumption(
                "the laws of a mechanism of your own",
                "it is what its functions say; they are asked twice, and held to add up to 1; "
                "reports name its file and the SHA-256",
            ),
            Assumption(
                "this program",
                "its bounds are proved in its docstrings; tests hold it against brute force that "
                "shares no code with it",
                f"dpaudit {__version__}",
            ),
        ),
        screen=(
            Assumption(
                "float64 is IEEE 754 binary64, rounding to nearest",
                "no flush to zero is relied on: operands are kept away from subnormal numbers",
            ),
            Assumption(
                "+ − × ÷ √ on arrays are correctly rounded",
                "each returns the true result times 1 + θ, |θ| ≤ 2⁻⁵³; a fused multiply-add is as "
                "good",
                f"NumPy {_installed('numpy')}",
            ),
            Assumption(
                "rint, floor, minimum, maximum, nextafter, comparisons and conversions of whole "
                "numbers below 2⁵³ are exact",
                "splitting of arguments, maxima over pairs",
                f"NumPy {_installed('numpy')}",
            ),
            Assumption(
                "a sum of N positive terms, in any order, is within N·2⁻⁵³ of itself",
                "normalisers; it follows from the above, whatever order NumPy adds in",
            ),
        ),
        not_trusted=(
            Assumption(
                "exp, log, gamma of any float library",
                "e^(−t) comes from tables that were rounded once from balls and correctly rounded "
                "operations; logarithms and gamma functions are taken in balls",
            ),
            Assumption("BLAS and LAPACK", "no matrix product, no linear algebra"),
            Assumption(
                "the screen's numbers",
                "they only rule out pairs; every number in a report comes from balls or exact "
                "arithmetic",
            ),
            Assumption("plots", "they are drawn in floats, from the certified intervals"),
            Assumption(
                "the number of workers, where they run, in what order they finish",
                "work is cut in the same way whoever does it, and put together in the same order",
            ),
        ),
        not_claimed=(
            Assumption("other sizes than those asked for", ""),
            Assumption(
                "samplers",
                "a program that draws floating-point noise is another mechanism (Mironov 2012)",
            ),
        ),
    )


def trust_text() -> str:
    """Return the page as text."""
    page = trust()
    lines = [f"What a certificate of dpaudit {page.version} rests on"]
    for title, assumptions in (
        ("Trusted by every certificate", page.trusted),
        ("Trusted by the screen as well (not with --engine ball)", page.screen),
        ("Not trusted", page.not_trusted),
        ("Not claimed", page.not_claimed),
    ):
        lines += ["", title, *_lines(assumptions)]
    return "\n".join(lines)


def _lines(assumptions: Sequence[Assumption]) -> list[str]:
    lines = []
    for assumption in assumptions:
        used = f" [{assumption.version}]" if assumption.version else ""
        lines.append(f"  - {assumption.what}{used}")
        if assumption.why:
            lines.append(f"      {assumption.why}")
    return lines


def _installed(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "of unknown version"
