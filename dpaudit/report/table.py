"""The rows of an audit as text: what the table, the Markdown and the CSV have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpaudit.exact.enclosure import decimal_text

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from dpaudit.audit.curve import CurveAudit
    from dpaudit.audit.result import Audit, SizeResult, Subject
    from dpaudit.exact.enclosure import Enclosure
    from dpaudit.notions.result import NotionAudit, NotionSubject
    from dpaudit.notions.tradeoff_sweep import TradeoffAudit

__all__ = [
    "audit_header",
    "audit_rows",
    "compact",
    "curve_header",
    "curve_rows",
    "dataset_text",
    "headline",
    "not_finished",
    "parameters_of",
    "parameters_text",
    "provenance",
    "relation_text",
    "sizes_text",
    "summary",
    "unfinished",
    "value_text",
]


def compact(interval: Enclosure) -> str:
    """Return an interval with its common digits written once, or the closed form if it is short.

    >>> from decimal import Decimal
    >>> from dpaudit.exact.enclosure import Enclosure
    >>> compact(Enclosure(Decimal("0.2544847"), Decimal("0.2544849")))
    '0.254484[7,9]'
    >>> compact(Enclosure(Decimal("0.4"), Decimal("0.4"), "2/5")), compact(
    ...     Enclosure(Decimal("0.09"), Decimal("0.11")))
    ('2/5 exactly', '[0.09, 0.11]')
    >>> compact(Enclosure(Decimal("3.0598818E-9"), Decimal("3.0598819E-9")))
    '3.059881[8,9]E-9'
    """
    if interval.exact is not None and len(interval.exact) <= 18:
        return f"{interval.exact} exactly"
    lower, upper = decimal_text(interval.lower), decimal_text(interval.upper)
    if lower == upper:
        return lower
    low, mark, power = lower.partition("E")
    high, _, other_power = upper.partition("E")
    common = 0
    while low[common : common + 1] == high[common : common + 1] != "":
        common += 1
    if len(low) != len(high) or power != other_power or common < low.find(".") + 5:
        return f"[{lower}, {upper}]"
    return f"{low[:common]}[{low[common:]},{high[common:]}]{mark}{power}"


def dataset_text(dataset: Hashable) -> str:
    """Return a dataset or an output as it is shown: counts as (0,10), anything else as text."""
    if isinstance(dataset, tuple):
        return f"({','.join(map(dataset_text, dataset))})"
    text = value_text(dataset)
    return text if text.strip() else repr(text)


def value_text(value: object) -> str:
    """Return the text of a value, the same in every process: members of a set are sorted.

    >>> value_text(frozenset({"b", "a"}))
    '{a, b}'
    """
    if isinstance(value, (set, frozenset)):
        return f"{{{', '.join(sorted(map(value_text, value)))}}}"
    return str(value)


def parameters_text(parameters: Mapping[str, Any], equals: str = " = ", comma: str = ", ") -> str:
    """Return parameters as text; those of a prior are joined by commas.

    >>> parameters_text({"epsilon": "4/5", "prior": ["1", "1"]})
    'epsilon = 4/5, prior = 1,1'
    """
    return comma.join(
        f"{name}{equals}{value if isinstance(value, str) else ','.join(value)}"
        for name, value in parameters.items()
    )


def parameters_of(subject: Subject | NotionSubject) -> dict[str, str | list[str]]:
    """Return the parameters as reports show them: an ε that is not in nats, with its unit."""
    found = dict(subject.parameters)
    if subject.epsilon_unit != "nats":
        found["epsilon"] = f"{found['epsilon']} {subject.epsilon_unit}"
    return found


def headline(subject: Subject | NotionSubject, *further: str) -> str:
    """Return one line that names the mechanism and every parameter of the audit."""
    parameters = parameters_text(parameters_of(subject))
    where = "all pairs" if subject.at is None else f"pairs that contain {subject.at} data"
    name = f"{subject.mechanism} ({parameters})" if parameters else subject.mechanism
    return "; ".join([name, *further, f"{relation_text(subject)}, {where}"])


def relation_text(subject: Subject | NotionSubject) -> str:
    """Return the neighbouring relation, and that nobody named it where that is so."""
    return f"{subject.adjacency}{' (by default)' if subject.adjacency_defaulted else ''}"


def provenance(subject: Subject | NotionSubject) -> list[str]:
    """Return a line that says where a mechanism was loaded from, if it was."""
    if subject.loaded is None:
        return []
    digest = f", SHA-256 {subject.loaded.sha256[:16]}…" if subject.loaded.sha256 else ""
    return [f"loaded from {subject.loaded.reference}{digest}"]


def budget_text(subject: Subject) -> str:
    """Return the budget of the audit in words."""
    epsilon, delta = subject.budget
    text = f"ε = {epsilon}" if delta == "0" else f"(ε, δ) = ({epsilon}, {delta})"
    if subject.stated is None and subject.loaded is not None:
        return f"{text} (nothing is stated)"
    if subject.stated is None:
        return f"{text} (nothing is stated; held to its nominal ε)"
    return text if subject.stated == subject.budget else f"{text} (stated: {subject.stated})"


def audit_header(audit: Audit) -> list[str]:
    """Return the column names of :func:`audit_rows`."""
    at = [f"δ({point.epsilon})" for point in audit.results[0].curve] if audit.results else []
    return [
        "n",
        "pairs",
        "outputs",
        "realised ε",
        f"δ({audit.subject.budget[0]})",
        *at,
        "verdict",
        "worst pair → output",
    ]


def audit_rows(audit: Audit) -> list[list[str]]:
    """Return one row of texts for each size."""
    return [_audit_row(result, audit.subject.digits) for result in audit.results]


def _audit_row(result: SizeResult, digits: int) -> list[str]:
    witness = result.witness
    return [
        str(result.n),
        str(result.pairs_covered),
        "∞" if result.outputs is None else str(result.outputs),
        compact(result.epsilon.rounded(digits)),
        compact(result.delta.value.rounded(digits)),
        *(compact(point.value) for point in result.curve),
        result.verdict.value,
        f"{dataset_text(witness.x)} / {dataset_text(witness.y)} → {dataset_text(witness.output)}",
    ]


def summary(audit: Audit) -> list[str]:
    """Return the verdict in words, with the largest realised ε and what was not finished."""
    lines = []
    if audit.results:
        worst = max(audit.results, key=lambda result: (result.epsilon.upper, -result.n))
        sizes = sizes_text([result.n for result in audit.results])
        pairs = sum(result.pairs_covered for result in audit.results)
        lines.append(
            f"{audit.verdict.value}: {budget_text(audit.subject)} at {sizes}, {pairs} pairs, "
            "both directions, every output"
        )
        largest = compact(worst.epsilon.rounded(audit.subject.digits))
        lines.append(f"largest realised ε: {largest} at n = {worst.n}")
        lines.extend(f"n = {r.n} undecided: {r.reason}" for r in audit.results if r.reason)
    return [*lines, *unfinished(audit)]


def unfinished(audit: Audit | CurveAudit | NotionAudit | TradeoffAudit) -> list[str]:
    """Return a line for each size without a result, and one for those that were not finished."""
    return [
        *(f"undecided: {size.reason}" for size in audit.undecided),
        *not_finished(audit.missing),
    ]


def not_finished(sizes: Sequence[int]) -> list[str]:
    """Return a line that names the first few sizes that were not finished, if there are any."""
    if not sizes:
        return []
    shown = ", ".join(map(str, sizes[:6])) + (", …" if len(sizes) > 6 else "")
    return [f"not finished: {len(sizes)} sizes ({shown})"]


def sizes_text(sizes: Sequence[int]) -> str:
    """Return which sizes were audited.

    >>> sizes_text([10, 15, 20]), sizes_text([7])
    ('n = 10..20 (3 sizes)', 'n = 7')
    """
    last = f"..{sizes[-1]} ({len(sizes)} sizes)" if len(sizes) > 1 else ""
    return f"n = {sizes[0]}{last}"


def curve_header(audit: CurveAudit) -> list[str]:
    """Return the column names of :func:`curve_rows`."""
    return ["n", "pairs", *(f"δ({epsilon})" for epsilon in audit.epsilons)]


def curve_rows(audit: CurveAudit) -> list[list[str]]:
    """Return one row of texts for each size."""
    return [
        [str(curve.n), str(curve.pairs), *(compact(point.value) for point in values)]
        for curve, values in zip(audit.curves, audit.values, strict=True)
    ]
