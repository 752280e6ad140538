"""Events of dp-accounting, as objects, as JSON and as they print, read without being run.

What TensorFlow Privacy, jax-privacy and dp-accounting leave is a ``DpEvent``: Gaussian noise, on a
Poisson sample, composed so many times (``dp_accounting/dp_event.py``). An event has a class and
fields; nothing of it is called.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dpaudit.errors import ParameterError
from dpaudit.questions.account_run.phases import MOST_PHASES, Phase, phase_of, whole

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["event_of", "is_event", "phases_of"]

_SUFFIX = "DpEvent"
_DEEP = 50
_FIELDS = {
    "GaussianDpEvent": ("noise_multiplier",),
    "PoissonSampledDpEvent": ("sampling_probability", "event"),
    "SelfComposedDpEvent": ("event", "count"),
    "ComposedDpEvent": ("events",),
    "NoOpDpEvent": (),
}
"""Events that are composed, with their fields in order."""

_OTHERS = {
    "SampledWithoutReplacementDpEvent": (
        "fixed-size batches are not Poisson samples; use dpaudit account dpsgd --sampling fixed"
    ),
    "SampledWithReplacementDpEvent": "dpaudit computes no bound for samples with replacement",
    "TruncatedSubsampledGaussianDpEvent": "dpaudit computes no bound for truncated batches",
    "NonPrivateDpEvent": "it has no privacy: ε is infinite",
    "UnsupportedDpEvent": "dp-accounting marks it as unsupported",
}


def is_event(thing: object) -> bool:
    """Tell whether an object, or a mapping, looks like an event.

    >>> is_event({"class_name": "NoOpDpEvent"})
    True
    """
    return _name(thing) is not None


def _name(thing: object) -> str | None:
    """Return the class of an event: an object's, or what a mapping says."""
    if isinstance(thing, Mapping):
        for key in ("class_name", "type", "class", "event_type"):
            name = thing.get(key)
            if isinstance(name, str) and name.endswith(_SUFFIX):
                return name.rpartition(".")[2]
        (name, *more) = list(thing)[:2] or [None]
        return name if isinstance(name, str) and name.endswith(_SUFFIX) and not more else None
    name = getattr(thing, "class_name", None)  # of an event as a named tuple
    name = name if isinstance(name, str) else type(thing).__name__
    return name if name.endswith(_SUFFIX) else None


def phases_of(event: object) -> Iterator[Phase]:
    """Give the phases of an event, in its order.

    Raises:
        ParameterError: for events that are no Gaussian runs, or Gaussian runs on samples.

    >>> gaussian = {"class_name": "GaussianDpEvent", "noise_multiplier": 2}
    >>> list(phases_of({"class_name": "SelfComposedDpEvent", "event": gaussian, "count": 3}))
    [Phase(noise_multiplier='2', rate=Fraction(1, 1), steps=3)]
    """
    return _phases(event, 1, 0)


def _phases(event: object, times: int, depth: int) -> Iterator[Phase]:
    name = _name(event)
    if name is None:
        raise ParameterError(
            "event",
            f"{_shown(event)} is not an event of dp-accounting (a class whose name ends in "
            "DpEvent)",
        )
    if name not in _FIELDS:
        reason = _OTHERS.get(
            name, "dpaudit composes only Gaussian noise, on Poisson samples or on all data"
        )
        raise ParameterError("event", f"{name}: {reason}")
    if depth > _DEEP:
        raise ParameterError("event", f"events are nested more than {_DEEP} deep")
    fields = [_field(event, name, field) for field in _FIELDS[name]]
    if name == "GaussianDpEvent":
        yield phase_of(fields[0], 1, times)
    elif name == "SelfComposedDpEvent":
        yield from _phases(fields[0], times * whole(fields[1], "count"), depth + 1)
    elif name == "ComposedDpEvent":
        events = fields[0]
        if not isinstance(events, Sequence) or isinstance(events, str):
            raise ParameterError("events", f"events = {_shown(events)}: must be a list of events")
        for one in events:
            yield from _phases(one, times, depth + 1)
    elif name == "PoissonSampledDpEvent":
        inside = list(_phases(fields[1], 1, depth + 1))
        if not inside:
            return
        if len(inside) > 1 or inside[0].steps != 1 or inside[0].rate != 1:
            raise ParameterError(
                "event",
                f"{name} holds other events than one Gaussian mechanism, and dpaudit composes only "
                "that with a sample; if they are Gaussian mechanisms, write them as one run with "
                "noise multiplier "
                "1/sqrt(1/s1^2 + 1/s2^2)",
            )
        yield phase_of(inside[0].noise_multiplier, fields[0], times)


def _field(event: object, name: str, field: str) -> Any:
    if isinstance(event, Mapping):
        inside = event.get(name, event)  # {"GaussianDpEvent": {"noise_multiplier": 1}}
        value = inside.get(field) if isinstance(inside, Mapping) else None
    else:
        value = getattr(event, field, None)
    if value is None:
        raise ParameterError(field, f"{name} has no {field}")
    return value


def _shown(thing: object) -> str:
    text = repr(thing)
    return text if len(text) <= 60 else f"{text[:57]}..."


def event_of(text: str) -> dict[str, Any] | None:
    """Return an event from what it prints, as its fields; None for a text that is no event.

    The text is parsed as an expression of Python, and nothing of it is evaluated.

    Raises:
        ParameterError: for an event with other arguments than names, numbers, lists and events.

    >>> event_of("GaussianDpEvent(noise_multiplier=1.1)")
    {'class_name': 'GaussianDpEvent', 'noise_multiplier': '1.1'}
    >>> event_of("no event") is None
    True
    """
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    found = _read(tree, text.strip(), 0)
    return found if isinstance(found, dict) else None


def _read(node: ast.expr, text: str, depth: int) -> Any:
    if depth > 2 * _DEEP:
        raise ParameterError("event", f"events are nested more than {_DEEP} deep")
    if isinstance(node, ast.Call):
        name = _called(node)
        if name is None:
            return None
        if name.startswith("_") and name.endswith("NamedTupleWrapper"):
            name = name.removeprefix("_").removesuffix("NamedTupleWrapper")
        read: dict[str, Any] = {"class_name": name}
        for field, argument in zip(_FIELDS.get(name, ()), node.args, strict=False):
            read[field] = _read(argument, text, depth + 1)
        for keyword in node.keywords:
            if keyword.arg not in (None, "class_name", "module_name"):
                read[str(keyword.arg)] = _read(keyword.value, text, depth + 1)
        return read
    if isinstance(node, (ast.List, ast.Tuple)):
        if len(node.elts) > 100 * MOST_PHASES:
            raise ParameterError(
                "events", f"a list has {len(node.elts)} events; the limit is {100 * MOST_PHASES}"
            )
        return [_read(element, text, depth + 1) for element in node.elts]
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        # As it is written: a float would lose digits that the text has.
        return node.value if type(node.value) is int else ast.get_source_segment(text, node)
    if depth == 0:
        return None
    raise ParameterError("event", "an argument of an event must be a number, an event or a list")


def _called(node: ast.Call) -> str | None:
    name = node.func
    if isinstance(name, ast.Attribute):
        return name.attr
    return name.id if isinstance(name, ast.Name) else None
