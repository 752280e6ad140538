"""The documents that mechanisms are cited from, by their letters."""

from __future__ import annotations

import re

__all__ = ["NOTES", "letters_in"]

NOTES = {
    "N": '"Notes of DP - Bayesian Inference": M_H, its lemmas, accuracy, tables and figures',
    "L": "an earlier state of N in LaTeX, with another table and other Laplace formulas",
    "D": "a draft with Statements I to III and the dilation property of Laplace noise",
    "E": "another state of D",
    "A": "an accuracy draft: Algorithms 1 to 6 and Theorems 3.1 to 4.5",
}
"""The documents by letter; "A Alg. 6" is Algorithm 6 of document A."""


def letters_in(text: str) -> list[str]:
    """Return the letters that ``text`` cites, in the order of :data:`NOTES`.

    >>> letters_in("the tables of N §3.4.1, and as L prints it")
    ['N', 'L']
    """
    cited = set(re.findall(r"\b([NLDEA])(?= §| Alg| Fig| Def| Thm| Lemma|,? prints|\)|;|$)", text))
    return [letter for letter in NOTES if letter in cited]
