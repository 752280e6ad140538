"""Bounds of jax-privacy on draws in a file; needs an interpreter that has jax-privacy.

Prints, as JSON, the bounds of each strategy at each level, and versions.
"""

import argparse
import json
from importlib.metadata import version
from typing import Any

import numpy as np


def main() -> None:
    """Audit the draws of the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("draws", help="an .npz file with the arrays scores and member")
    parser.add_argument("--delta", type=float, required=True)
    parser.add_argument("--level", type=float, action="append", required=True)
    parser.add_argument("strategies", nargs="+", metavar="NAME=AUDITS")
    asked = parser.parse_args()
    from jax_privacy import auditing

    auditor: Any = auditing.CanaryScoreAuditor
    plain, gaussian = auditor.epsilon_one_run, auditor.epsilon_one_run_fdp
    methods: dict[str, tuple[Any, Any]] = {
        "Bonferroni": (plain, lambda seed: auditing.Bonferroni()),
        "Split": (plain, lambda seed: auditing.Split(seed=seed)),
        "MultiSplit": (plain, lambda seed: auditing.MultiSplit(seed=seed)),
        "f-DP Bonferroni": (gaussian, lambda seed: auditing.Bonferroni()),
        "f-DP Split": (gaussian, lambda seed: auditing.Split(seed=seed)),
    }
    with np.load(asked.draws) as file:
        scores, member = file["scores"], file["member"]
    found: dict[str, dict[str, list[float]]] = {}
    for strategy in asked.strategies:
        name, audits = strategy.split("=")
        method, chosen = methods[name]
        found[name] = {
            repr(level): [
                float(
                    method(
                        auditor(row[inside], row[~inside]),
                        level,
                        asked.delta,
                        threshold_strategy=chosen(seed),
                    )
                )
                for seed, (row, inside) in enumerate(
                    zip(scores[: int(audits)], member, strict=False)
                )
            ]
            for level in asked.level
        }
    versions = {name: version(name) for name in ("jax-privacy", "numpy", "scipy")}
    print(json.dumps({"versions": versions, "bounds": found}))


if __name__ == "__main__":
    main()
