"""The realised ε of EHDS over all pairs from dp-accounting's privacy-loss distributions.

The laws come from plain NumPy; of every pair a privacy-loss distribution is made, both directions,
its losses rounded up to multiples of 10⁻⁶, and asked for the ε at which δ is 0.
"""

import argparse
import json
import math
import time

import numpy as np

from tests.benchmarks.scripts.numpy_audit import Floats, histograms, neighbours, smoothed_factors

DISCRETISATION = 1e-6


def realised_epsilon(n: int, k: int, lgamma: Floats) -> float:
    """Return the largest ε over all pairs; ``lgamma`` holds lnΓ(1 + j/2) for j up to 2n."""
    from dp_accounting.pld.privacy_loss_distribution import from_two_probability_mass_functions

    counts = histograms(n, k)
    half = lgamma[2 * counts].sum(axis=1) / 2
    pairs = neighbours(n, k, counts)
    factors = smoothed_factors(counts, half, pairs, lgamma)
    exponent = -half[:, None] - half
    for i in range(k):
        exponent += lgamma[counts[:, i, None] + counts[:, i]]
    log_laws = -factors[:, None] * np.sqrt(-np.expm1(np.minimum(exponent, 0)))
    log_laws -= np.log(np.exp(log_laws).sum(axis=1, keepdims=True))
    laws = [dict(enumerate(row)) for row in log_laws.tolist()]
    ranks = np.arange(len(counts))
    largest: float = max(
        from_two_probability_mass_functions(
            laws[x], laws[y], value_discretization_interval=DISCRETISATION, symmetric=False
        ).get_epsilon_for_delta(0.0)
        for left, right in pairs
        for x, y in zip(ranks[left], ranks[right], strict=True)
    )
    return largest


def main() -> None:
    """Audit the sizes of the command line and print what was found."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--k", type=int, default=2)
    parser.add_argument("--sizes", required=True)
    asked = parser.parse_args()
    sizes = [int(size) for size in asked.sizes.split(",")]
    import dp_accounting.pld.privacy_loss_distribution  # noqa: F401  (before the clock starts)

    began = time.perf_counter()
    lgamma = np.array([math.lgamma(1 + j / 2) for j in range(2 * max(sizes) + 1)])
    values = [realised_epsilon(n, asked.k, lgamma) for n in sizes]
    compute = time.perf_counter() - began
    print(json.dumps({"compute": compute, "values": [repr(value) for value in values]}))


if __name__ == "__main__":
    main()
