"""The mechanisms by name: a table of those of the package, and those that other packages offer.

A classic is a class in a module of ``mechanisms/classics`` whose ``ROW`` names it; the module is
imported when it is asked for.
Installed packages offer theirs as entry points of the group ``dpaudit.mechanisms``:

    [project.entry-points."dpaudit.mechanisms"]
    my-mechanism = "my_package.my_module:my_mechanism"

Nothing is imported to list them; one that cannot be imported is found out when it is asked for, and
disturbs no other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpaudit.errors import UnknownMechanismError
from dpaudit.results.words import WORDS_OF_MECHANISMS

if TYPE_CHECKING:
    from dpaudit.mechanisms.base import Mechanism

__all__ = [
    "NOTES_GROUP",
    "Offer",
    "built_in_name",
    "is_built_in",
    "mechanism_class",
    "mechanism_classes",
    "mechanism_groups",
    "mechanism_names",
    "mechanism_words",
    "offers",
]

NOTES_GROUP = "the notes"
"""The group of the mechanisms of the notes."""

ENTRY_POINTS = "dpaudit.mechanisms"
"""The group of entry points."""

_CLASSICS = "dpaudit.mechanisms.classics"
"""Folder of modules with a line ``ROW = (group, names)``, which makes their mechanisms known."""

_ROW = re.compile(r'^ROW = \(\s*"([^"]+)",\s*"([^"]+)",?\s*\)$', re.MULTILINE)

_NOTES = (
    (NOTES_GROUP, "dpaudit.notes.laplace_histogram", "LSZhang LSDim LSHist"),
    (NOTES_GROUP, "dpaudit.notes.hellinger_exponential", "EHD EHDL EHDS MH"),
    (NOTES_GROUP, "dpaudit.notes.laplace_histogram", "NotesLaplace"),
)
"""Group, module and names."""

_GROUPS = (
    NOTES_GROUP,
    "randomised by each user",
    "counts with integer noise",
    "counts with continuous noise",
    "selection among queries",
    "sparse vector",
)
"""Order of the groups in lists; any other comes last."""


def _classics() -> Iterator[tuple[str, str, str]]:
    """Read the rows of the classics: importing their modules to list them would take too long."""
    for path in sorted(Path(__file__).with_name("classics").glob("*.py")):
        for group, names in _ROW.findall(path.read_text(encoding="utf-8")):
            yield group, f"{_CLASSICS}.{path.stem}", names


def _place(row: tuple[str, str, str]) -> int:
    return _GROUPS.index(row[0]) if row[0] in _GROUPS else len(_GROUPS)


@dataclass(frozen=True, slots=True)
class _Row:
    group: str
    module: str
    name: str

    def load(self) -> type[Mechanism[Any]]:
        for cls in vars(import_module(self.module)).values():
            if isinstance(cls, type) and vars(cls).get("name") == self.name:
                return cls
        raise LookupError(f"{self.module}: no class has the name {self.name} of its ROW")


_ROWS = {
    name: _Row(group, module, name)
    for group, module, names in sorted([*_NOTES, *_classics()], key=_place)
    for name in names.split()
}

_SPELT = {name.lower(): name for name in _ROWS}
_SPELT |= {word.lower(): name for word, name in WORDS_OF_MECHANISMS.items()}


def mechanism_groups() -> dict[str, dict[str, type[Mechanism[Any]]]]:
    """Return every mechanism under its name, in groups: the notes first, in their order."""
    groups: dict[str, dict[str, type[Mechanism[Any]]]] = {}
    for name, row in _ROWS.items():
        groups.setdefault(row.group, {})[name] = row.load()
    return groups


def mechanism_classes() -> dict[str, type[Mechanism[Any]]]:
    """Return every mechanism under its name, group by group."""
    return {name: row.load() for name, row in _ROWS.items()}


def built_in_name(name: str) -> str | None:
    """Return what the package calls a mechanism, None if it has none of this name.

    Letters of either case will do, and the field's words.

    >>> built_in_name("grr"), built_in_name("ehds"), built_in_name("mine.py:it")
    ('kRR', 'EHDS', None)
    """
    return _SPELT.get(name.lower())


def mechanism_words() -> list[str]:
    """Return the field's words for mechanisms whose names are others."""
    return list(WORDS_OF_MECHANISMS)


def mechanism_names() -> list[str]:
    """Return the name of every mechanism, group by group; nothing is imported for it."""
    return list(_ROWS)


def is_built_in(name: str) -> bool:
    """Tell whether ``name`` is that of a mechanism of the package, in any case."""
    return name.lower() in _SPELT


def mechanism_class(name: str) -> type[Mechanism[Any]]:
    """Return the mechanism called ``name``, in any case; ``UnknownMechanismError`` otherwise.

    >>> mechanism_class("ehds").source
    'A Alg. 6'
    """
    if not is_built_in(name):
        raise UnknownMechanismError(name, mechanism_names())
    return _ROWS[_SPELT[name.lower()]].load()


@dataclass(frozen=True, slots=True)
class Offer:
    """One mechanism that an installed package offers."""

    name: str
    """Name of the mechanism."""
    target: str
    """``package.module:name``."""
    package: str
    """The distribution that offers it, with its version."""


def offers() -> list[Offer]:
    """Return what is offered, sorted by name."""
    from importlib.metadata import entry_points  # which takes longer than all else here

    found = {
        Offer(
            point.name,
            point.value.replace(" ", ""),
            f"{point.dist.name} {point.dist.version}" if point.dist else "",
        )
        for point in entry_points(group=ENTRY_POINTS)
    }
    return sorted(found, key=lambda offer: (offer.name.lower(), offer.name, offer.package))
