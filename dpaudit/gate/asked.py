"""What an entry asks for, and whether an audit is about just that.

Of a mechanism of the package everything is known here.  Of a user's, whose code is run elsewhere,
the entry says which one, of which file, with which parameters and which budget; what it is called,
what it states and how many pairs it has is its own to say.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from dpaudit.api import make_plan
from dpaudit.audit.result import Source, Subject
from dpaudit.audit.sizes import read_sizes, sizes_of
from dpaudit.audit.sweep import subject_of
from dpaudit.data.neighbouring import OLD_NAMES_OF_SEQUENCES
from dpaudit.errors import DpauditError, UsageError
from dpaudit.exact.ball import Sign
from dpaudit.exact.real import ONE, Real, compare, real
from dpaudit.mechanisms.base import Budget
from dpaudit.mechanisms.budgets import budget_parts
from dpaudit.mechanisms.loading import is_built_in, load_mechanism
from dpaudit.notions.question import Question, ask
from dpaudit.notions.result import NotionSubject
from dpaudit.notions.sweep import notion_subject

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from dpaudit.audit.plan import Plan
    from dpaudit.gate.config import Entry, GateConfig
    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.report.documents import AuditDocument, BudgetDocument
    from dpaudit.report.notions import NotionDocument

__all__ = ["Asked", "clean", "plan_of", "question_of", "read_budget"]

_LONGEST = 2000
_TRUTHS = {"true": "1", "yes": "1", "false": "0", "no": "0"}


def read_budget(entry: Entry) -> list[Any] | None:
    """Return the budget as one or two numbers, or None for the mechanism's own."""
    if entry.budget is None:
        return None
    if isinstance(entry.budget, bool):
        raise UsageError(f"{str(entry.budget).lower()} is not a number")
    return list(budget_parts(entry.budget, "must be EPSILON or [EPSILON, DELTA]"))


def plan_of(mechanism: Mechanism[Any], entry: Entry, config: GateConfig) -> Plan:
    """Return the plan of the audit that an entry asks for."""
    plan = make_plan(
        mechanism,
        budget=read_budget(entry) if entry.notion is None else 1,  # else it is in the question
        adjacency=entry.adjacency,
        digits=entry.digits or config.digits,
    )
    return replace(plan, precision_cap=entry.precision_cap or config.precision_cap)


def question_of(mechanism: Any, entry: Entry) -> Question:
    """Return what an entry asks that names a notion; ``mechanism`` may be what states a budget."""
    assert entry.notion is not None
    return ask(mechanism, entry.notion, order=entry.order, budget=read_budget(entry))


class Asked:
    """What one entry asks for.

    Its methods raise ``ValueError``, or ``DpauditError`` for numbers that are none, where an audit
    is about anything else.
    """

    def __init__(self, entry: Entry, config: GateConfig, folder: Path) -> None:
        """Build the mechanism, if it is one of the package: no code of others is run here."""
        self.entry = entry
        self.digits = entry.digits or config.digits
        self.folder = folder
        self.mechanism: Mechanism[Any] | None = None
        self.plan: Plan | None = None
        if is_built_in(entry.mechanism):
            self.mechanism = load_mechanism(entry.mechanism, entry.parameters, folder)
            self.plan = plan_of(self.mechanism, entry, config)

    def pairs(self, n: int) -> int | None:
        """Return how many pairs there are at a size, where that is known here."""
        if self.mechanism is None or self.plan is None:
            return None
        return self.mechanism.adjacency(self.plan.adjacency).pair_count(n)

    def sizes(self, document: AuditDocument | NotionDocument) -> tuple[int, ...]:
        """Return the sizes asked for, which are those found; a user's may mean one of its own."""
        found: Iterable[Any] = [*document.results, *document.undecided]
        told = sorted(one.n for one in found)
        if document.missing:
            raise ValueError(f"sizes are missing: {document.missing[:6]}")
        if self.mechanism is not None:
            asked = sizes_of(self.mechanism, self.entry.n)
        elif self.entry.n is not None:
            asked = read_sizes(self.entry.n)
        elif len(told) == 1:
            asked = read_sizes(told)
        else:
            raise ValueError("it has other sizes than the one that the mechanism means")
        _expect("list of sizes", told, list(asked))
        _expect("list of sizes asked for", document.sizes, list(asked))
        return asked

    def subject(self, document: AuditDocument) -> tuple[Subject, Budget]:
        """Return what an audit in ε and δ is about, and what it is held to."""
        if self.mechanism is not None and self.plan is not None:
            subject = subject_of(self.mechanism, self.plan)
            own = {"name": subject.mechanism, **subject.parameters}
            _expect("mechanism", document.mechanism, own)
            _expect("budget", _texts(document.budget), subject.budget)
            budget = self.plan.budget
        else:
            asked = read_budget(self.entry)
            if asked is None:
                budget = _budget(document.budget)
                if document.stated is not None:
                    _expect("budget", document.budget, document.stated)
            else:
                budget = _valid(*map(real, [*asked, 0][:2]))
                _expect("budget", _texts(document.budget), (str(budget.epsilon), str(budget.delta)))
            subject = Subject(
                **self._own_parts(document),
                stated=_stated(document),
                budget=_texts(document.budget),
            )
        _expect_told(document, subject)
        return subject, budget

    def measured(self, document: NotionDocument) -> tuple[NotionSubject, Question]:
        """Return what an audit in a notion is about, and what its value is held to."""
        if self.mechanism is not None and self.plan is not None:
            question = question_of(self.mechanism, self.entry)
            subject = notion_subject(self.mechanism, self.plan, question)
            own = {"name": subject.mechanism, **subject.parameters}
            _expect("mechanism", document.mechanism, own)
        else:
            budget = None if document.stated is None else _budget(document.stated)
            stands_for = SimpleNamespace(name=self.entry.mechanism, stated=budget)
            question = question_of(stands_for, self.entry)
            notion = question.notion
            epsilon = getattr(notion, "epsilon", None)
            subject = NotionSubject(
                **self._own_parts(document),
                stated=_stated(document),
                notion=notion.name,
                order=notion.order_text,
                symbol=notion.symbol,
                label=notion.label,
                budget=str(question.budget),
                budget_epsilon=None if epsilon is None else str(epsilon),
                implied=question.implied,
            )
        _expect_told(document, subject)
        told = document.notion
        _expect("notion", (told.name, told.order), (subject.notion, subject.order))
        _expect("budget", (told.epsilon, document.budget), (subject.budget_epsilon, subject.budget))
        return subject, question

    def _own_parts(self, document: AuditDocument | NotionDocument) -> dict[str, Any]:
        """Return what a user's mechanism is and how it was looked at, held to the entry."""
        entry, loaded = self.entry, document.loaded
        parameters = dict(document.mechanism)
        name = clean(str(parameters.pop("name", "")))
        for key, value in parameters.items():
            listed = value if isinstance(value, list) else [value]
            if not all(isinstance(part, str) for part in (key, *listed)):
                raise ValueError(f"the parameter {clean(key)} is no text")
            if key in entry.parameters:
                _expect_same(key, entry.parameters[key], value)
        if loaded is None or loaded.reference != entry.mechanism:
            raise ValueError(f"it was not loaded from {entry.mechanism}")
        source = entry.mechanism.rpartition(":")[0]
        if source.endswith(".py"):
            try:
                content = (self.folder / source).read_bytes()
            except OSError as error:
                raise ValueError(f"{source} cannot be read: {error.strerror}") from None
            _expect("file's SHA-256", loaded.sha256, hashlib.sha256(content).hexdigest())
        if entry.adjacency is not None:
            asked = OLD_NAMES_OF_SEQUENCES.get(entry.adjacency, entry.adjacency)
            _expect("adjacency", document.adjacency, asked)
            _expect("adjacency", document.adjacency_defaulted, False)
        return {
            "mechanism": name,
            "parameters": parameters,
            "adjacency": clean(document.adjacency),
            "at": None,
            "digits": self.digits,
            "loaded": Source(loaded.reference, clean(loaded.sha256)),
            "adjacency_defaulted": document.adjacency_defaulted,
        }


def _expect_told(
    document: AuditDocument | NotionDocument, subject: Subject | NotionSubject
) -> None:
    """Hold what a document is about to what it must be about."""
    stated = None if document.stated is None else _texts(document.stated)
    _expect("stated budget", stated, subject.stated)
    _expect("adjacency", clean(document.adjacency), subject.adjacency)
    _expect("at", document.at, None)
    _expect("digits", document.digits, subject.digits)
    _expect("relation by default", document.adjacency_defaulted, subject.adjacency_defaulted)
    _expect("unit of ε", document.epsilon_unit, subject.epsilon_unit)


def _texts(budget: BudgetDocument) -> tuple[str, str]:
    return budget.epsilon, budget.delta


def _stated(document: AuditDocument | NotionDocument) -> tuple[str, str] | None:
    """Return what a user's mechanism states, as text."""
    if document.stated is None:
        return None
    _budget(document.stated)
    return _texts(document.stated)


def _budget(told: BudgetDocument) -> Budget:
    """Return a budget that was told."""
    return _valid(*map(real, _texts(told)))


def _valid(epsilon: Real, delta: Real) -> Budget:
    """Return a budget that is one: ε > 0 and 0 ≤ δ < 1."""
    positive = epsilon.sign() is Sign.POSITIVE and delta.sign() in (Sign.ZERO, Sign.POSITIVE)
    if not positive or compare(delta, ONE) is not Sign.NEGATIVE:
        raise ValueError(f"({clean(str(epsilon))}, {clean(str(delta))}) is no budget")
    return Budget(epsilon, delta)


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
