"""Instructions that answer for an unknown number without asking it.

``is`` compares where objects lie, which small whole numbers share; a slot of a number, called by
name, returns ``NotImplemented``, which is true.  Where either may meet an unknown number, the
program is refused before it runs.
"""

from __future__ import annotations

import _operator
import dis
import inspect
import operator
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import partial
from types import CodeType, FrameType, MethodWrapperType, WrapperDescriptorType
from typing import Any

from dpaudit.numbers.real import Real
from dpaudit.programs.guarding.guards import is_own
from dpaudit.programs.guarding.reach import steps_of
from dpaudit.programs.unknowns.kinds import BINARY
from dpaudit.programs.unknowns.lazy import Lazy

__all__ = ["held_slot", "tellings"]

Telling = Callable[[FrameType], str | None]

_NUMBERS: tuple[type, ...] = (int, float, complex, Fraction, Decimal, Real)
_IDENTITIES = ("is_", "is_not")
_BY_IDENTITY = "it may compare a random draw by identity (is); use == instead"
_OF_ADDRESSES = ("__hash__", "__array_interface__", "__array_struct__", "buffer_info")
_BY_ADDRESS = (
    "it may use where an object lies in memory, or its hash; use a value of the object instead"
)
_TIME_OF_NUMPY = "it may use the time, as numpy.datetime64('now'); remove it"
_UNKNOWN = object()
"""Value of an expression that is not read off."""
_LOADS = ("LOAD_FAST", "LOAD_DEREF", "LOAD_GLOBAL", "LOAD_NAME", "LOAD_CONST", "LOAD_CLASSDEREF")


def tellings(code: CodeType) -> dict[int, Telling]:
    """Return, by its offset, what is looked at before an instruction of some code runs.

    Each returns what is wrong, or None.  Of an installed library, what cannot be read off is let
    be.
    """
    steps = list(steps_of(code))
    own = is_own(code.co_filename)
    found: dict[int, Telling] = {}
    for place, step in enumerate(steps):
        if step.opname == "IS_OP":
            right = _start(steps, place)
            left = None if right is None else _start(steps, right)
            parts = (
                [] if right is None else steps[right:place],
                [] if right is None or left is None else steps[left:right],
            )
            found[step.offset] = _identity(parts, own=own)
        elif step.opname in ("LOAD_ATTR", "LOAD_METHOD") and step.argval in BINARY:
            first = _start(steps, place)
            of = [] if first is None else steps[first:place]
            found[step.offset] = _slot(str(step.argval), of, own=own)
        elif step.opname in ("LOAD_ATTR", "LOAD_METHOD") and step.argval in _IDENTITIES:
            first = _start(steps, place)
            of = [] if first is None else steps[first:place]
            found[step.offset] = _of_operator(of)
        elif own and _is_slot_of_address(step, code):
            found[step.offset] = lambda frame: _BY_ADDRESS
        elif own and step.opname == "LOAD_CONST" and _is_time_of_numpy(step.argval, steps):
            found[step.offset] = lambda frame: _TIME_OF_NUMPY
        elif own and step.opname == "IMPORT_FROM" and step.argval in _IDENTITIES:
            found[step.offset] = lambda frame: _BY_IDENTITY
        elif own and step.opname == "LOAD_CONST" and _names_a_slot(step.argval):
            found[step.offset] = lambda frame: (
                "it contains the name of an operator as a text, such as '__add__', which "
                "dpaudit cannot follow; write the operator"
            )
    return found


def _is_slot_of_address(step: dis.Instruction, code: CodeType) -> bool:
    """Tell whether an instruction names a method that may tell an address, outside of its own."""
    names = step.opname in ("LOAD_ATTR", "LOAD_METHOD", "LOAD_CONST")
    return names and step.argval in _OF_ADDRESSES and step.argval != code.co_name


def _is_time_of_numpy(constant: Any, steps: list[dis.Instruction]) -> bool:
    """Tell whether NumPy may read the time for a text, in code that names its dates."""
    parts = constant if isinstance(constant, (tuple, frozenset)) else (constant,)
    if not any(isinstance(one, str) and one.lower() in ("now", "today") for one in parts):
        return False
    texts = (step.argval for step in steps if isinstance(step.argval, str))
    return any("datetime64" in text or "M8" in text for text in texts)


def _names_a_slot(constant: Any) -> bool:
    if isinstance(constant, (tuple, frozenset)):
        return any(map(_names_a_slot, constant))
    return isinstance(constant, str) and constant in BINARY


def _start(steps: list[dis.Instruction], end: int) -> int | None:
    """Return where the expression begins that ends before a step; None where that is not seen."""
    height = 0
    for place in reversed(range(end)):
        step = steps[place]
        if step.opcode in dis.hasjrel or step.opcode in dis.hasjabs:
            return None
        plain = step.opname == "LOAD_FAST"  # half of an instruction since Python 3.13
        argument = step.arg if step.opcode >= dis.HAVE_ARGUMENT else None
        height += 1 if plain else dis.stack_effect(step.opcode, argument)
        if height == 1:
            return place
        if height > 1 or step.is_jump_target:
            return None
    return None


def _value(steps: list[dis.Instruction], frame: FrameType) -> Any:
    """Return what an expression of names and attributes is, without running anything."""
    if not steps or not steps[0].opname.startswith(_LOADS):
        return _UNKNOWN
    first = steps[0]
    if first.opname == "LOAD_CONST":
        found: Any = first.argval
    else:
        found = _UNKNOWN
        spaces = [frame.f_globals, frame.f_builtins]
        if first.opname != "LOAD_GLOBAL":
            spaces = [frame.f_locals, *spaces]
        for space in spaces:
            if first.argval in space:
                found = space[first.argval]
                break
    for step in steps[1:]:
        if step.opname != "LOAD_ATTR" or found is _UNKNOWN or isinstance(found, Lazy):
            return _UNKNOWN
        found = inspect.getattr_static(found, str(step.argval), _UNKNOWN)
        if hasattr(type(found), "__get__"):
            return _UNKNOWN
    return found


def _gives_a_class(steps: list[dis.Instruction]) -> bool:
    """Tell whether an expression is a call of ``type``."""
    names = [step.argval for step in steps if step.opname == "LOAD_GLOBAL"]
    return (
        bool(steps) and steps[-1].opname == "CALL" and steps[-1].arg == 1 and names[:1] == ["type"]
    )


def _is_class_of_no_number(steps: list[dis.Instruction], frame: FrameType) -> bool:
    """Tell whether an expression is ``self.__class__``, say, of what is no number.

    A dataclass compares so in the ``__eq__`` that it writes.
    """
    if not steps or steps[-1].opname != "LOAD_ATTR" or steps[-1].argval != "__class__":
        return False
    value = _value(steps[:-1], frame)
    return value is not _UNKNOWN and not isinstance(value, (Lazy, *_NUMBERS))


def _identity(parts: tuple[list[dis.Instruction], ...], *, own: bool) -> Telling:
    def look(frame: FrameType) -> str | None:
        if any(_gives_a_class(one) or _is_class_of_no_number(one, frame) for one in parts):
            return None
        values = [_value(part, frame) for part in parts]
        if any(one is not _UNKNOWN and not _may_be_shared(one) for one in values):
            return None
        unknown = any(isinstance(one, Lazy) for one in values)
        if unknown or (own and any(one is _UNKNOWN for one in values)):
            return _BY_IDENTITY
        return None

    return look


def _of_operator(of: list[dis.Instruction]) -> Telling:
    return lambda frame: (
        _BY_IDENTITY if any(_value(of, frame) is one for one in (operator, _operator)) else None
    )


def _may_be_shared(value: Any) -> bool:
    """Tell whether a value is a number, which may be the same object as an unknown one."""
    if isinstance(value, Lazy):
        return True
    return not isinstance(value, bool) and isinstance(value, _NUMBERS)


def _slot(name: str, of: list[dis.Instruction], *, own: bool) -> Telling:
    def look(frame: FrameType) -> str | None:
        value = _value(of, frame)
        if value is _UNKNOWN and any(step.argval == "super" for step in of):
            names = frame.f_code.co_varnames
            value = frame.f_locals.get(names[0], _UNKNOWN) if names else _UNKNOWN
        if value is _UNKNOWN and not own:
            return None
        if value is _UNKNOWN or _is_number(value):
            return (
                f"it calls the method {name} of a number directly, which dpaudit cannot "
                "follow; write the operator"
            )
        return None

    return look


def _is_number(value: Any) -> bool:
    if isinstance(value, type):
        return issubclass(value, _NUMBERS)
    return isinstance(value, (Lazy, *_NUMBERS))


def held_slot(frame: FrameType) -> str | None:
    """Return what is wrong with the values that a function finds when it begins."""
    known = frame.f_globals
    values = [known[name] for name in frame.f_code.co_names if name in known]
    for value in (*values, *frame.f_locals.values()):
        parts = [value]
        if type(value) in (list, tuple, set, frozenset):
            parts = list(value)
        elif type(value) is dict:
            parts = list(value.values())
        elif isinstance(value, partial):
            parts = [value.func, *value.args]
        for part in parts:
            if part is operator.is_ or part is operator.is_not:
                return _BY_IDENTITY
            if not isinstance(part, (MethodWrapperType, WrapperDescriptorType)):
                continue
            of = getattr(part, "__objclass__", None) or type(getattr(part, "__self__", None))
            if part.__name__ in BINARY and issubclass(of, _NUMBERS):
                return (
                    f"it holds {part.__name__} of a number as a value, which dpaudit cannot "
                    "follow; write the operator"
                )
    return None
