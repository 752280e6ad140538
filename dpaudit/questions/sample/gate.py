"""Entries about samplers: their errors, which add up, and what becomes of what was drawn.

An entry that fails wrongly does so with its error probability; all of a gate together at most with
10⁻⁹, whichever of them is wrong (the union bound).  What an entry does not state is shared equally.
A process tells counts; what follows from them is computed here once more.  Of a comparison with a
law it tells bounds of the law as well, and p-values and distances alone of more than 1024 outputs.
"""

from __future__ import annotations

from decimal import Context, Decimal
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from dpaudit.audit.plan import read_sizes
from dpaudit.errors import UsageError
from dpaudit.gate.entries import EntryQuestion, entry_question
from dpaudit.mechanisms.loading import find_mechanism
from dpaudit.mechanisms.parameters import read_budget, read_number
from dpaudit.numbers.real import real
from dpaudit.questions.sample.function import EVENTS, prepare, read_draws
from dpaudit.questions.sample.view import (
    OWN_RANDOMNESS,
    conclusion,
    drift_in_words,
    event_in_words,
)
from dpaudit.report.render import marked
from dpaudit.results import Kind, SampleReport, SampleVerdict
from dpaudit.sampling.audit import selection_size
from dpaudit.sampling.cells import recomputed
from dpaudit.sampling.draws import check_seed
from dpaudit.sampling.joint import Counts
from dpaudit.sampling.learned import library
from dpaudit.sampling.run import DEFAULT_DIGITS, run_sample
from dpaudit.sampling.verdicts import Judged, below, compared_verdict, limits_of, nearness
from dpaudit.subjects import DRAWS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from dpaudit.gate.config import Entry

__all__ = ["ENTRY", "MOST_ERROR", "answered_by_draws", "judged", "sampled", "with_errors"]

MOST_ERROR = Fraction(1, 10**9)
"""Largest probability that samplers make a gate fail wrongly, over all of its entries."""
_DEFAULT_DRAWS = 10**6
_OF_BALLS = ("digits", "precision_cap")


def _check(entry: Entry, key: str) -> None:
    """Raise ``UsageError`` for a key of an entry that makes no sense for a sampler."""
    given = getattr(entry, key)
    if given is None:
        return
    if key in ("at", "adjacency"):
        raise UsageError(f"a sampler brings its own datasets and neighbours; leave {key} out")
    if key in _OF_BALLS:
        raise UsageError(
            'digits and precision-cap do not apply to measure = "sample", which counts draws'
        )
    if key == "ties" and given != "fail":
        raise UsageError('ties does not apply to measure = "sample": draws cannot show a tie')
    if key == "against" and entry.budget is not None:
        raise UsageError(
            "an entry with against is compared with that mechanism's output distribution, so it "
            "has no budget; give only one of the two"
        )
    if key == "events" and (given not in EVENTS or entry.against is not None):
        raise UsageError(f"must be {' or '.join(EVENTS)}, and only in an entry without against")
    if key == "seed":
        check_seed(given)
    if key == "draws":
        _draws(entry)
    if key == "error":
        _error(entry)


def _draws(entry: Entry) -> int:
    return read_draws(_DEFAULT_DRAWS if entry.draws is None else entry.draws)


def _error(entry: Entry) -> Fraction:
    if isinstance(entry.error, (bool, list, dict)):
        raise UsageError("error: a number is needed")
    found = read_number(entry.error, "error").as_fraction()
    if found is None or not Fraction(1, 10**30) <= found <= MOST_ERROR:
        raise UsageError(f"error = {entry.error}: must be from 1e-30 to 1e-9, a fraction")
    return found


def with_errors(entries: Sequence[Entry]) -> list[Entry]:
    """Return entries of which each sampler has its error.

    Raises ``UsageError`` where those that are stated leave none for the others, or are too much.
    """
    samplers = [entry for entry in entries if entry_question(entry) is ENTRY]
    stated = [_error(entry) for entry in samplers if entry.error is not None]
    open_ = len(samplers) - len(stated)
    left = MOST_ERROR - sum(stated, Fraction(0))
    if left < 0 or (open_ and not left):
        raise UsageError(
            f"the values of error of all samplers add up to {_told(MOST_ERROR - left)}, and a "
            "whole gate may fail wrongly with probability 1e-9 at most"
            f"{'; nothing is left for the entries that give no error' if open_ else ''}; "
            "lower error"
        )
    share = str(left / open_) if open_ else ""
    return [replace(entry, error=share) if _has_no_error(entry) else entry for entry in entries]


def _has_no_error(entry: Entry) -> bool:
    return entry_question(entry) is ENTRY and entry.error is None


def _told(total: Fraction) -> str:
    """Return a total as a decimal with digits enough to tell it from what it may be at most."""
    digits, found = 6, Decimal(0)
    while not found or ((found == Decimal("1e-9")) is not (total == MOST_ERROR)):
        found = Context(digits).divide(Decimal(total.numerator), Decimal(total.denominator))
        digits += 6
    return f"{found.normalize(Context(digits)):g}"


def sampled(sampler: Any, entry: Entry, folder: Path) -> SampleReport:
    """Draw as an entry asks, with as many draws as it says."""
    law = None
    if entry.against is not None:
        law = find_mechanism(entry.against, folder).build({})
    subject, asked = prepare(
        sampler,
        n=None if entry.n is None else read_sizes(entry.n)[0],
        draws=_draws(entry),
        error=str(_error(entry)),
        budget=entry.budget,
        against=law,
        seed=entry.seed or 0,
        jobs=1,
        digits=DEFAULT_DIGITS,
        events=entry.events or EVENTS[0],
    )
    return marked(run_sample(subject, asked))


def answered_by_draws(told: SampleReport, entry: Entry) -> SampleReport:
    """Return a report about an entry, with the verdict and bounds that follow from its counts.

    Raises ``ValueError``, or ``DpauditError`` for numbers that are none, where it is about anything
    else.
    """
    error, draws = _error(entry), _draws(entry)
    wanted = {
        "schema": "dpaudit.sample/1",
        "draws": draws,
        "error": str(real(error)),
        "seed": entry.seed or 0,
        "digits": DEFAULT_DIGITS,
        "sequential": False,
        "learned": library() if entry.events == "learned" else "",
        "repeated": 0,
        "kept": "",
        "sha256": "",
    }
    for name, here in wanted.items():
        if getattr(told, name) != here:
            raise ValueError(f"its {name} is {str(getattr(told, name))[:80]!r}, not {here}")
    if entry.n is not None and told.n != read_sizes(entry.n)[0]:
        raise ValueError(f"its n is {told.n}, not {entry.n}")
    if (told.against != "") is not (entry.against is not None):
        raise ValueError(
            "it must name a mechanism to compare with exactly if the entry has against"
        )
    alpha = below(real(error))
    if entry.against is not None:
        return replace(told, **_compared(told, alpha))
    return replace(told, **_counted(told, entry, alpha))


def _counted(told: SampleReport, entry: Entry, alpha: float) -> dict[str, Any]:
    """Return what follows from the counts of an event, of all draws but those that chose it."""
    event, budget = told.event, told.budget
    if event is None or budget is None or told.comparisons or told.tolerance:
        raise ValueError("it has no event, or no budget")
    if entry.budget is not None and budget != read_budget(entry.budget):
        raise ValueError(f"its budget is {budget}, not {entry.budget}")
    counted = told.draws - selection_size(told.draws)
    if event.draws != counted or told.selected != told.draws - counted:
        raise ValueError(f"{event.draws} draws are counted, not {counted}")
    if not (0 <= event.count_x <= counted and 0 <= event.count_y <= counted):
        raise ValueError("a count is below 0, or above the number of counted draws")
    counts = Counts(counted, event.count_x, event.count_y)
    judged = Judged.of(counts, alpha, limits_of(budget), told.digits)
    # That all draws are the same passes nothing: the process may say so.
    return judged.as_fields(vacuous=told.verdict is SampleVerdict.VACUOUS)


def _compared(told: SampleReport, alpha: float) -> dict[str, Any]:
    """Return what follows from counts, or p-values and distances, one of each dataset."""
    if told.budget is not None or told.event is not None or not told.comparisons:
        raise ValueError("it is not a comparison with an output distribution")
    if len(told.comparisons) != told.datasets:
        raise ValueError("it does not compare all datasets")
    least = told.draws - selection_size(told.draws)
    if not all(least <= one.draws <= told.draws for one in told.comparisons):
        raise ValueError(f"each comparison must use from {least} to {told.draws} draws")
    given = alpha, told.datasets, told.digits
    found = tuple(recomputed(one, *given) for one in told.comparisons)
    for one in found:
        for text in (one.p_value, one.distance, one.drift, *(p.distance for p in one.places)):
            _part(text)
    farthest = max(found, key=lambda one: _part(one.distance))
    verdict = compared_verdict(list(map(nearness, found)), alpha)
    more = {"verdict": verdict, "tolerance": farthest.distance, "epsilon": "", "delta": ""}
    return {"comparisons": found, **more}


def _part(text: str) -> Fraction:
    """Return a decimal from 0 to 1; empty stands for 0."""
    found = real(text or "0").as_fraction()
    if found is None or not 0 <= found <= 1:
        raise ValueError(f"{text[:40]!r} is not a probability")
    return found


_SAID = {
    SampleVerdict.NOT_REFUTED: (
        "not refuted by {draws} draws of each dataset, which proves nothing; error "
        "probability {error}"
    ),
    SampleVerdict.CONFORMS: "conforms to {law}: total variation distance at most {far} (error "
    "probability at most {error})",
    SampleVerdict.DIFFERS: "differs from {law} (error probability at most {error})",
}


def judged(report: SampleReport) -> tuple[Kind, str]:
    """Return what becomes of an entry about a sampler, with the reason in words."""
    kind = Kind(report.verdict.value)
    told = {"draws": report.draws, "error": report.error, "law": report.against}
    said = conclusion(report)
    if report.verdict in _SAID:
        said = _SAID[report.verdict].format(**told, far=report.tolerance)
    if report.event is not None:
        found = f"ε ≥ {report.epsilon}, budget {report.budget}; " if report.epsilon else ""
        said = f"{said}; {found}{event_in_words(report.event)}"
    elif report.verdict is SampleVerdict.DIFFERS:
        worst = min(report.comparisons, key=lambda one: _part(one.p_value))
        said = f"{said}; p ≤ {worst.p_value or 0} at {worst.dataset}, {worst.worst}"
        if apart := drift_in_words(report):
            said = f"{said}; {apart}"
    return kind, said if report.reproducible else f"{said}; {OWN_RANDOMNESS}"


_KEYS = ("draws", "error", "against", "seed", "events")
_CHECKED = ("at", *_KEYS, "adjacency", "ties", "digits", "precision_cap")


class _Sample(EntryQuestion):
    measure = "sample"
    keys = _KEYS
    schema = "dpaudit.sample/1"
    prefix = DRAWS
    is_swept = False
    of_one_size = True
    counts_draws = True
    has_events = False

    def checks(self) -> Mapping[str, Callable[[Entry], None]]:
        return {**super().checks(), **{key: partial(_check, key=key) for key in _CHECKED}}

    def check_mechanism(self, name: str) -> None:
        raise UsageError(
            f"{name} is not a sampler, and its output distribution is known; leave out measure"
        )

    def drawn(self, sampler: Any, entry: Entry, folder: Path) -> SampleReport:
        return sampled(sampler, entry, folder)

    def judged(self, told: SampleReport, entry: Entry) -> tuple[SampleReport, Kind, str]:
        report = answered_by_draws(told, entry)
        return report, *judged(report)

    def together(self, entries: Sequence[Entry]) -> list[Entry]:
        return with_errors(entries)


ENTRY = _Sample()
