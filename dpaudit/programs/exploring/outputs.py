"""Outputs of a run: values, with places for the draws that are left open, and exceptions."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod
from types import GetSetDescriptorType, MemberDescriptorType
from typing import TYPE_CHECKING, Any

from dpaudit.errors import one_line, without_addresses
from dpaudit.mechanisms.records import recorded
from dpaudit.mechanisms.user_laws import held, look_of
from dpaudit.programs.exploring.run import Cut
from dpaudit.programs.guarding.refusal import NoEnd, Refused, line_where_raised
from dpaudit.programs.output_laws.printed_draws import Decimals, Form, OpenWhole, Place
from dpaudit.programs.unknowns.lazy import Lazy
from dpaudit.programs.unknowns.rounded import Rounded
from dpaudit.programs.unknowns.unknown import Unknown
from dpaudit.programs.unknowns.unknown_whole import Whole
from dpaudit.programs.unknowns.wholes import size
from dpaudit.programs.zones.regions import Given

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

    from dpaudit.programs.exploring.run import Run

__all__ = ["PLAIN", "Raised", "given", "limit", "look", "outcome"]

PLAIN = frozenset({bool, int, float, str, bytes, type(None), Fraction})
"""Types that hold no unknown number, and none of the program's code: most parts of outputs."""
_MANY_DECISIONS = 100
"""A path that ends too deep after so many may be one of many that go ever deeper."""
_MOST_LISTED = 4096
"""Whole numbers in an output are decided, one by one, where they make at most so many outputs."""


@dataclass(frozen=True, slots=True)
class Raised:
    """The output of a run that ends with an exception."""

    kind: str
    """The name of the exception's class."""
    message: str
    """Its text, not longer than is shown."""
    whole: str = field(default="", repr=False)
    """All that can be seen of it, so that two that differ are two outputs."""

    def __str__(self) -> str:
        """Say what was raised, as a report shows it."""
        return f"raises {self.kind}: {self.message}" if self.message else f"raises {self.kind}"


def look(output: Hashable) -> Hashable:
    """Return how what a run gave looks, but for the draws in it."""
    return look_of(output.fixed if isinstance(output, Given) else output)


def outcome(run: Run, call: Callable[[], Any]) -> Hashable:
    """Return what a call gives out or raises, for ``run`` to refuse what is no output."""
    output: Any
    try:
        output = given(run, call())
    except (RecursionError, MemoryError) as error:
        deep = isinstance(error, RecursionError) and len(run.decisions) > _MANY_DECISIONS
        run.refuse(f"it raised {one_line(error)}", kind=NoEnd if deep else Refused)
    except Exception as error:
        run.raised_at = where = line_where_raised(error)
        if not _has_text(error):
            run.refuse(
                f"it raised {type(error).__name__}, and its message cannot be shown, because "
                "str() of it raises too",
                where=where,
            )
        if "unhashable" in str(error) and isinstance(error, TypeError):
            told = f"an output cannot be hashed ({one_line(error)}); give a tuple"
            run.refuse(told, where=where)
        if isinstance(error, TypeError) and "positional argument" in str(error):
            run.refuse(
                f"it raised {one_line(error)}; a program is called with a dataset and a source "
                "of randomness, def program(data, random)",
                where=where,
            )
        if isinstance(error, TypeError) and (shown := _without_unknown(str(error))) != str(error):
            shown = " ".join(shown.split())
            told = f"a random draw is used as something that is not a number ({shown})"
            run.refuse(told, where=where)
        output = Raised(type(error).__name__, _text(error), _whole(error))
    except Cut:
        output = None
    except (Refused, KeyboardInterrupt):
        raise
    except BaseException as error:
        run.refuse(f"it raised {one_line(error)}, which is not a subclass of Exception")
    if run.refusal is not None:
        raise run.refusal
    return output  # type: ignore[no-any-return]


def _has_text(error: BaseException) -> bool:
    try:
        return isinstance(str(error), str) and isinstance(_whole(error), str)
    except Exception:
        return False


def _without_unknown(message: str) -> str:
    """Return a message with ``number`` for the classes of what stands for one."""
    kinds = {"Lazy"}
    waiting: list[type] = [Lazy]
    while waiting:
        found: list[type] = waiting.pop().__subclasses__()
        kinds |= {kind.__name__ for kind in found}
        waiting += found
    return re.sub(rf"\b(?:{'|'.join(sorted(kinds))})\b", "number", message)


def limit(run: Run, raised: Raised) -> Refused:
    """Return the refusal of an exception that known numbers do not raise: the engine's limit."""
    told = f"{raised.kind}: {raised.message}" if raised.message else raised.kind
    return Refused(
        f"dpaudit cannot follow this operation on a random draw ({told}; plain numbers do not "
        f"raise it); {_in_place_of(raised)}",
        where=run.raised_at,
    )


def _in_place_of(raised: Raised) -> str:
    """Return what to write instead of what raised."""
    if "dtype('O')" in raised.message and "ufunc" in raised.message:
        return (
            "dpaudit stores random draws as an array of objects; write a = a + b in place of a += b"
        )
    if raised.kind == "SchemaError" or "dtype object" in raised.message:
        return (
            "dpaudit stores a column of random draws as objects; use sort_values or idxmax, or "
            "an array from to_numpy()"
        )
    return "compare, clamp or round the number first"


def _whole(error: BaseException | None, depth: int = 0) -> str:
    """Return all that can be seen of an exception, and of those that it comes from."""
    if error is None or depth > _DEEPEST_CAUSE:
        return ""
    kind = type(error)
    held = {**vars(error), "args": error.args}
    for one in kind.__mro__:  # what Python's own keep in C: obj, name, filename
        for name, part in vars(one).items():
            if type(part) in (MemberDescriptorType, GetSetDescriptorType) and name not in _CHAIN:
                held[name] = getattr(error, name, None)
    causes = (_whole(getattr(error, name), depth + 1) for name in ("__cause__", "__context__"))
    told = without_addresses(f"{kind.__module__}.{kind.__qualname__}: {error} {held}")
    return " ".join((told, str(error.__suppress_context__), *causes))


_CHAIN = ("__dict__", "__traceback__", "__cause__", "__context__", "args")
_DEEPEST_CAUSE = 10


def _text(error: BaseException) -> str:
    return " ".join(str(error).split())[:200]


def given(run: Run, output: Any) -> Hashable:
    """Return an output without unknown numbers, or a :class:`Given` with places for them.

    Real numbers are places.  Whole ones are decided, where they are few, and places otherwise.
    ``TypeError`` for an output that cannot be hashed.
    """
    kind = type(output)
    if kind in PLAIN or (kind is tuple and PLAIN.issuperset(map(type, output))):
        return output  # type: ignore[no-any-return]
    forms: list[Form] = []
    counts: list[OpenWhole] = []
    found = _known(run, output, forms, counts if run.opens and _left_open(run, output) else None)
    hash(found)
    if forms and counts:
        run.refuse(
            "an unbounded whole number is returned together with a continuous number, and "
            "dpaudit cannot follow both; clamp the whole number first"
        )
    return Given(found, tuple(forms), tuple(counts)) if forms or counts else found


def _wholes(output: Any) -> Iterator[int]:
    """Yield the numbers of the countable draws in an output."""
    if type(output) in PLAIN:
        return
    if isinstance(output, Whole):
        yield output._number
    elif isinstance(output, Rounded):
        if (form := output.opened()) is not None:
            yield form.number
    elif isinstance(output := recorded(output), (list, tuple)):
        for part in output:
            yield from _wholes(part)
    elif isinstance(output, dict):
        yield from _wholes(list(output.values()))


def _left_open(run: Run, output: Any) -> bool:
    """Tell whether the whole numbers of an output are too many to be decided."""
    wholes = list(_wholes(output))
    sizes = [size(run.supports[number]) for number in wholes]
    known = [one for one in sizes if one is not None]
    open_ = len(known) < len(sizes) or prod(known) > _MOST_LISTED
    if open_ and len(set(wholes)) < len(wholes):
        run.refuse(
            "a whole number that is unbounded, or has many values, is returned twice; return it "
            "once, or clamp it first"
        )
    return open_


def _known(run: Run, output: Any, forms: list[Form], counts: list[OpenWhole] | None) -> Any:
    """Return an output with places; what stands in them is added to ``forms`` or ``counts``."""
    if type(output) in PLAIN:
        return output
    if isinstance(output, Rounded) and counts is not None and (form := output.opened()):
        run.check_unspent(form.number)
        counts.append(form)
        place = Place(len(counts) - 1)
        return place if output.is_whole() else Decimals(place)
    if isinstance(output, Unknown):
        if not run.spent.isdisjoint(node for node, _ in output._terms):
            run.refuse(
                "a random draw is returned together with a function of it, which dpaudit cannot "
                "follow; return one of the two"
            )
        forms.append(Form(output._terms, output._constant))
        return Place(len(forms) - 1)
    if isinstance(output, Whole) and counts is not None:
        run.check_unspent(output._number)
        counts.append(OpenWhole(output._number, output._factor, output._constant))
        return Place(len(counts) - 1)
    if isinstance(output, Lazy):
        return output._fixed()
    output = recorded(output)
    if type(output) in (list, tuple) or (isinstance(output, tuple) and hasattr(output, "_make")):
        return held(output, [_known(run, part, forms, counts) for part in output])
    if type(output) is dict:
        return held(
            output,
            [
                (_known(run, key, forms, None), _known(run, part, forms, counts))
                for key, part in output.items()
            ],
        )
    if type(output) in (set, frozenset):
        return held(output, [_known(run, part, forms, None) for part in output])
    return output
