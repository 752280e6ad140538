"""Output laws that a user's function gives, read exactly, and held to what they are.

Every law is asked for twice, and must come out the same; a law that was seen before must come out
as it did.  What is no law (an exception, no table, no number, a negative weight, a wrong sum) is a
``LawError`` that names the dataset and what is wrong with it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Any

from dpaudit.errors import LawError, NumberSyntaxError, UsageError, one_line
from dpaudit.laws.explicit import ExplicitLaw, OpenLaw, WrittenLaw
from dpaudit.laws.quotients import Quotients
from dpaudit.laws.rest import RestLaw
from dpaudit.mechanisms.array_data import Arrayed, held_array
from dpaudit.mechanisms.law_tables import (
    Table,
    given_alike,
    may_be_same_law,
    quotients,
    read_number,
    same_law,
)
from dpaudit.numbers.ball import Ball
from dpaudit.numbers.real import Real
from dpaudit.results import holds_set, steady_repr

__all__ = [
    "Collected", "Listed", "Mapped", "OwnLaws", "Table", "alike", "brief_look", "check_value",
    "entries", "frozen", "held", "hold_apart", "look_of", "one_nan", "plain_number",
    "read_table", "thawed",
]  # fmt: skip

_PLAIN = frozenset({int, str, bool, bytes, type(None)})
"""Types whose values equal themselves and have a text."""
_ONE_LOOK = _PLAIN | {Fraction}
"""Types of which equal values look the same."""
_NUMBERS = frozenset({float, complex, Decimal})
_DEEPEST = 20

Dataset = Any
LawFunction = Callable[[Dataset], Mapping[Any, Any]]
LawsFunction = Callable[[Any], Iterable[Mapping[Any, Any]]]

_MOST_READY = 1024
_MOST_KEPT = 64


class OwnLaws:
    """The laws of one mechanism at one precision."""

    def __init__(
        self,
        title: str,
        law: LawFunction,
        *,
        laws: LawsFunction | None = None,
        chunk: Callable[[Dataset], Sequence[Dataset]] = lambda dataset: [dataset],
        normalised: bool = True,
        seen: dict[Dataset, int | Table] | None = None,
        outputs: dict[Hashable, Hashable] | None = None,
        rest: Real | None = None,
    ) -> None:
        """Take the function, and the one for many datasets at once if there is one.

        ``chunk`` gives the datasets that ``laws`` is to be asked for along with one of them.
        ``seen`` remembers laws between precisions; exact ones must not depend on it.  ``outputs``
        remembers all outputs so far, so that those that are equal are held to be the same.
        """
        self.title = title
        self._law = law
        self._laws = laws
        self._chunk = chunk
        self._normalised = normalised
        self._rest = rest
        self._seen = {} if seen is None else seen
        self._outputs = {} if outputs is None else outputs
        self._ready: dict[Dataset, Table] = {}

    def law(self, dataset: Dataset) -> ExplicitLaw | OpenLaw:
        """Return the law at ``dataset``; ``LawError`` if it is none, or not always the same."""
        try:
            table = self.table(dataset)
            if isinstance(table, OpenLaw):
                return table
            if holds_set(dataset):  # a law that walks over a set has another order in each process
                table = _in_order(table)
            self._remember(dataset, table)
            hold_apart(self._outputs, table)
            if self._rest is not None and not (law := RestLaw(table, self._rest)).rest.is_zero():
                return law
            return ExplicitLaw(table, normalised=self._normalised)
        except (LawError, UsageError) as error:
            raise LawError(f"{self.title} at {dataset!r}: {error}") from None

    def table(self, dataset: Dataset) -> Table | OpenLaw:
        """Return the law, asked for twice, as a table if it is one; ``LawError`` if it is none."""
        if self._laws is not None:
            if dataset not in self._ready:
                self._fetch(self._chunk(dataset))
            return self._ready[dataset]
        given, again = (self.called(dataset) for _ in range(2))
        if isinstance(given, WrittenLaw):
            if given != again:
                raise LawError(
                    "two calls gave two different output distributions; return the same "
                    "probabilities in every call"
                )
            written = given.written()
            return written if isinstance(written, OpenLaw) else quotients(written) or written
        first = read_table(given)
        if not given_alike(given, again) and not same_law(first, read_table(again)):
            raise LawError(
                "two calls gave two different output distributions; return the same "
                "probabilities in every call"
            )
        return first

    def called(self, dataset: Dataset) -> Any:
        """Return what the function gives; ``LawError`` if it raises."""
        try:
            return self._law(dataset)
        except (KeyboardInterrupt, LawError):
            raise
        except BaseException as error:
            raise LawError(_raised("it", error)) from error

    def _remember(self, dataset: Dataset, table: Table) -> None:
        """Hold a law to what it was before: an exact one does not depend on the precision.

        Balls do, and have to overlap.  Of these the first laws are kept alone, as tables.
        """
        mark: int | Table = table
        if isinstance(table, Quotients):
            mark = hash(frozenset(table.pairs.items()))
        elif all(isinstance(weight, Real) for weight in table.values()):
            mark = hash(frozenset(table.items()))
        elif dataset not in self._seen and len(self._seen) >= _MOST_KEPT:
            return
        before = self._seen.setdefault(dataset, mark)
        if before != mark and not (
            isinstance(before, Mapping)
            and isinstance(mark, Mapping)
            and may_be_same_law(before, mark)
        ):
            raise LawError(
                "two calls gave two different output distributions; return the same "
                "probabilities in every call"
            )

    def _fetch(self, datasets: Sequence[Dataset]) -> None:
        """Get the laws of ``datasets`` ready, from the function for many at once."""
        first, second = self._many(datasets), self._many(datasets)
        for dataset, one, other in zip(datasets, first, second, strict=True):
            if not same_law(one, other):
                raise LawError(
                    f"two calls of laws() gave two different output distributions at {dataset!r}"
                )
        for place in sorted({0, len(datasets) // 2, len(datasets) - 1}):
            self._agree(datasets[place], first[place])
        while self._ready and len(self._ready) + len(datasets) > _MOST_READY:
            self._ready.pop(next(iter(self._ready)))
        self._ready.update(zip(datasets, first, strict=True))

    def _agree(self, dataset: Dataset, table: Table) -> None:
        """Hold the laws of many to the law of one."""
        if not same_law(table, read_table(self.called(dataset))):
            raise LawError(f"laws() and law() give different output distributions at {dataset!r}")

    def _many(self, datasets: Sequence[Dataset]) -> list[Table]:
        assert self._laws is not None
        try:
            found = list(self._laws(datasets))
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise LawError(_raised(f"laws() of {len(datasets)} datasets", error)) from error
        if len(found) != len(datasets):
            raise LawError(
                f"laws() of {len(datasets)} datasets returned {len(found)} output distributions; "
                "return one for each dataset"
            )
        return [read_table(table) for table in found]


def _raised(who: str, error: BaseException) -> str:
    if isinstance(error, TypeError) and "unhashable type" in str(error):
        return f"an output is not hashable ({one_line(error)}); give a tuple, a number or a text"
    return f"{who} raised {one_line(error)}"


def read_table(found: Any) -> Table:
    """Return a table output → weight with its weights read exactly; ``LawError`` if it is none."""
    if not isinstance(found, Mapping):
        raise LawError(
            f"it returned a {type(found).__name__}; return a mapping from outputs to probabilities"
        )
    if not _PLAIN.issuperset(map(type, found)):
        for output in found:
            check_value(output, "an output")
    table = quotients(found)
    return table or {output: _weight(output, weight) for output, weight in found.items()}


def _in_order(table: Table) -> Table:
    """Return a table in an order of outputs that is the same in every process."""
    if isinstance(table, Quotients):
        return table.ordered(steady_repr)
    return dict(sorted(table.items(), key=lambda item: steady_repr(item[0])))


def check_value(value: object, what: str) -> None:
    """Hold a dataset or an output to what reports need: it is itself again, and it has a text.

    Args:
        value: what a user's code gave; of tuples, sets and dataclasses every part is looked at,
            as they compare parts that are the same object as equal.
        what: what it is, for the message.

    Raises:
        LawError: for a nan, which equals nothing, and for what cannot be compared or shown.
    """
    if type(value) is tuple and _PLAIN.issuperset(map(type, value)):
        return
    if isinstance(value, (tuple, frozenset)):
        for part in value:
            check_value(part, what)
    elif type(value) not in _PLAIN:
        if is_dataclass(value):
            for field in fields(value):
                check_value(getattr(value, field.name, None), what)
        kind = type(value).__name__
        try:
            same, text = bool(value == value), repr(value)  # noqa: PLR0124
        except Exception as error:
            raise LawError(f"{what} of {kind} raised {one_line(error)}") from None
        if not same:
            raise LawError(
                f"{what} is {text}, which is not equal to itself (as NaN); use a text in its place"
            )


class Listed(tuple[Any, ...]):
    """A list, or an array, that was given out: equal to a tuple of the same, and not that."""

    __slots__ = ()


class Collected(frozenset[Any]):
    """A set that was given out: equal to a frozen one of the same, and not that."""

    __slots__ = ()

    def __repr__(self) -> str:
        """Show the set."""
        return repr(set(self))


@dataclass(frozen=True, slots=True)
class Mapped:
    """A mapping that was given out, or is a dataset; its order is its own."""

    items: tuple[tuple[Any, Any], ...]
    """The keys with their values."""

    def __str__(self) -> str:
        """Show the mapping."""
        return f"{{{', '.join(f'{key!r}: {value!r}' for key, value in self.items)}}}"

    __repr__ = __str__


_HELD: dict[type, type] = {list: Listed, set: Collected}


def frozen(value: Any) -> Any:
    """Return a value that can be hashed and remembers its kind, for one with containers in it.

    >>> frozen([1, {"a": {2}}])
    (1, {'a': {2}})
    >>> thawed(frozen([1, {"a": {2}}]))
    [1, {'a': {2}}]
    """
    kind = type(value)
    if kind is dict:
        return Mapped(tuple((frozen(key), frozen(one)) for key, one in value.items()))
    if kind in (list, tuple, set, frozenset):
        return held(value, map(frozen, value))
    if kind.__module__ == "builtins":
        return one_nan(value)
    if isinstance(value, tuple) and hasattr(value, "_make"):
        return held(value, map(frozen, value))
    array = held_array(value, frozen)
    return value if array is None else array


def entries(array: Any) -> Any:
    """Return the numbers of an array of NumPy's as lists, or its only one.

    Raises ``LawError`` for an array whose lists do not tell what shape it has.
    """
    if getattr(array, "size", 1) == 0 and array.ndim > 1 and 0 in array.shape[:-1]:
        raise LawError(
            f"an array of shape {array.shape} has no entries; arrays are compared as lists, and a "
            "list does not show this shape; return the shape, or a list"
        )
    return array.tolist()


def one_nan(value: Any) -> Any:
    """Return the value, and one object for every NaN: others equal nothing, themselves neither."""
    return math.nan if type(value) is float and value != value else value  # noqa: PLR0124


def thawed(value: Any) -> Any:
    """Return a new value like the one that was :func:`frozen`: a list, an array, a mapping."""
    kind = type(value)
    if kind is Mapped:
        return {thawed(key): thawed(one) for key, one in value.items}
    if kind is Arrayed:
        return value.made()
    if kind is Listed:
        return list(map(thawed, value))
    if kind is Collected:
        return set(map(thawed, value))
    return tuple(map(thawed, value)) if kind is tuple else value


def held(container: Any, parts: Iterable[Any]) -> Any:
    """Return something hashable for a container with these parts in place of its own.

    Those of a mapping are pairs.
    """
    kind = type(container)
    if kind in (dict, Mapped):
        return Mapped(tuple(parts))
    if hasattr(container, "_make"):
        return container._make(parts)
    return _HELD.get(kind, kind)(parts)


def hold_apart(known: dict[Hashable, Hashable], outputs: Iterable[Hashable]) -> None:
    """Hold outputs to be the same where they are equal, as True and 1 are; they count as one.

    Args:
        known: how each output looked when it was first seen; those that are new are added.
        outputs: those to look at.

    Raises:
        LawError: for one that is equal to another, and not the same.
    """
    remember = known.setdefault
    outputs = list(outputs)
    kinds: list[Hashable] = list(map(type, outputs))
    if _ONE_LOOK.issuperset(kinds) and list(map(remember, outputs, kinds)) == kinds:
        return
    for output in outputs:
        look = brief_look(output)
        if remember(output, look) != look:
            first = next((one for one in known if one is output or one == output), output)
            raise LawError(
                "two outputs compare equal but are not the same, so they would be counted as one: "
                f"{_difference(first, output)}"
            )


def _difference(first: Any, second: Any) -> str:
    """Return in what two equal outputs differ, and what to return instead."""
    pair = next(iter(_differing(first, second)), (first, second))
    shown = " and ".join(map(_shown, pair))
    kinds = [type(one).__name__ for one in pair]
    if kinds[0] != kinds[1]:
        return f"{shown}, of types {' and '.join(kinds)}; return plain values of one type"
    if kinds[0] == "float":
        return f"{shown}; add 0.0 to the output, which makes 0.0 of -0.0"
    return f"{shown}, of type {kinds[0]}, differ in their parts; return plain values of one type"


def _differing(first: Any, second: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the innermost parts in which two equal values differ, side by side."""
    if alike(first, second):
        return
    pairs: Iterable[tuple[Any, Any]] = ()
    if type(first) is type(second) and isinstance(first, (tuple, list)):
        pairs = zip(first, second, strict=False)
    elif type(first) is type(second) is Mapped:
        pairs = zip(first.items, second.items, strict=False)
    inner = [part for pair in pairs for part in _differing(*pair)]
    yield from inner or [(first, second)]


def brief_look(output: Any) -> Any:
    """Return all that equal outputs may differ in."""
    kind = type(output)
    if kind in _ONE_LOOK:
        return kind
    if kind is tuple or kind is Listed:
        kinds = tuple(map(type, output))
        parts = kinds if _ONE_LOOK.issuperset(kinds) else tuple(map(brief_look, output))
        return parts if kind is tuple else (Listed, parts)
    plain = plain_number(output)
    return look_of(output) if plain is output else brief_look(plain)


def plain_number(value: Any) -> Any:
    """Return what one of NumPy's scalars stands for, and any other value itself."""
    if type(value).__module__ != "numpy" or getattr(value, "shape", None) != ():
        return value
    plain = value.item()
    return value if type(plain).__module__ == "numpy" else plain  # as long doubles are


def _shown(output: Hashable) -> str:
    try:
        return repr(output)[:80]
    except Exception as error:
        return one_line(error)


def alike(first: Any, second: Any) -> bool:
    """Tell whether there is nothing to see that tells two values apart, types included."""
    kind = type(first)
    if kind is not type(second):
        plain, other = plain_number(first), plain_number(second)
        return type(plain) is type(other) and alike(plain, other)
    if kind in _ONE_LOOK:
        return bool(first == second)
    if kind is tuple or kind is Listed:
        return len(first) == len(second) and all(map(alike, first, second))
    return bool(look_of(first) == look_of(second))


def look_of(value: Any, depth: int = 0) -> Hashable:
    """Return what there is to see of a value, types included; of what it holds, down to a depth."""
    kind = type(value)
    if kind in _ONE_LOOK:
        return kind, value
    if kind in _NUMBERS:  # 0.0 is -0.0, and 1.0 is 1.00
        return kind, repr(value)
    if isinstance(value, (Enum, type)) and depth < _DEEPEST:  # of which there is one alone
        name = value.__name__ if isinstance(value, type) else value.name
        own = ((key, one) for key, one in sorted(vars(value).items()) if key[:1] != "_")
        data = ((key, one) for key, one in own if not hasattr(one, "__get__"))
        return kind, name, tuple((key, look_of(one, depth + 1)) for key, one in data)
    if depth > _DEEPEST:
        return kind, _shown(value)
    if isinstance(value, (tuple, frozenset)):
        parts = [
            (type(part), part) if type(part) in _ONE_LOOK else look_of(part, depth + 1)
            for part in value
        ]
        return kind, tuple(parts) if isinstance(value, tuple) else frozenset(parts)
    plain = plain_number(value)
    if plain is not value:
        return look_of(plain)
    if is_dataclass(value):
        held = {one.name: getattr(value, one.name, None) for one in fields(value)}
        return kind, tuple(look_of(part, depth + 1) for part in held.values())
    held = dict(getattr(value, "__dict__", {}))
    for one in kind.__mro__:
        slots = getattr(one, "__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            held[name] = getattr(value, name, None)
    shown = tuple((name, look_of(held[name], depth + 1)) for name in sorted(held))
    return kind, _shown(value), shown


def _weight(output: Hashable, weight: Any) -> Real | Ball:
    if isinstance(weight, Ball):
        if not weight.is_finite():
            raise LawError(f"the probability of output {output!r} is {weight}, not finite")
        return weight
    try:
        return read_number(weight)
    except NumberSyntaxError as error:
        shown = error.text if len(error.text) <= 60 else f"{error.text[:57]}..."
        raise LawError(f"output {output!r}: {shown!r} is not a number: {error.reason}") from None
    except TypeError:  # not even hashable
        kind = type(weight).__name__
        raise LawError(f"output {output!r}: a {kind} is not a number") from None
