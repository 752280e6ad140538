"""What an audit has counted so far, as text, so that it can go on where it stopped.

The event is kept with its numbers as they are, the counts of every chunk of both sides that is
finished, and the digests of all chunks, so that what is drawn later is held to what was drawn
before.  Nothing of a chunk that was not finished on both sides is kept: it is drawn again.
"""

from __future__ import annotations

import json
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit.errors import ParameterError
from dpaudit.results import SampleReport, SampleVerdict
from dpaudit.results.documents import as_document
from dpaudit.sampling.audit import Chosen, Going
from dpaudit.sampling.events import Feature, HalfLine, OneOf
from dpaudit.sampling.outputs import Members, Word
from dpaudit.sampling.sequential import Together

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dpaudit.sampling.draws import Source

__all__ = ["goes_on", "going_on", "written"]

_EVENTS: dict[str, Any] = {"half-line": HalfLine, "one of": OneOf, "feature": Feature}


def written(going: Going, source: Source) -> str:
    """Return what an audit goes on from; empty where outputs have no text that reads back."""
    seen = {
        digest: where
        for digest, where in source.repeats.seen.items()
        if where not in going.unfinished(source)
    }
    chosen = going.chosen
    try:
        return json.dumps(
            {
                "event": _coded(chosen.event),
                "ranks": [chosen.first, chosen.second],
                "vacuous": going.vacuous,
                "chunks": going.chunks,
                "seen": seen,
                "evidence": going.evidence.hex(),
            }
        )
    except TypeError:
        return ""


def goes_on(there: SampleReport, here: Mapping[str, Any]) -> bool:
    """Tell whether an earlier run goes on; one that is finished is the answer as it is.

    A run that stops early may go on to more draws: its bound holds at any time.

    Args:
        there: the earlier run.
        here: what is asked now, by the fields of a report.

    Raises:
        ParameterError: where it was asked something else.
    """
    more = there.sequential and there.draws < here["draws"]
    for name, value in here.items():
        told, asked = as_document(getattr(there, name)), as_document(value)
        if told != asked and name not in ("schema", "version") and not (more and name == "draws"):
            raise ParameterError("resume", f"{name} is {_text(told)} there and {_text(asked)} here")
    if there.verdict is SampleVerdict.UNFINISHED:
        return True
    return more and there.verdict in (SampleVerdict.NOT_REFUTED, SampleVerdict.TOO_FEW)


def _text(value: object) -> str:
    if isinstance(value, dict):
        return f"({', '.join(map(str, value.values()))})"
    return "none" if value is None else str(value)


def going_on(there: SampleReport | None, source: Source) -> Going | None:
    """Return what an earlier run has counted; ``ParameterError`` where that cannot be read."""
    if there is None:
        return None
    try:
        return _read(there.kept, source)
    except ValueError as error:
        raise ParameterError("resume", f"what was kept cannot be read ({error})") from None


def _read(text: str, source: Source) -> Going:
    """Return what was counted, and let the source know what it has drawn.

    Raises ``ValueError`` for what was not written so.
    """
    try:
        found = json.loads(text)
        first, second = map(int, found["ranks"])
        event = _decoded(found["event"])
        chunks = [Together(*map(int, chunk)) for chunk in found["chunks"]]
        seen = {str(digest): str(where) for digest, where in found["seen"].items()}
        evidence, vacuous = float.fromhex(found["evidence"]), bool(found["vacuous"])
    except (ArithmeticError, AttributeError, LookupError, TypeError, RecursionError) as error:
        raise ValueError(str(error)) from None
    ranks = range(len(source.datasets))
    if not isinstance(event, (HalfLine, OneOf)) or first not in ranks or second not in ranks:
        raise ValueError("it has no event of two datasets")
    if not all(sum(chunk) > 0 and min(chunk) >= 0 for chunk in chunks):
        raise ValueError("a chunk has no draws")
    source.repeats.seen |= seen
    source.repeats.evidence = evidence
    return Going(Chosen(first, second, event), vacuous, chunks, evidence)


def _coded(value: Any) -> Any:
    """Return JSON that tells a value and its type; ``TypeError`` for types that have none."""
    for name, kind in _EVENTS.items():
        if isinstance(value, kind):
            return [name, {one.name: _coded(getattr(value, one.name)) for one in fields(value)}]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Word):
        return ["word", str(value)]
    if isinstance(value, Members):
        return ["members", list(value)]
    if isinstance(value, (tuple, frozenset)):
        parts = [_coded(part) for part in value]
        return ["set", sorted(parts, key=json.dumps)] if type(value) is frozenset else ["", parts]
    plain: dict[type, Any] = {bool: bool, str: str, int: str, float: float.hex}
    if value is None or type(value) in plain:
        return [type(value).__name__, None if value is None else plain[type(value)](value)]
    raise TypeError(f"{type(value).__name__} has no text that reads back")


def _decoded(coded: Any) -> Any:
    name, value = coded
    if name in _EVENTS:
        return _EVENTS[name](**{key: _decoded(part) for key, part in value.items()})
    if name in ("", "set"):
        return (tuple if not name else frozenset)(map(_decoded, value))
    kinds: dict[str, Any] = {
        "word": Word, "members": Members, "bool": bool, "str": str, "int": int,
        "float": float.fromhex, "NoneType": lambda none: None,
    }  # fmt: skip
    return kinds[name](value)
