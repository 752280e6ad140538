"""False alarms and power of audits by canaries: ``python -m tests.benchmarks.canaries --write``.

Three tables go into ``docs/canaries_measured.md``: audits of trainings that leak nothing, audits of
Gaussian scores, and trainings whose μ is known.  ``--jax PYTHON`` is an interpreter that has
jax-privacy, whose strategies are tried on the same draws; without it their columns stay empty.
``--keep FOLDER`` keeps what is finished, and goes on from there.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from functools import partial
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

import dpaudit
from tests.benchmarks.borders import alarms, border
from tests.benchmarks.canary_draws import NULLS, gaussian_draws, null_draws
from tests.benchmarks.canary_trainings import epsilon_of_gaussian, random_training
from tests.benchmarks.measure import ROOT
from tests.benchmarks.steinke import epsilon_refuted
from tests.sampling import recorded

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.benchmarks.canary_draws import Draws

__all__ = ["FULL", "PAGE", "TINY", "Sizes", "allowed", "main", "null_table", "power_table"]

PAGE = ROOT / "docs" / "canaries_measured.md"
SEED = 20261128
LEVELS = (Fraction(1, 20), Fraction(1, 100))
NULL_DELTA, DELTA = Fraction(1, 10**9), Fraction(1, 100_000)
MUS = (1, 2, 4)
KINDS = ("nulls", "power", "trainings")
_JAX = ("Bonferroni", "Split", "MultiSplit", "f-DP Bonferroni", "f-DP Split")
_OTHERS = 5
"""One of so many audits of scores that are not normal is tried with those that take less long."""
_SCRIPT = ROOT / "tests" / "benchmarks" / "scripts" / "jax_auditing.py"

Row = dict[str, Any]


@dataclass(frozen=True)
class Sizes:
    """Sizes of the measurement."""

    nulls: Mapping[int, int]
    """Audits of trainings that leak nothing, by the number of canaries."""
    slow: int
    """One of so many audits is tried with the strategies that take long: on normal scores alone."""
    power: Mapping[int, int]
    """Audits with each μ, by the number of canaries."""
    trainings: int
    """Trainings whose μ is known."""


FULL = Sizes({1000: 10_000, 10_000: 2000}, 50, {1000: 100, 10_000: 50}, 200)
TINY = Sizes({60: 40}, 4, {60: 3}, 3)


def allowed(audits: int, level: float) -> float:
    """Return the level and three standard errors of a share of so many audits."""
    return level + 3 * float(np.sqrt(level * (1 - level) / audits))


def _of_jax(
    python: str | None, draws: Draws, delta: float, levels: list[float], audits: dict[str, int]
) -> Row:
    """Return the bounds of jax-privacy's strategies on so many of the draws; {} without it."""
    if python is None:
        return {}
    with TemporaryDirectory() as folder:
        path = Path(folder) / "draws.npz"
        most = max(audits.values())
        np.savez(path, scores=draws[0][:most], member=draws[1][:most])
        words = [python, str(_SCRIPT), str(path), "--delta", repr(delta)]
        for level in levels:
            words += ["--level", repr(level)]
        words += [f"{name}={count}" for name, count in audits.items()]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
    found: Row = json.loads(done.stdout)
    return found


def nulls(name: str, canaries: int, sizes: Sizes, python: str | None) -> list[Row]:
    """Return the shares of audits with a bound above 0, a row for each level."""
    audits = sizes.nulls[canaries]
    draws = null_draws(name, audits, canaries, SEED)
    if name == next(iter(NULLS)):
        counts = dict.fromkeys(_JAX, audits // sizes.slow) | dict.fromkeys(_JAX[:2], audits)
    else:
        counts = dict.fromkeys(_JAX[:2], audits // _OTHERS)
    levels = [float(level) for level in LEVELS]
    theirs = _of_jax(python, draws, float(NULL_DELTA), levels, counts)
    rows = []
    for level in LEVELS:
        found = alarms(draws, border(canaries, NULL_DELTA, level))
        shares = {"dpaudit": (float(np.mean(found)), audits)}
        for strategy, bounds in theirs.get("bounds", {}).items():
            above = np.array(bounds[repr(float(level))]) > 0
            shares[strategy] = (float(np.mean(above)), len(above))
        row: Row = {"scores": name, "m": canaries, "level": str(level), "shares": shares}
        rows.append(row | {"versions": theirs.get("versions", {})})
    return rows


def _bounds_of_one(scores: Any, member: Any) -> Row:
    """Return the mean-to-be bounds of dpaudit and of the formula in use on one audit."""
    canaries = len(scores)
    level, delta = LEVELS[0], DELTA
    given: Row = {"delta": str(delta), "level": str(level)}
    joint = dpaudit.canaries(scores, member, digits=6, **given).bounds[0]
    guesses = canaries // 10
    profile = dpaudit.canaries(scores, member, guesses=guesses, profile="mu=1", digits=6, **given)
    fixed = profile.report
    assert fixed.profile is not None
    mu = float(fixed.profile.bounds[0].mu.lower)
    shared = float(level) / len(joint.sizes)
    return {
        "all": float(joint.epsilon.lower),
        "Steinke, all": max(
            epsilon_refuted(canaries, one.guesses, one.right, float(delta), shared)
            for one in joint.sizes
        ),
        "m/10": float(fixed.bounds[0].epsilon.lower),
        "Steinke, m/10": epsilon_refuted(
            canaries, guesses, fixed.right, float(delta), float(level)
        ),
        "μ-GDP, m/10": epsilon_of_gaussian(mu, float(delta)) if mu else 0.0,
    }


def power(mu: int, canaries: int, sizes: Sizes, python: str | None) -> list[Row]:
    """Return the mean bounds for Gaussian scores, one row."""
    audits = sizes.power[canaries]
    draws = gaussian_draws(mu, audits, canaries, SEED)
    ours = [_bounds_of_one(*one) for one in zip(*draws, strict=True)]
    means = {name: float(np.mean([one[name] for one in ours])) for name in ours[0]}
    level = float(LEVELS[0])
    counts = dict.fromkeys(_JAX, audits) | {"MultiSplit": -(-audits // _OTHERS)}
    theirs = _of_jax(python, draws, float(DELTA), [level], counts)
    for strategy, bounds in theirs.get("bounds", {}).items():
        means[strategy] = float(np.mean(bounds[repr(level)]))
    row: Row = {"μ": mu, "m": canaries, "audits": audits, "means": means}
    return [row | {"versions": theirs.get("versions", {})}]


def trainings(sizes: Sizes) -> list[Row]:
    """Return how many bounds of trainings with a known μ are above the truth, one row."""
    given: Row = {"delta": str(DELTA), "level": str(LEVELS[0])}
    above = {"all": 0, "fixed": 0, "μ": 0}
    shares = []
    for seed in range(sizes.trainings):
        run = random_training(seed)
        truth = epsilon_of_gaussian(run.mu, float(DELTA))
        joint = dpaudit.canaries(run.scores, run.member, **given).bounds[0].epsilon
        fixed = dpaudit.canaries(
            run.scores, run.member, guesses=len(run.member) // 5, profile="mu=1", **given
        )
        assert fixed.report.profile is not None
        above["all"] += float(joint.lower) > truth
        above["fixed"] += float(fixed.bounds[0].epsilon.lower) > truth
        above["μ"] += float(fixed.report.profile.bounds[0].mu.lower) > run.mu
        shares.append(float(joint.lower) / truth)
    return [{"trainings": sizes.trainings, "above": above, "share": float(np.mean(shares))}]


def null_table(rows: list[Row]) -> str:
    """Return the table of false alarms; what is beyond the level and three errors is bold."""
    names = ["dpaudit", *(name for name in _JAX if any(name in row["shares"] for row in rows))]
    head = ["scores", "m", "audits", "level", "+ 3 errors", *names]
    lines = []
    for row in rows:
        level, audits = float(Fraction(row["level"])), row["shares"]["dpaudit"][1]
        line = [row["scores"], f"{row['m']:,}", f"{audits:,}", f"{level:.0%}"]
        line.append(f"{allowed(audits, level):.2%}")
        for name in names:
            share, count = row["shares"].get(name, (None, 1))
            text = "–" if share is None else f"{share:.2%}"
            line.append(f"**{text}**" if share and share > allowed(count, level) else text)
        lines.append(line)
    return recorded.table(head, lines)


def power_table(rows: list[Row]) -> str:
    """Return the table of mean bounds."""
    heads = {
        "all": "**dpaudit**",
        "Steinke, all": "Steinke, same counts",
        "m/10": "**dpaudit**, m/10 guesses",
        "Steinke, m/10": "Steinke, m/10 guesses",
    }
    heads |= {name: name for name in _JAX[:3]}
    heads |= {"μ-GDP, m/10": "**dpaudit**, μ-GDP, m/10 guesses"} | {n: n for n in _JAX[3:]}
    lines = [
        [row["μ"], f"{row['m']:,}", f"{epsilon_of_gaussian(row['μ'], float(DELTA)):.2f}"]
        + [f"{row['means'][name]:.3f}" if name in row["means"] else "–" for name in heads]
        for row in rows
    ]
    return recorded.table(["μ", "m", "true ε", *heads.values()], lines)


def run_table(rows: list[Row]) -> str:
    """Return the table of trainings with a known μ."""
    head = [
        "trainings",
        "level + 3 errors",
        "ε above the truth, all numbers of guesses",
        "ε above the truth, m/5 guesses",
        "μ above the truth",
        "mean ε bound ÷ truth",
    ]
    lines = [
        [
            row["trainings"],
            f"{allowed(row['trainings'], float(LEVELS[0])):.1%}",
            *row["above"].values(),
            f"{row['share']:.2f}",
        ]
        for row in rows
    ]
    return recorded.table(head, lines)


def _versions(rows: list[Row]) -> str:
    theirs: dict[str, str] = next((row["versions"] for row in rows if row.get("versions")), {})
    ours = {"dpaudit": dpaudit.__version__, "Python": python_version(), "numpy": version("numpy")}
    named = ", ".join(f"{name} {one}" for name, one in {**ours, **theirs}.items())
    return f"Measured {datetime.now(tz=UTC):%Y-%m-%d}, seed {SEED}: {named}."


def _measured(name: str, part: Callable[[], list[Row]], folder: Path | None) -> list[Row]:
    """Return the rows of a part, from the folder where they are kept if they are there."""
    path = None if folder is None else folder / f"{name}.json"
    if path is not None and path.exists():
        kept: list[Row] = json.loads(path.read_text())
        return kept
    rows = part()
    print(name, file=sys.stderr, flush=True)
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(rows))
    return rows


def main(arguments: list[str] | None = None) -> int:
    """Measure, and print the tables; 1 if dpaudit has more false alarms than it may."""
    parser = recorded.parser(__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--jax", metavar="PYTHON", help="an interpreter that has jax-privacy")
    parser.add_argument("--keep", type=Path, help="keep what is finished in this folder")
    parser.add_argument("--tiny", action="store_true", help="sizes too small to tell anything")
    parser.add_argument("kinds", nargs="*", default=KINDS, metavar="KIND", help=", ".join(KINDS))
    asked = parser.parse_args(arguments)
    sizes = TINY if asked.tiny else FULL
    parts: dict[str, Callable[[], list[Row]]] = {
        f"nulls {name} {m}".replace("/", " "): partial(nulls, name, m, sizes, asked.jax)
        for m in sizes.nulls
        for name in NULLS
    }
    parts |= {
        f"power {m} {mu}": partial(power, mu, m, sizes, asked.jax)
        for m in sizes.power
        for mu in MUS
    }
    parts["trainings"] = partial(trainings, sizes)
    found = {
        name: _measured(name, part, asked.keep)
        for name, part in parts.items()
        if name.split()[0] in asked.kinds
    }

    def of(kind: str) -> list[Row]:
        return [row for name, rows in found.items() if name.split()[0] == kind for row in rows]

    for kind, table in (("nulls", null_table), ("power", power_table), ("trainings", run_table)):
        if kind in asked.kinds:
            text = f"{table(of(kind))}\n\n{_versions(of(kind))}"
            print(f"{text}\n")
            if asked.write:
                recorded.record(kind, text, PAGE)
    return int(any(map(_alarms_too_often, of("nulls"))))


def _alarms_too_often(row: Row) -> bool:
    share, audits = row["shares"]["dpaudit"]
    return bool(share > allowed(audits, float(Fraction(row["level"]))))


if __name__ == "__main__":
    sys.exit(main())
