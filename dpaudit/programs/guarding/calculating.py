"""Check that code cannot tell a symbolic number from a real one: what only calculates cannot.

An object that does with sums, comparisons and indices what every number does that it stands for is
told apart by its type, by ``is``, by what it raises, or by code that cannot be read.  Code without
any of these does the same with both.  It is read instruction by instruction; whatever is not known
to be harmless counts as telling, as an instruction of a later Python does.

Such code keeps nothing from one run to the next either, and calls nothing that draws or asks for
the time: what it gives is a function of its dataset and of the draws that it is given.
"""

from __future__ import annotations

import builtins
import dis
from fractions import Fraction
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from dpaudit.numbers.real import Real
from dpaudit.programs.exploring.source import Source
from dpaudit.programs.system_source import Drawn

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

__all__ = ["only_calculates"]

_INSTRUCTIONS = set(
    """
        BINARY_OP BINARY_SLICE BINARY_SUBSCR BUILD_LIST BUILD_MAP BUILD_SLICE BUILD_TUPLE CACHE
    CALL     CALL_FUNCTION_EX CALL_INTRINSIC_1 CALL_KW COMPARE_OP CONTAINS_OP COPY COPY_FREE_VARS
    DICT_MERGE END_FOR     EXTENDED_ARG FOR_ITER GET_ITER JUMP_BACKWARD JUMP_BACKWARD_NO_INTERRUPT
    JUMP_FORWARD     JUMP_IF_FALSE_OR_POP JUMP_IF_TRUE_OR_POP KW_NAMES LIST_APPEND LIST_EXTEND
    LIST_TO_TUPLE     LOAD_ATTR LOAD_CLOSURE LOAD_CONST LOAD_DEREF LOAD_FAST LOAD_FAST_AND_CLEAR
    LOAD_FAST_CHECK     LOAD_FAST_LOAD_FAST LOAD_GLOBAL LOAD_METHOD MAKE_CELL MAKE_FUNCTION NOP
    POP_JUMP_BACKWARD_IF_FALSE POP_JUMP_BACKWARD_IF_NONE POP_JUMP_BACKWARD_IF_NOT_NONE
    POP_JUMP_BACKWARD_IF_TRUE POP_JUMP_FORWARD_IF_FALSE POP_JUMP_FORWARD_IF_NONE
    POP_JUMP_FORWARD_IF_NOT_NONE POP_JUMP_FORWARD_IF_TRUE POP_JUMP_IF_FALSE POP_JUMP_IF_NONE
    POP_JUMP_IF_NOT_NONE POP_JUMP_IF_TRUE POP_TOP PRECALL PUSH_NULL RERAISE RESUME RETURN_CONST
    RETURN_GENERATOR RETURN_VALUE SET_FUNCTION_ATTRIBUTE STORE_DEREF STORE_FAST
    STORE_FAST_LOAD_FAST STORE_FAST_STORE_FAST STORE_SLICE STORE_SUBSCR SWAP TO_BOOL UNARY_INVERT
    UNARY_NEGATIVE UNARY_NOT UNARY_POSITIVE UNPACK_EX UNPACK_SEQUENCE YIELD_VALUE
    """.split()  # noqa: SIM905
)
"""Instructions that only calculate with a number, compare it, keep it and hand it on.

There is none that handles an exception, so that what only raises ends the run, and shows."""
_LISTS = {"append", "copy", "count", "extend", "index", "insert", "pop", "reverse", "sort"}
_METHODS = (
    _LISTS
    | {"getrandbits", "randint", "randrange"}
    | {name for kind in (Source, Drawn) for name in vars(kind) if not name.startswith("_")}
)
_CALLED = [
    abs, all, any, bool, enumerate, filter, float, int, len, list, map, max, min, pow, range,
    reversed, round, sorted, sum, tuple, zip, Fraction,
]  # fmt: skip
_ATOMS = (bool, int, float, str, bytes, Fraction, Real, type(None))


def only_calculates(
    function: Callable[..., Any], given: Iterable[Any] = (), source: object = None
) -> bool:
    """Tell whether a function, and what it calls, does nothing with numbers but calculate.

    ``given`` are arguments that it gets beside its dataset and its source, which may be a module
    that it names, the ``source``.

    >>> only_calculates(lambda x, noise: x + noise > 1)
    True
    >>> only_calculates(lambda x, noise: x + noise > 1 if isinstance(x, int) else x)
    False
    """
    seen: list[FunctionType] = []
    waiting: list[Any] = [function, *given]
    settings = False
    while waiting:
        one = waiting.pop()
        if isinstance(one, FunctionType):
            if all(one is not other for other in seen):
                seen.append(one)
                found = _named(one)
                if found is None:
                    return False
                waiting += found
        elif type(one) is tuple:
            waiting += one
        elif type(one) is dict:
            settings = True
            waiting += [*one, *one.values()]
        elif type(one) not in _ATOMS and all(one is not other for other in (*_CALLED, source)):
            return False
    return bool(seen) and not (settings and any(_sets(one.__code__) for one in seen))


def _sets(code: CodeType) -> bool:
    """Tell whether code may modify a dictionary that it does not own."""
    steps = dis.get_instructions(code)
    inside = any(_sets(one) for one in code.co_consts if isinstance(one, CodeType))
    return inside or any(
        step.opname == "STORE_SUBSCR" or step.argval == "pop" or step.argrepr == "|="
        for step in steps
    )


def _named(function: FunctionType) -> list[Any] | None:
    """Return what a function's code names; None where it does more than calculate."""
    code = function.__code__
    known = getattr(function, "__builtins__", None)
    other = function.__dict__ or known is not vars(builtins)
    if other or _keeps(code, code.co_freevars) or not all(map(_is_fixed, _constants_of(code))):
        return None
    try:
        cells = [cell.cell_contents for cell in function.__closure__ or ()]
    except ValueError:  # not bound yet
        return None
    found = [*cells, *(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    for name in _globals_of(code):
        if name is None:
            return None
        found.append(_value(name, function.__globals__))
    return found


def _keeps(code: CodeType, outside: Collection[str]) -> bool:
    """Tell whether code may set a variable from outside of it, which the next run would find."""
    inside = any(_keeps(one, outside) for one in code.co_consts if isinstance(one, CodeType))
    return inside or any(
        step.opname == "STORE_DEREF" and step.argval in outside
        for step in dis.get_instructions(code)
    )


def _constants_of(code: CodeType) -> Iterator[Any]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _constants_of(constant)
        else:
            yield constant


def _is_fixed(constant: Any) -> bool:
    """Tell whether a constant is the same in every process: sets of texts have another order."""
    if type(constant) in (tuple, frozenset):
        numbers = type(constant) is tuple or all(type(one) in (bool, int) for one in constant)
        return numbers and all(map(_is_fixed, constant))
    return type(constant) in _ATOMS or constant is ...


def _value(name: str, known: Mapping[str, Any]) -> Any:
    return known[name] if name in known else vars(builtins).get(name, type)


def _globals_of(code: CodeType) -> Iterator[str | None]:
    """Yield the names that code looks up outside of itself; None where it does more than that."""
    for step in dis.get_instructions(code):
        if step.opname not in _INSTRUCTIONS:
            yield None
        if step.opname in ("LOAD_ATTR", "LOAD_METHOD") and step.argval not in _METHODS:
            yield None
        if step.opname == "LOAD_GLOBAL":
            yield str(step.argval)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _globals_of(constant)
