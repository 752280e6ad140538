"""The ledger: the verdicts as they were recorded, with a hash of what they were about.

A ledger is generated, never written by hand.  It lies as ``ledger.json`` beside the modules of the
package that offers the claims.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from dpaudit.errors import UsageError
from dpaudit.worded import Worded

if TYPE_CHECKING:
    from dpaudit.claims.claim import ClaimVerdict, Decision, Grade
    from dpaudit.claims.discover import Registered

__all__ = ["Entry", "Standing", "ledger_bytes", "load_ledgers", "read_ledger", "standing"]

_SCHEMA = "dpaudit.ledger/1"


@dataclass(frozen=True, slots=True)
class Entry:
    """One recorded verdict."""

    verdict: str
    hash: str
    grade: str = ""
    """Grade of the verdict; empty in a ledger that does not record it."""


class Standing(Worded):
    """Comparison of a verdict with the ledger."""

    AS_RECORDED = "as recorded"
    """The same verdict, from the same claim and code."""
    RENEWED = "as recorded, from changed code"
    """The same verdict, but the claim or the code has changed since."""
    CHANGED = "changed"
    """Another verdict than the recorded one, or another grade."""
    UNRECORDED = "not recorded"
    """The ledger does not have the claim."""


def standing(entry: Entry | None, verdict: ClaimVerdict, grade: Grade, content: str) -> Standing:
    """Return how a verdict stands to what was recorded."""
    if entry is None:
        return Standing.UNRECORDED
    if entry.verdict != verdict.value or entry.grade not in ("", grade.value):
        return Standing.CHANGED
    return Standing.AS_RECORDED if entry.hash == content else Standing.RENEWED


def read_ledger(path: Path) -> dict[str, Entry]:
    """Return a ledger's entries by claim id; ``UsageError`` for a file that is none."""
    try:
        return _parse(path.read_text())
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}") from None
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        reason = f"no {error}" if isinstance(error, KeyError) else str(error)
        raise UsageError(f"{path}: not a ledger of claims: {reason}") from None


def _parse(text: str) -> dict[str, Entry]:
    document = json.loads(text)
    if document["schema"] != _SCHEMA:
        raise ValueError(f"its schema is {document['schema']!r}, not {_SCHEMA!r}")
    entries: dict[str, Entry] = {}
    for row in document["claims"]:
        if row["id"] in entries:
            raise ValueError(f"{row['id']!r} is in it twice")
        entries[row["id"]] = Entry(row["verdict"], row["hash"], row.get("grade", ""))
    return entries


def load_ledgers(claims: Iterable[Registered]) -> dict[str, Entry]:
    """Return the entries of the ledgers that lie beside the modules of ``claims``."""
    entries: dict[str, Entry] = {}
    for package in sorted({item.package for item in claims if item.package}):
        ledger = files(package) / "ledger.json"
        if ledger.is_file():
            entries.update(_parse(ledger.read_text()))
    return entries


def ledger_bytes(decisions: Iterable[Decision], hashes: Mapping[str, str]) -> bytes:
    """Return the ledger of ``decisions`` as a file's content."""
    rows = [
        {
            "id": d.claim.id,
            "verdict": d.verdict.value,
            "grade": d.grade.value,
            "hash": hashes[d.claim.id],
        }
        for d in sorted(decisions, key=lambda d: d.claim.id)
    ]
    return (json.dumps({"schema": _SCHEMA, "claims": rows}, indent=1) + "\n").encode()
