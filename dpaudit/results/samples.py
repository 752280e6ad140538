"""Results of an audit of a sampler: statistical answers, which say their confidence."""

from __future__ import annotations

from typing import Any

from dpaudit.results.audits import Source
from dpaudit.results.values import AnyDocument, Budget, Count, Document, Parameters, Result, Size
from dpaudit.worded import Worded

__all__ = ["Cell", "Comparison", "DrawPlace", "EventFound", "SampleReport", "SampleVerdict"]


class SampleVerdict(Worded):
    """Verdict of an audit of a sampler.  It is never ``within``: draws prove no privacy."""

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
    """Description of the event."""
    x: Any
    """The dataset under which it is more probable."""
    y: Any
    """Its neighbour."""
    draws: Count
    """Number of draws counted of each dataset: below the maximum after an early stop."""
    count_x: Count
    """Number of draws of x in the event."""
    count_y: Count
    """Number of draws of y in the event."""


class Cell(Result, frozen=True, kw_only=True):
    """One output, or bin, or set of outputs, that draws are told apart by."""

    output: str
    """Output, bin or set of outputs; ``all others`` for outputs that are not listed."""
    low: str
    """A lower bound of its probability under the law, a float."""
    high: str
    """An upper bound."""
    count: Count
    """Number of draws in the cell."""
    places: tuple[Count, ...] = ()
    """Number of those draws in each stratum of the comparison."""


class DrawPlace(Result, frozen=True, kw_only=True):
    """Stratum: the draws from one place in calls, or in the run."""

    words: str
    """Name of the stratum."""
    draws: Count
    """Number of draws in the stratum."""
    distance: str
    """An upper bound of the total variation distance of their law alone."""


class Comparison(Result, frozen=True, kw_only=True):
    """Comparison of the draws of one dataset with a law."""

    dataset: Any
    """The dataset."""
    draws: Count
    """Number of draws compared; the bins of an infinite law were chosen on other draws."""
    outputs: Count
    """Number of outputs, or bins, that the draws were compared in."""
    binned: bool = False
    """True if the outputs have a density: the distance is then that of bins."""
    worst: str
    """The output, or set of outputs, that speaks most against the law."""
    p_value: str
    """An upper bound of the probability of something so unlikely, all datasets counted."""
    distance: str
    """An upper bound of the total variation distance, but for the error probability."""
    places: tuple[DrawPlace, ...] = ()
    """Strata by place in calls, then by place in the run; each of the two divides all draws."""
    drift: str = ""
    """An upper bound of the p-value of the draws that speak most against the law, of those that a
    place in calls or in the run tells from others, all datasets counted."""
    strange: str = ""
    """Stratum of those draws, and how often they had which output; empty if there is none."""
    cells: tuple[Cell, ...] = ()
    """Counts by output, at most 1024; the remaining draws are of outputs that the law does not
    have."""


class SampleReport(Document, AnyDocument, frozen=True, kw_only=True):
    """The audit of a sampler."""

    schema: str
    """The name of the document."""
    version: str
    """The version of dpaudit that made it."""
    fingerprint: str = ""
    """Fingerprint of the code that made the document."""
    mechanism: Parameters
    """The sampler and its parameters."""
    loaded: Source | None = None
    """File and reference the sampler was loaded from."""
    n: Size
    """The size."""
    sized: bool = True
    """False if the datasets do not depend on a size, so that the one size, 1, tells nothing."""
    relation: str
    """Neighbouring relation."""
    datasets: Count
    """Number of datasets drawn from."""
    pairs: Count
    """Number of pairs of neighbours, each examined in both directions."""
    budget: Budget | None = None
    """Budget that the verdict is about; None for a comparison with a law."""
    draws: Count
    """Largest number of draws of a dataset, those for the choice of the event included."""
    selected: Count = 0
    """Number of draws of a dataset used to choose the event."""
    error: str
    """The probability that the verdict is wrong, if it is ``exceeds`` or ``differs``, at most; the
    same for each bound."""
    seed: Count
    """Seed of the draws."""
    digits: Count = 4
    """To how many digits lower bounds were searched for."""
    sequential: bool = False
    """True if drawing stopped as soon as the draws contradicted the budget."""
    learned: str = ""
    """The library that learned scores to choose an event from, with its version; empty for none."""
    no_law: str = ""
    """Reason why it is drawn from: no law can be derived; empty where none was looked for."""
    reproducible: bool = True
    """True if the sampler draws the same again from that seed."""
    repeated: Count = 0
    """Number of restarts after an earlier run had stopped."""
    verdict: SampleVerdict
    """Verdict of the audit."""
    epsilon: str = ""
    """A lower bound of ε at the δ of the budget; empty where none above 0 is certain."""
    delta: str = ""
    """A lower bound of δ at the ε of the budget; empty where none above 0 is certain."""
    event: EventFound | None = None
    """The event that these come from."""
    against: str = ""
    """The law that the sampler was compared with."""
    comparisons: tuple[Comparison, ...] = ()
    """Comparison with the law at each dataset."""
    tolerance: str = ""
    """The largest distance of all comparisons: it conforms up to that."""
    kept: str = ""
    """State for going on after a stop, or of an early stop: the event, counts, digests."""
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
