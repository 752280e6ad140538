"""Findings about a printed number, statement or figure of the notes, and the pictures of them.

Statements about figures are comparisons that a reading fulfils or not, decided in balls.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dpaudit.accuracy.law import ErrorLaw
from dpaudit.accuracy.measure import LEVELS
from dpaudit.notes.reproduce.readings import Pair, Reading
from dpaudit.numbers.ball import Ball, Sign, decide_sign, working_precision
from dpaudit.report.figures.side_by_side import Box, Boxes, BoxSeries, Panel
from dpaudit.results import ItemReport, PrintedCheck, PrintedOutcome, QuantileAt
from dpaudit.results.brief import Brief

__all__ = [
    "Finding",
    "Item",
    "PrintedCheck",
    "PrintedOutcome",
    "Table",
    "all_hold",
    "box_panel",
    "boxes_table",
    "check_statement",
    "fulfilled",
    "mean_below",
    "outcome_of",
    "pair_lines",
    "pair_panel",
    "show_statement",
    "sign_of_gain",
]

Finding = tuple[PrintedOutcome, str]
"""Outcome of a statement by a reading, with the text to show for it."""

Line = tuple[str, str, "ErrorLaw"]
"""A law with its place in the figure and the label of its mechanism."""


@dataclass(frozen=True, repr=False)
class Table(Brief):
    """The numbers of an item, as its CSV has them."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, repr=False)
class Item(Brief):
    """One table, caption or figure of the notes, computed."""

    id: str
    title: str
    place: str
    """Place in the notes."""
    checks: tuple[PrintedCheck, ...]
    table: Table
    panels: tuple[Panel, ...]
    remarks: tuple[str, ...] = ()
    """Choices made where the notes are silent, and other remarks."""
    drawn: tuple[str, ...] = ()
    """Facts for the caption of the figure: ε, δ, the prior, and the reading that is drawn."""

    @property
    def verdict(self) -> str:
        """``reproduced``, ``reproduced in part``, ``not reproduced`` or ``undecided``."""
        outcomes = {check.outcome for check in self.judged}
        if PrintedOutcome.UNDECIDED in outcomes or not outcomes:
            return PrintedOutcome.UNDECIDED.value
        if len(outcomes) > 1:
            return "reproduced in part"
        return outcomes.pop().value

    @property
    def judged(self) -> tuple[PrintedCheck, ...]:
        """The checks but those that are only shown."""
        return tuple(check for check in self.checks if check.outcome is not PrintedOutcome.SHOWN)

    @property
    def common(self) -> tuple[str, ...]:
        """The readings that fulfil every statement that is reproduced, where there are several."""
        fulfilling = [c.readings for c in self.checks if c.readings]
        return tuple(
            r for r in (fulfilling[0] if fulfilling else ()) if all(r in rs for rs in fulfilling)
        )

    @property
    def readings(self) -> tuple[str, ...]:
        """The readings that give what is reproduced, each once.

        Of statements those that fulfil all that are reproduced; if there is none, all of them.
        """
        good = [c for c in self.checks if c.outcome is PrintedOutcome.REPRODUCED]
        numbers = [c.reading for c in good if not c.readings]
        every = [reading for c in good for reading in c.readings]
        return tuple(dict.fromkeys([*numbers, *(self.common or every)]))

    @property
    def report(self) -> ItemReport:
        """The findings without what is drawn."""
        digits = [check.digits for check in self.checks if check.digits]
        return ItemReport(
            id=self.id,
            title=self.title,
            place=self.place,
            verdict=self.verdict,
            reading=self.readings,
            digits=min(digits) if digits else None,
            checks=self.checks,
            remarks=self.remarks,
            csv=f"{self.id}.csv",
            picture=f"{self.id}.svg",
        )

    def line(self) -> str:
        """Return the finding in one line."""
        good = [c for c in self.checks if c.outcome is PrintedOutcome.REPRODUCED]
        parts = [f"{self.id}: {self.verdict} ({len(good)} of {len(self.judged)})"]
        numbers = [c.digits for c in good if c.digits]
        if numbers:
            parts.append(f"its numbers to {_range(min(numbers), max(numbers))} digits")
        if good:
            parts.append(f"by reading {'; '.join(self.readings)}")
        if not self.common and any(c.readings for c in good):
            parts.append("no one reading gives all of it")
        return ", ".join(parts)


def _range(low: int, high: int) -> str:
    return f"all {low}" if low == high else f"all {low} to {high}"


_HEADER = (
    *("place", "mechanism", "parameters", "at", "metric", "mean_lower", "mean_upper"),
    *(f"q{level}_{end}" for level in ("5", "25", "50", "75", "95") for end in ("lower", "upper")),
)


def _quantiles(law: ErrorLaw) -> tuple[QuantileAt, ...]:
    return tuple(law.quantile(level) for level in LEVELS)


def _box(law: ErrorLaw) -> Box:
    """Return the quantiles and the mean of an error."""
    return Box(tuple(quantile.value for quantile in _quantiles(law)), law.mean())


def box_panel(
    title: str, x_label: str, metric: str, laws: Mapping[str, Mapping[str, ErrorLaw]]
) -> Boxes:
    """Return the box plots of ``laws``, by the label of their series and their place."""
    places = list(next(iter(laws.values())))
    series = [BoxSeries(label, tuple(_box(at[p]) for p in places)) for label, at in laws.items()]
    error = "ℓ1 error" if metric == "l1" else "Hellinger error"
    return Boxes(title, x_label, error, tuple(places), tuple(series))


def pair_panel(title: str, x_label: str, pairs: Mapping[str, Pair]) -> Boxes:
    """Return the box plots of our mechanism and of Laplace noise at each place."""
    labels = ("our exponential mechanism", "Laplace mechanism")
    laws = {
        label: {place: pair[index] for place, pair in pairs.items()}
        for index, label in enumerate(labels)
    }
    return box_panel(title, x_label, "hellinger", laws)


def pair_lines(place: str, pair: Pair) -> list[Line]:
    """Return a pair of laws with its place, for :func:`boxes_table`."""
    return [(place, label, law) for label, law in zip(("ours", "Laplace"), pair, strict=True)]


def boxes_table(laws: Iterable[Line]) -> Table:
    """Return the CSV of laws."""
    return Table(_HEADER, tuple(_line(*law) for law in laws))


def _line(place: str, label: str, law: ErrorLaw) -> tuple[str, ...]:
    return (
        place,
        label,
        law_text(law),
        ",".join(map(str, law.dataset)),
        law.metric,
        *law.mean().texts(),
        *(cell for quantile in _quantiles(law) for cell in quantile.texts()),
    )


def law_text(law: ErrorLaw) -> str:
    """Return the mechanism of a law with its parameters.

    >>> from dpaudit.notes.reproduce.readings import DEFINED, Setting, laplace_law
    >>> print(law_text(laplace_law(DEFINED, Setting((4, 4)))))
    NotesLaplace epsilon=4/5 prior=1,1 coordinates=printed rounding=floor outside=clamped
    """
    values = law.mechanism.values()
    texts = [f"{name}={_value(value)}" for name, value in values.items()]
    endless = law.mechanism.output_count(sum(law.dataset)) is None
    outside = [f"outside={law.outside}"] if endless else []
    return " ".join([law.mechanism.name, *texts, *outside])


def _value(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


_CAP = 768


def sign_of_gain(ours: ErrorLaw, other: ErrorLaw) -> Sign:
    """Return the sign of the mean error of ``other`` less that of ``ours``."""

    def gain() -> Ball:
        bits = working_precision()
        return other.mean_ball(bits) - ours.mean_ball(bits)

    # Starting where both laws are listed already spares a listing at another precision.
    return decide_sign(gain, start=max(ours.least_bits, other.least_bits), cap=_CAP)


def mean_below(ours: ErrorLaw, other: ErrorLaw) -> PrintedOutcome:
    """Decide whether the mean error of ``ours`` is smaller."""
    return outcome_of(sign_of_gain(ours, other))


def fulfilled(holds: bool) -> PrintedOutcome:
    """Return the outcome of a statement that certainly holds, or certainly does not."""
    return PrintedOutcome.REPRODUCED if holds else PrintedOutcome.NOT_REPRODUCED


def outcome_of(sign: Sign) -> PrintedOutcome:
    """Return the outcome of the statement that a number with this sign is positive."""
    if sign is Sign.UNDECIDED:
        return PrintedOutcome.UNDECIDED
    return fulfilled(sign is Sign.POSITIVE)


def all_hold(outcomes: Iterable[PrintedOutcome]) -> PrintedOutcome:
    """Return the outcome of all together; one that certainly does not hold decides."""
    distinct = set(outcomes)
    for outcome in (PrintedOutcome.NOT_REPRODUCED, PrintedOutcome.UNDECIDED):
        if outcome in distinct:
            return outcome
    return PrintedOutcome.REPRODUCED


def show_statement(what: str, printed: str, text_of_reading: Mapping[Reading, str]) -> PrintedCheck:
    """Return a statement that names no number, with the values by each reading, unjudged."""
    texts = "; ".join(f"{reading.name}: {text}" for reading, text in text_of_reading.items())
    return PrintedCheck(what, printed, PrintedOutcome.SHOWN, "", why=f"no number is named; {texts}")


def check_statement(what: str, printed: str, findings: Mapping[str, Finding]) -> PrintedCheck:
    """Return whether some reading fulfils a statement, from the ``findings`` by reading.

    All readings that do are named.  The texts of the others are given as the reason.
    """
    yes = PrintedOutcome.REPRODUCED
    good = {reading: text for reading, (outcome, text) in findings.items() if outcome is yes}
    others = {reading: text for reading, (_, text) in findings.items() if reading not in good}
    if good:
        failing = [f"not by {r}: {text}" if text else f"not by {r}" for r, text in others.items()]
        tried = f"{len(good)} of {len(findings)} readings tried"
        remark = "; ".join([tried, *dict.fromkeys(filter(None, good.values())), *failing])
        names = tuple(good)
        return PrintedCheck(what, printed, yes, " | ".join(names), why=remark, readings=names)
    undecided = any(outcome is PrintedOutcome.UNDECIDED for outcome, _ in findings.values())
    outcome = PrintedOutcome.UNDECIDED if undecided else PrintedOutcome.NOT_REPRODUCED
    against = "; ".join(f"{reading}: {text}" for reading, text in others.items() if text)
    return PrintedCheck(what, printed, outcome, "", why=against)
