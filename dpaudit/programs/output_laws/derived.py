"""The law of a program, one dataset at a time, from the paths that were explored."""

from __future__ import annotations

import random as python_random
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from dpaudit.errors import LawError
from dpaudit.laws.rest import RestLaw
from dpaudit.machine import uncollected
from dpaudit.mechanisms.user_laws import hold_apart
from dpaudit.numbers.ball import ball, certainly_less, precision, upper_fraction
from dpaudit.numbers.real import ONE, ZERO, Real, rational, real
from dpaudit.programs.entrywise.joined import Entrywise
from dpaudit.programs.entrywise.splitting import split
from dpaudit.programs.exploring.estimates import Series, exploring, told
from dpaudit.programs.exploring.explore import explore
from dpaudit.programs.exploring.explorer import Followed, Samplers
from dpaudit.programs.exploring.together import Together, entries_of, explore_together
from dpaudit.programs.guarding.calculating import only_calculates
from dpaudit.programs.guarding.flow import unfollowed
from dpaudit.programs.guarding.guards import unwatching
from dpaudit.programs.guarding.held_sources import check_held_sources
from dpaudit.programs.guarding.reach import check_handed_on
from dpaudit.programs.guarding.refusal import PAST_ITS_MODULE, NoEnd, Refused
from dpaudit.programs.guarding.sources import sources_refused
from dpaudit.programs.output_laws.between_calls import BetweenCalls, Place, calling
from dpaudit.programs.output_laws.counts import counted_law
from dpaudit.programs.output_laws.density_laws import density_law
from dpaudit.programs.output_laws.printed_draws import Counted, Printed
from dpaudit.programs.plain.function import PlainFunction
from dpaudit.programs.real.constants import constants_of
from dpaudit.programs.real.effort import AS_RUN, IDEAL, Effort
from dpaudit.programs.real.tree import Leaf
from dpaudit.programs.unknowns.wholes import chance
from dpaudit.programs.zones.integrals import Weight, plus, probabilities, product
from dpaudit.programs.zones.regions import share_of

if TYPE_CHECKING:
    from dpaudit.laws.explicit import OpenLaw
    from dpaudit.laws.parts import Term
    from dpaudit.programs.as_run.explored import AsRun
    from dpaudit.programs.entrywise.joined import Joined
    from dpaudit.programs.exploring.exploration import Exploration
    from dpaudit.programs.exploring.run import Run
    from dpaudit.programs.output_laws.between_calls import Path
    from dpaudit.programs.real.counted import RealRuns
    from dpaudit.programs.zones.regions import Region, Seen

__all__ = ["Body", "Explorer"]

Body = Callable[..., Any]
Factors = tuple[Weight, list[Weight]]
"""The probability of what was decided, and those of independent continuous draws."""
_BITS = 128
_LONGEST = 40
"""Largest number of characters of a dataset in messages about the time it takes."""
_UP = Context(prec=3, rounding=ROUND_CEILING)
_FEW, _MANY = 64, 512
"""A product with more terms is a ball: of outputs with a density, whose mass is no loss, sooner."""


@dataclass(frozen=True)
class Explorer:
    """The law of a program with its parameters fixed, one dataset at a time."""

    function: Body
    parameters: tuple[tuple[str, Any], ...]
    most_paths: int
    explored: dict[Any, Exploration] = field(default_factory=dict, repr=False, compare=False)
    exact: dict[Any, dict[Hashable, Real]] = field(default_factory=dict, repr=False, compare=False)
    factors: dict[Any, dict[Hashable, Real | list[Factors]]] = field(
        default_factory=dict, repr=False, compare=False
    )
    """Of datasets where some probability is a ball: the others, and what that is a product of."""
    terms: dict[Any, dict[Hashable, tuple[Term, ...]]] = field(
        default_factory=dict, repr=False, compare=False
    )
    """The densities of outputs that are the same at any precision."""
    run_as_is: bool = False
    """True if the program draws from Python's or NumPy's own modules."""
    given_module: bool = False
    """True if the program is then given Python's module ``random`` as its source."""
    real_runs: int | None = None
    """Number of real runs with random draws; None for as many as the time allows."""
    clock: dict[str, float] = field(
        default_factory=lambda: {"together": 0.0, "datasets": 1}, repr=False, compare=False
    )
    """The seconds that exploring together took, and how many datasets there are."""
    notes: dict[Any, AsRun] = field(default_factory=dict, repr=False, compare=False)
    """Functions stood in for as the program ran, by dataset."""
    together: list[Together] = field(default_factory=list, repr=False, compare=False)
    """Explorations of several datasets together."""
    begun: dict[Any, Followed] = field(default_factory=dict, repr=False, compare=False)
    """Explorations begun in order to count paths, by dataset."""
    refused: dict[Any, str] = field(default_factory=dict, repr=False, compare=False)
    """Reason for the refusal of each refused dataset."""
    held: list[Together] = field(default_factory=list, repr=False, compare=False)
    """Those whose outputs were held to all others already."""
    listed: dict[Any, None] = field(default_factory=dict, repr=False, compare=False)
    """The datasets that are to be explored, as far as that was said."""
    series: Series = field(default_factory=Series, repr=False, compare=False)
    """Progress of their exploration."""
    outputs: dict[Hashable, Hashable] = field(default_factory=dict, repr=False, compare=False)
    """Outputs seen so far, each with its first appearance."""
    between: list[BetweenCalls] = field(default_factory=list, repr=False, compare=False)
    """The calls that go on, if the code may leave something for later ones."""
    shares: list[BetweenCalls] = field(default_factory=list, repr=False, compare=False)
    """Those of the reading before, which go on as well."""

    def __post_init__(self) -> None:
        """Be found in the program's own module."""
        object.__setattr__(self, "__module__", getattr(self.function, "__module__", None))

    @property
    def plain(self) -> PlainFunction | None:
        """The plain function that is read ideally; None for a program with a source of its own."""
        return self.function if isinstance(self.function, PlainFunction) else None

    def exploration(self, dataset: Any) -> Exploration:
        """Return the paths at ``dataset``; ``LawError`` for a program that cannot be followed."""
        if dataset not in self.explored:
            if dataset in self.refused:  # for good: what it did then, it may not do now
                raise LawError(self.refused[dataset])
            left = max(0, len(self.listed) - len(self.explored) - 1)
            began = time.process_time()
            try:
                with exploring(f"{self._name} at {_brief(dataset)}", left + 1, self.series):
                    self.explored[dataset] = self._explored(dataset)
                    if not left:
                        self.check_between()
                    self.series.step(self._name, left, time.process_time() - began)
            except LawError as error:
                told = self.between[0].explains(error) if self.between else error
                self._end_between()
                self.refused[dataset] = str(told)
                raise told from None
        return self.explored[dataset]

    def _begun(self) -> BetweenCalls | None:
        """Return what looks at what calls leave; None for code that can leave nothing."""
        if not self.between and not self._calculates:
            following = self.following
            self.between[:] = self.shares or [
                BetweenCalls(self.called, lambda place: following(place.dataset))
            ]
            for one in self.shares:
                one.watch(self.called)
        return next(iter(self.between), None)

    def check_between(self) -> None:
        """Refuse a program whose calls depend on those before, at all datasets."""
        try:
            if self.between:
                self.between[0].check()
        except LawError as error:
            self.refused.update(dict.fromkeys(self.explored, str(error)))
            self.explored.clear()
            raise
        self._end_between()

    def _end_between(self) -> None:
        for one in () if self.shares else self.between:
            one.close()
        self.between.clear()

    @contextmanager
    def following(self, dataset: Any) -> Iterator[Callable[[Path], tuple[Run, Hashable]]]:
        """Yield what follows one path at a dataset once more."""
        given = dict(self.parameters)
        if self.run_as_is:
            from dpaudit.programs.as_run.explored import following_as_run

            module = (python_random,) if self.given_module else ()
            call = partial(self.function, dataset, *module, **given)
            holds = self.function, given, dataset
            with following_as_run(call, self.most_paths, holds) as along:
                yield lambda path: along(path.trail, path.endless)
            return
        advice = "" if self.plain is None else PAST_ITS_MODULE
        plain = self.plain
        with sources_refused() if plain is None else plain.explored(dataset, *given.values()):
            yield lambda path: Followed(
                lambda random: self.function(dataset, random, **given),
                self.most_paths,
                Samplers(self.most_paths),
                advice=advice,
                opens=path.opens,
                endless=path.endless,
            ).along(path.trail)

    def _explored(self, dataset: Any) -> Exploration:
        given = dict(self.parameters)
        together = self._found(dataset)
        if together is not None:
            found = together.exploration(dataset)
            seconds = self.clock["together"] / len(together)
            try:
                seen = together.seen_at(dataset)
                real = self._held_ideal(dataset, seen, seconds, entries_of(dataset))
            except Refused as refusal:
                raise LawError(str(refusal)) from None
            found = replace(found, real=real)
            if not together.is_fixed:
                hold_apart(self.outputs, found.trails)
            elif together not in self.held:
                hold_apart(self.outputs, together.outputs())
                self.held.append(together)
            return found
        if self.run_as_is:
            from dpaudit.programs.as_run.explored import AsRun, explore_as_run

            self.notes[dataset] = notes = AsRun(set(), set())
            module = (python_random,) if self.given_module else ()
            between = self._begun()
            found = explore_as_run(
                partial(calling(between, self.function), dataset, *module, **given),
                self.most_paths,
                notes,
                effort=self._effort,
                holds=(self.function, given, dataset),
                between=between,
                place=Place("as-run", dataset),
            )
        elif self.joined(dataset) is not None:
            return self._explored_by_entries(dataset)
        else:
            if not self.explored and not self.plain:
                check_handed_on(self.function)
            found = self._explored_ideal(dataset)
        if not self.explored and (self.run_as_is or self.plain):
            check_held_sources(self.called)
        hold_apart(self.outputs, found.trails)
        return found

    def _explored_ideal(self, dataset: Any) -> Exploration:
        given, between = dict(self.parameters), self._begun()
        followed: list[Seen] = []
        function = calling(between, self.function)

        def hold(seen: list[Seen], seconds: float) -> RealRuns:
            followed.extend(seen)
            return self._held_ideal(dataset, seen, seconds)

        plain = self.plain
        with sources_refused() if plain is None else plain.explored(dataset, *given.values()):
            if between is not None:
                between.begin()
            found = explore(
                lambda random: function(dataset, random, **given),
                self.most_paths,
                "" if self.plain is None else PAST_ITS_MODULE,
                begun=self.begun.pop(dataset, None),
                calculates=self._calculates,
                holds=hold,
            )
        if between is not None:
            between.end(Place("ideal", dataset), followed)
        return found

    def joined(self, dataset: Any) -> Joined | None:
        """Return the law at a dataset by its entries; None where these are not independent."""
        if self._entrywise is None:
            return None
        with exploring(f"{self._name} at {_brief(dataset)}"):
            return self._entrywise.at(dataset, int(self.clock["datasets"]))

    def by_entries(self, datasets: Sequence[Any], among: int) -> bool:
        """Tell whether the laws of datasets, ``among`` so many, are made of their entries' laws."""
        self.clock["datasets"] = among
        return bool(datasets) and self.joined(datasets[0]) is not None

    def _explored_by_entries(self, dataset: Any) -> Exploration:
        """Return the paths of a program that is a step for each of its entries."""
        from dpaudit.programs.entrywise.runs import hold_joined

        given = dict(self.parameters)
        began = time.process_time()
        joined = self.joined(dataset)
        assert joined is not None
        try:
            found = joined.exploration()
            with unwatching(), unfollowed():
                real = hold_joined(
                    lambda random: self.function(dataset, random, **given),
                    joined,
                    lambda: constants_of(self.function, given, dataset),
                    self._effort(time.process_time() - began),
                )
        except Refused as refusal:
            raise LawError(str(refusal)) from None
        hold_apart(self.outputs, (*found.trails, *joined.entries()))
        return replace(found, real=real)

    def _effort(self, seconds: float) -> Effort:
        total = AS_RUN if self.run_as_is else IDEAL
        return Effort(self.real_runs, seconds, int(self.clock["datasets"]), total)

    def _held_ideal(
        self, dataset: Any, seen: list[Seen], seconds: float, entries: tuple[int, ...] = ()
    ) -> RealRuns:
        """Hold what was derived at a dataset to real runs; ``entries`` are its own, together."""
        from dpaudit.programs.real.ideal import hold_ideal

        given = dict(self.parameters)
        # A program may ask for the law of another while it is explored, and is watched then.
        with unwatching(), unfollowed():
            return hold_ideal(
                lambda random: calling(next(iter(self.between), None), self.function)(
                    dataset, random, **given
                ),
                [Leaf(run, output, run.gave) for _, run, output in seen],
                lambda: constants_of(self.called, given, dataset),
                self._effort(seconds),
                entries,
                strict=self.plain is not None,
            )

    @uncollected()
    def prepare(self, datasets: Iterable[Any]) -> None:
        """Explore datasets together, where that spares work and can be done; else do nothing."""
        listed = list(datasets)
        self.clock["datasets"] = len(listed)
        left = [one for one in listed if one not in self.explored and not self._found(one)]
        self.listed.update(dict.fromkeys(left))
        if self.refused or self.run_as_is or not self._calculates:
            return
        if left and self.by_entries(left, len(listed)):
            return
        given = dict(self.parameters)
        began = time.process_time()
        try:
            with exploring(f"{self._name} at {len(left)} datasets together"):
                found, begun = explore_together(
                    lambda dataset, random: self.function(dataset, random, **given),
                    left,
                    self.most_paths,
                )
        except NoEnd:
            return  # which is seen at each of them
        except Refused as refusal:
            those = left if refusal.final else left[:1]
            self.refused.update(dict.fromkeys(those, str(refusal)))
            return
        if found is not None:
            self.clock["together"] = time.process_time() - began
            self.together.append(found)
        if begun is not None:
            self.begun[left[0]] = begun

    @cached_property
    def _calculates(self) -> bool:
        """True if its code was read, and only calculates with numbers."""
        if self.plain is not None:
            return False
        source = python_random if self.run_as_is else None
        return only_calculates(self.function, (value for _, value in self.parameters), source)

    @cached_property
    def _entrywise(self) -> Entrywise | None:
        """The program as a step for each of its entries; None for one that is not seen as such."""
        if self.run_as_is or not self._calculates:
            return None
        found = split(self.function)
        return None if found is None else Entrywise(found, dict(self.parameters), self.most_paths)

    @property
    def called(self) -> Body:
        """The code that is called, as it was written."""
        return self.function if self.plain is None else self.plain.call

    @property
    def _name(self) -> str:
        return str(getattr(self.called, "__name__", "a program"))

    def _found(self, dataset: Any) -> Together | None:
        return next((one for one in self.together if dataset in one), None)

    def __call__(self, dataset: Any) -> Mapping[Hashable, Weight]:
        """Return every output with its probability at the working precision.

        Raises ``LawError`` where some output has draws left open in it, or where not all paths were
        followed: it has no table.
        """
        if not self.exploration(dataset).complete:
            raise LawError("some of its paths were not followed, so its outputs are not all known")
        if self._open(dataset):
            raise LawError(
                "some outputs are continuous, or unbounded whole numbers; no table can list them"
            )
        return self.masses(dataset)

    def _open(self, dataset: Any) -> set[type]:
        """Return which kinds of outputs have draws left open in them."""
        return {type(one) for one in self.exploration(dataset).regions} & {Printed, Counted}

    def masses(self, dataset: Any) -> Mapping[Hashable, Weight]:
        """Return what is fixed of every output, with its probability at the working precision."""
        if dataset in self.exact:
            return self.exact[dataset]
        regions = self.exploration(dataset).regions
        try:
            law: dict[Hashable, Weight] = {}
            with exploring(f"{self._name} at {_brief(dataset)}"):
                for output, parts in regions.items():
                    told(len(law), len(regions), "output probabilities")
                    law[output] = self._sum(dataset, output, parts)
        except Refused as refusal:
            raise LawError(str(refusal)) from None
        _check_total(law.values(), complete=self.exploration(dataset).complete)
        known = {output: weight for output, weight in law.items() if isinstance(weight, Real)}
        if len(known) == len(law):
            self.exact[dataset] = known
            self.factors.pop(dataset, None)
        return law

    def open_law(self, dataset: Any) -> OpenLaw | None:
        """Return the law at ``dataset`` if it is no table, else None."""
        if not self.exploration(dataset).complete:
            return RestLaw(self.masses(dataset))
        kinds = self._open(dataset)
        if not kinds:
            return None
        regions = self.exploration(dataset).regions
        if len(kinds) > 1:
            raise LawError(
                "some outputs are continuous, and others are unbounded whole numbers; return "
                "only one of these kinds"
            )
        if kinds == {Counted}:
            return counted_law(regions)
        terms = self.terms.setdefault(dataset, {})
        return density_law(self.masses(dataset), regions, terms)

    def largest_rest(self) -> Real:
        """Return what is left open at most of the laws that were derived."""
        left = [dataset for dataset, one in self.explored.items() if not one.complete]
        with precision(_BITS):
            rests = [RestLaw(self.masses(dataset)).rest for dataset in left]
        most = max(map(upper_fraction, rests), default=Fraction(0))
        return real(str(_UP.divide(Decimal(most.numerator), Decimal(most.denominator))))

    def _sum(self, dataset: Any, output: Hashable, regions: list[Region]) -> Weight:
        if self.run_as_is:
            return rational(sum(map(share_of, regions), Fraction(0)))
        kept = self.factors.setdefault(dataset, {})
        known = kept.get(output)
        if isinstance(known, Real):
            return known
        factored = [_factors(region) for region in regions] if known is None else known
        total: Weight = ZERO
        most = _FEW if type(output) is Printed else _MANY
        for weight, parts in factored:
            probability: Weight = ONE
            for part in parts:
                probability = product(probability, part, most)
            total = plus(total, product(weight, probability))
        if isinstance(total, Real):
            kept[output] = total
        elif all(isinstance(one, Real) for weight, parts in factored for one in (weight, *parts)):
            kept[output] = factored  # other balls at other precisions, of the same numbers
        return total


def _check_total(masses: Iterable[Weight], *, complete: bool) -> None:
    """Refuse probabilities that do not make 1 together, or more than 1 where some are left out.

    No real run takes a path that there is not: its probability is one too many.
    """
    total = ball(0)
    for mass in masses:
        total += mass.ball() if isinstance(mass, Real) else mass
    if certainly_less(ball(1), total) or (complete and certainly_less(total, ball(1))):
        raise LawError(
            "the probabilities of its outputs do not add up to 1, so dpaudit does not use them"
        )


def _brief(dataset: Any) -> str:
    text = repr(dataset)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _factors(region: Region) -> Factors:
    weight: Weight = region.weight
    for draw, support in region.wholes:
        weight = product(weight, chance(draw, support))
    return weight, probabilities(*region.placed)
