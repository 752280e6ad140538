"""View of audits of samplers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from dpaudit.questions.sample.frequencies import probabilities
from dpaudit.report.fitting import printable
from dpaudit.report.table import parameters_text, shortened
from dpaudit.report.view import Block, Charts, Row, Series, View
from dpaudit.results import Enclosure, EventFound, SampleReport, SampleVerdict

if TYPE_CHECKING:
    from dpaudit.results import Bound

__all__ = [
    "OWN_RANDOMNESS",
    "SAMPLE",
    "conclusion",
    "drift_in_words",
    "event_in_words",
]

OWN_RANDOMNESS = (
    "it gave different outputs for the same seed, so it uses randomness that dpaudit does not "
    "control"
)
"""Said of a sampler that draws from more than the generator it is given."""

_WORDS = {
    SampleVerdict.EXCEEDS: "the budget is exceeded (error probability at most {error})",
    SampleVerdict.NOT_REFUTED: "the draws do not contradict the budget, which proves nothing",
    SampleVerdict.TOO_FEW: (
        "{draws} draws are too few to conclude anything with error probability {error}"
    ),
    SampleVerdict.VACUOUS: "every draw is the same, or no event distinguishes the datasets",
    SampleVerdict.UNFINISHED: (
        "it was stopped before it could conclude anything; --resume continues"
    ),
    SampleVerdict.CONFORMS: "total variation distance at most {tolerance} (error probability at "
    "most {error})",
    SampleVerdict.DIFFERS: "the output distribution differs (error probability at most {error})",
}
_AUDIT = ("n", "pairs", "budget", "ε at least", "δ at least", "draws", "selected")
_AGAINST = ("dataset", "draws", "outputs", "p-value at most", "distance at most", "worst")
_COLUMNS = (
    *("n", "datasets", "pairs", "draws", "selected", "error", "seed", "repeated"),
    *("budget_epsilon", "budget_delta", "epsilon_lower", "delta_lower"),
    *("event", "x", "y", "counted", "count_x", "count_y"),
    *("against", "dataset", "outputs", "p_value", "distance", "worst", "verdict"),
)


def _title(report: SampleReport) -> str:
    told = parameters_text({k: v for k, v in report.mechanism.items() if k != "name"})
    against = f" against {report.against}" if report.against else ""
    return f"{report.mechanism['name']}{f' ({told})' if told else ''}{against}, sampled"


def conclusion(report: SampleReport) -> str:
    """Return what the verdict means, with its error probability."""
    words = _WORDS[report.verdict]
    if report.verdict is SampleVerdict.UNFINISHED and (report.epsilon or report.delta):
        words = (
            "it was stopped; the bounds so far hold with error probability at most "
            "{error}; --resume continues"
        )
    if report.against and report.verdict is SampleVerdict.TOO_FEW:
        words = (
            "the draws do not contradict the output distribution, but are too few to bound the "
            "distance by 0.01 overall and by 0.02 in each part of the run"
        )
    return words.format(error=report.error, draws=report.draws, tolerance=report.tolerance)


def drift_in_words(report: SampleReport) -> str:
    """Return which draws, by their place in calls or in the run, speak most against a law."""
    told = [one for one in report.comparisons if one.strange]
    if not told:
        return ""
    worst = min(told, key=lambda one: float(one.drift or "0"))
    return f"{_text(worst.strange)} at {_text(worst.dataset)}, p ≤ {worst.drift or '0'}"


def _farthest_place(report: SampleReport) -> str:
    """Return which draws have the largest bound of their distance, by their place."""
    places = [place for one in report.comparisons for place in one.places]
    if not places:
        return ""
    worst = max(places, key=lambda place: float(place.distance))
    return f"by place: at most {worst.distance} for {worst.words}, less for all others"


def event_in_words(event: EventFound) -> str:
    """Return the event that was counted, and how often it was seen."""
    return (
        f"event: {_text(event.words)}; {event.count_x} of {event.draws} at "
        f"x = {_text(event.x)}, {event.count_y} at y = {_text(event.y)}"
    )


def _blocks(report: SampleReport) -> Iterator[Block]:
    notes = [f"{report.verdict.value}: {conclusion(report)}"]
    if report.event is not None:
        counted = report.event.draws
        stop = f"stopped after {counted} counted draws of each"
        if report.sequential:
            notes.append(f"tested after every chunk: {stop}")
        elif report.verdict is SampleVerdict.EXCEEDS and counted < report.draws - report.selected:
            notes.append(f"{stop}: the bounds hold wherever a run stops")
    if report.learned:
        notes.append(f"events of learned scores were also tried ({report.learned})")
    if report.repeated:
        notes.append(f"continued {report.repeated} times where an earlier run had stopped")
    if report.no_law:
        notes.append(f"sampled, because no output distribution can be derived: {report.no_law}")
    if not report.reproducible:
        notes.append(OWN_RANDOMNESS)
    if any(one.binned for one in report.comparisons):
        notes.append("the output is continuous; the distance is computed over bins")
    if apart := drift_in_words(report):
        notes.append(f"apart: {apart}")
    if place := _farthest_place(report):
        notes.append(place)
    if report.against:
        rows = [
            [
                _text(one.dataset),
                str(one.draws),
                str(one.outputs),
                one.p_value,
                one.distance,
                _text(one.worst),
            ]
            for one in report.comparisons
        ]
        yield Block(_title(report), _AGAINST, rows, notes)
        return
    event = report.event
    if event is not None:
        notes.insert(0, event_in_words(event))
    row = [
        str(report.n),
        str(report.pairs),
        str(report.budget),
        report.epsilon or "-",
        report.delta or "-",
        str(report.draws),
        str(report.selected),
    ]
    first = 0 if report.sized else 1
    yield Block(_title(report), _AUDIT[first:], [row[first:]], notes)


def _text(value: object) -> str:
    return shortened(printable(str(value)))


def _lines(report: SampleReport) -> Iterator[Row]:
    budget, event = report.budget, report.event
    common = {
        "n": str(report.n) if report.sized else "",
        "datasets": str(report.datasets),
        "pairs": str(report.pairs),
        "draws": str(report.draws),
        "selected": str(report.selected),
        "error": report.error,
        "seed": str(report.seed),
        "repeated": str(report.repeated),
        "verdict": report.verdict.value,
    }
    for one in report.comparisons:
        yield common | {
            "against": report.against,
            "dataset": str(one.dataset),
            "outputs": str(one.outputs),
            "p_value": one.p_value,
            "distance": one.distance,
            "worst": one.worst,
        }
    if event is not None and budget is not None:
        yield common | {
            "budget_epsilon": str(budget.epsilon),
            "budget_delta": str(budget.delta),
            "epsilon_lower": report.epsilon,
            "delta_lower": report.delta,
            "event": event.words,
            "x": str(event.x),
            "y": str(event.y),
            "counted": str(event.draws),
            "count_x": str(event.count_x),
            "count_y": str(event.count_y),
        }


def _charts(report: SampleReport, bounds: Sequence[Bound]) -> Charts:
    """Return the probabilities of the event, or the distances to the law."""
    if report.event is not None:
        values = probabilities(report, report.event)
        up = "probability of the event"
        says = (
            "1: at x, 2: at y; bars contain both true probabilities, except with the error "
            "probability (Hoeffding)"
        )
    else:
        values = [Enclosure(Decimal(0), Decimal(one.distance or 0)) for one in report.comparisons]
        up = "total variation to the law"
        says = (
            "The datasets in the order of the table; bars contain all true distances, except "
            "with the error probability"
        )
    series = Series(
        title=f"{up.capitalize()} by dataset",
        across="dataset",
        up=up,
        points=list(enumerate(values, start=1)),
        says=says,
    )
    return Charts(series=[series] if values else [])


def _witness(report: SampleReport) -> list[str]:
    """Return the event that was counted as a sentence."""
    event = report.event
    if event is None:
        return []
    x, y, words = (_text(one) for one in (event.x, event.y, event.words))
    return [
        f"{x} and {y} are neighbours. That {words} was counted {event.count_x} times in "
        f"{event.draws} draws at {x}, and {event.count_y} times at {y}."
    ]


SAMPLE = View(
    blocks=_blocks,
    charts=_charts,
    witness=_witness,
    columns=lambda report: _COLUMNS,
    lines=_lines,
    figure="dpaudit.questions.sample.figure:plot_sample",
)
