"""Laws of programs that another process has derived, and what is held against them here."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from dpaudit.errors import LawError
from dpaudit.mechanisms.user_laws import Collected, Listed, Mapped, hold_apart
from dpaudit.numbers.ball import PrecisionNeeded, precision
from dpaudit.programs.exploring.outputs import Raised
from dpaudit.programs.output_laws.printed_draws import Counted, Decimals, Place, Printed, Truth

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from dpaudit.numbers.real import Real
    from dpaudit.programs.as_run.explored import AsRun
    from dpaudit.programs.exploring.exploration import Exploration
    from dpaudit.programs.output_laws.derived import Explorer

__all__ = ["Derived", "accept", "derived_at"]

_BITS = 96
_PLAIN = {int, float, complex, bool, str, bytes, Fraction, type(None), Raised, Place, Truth}


class Derived(NamedTuple):
    """Law of a program at one dataset, as another process derived it."""

    exploration: Exploration
    exact: dict[Hashable, Real] | None
    """The probabilities, where all of them have closed forms."""
    notes: AsRun | None = None
    """Functions stood in for as the program ran."""


def derived_at(explorer: Explorer, dataset: Any) -> Derived | None:
    """Return what is found at a dataset; None where it cannot be sent, or has no law."""
    try:
        found = explorer.exploration(dataset)
        if not all(map(_is_plain, found.regions)):
            return None
        with precision(_BITS):
            explorer.masses(dataset)
    except PrecisionNeeded:
        return Derived(found, None, explorer.notes.get(dataset))
    except LawError:
        return None  # which is said where it is asked for
    return Derived(found, explorer.exact.get(dataset), explorer.notes.get(dataset))


def accept(
    title: str, explorer: Explorer, datasets: Sequence[Any], found: Sequence[Derived | None]
) -> None:
    """Take what another process has derived, but for one dataset that is derived here as well."""
    if len(found) != len(datasets):
        raise LawError(
            f"{title}: a worker process returned {len(found)} output distributions for "
            f"{len(datasets)} datasets"
        )
    known = [index for index, one in enumerate(found) if one is not None]
    held = known[len(known) // 2] if known else None
    for index, (dataset, one) in enumerate(zip(datasets, found, strict=True)):
        if one is None or dataset in explorer.explored:
            continue
        if index == held and not _alike(one, derived_at(explorer, dataset)):
            raise LawError(
                f"{title} at {dataset!r}: another process derived a different output "
                "distribution; its behaviour must depend only on its file"
            )
        hold_apart(explorer.outputs, one.exploration.trails)
        explorer.explored[dataset] = one.exploration
        if one.exact is not None:
            explorer.exact[dataset] = one.exact
        if one.notes is not None:
            explorer.notes[dataset] = one.notes


def _alike(one: Derived, other: Derived | None) -> bool:
    """Tell whether two processes have found the same."""
    if other is None:
        return False
    first, second = one.exploration, other.exploration
    if one.exact != other.exact or first.paths != second.paths or first.trails != second.trails:
        return False
    return {key: frozenset(regions) for key, regions in first.regions.items()} == {
        key: frozenset(regions) for key, regions in second.regions.items()
    }


def _is_plain(output: Any) -> bool:
    """Tell whether an output is the same wherever it is: it is made of plain values alone."""
    if isinstance(output, (Printed, Counted)):
        return _is_plain(output.fixed)
    if type(output) is Mapped:
        return _is_plain(output.items)
    if type(output) is Decimals:
        return _is_plain(output.number)
    if type(output) in (tuple, frozenset, Listed, Collected):
        return all(map(_is_plain, output))
    return type(output) in _PLAIN
