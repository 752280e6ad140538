"""DP-Sniper's programs as black boxes: what is certified, the truth, and what can be at best.

``python -m tests.sampling.corpus --write`` audits each from 10⁵ and 10⁶ draws of a dataset; the
truths are those of ``docs/programs_corpus.md``.  It ends with 1 where a lower bound lies above one,
or where fewer than two rows in three come to 80 % of what the best event known in advance would
certify from as many draws.
"""

from __future__ import annotations

import json
import re
import sys
import time
from math import inf, log
from pathlib import Path
from typing import Any

import numpy as np

import dpaudit
from dpaudit import sampler
from dpaudit.sampling.joint import Counts, JointTest, orders
from tests.programs.corpus.__main__ import OPEN, ROWS
from tests.sampling import recorded
from tests.sampling.blackboxes import BOXES, Box

__all__ = ["ALPHA", "best_known", "certified", "main", "truth"]

ALPHA = 1e-9
_REFERENCE = 100_000
_LEAST = 60
"""Events that fewer of the reference draws are in are not looked at."""
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


def certified(box: Box, draws: int, jobs: int = 1) -> tuple[float, float]:
    """Return the lower bound of ε, and how many seconds of processor time it took."""
    datasets = list(dict.fromkeys(one for pair in box.pairs for one in pair))

    @sampler(datasets=datasets, neighbours=box.pairs, budget="1/10", name=box.name)
    def drawing(dataset: Any, size: Any, rng: Any) -> Any:
        return box.draw(dataset, size, rng)

    start = time.process_time()
    report = dpaudit.sample(drawing, draws=draws, error=str(ALPHA), jobs=jobs).report
    return float(report.epsilon or 0), time.process_time() - start


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


def _row(box: Box, sizes: list[int]) -> dict[str, Any]:
    found: dict[str, Any] = {"name": box.name, "seconds": 0.0}
    for draws in sizes:
        lower, seconds = certified(box, draws)
        found |= {f"{draws} lower": lower, f"{draws} best": best_known(box, draws)}
        found["seconds"] += seconds
    return found


def main(arguments: list[str] | None = None) -> int:
    """Audit the programs and say what was certified."""
    parser = recorded.parser(__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--draws", default="1e5,1e6")
    parser.add_argument("--resume", type=Path, help="keep the rows that are done in this file")
    asked = parser.parse_args(arguments)
    sizes = [int(float(one)) for one in asked.draws.split(",")]
    kept: dict[str, Any] = {}
    if asked.resume is not None and asked.resume.exists():
        lines = map(json.loads, asked.resume.read_text().splitlines())
        kept = {one["name"]: one for one in lines}
    rows, above, good = [], 0, 0
    for box in BOXES:
        if asked.names and box.name not in asked.names:
            continue
        if box.name not in kept:
            kept[box.name] = _row(box, sizes)
            if asked.resume is not None:
                with asked.resume.open("a") as file:
                    file.write(json.dumps(kept[box.name]) + "\n")
        found, told = kept[box.name], truth(box.name)
        cells = []
        for draws in sizes:
            lower, best = found[f"{draws} lower"], found[f"{draws} best"]
            above += lower > _upper(told)
            share = lower / best if best else 1.0
            cells += [f"{lower:.4f}", f"{best:.4f}", f"{share:.0%}"]
        good += share >= 0.8
        rows.append((box.name, told, *cells, _published(box.name), f"{found['seconds']:.0f}"))
        print(*rows[-1], flush=True)
    summary = f"At {sizes[-1]:,} draws {good} of {len(rows)} rows come to 80 % of the best event; "
    summary += f"{above or 'no'} lower bounds lie above the truth."
    print(summary)
    if asked.write:
        head = ["program", "truth"]
        for draws in sizes:
            power = f"10^{round(log(draws, 10))}"
            head += [f"ε at least, {power} draws", "best event known", "share"]
        head += ["published: DP-Sniper; StatDP", "seconds"]
        recorded.record("corpus", f"{recorded.table(head, rows)}\n\n{summary}")
    return int(bool(above) or 3 * good < 2 * len(rows))


if __name__ == "__main__":
    sys.exit(main())
