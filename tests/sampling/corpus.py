"""DP-Sniper's programs as black boxes: what is certified, the truth, and what can be at best.

``python -m tests.sampling.corpus --write`` audits each from 10⁵, 10⁶ and 10⁷ draws of a dataset;
the truths are those of ``docs/programs_corpus.md``.  It ends with 1 where a lower bound lies above
one, or where from 10⁶ draws fewer than two rows in three come to 80 % of what the best event known
in advance would certify from as many.  ``--learned`` chooses among learned scores as well.
"""

from __future__ import annotations

import json
import re
import sys
import time
from math import inf, log
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit import sampler
from dpaudit.sampling.audit import audit_pairs
from dpaudit.sampling.draws import Source
from dpaudit.sampling.joint import Counts, JointTest, orders
from tests.programs.corpus.__main__ import OPEN, ROWS
from tests.sampling import recorded
from tests.sampling.blackboxes import BOXES, Box

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["ALPHA", "best_known", "certified", "main", "truth"]

ALPHA = 1e-9
_REFERENCE = 100_000
_LEAST = 60
"""Events that fewer of the reference draws are in are not looked at."""
_HELD = 1_000_000
_PAGE = Path(__file__).parents[2] / "docs" / "programs_corpus.md"


def truth(name: str) -> str:
    """Return the certified ε of a program as the page of the programs says it."""
    if name in OPEN:
        return "open"
    (line,) = (one for one in _PAGE.read_text().splitlines() if one.startswith(f"| {name} | 1 |"))
    return line.split("|")[3].strip()


def _upper(told: str) -> float:
    """Return a number that the truth does not exceed."""
    found = re.findall(r"inf|\d+(?:\.\d+)?", told)
    return float(found[-1]) if found and told != "open" else inf


def _published(name: str) -> str:
    return next((row.published for row in ROWS if row.name == name), "0.2521 (2125 s)")


def certified(box: Box, draws: int, *, learned: bool = False) -> tuple[float, float]:
    """Return the lower bound of ε, and how many seconds of processor time it took."""
    datasets = list(dict.fromkeys(one for pair in box.pairs for one in pair))
    pairs = [(datasets.index(x), datasets.index(y)) for x, y in box.pairs]

    @sampler(datasets=datasets, neighbours=box.pairs, name=box.name)
    def drawing(dataset: Any, size: Any, rng: Any) -> Any:
        return box.draw(dataset, size, rng)

    start = time.process_time()
    source = Source(drawing, datasets, 0)
    source.reproducible()
    found = audit_pairs(source, pairs, draws, ALPHA, 0.0, learned=learned)
    lower = JointTest(found.counts, ALPHA, "epsilon", 0.0).bound()
    return max(lower, 0.0), time.process_time() - start


def best_known(box: Box, draws: int) -> float:
    """Return what the best event would certify, were it known: all draws counted, as expected.

    Events are sets of outputs above a likelihood ratio, P and Q = E[e^−L] from reference draws.
    """
    assert box.density is not None
    best = (-inf, 0, 0)
    kappa = log(1 / ALPHA)
    for pair in box.pairs:
        for x, y in (pair, pair[::-1]):
            drawn = box.draw(x, _REFERENCE, np.random.default_rng(1))
            with np.errstate(invalid="ignore"):
                ratios = np.nan_to_num(box.density(x, drawn) - box.density(y, drawn), nan=0.0)
            ratios = np.sort(ratios)[::-1]
            ends = np.append(np.flatnonzero(np.diff(ratios) < -1e-12), len(ratios) - 1)
            ends = ends[ends >= _LEAST]
            ends = ends[np.unique(np.linspace(0, len(ends) - 1, 2000).astype(int))]
            p = (ends + 1) / _REFERENCE
            q = np.minimum(np.cumsum(np.exp(-ratios))[ends] / _REFERENCE, p)
            first, second = np.round(p * draws), np.round(q * draws)
            found = orders(draws, (first, second), kappa, "epsilon", 0.0)
            at = int(found.argmax())
            best = max(best, (float(found[at]), int(first[at]), int(second[at])))
    return max(JointTest(Counts(draws, *best[1:]), ALPHA, "epsilon", 0.0).bound(), 0.0)


def _measured(box: Box, draws: int, *, learned: bool) -> dict[str, Any]:
    lower, seconds = certified(box, draws, learned=learned)
    return {"name": box.name, "draws": draws, "learned": learned, "lower": lower,
            "best": best_known(box, draws), "seconds": seconds}  # fmt: skip


def _shown(told: str, rows: Sequence[dict[str, Any] | None]) -> list[str]:
    """Return the cells of one number of draws each; those that were not run are dashes."""
    cells = []
    for row in rows:
        if row is None:
            cells += ["-"] * 3
            continue
        share = row["lower"] / row["best"] if row["best"] else 1.0
        above = row["lower"] > _upper(told)
        cells += [f"{row['lower']:.4f}{' (above)' * above}", f"{row['best']:.4f}", f"{share:.0%}"]
    return cells


def main(arguments: list[str] | None = None) -> int:
    """Audit the programs and say what was certified."""
    parser = recorded.parser(__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--draws", default="1e5,1e6,1e7")
    parser.add_argument("--learned", action="store_true", help="with learned scores")
    parser.add_argument("--resume", type=Path, help="keep what is done in this file")
    parser.add_argument("--kept", action="store_true", help="run nothing, show what is kept")
    asked = parser.parse_args(arguments)
    sizes = [int(float(one)) for one in asked.draws.split(",")]
    kept: dict[Any, Any] = {}
    if asked.resume is not None and asked.resume.exists():
        lines = map(json.loads, asked.resume.read_text().splitlines())
        kept = {(one["name"], one["draws"], one["learned"]): one for one in lines}
    boxes = [box for box in BOXES if not asked.names or box.name in asked.names]
    for draws in sizes:
        for box in boxes:
            place = box.name, draws, asked.learned
            if place in kept or asked.kept:
                continue
            kept[place] = _measured(box, draws, learned=asked.learned)
            print(kept[place], flush=True)
            if asked.resume is not None:
                with asked.resume.open("a") as file:
                    file.write(json.dumps(kept[place]) + "\n")
    rows: list[tuple[str, ...]] = []
    summaries, above, enough = [], 0, True
    for box in boxes:
        found = [kept.get((box.name, draws, asked.learned)) for draws in sizes]
        told = truth(box.name)
        seconds = " + ".join("-" if one is None else f"{one['seconds']:.0f}" for one in found)
        rows.append((box.name, told, *_shown(told, found), _published(box.name), seconds))
    for index, draws in enumerate(sizes):
        cells = [row[2 + 3 * index : 5 + 3 * index] for row in rows]
        shares = [int(share.rstrip("%")) for _, _, share in cells if share != "-"]
        above += sum("above" in lower for lower, _, _ in cells)
        good = sum(share >= 80 for share in shares)
        enough &= draws != _HELD or 3 * good >= 2 * len(shares)
        if shares:
            summaries.append(
                f"At {draws:,} draws, the bound of {good} of {len(shares)} rows is at least 80 % "
                "of that of the best event known."
            )
    summary = "\n".join([*summaries, f"Of the lower bounds {above or 'none'} lie above the truth."])
    head = ["program", "truth"]
    for draws in sizes:
        power = f"10^{round(log(draws, 10))}"
        head += [f"ε at least, {power} draws", "best event known", "share"]
    head += ["published: DP-Sniper; StatDP", "seconds"]
    said = f"{recorded.table(head, rows)}\n\n{summary}"
    print(said)
    if asked.write and not asked.learned:  # the page is of events that need no extra
        recorded.record("corpus", said)
    return int(bool(above) or not enough)


if __name__ == "__main__":
    sys.exit(main())
