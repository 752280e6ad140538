"""Derivations: a statement follows from instances of others, and the engine checks that it does.

A derivation states what it proves, and what it uses: facts of the vocabulary by name, or other
evidence, each at terms that are put in for its variables.  There are two steps of inference.

* *Algebra*, for equations: both sides are quotients of polynomials in the variables and in the
  function values that occur ("atoms"); Γ at arguments a whole number apart is reduced to the
  smallest of them, equations that are used rewrite powers of atoms, and what is left must be 0.
* *Arithmetic*, for everything else: a solver refutes domain ∧ instances ∧ not proposition, with
  every atom a free real.  First monomials are free reals too, which makes it linear; then products
  are what they are.

So nothing about a function is known but what is used and the lines of :mod:`dpaudit.claims.atoms`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import islice, permutations
from typing import ClassVar

from dpaudit.claims.algebra import identical
from dpaudit.claims.arithmetic import contradiction, has_point
from dpaudit.claims.atoms import ONE
from dpaudit.claims.certificate import BoxCertificate, OrthantCertificate, SumOfProducts
from dpaudit.claims.claim import Evidence, EvidenceResult, Settings, Status, checked
from dpaudit.claims.elementary import Undefined
from dpaudit.claims.evaluate import certain
from dpaudit.claims.evidence import Counterexample, Fact, Identity, SMTProof, Sweep
from dpaudit.claims.exhaustion import Exhaustion
from dpaudit.claims.instances import at_one, solved_for, without_all
from dpaudit.claims.meaning import OF_LISTS, check_term, conditions_of, is_whole
from dpaudit.claims.points import points
from dpaudit.claims.polynomial import FormulaError
from dpaudit.claims.statement import Read, formula_text, read
from dpaudit.claims.terms import Term, parse, substitute
from dpaudit.claims.vocabulary import by_example, vocabulary
from dpaudit.results.claims import Statement

__all__ = ["ENGINE", "Derivation", "Use", "entailed", "follows", "refused", "undefined"]


_RENAMINGS = 24
"""Largest number of renamings of the variables of pieces that are tried, each by a quick query."""
_RENAMED_SECONDS = 1.0
"""Time limit of a solver for one query about a renaming, in seconds."""


@dataclass(frozen=True)
class Use:
    """An instance of something that holds."""

    of: str | Evidence
    """The name of a fact of the vocabulary, or evidence that states what it proves."""
    at: Mapping[str, str] = field(default_factory=dict)
    """Terms substituted for its variables; those left out keep their names."""


def _instance(
    use: Use, sorts: Mapping[str, str], solved: Mapping[str, Term]
) -> tuple[tuple[Term, ...], Term]:
    """Return the conditions and the conclusion of an instance; ``FormulaError`` for a bad one."""
    if isinstance(use.of, str):
        if use.of not in vocabulary().facts:
            raise FormulaError(f"{use.of!r} is no fact of the vocabulary")
        statement: Statement | None = vocabulary().facts[use.of]
    else:
        statement = use.of.states()
    if statement is None or statement.quantifier != "forall":
        raise FormulaError("what is used states no universal proposition")
    used = read(statement)
    if unknown := use.at.keys() - set(used.names):
        raise FormulaError(f"{', '.join(sorted(unknown))} is no variable of what is used")
    values = {name: parse(use.at.get(name, name)) for name in used.names}
    conditions = [substitute(part, values) for part in used.domain]
    for name, sort in used.sorts:
        if values[name].free() - sorts.keys():
            raise FormulaError(f"{values[name]} has variables that are not of the statement")
        if sort in OF_LISTS:
            if sorts.get(str(values[name].value)) not in (sort, "integers"):
                raise FormulaError(f"{values[name]} is put in for {name}, a list of {sort}")
            continue
        check_term(values[name], proposition=False, sorts=sorts)
        if sort != "real" and not is_whole(values[name], sorts):
            raise FormulaError(f"{values[name]} is put in for the whole number {name}")
        conditions += conditions_of(values[name], sorts)
    conclusion = substitute(used.proposition, values)
    return tuple(substitute(c, solved) for c in conditions), substitute(conclusion, solved)


def follows(
    parsed: Read,
    uses: Sequence[Use],
    settings: Settings,
    *,
    products: bool = True,
    meaning_alone: bool = False,
) -> str:
    """Return why a universal statement does not follow from instances; empty if it does.

    Args:
        parsed: the statement.
        uses: the instances.
        settings: how it is checked.
        products: whether products of unknowns are what they are.
        meaning_alone: whether all that is asked is that it has a meaning all over its domain.
    """
    sorts = dict(parsed.sorts)
    if not parsed.forall:
        return "an existential statement needs a point, not a derivation"
    values = solved_for(parsed)
    domain = [substitute(part, values) for part in parsed.domain]
    proposition = substitute(parsed.proposition, values)

    def holds(goal: Term, given: Sequence[Term]) -> bool:
        if not goal.free() and _certainly(goal):
            return True  # a proposition about numbers, decided in balls
        bound, (*ranges, body) = without_all(goal, sorts)
        instances = [one for part in given for name in bound for one in at_one(part, name)]
        refuted = [*given, *instances, *ranges, Term("not", (body,))]
        return contradiction(refuted, {**sorts, **bound}, settings, products=products)

    given = list(domain)
    equations: list[Term] = []
    for use in uses:
        conditions, conclusion = _instance(use, sorts, values)
        links = conclusion.args if conclusion.head == "and" else (conclusion,)
        if all(holds(condition, given) for condition in conditions):
            given += links
            if isinstance(use.of, (str, Derivation)):  # defined where it was derived
                given += [c for p in (*conditions, conclusion) for c in conditions_of(p, sorts)]
            equations += [link for link in links if link.head == "=="]
        else:
            given.append(Term("or", (*(Term("not", (c,)) for c in conditions), conclusion)))
    for condition in dict.fromkeys(
        c for part in (*domain, proposition) for c in conditions_of(part, sorts)
    ):
        if not holds(condition, given):
            return f"it is not shown that {condition} on the domain"
    if meaning_alone:
        return ""
    goals = proposition.args if proposition.head == "and" else (proposition,)
    for goal in goals:
        if (
            goal.head == "=="
            and identical(goal, equations)
            and _defined([c for e in equations for c in conditions_of(e, sorts)], given, holds)
        ):
            continue
        if not holds(goal, given):
            return f"{goal} does not follow"
    return ""


def _defined(
    conditions: Sequence[Term],
    given: Sequence[Term],
    holds: Callable[[Term, Sequence[Term]], bool],
) -> bool:
    return all(holds(condition, given) for condition in dict.fromkeys(conditions))


def _certainly(goal: Term) -> bool:
    try:
        return certain(goal, {}) is True and not by_example(goal)
    except Undefined:
        return False


def entailed(statement: Statement, pieces: Sequence[Evidence], settings: Settings) -> str:
    """Return why a statement does not follow from what pieces of evidence state; empty if it does.

    The variables of a piece are those of the statement with the same names, or, for a piece alone,
    a renaming of them: the first few, in the order in which the variables are named, and quickly.
    """
    parsed = read(statement)
    names = set(parsed.names)
    stating = [(piece, own) for piece in pieces if (own := _names(piece)) is not None]
    alike = [Use(piece) for piece, own in stating if set(own) <= names]
    if not (reason := _tried(parsed, alike, settings)):
        return ""
    renamings = (
        Use(piece, dict(zip(own, chosen, strict=True)))
        for piece, own in stating
        for chosen in permutations(parsed.names, len(own))
        if tuple(own) != chosen
    )
    quick = replace(settings, timeout_seconds=min(_RENAMED_SECONDS, settings.timeout_seconds))
    for renamed in islice(renamings, _RENAMINGS):
        if not _tried(parsed, [renamed], quick):
            return ""
    return reason


def undefined(statement: Statement, pieces: Sequence[Evidence], settings: Settings) -> str:
    """Return why a statement is not seen to have a meaning all over its domain; empty if it is.

    Args:
        statement: a universal statement.
        pieces: evidence that holds, whose variables are those of the statement.
        settings: how it is checked.
    """
    parsed = read(statement)
    names = set(parsed.names)
    uses = [Use(p) for p in pieces if (own := _names(p)) is not None and set(own) <= names]
    try:
        return follows(parsed, uses, settings, meaning_alone=True)
    except FormulaError as error:
        return str(error)


def _both(parts: Sequence[Term]) -> Term:
    return Term("and", (Term("==", (ONE, ONE)), *parts))


def _names(piece: Evidence) -> list[str] | None:
    """Return the variables of what a piece states; None for one that states nothing to be read."""
    try:
        statement = piece.states()
        return None if statement is None else read(statement).names
    except (FormulaError, RecursionError):
        return None


def _tried(parsed: Read, uses: Sequence[Use], settings: Settings) -> str:
    try:
        return follows(
            parsed, uses, replace(settings, timeout_seconds=min(30.0, settings.timeout_seconds))
        )
    except FormulaError as error:
        return str(error)


@dataclass(frozen=True, kw_only=True)
class Derivation(Evidence):
    """A typed statement that follows from what it uses, which is checked with it."""

    kind: ClassVar[str] = "derivation"

    proves: Statement
    """Statement that it proves."""
    uses: tuple[Use, ...] = ()
    """Facts and evidence that it follows from, besides arithmetic and algebra."""
    induction: tuple[str, str] | None = None
    """A whole variable and where it starts, to prove it by induction."""

    def states(self) -> Statement:
        """Return what it proves."""
        return self.proves

    def check(self, settings: Settings) -> EvidenceResult:
        try:
            for use in self.uses:
                if isinstance(use.of, Evidence):
                    if reason := refused(use.of, settings):
                        return EvidenceResult(Status.UNDECIDED, f"“{use.of.title}”: {reason}")
                    result = checked(use.of, settings)
                    if result.status is not Status.HOLDS:
                        return EvidenceResult(result.status, f"“{use.of.title}”: {result.detail}")
            parsed = read(self.proves)
            if not (has_point(parsed, settings) or points(parsed, 12)):
                return EvidenceResult(Status.FAILS, "no point of its domain was found")
            reason = self._failure(parsed, settings)
        except FormulaError as error:
            return EvidenceResult(Status.FAILS, str(error))
        if reason:
            return EvidenceResult(Status.UNDECIDED, reason)
        return EvidenceResult(Status.HOLDS, f"follows from {len(self.uses)} instances")

    def _failure(self, parsed: Read, settings: Settings) -> str:
        if self.induction is None:
            return follows(parsed, self.uses, settings)
        name, start = self.induction[0], parse(self.induction[1])
        sorts = dict(parsed.sorts)
        if sorts.get(name) not in ("integer", "natural") or name in start.free():
            return f"induction over {name} needs a whole variable and a start without it"
        if start.free() - sorts.keys() or not is_whole(start, sorts):
            return f"{start} is no whole number to start from"
        here = Term("name", value=name)
        first, after = {name: start}, {name: Term("+", (here, ONE))}
        begun = Term(">=", (here, start))

        def at(values: Mapping[str, Term]) -> tuple[Term, ...]:
            return tuple(substitute(part, values) for part in parsed.domain)

        def step(domain: tuple[Term, ...], goal: Term) -> str:
            return follows(replace(parsed, domain=domain, proposition=goal), self.uses, settings)

        later = (*at(after), begun)
        closed = replace(parsed, domain=later, proposition=_both(parsed.domain))
        return (
            follows(replace(parsed, proposition=begun), (), settings)
            or step(at(first), substitute(parsed.proposition, first))
            or follows(closed, (), settings)
            or step(
                (*later, *parsed.domain, parsed.proposition), substitute(parsed.proposition, after)
            )
        )

    def explain(self) -> str:
        lines = [formula_text(self.proves)]
        if self.induction is not None:
            lines.append(f"by induction over {self.induction[0]} from {self.induction[1]} on")
        for use in self.uses:
            name = use.of if isinstance(use.of, str) else use.of.title
            where = ", ".join(f"{variable} = {text}" for variable, text in use.at.items())
            lines.append(f"by “{name}”{' at ' if where else ''}{where}")
        return "\n".join(lines)


ENGINE: tuple[type[Evidence], ...] = (
    BoxCertificate,
    Counterexample,
    Derivation,
    Exhaustion,
    Fact,
    Identity,
    OrthantCertificate,
    SMTProof,
    SumOfProducts,
    Sweep,
)
"""The kinds of evidence whose checks are the engine's own."""


def refused(piece: Evidence, settings: Settings) -> str:
    """Return why the check of a piece of evidence is not asked at all; empty if it is.

    Only classes of the engine are asked, as they are, and those that the reader trusts by name.
    """
    kind = type(piece)
    name = f"{kind.__module__.removeprefix('dpaudit_claims_')}:{kind.__qualname__}"
    if any(kind is own for own in ENGINE):
        if vars(piece).keys() != {field.name for field in fields(piece)}:
            return "what it does was replaced"
    elif name not in settings.trusted:
        return (
            f"{kind.__module__}:{kind.__qualname__} is not a kind of evidence of the engine, and "
            "is not trusted (--trust)"
        )
    return "" if piece.title.isprintable() else "its title is not one line"
