"""The field's words for mechanisms that reports know by other names."""

from __future__ import annotations

__all__ = ["WORDS_OF_MECHANISMS", "same_mechanism"]

_WORDS = {
    "RR": "randomised-response randomized-response RandomizedResponse RandomisedResponse Warner",
    "kRR": "GRR k-RR generalised-randomised-response generalized-randomized-response "
    "direct-encoding",
    "SUE": "symmetric-unary-encoding basic-RAPPOR",
    "OUE": "optimised-unary-encoding optimized-unary-encoding",
    "SubsetSelection": "subset-selection k-subset",
    "HadamardResponse": "hadamard-response hr",
    "OLH": "optimised-local-hashing optimized-local-hashing optimal-local-hashing",
    "BLH": "binary-local-hashing",
    "Geometric": "two-sided-geometric",
    "NoisyHistogram": "noisy-histogram",
    "DiscreteGaussian": "discrete-gaussian",
    "DiscreteLaplace": "discrete-laplace",
    "ExponentialMechanism": "exponential-mechanism",
    "PermuteAndFlip": "permute-and-flip",
    "RNMLaplace": "report-noisy-max noisy-max",
    "AboveThreshold": "above-threshold sparse-vector sparse-vector-technique",
}
WORDS_OF_MECHANISMS = {word: name for name, words in _WORDS.items() for word in words.split()}
"""The name by each word."""

_NAMES = {word.lower(): name for word, name in WORDS_OF_MECHANISMS.items()}


def same_mechanism(word: str, name: str) -> bool:
    """Tell whether a word, in any case, stands for the mechanism of the package with this name.

    >>> same_mechanism("grr", "kRR"), same_mechanism("KRR", "kRR"), same_mechanism("RR", "kRR")
    (True, True, False)
    """
    return _NAMES.get(word.lower(), word).lower() == name.lower()
