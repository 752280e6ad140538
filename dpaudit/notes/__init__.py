"""Code for the notes alone, discovered as another package's would be.

The mechanisms cite documents by their letters, which stand here.
"""

from __future__ import annotations

__all__ = ["NOTES"]

NOTES = {
    "N": '"Notes of DP - Bayesian Inference": M_H, its lemmas, accuracy, tables and figures',
    "L": "an earlier state of N in LaTeX, with another table and other Laplace formulas",
    "D": "a draft with Statements I to III and the dilation property of Laplace noise",
    "E": "another state of D",
    "A": "an accuracy draft: Algorithms 1 to 6 and Theorems 3.1 to 4.5",
}
"""The documents by letter; "A Alg. 6" is Algorithm 6 of document A."""
