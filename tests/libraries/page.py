"""The page of the libraries: a table of all rows, and what shows each violation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.libraries.cases import Environment, Row

__all__ = ["written"]

_HEAD = """\
# Libraries that people install

Mechanisms and clients of libraries, each in the pinned version that is named, audited as they come
from the package index.  `python -m tests.libraries` makes an environment for each version, finds
every row in it and writes this page.  The call is what ran, with `x` for the input; *stated* is the
ε that the library promises for it.

* *as run*: explored as its Python code runs, [floats and all](as_run.md#as-it-runs); ε and δ are
  exact or enclosed.  *sampled*: [drawn from](samplers.md); ε and δ are lower bounds, wrong with a
  probability of 10⁻⁹ at most.  *read*: the violation was found by reading the library's code;
  dpaudit explored and sampled nothing, and the lines at the end of this page are the only evidence.
* *within*: the law keeps what is stated.  *exceeds*: it does not.  *granularity*: it does not, but
  by no more than the rounding of floats: as run, δ at the stated ε is at most 10⁻¹²; sampled, the
  event is about the last bits of the output, and the same number of draws, rounded to single
  precision, does not refute the stated ε.  *not refuted*
  proves nothing.  *vacuous*: the output is always the same.  *documented* before a note: the
  library says itself that the call does not keep its ε, so the excess is a documented limit of the
  library, not a fault that the audit discovered.
* The event: two inputs and the output with the largest loss between them, or an event and counts.

"""
_COLUMNS = ("library", "version", "call", "stated", "how", "realised ε", "δ at the stated ε",
            "verdict", "event")  # fmt: skip
_SHOWN = 100


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _code(text: str) -> str:
    return f"`{_cell(text)}`" if text else ""


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def _stated(text: str) -> str:
    if not text:
        return "-"
    epsilon, _, delta = text.partition(",")
    return f"ε = {epsilon}" + (f", δ ={delta}" if delta else "")


def _line(row: Row, number: int) -> str:
    event = _short(row.event) if row.verdict else f"none: {row.why}"
    note = f" ({row.note})" if row.note else ""
    verdict = f"**{row.verdict}** [{number}]" if row.script else row.verdict or "-"
    cells = (
        row.library, row.version, _code(row.call) + _cell(note), _stated(row.stated),
        row.how or "-", row.epsilon or "-", row.delta or "-", verdict, _cell(event) or "-",
    )  # fmt: skip
    return f"| {' | '.join(cells)} |"


def _lacking(environments: Sequence[Environment]) -> list[str]:
    """Return a line for every reason, which names may share, why there is no row."""
    found: dict[tuple[str, str], list[str]] = {}
    for one in environments:
        for pattern, reason in one.without.items():
            place = pattern.removeprefix(f"{one.package}.")
            found.setdefault((f"{one.library} {one.version}", reason), []).append(f"`{place}`")
    return [f"* {who}, {', '.join(names)}: {why}\n" for (who, why), names in found.items()]


def written(rows: Sequence[Row], environments: Sequence[Environment]) -> str:
    """Return the page."""
    lines = [f"| {' | '.join(_COLUMNS)} |", f"|{'---|' * len(_COLUMNS)}"]
    shown: list[Row] = []
    for row in rows:
        if row.script:
            shown.append(row)
        lines.append(_line(row, len(shown)))
    counts = Counter(row.verdict or "none" for row in rows)
    told = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
    said = sum(row.verdict == "exceeds" and row.note.startswith("documented: ") for row in rows)
    if said:
        told += f"; of those that exceed, {said} are documented"
    parts = [_HEAD, f"**In short.** {len(rows)} rows: {told}.\n\n", "\n".join(lines), "\n"]
    parts += [f"\n{one.name}: {one.note}\n" for one in environments if one.note]
    if lacking := _lacking(environments):
        parts.append("\n## What has no row\n\n")
        parts.append(
            "Every public class and function of these packages has a row, or is named here, by a "
            "pattern\nof its place: `python -m tests.libraries --coverage` reads their names and "
            "lists those that are neither.\n\n"
        )
        parts += lacking
    if unfollowed := [row for row in rows if row.how == "sampled" and row.why]:
        parts.append("\n## Why some rows are sampled\n\n")
        parts += [f"* `{row.call}`: {_short(row.why)}\n" for row in unfollowed]
    if shown:
        parts.append("\n## Each violation without dpaudit\n\n")
        parts.append(
            "The lines run in the environment of the library; what they printed is below.\n"
        )
    for number, row in enumerate(shown, 1):
        parts.append(f"\n### [{number}] {row.library} {row.version}, {_stated(row.stated)}\n\n")
        found = f"{row.epsilon} at {row.event}" if row.epsilon else row.event
        parts.append(f"{found}\n\n```text\n{row.script}\n```\n")
        parts.append(f"\n```text\n{row.printed}\n```\n" if row.printed else "")
    return "".join(parts)
