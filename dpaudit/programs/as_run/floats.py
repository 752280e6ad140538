# ruff: noqa: D105  (the operators and functions mean what they do of floats)
"""Floats that are not known: what a program holds instead of a uniform, and of what it makes of it.

Every operation is the float operation that runs; nothing is taken for a real number.  A comparison
splits the whole numbers k exactly.  Where a number is no longer seen to rise or to fall with k, or
hangs on two draws at once, it is refused.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.programs.as_run.converted import Converted
from dpaudit.programs.as_run.curves import MOST_VALUES, UNIT, Curve, Span, first_where, pieces
from dpaudit.programs.as_run.many_values import too_many_values
from dpaudit.programs.guarding.guards import PLAIN_NUMBERS, unwatched
from dpaudit.programs.guarding.refusal import line_of_program
from dpaudit.programs.guarding.standins import NumberKinds
from dpaudit.programs.unknowns.kinds import FAILS_CLOSED
from dpaudit.programs.unknowns.lazy import Lazy

if TYPE_CHECKING:
    from dpaudit.programs.as_run.tables import Table
    from dpaudit.programs.exploring.run import Run

__all__ = ["FloatKind", "RunFloat"]

_FEW = 64
"""Of two draws that meet, one with at most so many values is taken apart."""


class RunFloat(Converted):
    """A float that rises or falls with one draw's k, as far as k may still lie."""

    __slots__ = ("_curve", "_number", "_numpy", "_rises")

    def __init__(
        self,
        run: Run,
        number: int,
        curve: Curve = UNIT,
        *,
        rises: bool = True,
        numpy: bool = False,
    ) -> None:
        """Take the number of the draw, and whether the float is one of NumPy's."""
        self._run, self._number, self._curve = run, number, curve
        self._rises, self._numpy = rises, numpy

    # What a program may ask to tell a float from something else.
    __class__ = property(lambda self: float)

    @property
    def _span(self) -> Span:
        ((low, high),) = self._run.supports[self._number]
        assert low is not None
        assert high is not None
        return low, high

    def _ends(self) -> tuple[float, float]:
        """Return the least and the greatest value."""
        try:
            low, high = self._curve.ends(self._span)
        except ArithmeticError as error:
            self._run.refuse(f"for some draws it raises {type(error).__name__}: {error}")
        if math.isnan(low) or math.isnan(high):
            self._run.refuse("for some draws a float is not a number")
        return (low, high) if self._rises else (high, low)

    def _made(self, curve: Curve, *, rises: bool, numpy: bool = False) -> RunFloat:
        made = RunFloat(self._run, self._number, curve, rises=rises, numpy=self._numpy or numpy)
        made._ends()  # refuses what raises, or is no number
        return made

    def _sign(self) -> int:
        """Decide the sign where it is open, and return it: 1 for all that is not below 0."""
        low, high = self._ends()
        if low < 0 < high:
            return -1 if self < 0 else 1
        return -1 if low < 0 else 1

    def _infinite(self) -> bool:
        return any(map(math.isinf, self._ends()))

    # Known values

    def _fixed(self, most: int = MOST_VALUES) -> Any:
        found = self._few(most)
        if found is None:
            returned = not line_of_program()  # no code of the program runs any more
            self._run.refuse(too_many_values(self._curve, self._span, returned=returned))
        return found

    def _few(self, most: int) -> Any:
        """Decide which value it has; None if there are more than ``most``."""
        self._run.check_open()
        span = self._span
        parts = pieces(self._curve, span, most)
        if parts is None:
            return None
        if len(parts) == 1:
            return parts[0][0]
        place = self._run.decide(
            (self._number, self._curve, "which"), len(parts), "parts", self._number, parts
        )
        value, part = parts[place]
        self._run.narrow(self._number, (part,))
        return value

    def _cell(self, table: Table) -> int:
        """Decide how many numbers of a table are at most its value."""
        self._run.check_open()
        cells = table.cells(self._curve, self._span, rises=self._rises)
        place = 0
        if len(cells) > 1:
            asked = (self._number, self._curve, "cell", table)
            place = self._run.decide(asked, len(cells), "parts", self._number, cells)
        index, part = cells[place]
        if len(cells) > 1:
            self._run.narrow(self._number, (part,))
        return index

    # Arithmetic

    def _with(self, other: object, name: str, function: Callable[[Any, Any], Any]) -> Any:
        """Return function(self, other), for + and ×, − and ÷."""
        if isinstance(other, Lazy) and not isinstance(other, RunFloat):
            other = other._fixed()
        if isinstance(other, RunFloat):
            if other._number != self._number:
                mine, theirs = self._few(_FEW), None
                if mine is None:
                    theirs = other._few(_FEW)
                    if theirs is None:
                        self._run.refuse(
                            "two random floats are combined in arithmetic while each may still "
                            "have more "
                            f"than {_FEW} values, so dpaudit cannot follow the exact float result; "
                            "compare or round one of them first"
                        )
                    return self._with(theirs, name, function)
                return function(mine, other)
            return self._with_same(other, name, function)
        known, numpy = self._known(other)
        if known is NotImplemented:
            return self._met(other, _SLOTS[name])
        return self._with_known(known, name, function, numpy=numpy)

    def _with_known(
        self, known: Any, name: str, function: Callable[[Any, Any], Any], *, numpy: bool
    ) -> Any:
        if isinstance(known, float) and not math.isfinite(known):
            self._run.refuse(
                f"a random float is combined with {known}, which dpaudit cannot follow"
            )
        curve = self._curve.then(name, lambda value: function(value, known), known)
        if name in ("+", "-"):
            return self._made(curve, rises=self._rises, numpy=numpy)
        if name in ("r-",):
            return self._made(curve, rises=not self._rises, numpy=numpy)
        if name in ("*", "/"):
            if not known and (name == "/" or self._infinite()):
                if name == "/" and not (self._numpy or numpy):
                    raise ZeroDivisionError("float division by zero")
                self._run.refuse(
                    "a random float is divided by 0, or an infinite one is multiplied by 0"
                )
            return self._made(curve, rises=self._rises == (known >= 0), numpy=numpy)
        # known / self
        self._not_zero(numpy=numpy)
        sign = self._sign()
        del sign  # decided: on each side of 0 the reciprocal falls
        return self._made(curve, rises=self._rises != (known >= 0), numpy=numpy)

    def _not_zero(self, *, numpy: bool = False) -> None:
        low, high = self._ends()
        if low <= 0 <= high:
            if self._numpy or numpy:
                self._run.refuse(
                    "a float of NumPy is divided by a draw that may be 0, which dpaudit "
                    "cannot follow"
                )
            if self == 0:
                raise ZeroDivisionError("float division by zero")

    def _with_same(self, other: RunFloat, name: str, function: Callable[[Any, Any], Any]) -> Any:
        """Return function(self, other) of two floats that hang on one draw."""
        if self._infinite() or other._infinite():
            self._run.refuse(
                "an infinite float is combined with another that comes from the same draw"
            )
        numpy = other._numpy
        if name in ("+", "-", "r-"):
            mine, theirs = self._rises, other._rises
            if name == "-":
                theirs = not theirs
            if name == "r-":
                mine = not mine
            rises = mine
        else:
            if name == "/":
                other._not_zero(numpy=self._numpy)
            elif name == "r/":
                self._not_zero(numpy=other._numpy)
            signs = self._sign(), other._sign()
            # which way the absolute values go
            mine, theirs = self._rises == (signs[0] > 0), other._rises == (signs[1] > 0)
            if name == "/":
                theirs = not theirs
            elif name == "r/":
                mine = not mine
            rises = mine == (signs[0] == signs[1])
        curve = self._curve.with_other(name, function, other._curve)
        if mine != theirs and not (self._constant() or other._constant()):
            self._run.refuse(
                "two floats that come from the same draw are combined, and one rises while the "
                "other "
                "falls with the draw; dpaudit follows only results that it can prove to rise or "
                "fall with the draw"
            )
        if mine != theirs and self._constant():
            rises = theirs if name in ("+", "-", "r-") else theirs == (signs[0] == signs[1])
        return self._made(curve, rises=rises, numpy=numpy)

    def _constant(self) -> bool:
        low, high = self._ends()
        return low == high

    def __add__(self, other: object) -> Any:
        return self._with(other, "+", operator.add)

    def __radd__(self, other: object) -> Any:
        return self._with(other, "+", lambda mine, theirs: theirs + mine)

    def __sub__(self, other: object) -> Any:
        return self._with(other, "-", operator.sub)

    def __rsub__(self, other: object) -> Any:
        return self._with(other, "r-", lambda mine, theirs: theirs - mine)

    def __mul__(self, other: object) -> Any:
        return self._with(other, "*", operator.mul)

    def __rmul__(self, other: object) -> Any:
        return self._with(other, "*", lambda mine, theirs: theirs * mine)

    def __truediv__(self, other: object) -> Any:
        return self._with(other, "/", operator.truediv)

    def __rtruediv__(self, other: object) -> Any:
        return self._with(other, "r/", lambda mine, theirs: theirs / mine)

    def __neg__(self) -> Any:
        return self._made(self._curve.then("neg", operator.neg), rises=not self._rises)

    def __pos__(self) -> RunFloat:
        return self

    def _of_kind(self, *, numpy: bool) -> RunFloat:
        """Return the same number as a float of NumPy's, or of Python's."""
        how: dict[str, Any] = {"rises": self._rises, "numpy": numpy}
        return (
            self if self._numpy == numpy else RunFloat(self._run, self._number, self._curve, **how)
        )

    def _of_numpy(self) -> RunFloat:
        return self._of_kind(numpy=True)

    def __abs__(self) -> Any:
        return (
            -self
            if self._sign() < 0
            else self._made(self._curve.then("abs", abs), rises=self._rises)
        )

    # Comparisons

    def _is(self, other: object, asked: str) -> Any:
        """Decide whether self < other, or <=, or ==."""
        if isinstance(other, Lazy) and not isinstance(other, RunFloat):
            other = other._fixed()
        if isinstance(other, RunFloat):
            return self._is_other(other, asked)
        if type(other) is Decimal and not self._numpy:
            number: Any = other
        else:
            number, _ = self._known(other)
        if number is NotImplemented or (self._numpy and isinstance(number, Fraction)):
            return self._met(other, _SLOTS[asked])
        if _is_nan(number):
            return False
        return self._is_number(number, asked)

    def _is_other(self, other: RunFloat, asked: str) -> bool:
        """Decide about two floats that are not known."""
        if other._number == self._number:
            if other is self:
                return asked != "<"
            difference = self - other  # 0 just where both are equal, by gradual underflow
            return bool(difference._is(0.0, asked))
        mine = self._few(_FEW)
        if mine is not None:
            return bool(_MIRRORED[asked](other, mine))
        theirs = other._few(_FEW)
        if theirs is None:
            self._run.refuse(
                "two random floats are compared, and dpaudit cannot compute their exact "
                "distribution as floats"
            )
        return bool(self._is(theirs, asked))

    def _is_number(self, number: Any, asked: str) -> bool:
        """Decide about a float that is not known and a number that is."""
        self._run.check_open()
        low, high = span = self._span
        if asked == "==":
            ends = [
                first_where(self._curve, each, number, span, rising=self._rises)
                for each in ("<", "<=")
            ]
            part = min(ends), max(ends) - 1
        else:
            turn = first_where(self._curve, asked, number, span, rising=self._rises)
            part = (low, turn - 1) if self._rises else (turn, high)
        if part[0] > part[1]:
            return False
        if part == span:
            return True
        if asked == "==" and part[0] > low and part[1] < high:
            # what lies on both sides is no span: decide on which side first
            return not self < number and self._is_number(number, asked)
        return self._run.split(self._number, (part,), (asked, number, self._curve))

    def __lt__(self, other: object) -> Any:
        return self._is(other, "<")

    def __le__(self, other: object) -> Any:
        return self._is(other, "<=")

    def __gt__(self, other: object) -> Any:
        return self._not(other, "<=", ">")

    def __ge__(self, other: object) -> Any:
        return self._not(other, "<", ">=")

    def _not(self, other: Any, asked: str, slot: str) -> Any:
        """Decide the opposite, which it is of all numbers but nan."""
        known = isinstance(other, Lazy) or self._known(other)[0] is not NotImplemented
        if FAILS_CLOSED and not known and type(other) is not Decimal:
            return self._met(other, _SLOTS[slot])
        found = self._is(other, asked)
        return found if found is NotImplemented else not found and not _is_nan(other)

    def __eq__(self, other: object) -> Any:
        return self._is(other, "==")

    def __hash__(self) -> int:
        return hash(self._fixed())

    def __bool__(self) -> bool:
        return not self._is(0.0, "==")


def _float_value(x: Any) -> Any:
    """Return float(x) of an unknown number, which is not decided where it is a float."""
    return x._of_kind(numpy=False) if isinstance(x, RunFloat) else float(x)


class FloatKind(float, metaclass=NumberKinds):
    """Stands for ``float``: a random float is one already."""

    stands_for, convert = float, staticmethod(_float_value)


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and not isinstance(value, Lazy) and math.isnan(value)


_SLOTS = {"+": "__add__", "-": "__sub__", "r-": "__rsub__", "*": "__mul__", "/": "__truediv__",
          "r/": "__rtruediv__", "<": "__lt__", "<=": "__le__", ">": "__gt__", ">=": "__ge__",
          "==": "__eq__"}  # fmt: skip
_MIRRORED: dict[str, Callable[[Any, Any], Any]] = {
    "<": lambda other, mine: other > mine,
    "<=": lambda other, mine: other >= mine,
    "==": lambda other, mine: other == mine,
}
_OPERATORS = (
    *("add radd sub rsub mul rmul truediv rtruediv neg abs lt le gt ge eq bool".split()),  # noqa: SIM905
    *("floor ceil trunc int round".split()),  # noqa: SIM905
)
for _name in _OPERATORS:
    _slot = f"__{_name}__"
    setattr(RunFloat, _slot, unwatched(PLAIN_NUMBERS | {RunFloat}, getattr(RunFloat, _slot)))
