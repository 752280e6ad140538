# ruff: noqa: D105  (the operators mean what they do of numbers)
"""Real numbers that are not known: what a program holds instead of a continuous draw.

Comparing one is a decision of the run; affine arithmetic makes another; whatever else a program
does with one is refused.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.programs.exploring.several import KNOWN, Several
from dpaudit.programs.exploring.shifts import MINUS, negated
from dpaudit.programs.guarding.guards import PLAIN_NUMBERS, unwatched
from dpaudit.programs.unknowns.lazy import Lazy, is_beyond, is_nan, known_number
from dpaudit.programs.unknowns.rounded import Rounded
from dpaudit.programs.unknowns.transforms import logarithm, united

if TYPE_CHECKING:
    from dpaudit.programs.exploring.run import Run, Terms

__all__ = ["Unknown"]


class Unknown(Lazy):
    """An affine combination Σ a·x + c of continuous draws; it is never a whole number."""

    __slots__ = ("_constant", "_terms")

    def __init__(self, run: Run, terms: Terms, constant: Fraction) -> None:
        """Take the coefficient of each draw, none of them 0."""
        self._run, self._terms, self._constant = run, terms, constant

    _functions = frozenset({"sign", "log", "rint", "floor", "ceil", "trunc"})

    def _stands_for(self) -> type:
        return float

    def sign(self) -> float:
        """Return what ``numpy.sign`` gives; 0 has probability 0."""
        return -1.0 if self < 0 else 1.0

    def log(self) -> Any:
        """Return the natural logarithm."""
        return logarithm(self)

    def rint(self) -> Any:
        """Return the nearest whole number, as NumPy has it: a float."""
        return self.__round__().as_float()

    def floor(self) -> Any:
        """Return the whole number below, as NumPy has it."""
        return self.__floor__().as_float()

    def ceil(self) -> Any:
        """Return the whole number above, as NumPy has it."""
        return self.__ceil__().as_float()

    def trunc(self) -> Any:
        """Return the whole part, as NumPy has it."""
        return self.__trunc__().as_float()

    def round(self, decimals: int = 0) -> Any:
        """Return what ``numpy.round`` gives."""
        return self.__round__(decimals or None).as_float()

    def _plus(self, other: object, sign: int) -> Any:
        if isinstance(other, Unknown):
            self._same_run(other)
            terms = _added_up(self._terms, other._terms, sign)
            return Unknown(self._run, terms, _added(self._constant, other._constant, sign))
        if isinstance(other, Several):
            self._same_run(other)
            return Unknown(self._run, self._terms, _added(self._constant, other.shift(), sign))
        if isinstance(other, Lazy):
            other = other._fixed()
        if is_beyond(other):
            return other * sign
        number = known_number(self._run, other)
        if number is None:
            return self._met(other, "__add__" if sign > 0 else "__sub__")
        return Unknown(self._run, self._terms, _added(self._constant, number, sign))

    def _fixed(self) -> Unknown:
        return self

    def _times(self, factor: Fraction) -> Any:
        if not factor:
            self._run.plain = False  # a float's multiple were a float
            return 0
        if factor == MINUS:
            terms = tuple((node, negated(a)) for node, a in self._terms)
        else:
            terms = tuple((node, a * factor) for node, a in self._terms)
        return Unknown(self._run, terms, self._constant * factor)

    def __add__(self, other: object) -> Any:
        return self._plus(other, 1)

    __radd__ = __add__

    def __sub__(self, other: object) -> Any:
        return self._plus(other, -1)

    def __rsub__(self, other: object) -> Any:
        return (-self)._plus(other, 1)

    def __neg__(self) -> Any:
        return self._times(MINUS)

    def __pos__(self) -> Unknown:
        return self

    def __mul__(self, other: object) -> Any:
        if isinstance(other, Lazy):
            other = other._fixed()
        if is_nan(other):
            return other
        if isinstance(other, Unknown):
            self._run.refuse("dpaudit cannot follow a product of two random draws")
        number = known_number(self._run, other)
        return self._met(other, "__mul__") if number is None else self._times(number)

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> Any:
        if isinstance(other, Lazy):
            other = other._fixed()
        if isinstance(other, Unknown):
            self._run.refuse("dpaudit cannot follow a quotient of two random draws")
        number = known_number(self._run, other)
        return self._met(other, "__truediv__") if number is None else self._times(1 / number)

    def __abs__(self) -> Any:
        return -self if self < 0 else self

    def _below(self, other: object) -> bool:
        rest = self._plus(other, -1)
        if not rest._terms:
            return bool(rest._constant < 0)
        # Of two draws that were rounded together, only their sum is left to decide about.
        if len(rest._terms) > 2 or self._run.spent.issuperset(node for node, _ in rest._terms):
            rest = united(rest)
        constant = rest._constant
        above: Any = constant.negated() if type(constant) is Several else -constant
        return self._run.is_below(rest._terms, above)

    def _is_constant(self, other: object) -> bool | None:
        """Tell whether the difference to ``other`` is a number, and that 0; None if it is none."""
        rest = self - other
        return None if rest._terms else not rest._constant

    def _comparable(self, other: object) -> bool:
        return isinstance(other, Lazy) or known_number(self._run, other) is not None

    def __lt__(self, other: object) -> Any:
        if is_beyond(other):
            return other > 0
        return self._below(other) if self._comparable(other) else self._met(other, "__lt__")

    def __ge__(self, other: object) -> Any:
        if is_beyond(other):
            return other < 0
        return not self._below(other) if self._comparable(other) else self._met(other, "__ge__")

    def __gt__(self, other: object) -> Any:
        if is_beyond(other):
            return other < 0
        if not self._comparable(other):
            return self._met(other, "__gt__")
        return not self._is_constant(other) and not self._below(other)

    def __le__(self, other: object) -> Any:
        if is_beyond(other):
            return other > 0
        if not self._comparable(other):
            return self._met(other, "__le__")
        return bool(self._is_constant(other)) or self._below(other)

    def __eq__(self, other: object) -> Any:
        if is_beyond(other):
            return False
        if not self._comparable(other):
            return self._met(other, "__eq__")
        return bool(self._is_constant(other))  # a density gives no single number a probability

    def __hash__(self) -> int:
        return self._run.refuse(
            "a random draw is used as a key, or put into a set, which dpaudit cannot follow; "
            "round and clamp it first"
        )

    def __bool__(self) -> bool:
        return bool(self._terms or self._constant)  # but for a null set

    def __floor__(self) -> Any:
        return Rounded(self._run, self)

    def __ceil__(self) -> Any:
        return -Rounded(self._run, -self)

    def __trunc__(self) -> Any:
        return self.__ceil__() if self < 0 else self.__floor__()

    def __round__(self, digits: int | None = None) -> Any:
        if digits is None:  # halves have probability 0
            return Rounded(self._run, self + Fraction(1, 2))
        step = Fraction(10) ** digits
        rounded = Rounded(self._run, self * step + Fraction(1, 2)) / step
        # round(2.5, 0) is a float, as round(2.5) is not.
        return rounded.as_float() if digits <= 0 and self._run.has_floats else rounded

    def __int__(self) -> int:
        found = self.__trunc__()
        return int(found._fixed() if isinstance(found, Lazy) else found)

    def __floordiv__(self, other: object) -> Any:
        return (self / other).__floor__()


def _added_up(mine: Terms, other: Terms, sign: int) -> Terms:
    if sign < 0:
        other = tuple((node, negated(a)) for node, a in other)
    if mine and other and mine[-1][0] < other[0][0]:
        return mine + other
    if mine and other and other[-1][0] < mine[0][0]:
        return other + mine
    total = dict(mine)
    for node, a in other:
        total[node] = total[node] + a if node in total else a
    return tuple(sorted((node, a) for node, a in total.items() if a))


def _added(constant: Any, more: Any, sign: int) -> Any:
    """Return constant ± more; most sums of a program are with 0 on one side."""
    if type(more) is Several:
        signed = more if sign > 0 else more.negated()
        if type(constant) is Several:
            return constant.plus(signed, 1)
        return signed.plus(constant, 1) if constant else signed
    if not more:
        return constant
    if type(constant) is Several:
        return constant.plus(more, sign)
    signed = more if sign > 0 else -more
    return constant + signed if constant else signed


_KNOWN = PLAIN_NUMBERS | {Unknown, Several}
KNOWN.add(Unknown)
for _name in ("__add__", "__radd__", "__sub__", "__rsub__", "__mul__", "__rmul__", "__truediv__",
              "__lt__", "__le__", "__gt__", "__ge__", "__abs__", "__neg__"):  # fmt: skip
    setattr(Unknown, _name, unwatched(_KNOWN, getattr(Unknown, _name)))
