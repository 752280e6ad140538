"""Compare dp-accounting's δ(ε) with the certified one on many mechanism pairs.

python -m tests.accounting.compare            print the tables
python -m tests.accounting.compare --write    and keep them in tests/accounting/RESULTS.md
"""

import platform
import sys
from collections.abc import Sequence
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from dpaudit.numbers.enclosure import decimal_text
from dpaudit.questions.account.comparison import Standing, standing
from dpaudit.questions.account.report import difference_text, ratio_text
from dpaudit.report.table import markdown_table
from tests.accounting.cases import Case, Compared, cases

__all__ = ["RESULTS", "Line", "lines_of", "read_results", "render"]

RESULTS = Path(__file__).with_name("RESULTS.md")

_HEADER = ["pair", "constructor", "k", "ε", "certified from", "certified to", "pessimistic"]
_HEADER += ["ratio", "optimistic", "pessimistic is", "by"]


class Line(NamedTuple):
    """One line of the table, every cell as text."""

    title: str
    constructor: str
    runs: str
    epsilon: str
    lower: str
    upper: str
    pessimistic: str
    ratio: str
    optimistic: str
    standing: str
    difference: str


def lines_of(case: Case) -> list[Line]:
    """Run one case."""
    return [_line(case, compared) for compared in case.compare()]


def _line(case: Case, found: Compared) -> Line:
    return Line(
        case.title,
        case.constructor,
        str(case.runs),
        found.epsilon,
        decimal_text(found.certified.lower),
        decimal_text(found.certified.upper),
        repr(found.pessimistic),
        ratio_text(found.pessimistic, found.certified) or "–",
        repr(found.optimistic),
        standing(found.pessimistic, found.certified).value,
        difference_text(found.pessimistic, found.certified),
    )


def read_results() -> list[Line]:
    """Return the lines of the full table in the kept results."""
    text = RESULTS.read_text().partition("## Every pair")[2]
    rows = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("|")]
    return [Line(*(cell.strip() for cell in row)) for row in rows[2:]]


def render(lines: Sequence[Line]) -> str:
    """Return the report as Markdown."""
    below = [line for line in lines if line.standing == Standing.BELOW.value]
    above = [line for line in lines if _optimistic_is_above(line)]
    pairs = list(dict.fromkeys((line.title, line.constructor, line.runs) for line in lines))
    versions = ", ".join(
        f"{name} {version(name)}" for name in ("dp-accounting", "numpy", "scipy", "python-flint")
    )
    affected = len({(line.title, line.constructor, line.runs) for line in below})
    single = sum(line.runs == "1" for line in lines)
    parts = [
        "# dp-accounting's δ(ε) beside the certified one",
        f"Made by `python -m tests.accounting.compare --write`. {platform.machine()}, Python "
        f"{platform.python_version()}, {versions}. The certified interval is that of δ(ε) over "
        "all pairs of neighbours of the mechanism (or of the pair that the constructor is about), "
        "after k runs; the estimates are for the pair that is the worst there. dp-accounting is "
        "asked at the largest float that is not above ε, so no estimate is wronged by the "
        "rounding of ε. Every float is taken exactly. Losses are in steps of 10⁻⁴ unless said "
        "otherwise.",
        f"{len(pairs)} mechanism pairs, {len(lines)} comparisons. At {len(below)} of them, on "
        f"{affected} pairs, the pessimistic estimate is below the certified lower bound. After one "
        f"run (of {single} comparisons) {_worst(below, single=True)}; after several "
        f"{_worst(below, single=False)}. At {len(above)} comparisons the optimistic estimate is "
        "above the certified upper bound.",
        "## Where the pessimistic estimate is below the certified lower bound",
        _table(below) if below else "Nowhere.",
        "## Where the optimistic estimate is above the certified upper bound",
        _table(above) if above else "Nowhere.",
        "## Every pair",
        _table(lines),
    ]
    return "\n\n".join(part.rstrip() for part in parts) + "\n"


def _optimistic_is_above(line: Line) -> bool:
    return Fraction(float(line.optimistic)) > Fraction(line.upper)


def _worst(below: Sequence[Line], *, single: bool) -> str:
    """Return in words how many estimates are below, and by how much at most."""
    chosen = [line for line in below if (line.runs == "1") is single]
    if not chosen:
        return "none is below"
    most = max(-float(line.difference) for line in chosen)
    relative = max(-float(line.difference) / float(line.lower) for line in chosen)
    return f"{len(chosen)} are below, by at most {most:.2g}, at most {relative:.2g} of the value"


def _table(lines: Sequence[Line]) -> str:
    return markdown_table(_HEADER, [list(line) for line in lines])


def main(arguments: list[str]) -> int:
    """Print the report, and keep it if asked to."""
    lines: list[Line] = []
    for case in cases():
        if sys.stderr.isatty():
            print(case.title, case.runs, file=sys.stderr)
        lines += lines_of(case)
    report = render(lines)
    if "--write" in arguments:
        RESULTS.write_text(report)
    print(report, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
