"""The mechanisms by name: a table of those of the package, and those that other packages offer.

A mechanism of the package is one line of the table; its module is imported when it is asked for.
Installed packages offer theirs as entry points of the group ``dpaudit.mechanisms``:

    [project.entry-points."dpaudit.mechanisms"]
    my-mechanism = "my_package.my_module:my_mechanism"

Nothing is imported to list them; one that cannot be imported is found out when it is asked for, and
disturbs no other.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
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

_TABLE = (
    (NOTES_GROUP, "dpaudit.notes.laplace_histogram", "LSZhang LSDim LSHist"),
    (NOTES_GROUP, "dpaudit.notes.hellinger_exponential", "EHD EHDL EHDS MH"),
    (NOTES_GROUP, "dpaudit.notes.laplace_histogram", "NotesLaplace"),
    ("randomised by each user", "dpaudit.mechanisms.classics.randomised_response", "RR kRR=KRR"),
    ("randomised by each user", "dpaudit.mechanisms.classics.unary_encoding", "SUE OUE"),
    ("randomised by each user", "dpaudit.mechanisms.classics.rappor", "RAPPOR PermanentRAPPOR"),
    (
        "counts with integer noise",
        "dpaudit.mechanisms.classics.geometric",
        "Geometric TruncatedGeometric DiscreteLaplace NoisyHistogram",
    ),
    ("counts with integer noise", "dpaudit.mechanisms.classics.rounded_laplace", "RoundedLaplace"),
    (
        "counts with integer noise",
        "dpaudit.mechanisms.classics.discrete_gaussian",
        "DiscreteGaussian",
    ),
    ("counts with continuous noise", "dpaudit.mechanisms.classics.continuous", "Gaussian Laplace"),
    (
        "selection among queries",
        "dpaudit.mechanisms.classics.selection",
        "ExponentialMechanism PermuteAndFlip RNMLaplace RNMExponential RNMGumbel RNMLaplaceValue",
    ),
    (
        "sparse vector",
        "dpaudit.mechanisms.classics.selection_sparse",
        "AboveThreshold SVT1 SVT2 SVT3 SVT4 SVT5 SVT6",
    ),
)
"""Group, module and names; a name whose class has another stands as name=class."""


@dataclass(frozen=True, slots=True)
class _Row:
    group: str
    module: str
    attribute: str

    def load(self) -> type[Mechanism[Any]]:
        module = import_module(self.module)
        cls: type[Mechanism[Any]] = getattr(module, self.attribute)
        return cls


_ROWS = {
    name: _Row(group, module, attribute or name)
    for group, module, names in _TABLE
    for name, _, attribute in (entry.partition("=") for entry in names.split())
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
