"""Derivations: a statement follows from instances of others, and the engine checks that it does.

A derivation states what it proves, and what it uses: facts of the vocabulary by name, or other
evidence, each at terms that are put in for its variables.  There are two steps of inference.

* *Algebra*, for equations: both sides are quotients of polynomials in the variables and in the
  function values that occur ("atoms"); Γ at arguments a whole number apart is reduced to the
  smallest of them, equations that are used rewrite powers of atoms, and what is left must be 0.
* *Arithmetic*, for everything else: a solver refutes domain ∧ instances ∧ not proposition, with
  every atom a free real.  First monomials are free reals too, which makes it linear; then products
  are what they are.

So nothing about a function is known but what is used and the few lines of :func:`_known`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import permutations
from typing import ClassVar

from dpaudit.claims.claim import Evidence, EvidenceResult, Settings, Status, checked
from dpaudit.claims.evaluate import certain
from dpaudit.claims.evidence import SOLVERS
from dpaudit.claims.polynomial import FormulaError, Polynomial, constant, variable
from dpaudit.claims.statement import Read, formula_text, points, read
from dpaudit.claims.terms import BINDERS, RELATIONS, Term, parse, substitute
from dpaudit.claims.vocabulary import vocabulary
from dpaudit.results.claims import Statement

__all__ = ["Derivation", "Use", "entailed", "follows"]


@dataclass(frozen=True)
class Use:
    """An instance of something that holds."""

    of: str | Evidence
    """The name of a fact of the vocabulary, or evidence that states what it proves."""
    at: Mapping[str, str] = field(default_factory=dict)
    """What is put in for its variables; those left out keep their names."""


class _Atoms:
    """Function values as names of reals, equal ones alike, with what is known of each."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.known: list[Term] = []
        self.gammas: dict[str, Polynomial] = {}

    def atom(self, term: Term) -> str:
        """Return the name of the value of ``term``, which is no polynomial."""
        key = self.key(term)
        if key not in self.names:
            name = f"_{len(self.names)}"
            self.names[key] = name
            if term.head == "gamma":
                self.gammas[name] = self.polynomial(term.args[0])
            self.known += _known(term, Term("name", value=name))
        return self.names[key]

    def key(self, term: Term) -> str:
        """Return the same text for terms that are equal by their arguments as polynomials."""
        if term.head == "text" or term.head in BINDERS:
            return str(term)
        inner = (
            self.key(arg) if arg.head in ("tuple", "text") else str(self.polynomial(arg))
            for arg in term.args
        )
        return f"{term.head}({', '.join(inner)})"

    def polynomial(self, term: Term) -> Polynomial:
        """Return a term as a polynomial in variables and atoms."""
        match term.head:
            case "number":
                return constant(Fraction(term.value))
            case "name" if term.value != "pi":
                return variable(str(term.value))
            case "neg":
                return -self.polynomial(term.args[0])
            case "+" | "-" | "*" as head:
                left, right = (self.polynomial(arg) for arg in term.args)
                return (
                    left + right if head == "+" else left - right if head == "-" else left * right
                )
            case "/":
                divisor = self.polynomial(term.args[1])
                if not divisor.variables() and divisor.terms:
                    return self.polynomial(term.args[0]) * constant(1 / divisor.constant_term())
            case "^":
                power = self.polynomial(term.args[1])
                q = power.constant_term()
                if not power.variables() and q.denominator == 1 and 0 <= q <= 20:
                    return self.polynomial(term.args[0]) ** int(q)
        return variable(self.atom(term))


_ONE = Term("number", value=Fraction(1))

_PI = ("3.1415926535", "3.1415926536")


def _known(term: Term, name: Term) -> list[Term]:
    """Return what holds of the value ``name`` of a term, wherever the term is defined."""

    def relation(head: str, left: Term, right: Term) -> Term:
        return Term(head, (left, right))

    zero = Term("number", value=Fraction(0))

    def when(condition: Term, *then: Term) -> list[Term]:
        return [Term("or", (Term("not", (condition,)), Term("and", then)))]

    match term.head:
        case "sqrt":
            squared = relation("==", Term("*", (name, name)), term.args[0])
            return when(relation(">=", term.args[0], zero), squared, relation(">=", name, zero))
        case "/":
            times = relation("==", Term("*", (name, term.args[1])), term.args[0])
            return when(relation("!=", term.args[1], zero), times)
        case "exp":
            at_zero = when(relation("==", term.args[0], zero), relation("==", name, _ONE))
            return [relation(">", name, zero), *at_zero]
        case "log":
            return when(relation("==", term.args[0], _ONE), relation("==", name, zero))
        case "gamma":
            return when(relation(">", term.args[0], zero), relation(">", name, zero))
        case "pi" | "name":
            low, high = (Term("number", value=Fraction(text)) for text in _PI)
            return [relation("<", low, name), relation("<", name, high)]
        case "abs":
            minus = Term("neg", (name,))
            choices = (relation("==", term.args[0], name), relation("==", term.args[0], minus))
            return [relation(">=", name, zero), Term("or", choices)]
        case "max" | "min" as head:
            side = ">=" if head == "max" else "<="
            equal = tuple(relation("==", name, arg) for arg in term.args)
            bounds = [relation(side, name, arg) for arg in term.args]
            return [*bounds, Term("or", equal) if len(equal) > 1 else equal[0]]
    return []


# -- arithmetic -----------------------------------------------------------------------------------


class _Query:
    """A query to a solver: do these propositions contradict each other?"""

    def __init__(self, sorts: Mapping[str, str], *, linear: bool) -> None:
        self.sorts = sorts
        self.linear = linear
        self.atoms = _Atoms()
        self.declared: dict[str, str] = {}
        self.monomials: dict[tuple[tuple[str, int], ...], str] = {}
        self.asserted: list[str] = []

    def add(self, proposition: Term) -> None:
        self.asserted.append(self.text(proposition))

    def text(self, term: Term) -> str:
        match term.head:
            case "and" | "or" as head:
                return f"({head} {' '.join(self.text(arg) for arg in term.args)})"
            case "not":
                return f"(not {self.text(term.args[0])})"
            case head if head in RELATIONS:
                difference = self.atoms.polynomial(term.args[0]) - self.atoms.polynomial(
                    term.args[1]
                )
                smt = {"==": "=", "!=": "distinct"}.get(head, head)
                return f"({smt} {self.number(difference)} 0.0)"
            case head if head in ("all", "any"):
                name = self.atoms.atom(term)
                return f"(= {self.named(name)} 1.0)"
        raise FormulaError(f"{term} is not a proposition")

    def number(self, polynomial: Polynomial) -> str:
        parts = []
        for monomial, q in polynomial.terms:
            size = f"(/ {abs(q.numerator)}.0 {q.denominator}.0)"
            coefficient = size if q > 0 else f"(- {size})"
            parts.append(f"(* {coefficient} {self.product(monomial)})" if monomial else coefficient)
        return f"(+ {' '.join(parts)})" if len(parts) > 1 else (parts or ["0.0"])[0]

    def product(self, monomial: tuple[tuple[str, int], ...]) -> str:
        factors = [self.named(name) for name, power in monomial for _ in range(power)]
        if len(factors) == 1:
            return factors[0]
        if not self.linear:
            return f"(* {' '.join(factors)})"
        if monomial not in self.monomials:
            self.monomials[monomial] = f"m{len(self.monomials)}_"
            self.declared[self.monomials[monomial]] = "Real"
        return self.monomials[monomial]

    def named(self, name: str) -> str:
        whole = self.sorts.get(name, "real") != "real"
        smt = f"v_{name}"
        self.declared[smt] = "Int" if whole else "Real"
        return f"(to_real {smt})" if whole else smt

    def refuted(self, settings: Settings) -> bool | None:
        """Return whether every solver finds a contradiction; None if one gives up."""
        done = 0
        while done < len(self.atoms.known):  # what is known of an atom may name further ones
            self.add(self.atoms.known[done])
            done += 1
        whole = "Int" in self.declared.values()
        logic = "ALL" if whole else "QF_LRA" if self.linear else "QF_NRA"
        lines = [f"(set-logic {logic})"]
        lines += [f"(declare-fun {name} () {sort})" for name, sort in self.declared.items()]
        lines += [f"(assert {text})" for text in self.asserted]
        text = "\n".join([*lines, "(check-sat)"]) + "\n"
        answers = {SOLVERS[name](text, settings.timeout_seconds) for name in settings.solvers}
        return True if answers == {"unsat"} else False if "sat" in answers else None


def _contradiction(
    propositions: Sequence[Term], sorts: Mapping[str, str], settings: Settings, *, products: bool
) -> bool:
    """Return whether the propositions certainly contradict each other."""
    ways: list[tuple[bool, Mapping[str, str]]] = [(True, sorts)]
    if products:
        ways.append((False, {}))
        ways += [(False, sorts)] if any(sort != "real" for sort in sorts.values()) else []
    for linear, kept in ways:
        query = _Query(kept, linear=linear)
        for proposition in propositions:
            query.add(proposition)
        if query.refuted(settings) is True:
            return True
    return False


def _conditions(term: Term) -> Iterable[Term]:
    """Iterate over what must hold for the parts of a term to be defined."""
    zero = Term("number", value=Fraction(0))
    for part in term.walk():
        if part.head == "/" and part.args[1].head != "number":
            yield Term("!=", (part.args[1], zero))
        if part.head == "sqrt":
            yield Term(">=", (part.args[0], zero))
        if part.head in ("log", "gamma"):
            yield Term(">", (part.args[0], zero))


def _has_point(parsed: Read, settings: Settings) -> bool:
    """Return whether a solver finds a point of a domain that is polynomial."""
    query = _Query(dict(parsed.sorts), linear=False)
    for part in parsed.domain:
        query.add(part)
    return not query.atoms.names and query.refuted(settings) is False


# -- algebra --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Ratio:
    """A quotient of polynomials."""

    top: Polynomial
    bottom: Polynomial

    def __add__(self, other: _Ratio) -> _Ratio:
        if self.bottom == other.bottom:
            return _Ratio(self.top + other.top, self.bottom)
        return _Ratio(self.top * other.bottom + other.top * self.bottom, self.bottom * other.bottom)

    def __mul__(self, other: _Ratio) -> _Ratio:
        return _Ratio(self.top * other.top, self.bottom * other.bottom)


def _ratio(term: Term, atoms: _Atoms) -> _Ratio:
    match term.head:
        case "neg":
            return _ratio(term.args[0], atoms) * _Ratio(constant(-1), constant(1))
        case "+" | "*" as head:
            left, right = (_ratio(arg, atoms) for arg in term.args)
            return left + right if head == "+" else left * right
        case "-":
            return _ratio(Term("+", (term.args[0], Term("neg", (term.args[1],)))), atoms)
        case "/":
            divisor = _ratio(term.args[1], atoms)
            return _ratio(term.args[0], atoms) * _Ratio(divisor.bottom, divisor.top)
        case "^" if term.args[1].head == "number" and Fraction(term.args[1].value).denominator == 1:
            power = int(Fraction(term.args[1].value))
            if 0 <= power <= 20:
                base = _ratio(term.args[0], atoms)
                return _Ratio(base.top**power, base.bottom**power)
    return _Ratio(atoms.polynomial(term), constant(1))


_Rules = dict[str, tuple[int, _Ratio]]
"""For an atom: the power from which on it is rewritten, and as what."""


def _rule(equation: Term, atoms: _Atoms) -> tuple[str, tuple[int, _Ratio]] | None:
    """Return ``atom^k = …`` for an equation with c·atom^k leading its left side, or None."""
    left, right = _ratio(equation.args[0], atoms), _ratio(equation.args[1], atoms)
    if left.bottom.variables():
        return None
    named = set(atoms.names.values())
    for monomial, q in sorted(left.top.terms, key=lambda term: -sum(p for _, p in term[0])):
        if len(monomial) != 1 or monomial[0][0] not in named:
            continue
        name, power = monomial[0]
        if name in right.top.variables() | right.bottom.variables():
            continue
        rest = left.top - Polynomial.collect({monomial: q})
        if any(dict(m).get(name, 0) >= power for m, _ in rest.terms):
            continue
        scale = constant(left.bottom.constant_term() / q)
        minus = _Ratio(-rest * constant(1 / left.bottom.constant_term()), constant(1))
        return name, (power, (right + minus) * _Ratio(scale, constant(1)))
    return None


def _rewritten(polynomial: Polynomial, rules: _Rules) -> _Ratio:
    total = _Ratio(constant(0), constant(1))
    for monomial, q in polynomial.terms:
        term = _Ratio(constant(q), constant(1))
        for name, power in monomial:
            least, value = rules.get(name, (power + 1, _Ratio(constant(1), constant(1))))
            for _ in range(power // least):
                term = term * value
            term = term * _Ratio(variable(name) ** (power % least), constant(1))
        total = total + term
    return total


def _gamma_rules(atoms: _Atoms) -> _Rules:
    """Return Γ(s + k) = s(s + 1)…(s + k − 1)·Γ(s), s the smallest argument a whole number apart."""
    rules: _Rules = {}
    for name, argument in atoms.gammas.items():
        base, apart = name, 0
        for other, smaller in atoms.gammas.items():
            difference = argument - smaller
            steps = difference.constant_term()
            if not difference.variables() and steps.denominator == 1 and apart < steps <= 40:
                base, apart = other, int(steps)
        if apart:
            value = variable(base)
            for step in range(apart):
                value *= atoms.gammas[base] + constant(step)
            rules[name] = (1, _Ratio(value, constant(1)))
    return rules


def _identical(equation: Term, equations: Sequence[Term]) -> bool:
    """Return whether an equation follows by algebra, where everything in it is defined."""
    atoms = _Atoms()
    sides = [_ratio(side, atoms) for side in equation.args]
    rules: _Rules = {}
    for known in equations:
        if (rule := _rule(known, atoms)) is not None and rule[0] not in rules:
            rules[rule[0]] = rule[1]
    left = (sides[0] + sides[1] * _Ratio(constant(-1), constant(1))).top
    for step in (rules, _gamma_rules(atoms)):
        left = _rewritten(left, step).top
    return not left.terms


# -- what follows ---------------------------------------------------------------------------------


def _solved(parsed: Read) -> dict[str, Term]:
    """Return the terms that equations ``variable == term`` of the domain give for variables."""
    values: dict[str, Term] = {}
    sorts = dict(parsed.sorts)
    for part in parsed.domain:
        if part.head != "==" or part.args[0].head != "name":
            continue
        name, term = str(part.args[0].value), substitute(part.args[1], values)
        fits = sorts.get(name) == "real" or _is_whole(term, sorts)
        if name in sorts and name not in values and name not in term.free() and fits:
            values = {other: substitute(t, {name: term}) for other, t in values.items()}
            values[name] = term
    return values


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
        if sort != "real" and not _is_whole(values[name], sorts):
            raise FormulaError(f"{values[name]} is put in for the whole number {name}")
        conditions += _conditions(values[name])
    conclusion = substitute(used.proposition, values)
    return tuple(substitute(c, solved) for c in conditions), substitute(conclusion, solved)


def _is_whole(term: Term, sorts: Mapping[str, str]) -> bool:
    match term.head:
        case "number":
            return Fraction(term.value).denominator == 1
        case "name":
            return sorts.get(str(term.value), "real") != "real"
        case "neg" | "+" | "-" | "*":
            return all(_is_whole(arg, sorts) for arg in term.args)
    return False


def follows(parsed: Read, uses: Sequence[Use], settings: Settings, *, products: bool = True) -> str:
    """Return why a universal statement does not follow from instances; empty if it does."""
    sorts = dict(parsed.sorts)
    if not parsed.forall:
        return "an existential statement needs a point, not a derivation"
    values = _solved(parsed)
    domain = [substitute(part, values) for part in parsed.domain]
    proposition = substitute(parsed.proposition, values)

    def holds(goal: Term, given: Sequence[Term]) -> bool:
        return _contradiction([*given, Term("not", (goal,))], sorts, settings, products=products)

    given = list(domain)
    equations: list[Term] = []
    for use in uses:
        conditions, conclusion = _instance(use, sorts, values)
        links = conclusion.args if conclusion.head == "and" else (conclusion,)
        if all(holds(condition, given) for condition in conditions):
            given += links
            if isinstance(use.of, (str, Derivation)):  # defined where it was derived
                given += [c for part in (*conditions, conclusion) for c in _conditions(part)]
            equations += [link for link in links if link.head == "=="]
        else:
            given.append(Term("or", (*(Term("not", (c,)) for c in conditions), conclusion)))
    for condition in dict.fromkeys(c for part in (*domain, proposition) for c in _conditions(part)):
        if not holds(condition, given):
            return f"it is not shown that {condition} on the domain"
    goals = proposition.args if proposition.head == "and" else (proposition,)
    for goal in goals:
        if not goal.free() and certain(goal, {}) is True:
            continue  # a proposition about numbers, decided in balls
        if goal.head == "==" and _identical(goal, equations) and _defined(equations, given, holds):
            continue
        if not holds(goal, given):
            return f"{goal} does not follow"
    return ""


def _defined(equations: Sequence[Term], given: Sequence[Term], holds: object) -> bool:
    assert callable(holds)
    return all(holds(c, given) for e in equations for c in dict.fromkeys(_conditions(e)))


def entailed(statement: Statement, pieces: Sequence[Evidence], settings: Settings) -> str:
    """Return why a statement does not follow from what pieces of evidence state; empty if it does.

    The variables of a piece are those of the statement with the same names, or, for a piece alone,
    any renaming of them.
    """
    parsed = read(statement)
    names = set(parsed.names)
    stating = [piece for piece in pieces if piece.states() is not None]
    alike = [Use(p) for p in stating if set(read(_stated(p)).names) <= names]
    if not (reason := _tried(parsed, alike, settings)):
        return ""
    for piece in stating:
        own = read(_stated(piece)).names
        for chosen in permutations(parsed.names, len(own)):
            at = dict(zip(own, chosen, strict=True))
            if list(at) != list(at.values()) and not _tried(parsed, [Use(piece, at)], settings):
                return ""
    return reason


def _both(parts: Sequence[Term]) -> Term:
    return Term("and", (Term("==", (_ONE, _ONE)), *parts))


def _stated(piece: Evidence) -> Statement:
    statement = piece.states()
    assert statement is not None
    return statement


def _tried(parsed: Read, uses: Sequence[Use], settings: Settings) -> str:
    try:
        return follows(
            parsed, uses, replace(settings, timeout_seconds=min(5.0, settings.timeout_seconds))
        )
    except FormulaError as error:
        return str(error)


@dataclass(frozen=True, kw_only=True)
class Derivation(Evidence):
    """A typed statement that follows from what it uses, which is checked with it."""

    kind: ClassVar[str] = "derivation"

    proves: Statement
    """What it proves."""
    uses: tuple[Use, ...] = ()
    """What it follows from, besides arithmetic and algebra."""
    induction: tuple[str, str] | None = None
    """A whole variable and where it starts, to prove it by induction."""

    def states(self) -> Statement:
        """Return what it proves."""
        return self.proves

    def check(self, settings: Settings) -> EvidenceResult:
        try:
            for use in self.uses:
                if isinstance(use.of, Evidence):
                    result = checked(use.of, settings)
                    if result.status is not Status.HOLDS:
                        return EvidenceResult(result.status, f"“{use.of.title}”: {result.detail}")
            parsed = read(self.proves)
            if not (_has_point(parsed, settings) or points(parsed, 12)):
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
        if sorts.get(name, "real") == "real" or name in start.free():
            return f"induction over {name} needs a whole variable and a start without it"
        if start.free() - sorts.keys() or not _is_whole(start, sorts):
            return f"{start} is no whole number to start from"
        here = Term("name", value=name)
        first, after = {name: start}, {name: Term("+", (here, _ONE))}
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
