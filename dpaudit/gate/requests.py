"""Requests of entries, and checks that an audit answers just the request of its entry.

A mechanism of the package is loaded here, so that everything about it can be checked.  The code of
a user's mechanism runs in another process.  Its entry gives the file, the name, the parameters and
the budget; only its title, the budget that it states and its number of pairs come from the report.
"""

from __future__ import annotations

from dataclasses import replace as changed
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from dpaudit import results
from dpaudit.api import make_plan
from dpaudit.audit.plan import Pairs, Plan, read_sizes, sizes_of
from dpaudit.data.neighbouring import WORDS_OF_SEQUENCES
from dpaudit.errors import DpauditError, UsageError
from dpaudit.gate.entries import AnswerRequest, entry_question
from dpaudit.gate.functions import reading_of, rungs_of
from dpaudit.numbers.ball import Sign
from dpaudit.numbers.real import ONE, compare
from dpaudit.report.render import marked
from dpaudit.results.documents import asked_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dpaudit.gate.config import Entry, GateConfig
    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.mechanisms.spec import Spec


__all__ = ["EntryRequest", "check_entry", "clean", "plan_of"]

_LONGEST = 2000
_WORDS = ("reason", "note", "no_error")
_TRUTHS = {"true": "1", "yes": "1", "false": "0", "no": "0"}


def plan_of(mechanism: Mechanism[Any], entry: Entry, config: GateConfig) -> Plan:
    """Return the plan of the sweep that an entry asks for."""
    digits = entry.digits or config.digits
    plan = make_plan(
        mechanism,
        adjacency=entry.adjacency,
        at=_at(entry),
        digits=digits,
        **entry_question(entry).settings(entry),
    )
    return changed(plan, precision_cap=entry.precision_cap or config.precision_cap)


def _at(entry: Entry) -> str | list[int] | None:
    """Return the data of an entry as any mechanism reads them: counts without spaces."""
    counts = entry.at.split(",") if isinstance(entry.at, str) else []
    if counts and all(count.strip().isdecimal() for count in counts):
        return ",".join(count.strip() for count in counts)
    return entry.at


def check_entry(entry: Entry, config: GateConfig, spec: Spec) -> None:
    """Raise ``UsageError`` for a mistake in an entry itself, without running a user's code.

    Mistakes that only the user's code can find are reported by the process that runs it.
    """
    question = entry_question(entry)
    question.check_reference(entry, spec)
    mechanism = question.known_mechanism(spec, entry)
    if mechanism is None:
        return
    question.check_mechanism(entry.mechanism)
    plan = plan_of(mechanism, entry, config)
    if not question.is_swept:
        return
    measure = question.measured(mechanism, entry)
    mechanism = measure.subject(mechanism, plan)
    for n in sizes_of(mechanism, entry.n, plan.at):
        Pairs(mechanism, n, plan)


class EntryRequest:
    """Request of one entry, which a report from the entry's process has to answer.

    Its methods raise ``ValueError`` for a report about anything else, and ``DpauditError`` for one
    whose numbers cannot be read.
    """

    def __init__(self, entry: Entry, config: GateConfig, spec: Spec) -> None:
        """Build the mechanism, if it is one of the package: no code of others is run here."""
        self.entry = entry
        self.config = config
        self.question = entry_question(entry)
        self.digits = entry.digits or config.digits
        self.spec = spec
        self.mechanism: Mechanism[Any] | None = self.question.known_mechanism(spec, entry)

    def renamed(self, report: results.SampleReport) -> results.SampleReport:
        """Return a report of draws that is about this entry, with a name that can be shown."""
        self._check_own(report)
        name = clean(str(report.mechanism.get("name")))
        return replace(report, mechanism=report.mechanism | {"name": name})

    def answer(self, report: results.Reported) -> results.Reported:
        """Return a report about this entry with the verdicts that follow from its numbers."""
        report = replace(report, described=report.described | {"name": clean(report.mechanism)})
        stands_for: Any = self.mechanism or self._own(report)
        plan = plan_of(stands_for, self.entry, self.config)
        sizes = self._sizes(report, plan)
        if not self.question.is_swept:
            pairs = self._pairs(sizes[0], plan)
            request = AnswerRequest(stands_for, self.entry, plan, pairs, self.spec)
            answered: results.Reported = self.question.answered(report, request)
            return answered
        measure = self.question.measured(stands_for, self.entry)
        reasons = [(result.n, clean(result.reason)) for result in report.without_result]
        unanswered = [measure.without_result(*reason) for reason in reasons]
        if self.mechanism is not None:
            stands_for = measure.subject(self.mechanism, plan)
        else:  # a search would run the user's code: its choice is compared by name instead
            for key, value in self.question.chosen(stands_for, plan).items():
                _expect_same(key, value, report.parameters.get(key))
        judged = [
            measure.judged(result, plan, self._pairs(result.n, plan)) for result in report.results
        ]
        cleaned = [
            replace(
                result,
                **{word: clean(getattr(result, word)) for word in _WORDS if hasattr(result, word)},
            )
            for result in judged
        ]
        results_of_all = [*cleaned, *unanswered]
        derived: results.Reported = marked(measure.report(stands_for, sizes, plan, results_of_all))
        # The answer itself may not change what was asked: a report could be about another budget.
        _expect_request(report, derived)
        return derived

    def _pairs(self, n: int, plan: Plan) -> int | None:
        """Return the number of pairs at a size; None for a user's mechanism: it is not run."""
        return None if self.mechanism is None else Pairs(self.mechanism, n, plan).expected

    def _sizes(self, report: results.Reported, plan: Plan) -> Sequence[int]:
        """Return the sizes that the entry asks for; ``ValueError`` if the report has others.

        Where the entry names none, a user's mechanism may choose one size itself.
        """
        reported: Iterable[Any] = [*report.results, *report.without_result]
        sizes = sorted(result.n for result in reported)
        if report.missing:
            raise ValueError(f"sizes are missing: {report.missing[:6]}")
        if self.mechanism is not None:
            requested = sizes_of(self.mechanism, self.entry.n, plan.at)
        elif self.entry.n is not None:
            requested = read_sizes(self.entry.n)
        elif len(sizes) == 1:
            requested = read_sizes(sizes)
        else:
            raise ValueError("its sizes differ from the one that the mechanism has")
        _expect("list of sizes", sizes, list(requested))
        _expect("list of requested sizes", list(report.sizes), list(requested))
        return requested

    def _check_own(self, report: results.Reported | results.SampleReport) -> None:
        """Raise ``ValueError`` if a report says of a user's mechanism anything but the entry."""
        entry, loaded = self.entry, report.loaded
        for key, value in report.parameters.items():
            listed = value if isinstance(value, (list, tuple)) else [value]
            if not all(isinstance(part, str) for part in (key, *listed)):
                raise ValueError(f"the parameter {clean(key)} is not a text")
            if key in entry.parameters and key not in self.question.searched:
                _expect_same(key, entry.parameters[key], value)
        if loaded is None or loaded.reference != entry.mechanism:
            raise ValueError(f"it was not loaded from {entry.mechanism}")
        if self.spec.sha256:
            _expect("file's SHA-256", loaded.sha256, self.spec.sha256)
        rungs = rungs_of(entry)
        if rungs is not None and reading_of(report) not in rungs:
            raise ValueError("it was audited in a reading that the entry does not accept")
        budget = getattr(report, "budget", None)
        if isinstance(budget, results.Budget) and not _is_budget(budget):
            raise ValueError(f"{budget} is no budget")

    def _own(self, report: results.Reported) -> _OwnMechanism:
        """Return a stand-in with the properties that a report states of a user's mechanism.

        Raises ``ValueError`` where they differ from the entry.
        """
        self._check_own(report)
        entry = self.entry
        if entry.adjacency is not None:
            adjacency = WORDS_OF_SEQUENCES.get(entry.adjacency, entry.adjacency)
            _expect("adjacency", report.adjacency, adjacency)
            _expect("adjacency", report.adjacency_defaulted, False)
        if report.stated is not None and not _is_budget(report.stated):
            raise ValueError(f"{report.stated} is no budget")
        return _OwnMechanism(report)


class _OwnMechanism:
    """Stand-in for a user's mechanism, made from its report: none of its code runs here."""

    def __init__(self, report: results.Reported) -> None:
        self.name = report.mechanism
        self.stated = report.stated
        self.epsilon_unit = report.epsilon_unit
        self.default_size = None if getattr(report, "sized", True) else 1
        self.names_datasets = True
        loaded = report.loaded
        assert loaded is not None
        self.loaded_from = results.Source(loaded.reference, clean(loaded.sha256))
        self._report = report

    @property
    def nominal(self) -> results.Budget:
        if self.stated is None:
            raise UsageError(f"{self.name} states no budget; give one")
        return self.stated

    def values(self) -> dict[str, Any]:
        return self._report.parameters

    def derivation(self, n: int, *, whole: bool = True) -> dict[str, Any]:
        names = (
            *("semantics", "interposed", "not_as_run", "monotone", "paths", "rest"),
            *("real_runs", "unseen_mass"),
        )
        return {name: getattr(self._report, name) for name in names}

    def adjacency(self, name: str | None = None) -> Any:
        report = self._report
        return SimpleNamespace(
            name=clean(report.adjacency), defaulted=report.adjacency_defaulted, notice=""
        )


def _is_budget(budget: results.Budget) -> bool:
    epsilon, delta = budget.epsilon, budget.delta
    if compare(delta, ONE) is not Sign.NEGATIVE:
        return False
    if budget.is_pure:
        return epsilon.sign() is Sign.POSITIVE
    return delta.sign() is Sign.POSITIVE and epsilon.sign() in (Sign.ZERO, Sign.POSITIVE)


def _expect_request(report: results.Reported, derived: results.Reported) -> None:
    """Raise ``ValueError`` if a report is about something else than the entry asks."""
    for name, expected in asked_of(derived).items():
        _expect(name, asked_of(report).get(name), expected)


def _expect(name: str, reported: object, expected: object) -> None:
    if reported != expected:
        raise ValueError(f"its {name} is {clean(str(reported))}, not {clean(str(expected))}")


def _expect_same(name: str, expected: Any, reported: Any) -> None:
    """Raise ``ValueError`` unless a parameter is the entry's: as text, as number, or as yes or no.

    Texts may differ where values do not: ``4/5`` and ``0.8``, ``true`` and ``1``.
    """
    ours, theirs = _parts(expected), _parts(reported)
    if len(ours) != len(theirs) or not all(map(_same, ours, theirs)):
        raise ValueError(f"its {name} is {clean(str(reported))}, not {clean(str(expected))}")


def _parts(parameter: Any) -> list[str]:
    if isinstance(parameter, list):
        return [str(part) for part in parameter]
    return [part.strip() for part in str(parameter).split(",")]


def _same(first: str, second: str) -> bool:
    first, second = (_TRUTHS.get(text.lower(), text) for text in (first, second))
    try:
        return first == second or compare(first, second) is Sign.ZERO
    except DpauditError:
        return False


def clean(text: str) -> str:
    """Return untrusted text as one line that is safe to print: control characters are escaped."""
    line = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]} …"
