"""The package's own samplers, held to their laws by draws; and the same, moved by 0.01.

``python -m tests.sampling.conformance --write`` ends with 1 where one of them does not conform, or
a sampler that was moved is not told apart.
"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np

import dpaudit
from dpaudit import sampler
from tests.sampling import recorded

__all__ = ["CASES", "Case", "compared", "main", "moved"]


class Case(NamedTuple):
    """A mechanism, its size, and how many draws of each dataset it is given."""

    name: str
    n: int
    draws: int = 10**6
    given: tuple[tuple[str, str], ...] = ()


_MANY = 10**6
_FILTER = (("bits", "2"), ("hashes", "1"))
_LESS = (("epsilon", "3"),)
CASES = [
    *(Case(name, 1) for name in ("RR", "kRR", "SubsetSelection")),
    *(Case(name, 1, given=(("k", "2"),)) for name in ("SUE", "OUE")),
    *(Case(name, 1, given=_FILTER) for name in ("PermanentRAPPOR", "RAPPOR")),
    *(Case(name, 1) for name in ("Gaussian", "Laplace")),
    Case("TruncatedGeometric", 2),
    *(Case(name, 2, given=_LESS) for name in ("Geometric", "RoundedLaplace", "NotesLaplace",
      "NoisyHistogram")),
    Case("DiscreteLaplace", 2, given=(("scale", "1/2"),)),
    Case("DiscreteGaussian", 2, given=(("sigma", "1"),)),
    *(Case(name, 3) for name in ("LSZhang", "LSDim", "LSHist", "EHD", "EHDL", "EHDS", "MH")),
]  # fmt: skip


def _datasets(case: Case, mechanism: Any) -> list[Any]:
    """Return two datasets: neighbours, where it has any."""
    return list(next(iter(mechanism.adjacency().pairs(case.n))))


def moved(mechanism: Any, dataset: Any, share: float) -> tuple[list[Any], Any]:
    """Return outputs with their probabilities, ``share`` of the largest moved to the next one.

    Outputs that the mechanism's own sampler does not give in a few draws are left out.
    """
    law = mechanism.laws().law(dataset)
    seen = dict.fromkeys(mechanism.sample(dataset, 5_000, np.random.default_rng(3)))
    chances = {output: float(law.probability(output).ball) for output in seen}
    outputs = sorted(chances, key=lambda output: -chances[output])
    masses = np.array([chances[output] for output in outputs])
    masses[0] -= share
    masses[1] += share
    return outputs, masses / masses.sum()


def compared(case: Case, share: float = 0.0) -> Any:
    """Return the report of a sampler beside its law; ``share`` of probability is moved."""
    mechanism: Any = dpaudit.mechanism(case.name, **dict(case.given))

    datasets = _datasets(case, mechanism)
    shifted = {one: moved(mechanism, one, share) for one in datasets} if share else {}

    @sampler(datasets=datasets, neighbours="all", name=case.name)
    def drawing(dataset: Any, size: Any, rng: Any) -> Any:
        if not share:
            return mechanism.draw(dataset, size, rng)
        outputs, masses = shifted[dataset]
        return np.array(outputs)[rng.choice(len(outputs), size, p=masses)]

    return dpaudit.sample(drawing, against=mechanism, draws=case.draws).report


def main(arguments: list[str] | None = None) -> int:
    """Compare all samplers with their laws."""
    parser = recorded.parser(__doc__)
    parser.add_argument("names", nargs="*")
    asked = parser.parse_args(arguments)
    rows, kept = [], True
    for case in CASES:
        if asked.names and case.name not in asked.names:
            continue
        same = compared(case)
        other = (
            compared(case._replace(draws=_MANY), 0.01) if not same.comparisons[0].binned else None
        )
        kept &= same.verdict == "conforms" and (other is None or other.verdict == "differs")
        worst = max(same.comparisons, key=lambda one: float(one.distance))
        told = f"{worst.outputs} bins" if worst.binned else str(worst.outputs)
        least = min(same.comparisons, key=lambda one: float(one.p_value))
        apart = (
            "-" if other is None else f"{other.verdict.value}, p ≤ {other.comparisons[0].p_value}"
        )
        rows.append((case.name, case.draws, told, least.p_value, worst.distance,
                     same.verdict.value, apart))  # fmt: skip
        print(*rows[-1], flush=True)
    if asked.write:
        head = ("mechanism", "draws of a dataset", "outputs", "p-value at most",
                "distance at most", "verdict", "moved by 0.01, 10⁶ draws")  # fmt: skip
        recorded.record("conformance", recorded.table(head, rows))
    return int(not kept)


if __name__ == "__main__":
    sys.exit(main())
