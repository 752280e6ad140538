"""Many datasets explored together: paths that differ in shifts alone are run once for all of them.

A dataset of whole numbers is given to the program as numbers that stay open
(:mod:`dpaudit.programs.several`).  Whatever comes out otherwise for some datasets parts them, so
that every path belongs to datasets at which the program decides the same.  That rests on a program
that does with such numbers what it does with plain ones.  So every path is run again at one of its
datasets, every dataset's turn coming, as though that were explored alone, and once more with known
numbers; where anything comes out otherwise, all datasets are explored one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any

from dpaudit.mechanisms.user_laws import alike
from dpaudit.programs.explorer import Exploration, Followed, Samplers, exploration_of
from dpaudit.programs.guards import guarded
from dpaudit.programs.printed import Form
from dpaudit.programs.refusal import Refused
from dpaudit.programs.regions import Given, Seen
from dpaudit.programs.run import DATASETS, Decision, Run
from dpaudit.programs.several import at, several

if TYPE_CHECKING:
    from dpaudit.programs.source import Source

__all__ = ["WORTH", "Together", "explore_together"]

Body = Callable[[Any, "Source"], Any]
Entries = tuple[int, ...]

WORTH = 1_000
"""With fewer paths at all datasets in all, each dataset is explored alone."""


class Together:
    """What was found of datasets that were explored together."""

    def __init__(self, seen: list[Seen], datasets: Sequence[Any]) -> None:
        """Take the paths that were followed, and the datasets in their order."""
        self._seen = seen
        self._numbers = {dataset: number for number, dataset in enumerate(datasets)}
        self._served: list[list[int]] = [[] for _ in datasets]
        for place, (_, run, _) in enumerate(seen):
            for number in run.active:
                self._served[number].append(place)

    def __contains__(self, dataset: Any) -> bool:
        """Tell whether a dataset was among them."""
        return dataset in self._numbers

    @property
    def count(self) -> int:
        """How many paths there are at all datasets, in all."""
        return sum(map(len, self._served))

    def exploration(self, dataset: Any) -> Exploration:
        """Return the paths at one of them; ``LawError`` where every run raises."""
        number, entries = self._numbers[dataset], _entries(dataset)
        return exploration_of([_at(self._seen[p], entries) for p in self._served[number]])

    def turns(self) -> list[tuple[int, int]]:
        """Return so many paths, each with one of its datasets, that all of both are among them."""
        found = [
            (place, run.active[place % len(run.active)])
            for place, (_, run, _) in enumerate(self._seen)
        ]
        left = set(range(len(self._served))) - {number for _, number in found}
        found += [(self._served[n][n % len(self._served[n])], n) for n in sorted(left)]
        return found[::-1]

    def seen_at(self, place: int, dataset: Any) -> Seen:
        """Return what a path is at one of its datasets."""
        return _at(self._seen[place], _entries(dataset))


def explore_together(body: Body, datasets: Sequence[Any], most_paths: int) -> Together | None:
    """Return the paths of ``body`` at many datasets; None where they are explored one by one."""
    if len(datasets) < 2 or not _alike_in_shape(datasets):
        return None
    entries = [_entries(dataset) for dataset in datasets]
    alone = not isinstance(datasets[0], tuple)

    def for_all(source: Any) -> Any:
        given = several(source._run, entries)
        return body(given[0] if alone else given, source)

    found = Followed(
        for_all, most_paths, Samplers(most_paths), opens=True, datasets=entries, looks_ahead=False
    )
    try:
        seen, _ = found.paths(again=False)
        together = Together(seen, datasets)
        if together.count < WORTH:
            return None
        return together if _holds(together, body, datasets, most_paths) else None
    except Refused:
        return None


def _holds(together: Together, body: Body, datasets: Sequence[Any], most: int) -> bool:
    """Tell whether the paths are those of each dataset explored alone, as far as that is tried."""
    running: list[Run] = []
    alone: dict[int, Followed] = {}
    with guarded(lambda: running[-1]):
        for place, number in together.turns():
            dataset = datasets[number]
            if number not in alone:
                alone[number] = Followed(
                    lambda source, dataset=dataset: body(dataset, source),
                    most,
                    Samplers(most),
                    opens=True,
                )
            taken, expected, output = together.seen_at(place, dataset)
            if not alone[number].confirms(taken, expected, output, running):
                return False
    return True


def _alike_in_shape(datasets: Sequence[Any]) -> bool:
    if all(type(dataset) is int for dataset in datasets):
        return True
    return all(
        type(dataset) is tuple and len(dataset) == len(datasets[0]) and {int}.issuperset(map(type, dataset))
        for dataset in datasets
    )


def _entries(dataset: Any) -> Entries:
    return dataset if isinstance(dataset, tuple) else (dataset,)


def _at(seen: Seen, dataset: Entries) -> Seen:
    """Return a path as it is at one dataset alone."""
    _, run, output = seen
    decisions = [one for one in run.decisions if one.asked[0] != DATASETS]  # type: ignore[index]
    found = Run.__new__(Run)
    found.__dict__.update(run.__dict__)
    found.zone, found.datasets, found.active = run.zone_at(dataset), (), ()
    found.decisions = [_decision_at(one, dataset) for one in decisions]
    return tuple(one.taken for one in decisions), found, _output_at(output, dataset)


def _decision_at(one: Decision, dataset: Entries) -> Decision:
    asked = one.asked
    if asked[0] != "below":  # type: ignore[index]
        return one
    kind, u, v, bound = asked  # type: ignore[misc]
    return Decision((kind, u, v, at(bound, dataset)), one.where, one.ways, one.taken)


def _output_at(output: Hashable, dataset: Entries) -> Hashable:
    if not isinstance(output, Given):
        return output
    forms = tuple(Form(form.terms, at(form.constant, dataset)) for form in output.forms)
    return Given(output.fixed, forms, output.counts)
