"""Results read back out of their documents: intervals that are intervals, and no other word.

What is read back renders to the bytes it was read from.  Raises ``ValueError`` for what is no
result; the verdict in a document is not believed here, see :mod:`dpaudit.audit.standing`.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from dpaudit.audit.curve import PrivacyCurve, Vertex
from dpaudit.audit.result import DeltaAt, SizeResult, Verdict, Witness
from dpaudit.audit.standing import check_enclosure
from dpaudit.exact.enclosure import Enclosure
from dpaudit.notions.result import NotionResult, NotionWitness

if TYPE_CHECKING:
    from collections.abc import Hashable

    from dpaudit.report.documents import (
        CurveAtSize,
        DeltaPoint,
        Interval,
        SizeDocument,
        VertexDocument,
    )
    from dpaudit.report.notions import NotionSizeDocument

__all__ = ["as_value", "curve_result", "notion_result", "size_result"]

_DECIMAL = re.compile(r"inf|\d{1,30000}(\.\d{1,30000})?([eE][+-]?\d{1,5})?", re.ASCII)
_SMALLEST, _LARGEST = -13_000, 13_000  # no end of an interval is printed beyond
_DEEPEST = 20


def size_result(document: SizeDocument) -> SizeResult:
    """Return the audit of one size."""
    witness = document.witness
    return SizeResult(
        **_counts(document),
        epsilon=_interval(document.epsilon),
        delta=_delta(document.delta),
        curve=tuple(_delta(point) for point in document.curve),
        witness=Witness(
            as_value(witness.x),
            as_value(witness.y),
            as_value(witness.output),
            _interval(witness.loss),
        ),
        verdict=Verdict(document.verdict),
        reason=document.reason,
    )


def notion_result(document: NotionSizeDocument) -> NotionResult:
    """Return the audit of one size in a notion of privacy."""
    witness = document.witness
    return NotionResult(
        **_counts(document),
        value=_interval(document.value),
        witness=NotionWitness(
            as_value(witness.x),
            as_value(witness.y),
            as_value(witness.output),
            witness.order,
            witness.type_one,
            witness.type_two,
        ),
        verdict=Verdict(document.verdict),
        reason=document.reason,
    )


def curve_result(document: CurveAtSize) -> PrivacyCurve:
    """Return the privacy curve at one size."""
    return PrivacyCurve(
        n=document.n,
        pairs=document.pairs,
        bits=document.scale_bits,
        upper=tuple(_vertex(vertex) for vertex in document.upper),
        lower=tuple(_vertex(vertex) for vertex in document.lower),
    )


def _counts(document: SizeDocument | NotionSizeDocument) -> dict[str, Any]:
    """Return what says how much was looked at."""
    outputs = None if document.outputs == "infinite" else int(document.outputs)
    if document.datasets < 1 or not 0 <= document.pairs_covered <= document.pairs:
        raise ValueError("it counts what cannot be")
    if document.pairs < 1 or (outputs is not None and outputs < 1):
        raise ValueError("it counts nothing")
    return {
        "n": document.n,
        "datasets": document.datasets,
        "pairs": document.pairs,
        "pairs_covered": document.pairs_covered,
        "outputs": outputs,
    }


def _interval(interval: Interval | DeltaPoint) -> Enclosure:
    found = Enclosure(_decimal(interval.lower), _decimal(interval.upper), interval.exact)
    check_enclosure(found)
    return found


def _decimal(text: str) -> Decimal:
    if _DECIMAL.fullmatch(text) is None:
        raise ValueError(f"{text[:40]!r} is not a decimal number")
    found = Decimal(text)
    if found.is_finite() and found and not _SMALLEST <= found.adjusted() <= _LARGEST:
        raise ValueError(f"{text[:40]!r} is beyond what is printed")
    return found


def _delta(point: DeltaPoint) -> DeltaAt:
    return DeltaAt(point.epsilon, _interval(point), as_value(point.x), as_value(point.y))


def _vertex(vertex: VertexDocument) -> Vertex:
    x, y = as_value(vertex.x), as_value(vertex.y)
    return Vertex(int(vertex.q), int(vertex.p), x, y, vertex.outputs)


def as_value(value: Any, depth: int = 0) -> Hashable:
    """Return a dataset or an output as it was before it became JSON: lists were tuples."""
    if isinstance(value, list) and depth < _DEEPEST:
        return tuple(as_value(part, depth + 1) for part in value)
    if value is None or isinstance(value, (bool, int, str)):
        return value
    raise ValueError(f"a {type(value).__name__} is no dataset and no output")
