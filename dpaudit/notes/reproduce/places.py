"""Places of the documents: each formula, definition, table, figure or conclusion, in its order.

The inventory of a document is a TOML file in the folder ``coverage`` beside the claims of a
package, with the ids of what decides each place.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["BESIDE", "DOCUMENTS", "KINDS", "Place", "packages_with", "read_places"]

DOCUMENTS = {
    "N": "Notes of DP - Bayesian Inference",
    "D": "a draft with Statements I to III and the dilation property of Laplace noise",
    "L": "an earlier state of N in LaTeX",
    "A": "an accuracy draft: Algorithms 1 to 6 and Theorems 3.1 to 4.5",
    "E": "another state of D",
}
"""The documents by their letters, in the order in which they are numbered."""

BESIDE = "beside"
"""Name of the list of what no document says and the ledger decides all the same."""

KINDS = (
    *("formula", "definition", "algorithm", "table", "figure", "caption", "constant"),
    *("conclusion", "text"),
)
"""Kinds of places; ``text`` is a sentence that asserts nothing, or a comment in the source."""

_FOLDER = "coverage"


@dataclass(frozen=True, kw_only=True)
class Place:
    """One place of a document."""

    section: str
    """Section, or the algorithm in it."""
    kind: str
    """One of ``KINDS``."""
    what: str
    """A few words that identify the place; none of the document's sentences."""
    line: int = 0
    """Line of the document's text, from 1; 0 for what is in no document."""
    claims: tuple[str, ...] = ()
    """Ids of the claims that decide it."""
    figures: tuple[str, ...] = ()
    """Targets of ``dpaudit reproduce`` that decide it."""
    mechanisms: tuple[str, ...] = ()
    """Mechanisms that implement it, with their readings: ``dpaudit show``."""
    note: str = ""
    """The reason why nothing is asserted, or a remark beside the ids."""

    @property
    def decided(self) -> bool:
        """True if something decides the place."""
        return bool(self.claims or self.figures)


def packages_with(name: str, packages: Iterable[str]) -> list[str]:
    """Return those of ``packages`` that have an inventory of this document beside their claims."""
    return [
        package
        for package in sorted(set(packages))
        if package and files(package).joinpath(_FOLDER, f"{name}.toml").is_file()
    ]


def read_places(name: str, package: str) -> tuple[Place, ...]:
    """Return the places of a document by its letter, or those ``BESIDE``, in their order.

    Args:
        name: a letter of :data:`DOCUMENTS`, or :data:`BESIDE`.
        package: the package of claims that has the inventory.
    """
    text = files(package).joinpath(_FOLDER, f"{name}.toml").read_text(encoding="utf-8")
    return tuple(
        Place(
            section=row["section"],
            kind=row["kind"],
            what=row["what"],
            line=row.get("line", 0),
            claims=tuple(row.get("claims", "").split()),
            figures=tuple(row.get("figures", "").split()),
            mechanisms=tuple(row.get("mechanisms", "").split()),
            note=row.get("note", ""),
        )
        for row in tomllib.loads(text)["places"]
    )
