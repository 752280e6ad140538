"""Base of all unknown numbers: any operation that is not followed is refused."""

from __future__ import annotations

import math
import operator
import sys
from abc import ABCMeta
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NoReturn, TypeGuard

from dpaudit.numbers.real import Real, real
from dpaudit.programs.guarding.guards import is_program
from dpaudit.programs.simplest import simplest
from dpaudit.programs.unknowns.kinds import (
    ASKING,
    FAILS_CLOSED,
    OPERATORS,
    PLAIN,
    SLOT_OF,
    SLOTS,
    SWAPPED,
    answers_itself,
    is_array,
    is_never_equal,
    kind_of_number,
)

if TYPE_CHECKING:
    from dpaudit.programs.exploring.run import Run

__all__ = ["Lazy", "is_beyond", "is_nan", "known_number", "refusing"]


def known_number(run: Run, value: Any) -> Fraction | None:
    """Return a number that a program knows, exactly; None for what is no number."""
    kind = type(value)
    if kind is Fraction:
        return value  # type: ignore[no-any-return]
    if kind is not int:
        run.plain = False
    if kind is int or kind is bool:
        return Fraction(value)
    if isinstance(value, Real):
        found = value.as_fraction()
        if found is None:
            run.refuse(
                f"a random draw is combined with {value}, which is not a rational number, so "
                "dpaudit cannot follow it"
            )
        return found
    known = kind_of_number(value)
    if not known:
        return None
    number = value if known == PLAIN else value.item()
    if isinstance(number, (int, Fraction)):
        return Fraction(number)
    if not math.isfinite(number):
        run.refuse(f"a random draw is combined with {value}")
    # A mean of 10/3 and a scale of 10/3 have to be the same number where floats stand for reals.
    return simplest(number) if run.has_floats else real(number).as_fraction()


def is_nan(value: object) -> TypeGuard[float]:
    """Tell whether a value is the float NaN, with which every number does the same."""
    return issubclass(type(value), float) and math.isnan(value)  # type: ignore[arg-type]


def is_beyond(value: object) -> TypeGuard[float]:
    """Tell whether a value is infinite or NaN: sums and comparisons with it are certain."""
    return issubclass(type(value), float) and not math.isfinite(value)  # type: ignore[arg-type]


def refusing(what: str) -> Any:
    """Return a method that refuses to follow what it does."""

    def refuse(self: Lazy, *given: object, **named: object) -> NoReturn:
        self._run.refuse(f"dpaudit cannot follow {what} of a random draw")

    return refuse


def _class_asked_for(self: Lazy) -> type:
    """Return what a number stands for, to a program that asks with isinstance.

    To all others, the engine and Python's own modules, it is what it is.  Numbers that are tried
    later show only at some of their values that a program took an unknown for no number.
    """
    frame = sys._getframe(1)
    if frame.f_code is ABCMeta.__instancecheck__.__code__ and frame.f_back is not None:
        frame = frame.f_back
    return self._stands_for() if is_program(frame.f_code.co_filename) else type(self)


class Lazy:
    """A number that a program holds and that is not known."""

    __slots__ = ("_run",)
    __class__: Any = property(_class_asked_for)
    _run: Run
    _by_value = False
    """True if NumPy's functions decide the value, and are given it."""
    _functions: frozenset[str] = frozenset()
    """Those of NumPy's functions of one number that are methods of it."""

    def _stands_for(self) -> type:
        """Return the class of the numbers that it may be."""
        return type(self)

    def __getattr__(self, name: str) -> Any:
        """Refuse attributes that a number may have; say plainly that others are not there."""
        if name.startswith("__") and (
            not FAILS_CLOSED or name.startswith("__array_") or not hasattr(self._stands_for(), name)
        ):
            raise AttributeError(name)
        if name == "_typ":  # which pandas asks of all values for its own marks, and no number has
            raise AttributeError(name)
        self._run.refuse(f"a random draw is used as something that is not a number ({name})")

    def _same_run(self, other: Lazy) -> None:
        """Refuse to calculate with a draw of another run."""
        if other._run is not self._run:
            self._run.refuse(
                "a random draw is used by a function of random.sub that did not draw it, or "
                "after its run; keep draws where they are drawn"
            )

    def _fixed(self) -> Any:
        """Return the number as far as it can be decided: itself where it is real."""
        raise NotImplementedError

    def _value(self) -> Any:
        """Decide the number, and return it as what a program has of it."""
        found = self._fixed()
        if isinstance(found, Lazy):
            self._run.refuse(
                "the exact value of a continuous random draw is used; compare or round it first"
            )
        return found

    def _of_numpy(self) -> Any:
        """Return it as NumPy's functions make it."""
        return self

    # What is met

    def _met(self, other: Any, slot: str) -> Any:
        """Return what an operator gives with something that is no number.

        ``NotImplemented``, which Python makes False of, only where a number returns it as well.
        """
        kind: Any = type(other)
        if isinstance(other, Lazy) or not FAILS_CLOSED:
            return NotImplemented
        function, reflected = OPERATORS[slot]
        if is_array(other):
            return _mapped(other, slot, lambda one: _asked(slot, self, one))
        if function in (operator.eq, operator.ne):
            if kind is complex:
                return function(self, other.real) if not other.imag else function is operator.ne
            if is_never_equal(kind):
                return NotImplemented
        pandas = str(kind.__module__).startswith("pandas.")
        if not pandas and not reflected and answers_itself(kind, slot):
            return NotImplemented
        if pandas or isinstance(self._fixed(), Lazy):
            self._run.refuse(
                f"a random draw is combined with a {kind.__name__}, which dpaudit cannot follow"
            )
        return function(other, self._value()) if reflected else function(self._value(), other)

    def __ne__(self, other: object) -> Any:
        """Tell whether they differ, number by number where ``other`` is an array."""
        kind: Any = type(other)
        if FAILS_CLOSED and not isinstance(other, Lazy) and answers_itself(kind, "__ne__"):
            return self._met(other, "__ne__")
        found = self == other
        return ~found if FAILS_CLOSED and is_array(found) else not found

    def __array_ufunc__(self, ufunc: Any, method: str, *given: Any, **named: Any) -> Any:
        """Return what a function of NumPy gives, number by number."""
        name = ufunc.__name__
        compares = SLOT_OF.get(name) in SWAPPED
        if compares and not FAILS_CLOSED and any(map(is_array, given)) and not self._functions:
            if name not in ("equal", "not_equal"):
                raise TypeError(f"operand does not support ufuncs ({name})")
            return name == "not_equal"
        if named.get("out") is not None:
            self._run.refuse(
                f"numpy.{name} writes a random draw into an existing array, which dpaudit cannot "
                "follow; write a = a + b in place of a += b"
            )
        if method != "__call__" or named:
            how = "with keyword arguments" if method == "__call__" else f"called as .{method}"
            self._run.refuse(f"dpaudit cannot follow numpy.{name} {how} on a random draw")
        if self._by_value and not compares:
            return ufunc(*(one._value() if isinstance(one, Lazy) else one for one in given))
        function = self._function_of(name)
        if not compares:
            given = tuple(one._of_numpy() if isinstance(one, Lazy) else one for one in given)
        return _broadcast(self, SLOT_OF.get(name, ""), function, given)

    def _function_of(self, name: str) -> Callable[..., Any]:
        """Return what one of NumPy's functions does with numbers."""
        if slot := SLOT_OF.get(name):
            return lambda *given: _asked(slot, *given)
        if name in _CHOICES:
            return _CHOICES[name]
        if name in self._functions:
            return lambda one: getattr(one, name)()
        return self._run.refuse(f"dpaudit cannot follow numpy.{name} of a random draw")

    def __array_function__(self, function: Any, kinds: Any, given: Any, named: Any) -> Any:
        """Call a function of NumPy that does nothing but ask its arguments; refuse any other."""
        name = function.__name__
        if not FAILS_CLOSED:
            return function._implementation(*given, **named)
        if name in _FOLLOWED and {*named} <= {"side", "right"}:
            return _FOLLOWED[name](self, *given, **named)
        if self._by_value and name not in ASKING:
            return function(*map(_decided, given), **{key: _decided(named[key]) for key in named})
        if name not in ASKING:
            self._run.refuse(f"dpaudit cannot follow numpy.{name} of a random draw")
        return function._implementation(*given, **named)

    __imatmul__ = refusing("a matrix product")
    __copy__ = lambda self: self  # noqa: E731
    __deepcopy__ = lambda self, memo: self  # noqa: E731
    __complex__ = refusing("the complex value")
    __str__ = __repr__ = __format__ = __bytes__ = refusing("the text")
    __reduce__ = __reduce_ex__ = refusing("the pickle")
    __sizeof__ = refusing("the size")


_WORDS = {"mod": "a remainder", "floordiv": "a remainder", "divmod": "a remainder",
          "pow": "a power", "truediv": "a quotient", "matmul": "a matrix product",
          "hash": "the hash", "index": "an index", "float": "the float value",
          "int": "the whole part"}  # fmt: skip
for _slot in SLOTS - {*SWAPPED}:  # a slot that is missing is answered for by Python
    _word = _slot.strip("_")
    _word = _word[1:] if _word not in _WORDS and _word.startswith("r") else _word
    setattr(Lazy, _slot, refusing(_WORDS.get(_word, _word)))


def _asked(slot: str, *given: Any) -> Any:
    """Return what an operator gives; the unknown one is asked, on whichever side it is."""
    function, reflected = OPERATORS[slot]
    left, right = (given[1], given[0]) if reflected else (given[0], given[-1])
    if isinstance(left, Lazy) or not isinstance(right, Lazy):
        return function(left, right) if len(given) > 1 else function(left)
    plain = f"__{function.__name__.strip('_')}__"
    found = getattr(right, SWAPPED.get(plain) or plain.replace("__", "__r", 1))(left)
    if found is NotImplemented and function not in (operator.eq, operator.ne):
        right._run.refuse(
            f"a random draw is combined with a {type(left).__name__}, which dpaudit cannot follow"
        )
    return function is operator.ne if found is NotImplemented else found


def _greater(one: Any, other: Any) -> Any:
    return one if _asked("__ge__", one, other) else other


def _less(one: Any, other: Any) -> Any:
    return one if _asked("__le__", one, other) else other


_CHOICES: dict[str, Callable[..., Any]] = {
    "maximum": _greater,
    "minimum": _less,
    "clip": lambda one, low, high: _less(_greater(one, low), high),
}


def _clipped(self: Lazy, one: Any, low: Any = None, high: Any = None) -> Any:
    """Return what ``numpy.clip`` gives."""
    import numpy as np

    found = one if low is None else np.maximum(one, low)
    return found if high is None else np.minimum(found, high)


def _searched(self: Lazy, among: Any, one: Any, side: str = "left") -> Any:
    """Return where ``numpy.searchsorted`` finds one number."""
    import numpy as np

    ends = np.asarray(among)
    if ends.ndim != 1 or ends.dtype not in (np.float64, np.int64) or one is not self:
        self._run.refuse("dpaudit cannot follow numpy.searchsorted in an array of this kind")
    slot = "__lt__" if side == "left" else "__le__"
    low, high = 0, len(ends)
    while low < high:  # as NumPy does, if they are in no order
        middle = (low + high) // 2
        low, high = (middle + 1, high) if _asked(slot, ends[middle], one) else (low, middle)
    return np.int64(low)


def _digitized(self: Lazy, one: Any, bins: Any, right: bool = False) -> Any:
    """Return what ``numpy.digitize`` gives for bins that increase."""
    import numpy as np

    if not np.all(np.diff(bins) >= 0):
        self._run.refuse("dpaudit cannot follow numpy.digitize with bins that do not increase")
    return _searched(self, bins, one, "left" if right else "right")


def _decided(one: Any) -> Any:
    """Return an argument with known numbers in place of unknown ones."""
    if type(one) in (list, tuple):
        return type(one)(map(_decided, one))
    return one._value() if isinstance(one, Lazy) else one


_FOLLOWED: dict[str, Callable[..., Any]] = {
    "clip": _clipped,
    "searchsorted": _searched,
    "digitize": _digitized,
}
"""The functions of NumPy that are followed by others, which ask."""


def _mapped(given: Any, slot: str, function: Callable[[Any], Any]) -> Any:
    """Return an array of what is made of the numbers of another, each as NumPy's own."""
    import numpy as np

    found = np.empty(given.shape, dtype=bool if slot in SWAPPED else object)
    for place in np.ndindex(*given.shape):
        found[place] = function(given[place])
    return found[()]


def _broadcast(self: Lazy, slot: str, function: Callable[..., Any], given: tuple[Any, ...]) -> Any:
    """Return what a function gives for arrays, or for numbers where there is none."""
    import numpy as np

    for one in given:
        if isinstance(one, np.ndarray) and not is_array(one):
            self._run.refuse(
                f"a random draw is combined with an array of {one.dtype}, which dpaudit "
                "cannot follow"
            )
        if isinstance(one, (float, np.floating)) and not isinstance(one, Lazy) and np.isnan(one):
            self._run.refuse("a random draw is combined with nan")
    if not any(isinstance(one, np.ndarray) for one in given):
        found = function(*given)
        return np.bool_(found) if slot in SWAPPED else found
    boxes = []
    for one in given:
        box = one
        if not isinstance(one, np.ndarray):
            box = np.empty((), dtype=object)
            box[()] = one
        boxes.append(box)
    spread = np.broadcast_arrays(*boxes)
    found = np.empty(spread[0].shape, dtype=bool if slot in SWAPPED else object)
    for place in np.ndindex(*found.shape):
        found[place] = function(*(one[place] for one in spread))
    return found[()]
