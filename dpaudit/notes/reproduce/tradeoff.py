"""N Fig. 7 to 10: the error by dimension, by data variance, by prior, and by both."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, pairwise, starmap

from dpaudit.accuracy.law import ErrorLaw
from dpaudit.notes.reproduce import findings, readings
from dpaudit.notes.reproduce.findings import Finding, Item, PrintedOutcome
from dpaudit.notes.reproduce.readings import Pair, Setting
from dpaudit.numbers.ball import Ball, Sign, decide_sign, working_precision

__all__ = [
    "reproduce_dimensions",
    "reproduce_prior",
    "reproduce_prior_variance",
    "reproduce_variance",
]

_READINGS = (readings.DEFINED, readings.BY_TABLES)
_OURS, _LAPLACE = 0, 1

Laws = dict[Setting, Pair]
Row = Sequence[Setting]
Statement = tuple[str, Callable[[Laws], Finding]]
"""Statement of the notes, and the function that decides it from a reading's laws."""


def _item(
    name: str,
    title: str,
    place: str,
    *,
    settings: Iterable[Setting],
    statements: Iterable[Statement],
    panels: Mapping[str, Mapping[str, Setting]],
    along: str,
    text: Callable[[Setting], str],
    remark: str,
) -> Item:
    """Return what is found of ``statements`` about the laws at some ``settings``.

    ``panels`` are what is drawn, by their title and the place ``along`` the axis, by the reading
    that fulfils most; ``text`` names a setting in the CSV.
    """
    settings = list(settings)
    laws = {
        reading: {at: readings.pair_of_laws(reading, at) for at in settings}
        for reading in _READINGS
    }
    checks = [
        findings.check_statement(
            what, what, {reading.name: holds(pairs) for reading, pairs in laws.items()}
        )
        for what, holds in statements
    ]
    lines = [
        line
        for reading, pairs in laws.items()
        for at, pair in pairs.items()
        for line in findings.pair_lines(f"{text(at)}; {reading.name}", pair)
    ]
    chosen = max(_READINGS, key=lambda r: sum(r.name in check.readings for check in checks))
    drawn = [
        findings.pair_panel(head, along, {at: laws[chosen][here] for at, here in row.items()})
        for head, row in panels.items()
    ]
    remarks = (
        remark,
        f"Drawn: {chosen.name}; {readings.CLAMPED}. ε = 0.8 and δ = 0.0005.",
        *readings.meanings(*_READINGS),
    )
    table = findings.boxes_table(lines)
    shared = (
        *readings.settings_drawn(settings),
        f"reading: {chosen.name}, {chosen.meaning}",
        readings.CLAMPED,
    )
    return Item(name, title, place, tuple(checks), table, tuple(drawn), remarks, shared)


def _means(laws: Sequence[ErrorLaw]) -> str:
    return f"means {', '.join(f'{law.mean().midpoint:.4g}' for law in laws)}"


def _monotone(row: Row, which: int, step: int) -> Callable[[Laws], Finding]:
    def holds(laws: Laws) -> Finding:
        chosen = [laws[at][which] for at in row]
        rising = findings.all_hold(starmap(findings.mean_below, pairwise(chosen[::step])))
        return rising, _means(chosen)

    return holds


def _grows(row: Row, which: int) -> Callable[[Laws], Finding]:
    """Decide that the means of one mechanism grow strictly along a row."""
    return _monotone(row, which, 1)


def _falls(row: Row, which: int) -> Callable[[Laws], Finding]:
    """Decide that the means of one mechanism fall strictly along a row."""
    return _monotone(row, which, -1)


def _winners(row: Row, expected: Callable[[list[Sign]], bool]) -> Callable[[Laws], Finding]:
    """Decide whether the winners along a row are as ``wanted``; POSITIVE is ours."""

    def holds(laws: Laws) -> Finding:
        signs = [findings.sign_of_gain(*laws[at]) for at in row]
        names = {Sign.POSITIVE: "ours", Sign.NEGATIVE: "Laplace"}
        text = ", ".join(names.get(sign, "?") for sign in signs)
        if Sign.UNDECIDED in signs:
            return PrintedOutcome.UNDECIDED, text
        return findings.fulfilled(expected(signs)), f"ahead: {text}"

    return holds


def _changes_once(row: Row, first: Sign) -> Callable[[Laws], Finding]:
    """Decide that the winner changes exactly once along a row, from ``first``."""
    return _winners(
        row, lambda signs: signs[0] is first and sum(a is not b for a, b in pairwise(signs)) == 1
    )


def _text(at: Setting) -> str:
    return f"({','.join(map(str, at.dataset))})"


def _prior_text(at: Setting) -> str:
    return f"({','.join(map(str, at.prior))})"


_DIMENSIONS = (2, 3, 4)
_PER_CATEGORY = range(1, 8)
_DRAWN_PER_CATEGORY = (1, 2, 4, 5, 6)


def reproduce_dimensions() -> Item:
    """Return the errors by dimension and data size (Fig. 7)."""
    rows = {k: [Setting((c,) * k) for c in _PER_CATEGORY] for k in _DIMENSIONS}
    columns = {c: [row[c - 1] for row in rows.values()] for c in _PER_CATEGORY}
    statements: list[Statement] = [
        (
            f"{c} record(s) a category: the error of {name} grows with the dimension, k = 2, 3, 4",
            _grows(column, which),
        )
        for c, column in columns.items()
        for which, name in ((_OURS, "ours"), (_LAPLACE, "Laplace"))
    ]
    statements += [
        (
            f"k = {k}: Laplace beats ours as the data size grows (1 to 7 records a category)",
            _changes_once(row, Sign.POSITIVE),
        )
        for k, row in rows.items()
    ]
    statements += [
        (
            f"{c} record(s) a category: who is ahead is not affected by the dimension",
            _winners(column, lambda signs: len(set(signs)) == 1),
        )
        for c, column in columns.items()
    ]
    settings = [at for row in rows.values() for at in row]
    drawn = {_text(at): at for at in settings if at.dataset[0] in _DRAWN_PER_CATEGORY}
    return _item(
        "fig-7",
        "Hellinger error by dimension and data size",
        "N §4.3.2, Fig. 7",
        settings=settings,
        statements=statements,
        panels={"Uniform data, 2 to 4 dimensions": drawn},
        along="data",
        text=_text,
        remark="The notes do not list the data: 1 to 7 records in each of 2 to 4 categories.",
    )


_SIZES = (8, 10, 12, 20)


def reproduce_variance() -> Item:
    """Return the errors by data variance (Fig. 8)."""
    rows = {n: [Setting((c, n - c)) for c in range(n // 2 + 1)] for n in _SIZES}
    statements: list[Statement] = []
    for n, row in rows.items():
        name = f"n = {n}, from {_text(row[0])} to {_text(row[-1])}"
        statements += [
            (f"{name}: ours gets better as the data get uniform", _falls(row, _OURS)),
            (f"{name}: Laplace gets worse as the data get uniform", _grows(row, _LAPLACE)),
            (
                f"{name}: ours beats Laplace on the more uniform data",
                _changes_once(row, Sign.NEGATIVE),
            ),
        ]
    return _item(
        "fig-8",
        "Hellinger error by data variance",
        "N §4.3.3, Fig. 8",
        settings=chain(*rows.values()),
        statements=statements,
        panels={f"n = {n}": {_text(at): at for at in row} for n, row in rows.items()},
        along="data",
        text=_text,
        remark="The notes do not list the data: all data of 8, 10, 12 and 20 records, "
        "prior (1,1). What holds depends on the size.",
    )


_SCALES = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20)


def reproduce_prior() -> Item:
    """Return the errors by prior at the data [5,5,5] (Fig. 9)."""
    row = [Setting((5, 5, 5), (a, a, a)) for a in _SCALES]
    statements: list[Statement] = [
        (
            "at the prior (1,1,1) Laplace beats ours at [5,5,5]",
            _winners(row[:1], lambda signs: signs == [Sign.NEGATIVE]),
        ),
        ("ours gets better and better as the prior grows", _falls(row, _OURS)),
        (
            f"ours beats Laplace finally, priors (a,a,a), a = {', '.join(map(str, _SCALES))}",
            _changes_once(row, Sign.NEGATIVE),
        ),
    ]
    return _item(
        "fig-9",
        "Hellinger error by prior at [5,5,5]",
        "N §4.3.4, Fig. 9",
        settings=row,
        statements=statements,
        panels={"x = (5,5,5)": {_prior_text(at): at for at in row}},
        along="prior",
        text=_prior_text,
        remark="The notes do not list the priors: (a,a,a) with growing a.",
    )


_PRIORS = (1, 2, 4, 8, 16)
_DATA = {8: ((0, 8), (2, 6), (4, 4)), 20: ((0, 20), (5, 15), (10, 10))}


def reproduce_prior_variance() -> Item:
    """Return the errors by prior and data variance (Fig. 10)."""
    grids = {n: [[Setting(x, (a, a)) for x in data] for a in _PRIORS] for n, data in _DATA.items()}
    statements: list[Statement] = []
    for n, grid in grids.items():
        for row in grid:
            where, ends = f"n = {n}, prior {_prior_text(row[0])}", (row[0], row[-1])
            statements += [
                (
                    f"{where}: ours does better on uniform data than on edge data",
                    _falls(ends, _OURS),
                ),
                (
                    f"{where}: Laplace does better on edge data than on uniform data",
                    _grows(ends, _LAPLACE),
                ),
            ]
        for column in zip(*grid, strict=True):
            name = _text(column[0])
            statements += [
                (f"{name}: ours improves as the prior grows", _falls(column, _OURS)),
                (f"{name}: Laplace does not improve as the prior grows", _does_not_improve(column)),
                (
                    f"{name}: ours improves by a larger factor than Laplace as the prior grows",
                    _improves_more(column),
                ),
            ]
    rows = {n: list(chain(*grid)) for n, grid in grids.items()}
    return _item(
        "fig-10",
        "Hellinger error by prior and data variance",
        "N §4.3.5, Fig. 10",
        settings=chain(*rows.values()),
        statements=statements,
        panels={
            f"{n} records": {f"{_prior_text(at)}\n{_text(at)}": at for at in row}
            for n, row in rows.items()
        },
        along="prior, data",
        text=lambda at: f"{_prior_text(at)} {_text(at)}",
        remark="The notes list neither priors nor data, and the caption of Fig. 10 repeats that of "
        "Fig. 2; taken: priors (a,a), a = 1 to 16, and 8 and 20 records. That Laplace noise is "
        "not “improving continuously and significantly” is read in two ways: its error does "
        "not get smaller, and it gets smaller by a smaller factor than ours.",
    )


def _improves_more(column: Row) -> Callable[[Laws], Finding]:
    """Decide that our mean falls by a larger factor than Laplace's, between the end priors."""

    def holds(laws: Laws) -> Finding:
        (ours_first, other_first), (ours_last, other_last) = laws[column[0]], laws[column[-1]]

        def gain() -> Ball:
            bits = working_precision()
            product = ours_last.mean_ball(bits) * other_first.mean_ball(bits)
            return ours_first.mean_ball(bits) * other_last.mean_ball(bits) - product

        ours, laplace = (
            first.mean().midpoint / last.mean().midpoint
            for first, last in ((ours_first, ours_last), (other_first, other_last))
        )
        text = f"factors {ours:.3g} (ours), {laplace:.3g} (Laplace)"
        return findings.outcome_of(decide_sign(gain, start=96, cap=768)), text

    return holds


def _does_not_improve(column: Row) -> Callable[[Laws], Finding]:
    """Decide that Laplace's mean is not smaller at the largest prior than at the smallest."""

    def holds(laws: Laws) -> Finding:
        chosen = [laws[at][_LAPLACE] for at in column]
        return findings.mean_below(chosen[0], chosen[-1]), _means(chosen)

    return holds
