"""A certified account as a table and as CSV; the document is the account itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import log
from typing import TYPE_CHECKING, Any, cast

from dpaudit.errors import counted
from dpaudit.numbers.ball import Sign, precision
from dpaudit.report.table import (
    compact,
    dataset_text,
    headline,
    interval_cells,
    parameters_text,
)
from dpaudit.report.view import Block, Charts, Series, View
from dpaudit.results import (
    Batches,
    CertifiedAccount,
    DeltaRow,
    Enclosure,
    EpsilonRow,
    MatrixRelease,
    Part,
    Training,
    decimal_text,
)
from dpaudit.results.accounts import NEIGHBOURS

if TYPE_CHECKING:
    from dpaudit.numbers.real import Real
    from dpaudit.results import Bound

__all__ = ["ACCOUNT"]

_SHOWN = 12
_SAMPLED = {
    "both": "one record added or removed",
    "add": "one record added",
    "remove": "one record removed",
    "substitution": "one record replaced",
}
"""Neighbours of runs on Poisson samples, by direction."""
_HEADER = ("given", "certified, all runs on the same data", "adaptive ≤", "worst at", "by")


def _parts(row: EpsilonRow | DeltaRow) -> tuple[str, str, str, Enclosure]:
    if isinstance(row, EpsilonRow):
        return "δ", str(row.delta), "ε", row.epsilon
    return "ε", str(row.epsilon), "δ", row.delta


def _said(part: Part) -> str:
    """Return runs of another mechanism in words."""
    given = dict(part.described)
    name = given.pop("name")
    runs = counted(part.compose, "run")
    rate = "" if part.sample_rate is None else f", each on a Poisson sample at {part.sample_rate}"
    return f"{runs} of {name} ({parameters_text(given)}){rate}"


def _worst(row: EpsilonRow | DeltaRow) -> str:
    if row.direction is not None:
        return row.direction
    return "–" if row.x is None else f"{dataset_text(row.x)} / {dataset_text(row.y)}"


def _cells(row: EpsilonRow | DeltaRow) -> list[str]:
    given, at, sought, interval = _parts(row)
    bound = "–"
    if row.adaptive_upper is not None:
        upper = Enclosure(row.adaptive_upper, row.adaptive_upper).rounded(_SHOWN).upper
        bound = decimal_text(upper)
    value = compact(Enclosure(interval.lower, interval.upper).rounded(_SHOWN))
    return [f"{given} = {at}", f"{sought}: {value}", bound, _worst(row), row.method]


def _blocks(account: CertifiedAccount) -> Iterator[Block]:
    at = f"n = {account.n}, {counted(account.pairs, 'pair')}, {counted(account.compose, 'run')}"
    neighbours = ""  # those of the mechanism
    if account.sample_rate is not None:
        neighbours = _SAMPLED[account.direction or "both"]
        at += f", each on a Poisson sample at rate {account.sample_rate}"
    if account.batches is not None:
        neighbours = NEIGHBOURS[account.batches.relation]
        at += f"; {_drawn(account.batches)}"
    if account.matrix is not None:
        neighbours = "all contributions of one user replaced by 0"
        at = _matrix(account.matrix)
    at += "".join(f", then {_said(one)}" for one in account.then)
    notes = list(account.refused)
    if account.budget is not None and account.verdict is not None:
        notes.insert(0, f"All runs, budget {account.budget}: {account.verdict.value}.")
    if account.matrix is not None:
        notes += _sensitivity(account.matrix)
    if account.training is not None:
        notes += _claimed(account, account.training)
    if account.solved is not None:
        found = account.solved
        which = "smallest" if found.parameter in ("sigma", "scale") else "largest"
        beside = compact(found.failing_delta.rounded(_SHOWN))
        notes.insert(
            0,
            f"The {which} {found.parameter} that certainly keeps {account.budget} is "
            f"{found.value}; at {found.failing} δ is {beside}: {found.failing_verdict.value}.",
        )
    rows = [_cells(row) for row in account.rows]
    head = headline(cast("Any", account), neighbours=neighbours)
    yield Block((head, at), _HEADER, rows, notes)


def _drawn(batches: Batches) -> str:
    """Return batches that are no Poisson samples in words."""
    if batches.sampling == "fixed":
        return "batches of a fixed size, bounded through Poisson samples"
    way = "shuffled epochs" if batches.sampling == "shuffle" else "random allocation in epochs"
    return (
        f"{way} of {batches.of} batches, {batches.whole} whole ones, an example in at most "
        f"{batches.most} batches"
    )


def _matrix(matrix: MatrixRelease) -> str:
    """Return a matrix mechanism in words."""
    apart = "exactly" if matrix.participation == "fixed-epoch" else "at least"
    return (
        f"matrix mechanism of {counted(matrix.steps, 'step')}, noise multiplier "
        f"{matrix.noise_multiplier}; one user contributes to at most "
        f"{counted(matrix.max_participations, 'step')}, {apart} {matrix.min_sep} apart"
    )


_STEPS_SHOWN = 8


def _sensitivity(matrix: MatrixRelease) -> list[str]:
    """Return the sensitivity, with the steps that reach its lower end."""
    interval = matrix.sensitivity
    if interval.exact is not None:
        value = str(interval.exact)
    else:
        value = compact(Enclosure(interval.lower, interval.upper).rounded(_SHOWN))
    shown = ", ".join(map(str, matrix.pattern[:_STEPS_SHOWN]))
    more = ", …" if len(matrix.pattern) > _STEPS_SHOWN else ""
    signs = "" if -1 not in matrix.signs else ", with contributions of both signs"
    line = f"Sensitivity: {value}; steps {shown}{more} (from 0){signs} reach the lower end."
    adaptive = (
        "Gradients may depend on earlier outputs."
        if matrix.triangular
        else "The matrix is not lower triangular, so the account holds only for gradients that do "
        "not depend on earlier outputs."
    )
    covered = "Not covered: clipping, the implementation of the noise, amplification by sampling."
    return [line, adaptive, covered]


_SOURCES = {
    "opacus": "the history of an accountant of Opacus",
    "dp-accounting": "an event of dp-accounting",
    "settings": "the settings of a training",
}


def _claimed(account: CertifiedAccount, training: Training) -> list[str]:
    """Return what was read, and where the ε of the training's own accountant lies."""
    lines = [f"Read from {_SOURCES[training.source]}.", *map(_sentence, training.remarks)]
    claim = training.claimed
    if claim is None or training.claim_verdict is None:
        return lines
    at = next(
        (
            row.epsilon
            for row in account.rows
            if isinstance(row, EpsilonRow) and row.delta == claim.delta
        ),
        None,
    )
    place = ""
    if at is not None:
        theirs = Fraction(*float(claim.epsilon).as_integer_ratio())
        place = f", {_place(theirs, at)} the certified interval"
    words = {
        "within": "the training keeps this ε",
        "exceeds": "the training does not keep this ε",
        "undecided": "the interval does not show whether the training keeps this ε",
    }
    said = words[training.claim_verdict.value]
    return [*lines, f"Their accountant: {claim}{place}: {said}."]


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _place(epsilon: Fraction, interval: Enclosure) -> str:
    """Return where an ε lies, and how far from the nearer end."""
    for end, side, beyond in (
        (interval.lower, "below", epsilon < Fraction(interval.lower)),
        (interval.upper, "above", interval.upper.is_finite() and epsilon > interval.upper),
    ):
        if beyond and end:
            return f"{100 * float(abs(epsilon / Fraction(end) - 1)):.2g} % {side}"
        if beyond:
            return side
    return "inside"


_COLUMNS = (
    *("mechanism", "n", "compose", "sample_rate", "then", "given", "at", "sought"),
    *("value_lower", "value_upper", "value_exact"),
    *("adaptive_upper", "x", "y", "direction", "method"),
)


def _lines(account: CertifiedAccount) -> Iterator[dict[str, str]]:
    for row in account.rows:
        given, at, sought, interval = _parts(row)
        names = {"δ": "delta", "ε": "epsilon"}
        yield {
            "mechanism": str(account.described["name"]),
            "n": str(account.n),
            "compose": str(account.compose),
            "sample_rate": "" if account.sample_rate is None else str(account.sample_rate),
            "then": "; ".join(map(_said, account.then)),
            "given": names[given],
            "at": at,
            "sought": names[sought],
            **interval_cells("value", interval),
            "adaptive_upper": ""
            if row.adaptive_upper is None
            else decimal_text(row.adaptive_upper),
            "x": "" if row.x is None else dataset_text(row.x),
            "y": "" if row.y is None else dataset_text(row.y),
            "direction": row.direction or "",
            "method": row.method,
        }


def _charts(account: CertifiedAccount, bounds: Sequence[Bound]) -> Charts:
    """Return ε over δ, and δ over ε, each as far as it was asked for."""
    runs = counted(account.compose, "run")
    epsilons = [
        (_log10(row.delta), row.epsilon)
        for row in account.rows
        if isinstance(row, EpsilonRow) and row.delta.sign() is Sign.POSITIVE
    ]
    deltas = [(float(row.epsilon), row.delta) for row in account.rows if isinstance(row, DeltaRow)]
    series = (
        Series(
            title=f"ε of {runs} at each δ",
            across="log₁₀ δ",
            up="ε",
            points=epsilons,
            says=f"ε of {runs} on the same data, from both sides, over the logarithm of δ",
        ),
        Series(
            title=f"δ(ε) of {runs}",
            across="ε",
            up="δ(ε)",
            points=deltas,
            limit=None if account.budget is None else account.budget.delta,
            says=f"δ of {runs} on the same data, from both sides, over ε",
        ),
    )
    return Charts(series=[one for one in series if one.points])


def _log10(delta: Real) -> float:
    """Return the logarithm of a positive number to the base 10, in floats."""
    with precision(64):
        return float(delta.ball().log()) / log(10)


def _witness(account: CertifiedAccount) -> list[str]:
    """Return the worst pair at each ε and δ as a sentence."""
    ways = {"add": "one record is added", "remove": "one record is removed"}
    found = []
    for row in account.rows:
        given, at, sought, interval = _parts(row)
        lower, upper = Enclosure(interval.lower, interval.upper).rounded(_SHOWN).texts()
        value = f"{sought} is {lower}" if lower == upper else f"{sought} is from {lower} to {upper}"
        if row.direction is not None:
            worst = f"the worst neighbours are those where {ways[row.direction]}"
        elif row.x is not None:
            worst = f"the worst neighbours are {dataset_text(row.x)} and {dataset_text(row.y)}"
        else:
            continue
        found.append(f"At {given} = {at} {worst}: {value}.")
    return found


ACCOUNT = View(
    blocks=_blocks,
    charts=_charts,
    witness=_witness,
    columns=lambda account: _COLUMNS,
    lines=_lines,
    figure="dpaudit.questions.account.figure:plot_accounts",
)
"""View of a certified account."""
