"""Random closed forms as trees, evaluated twice: by mpmath here, by the package in the tests."""

from fractions import Fraction
from typing import Any

from hypothesis import strategies as st
from mpmath import mp, mpf

__all__ = ["DIGITS", "OutOfDomain", "Tree", "evaluate", "trees", "written"]

DIGITS = 80
_SMALLEST = mpf(10) ** -12
_LARGEST = mpf(50)

Tree = tuple[Any, ...]


class OutOfDomain(Exception):  # noqa: N818  (the tree writes no number, or not a safe one)
    """The tree writes no real number, or one too near the edge of a domain."""


def trees() -> st.SearchStrategy[Tree]:
    rationals = st.builds(
        lambda a, b: ("rational", Fraction(a, b)), st.integers(-12, 12), st.integers(1, 6)
    )
    leaves = rationals | st.just(("pi",))

    def grow(inner: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
        return (
            st.tuples(st.sampled_from(["+", "-", "*", "/"]), inner, inner)
            | st.tuples(st.sampled_from(["ln", "exp", "sqrt"]), inner)
            | st.tuples(st.just("^"), inner, st.sampled_from([-2, -1, 0, 2, 3]))
        )

    return st.recursive(leaves, grow, max_leaves=6)


def evaluate(tree: Tree) -> mpf:
    """The value to about 70 digits, or OutOfDomain."""
    with mp.workdps(DIGITS):
        return _evaluate(tree)


def _evaluate(tree: Tree) -> mpf:
    match tree:
        case ("rational", q):
            return mpf(q.numerator) / q.denominator
        case ("pi",):
            return +mp.pi
        case ("^", base, power):
            value = _evaluate(base)
            _require(abs(value) > _SMALLEST)
            return value**power
        case (name, argument):
            value = _evaluate(argument)
            _require(abs(value) < _LARGEST if name == "exp" else value > _SMALLEST)
            return {"ln": mp.log, "exp": mp.exp, "sqrt": mp.sqrt}[name](value)
        case (operator, left, right):
            a, b = _evaluate(left), _evaluate(right)
            if operator == "/":
                _require(abs(b) > _SMALLEST)
                return a / b
            return {"+": a + b, "-": a - b, "*": a * b}[operator]
    raise AssertionError(tree)


def _require(condition: bool) -> None:
    if not condition:
        raise OutOfDomain


def written(tree: Tree) -> str:
    """The tree as text for the parser, fully parenthesised."""
    match tree:
        case ("rational", q):
            return f"({q})"
        case ("pi",):
            return "pi"
        case ("^", base, power):
            return f"({written(base)})^({power})"
        case (name, argument):
            return f"{name}({written(argument)})"
        case (operator, left, right):
            return f"({written(left)} {operator} {written(right)})"
    raise AssertionError(tree)
