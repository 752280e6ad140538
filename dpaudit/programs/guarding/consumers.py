"""Call that takes the value of the instruction that runs: ``sorted``, say, or ``print``.

A set of texts that is sorted at once shows no order, and a text that is printed at once is no part
of an output.  Both are read off the instructions around the one that runs.  None is the answer
wherever these are not among the few that are understood.
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Iterator, Sequence
from types import CodeType, FrameType
from typing import Any, NamedTuple

from dpaudit.programs.guarding.reach import steps_of

__all__ = ["Call", "call_at", "call_of_generator", "call_of_text"]

_KNOWN = sys.version_info[:2] == (3, 11)
"""True if the instructions of this Python are those that are understood here."""
_LOADS = ("LOAD_GLOBAL", "LOAD_FAST", "LOAD_DEREF", "LOAD_NAME", "LOAD_CONST")
_CALLS = ("PRECALL", "CALL")
_MISSING = object()
_PURE = {
    "COPY_FREE_VARS", "RETURN_GENERATOR", "POP_TOP", "RESUME", "LOAD_FAST", "LOAD_CONST",
    "LOAD_DEREF", "LOAD_GLOBAL", "FOR_ITER", "STORE_FAST", "CONTAINS_OP", "COMPARE_OP",
    "YIELD_VALUE", "JUMP_BACKWARD", "JUMP_FORWARD", "RETURN_VALUE", "SET_ADD", "BUILD_SET",
    "UNARY_NOT", "POP_JUMP_FORWARD_IF_FALSE", "POP_JUMP_FORWARD_IF_TRUE",
    "POP_JUMP_BACKWARD_IF_FALSE", "POP_JUMP_BACKWARD_IF_TRUE", "JUMP_IF_FALSE_OR_POP",
    "JUMP_IF_TRUE_OR_POP", "EXTENDED_ARG",
}  # fmt: skip
"""Instructions of a loop that calls nothing, and keeps nothing but what it yields."""


class Call(NamedTuple):
    """A call of a function, or of a method of an object."""

    function: Any
    """The function; the object, if a method of it is called."""
    method: str
    """Name of the method; empty for a function."""
    named: dict[str, Any]
    """Arguments given by name; a value that is not read off is an ``object``."""
    arguments: int
    """Number of all arguments."""


class _Code(NamedTuple):
    """Instructions of code, and the place of each by its offset."""

    steps: tuple[dis.Instruction, ...]
    places: dict[int, int]


_READ: dict[int, tuple[CodeType, _Code]] = {}


def _code_of(code: CodeType) -> _Code:
    if id(code) not in _READ:
        steps = tuple(steps_of(code))
        places = {step.offset: place for place, step in enumerate(steps)}
        _READ[id(code)] = code, _Code(steps, places)
    return _READ[id(code)][1]


def _here(frame: FrameType) -> tuple[Sequence[dis.Instruction], int] | None:
    """Return the instructions of a frame's code and the place of the one that runs."""
    code = _code_of(frame.f_code)
    place = code.places.get(frame.f_lasti)
    return None if place is None or not _KNOWN else (code.steps, place)


def step_at(frame: FrameType) -> dis.Instruction | None:
    """Return the instruction that runs; None where it is not known."""
    here = _here(frame)
    return None if here is None else here[0][here[1]]


def call_at(frame: FrameType) -> Call | None:
    """Return the call that is the instruction that runs; None where it is no such call."""
    here = _here(frame)
    if here is None or here[0][here[1]].opname not in _CALLS:
        return None
    steps, place = here
    while steps[place].opname != "CALL":
        place += 1
    return _call(steps, place, frame)


def call_of_generator(frame: FrameType) -> Call | str | None:
    """Return what takes a loop that begins with the instruction that runs.

    Such a loop calls nothing.  A comprehension is named: ``"<setcomp>"``.
    """
    here = _here(frame)
    if here is None:
        return None
    steps, place = here
    names = [step.opname for step in steps[place : place + 3]]
    first = _start(steps, place)
    if names != ["GET_ITER", "PRECALL", "CALL"] or first is None or steps[place + 1].arg:
        return None
    made = steps[first - 2 : first]
    if [step.opname for step in made] != ["LOAD_CONST", "MAKE_FUNCTION"]:
        # variables of the function around it make a tuple between
        return None
    code = made[0].argval
    if not isinstance(code, CodeType) or not _is_pure(code):
        return None
    if code.co_name != "<genexpr>":
        return code.co_name
    end = _next_call(steps, place + 3)
    return None if end is None else _call(steps, end, frame)


def _is_pure(code: CodeType) -> bool:
    names = {step.opname for step in _code_of(code).steps}
    return names <= _PURE and not any(isinstance(one, CodeType) for one in code.co_consts)


def _next_call(steps: Sequence[dis.Instruction], place: int) -> int | None:
    """Return the place of a call of one argument that follows at once."""
    names = [step.opname for step in steps[place : place + 2]]
    return place + 1 if names == ["PRECALL", "CALL"] and steps[place].arg == 1 else None


def call_of_text(frame: FrameType) -> Call | None:
    """Return the call that takes the text that the instruction that runs makes a part of.

    Between them are only parts of an f-string, and other arguments.
    """
    here = _here(frame)
    if here is None:
        return None
    steps, place = here
    if steps[place].opname in _CALLS:
        return call_at(frame)
    if steps[place].opname != "FORMAT_VALUE":
        return None
    above = 0
    for at in range(place + 1, len(steps)):
        step = steps[at]
        taken = _taken(step)
        if taken is None or step.is_jump_target:
            return None
        if taken > above:
            if step.opname == "CALL":
                return _call(steps, at, frame)
            if step.opname not in ("BUILD_STRING", "FORMAT_VALUE"):
                return None
            above = 0
        else:
            above += _effect(step)
    return None


def _taken(step: dis.Instruction) -> int | None:
    """Return how many values an instruction takes; None for one that is not understood."""
    name, arg = step.opname, step.arg or 0
    if name.startswith(_LOADS) or name in ("PUSH_NULL", "KW_NAMES", "PRECALL", "EXTENDED_ARG"):
        return 0
    if name in ("LOAD_ATTR", "LOAD_METHOD"):
        return 1
    if name == "FORMAT_VALUE":
        return 2 if arg & 4 else 1
    if name == "BUILD_STRING":
        return arg
    return arg + 2 if name == "CALL" else None


def _effect(step: dis.Instruction) -> int:
    argument = step.arg if step.opcode >= dis.HAVE_ARGUMENT else None
    return dis.stack_effect(step.opcode, argument)


def _start(steps: Sequence[dis.Instruction], end: int) -> int | None:
    """Return where the expression begins that ends before a step; None where that is not seen."""
    height = 0
    for place in reversed(range(end)):
        step = steps[place]
        if step.opcode in dis.hasjrel or step.opcode in dis.hasjabs or step.is_jump_target:
            return None
        height += _effect(step)
        if height == 1:
            return place
        if height > 1:
            return None
    return None


def _call(steps: Sequence[dis.Instruction], end: int, frame: FrameType) -> Call | None:
    """Return the call at a place, read off the instructions before it."""
    count = steps[end].arg or 0
    at = end - 1  # PRECALL
    names: tuple[str, ...] = ()
    if steps[at - 1].opname == "KW_NAMES":
        at -= 1
        names = frame.f_code.co_consts[steps[at].arg or 0]
    values: list[Any] = []
    for _ in range(count):
        first = _start(steps, at)
        if first is None:
            return None
        values.append(_value(steps[first:at], frame))
        at = first
    called = list(_callee(steps, at))
    if not called:
        return None
    values = values[::-1][count - len(names) :]
    method = str(called[-1].argval) if called[-1].opname == "LOAD_METHOD" else ""
    function = _value(called[:-1] if method else called, frame)
    return Call(function, method, dict(zip(names, values, strict=True)), count)


def _callee(steps: Sequence[dis.Instruction], end: int) -> Iterator[dis.Instruction]:
    """Yield the instructions that load what is called, and end before a place."""
    first = end - 1
    while first >= 0 and steps[first].opname in ("LOAD_ATTR", "LOAD_METHOD"):
        first -= 1
    if first >= 0 and steps[first].opname.startswith(_LOADS):
        is_method = steps[end - 1].opname == "LOAD_METHOD"
        has_room = bool(steps[first].opname == "LOAD_GLOBAL" and (steps[first].arg or 0) & 1)
        if is_method or has_room or steps[first - 1].opname == "PUSH_NULL":
            yield from steps[first:end]


def _value(steps: Sequence[dis.Instruction], frame: FrameType) -> Any:
    """Return what a name with attributes of modules is, without running anything."""
    if not steps or not steps[0].opname.startswith(_LOADS):
        return _MISSING
    first = steps[0]
    value: Any = first.argval
    if first.opname != "LOAD_CONST":
        spaces = [frame.f_globals, frame.f_builtins]
        if first.opname != "LOAD_GLOBAL":
            spaces = [frame.f_locals, *spaces]
        value = next((one[value] for one in spaces if value in one), _MISSING)
    for step in steps[1:]:
        if step.opname != "LOAD_ATTR" or type(value) is not type(sys):
            return _MISSING
        value = vars(value).get(str(step.argval), _MISSING)
    return value
