"""Questions of a gate's entries: the base of one class for each, and the choice among them.

An audit comes with a verdict about its budget. A privacy curve, a trade-off function, a calibration
and an error state none: the entry holds their numbers to its bounds, and the verdict follows from
both.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from dpaudit.audit.plan import read_sizes
from dpaudit.errors import ParameterError, UsageError
from dpaudit.mechanisms.loading import load
from dpaudit.mechanisms.parameters import PositiveParameter, budget_parts
from dpaudit.mechanisms.parameters import read_budget as exact_budget
from dpaudit.mechanisms.references import check_reference, reference
from dpaudit.question import questions
from dpaudit.results import Bound
from dpaudit.subjects import CALL

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dpaudit.audit.measure import Measure
    from dpaudit.audit.plan import Plan
    from dpaudit.gate.config import Entry
    from dpaudit.gate.rows import Row
    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.mechanisms.spec import Spec
    from dpaudit.numbers.real import Real
    from dpaudit.results import Enclosure, GateDocument, Kind

__all__ = [
    "AnswerRequest",
    "EntryQuestion",
    "OneBound",
    "budget_of",
    "check_keys",
    "entry_question",
    "entry_question_of_report",
    "entry_questions",
    "positive",
    "rows_of",
    "shares_of",
]


class AnswerRequest(NamedTuple):
    """Subject and plan that the report of an entry without a sweep has to match."""

    stands_for: Any
    """The mechanism, or a stand-in with the properties that a report states."""
    entry: Entry
    """The entry."""
    plan: Plan
    """Its plan, with the budget."""
    pairs: int | None
    """Number of pairs; None for a user's mechanism, which is not run."""
    spec: Spec
    """Reference of the mechanism, or of the file that is read."""


class EntryQuestion:
    """Question of an entry: what it may say, what is computed, and what bounds the numbers.

    A class of a question overrides what is its own. Methods raise ``UsageError`` for an entry that
    makes no sense.
    """

    measure: ClassVar[str]
    """The ``measure`` of its entries."""
    key: ClassVar[str] = ""
    """The key that chooses it among the questions of one measure; empty for that without one."""
    schema: ClassVar[str]
    """Name of the report that answers it."""
    keys: ClassVar[tuple[str, ...]] = ()
    """Keys that belong to its entries; other questions refuse them."""
    shared: ClassVar[tuple[str, ...]] = ()
    """Keys of another question that its entries may have as well."""
    prefix: ClassVar[str] = CALL
    """Prefix of a plain function of an entry: it is explored, or drawn from."""
    is_swept: ClassVar[bool] = True
    """True if a measure is swept over sizes; else :meth:`reported` or :meth:`drawn` answers."""
    of_one_size: ClassVar[bool] = False
    """True if an entry has a single size."""
    counts_draws: ClassVar[bool] = False
    """True if draws are counted: there is no law, no precision, and nothing is certain."""
    reads_file: ClassVar[bool] = False
    """True if entries name a file that is parsed, and no mechanism."""
    has_events: ClassVar[bool] = True
    """True if the worst events of its report can be drawn, as of all that is about (ε, δ)."""
    searched: ClassVar[tuple[str, ...]] = ()
    """Parameters that the question itself chooses, whatever the entry says."""

    def parameters(self, entry: Entry) -> dict[str, Any]:
        """Return what the mechanism of an entry is made with."""
        return entry.parameters

    def spec(self, entry: Entry, folder: Path) -> Spec:
        """Return the reference of an entry, with paths relative to ``folder``; nothing is run."""
        return reference(entry.mechanism, self.parameters(entry), folder)

    def check_reference(self, entry: Entry, spec: Spec) -> None:
        """Check the reference of an entry, and run nothing."""
        check_reference(entry.mechanism, Path(spec.folder))

    def known_mechanism(self, spec: Spec, entry: Entry) -> Mechanism[Any] | None:
        """Return the mechanism of an entry if no user's code makes it, else None."""
        return load(spec) if spec.source is None else None

    def measured(self, mechanism: Any, entry: Entry) -> Measure[Any, Any]:
        """Return what is computed at each size.

        ``mechanism`` may be a stand-in for one, with the budget that it states.
        """
        raise NotImplementedError

    def settings(self, entry: Entry) -> dict[str, Any]:
        """Return the settings of the plan: the budget, and the ε at which δ(ε) is wanted."""
        return {"budget": budget_of(entry)}

    def bounds(self, entry: Entry) -> tuple[Bound, ...]:
        """Return the limits on the numbers; none where the report states its own verdict."""
        return ()

    def rows(self, report: Any, bounds: Sequence[Bound]) -> list[Row]:
        """Return each number of a report that has a limit, with the verdict on it."""
        raise NotImplementedError

    def checks(self) -> Mapping[str, Callable[[Entry], None]]:
        """Return by key what raises ``UsageError`` for a value that makes no sense."""
        return {"n": self.check_sizes, "budget": self.check_budget, "at": self.check_at}

    def check_sizes(self, entry: Entry) -> None:
        """Check the sizes of an entry."""
        if entry.n is not None and len(read_sizes(entry.n)) != 1 and self.of_one_size:
            raise UsageError(f'measure = "{self.measure}" needs a single size n')

    def check_budget(self, entry: Entry) -> None:
        """Check the budget of an entry."""
        parts = budget_of(entry)
        if parts is not None:
            exact_budget(parts)

    def check_at(self, entry: Entry) -> None:
        """Check the data of an entry."""
        if isinstance(entry.at, str) and not entry.at:
            raise UsageError("it is empty")

    def check_mechanism(self, name: str) -> None:
        """Check that a mechanism of the package can be asked this."""

    def reported(self, mechanism: Any, entry: Entry, plan: Plan, spec: Spec) -> Any:
        """Return the report of a question that no sweep over sizes answers."""
        raise NotImplementedError

    def drawn(self, sampler: Any, entry: Entry, folder: Path) -> Any:
        """Return the report of what was drawn, of a question about draws."""
        raise NotImplementedError

    def answered(self, report: Any, request: AnswerRequest) -> Any:
        """Return such a report from a process, with the verdict that follows from its numbers.

        Raises ``ValueError`` for a report about anything else than the request.
        """
        raise NotImplementedError

    def chosen(self, stands_for: Any, plan: Plan) -> dict[str, str]:
        """Return the values of the parameters that are searched, as reports show them."""
        return {}

    def judged(self, report: Any, entry: Entry) -> tuple[Any, Kind, str]:
        """Return a report of draws with the verdict from its counts, its kind, and its message."""
        raise NotImplementedError

    def together(self, entries: Sequence[Entry]) -> list[Entry]:
        """Return the entries of a gate, after those of this question have shared a total.

        Samplers share one probability of failing wrongly.
        """
        return list(entries)


class OneBound(EntryQuestion):
    """Question whose budget is the largest value allowed of one number, and no (ε, δ)."""

    bounded: ClassVar[str]
    """The number, in the message that asks for its bound."""

    def settings(self, entry: Entry) -> dict[str, Any]:
        """Return settings without a budget: it is a bound."""
        return {"held": "never"}

    def bounds(self, entry: Entry) -> tuple[Bound, ...]:
        """Return the bound."""
        parts = budget_of(entry)
        if parts is None or len(parts) != 1:
            raise UsageError(f'measure = "{self.measure}" needs one number, {self.bounded}')
        return (Bound(positive(parts[0], "budget")),)

    def check_budget(self, entry: Entry) -> None:
        """Check the bound."""
        self.bounds(entry)


@cache
def entry_questions() -> tuple[EntryQuestion, ...]:
    """Return the questions that entries can ask, in the order of the table of questions."""
    return tuple(resolve_name(question.gate) for question in questions() if question.gate)


def entry_question(entry: Entry) -> EntryQuestion:
    """Return the question of an entry, chosen by its measure and by the keys that it has."""
    named = [question for question in entry_questions() if question.measure == entry.measure]
    by_key = [
        question for question in named if question.key and getattr(entry, question.key) is not None
    ]
    return [*by_key, *(question for question in named if not question.key)][0]


def entry_question_of_report(report: Any) -> EntryQuestion:
    """Return the question that a report answers."""
    return next(question for question in entry_questions() if question.schema == report.schema)


def rows_of(report: Any, bounds: Sequence[Bound]) -> list[Row]:
    """Return each number of a report that has a limit, with the verdict on it."""
    return entry_question_of_report(report).rows(report, bounds)


def shares_of(document: GateDocument) -> list[list[Enclosure]]:
    """Return for each entry the share of its limit that each of its numbers uses; 1 is all."""
    return [
        []
        if finding.report is None or entry_question_of_report(finding.report).counts_draws
        else [row.share() for row in rows_of(finding.report, finding.bounds)]
        for finding in document.mechanisms
    ]


def check_keys(entry: Entry) -> Mapping[str, Callable[[Entry], None]]:
    """Return by key what raises ``UsageError`` where an entry makes no sense.

    Keys of other questions come first: they are refused.
    """
    question = entry_question(entry)
    foreign = {
        key: _refusal(question, owner)
        for owner in entry_questions()
        for key in owner.keys
        if owner is not question
        and key not in (*question.keys, *question.shared)
        and getattr(entry, key) is not None
    }
    return {**foreign, **question.checks()}


def _refusal(question: EntryQuestion, owner: EntryQuestion) -> Callable[[Entry], None]:
    def refuse(entry: Entry) -> None:
        if owner.key and owner.measure != question.measure:
            raise UsageError(f'it does not apply to measure = "{question.measure}"')
        if owner.key:
            raise UsageError(
                f"it cannot be combined with {question.key}; leave one out"
                if question.key
                else f"it applies only with {owner.key}"
            )
        if len(owner.keys) == 1:
            raise UsageError(f'it applies only to measure = "{owner.measure}"')
        *first, last = (key.replace("_", "-") for key in owner.keys)
        raise UsageError(f'{", ".join(first)} and {last} apply only to measure = "{owner.measure}"')

    return refuse


def budget_of(entry: Entry) -> list[Any] | None:
    """Return the budget of an entry as one or two numbers, or None for the mechanism's own."""
    if entry.budget is None:
        return None
    if isinstance(entry.budget, bool):
        raise UsageError(f"{str(entry.budget).lower()} is not a number")
    return list(budget_parts(entry.budget, "must be EPSILON or [EPSILON, DELTA]"))


def positive(value: Any, name: str) -> Real:
    """Return a positive number; ``ParameterError`` for anything else."""
    if value is None or isinstance(value, (bool, list, dict)):
        raise ParameterError(name, "a number is needed")
    return PositiveParameter(name, "", "", "").read(value)
