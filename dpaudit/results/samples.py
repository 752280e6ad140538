"""What an audit of a sampler finds: statistical answers, which say their confidence."""

from __future__ import annotations

from typing import Any

from dpaudit.results.audits import Source
from dpaudit.results.values import Budget, Count, Document, Parameters, Result, Size
from dpaudit.worded import Worded

__all__ = ["Cell", "Comparison", "DrawPlace", "EventFound", "SampleReport", "SampleVerdict"]


class SampleVerdict(Worded):
    """How an audit of a sampler ended.  It is never ``within``: draws prove no privacy."""

    EXCEEDS = "exceeds"
    """The budget is exceeded, but for the error probability."""
    NOT_REFUTED = "not refuted"
    """The draws do not contradict the budget."""
    TOO_FEW = "too few draws"
    """No draws of so few could contradict the budget."""
    VACUOUS = "vacuous"
    """Every draw of every dataset gave the same output, or raised; or the event that was counted
    holds for all of them, or for none, so that nothing was told apart."""
    UNFINISHED = "unfinished"
    """It was stopped before all draws were drawn, and says nothing; it can go on."""
    CONFORMS = "conforms"
    """The draws do not contradict the law, and the total variation distance is bounded."""
    DIFFERS = "differs"
    """The draws contradict the law, but for the error probability."""


class EventFound(Result, frozen=True, kw_only=True):
    """The event that was counted, chosen on other draws."""

    words: str
    """What it is."""
    x: Any
    """The dataset under which it is more probable."""
    y: Any
    """Its neighbour."""
    draws: Count
    """How many draws of each were counted: fewer than there could be where it stopped early."""
    count_x: Count
    """How many of x were in it."""
    count_y: Count
    """How many of y were."""


class Cell(Result, frozen=True, kw_only=True):
    """One output, or bin, or set of outputs, that draws are told apart by."""

    output: str
    """What it is; ``all others`` for what is not told apart."""
    low: str
    """A lower bound of its probability under the law, a float."""
    high: str
    """An upper bound."""
    count: Count
    """How often it was drawn."""
    places: tuple[Count, ...] = ()
    """How often of that in each of the places of the comparison."""


class DrawPlace(Result, frozen=True, kw_only=True):
    """Where in calls, or in the run, some of the draws come from."""

    words: str
    """What it is."""
    draws: Count
    """How many draws come from there."""
    distance: str
    """An upper bound of the total variation distance of their law alone."""


class Comparison(Result, frozen=True, kw_only=True):
    """How the draws of one dataset stand to a law."""

    dataset: Any
    """The dataset."""
    draws: Count
    """How many draws were compared; of a law without an end, others chose in what."""
    outputs: Count
    """How many outputs, or bins, they were compared in."""
    binned: bool = False
    """Whether they are numbers with a density: the distance is then that of bins."""
    worst: str
    """The output, or set of outputs, that speaks most against the law."""
    p_value: str
    """An upper bound of the probability of something so unlikely, all datasets counted."""
    distance: str
    """An upper bound of the total variation distance, but for the error probability."""
    places: tuple[DrawPlace, ...] = ()
    """How draws from each place stand to the law: they share out the calls, then the run."""
    drift: str = ""
    """An upper bound of the p-value of the draws that speak most against the law, of those that a
    place in calls or in the run tells from others, all datasets counted."""
    strange: str = ""
    """Which draws these are, and how often they had which output; empty for no such."""
    cells: tuple[Cell, ...] = ()
    """What was counted, of at most 1024 outputs; what the law has none of is all other draws."""


class SampleReport(Document, frozen=True, kw_only=True):
    """The audit of a sampler."""

    schema: str
    """The name of the document."""
    version: str
    """The version of dpaudit that made it."""
    fingerprint: str = ""
    """Of the code that made it; see :mod:`dpaudit.fingerprint`."""
    mechanism: Parameters
    """The sampler and its parameters."""
    loaded: Source | None = None
    """Where it was loaded from."""
    n: Size
    """The size."""
    relation: str
    """Which datasets are neighbours."""
    datasets: Count
    """How many datasets were drawn from."""
    pairs: Count
    """How many pairs of neighbours there were, both directions of which were looked at."""
    budget: Budget | None = None
    """What the verdict is about; None for a comparison with a law."""
    draws: Count
    """How many draws of a dataset there could be, those for the choice of the event included."""
    selected: Count = 0
    """How many of them went into that choice."""
    error: str
    """The probability that the verdict is wrong, if it is ``exceeds`` or ``differs``, at most; the
    same for each bound."""
    seed: Count
    """Where the randomness came from."""
    digits: Count = 4
    """To how many digits lower bounds were searched for."""
    sequential: bool = False
    """Whether it stopped as soon as the draws contradicted the budget."""
    learned: str = ""
    """The library that learned scores to choose an event from, with its version; empty for none."""
    reproducible: bool = True
    """Whether the sampler draws the same again from that seed."""
    repeated: Count = 0
    """How often it was started again, where an earlier run had stopped."""
    verdict: SampleVerdict
    """How it ended."""
    epsilon: str = ""
    """A lower bound of ε at the δ of the budget; empty where none above 0 is certain."""
    delta: str = ""
    """A lower bound of δ at the ε of the budget; empty where none above 0 is certain."""
    event: EventFound | None = None
    """The event that these come from."""
    against: str = ""
    """The law that the sampler was compared with."""
    comparisons: tuple[Comparison, ...] = ()
    """How it stands to that, by dataset."""
    tolerance: str = ""
    """The largest distance of all comparisons: it conforms up to that."""
    kept: str = ""
    """What it goes on from, where it was stopped, or stops early: the event, counts, digests."""
    sha256: str = ""
    """SHA-256 of the document without this field, where it is written."""

    @property
    def described(self) -> dict[str, Any]:
        """The sampler and its parameters."""
        return self.mechanism

    @property
    def parameters(self) -> Parameters:
        """The sampler's parameters."""
        return {name: value for name, value in self.mechanism.items() if name != "name"}
