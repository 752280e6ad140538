"""Many datasets explored together: paths that differ in shifts alone are run once for all of them.

A dataset of whole numbers is given to the program as numbers that stay open
(:mod:`dpaudit.programs.exploring.several`).  Whatever comes out otherwise for some datasets parts
them, so that every path belongs to datasets at which the program decides the same.  That rests on
a program that does with such numbers what it does with plain ones: its code was read, and only
calculates. Paths are run again at one of their datasets, every dataset's turn coming, as though
that were explored alone, and once more with known numbers; where anything comes out otherwise, all
datasets are explored one by one.  :func:`dpaudit.programs.exploring.exploration.to_retry` says
which paths are.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.mechanisms.user_laws import hold_apart
from dpaudit.programs.exploring.estimates import told
from dpaudit.programs.exploring.exploration import Exploration, Path, exploration_of, to_retry
from dpaudit.programs.exploring.explorer import CHANGED, Followed, Samplers
from dpaudit.programs.exploring.run import DATASETS, Decision, Run
from dpaudit.programs.exploring.several import several
from dpaudit.programs.exploring.shifts import at, comparable, picked
from dpaudit.programs.guarding.guards import guarded
from dpaudit.programs.guarding.refusal import Refused
from dpaudit.programs.output_laws.printed_draws import Form, Printed
from dpaudit.programs.zones.regions import Given, Region, Seen, alike_of, key_of, region_of

if TYPE_CHECKING:
    from dpaudit.programs.exploring.source import Source

__all__ = ["WORTH", "Together", "entries_of", "explore_together"]

Body = Callable[[Any, "Source"], Any]
Entries = tuple[int, ...]

WORTH = 300
"""With about as many paths at all datasets, or fewer, each dataset is explored alone."""


class _Path:
    """A path of some datasets: what it is at each differs in the numbers of a table alone."""

    __slots__ = (
        "alike", "constants", "decisions", "forms", "key", "moves", "numbers", "output", "region",
        "run", "taken",
    )  # fmt: skip

    def __init__(self, run: Run, output: Hashable, table: dict[Any, int]) -> None:
        """Take the run, and add its numbers to the ``table``."""
        self.run, self.output = run, output
        self.decisions = [one for one in run.decisions if one.asked[0] != DATASETS]  # type: ignore[index]
        self.taken = tuple(one.taken for one in self.decisions)
        self.key = key_of(output)
        self.region, self.alike = region_of(run, self.key), alike_of(run)
        self.moves = isinstance(self.key[0], Printed) and bool(self.key[0].planes)
        """True if the fixed part of the output depends on the dataset."""
        self.forms = () if self.moves else self.region.forms
        self.numbers = _picked(self.region.numbers, table)
        self.constants = _picked([form.constant for form in self.forms], table)

    @property
    def followed(self) -> Seen:
        """The path as it was followed for all of its datasets."""
        return self.taken, self.run, self.output

    def seen(self, dataset: Entries, numbers: Sequence[Fraction]) -> Seen:
        """Return the path at one dataset, where the numbers of the table are these."""
        found = Run.__new__(Run)
        found.__dict__.update(self.run.__dict__)
        found.zone = dict(zip(self.region.edges, self.numbers(numbers), strict=True))
        found.datasets, found.active = (), ()
        return self.taken, found, _output_at(self.output, dataset)

    def at(self, dataset: Entries, numbers: Sequence[Fraction]) -> Path:
        """Return where the path lies at one dataset, and what it gives."""
        if self.moves:
            taken, run, output = self.seen(dataset, numbers)
            key = key_of(output)
            return Path(taken, key[0], region_of(run, key), self.alike)
        forms = self.forms
        if forms:
            constants = self.constants(numbers)
            forms = tuple([Form(one.terms, c) for one, c in zip(forms, constants, strict=True)])
        weight, draws, edges, _, wholes, _, frame, counts = self.region
        here = self.numbers(numbers)
        region = Region(weight, draws, edges, here, wholes, forms, frame, counts)
        return Path(self.taken, self.key[0], region, self.alike)

    def decisions_at(self, dataset: Entries) -> list[Decision]:
        """Return what is decided at one dataset."""
        return [_decision_at(one, dataset) for one in self.decisions]


def _picked(values: Iterable[Any], table: dict[Any, int]) -> Callable[[Sequence[Any]], Any]:
    """Return what picks these values out of the numbers of a table, to which they are added."""
    return picked([table.setdefault(comparable(value), len(table)) for value in values])


class Together:
    """Paths of datasets that were explored together."""

    def __init__(self, seen: list[Seen], datasets: Sequence[Any]) -> None:
        """Take the paths that were followed, and the datasets in their order."""
        self._table: dict[Any, int] = {}
        self._paths = [_Path(run, output, self._table) for _, run, output in seen]
        self._numbers = {dataset: number for number, dataset in enumerate(datasets)}
        self.is_fixed = not any(path.moves for path in self._paths)
        """True if the outputs are the same objects at all datasets."""
        self.turn_count: int | None = None
        """Number of paths tried; None until it is known."""
        self._served: list[list[_Path]] = [[] for _ in datasets]
        for path in self._paths:
            for number in path.run.active:
                self._served[number].append(path)

    def __contains__(self, dataset: Any) -> bool:
        """Tell whether a dataset was among them."""
        return dataset in self._numbers

    def __len__(self) -> int:
        """Return how many datasets were explored together."""
        return len(self._numbers)

    def exploration(self, dataset: Any) -> Exploration:
        """Return the paths at one of them."""
        entries, numbers = entries_of(dataset), self._numbers_at(dataset)
        paths = [path.at(entries, numbers) for path in self._served[self._numbers[dataset]]]
        if not self.is_fixed:
            hold_apart({}, (path.output for path in paths))
        return exploration_of(paths)

    def seen_at(self, dataset: Any) -> list[Seen]:
        """Return the paths at one of them, as though it had been explored alone."""
        entries, numbers = entries_of(dataset), self._numbers_at(dataset)
        return [path.seen(entries, numbers) for path in self._served[self._numbers[dataset]]]

    def outputs(self) -> Iterator[Hashable]:
        """Yield what is fixed of the output of every path."""
        return (path.key[0] for path in self._paths)

    def _numbers_at(self, dataset: Any) -> list[Fraction]:
        entries = entries_of(dataset)
        return [at(c, entries) for c in self._table]

    def turns(self) -> Iterator[tuple[int, list[Decision], Seen]]:
        """Yield paths, each at one of its datasets, so that all of both have their turn.

        They come in the opposite order, with the number of the dataset.
        """
        tried = {id(run) for _, run, _ in to_retry(path.followed for path in self._paths)}
        found = [
            (path, path.run.active[place % len(path.run.active)])
            for place, path in enumerate(self._paths)
            if id(path.run) in tried
        ]
        left = set(range(len(self._served))) - {number for _, number in found}
        found += [(self._served[n][n % len(self._served[n])], n) for n in sorted(left)]
        self.turn_count = len(found)
        datasets = list(self._numbers)
        numbers = [self._numbers_at(dataset) for dataset in datasets]
        for path, number in reversed(found):
            entries = entries_of(datasets[number])
            yield number, path.decisions_at(entries), path.seen(entries, numbers[number])


def explore_together(
    body: Body, datasets: Sequence[Any], most_paths: int
) -> tuple[Together | None, Followed | None]:
    """Return the paths of ``body`` at many datasets; None where they are explored one by one.

    Its code was read, and only calculates: calls are not watched.

    Those of the first dataset are begun alone, to see how many there are.  They are returned as
    well, to go on with, or as ones to which the program was held.

    Raises ``Refused`` for a program that is refused however it is followed.
    """
    if len(datasets) < 2 or not _alike_in_shape(datasets):
        return None, None
    first = Followed(
        _alone(body, datasets[0]),
        most_paths,
        Samplers(most_paths, calculates=True),
        again=Samplers(most_paths, calculates=True),
        opens=True,
        calculates=True,
    )
    if not first.begin(WORTH // len(datasets)):
        return None, first
    together: Together | None = None
    try:
        seen, _ = _for_all(body, datasets, most_paths).paths(again=False)
        together = Together(seen, datasets)
        if not _holds(together, body, datasets, most_paths):
            together = None
    except Refused as refusal:
        if refusal.final:
            raise
        together = None
    if not first.repeats():
        raise Refused(CHANGED, inside=False, final=True)
    return together, None if together else first


def _for_all(body: Body, datasets: Sequence[Any], most_paths: int) -> Followed:
    entries = [entries_of(dataset) for dataset in datasets]
    alone = not isinstance(datasets[0], tuple)
    known = [column[0] if len(set(column)) == 1 else None for column in zip(*entries, strict=True)]

    def for_all(source: Any) -> Any:
        given = several(source._run, known)
        return body(given[0] if alone else given, source)

    return Followed(
        for_all,
        most_paths,
        Samplers(most_paths, calculates=True),
        opens=True,
        datasets=entries,
        calculates=True,
    )


def _holds(together: Together, body: Body, datasets: Sequence[Any], most: int) -> bool:
    """Tell whether the paths are those of each dataset explored alone, as far as that is tried."""
    running: list[Run] = []
    alone: dict[int, Followed] = {}
    samplers = Samplers(most, calculates=True)
    with guarded(lambda: running[-1], calls=False):
        for done, (number, decisions, seen) in enumerate(together.turns()):
            told(done, together.turn_count, "paths run again")
            dataset = datasets[number]
            if number not in alone:
                alone[number] = Followed(
                    _alone(body, dataset), most, samplers, opens=True, calculates=True
                )
            if not alone[number].confirms(seen, decisions, running):
                return False
    return True


def _alone(body: Body, dataset: Any) -> Callable[[Source], Any]:
    return lambda source: body(dataset, source)


def _alike_in_shape(datasets: Sequence[Any]) -> bool:
    if all(type(dataset) is int for dataset in datasets):
        return True
    if not all(type(dataset) is tuple for dataset in datasets):
        return False
    kinds = {type(entry) for dataset in datasets for entry in dataset}
    return kinds == {int} and len({len(dataset) for dataset in datasets}) == 1


def entries_of(dataset: Any) -> Entries:
    """Return the whole numbers of a dataset: one, or a tuple of them."""
    return dataset if isinstance(dataset, tuple) else (dataset,)


def _decision_at(one: Decision, dataset: Entries) -> Decision:
    asked: Any = one.asked
    if asked[0] != "below":
        return one
    return Decision((*asked[:3], at(asked[3], dataset)), one.where, one.ways, one.taken)


def _output_at(output: Hashable, dataset: Entries) -> Hashable:
    if not isinstance(output, Given):
        return output
    forms = tuple(Form(form.terms, at(form.constant, dataset)) for form in output.forms)
    return Given(output.fixed, forms, output.counts)
