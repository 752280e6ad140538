"""Every place of the five documents, in their order, with what decides it or why nothing does.

A place is a formula, a definition, a line of an algorithm, a table, a figure, a caption, a number
or a conclusion.  The inventory lies beside this file, one TOML file for each document; a place is
identified by words of our own and by its line in the document's text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby

from dpaudit.notes.reproduce.places import BESIDE, DOCUMENTS, KINDS, Place
from dpaudit.notes.reproduce.places import read_places as _read_places

__all__ = ["BESIDE", "DOCUMENTS", "KINDS", "Place", "coverage_page", "overview_page", "read_places"]

_PACKAGE = __name__.rpartition(".")[0]


def read_places(name: str) -> tuple[Place, ...]:
    """Return the places of a document by its letter, or those ``BESIDE``, in their order."""
    return _read_places(name, _PACKAGE)


def coverage_page(name: str, places: Sequence[Place], verdicts: Mapping[str, str]) -> str:
    """Return the page of a document: its places in their order, section by section.

    ``verdicts`` are those of the claims, in words.
    """
    lines = [
        f"# What decides {name}",
        "",
        f"Every place of {name}, {DOCUMENTS[name]}, in its order, with the claims and the items of",
        "`dpaudit reproduce` that decide it, or the reason why nothing is asserted there. A line",
        "number counts the lines of the document's text. Generated from the inventory in",
        f"`proofs/dpaudit_proofs/coverage/{name}.toml`.",
        "",
        _tally(places),
    ]
    for section, kept in groupby(places, key=lambda place: place.section):
        lines += ["", f"## {name} {section}", "", "| line | kind | place | decided by |"]
        lines += ["|---|---|---|---|", *(_row(place, verdicts) for place in kept)]
    return "\n".join(lines) + "\n"


def overview_page(
    documents: Mapping[str, Sequence[Place]], beside: Sequence[Place], verdicts: Mapping[str, str]
) -> str:
    """Return the page that counts the places of all documents and lists what is beside them."""
    lines = [
        "# What decides each place of the notes",
        "",
        "One page for each of the five documents lists its formulas, definitions, lines of",
        "algorithms, tables, figures, captions, numbers and conclusions in their order, each with",
        "what decides it: claims of [the table](claims.md), items of [reproduce](reproduce.md), or",
        "the reason why nothing is asserted. A test fails when a place has neither, when an id",
        "does not exist, or when a claim is named by no place.",
        "",
        "| document | places | decided | with a reason alone |",
        "|---|---|---|---|",
    ]
    for name, places in documents.items():
        decided = sum(place.decided for place in places)
        link = f"[{name}](coverage-{name}.md)"
        lines.append(
            f"| {link}: {DOCUMENTS[name]} | {len(places)} | {decided} | {len(places) - decided} |"
        )
    lines += [
        "",
        "## Beside the notes",
        "",
        "No document says these; what dpaudit computes rests on them.",
        "",
        "| line | kind | place | decided by |",
        "|---|---|---|---|",
        *(_row(place, verdicts) for place in beside),
    ]
    return "\n".join(lines) + "\n"


def _tally(places: Sequence[Place]) -> str:
    kinds = Counter(place.kind for place in places)
    each = ", ".join(f"{kinds[kind]} {kind}" for kind in KINDS if kinds[kind])
    decided = sum(place.decided for place in places)
    rest = len(places) - decided
    return f"{len(places)} places ({each}): {decided} decided, {rest} with a reason alone."


def _row(place: Place, verdicts: Mapping[str, str]) -> str:
    by = [f"`{key}` ({verdicts[key]})" for key in place.claims]
    by += [f"`reproduce {key}`" for key in place.figures]
    by += [f"`show {key}`" for key in place.mechanisms]
    decided = "; ".join(filter(None, (", ".join(by), place.note)))
    cells = (str(place.line or ""), place.kind, place.what, decided)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
