"""Reading a report: JSON with one reading only, its seal, and the memory that it takes.

What a recheck holds is the report as it is read, the laws of the pairs that are looked at, and all
pairs where the maxima over them are computed again.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import msgspec

from dpaudit import machine
from dpaudit.machine import INTERPRETER
from dpaudit.recheck.findings import NotAReportError, UnknownDefinitionError
from dpaudit.recheck.numbers import read_form
from dpaudit.recheck.registry import definition_of
from dpaudit.results import documents

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dpaudit.recheck.user_mechanisms import OwnMechanism


__all__ = ["MOST_DATASETS", "as_result", "check_room", "is_sealed", "parsed_bytes", "read_report"]

MOST_DATASETS = 5_000_000
"""More are not gone through again."""

_PARSED = 6  # bytes for each byte of a file, as objects and as a result
_PAIR = 270  # a pair of histograms, in both lists
_ENTRY = 500  # an output of a law with its probability
_MASSES = 370  # the two probabilities of an output side by side
_DATASET = 400  # one with the sensitivity there
_CHAINED = 600  # an output in the events of a pair, which are kept for each pair of a hull
_AT_PAIRS = 3  # laws that the pairs shown need, those at a higher precision among them


def parsed_bytes(size: int) -> int:
    """Return how many bytes a process holds that has read a report of ``size`` bytes."""
    return INTERPRETER + _PARSED * size


def check_room(parts: Iterable[Any], own: Sequence[OwnMechanism], *, all_pairs: bool) -> None:
    """Refuse what there is no memory for: to recheck these reports, which have been read.

    Raises ``TooLargeError``, saying how much it takes and what would fit.
    """
    read = max(machine.resident(), INTERPRETER)
    for part in parts:
        size = max(getattr(part, "results", [part]), key=lambda part: part.n, default=None)
        if size is not None:
            alone, pairs = _bytes_for(part, size, own)
            over, needed = (", all pairs", pairs) if all_pairs else ("", alone)
            way = "without --all-pairs it fits" if read + alone <= machine.available() else ""
            what = f"the recheck of {part.described.get('name')} at n = {size.n:,}{over}"
            machine.require(read + needed, what, partial(str, way))


def _bytes_for(part: Any, size: Any, own: Sequence[OwnMechanism]) -> tuple[int, int]:
    """Return roughly the bytes that the recheck of a size takes: at witnesses, over all pairs."""
    try:
        definition = definition_of(part.described, own, getattr(part, "loaded", None))
        relation = definition.relation(part.adjacency, defaulted=part.adjacency_defaulted)
        datasets, pairs, outputs = definition.extent(size.n, relation, getattr(part, "at", None))
    except (UnknownDefinitionError, NotAReportError, ValueError):
        return 0, 0  # which the recheck says
    if datasets > MOST_DATASETS:
        return 0, 0  # they are not gone through
    events = [*getattr(size, "upper", ()), *getattr(size, "lower", ())]
    chains = len({(str(event.x), str(event.y)) for event in events})
    shared = _DATASET * datasets + outputs * (_MASSES + _CHAINED * chains)
    law = _ENTRY * outputs
    alone = shared + law * min(_AT_PAIRS, definition.laws_kept)
    return alone, shared + law * definition.laws_kept + _PAIR * pairs


ResultT = TypeVar("ResultT")

_MOST_BYTES = 1 << 28
_CHUNK = 1 << 22
_DEEPEST = 64


def read_report(path: Path) -> tuple[dict[str, Any], str]:
    """Return the content of the file at ``path``, and its SHA-256.

    Raises ``NotAReportError`` for what is no JSON object, is too large or nested too deeply, gives
    a key twice, or has a number with a point, NaN or Infinity: a report has none.  Raises
    ``TooLargeError`` where there is no memory for it.
    """
    try:
        data = _read(path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        if path.is_relative_to("/dev/fd") or path.is_relative_to("/proc/self/fd"):
            reason = "open files are not handed on to a recheck; give it a file by its name"
        raise NotAReportError(f"{path} cannot be read: {reason}") from None
    except MemoryError:
        raise NotAReportError(f"{path} is too large to be read") from None
    if len(data) > _MOST_BYTES:
        raise NotAReportError(f"{path} is larger than {_MOST_BYTES} bytes")
    try:
        # JSON that two readers take differently could show one value and prove another.
        content = json.loads(
            data.decode(), object_pairs_hook=_object, parse_float=_no_number, parse_constant=_none
        )
    except NotAReportError as error:
        raise NotAReportError(f"{path}: {error}") from None
    except (ValueError, RecursionError, MemoryError) as error:
        reason = " ".join(str(error).split())[:120]
        raise NotAReportError(f"{path} is not JSON: {reason}") from None
    if not isinstance(content, dict):
        raise NotAReportError(f"{path} is not a report: it is not an object with a schema")
    # Later steps recurse over the document.
    if _depth(content) > _DEEPEST:
        raise NotAReportError(f"{path}: it is nested more than {_DEEPEST} deep")
    return content, hashlib.sha256(data).hexdigest()


def _read(path: Path) -> bytes:
    """Return the bytes of a file or a pipe; ``TooLargeError`` as soon as they are too many."""
    with path.open("rb") as file:
        reported, data = os.fstat(file.fileno()).st_size, bytearray()
        while len(data) <= _MOST_BYTES:
            # A pipe reports 0, and a file may grow: memory is asked for again before each chunk.
            size = min(max(len(data), reported), _MOST_BYTES)
            machine.require(parsed_bytes(size), f"{path}, {machine.amount(size)}, to be read,")
            chunk = file.read(_CHUNK)
            if not chunk:
                break
            data += chunk
    return bytes(data)


def is_sealed(content: dict[str, Any]) -> bool:
    """Tell whether a report ends with its own SHA-256; ``NotAReportError`` for what is no text."""
    try:
        return bool(content.get("sha256") == documents.seal_of(content))
    except UnicodeEncodeError:
        raise NotAReportError("it has text that is not Unicode") from None


def as_result(content: dict[str, Any], kind: type[ResultT]) -> ResultT:
    """Return the result that a report is the document of; closed forms stay texts.

    Raises ``NotAReportError`` for a field that is unknown, missing, of another type or too large.
    """
    try:
        return documents.from_document(content, kind, read_form)
    except (msgspec.ValidationError, RecursionError) as error:
        raise NotAReportError(f"it is not a report of this version: {error}") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise NotAReportError(f"it gives {twice[:40]!r} twice in one object")
    return content


def _no_number(text: str) -> NoReturn:
    raise NotAReportError(f"it has the number {text[:40]}: numbers of reports are text or whole")


def _none(text: str) -> NoReturn:
    raise NotAReportError(f"it has {text}, which is not JSON")


def _depth(content: Any) -> int:
    deepest, level = 0, [content]
    while level and deepest <= _DEEPEST:
        deepest += 1
        level = [
            part
            for whole in level
            for part in (whole.values() if isinstance(whole, dict) else whole)
            if isinstance(part, (dict, list))
        ]
    return deepest
