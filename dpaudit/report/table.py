"""Text for people: the parts of a report, and tables, aligned with spaces or in Markdown."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from decimal import ROUND_DOWN, Context, Decimal
from itertools import count, islice, repeat, takewhile
from typing import Any

from dpaudit import results
from dpaudit.arithmetic import DECIMALS
from dpaudit.audit.verdicts import bound_in_words
from dpaudit.errors import counted
from dpaudit.numbers.enclosure import enclose_real
from dpaudit.numbers.real import real
from dpaudit.report.fitting import RIGHT, aligned_table, printable
from dpaudit.results.documents import value_text

__all__ = [
    "MOST_SHOWN",
    "abscissa_text",
    "aligned_table",
    "at_delta_cells",
    "at_delta_header",
    "at_delta_row",
    "budget_text",
    "compact",
    "coverage_cells",
    "csv_table",
    "data_lines",
    "dataset_text",
    "decimals",
    "delta_cells",
    "ends",
    "explained",
    "first_digits",
    "headline",
    "interval_cells",
    "markdown_table",
    "markdown_text",
    "not_finished",
    "outputs_text",
    "pair_text",
    "parameters_of",
    "parameters_text",
    "printable",
    "provenance",
    "relation_text",
    "runs_explained",
    "shortened",
    "sizes_text",
    "subject_cells",
    "valued",
    "without_size",
]

MOST_SHOWN = 240
"""Largest number of characters of a user's text that is shown where people read."""


_SHOWN_CATEGORIES = 24


def abscissa_text(band: results.DeltaBand) -> str:
    """Return the ε′ of a band as people write it: as 0, ε/4, 3ε/4, ε or a number."""
    if band.ratio is None:
        return str(band.epsilon)
    above, _, below = band.ratio.partition("/")
    if above == "0":
        return "0"
    return f"{'' if above == '1' else above}ε{f'/{below}' if below else ''}"


def compact(interval: results.Enclosure) -> str:
    """Return an interval with its common digits written once, or the closed form if it is short.

    >>> from decimal import ROUND_DOWN, Context, Decimal
    >>> from dpaudit.numbers.enclosure import Enclosure
    >>> from dpaudit.numbers.real import real
    >>> compact(Enclosure(Decimal("0.2544847"), Decimal("0.2544849")))
    '0.254484(7..9)'
    >>> compact(Enclosure(Decimal("0.4"), Decimal("0.4"), real("2/5"))), compact(
    ...     Enclosure(Decimal("0.09"), Decimal("0.11")))
    ('2/5 exactly', '[0.09, 0.11]')
    >>> compact(Enclosure(Decimal("3.0598818E-9"), Decimal("3.0598819E-9")))
    '3.059881(8..9)E-9'
    """
    if interval.exact is not None and len(str(interval.exact)) <= 18:
        return f"{interval.exact} exactly"
    lower, upper = results.decimal_text(interval.lower), results.decimal_text(interval.upper)
    if lower == upper:
        return lower
    low, mark, power = lower.partition("E")
    high, _, other_power = upper.partition("E")
    common = 0
    while low[common : common + 1] == high[common : common + 1] != "":
        common += 1
    if len(low) != len(high) or power != other_power or common < low.find(".") + 5:
        return f"[{lower}, {upper}]"
    return f"{low[:common]}({low[common:]}..{high[common:]}){mark}{power}"


def valued(interval: results.Enclosure) -> str:
    """Return an interval as :func:`compact` does, a closed form with its first digits.

    >>> from dpaudit.numbers.real import real
    >>> valued(enclose_real(real("ln(3)"), 12)), valued(enclose_real(real("2/5"), 12))
    ('ln(3) exactly (1.09861…)', '2/5 exactly')
    """
    text = compact(interval)
    form, exact, _ = text.partition(" exactly")
    return f"{text} ({first_digits(interval)})" if exact and _needs_digits(form) else text


def first_digits(value: results.Enclosure) -> str:
    """Return the first digits of a number, those that its two ends share; empty for none.

    >>> first_digits(results.Enclosure(Decimal("1.09861228"), Decimal("1.09861229")))
    '1.09861…'
    """
    cut = Context(prec=_SHOWN_DIGITS, rounding=ROUND_DOWN)
    low, high = cut.plus(value.lower), cut.plus(value.upper)
    if low != high or low.is_infinite():
        return ""
    return (
        results.decimal_text(low)
        if value.lower == value.upper == low
        else f"{results.decimal_text(low)}…"
    )


_SHOWN_DIGITS = 6
_LONGEST_FRACTION = 7
"""Characters of a fraction that a reader divides by heart."""


def _needs_digits(form: str) -> bool:
    return "(" in form or len(form) > _LONGEST_FRACTION


_EXACT = re.compile(r"(.+) exactly")


def decimals(texts: Iterable[str]) -> str:
    """Return the first digits of the closed forms among ``texts``, each once, or "".

    >>> decimals(["n", "ln(3) exactly", "1/25 exactly", "3/4 - exp(1)/4 exactly"])
    'in decimals: ln(3) = 1.09861…, 3/4 - exp(1)/4 = 0.0704295…'
    """
    matches = filter(None, map(_EXACT.fullmatch, texts))
    forms = dict.fromkeys(match[1] for match in matches if _needs_digits(match[1]))
    shown = [f"{form} = {first_digits(enclose_real(real(form), 15))}" for form in forms]
    return f"in decimals: {', '.join(shown)}" if shown else ""


_SHARED = re.compile(r"(?<![\w.])(-?\d+\.\d+)\((\d+)\.\.(\d+)\)(E-?\d+)?")


def explained(texts: Iterable[str]) -> str:
    """Return how to read the first interval among ``texts`` whose ends share digits, or "".

    >>> explained(["n", "0.254484(7..9)"])
    '0.254484(7..9) means: at least 0.2544847, at most 0.2544849'
    """
    for match in filter(None, map(_SHARED.search, texts)):
        head, low, high, power = match.groups("")
        return f"{match[0]} means: at least {head}{low}{power}, at most {head}{high}{power}"
    return ""


def runs_explained(texts: Iterable[str]) -> list[str]:
    """Return how to read the first run of each kind in the entries of datasets among ``texts``.

    >>> runs_explained(["0.25(3..4)", "(0×500,1,0)", "(0,2..98)"])
    ['0×500 means: 500 entries in a row are 0', '2..98 means: every whole number from 2 to 98']
    """
    shown = list(texts)
    return [
        *(
            f"{match[0]} means: {match[2]} entries in a row are {match[1]}"
            for match in islice(filter(None, map(_COUNTED.search, shown)), 1)
        ),
        *(
            f"{match[1]} means: every whole number from {match[2]} to {match[3]}"
            for match in islice(filter(None, map(_CONSECUTIVE.search, shown)), 1)
        ),
    ]


_MOST_SHOWN = 160
"""Characters of a dataset, or of a parameter, that a text shows; a document has all of them."""


def dataset_text(dataset: Hashable) -> str:
    """Return a dataset or an output as it is shown: counts as (0,10), anything else as text.

    In a long one equal entries are counted, and of consecutive numbers the ends are shown.

    >>> dataset_text((0, 10)), dataset_text((0,) * 500 + (1, 0)), dataset_text((0, *range(2, 99)))
    ('(0,10)', '(0×500,1,0)', '(0,2..98)')
    """
    if isinstance(dataset, tuple):
        parts = list(map(dataset_text, dataset))
        text = f"({','.join(parts)})"
        if len(text) > _MOST_SHOWN:
            text = f"({','.join(_runs(parts))})"
        return shortened(text, _MOST_SHOWN)
    text = value_text(dataset)
    return shortened(text) if text.strip() else repr(shortened(text))


def _runs(parts: Sequence[str]) -> Iterator[str]:
    """Iterate over texts, with one text in place of a long run: 0×500, or 2..98."""
    start = 0
    while start < len(parts):
        first = parts[start]
        equal = _alike(parts[start:], repeat(first))
        is_whole = first.isascii() and first.isdecimal()
        rising = _alike(parts[start:], map(str, count(int(first)))) if is_whole else 1
        length = max(equal, rising)
        if length < _LONG_RUN:
            yield first
            start += 1
            continue
        yield f"{first}×{equal}" if equal == length else f"{first}..{parts[start + length - 1]}"
        start += length


def _alike(parts: Sequence[str], others: Iterable[str]) -> int:
    """Return how many of the first texts are the same."""
    same = (part == other for part, other in zip(parts, others, strict=False))
    return sum(1 for _ in takewhile(bool, same))


_LONG_RUN = 4
_COUNTED = re.compile(r"(?<=[(,])([^(),×]+)×(\d+)(?=[,)])")
# The parenthesis of an interval's last digits, as in 0.25(3..4), follows a digit.
_CONSECUTIVE = re.compile(r"(?<!\d)\((?:[^()]*,)?((\d+)\.\.(\d+))(?=[,)])")


def pair_text(pair: Any) -> str:
    """Return the two datasets of a ``pair`` as text: its ``x`` and its ``y``."""
    return f"{dataset_text(pair.x)} / {dataset_text(pair.y)}"


def parameters_text(parameters: Mapping[str, Any], equals: str = " = ", comma: str = ", ") -> str:
    """Return parameters as text; those of a prior are joined by commas.

    >>> parameters_text({"epsilon": "4/5", "prior": ["1", "1"]})
    'epsilon = 4/5, prior = 1,1'
    """
    return comma.join(
        name + equals + shortened(value if isinstance(value, str) else ",".join(value), _MOST_SHOWN)
        for name, value in parameters.items()
    )


def parameters_of(report: results.Report[Any]) -> dict[str, str | list[str]]:
    """Return the parameters as reports show them: an ε that is not in nats, with its unit."""
    parameters = dict(report.parameters)
    if report.epsilon_unit != "nats":
        parameters["epsilon"] = f"{parameters['epsilon']} {report.epsilon_unit}"
    return parameters


def headline(report: results.Report[Any], *further: str, neighbours: str = "") -> str:
    """Return one line that names the mechanism and every parameter of the audit.

    Args:
        report: the report.
        further: more about the mechanism.
        neighbours: the neighbouring relation in words, where it is not the mechanism's own.
    """
    parameters = parameters_text(parameters_of(report))
    where = "" if neighbours else ", all pairs"
    if report.at is not None:
        where = f", pairs that contain {report.at} data"
    name = f"{report.mechanism} ({parameters})" if parameters else report.mechanism
    return "; ".join([name, *further, (neighbours or relation_text(report)) + where])


def relation_text(report: results.Report[Any]) -> str:
    """Return the neighbouring relation, marked where it is the default."""
    return f"{report.adjacency}{' (by default)' if report.adjacency_defaulted else ''}"


def provenance(report: results.Report[Any]) -> list[str]:
    """Return lines on the source of a mechanism, how it was read, and what was replaced in it."""
    lines = []
    if report.semantics == "as run":
        lines.append(f"as run: {', '.join(report.interposed) or 'nothing is drawn'}")
        if report.monotone:
            lines[0] += f"; assumed monotone: {', '.join(report.monotone)}"
    if report.semantics == "ideal" and report.interposed:
        lines.append(
            f"ideal: {', '.join(report.interposed)} read as exact distributions, and floats as "
            "real numbers; what rounding to floats gives away is not counted"
        )
    if report.not_as_run is not None:
        lines.append(f"not as run: {report.not_as_run}")
    if report.rest is not None and str(report.rest) != "0":
        lines.append(
            f"rest: a probability of at most {report.rest} is not assigned to any output; δ is "
            "still bounded, and ε only from below"
        )
    if report.real_runs is not None:
        lines.append(_checked(report.real_runs, report.unseen_mass))
    if report.loaded is not None:
        digest = f", SHA-256 {report.loaded.sha256[:16]}…" if report.loaded.sha256 else ""
        lines.append(f"loaded from {report.loaded.reference}{digest}")
    return lines


def _checked(runs: int, unseen: str | None) -> str:
    """Return one line on the evidence that real runs give for the law of a program."""
    if unseen == "0":
        return "checked with real runs of every outcome of its draws"
    share = f"{DECIMALS.multiply(Decimal(str(unseen)), Decimal(100)):f}".rstrip("0").rstrip(".")
    return (
        f"checked with {runs:,} real runs a dataset: an error in more than {share} % of the "
        "probability would have shown, with error probability 10⁻⁹"
    )


def budget_text(audit: results.Audit) -> str:
    """Return the budget of the audit in words; ``ValueError`` where it has none."""
    budget, stated = audit.held_to, audit.stated
    text = _budget(budget) if budget.is_pure else f"(ε, δ) = {_budget(budget)}"
    if stated is None and audit.loaded is not None:
        return f"{text} (your budget)"
    if stated is None:
        return f"{text} (no budget is stated; compared with its nominal ε)"
    return text if stated == budget else f"{text} (stated: {_budget(stated)})"


def _budget(budget: results.Budget) -> str:
    epsilon, delta = bound_in_words(budget.epsilon), bound_in_words(budget.delta)
    return f"ε = {epsilon}" if budget.is_pure else f"({epsilon}, {delta})"


def not_finished(sizes: Sequence[int]) -> list[str]:
    """Return a line that names the first few sizes that were not finished, if there are any."""
    if not sizes:
        return []
    named = ", ".join(map(str, sizes[:6])) + (", …" if len(sizes) > 6 else "")
    return [f"not finished: {counted(len(sizes), 'size')} ({named})"]


def sizes_text(sizes: Sequence[int]) -> str:
    """Return which sizes were audited.

    >>> sizes_text([10, 15, 20]), sizes_text([7])
    ('n = 10..20 (3 sizes)', 'n = 7')
    """
    last = f"..{sizes[-1]} ({len(sizes)} sizes)" if len(sizes) > 1 else ""
    return f"n = {sizes[0]}{last}"


_SIZE = re.compile(
    r"^at n = 1(, |: | (?=the ))|,? at n = 1(?=, )|(?<=: )at n = 1 (?=the )|(?<=: )n = 1, "
    r"|^n = 1:? | at n = 1(?=, as accepted$)"
)
"""The size of datasets that have none."""


def without_size(text: str) -> str:
    """Return a sentence about datasets that have no size without the place where it tells one.

    >>> without_size("within: ε = 1 at n = 1, 3 pairs"), without_size("n = 1 undecided: too wide")
    ('within: ε = 1, 3 pairs', 'undecided: too wide')
    """
    return _SIZE.sub("", text, count=1)


def outputs_text(result: results.Coverage) -> str:
    """Return how many outputs there are, about how many if the number is very long."""
    text = "∞" if result.outputs == results.INFINITE else str(result.outputs)
    if len(text) <= _LONGEST_COUNT:
        return text
    return f"≈ {Context(prec=3).create_decimal(text):e}"


_LONGEST_COUNT = 24


def subject_cells(report: results.Report[Any]) -> dict[str, str]:
    """Return the mechanism, its parameters, the relation and the restriction, as cells."""
    return {
        "mechanism": report.mechanism,
        "parameters": parameters_text(parameters_of(report), "=", ";"),
        "adjacency": relation_text(report),
        "at": report.at or "",
    }


def coverage_cells(result: results.Coverage) -> dict[str, str]:
    """Return what was covered at one size, as cells."""
    names = ("n", "datasets", "pairs", "pairs_covered", "outputs")
    return {name: str(getattr(result, name)) for name in names}


def ends(name: str, interval: results.Enclosure) -> dict[str, str]:
    """Return the two ends of an interval as cells."""
    lower, upper = interval.texts()
    return {f"{name}_lower": lower, f"{name}_upper": upper}


def interval_cells(name: str, interval: results.Enclosure) -> dict[str, str]:
    """Return an interval as cells: its ends and, where it is known, the closed form."""
    exact = "" if interval.exact is None else str(interval.exact)
    return {**ends(name, interval), f"{name}_exact": exact}


def delta_cells(point: results.DeltaAt) -> dict[str, str]:
    """Return δ at one ε as cells."""
    return {"epsilon": str(point.epsilon), **ends("delta", point)}


def at_delta_header(points: Sequence[results.EpsilonAt]) -> list[str]:
    """Return the headings of the columns of the smallest ε at some δ."""
    return [f"ε at δ = {point.delta}" for point in points]


def at_delta_row(points: Sequence[results.EpsilonAt], digits: int) -> list[str]:
    """Return the smallest ε at some δ as they are shown, rounded outward."""
    return [compact(point.value.rounded(digits)) for point in points]


def at_delta_cells(points: Sequence[results.EpsilonAt]) -> dict[str, str]:
    """Return the smallest ε at some δ as cells, numbered from 1."""
    cells: dict[str, str] = {}
    for index, point in enumerate(points, start=1):
        cells |= {f"at_delta_{index}": str(point.delta), **ends(f"epsilon_at_{index}", point)}
    return cells


def data_lines(data: results.Data) -> list[str]:
    """Return a column in words: what was read, and how often each category occurs."""
    k = len(data.categories)
    pairs = list(zip(data.categories, data.counts, strict=True))
    counts = ", ".join(f"{category} {count}" for category, count in pairs[:_SHOWN_CATEGORIES])
    rest = f", … ({k - _SHOWN_CATEGORIES} more)" if k > _SHOWN_CATEGORIES else ""
    lines = [
        f"data: {data.file}, column {data.column}: {counted(data.n, 'record')}, "
        f"{k} {'category' if k == 1 else 'categories'}",
        f"counts, in this order: {counts}{rest}",
    ]
    if data.missing:
        fate = "left out" if data.dropped else "a category of their own"
        lines.append(f"missing values: {data.missing}, {fate}")
    return lines


_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_LINK = re.compile(r"\]([(\[:])")


def shortened(text: str, most: int = MOST_SHOWN) -> str:
    """Return ``text``, without its middle where it is longer than ``most`` characters.

    >>> shortened("x" * 1000, 8)
    'xxxx…xxx'
    """
    tail = most // 2 - 1
    return text if len(text) <= most else f"{text[: most - tail - 1]}…{text[-tail:]}"


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    rules = ["---:" if name in RIGHT else "---" for name in header]
    lines = [header, rules, *([printable(cell) for cell in row] for row in rows)]
    escaped = [[_escaped(cell) for cell in line] for line in lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in escaped)


def csv_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    """Return a table as CSV with a header line."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return stream.getvalue().encode(errors="backslashreplace")


def _escaped(cell: str) -> str:
    """Return a cell without marks that would end it, or begin a tag or a link."""
    return markdown_text(cell).replace("|", r"\|")


def markdown_text(text: str) -> str:
    """Return a line of Markdown that says ``text``: nothing in it begins a tag or a link."""
    plain = printable(text).replace("\\", "\\\\")
    return _TAG.sub("&lt;", _LINK.sub(r"]\\\1", plain))
