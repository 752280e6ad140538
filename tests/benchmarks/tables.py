"""The tables of a run, as Markdown."""

from __future__ import annotations

import os
import platform
import re
from importlib.metadata import version
from math import comb
from typing import TYPE_CHECKING

from tests.benchmarks.methods import METHODS
from tests.benchmarks.running import COMMAND, COMMAND_PLOTTED, PLOTTED, SMALLEST, VERSION

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.benchmarks.methods import Case
    from tests.benchmarks.running import Found, Outcome

__all__ = ["document", "headline_table", "replace_table"]

BEGIN, END = "<!-- benchmark: begin -->", "<!-- benchmark: end -->"

_SHOWN = ("mpmath", "balls", "pld", "numpy", "dpaudit")
_LIBRARIES = ("numpy", "matplotlib", "mpmath", "python-flint", "dp-accounting")


def document(outcome: Outcome) -> str:
    """Return all tables."""
    return (
        "\n\n".join(
            [
                "# What a certificate costs",
                f"Made by `python -m tests.benchmarks`, in one run. {_machine()} Every time is the "
                f"least of {outcome.programme.rounds} taken in turn (growth: of "
                f"{outcome.programme.growth_rounds}; processes of {outcome.programme.long:g} s and "
                "more: of one); the machine was not idle. Memory is the "
                "largest resident set. The work is the realised ε of EHDS (ε = 4/5, flat prior, "
                "γ = 1) over all pairs of neighbours, both directions, every output; every answer "
                "was held against the certified interval in the same run.",
                f"## The sweep, {outcome.sweep.case}",
                headline_table(outcome),
                "## Targets",
                _targets(outcome),
                "## Growth: the whole process",
                _growth_whole(outcome.growth),
                "## Growth: the computation alone",
                _growth_compute(outcome.growth),
                "## What bounds it now",
                _phases(outcome),
                *(_rooms(case, rooms) for case, rooms in outcome.rooms),
            ]
        )
        + "\n"
    )


def _machine() -> str:
    libraries = ", ".join(f"{name} {version(name)}" for name in _LIBRARIES)
    return (
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
        f"{libraries}."
    )


def headline_table(outcome: Outcome) -> str:
    """Return the table of the sweep."""
    found = outcome.sweep
    unit = found.runs["numpy"]
    plotted = found.runs[PLOTTED]
    command, command_plotted = outcome.commands[COMMAND], outcome.commands[COMMAND_PLOTTED]
    rows = []
    for key in _SHOWN:
        run = found.runs[key]
        label = METHODS[key].label
        whole = command if key == "dpaudit" else run
        if key == "dpaudit":
            label = f"**`dpaudit check`**, {label}"
        assert run.compute is not None
        assert unit.compute is not None
        rows.append(
            [
                label,
                _seconds(whole.wall),
                _times(whole.wall / unit.wall),
                _seconds(run.compute),
                _times(run.compute / unit.compute),
                f"{whole.peak:.0f} MiB",
                _distance(key, found.worst[key]),
            ]
        )
    for label, run in (
        ("plain NumPy, and the plot", plotted),
        ("**`dpaudit check`**, and the plot", command_plotted),
    ):
        ratio = _times(run.wall / unit.wall)
        rows.append([label, _seconds(run.wall), ratio, "", "", f"{run.peak:.0f} MiB", ""])
    header = ["way", "process", "÷ NumPy", "computation", "÷ NumPy", "memory", "off by at most"]
    return _table(header, rows)


def _distance(key: str, worst: float) -> str:
    if key == "dpaudit":
        return "certified to 10⁻¹²"
    return "overlaps everywhere" if key == "balls" else _error(worst)


def _error(worst: float) -> str:
    return f"{abs(worst):.0e}" if worst else "0"


def _targets(outcome: Outcome) -> str:
    commands, runs = outcome.commands, outcome.sweep.runs
    screen, plain = outcome.screen.runs["floats"], outcome.screen.runs["numpy"]
    assert screen.compute is not None
    assert plain.compute is not None
    plotted = commands[COMMAND_PLOTTED].wall
    case = outcome.sweep.case
    lines = [
        (
            f"`check`, {case}, with the plot ÷ plain NumPy with it",
            plotted / runs[PLOTTED].wall,
            1.2,
        ),
        ("mpmath ÷ that `check`, at least", runs["mpmath"].wall / plotted, -50),
        ("without the plot, seconds", commands[COMMAND].wall, 1),
        (
            f"the screen alone ÷ plain NumPy, {outcome.screen.case}",
            screen.compute / plain.compute,
            3,
        ),
        (f"`{VERSION}`, seconds", commands[VERSION].wall, 0.2),
        (f"`{SMALLEST}`, seconds", commands[SMALLEST].wall, 0.6),
    ]
    rows = []
    for label, value, limit in lines:
        met = value >= -limit if limit < 0 else value <= limit
        rows.append([label, f"{value:.2g}", f"{abs(limit):g}", "met" if met else "**missed**"])
    return _table(["what", "measured", "limit", ""], rows)


def _growth_whole(growth: Sequence[Found]) -> str:
    header = ["case", "histograms", "pairs", *_SHOWN, "memory: NumPy", "dpaudit", "NumPy off by"]
    rows = []
    for found in growth:
        k, n = found.case.k, found.case.sizes[0]
        runs = found.runs
        rows.append(
            [
                str(found.case),
                str(comb(n + k - 1, k - 1)),
                str(comb(n + k - 2, k - 1) * comb(k, 2)),
                *(_seconds(runs[key].wall) if key in runs else "–" for key in _SHOWN),
                *(f"{runs[k].peak:.0f} MiB" if k in runs else "–" for k in ("numpy", "dpaudit")),
                _error(found.worst["numpy"]) if "numpy" in runs else "–",
            ]
        )
    return (
        _table(header, rows)
        + "\n\n–: not tried, as it takes minutes or gigabytes. The columns are those of the first "
        "table: " + ", ".join(f"{key}: {METHODS[key].label}" for key in _SHOWN) + "."
    )


def _growth_compute(growth: Sequence[Found]) -> str:
    rows = []
    for found in growth:
        times = {key: run.compute for key, run in found.runs.items()}
        unit = times.get("numpy")
        row = [str(found.case), _seconds(unit) if unit else "–"]
        for key in ("floats", "dpaudit", "balls", "pld", "mpmath"):
            spent = times.get(key)
            if spent is None:
                row.append("–")
            else:
                row.append(_times(spent / unit) if unit else _seconds(spent))
        rows.append(row)
    header = ["case", "plain NumPy", "screen alone", "screen and certify", "balls", "pld", "mpmath"]
    return _table(header, rows) + (
        "\n\nMultiples of plain NumPy's time, where there is one. The screen looks at one output "
        "of each permutation orbit (half of them for k = 2), the plain script at all."
    )


def _phases(outcome: Outcome) -> str:
    whole = outcome.commands[COMMAND_PLOTTED].wall
    shares = dict(outcome.phases)
    shares["start and end of the interpreter, reading options"] = max(
        0.0, whole - sum(shares.values())
    )
    rows = [[name, _seconds(spent), f"{spent / whole:.0%}"] for name, spent in shares.items()]
    return f"`dpaudit check EHDS`, {outcome.sweep.case}, with the plot:\n\n" + _table(
        ["step", "time", "share"], rows
    )


def _rooms(case: Case, rooms: dict[str, float]) -> str:
    total = sum(rooms.values())
    largest = sorted(rooms.items(), key=lambda item: -item[1])[:8]
    rows = [[f"`{name}`", f"{spent / total:.0%}"] for name, spent in largest]
    return (
        f"The audit of {case} by module, library calls counted with their callers, "
        "those of libraries by libraries as elsewhere "
        f"(under a profiler, which makes Python dearer than it is):\n\n"
    ) + _table(["module", "share"], rows)


def _seconds(seconds: float) -> str:
    if seconds >= 100:
        return f"{seconds:.0f} s"
    return f"{seconds:.3g} s" if seconds >= 0.1 else f"{1000 * seconds:.2g} ms"


def _times(ratio: float) -> str:
    return f"{ratio:.0f}×" if ratio >= 10 else f"{ratio:.2g}×"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    rules = ["---", *["---:"] * (len(header) - 1)]
    return "\n".join(f"| {' | '.join(line)} |" for line in (header, rules, *rows))


def replace_table(text: str, table: str) -> str:
    """Return ``text`` with what stands between the two marks replaced by ``table``.

    Raises ``ValueError`` if the marks are not there once.
    """
    pattern = f"{re.escape(BEGIN)}\n.*?{re.escape(END)}"
    changed, count = re.subn(
        pattern, lambda _: f"{BEGIN}\n\n{table}\n\n{END}", text, flags=re.DOTALL
    )
    if count != 1:
        raise ValueError(f"{BEGIN} … {END} stands {count} times in the text")
    return changed
