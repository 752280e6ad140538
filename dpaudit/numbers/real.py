"""Exact real numbers from whatever a user gives, and their order.

The numbers themselves, and how their normal form decides ties, are in
:mod:`dpaudit.numbers.closed_form`.  Text is read by a small grammar, and never evaluated as code:

    sum      =  product (("+" | "-") product)*
    product  =  signed (("*" | "/") signed)*
    signed   =  ("+" | "-") signed | power
    power    =  primary ("^" signed)?
    primary  =  decimal | "pi" | ("ln" | "exp" | "sqrt") "(" sum ")" | "(" sum ")"

``**`` is read as ``^``; ``π``, ``−``, ``×`` and ``÷`` as ``pi``, ``-``, ``*`` and ``/``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from numbers import Integral

from dpaudit.errors import DomainError, NumberSyntaxError, PrecisionError
from dpaudit.numbers.ball import PRECISION_CAP, Sign, ball, certainly_less_or_equal, precision
from dpaudit.numbers.closed_form import ONE, PI, ZERO, Real, add_up, rational
from dpaudit.numbers.terms import MAX_EXPONENT

__all__ = [
    "MAX_LENGTH",
    "ONE",
    "PI",
    "ZERO",
    "Number",
    "Real",
    "add_up",
    "compare",
    "complement",
    "order",
    "parse_fraction",
    "parse_real",
    "parse_written",
    "rational",
    "real",
]


_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[A-Za-z_]+)|(?P<symbol>\*\*|[-+*/^()]))",
    re.ASCII,
)
_SPELLINGS = str.maketrans({"−": "-", "×": "*", "÷": "/", "·": "*", "π": " pi "})
MAX_LENGTH = 400
"""Longer texts are not read."""
_LONGEST_WRITTEN = 30_000
_MAX_DEPTH = 40
_MAX_BITS = 1 << 15
_MAX_TERMS = 64
_ZEROS = 1000
MAX_EXPONENTIAL = 10**_ZEROS
"""exp is read of numbers within ± this."""


def _exp(argument: Real) -> Real:
    with precision(64):
        # In doubt it is refused.
        if not certainly_less_or_equal(abs(argument.ball()), ball(MAX_EXPONENTIAL)):
            raise DomainError(
                "argument of exp",
                argument,
                f"the number is too large, or too near 0; must lie within ±1e{_ZEROS}",
            )
    return argument.exp()


_FUNCTIONS: dict[str, Callable[[Real], Real]] = {"ln": Real.ln, "exp": _exp, "sqrt": Real.sqrt}


def parse_real(text: str, longest: int = MAX_LENGTH) -> Real:
    """Return the number that ``text``, of at most ``longest`` characters, writes.

    Raises ``NumberSyntaxError`` for anything else.

    >>> parse_real("5e-4") == rational(Fraction(1, 2000))
    True
    >>> print(parse_real("2*3^2 - 1/2"), parse_real("sqrt(1 − π/4)"))
    35/2 sqrt(1 - pi/4)
    """
    if len(text) > longest:
        raise NumberSyntaxError(text, f"it is longer than {longest} characters")
    parser = _Parser(text)
    try:
        value = parser.sum()
    except (DomainError, PrecisionError) as error:
        raise NumberSyntaxError(text, str(error)) from None
    parser.expect_end()
    return value


def parse_written(text: str) -> Real:
    """Return a number of a report: budgets of any length that a command line takes are written."""
    return parse_real(text, _LONGEST_WRITTEN)


def parse_fraction(text: str) -> Fraction:
    """Return the rational that ``text`` writes; ``NumberSyntaxError`` if it is not rational.

    >>> parse_fraction("1/2 + 0.25")
    Fraction(3, 4)
    """
    value = parse_real(text).as_fraction()
    if value is None:
        raise NumberSyntaxError(text, "it is not rational, but a rational number is needed here")
    return value


class _Parser:
    """Recursive descent over the tokens of one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[tuple[str, str]] = []
        spelled = text.translate(_SPELLINGS).rstrip()
        position = 0
        while position < len(spelled):
            match = _TOKEN.match(spelled, position)
            if match is None:
                rest = spelled[position:].strip()[:12]
                raise NumberSyntaxError(text, f"{rest!r} is not understood")
            kind = str(match.lastgroup)
            self.tokens.append((kind, match.group(kind).replace("**", "^")))
            position = match.end()
        self.position = 0
        self.depth = 0

    def peek(self) -> str:
        """Return the next token's text, or "" at the end."""
        return self.tokens[self.position][1] if self.position < len(self.tokens) else ""

    def take(self, *symbols: str) -> str:
        """Return and pass over the next token if it is one of ``symbols``, else return ""."""
        token = self.peek()
        if token and token in symbols:
            self.position += 1
            return token
        return ""

    def expect(self, symbol: str) -> None:
        """Pass over ``symbol`` or fail."""
        if not self.take(symbol):
            found = repr(self.peek()) if self.peek() else "the end"
            raise NumberSyntaxError(self.text, f"{symbol!r} is missing before {found}")

    def expect_end(self) -> None:
        """Fail unless every token has been used."""
        if self.peek():
            raise NumberSyntaxError(self.text, f"{self.peek()!r} is left over")

    def descend(self) -> None:
        """Go one level deeper, or fail: a text must not exhaust the stack."""
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise NumberSyntaxError(self.text, f"it nests deeper than {_MAX_DEPTH} levels")

    def sum(self) -> Real:
        """Read a sum."""
        self.descend()
        value = self.product()
        while operator := self.take("+", "-"):
            term = self.product()
            value = value + term if operator == "+" else value - term
        self.depth -= 1
        return value

    def product(self) -> Real:
        """Read a product."""
        value = self.signed()
        while operator := self.take("*", "/"):
            factor = self.signed()
            self.refuse_if_large([value, factor], [1, 1])
            value = value * factor if operator == "*" else value / factor
        return value

    def signed(self) -> Real:
        """Read an optional sign and a power."""
        negative = False
        while operator := self.take("+", "-"):
            negative ^= operator == "-"
        value = self.power()
        return -value if negative else value

    def power(self) -> Real:
        """Read a primary and its exponent, which must come out rational."""
        base = self.primary()
        if not self.take("^"):
            return base
        self.descend()
        exponent = self.signed().as_fraction()
        self.depth -= 1
        if exponent is None:
            raise NumberSyntaxError(self.text, "an exponent after ^ must be rational (use exp)")
        if abs(exponent) > MAX_EXPONENT or exponent.denominator > MAX_EXPONENT:
            raise NumberSyntaxError(self.text, f"an exponent must lie within ±{MAX_EXPONENT}")
        self.refuse_if_large([base], [math.ceil(abs(exponent))])
        return base**exponent

    def refuse_if_large(self, factors: list[Real], powers: list[int]) -> None:
        """Fail if Π factor^power, multiplied out, has too many terms or digits."""
        terms, bits = 1, 0
        for factor, power in zip(factors, powers, strict=True):
            coefficients = tuple(factor.coordinates().values()) or (Fraction(1),)
            terms *= math.comb(power + len(coefficients) - 1, power)
            bits += power * max(
                max(q.numerator.bit_length(), q.denominator.bit_length()) for q in coefficients
            )
        if terms > _MAX_TERMS or bits > _MAX_BITS:
            raise NumberSyntaxError(self.text, "a product or a power comes out too large")

    def primary(self) -> Real:
        """Read a number, π, a function or a parenthesis."""
        if self.take("("):
            value = self.sum()
            self.expect(")")
            return value
        if self.position >= len(self.tokens):
            raise NumberSyntaxError(self.text, "it ends where a number is expected")
        kind, token = self.tokens[self.position]
        self.position += 1
        if kind == "number":
            return self.decimal(token)
        if token == "pi":
            return PI
        if token in _FUNCTIONS:
            self.expect("(")
            value = _FUNCTIONS[token](self.sum())
            self.expect(")")
            return value
        raise NumberSyntaxError(self.text, f"{token!r} is not understood")

    def decimal(self, token: str) -> Real:
        """Return a decimal literal exactly, refusing exponents that would fill the memory."""
        _, _, exponent = token.lower().partition("e")
        if exponent and abs(int(exponent)) > MAX_EXPONENT:
            raise NumberSyntaxError(self.text, f"a power of ten must lie within ±{MAX_EXPONENT}")
        return rational(Fraction(token))


Number = Real | Fraction | int | float | str | Decimal
"""Whatever :func:`real` accepts as an exact number."""


def real(value: Number) -> Real:
    """Return ``value`` as an exact real number, in closed form.

    Args:
        value: a whole number, a ``Fraction`` or a ``Decimal``; a float, which counts as its
            shortest decimal (``0.8`` is 4/5); a text such as ``ln(3)`` or ``sqrt(1-pi/4)``;
            or a closed form, which is returned as it is.

    Returns:
        The number in closed form; nothing is rounded.

    Raises:
        NumberSyntaxError: for anything else.

    >>> real(0.8) == real("4/5") == real(Decimal("0.8")) == real(Fraction(4, 5))
    True
    """
    if isinstance(value, Real):
        return value
    if type(value) is Fraction:
        return rational(value)
    if isinstance(value, str):
        return parse_real(value)
    if isinstance(value, Integral) and not isinstance(value, bool):
        value = int(value)  # NumPy's whole numbers as well
    if isinstance(value, bool) or not isinstance(value, (int, Fraction, float, Decimal)):
        raise NumberSyntaxError(repr(value), f"a {type(value).__name__} does not count as a number")
    if isinstance(value, float):
        # A float of NumPy is written otherwise by its own repr.
        value = Decimal(float(value).__repr__())
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise NumberSyntaxError(str(value), "it is not finite")
        if abs(value.adjusted()) > MAX_EXPONENT:
            raise NumberSyntaxError(str(value), f"a power of ten must lie within ±{MAX_EXPONENT}")
        value = Fraction(value)
    return rational(Fraction(value))


def compare(left: Number, right: Number, *, cap: int = PRECISION_CAP) -> Sign:
    """Return the sign of left − right, exactly where normal forms show it, else by balls.

    >>> compare("ln(9)", "2*ln(3)"), compare("sqrt(2)", "1.4142135623")
    (<Sign.ZERO: 'exactly zero'>, <Sign.POSITIVE: 'certainly above zero'>)
    """
    return (real(left) - real(right)).sign(cap)


@lru_cache(maxsize=1 << 10)
def complement(p: Real) -> Real:
    """Return 1 − p for 0 ≤ p ≤ 1, as a product where p is one.

    Then e^ε/(1 + e^ε) and its complement 1/(1 + e^ε) are seen to be e^ε apart.

    >>> print(complement(real("exp(1)/(1 + exp(1))")))
    1/(1 + exp(1))
    """
    difference = ONE - p
    if p.is_zero:
        return difference
    product = p * (p.reciprocal() - ONE)
    # Both are the same number; the shorter form is more likely to match another.
    return min((difference, product), key=lambda form: len(form.coordinates()))


@lru_cache(maxsize=1 << 14)
def order(left: Real, right: Real) -> Sign:
    """Return the certain sign of left − right; ``PrecisionError`` where no precision tells."""
    if left == right:
        return Sign.ZERO
    found = compare(left, right)
    if found is Sign.UNDECIDED:
        raise PrecisionError(
            f"{left} and {right} cannot be distinguished with {PRECISION_CAP} bits"
        )
    return found
