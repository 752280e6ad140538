"""Function values as unknowns: what arithmetic and algebra see of a term."""

from __future__ import annotations

from fractions import Fraction

from dpaudit.claims.polynomial import Polynomial, constant, variable
from dpaudit.claims.terms import BINDERS, Term

__all__ = ["ONE", "Atoms"]


class Atoms:
    """Function values as names of reals, equal ones alike, with what is known of each."""

    def __init__(self) -> None:
        """Start with no atom."""
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


ONE = Term("number", value=Fraction(1))

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
        case "^":
            return when(relation(">", term.args[0], zero), relation(">", name, zero))
        case "exp":
            at_zero = when(relation("==", term.args[0], zero), relation("==", name, ONE))
            return [relation(">", name, zero), *at_zero]
        case "log":
            return when(relation("==", term.args[0], ONE), relation("==", name, zero))
        case "same" | "at_most" as head:
            met, broken = ("==", "!=") if head == "same" else ("<=", ">")
            return [
                Term("or", (relation("==", name, zero), relation("==", name, ONE))),
                *when(relation(met, *term.args), relation("==", name, ONE)),
                *when(relation(broken, *term.args), relation("==", name, zero)),
            ]
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
