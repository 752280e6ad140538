"""Random closed forms with exponents to ±10⁶ against mpmath: never nan, never beside the truth.

``python -m tests.attacks.closed_forms --count 20000`` ends with 1 where anything is wrong.

A tree is written as text for the package and evaluated by mpmath at rising precision, until two
precisions agree to 40 digits relative to the value: so the truth is known however much cancels.
"""

from __future__ import annotations

import argparse
import ast
import random
import sys
from fractions import Fraction
from typing import TYPE_CHECKING

from mpmath import isinf, isnan, log, mp, mpf

from dpaudit.errors import NumberSyntaxError
from dpaudit.numbers.ball import Sign, lower_fraction, precision, upper_fraction
from dpaudit.numbers.enclosure import enclose_real
from dpaudit.numbers.real import Real, real
from tests.numbers.expressions import Tree, written

if TYPE_CHECKING:
    from decimal import Decimal

__all__ = ["fault", "faults", "random_tree", "read"]

_PRECISIONS = (60, 240, 1_000, 16_000)
_MOST_EXPONENT = 10**6
_DIGITS = 12


def random_tree(rng: random.Random, depth: int = 3) -> Tree:
    """A tree whose exponentials have arguments to ±10⁶, of very different sizes."""
    if depth == 0 or rng.random() < 0.15:
        kind = rng.random()
        if kind < 0.45:
            size = rng.choice([1, 4, 40, 900, 5000, 10**5, _MOST_EXPONENT])
            q = Fraction(rng.randint(-size, size), rng.choice([1, 1, 2, 3, 7]))
            return ("exp", ("rational", q))
        if kind < 0.9:
            q = Fraction(rng.randint(-12, 12), rng.randint(1, 6))
            return ("rational", q * Fraction(10) ** rng.choice([0, 0, 0, 0, -3, -40, -300, 20]))
        return ("pi",)
    operator = rng.choice(["+", "+", "-", "-", "*", "/", "/", "ln", "ln", "sqrt", "^"])
    if operator in ("ln", "sqrt"):
        return (operator, random_tree(rng, depth - 1))
    if operator == "^":
        return ("^", random_tree(rng, depth - 1), rng.choice([-3, -2, -1, 1, 2, 3]))
    return (operator, random_tree(rng, depth - 1), random_tree(rng, depth - 1))


class _NoNumber(Exception):  # noqa: N818  (the tree writes none)
    """The tree writes no real number."""


def _value(tree: Tree) -> mpf:
    match tree:
        case ("rational", q):
            return mpf(q.numerator) / q.denominator
        case ("pi",):
            return +mp.pi
        case ("^", base, power):
            value = _value(base)
            if not value and power < 0:
                raise _NoNumber
            return value**power
        case ("exp", argument):
            return mp.exp(_value(argument))
        case ("ln", argument):
            value = _value(argument)
            if value <= 0:
                raise _NoNumber
            return mp.log(value)
        case ("sqrt", argument):
            value = _value(argument)
            if value < 0:
                raise _NoNumber
            return mp.sqrt(value)
        case (operator, left, right):
            a, b = _value(left), _value(right)
            if operator == "/":
                if not b:
                    raise _NoNumber
                return a / b
            return {"+": a + b, "-": a - b, "*": a * b}[operator]
    raise AssertionError(tree)


def _truth(tree: Tree) -> mpf | None:
    """The value to 40 digits; None where no precision tried shows it, or there is none."""
    before: mpf | None = None
    for digits in _PRECISIONS:
        with mp.workdps(digits):
            try:
                found = _value(tree)
            except _NoNumber:
                before = None
                continue
            if isnan(found) or isinf(found):
                return None
            # a 0 among numbers that cancel may be one that was rounded away: it counts at the last
            if (
                before is not None
                and abs(found - before) <= abs(found) * mpf(10) ** -40
                and (found or digits == _PRECISIONS[-1])
            ):
                return found
            before = found
    return None


def _sign_of(value: mpf) -> Sign:
    return Sign.ZERO if not value else Sign.POSITIVE if value > 0 else Sign.NEGATIVE


def _far_sign(tree: Tree) -> Sign:
    """The sign where 1 + exp(−10^6) is told from 1, which takes mpmath a minute."""
    with mp.workdps(_MOST_EXPONENT // 2):
        if tree[0] == "ln":
            return _sign_of(_value(tree[1]) - 1)
        return _sign_of(_value(tree))


def fault(tree: Tree) -> str | None:
    """What is wrong with the package's number for ``tree``: None if nothing; "-" if refused."""
    text = written(tree)
    truth = _truth(tree)
    try:
        number = real(text)
        with precision(128):
            ball = number.ball()
    except NumberSyntaxError:
        return "-"
    if not ball.is_finite():
        return f"{text}: its ball is {ball}"
    if truth is None:
        return "-"
    found = number.sign()
    if not truth and found not in (Sign.ZERO, Sign.UNDECIDED):
        return None if found is _far_sign(tree) else f"{text}: its sign is {found}, mpmath has 0"
    wanted = _sign_of(truth)
    if found is not wanted and (found is not Sign.UNDECIDED or truth):
        return f"{text}: its sign is {found}, mpmath has {mp.nstr(truth, 12)}"
    return _misplaced(text, number, truth)


def _misplaced(text: str, number: Real, truth: mpf) -> str | None:
    with mp.workdps(60):
        huge = truth and abs(log(abs(truth))) > 20_000
        if not huge:
            with precision(1024):
                ball = number.ball()
            low, high = (_mpf(end(ball)) for end in (lower_fraction, upper_fraction))
            slack = abs(truth) * mpf(10) ** -39
            if not low - slack <= truth <= high + slack:
                return f"{text}: [{low}, {high}] does not contain {mp.nstr(truth, 20)}"
        if truth < 0:
            return None
        interval = enclose_real(number, _DIGITS)
        lower, upper = _end(interval.lower), _end(interval.upper)
        slack = abs(truth) * mpf(10) ** -39
        if not lower - slack <= truth <= upper + slack:
            return f"{text}: {interval} does not contain {mp.nstr(truth, 20)}"
        if upper - lower > mpf(10) ** -_DIGITS * max(1, truth) and truth < mpf(10) ** 12_000:
            return f"{text}: {interval} is wider than it need be"
    return None


def _end(end: Decimal) -> mpf:
    return mp.inf if end.is_infinite() else _mpf(Fraction(end))


def _mpf(q: Fraction) -> mpf:
    return mpf(q.numerator) / q.denominator


def read(text: str) -> mpf:
    """The number that a closed form of the package writes, by mpmath at its precision."""

    def of(node: ast.AST) -> mpf:
        match node:
            case ast.Expression(body):
                return of(body)
            case ast.Constant():
                digits = ast.get_source_segment(source, node)
                return _mpf(Fraction(str(digits)))
            case ast.UnaryOp(ast.USub(), operand):
                return -of(operand)
            case ast.BinOp(left, ast.Pow(), right):
                return of(left) ** of(right)
            case ast.BinOp(left, operator, right):
                a, b = of(left), of(right)
                match operator:
                    case ast.Add():
                        return a + b
                    case ast.Sub():
                        return a - b
                    case ast.Mult():
                        return a * b
                    case ast.Div():
                        return a / b
            case ast.Name("pi"):
                return +mp.pi
            case ast.Call(ast.Name(name), [argument]):
                return {"ln": mp.log, "exp": mp.exp, "sqrt": mp.sqrt}[name](of(argument))
        raise AssertionError(text)

    source = text.replace("^", "**")
    return of(ast.parse(source, mode="eval"))


def faults(count: int, seed: int) -> tuple[list[str], int]:
    """The faults among ``count`` random closed forms, and how many forms were numbers."""
    rng = random.Random(seed)
    found, numbers = [], 0
    while numbers < count:
        fault_of = fault(random_tree(rng, rng.randint(1, 4)))
        if fault_of != "-":
            numbers += 1
            if fault_of is not None:
                found.append(fault_of)
    return found, numbers


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20_000, help="how many closed forms")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    found, numbers = faults(given.count, given.seed)
    print(f"{numbers} closed forms, {len(found)} wrong (seed {given.seed})")
    print("\n".join(found[:50]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
