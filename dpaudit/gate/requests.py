"""Requests of entries, and checks that an audit answers just the request of its entry.

Of a mechanism of the package everything is known here.  Of a user's, whose code is run elsewhere,
the entry says which one, of which file, with which parameters and which budget; what it is called,
what it states and how many pairs it has is its own to say.
"""

from __future__ import annotations

from dataclasses import replace as changed
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from dpaudit import results
from dpaudit.api import make_plan
from dpaudit.audit.plan import Pairs, Plan, read_sizes, sizes_of
from dpaudit.data.neighbouring import WORDS_OF_SEQUENCES
from dpaudit.errors import DpauditError, UsageError
from dpaudit.gate.entries import entry_question
from dpaudit.gate.functions import reading_of, rungs_of
from dpaudit.mechanisms import loading
from dpaudit.mechanisms.references import check_reference
from dpaudit.numbers.ball import Sign
from dpaudit.numbers.real import ONE, compare
from dpaudit.report.render import marked
from dpaudit.results.documents import asked_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dpaudit.gate.config import Entry, GateConfig
    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.mechanisms.spec import Spec


__all__ = ["Asked", "check_entry", "clean", "plan_of"]

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
    """Raise ``UsageError`` for what is wrong with an entry itself, and run no code of others.

    What a user's code makes of it is found in a process of its own.
    """
    check_reference(entry.mechanism, Path(spec.folder))
    if spec.source is not None:
        return
    question = entry_question(entry)
    question.check_mechanism(entry.mechanism)
    mechanism = loading.load(spec)
    plan = plan_of(mechanism, entry, config)
    if not question.is_swept:
        return
    measure = question.measured(mechanism, entry)
    mechanism = measure.subject(mechanism, plan)
    for n in sizes_of(mechanism, entry.n, plan.at):
        Pairs(mechanism, n, plan)


class Asked:
    """Request of one entry.

    Its methods raise ``ValueError``, or ``DpauditError`` for numbers that are none, where an audit
    is about anything else.
    """

    def __init__(self, entry: Entry, config: GateConfig, spec: Spec) -> None:
        """Build the mechanism, if it is one of the package: no code of others is run here."""
        self.entry = entry
        self.config = config
        self.question = entry_question(entry)
        self.digits = entry.digits or config.digits
        self.spec = spec
        self.mechanism: Mechanism[Any] | None = None
        if spec.source is None:
            self.mechanism = loading.load(spec)

    def renamed(self, told: results.SampleReport) -> results.SampleReport:
        """Return a report of draws that is about this entry, with a name that can be shown."""
        self._check_own(told)
        name = clean(str(told.mechanism.get("name")))
        return replace(told, mechanism=told.mechanism | {"name": name})

    def answer(self, told: results.Reported) -> results.Reported:
        """Return a report about this entry with the verdicts that follow from its numbers."""
        told = replace(told, described=told.described | {"name": clean(told.mechanism)})
        stands_for: Any = self.mechanism or self._own(told)
        plan = plan_of(stands_for, self.entry, self.config)
        sizes = self._sizes(told, plan)
        if not self.question.is_swept:
            pairs = self._pairs(sizes[0], plan)
            known: results.Reported = self.question.answered(
                told, stands_for, self.entry, plan, pairs
            )
            return known
        measure = self.question.measured(stands_for, self.entry)
        reasons = [(one.n, clean(one.reason)) for one in told.without_result]
        left = [measure.without_result(*reason) for reason in reasons]
        if self.mechanism is not None:
            stands_for = measure.subject(self.mechanism, plan)
        else:
            for key, value in self.question.chosen(stands_for, plan).items():
                _expect_same(key, value, told.parameters.get(key))
        judged = [measure.judged(one, plan, self._pairs(one.n, plan)) for one in told.results]
        cleaned = [
            replace(
                one, **{word: clean(getattr(one, word)) for word in _WORDS if hasattr(one, word)}
            )
            for one in judged
        ]
        found: results.Reported = marked(measure.report(stands_for, sizes, plan, [*cleaned, *left]))
        _expect_told(told, found)
        return found

    def _pairs(self, n: int, plan: Plan) -> int | None:
        """Return how many pairs there are at a size; None for a user's, whose code is not run."""
        return None if self.mechanism is None else Pairs(self.mechanism, n, plan).expected

    def _sizes(self, told: results.Reported, plan: Plan) -> Sequence[int]:
        """Return the sizes asked for, which are those found; a user's may mean one of its own."""
        found: Iterable[Any] = [*told.results, *told.without_result]
        sizes = sorted(one.n for one in found)
        if told.missing:
            raise ValueError(f"sizes are missing: {told.missing[:6]}")
        if self.mechanism is not None:
            asked = sizes_of(self.mechanism, self.entry.n, plan.at)
        elif self.entry.n is not None:
            asked = read_sizes(self.entry.n)
        elif len(sizes) == 1:
            asked = read_sizes(sizes)
        else:
            raise ValueError("it has other sizes than the one that the mechanism means")
        _expect("list of sizes", sizes, list(asked))
        _expect("list of sizes asked for", list(told.sizes), list(asked))
        return asked

    def _check_own(self, told: results.Reported | results.SampleReport) -> None:
        """Hold what a report says of a user's mechanism to the entry."""
        entry, loaded = self.entry, told.loaded
        for key, value in told.parameters.items():
            listed = value if isinstance(value, (list, tuple)) else [value]
            if not all(isinstance(part, str) for part in (key, *listed)):
                raise ValueError(f"the parameter {clean(key)} is no text")
            if key in entry.parameters and key not in self.question.searched:
                _expect_same(key, entry.parameters[key], value)
        if loaded is None or loaded.reference != entry.mechanism:
            raise ValueError(f"it was not loaded from {entry.mechanism}")
        if self.spec.sha256:
            _expect("file's SHA-256", loaded.sha256, self.spec.sha256)
        rungs = rungs_of(entry)
        if rungs is not None and reading_of(told) not in rungs:
            raise ValueError("it was read in a way that the entry does not accept")
        budget = getattr(told, "budget", None)
        if isinstance(budget, results.Budget) and not _is_budget(budget):
            raise ValueError(f"{budget} is no budget")

    def _own(self, told: results.Reported) -> _OwnMechanism:
        """Return what a user's mechanism says of itself, held to the entry."""
        self._check_own(told)
        entry = self.entry
        if entry.adjacency is not None:
            asked = WORDS_OF_SEQUENCES.get(entry.adjacency, entry.adjacency)
            _expect("adjacency", told.adjacency, asked)
            _expect("adjacency", told.adjacency_defaulted, False)
        if told.stated is not None and not _is_budget(told.stated):
            raise ValueError(f"{told.stated} is no budget")
        return _OwnMechanism(told)


class _OwnMechanism:
    """Stands for a user's mechanism by what a report says of it: no code of it is run here."""

    def __init__(self, told: results.Reported) -> None:
        self.name = told.mechanism
        self.stated = told.stated
        self.epsilon_unit = told.epsilon_unit
        self.names_datasets = True
        loaded = told.loaded
        assert loaded is not None
        self.loaded_from = results.Source(loaded.reference, clean(loaded.sha256))
        self._told = told

    @property
    def nominal(self) -> results.Budget:
        if self.stated is None:
            raise UsageError(f"{self.name} states no budget; give one")
        return self.stated

    def values(self) -> dict[str, Any]:
        return self._told.parameters

    def derivation(self, n: int, *, whole: bool = True) -> dict[str, Any]:
        names = (
            *("semantics", "interposed", "not_as_run", "monotone", "paths", "rest"),
            *("real_runs", "unseen_mass"),
        )
        return {name: getattr(self._told, name) for name in names}

    def adjacency(self, name: str | None = None) -> Any:
        told = self._told
        return SimpleNamespace(
            name=clean(told.adjacency), defaulted=told.adjacency_defaulted, notice=""
        )


def _is_budget(budget: results.Budget) -> bool:
    epsilon, delta = budget.epsilon, budget.delta
    if compare(delta, ONE) is not Sign.NEGATIVE:
        return False
    if budget.is_pure:
        return epsilon.sign() is Sign.POSITIVE
    return delta.sign() is Sign.POSITIVE and epsilon.sign() in (Sign.ZERO, Sign.POSITIVE)


def _expect_told(told: results.Reported, found: results.Reported) -> None:
    """Hold what an audit says it is about to what the entry asks."""
    for name, here in asked_of(found).items():
        _expect(name, asked_of(told).get(name), here)


def _expect(what: str, told: object, asked: object) -> None:
    if told != asked:
        raise ValueError(f"its {what} is {clean(str(told))}, not {clean(str(asked))}")


def _expect_same(name: str, asked: Any, told: Any) -> None:
    """Hold a parameter to the entry's: equal as text, as numbers, or as yes and no."""
    ours, theirs = _parts(asked), _parts(told)
    if len(ours) != len(theirs) or not all(map(_same, ours, theirs)):
        raise ValueError(f"its {name} is {clean(str(told))}, not {clean(str(asked))}")


def _parts(parameter: Any) -> list[str]:
    if isinstance(parameter, list):
        return [str(part) for part in parameter]
    return [part.strip() for part in str(parameter).split(",")]


def _same(left: str, right: str) -> bool:
    left, right = (_TRUTHS.get(text.lower(), text) for text in (left, right))
    try:
        return left == right or compare(left, right) is Sign.ZERO
    except DpauditError:
        return False


def clean(text: str) -> str:
    """Return text of another's as one line that any terminal and page shows."""
    line = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]} …"
