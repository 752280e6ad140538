"""Print certified figures beside published ones: python -m tests.programs.corpus.

``--short`` leaves out what takes more than about ten seconds.
"""

import sys
import time
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import dpaudit
from dpaudit.programs.program import Program
from tests.programs.corpus import printing
from tests.programs.corpus import programs as corpus

__all__ = ["ROWS", "Row", "certified", "main"]


class Row(NamedTuple):
    """One program at one size, with what was published of it."""

    suite: str
    name: str
    one: Program
    n: int
    published: str
    budget: Any = None
    long: bool = False


def _named(name: str, function: Any, n: Any, **fixed: Any) -> Program:
    def body(queries: tuple[int, ...], random: Any, eps: Fraction = corpus.TENTH) -> Any:
        return function(queries, random, eps, **fixed)

    body.__name__ = name
    return corpus.on_patterns(n)(body)


def _rows() -> Iterator[Row]:
    sniper = "dp-sniper"
    yield Row(sniper, "TruncatedGeometricMechanism", corpus.truncated_geometric, 1,
              "0.1156 (20 s); 0.1169 (1364 s)")  # fmt: skip
    for name, noise, seen in (
        ("ReportNoisyMax1", "laplace", "0.0925 (492 s); 0.0921 (456 s)"),
        ("ReportNoisyMax2", "exponential", "0.0979 (423 s); 0.0997 (454 s)"),
    ):
        yield Row(sniper, name, _named(name, corpus.noisy_max, 5, noise=noise), 1, seen)
    half = Fraction(1, 2)
    sparse = corpus.sparse_vector
    vectors: list[tuple[str, dict[str, Any], str]] = [
        ("SparseVectorTechnique1", {"threshold": half}, "0.0858 (126 s); 0.0298 (762 s)"),
        ("SparseVectorTechnique2", {"fresh": True}, "0.0859 (160 s); 0.0407 (832 s)"),
        ("SparseVectorTechnique4", {"rho": 4, "nu": Fraction(4, 3)},
         "0.1696 (815 s); 0.1719 (1002 s)"),
        ("SparseVectorTechnique5", {"nu": 0, "cutoff": 0}, "1.7612 (59 s); 14.3143 (725 s)"),
        ("SparseVectorTechnique6", {"nu": 2, "cutoff": 0}, "0.2720 (96 s); 0.3220 (1378 s)"),
    ]  # fmt: skip
    for name, fixed, seen in vectors:
        yield Row(sniper, name, _named(name, sparse, 10, **fixed), 1, seen, long=name[-1] == "6")
    yield from _printing()
    yield from _checkdp()
    yield from _checkdp_printing()
    yield from _dipapprox()


def _printing() -> Iterator[Row]:
    sniper, small, tenth = "dp-sniper", Fraction(1, 200), corpus.TENTH
    yield Row(sniper, "LaplaceMechanism",
              printing.on_counts("LaplaceMechanism", printing.laplace, tenth, "eps"), 1,
              "0.0976 (217 s); 0.0998 (409 s)")  # fmt: skip
    yield Row(sniper, "LaplaceParallel",
              printing.on_counts("LaplaceParallel", printing.parallel, small, "20*eps"), 1,
              "0.0350 (104 s); 0.0135 (5723 s)")  # fmt: skip
    ones = (1,) * 5
    bins = [(ones, (0, *ones[1:])), (ones, (2, *ones[1:]))]
    for name, fixed, seen in (
        ("NoisyHist1", {}, "0.0978 (38 s); 0.0994 (912 s)"),
        ("NoisyHist2", {"inverted": True}, "4.6020 (41 s); 10.0022 (1223 s)"),
    ):
        one = _named(name, printing.noisy_histogram, bins, **fixed)
        yield Row(sniper, name, one, 1, seen)
    for name, noise, seen in (
        ("ReportNoisyMax3", "laplace", "0.2488 (437 s); 0.1991 (567 s)"),
        ("ReportNoisyMax4", "exponential", "0.3534 (451 s); 0.1988 (559 s)"),
    ):
        yield Row(sniper, name, _named(name, printing.noisy_largest, 5, noise=noise), 1, seen)
    for name, function, seen in (
        ("SparseVectorTechnique3", printing.printed_above, "0.1822 (880 s); 0.1793 (6287 s)"),
        ("PrefixSum", printing.prefix_sums, "0.5774 (984 s); 0.3516 (3989 s)"),
        ("NumericalSVT", printing.numerical, "0.0345 (686 s)"),
        ("SVT34Parallel", printing.sparse_34, "0.2616 (1118 s); 0.1963 (28166 s)"),
    ):
        yield Row(sniper, name, _named(name, function, 10), 1, seen,
                  long=name in ("SVT34Parallel", "NumericalSVT", "SparseVectorTechnique3"))  # fmt: skip


def _checkdp_printing() -> Iterator[Row]:
    half = Fraction(1, 2)
    for name, function, fixed, seen, long in (
        ("badnoisymax", printing.noisy_largest, {}, "counterexample", False),
        ("numsparsevector", printing.numerical, {"cutoff": 1, "threshold": 0}, "proved", False),
        ("numsparsevector NN=2", printing.numerical, {"threshold": 0}, "proved", False),
        ("gapsparsevector", printing.gap, {}, "proved", False),
        ("badgapsparsevector", printing.gap, {"bad": True}, "counterexample", False),
        ("adaptivesparsevector", printing.adaptive, {}, "proved", True),
        ("badadaptivesparsevector", printing.adaptive, {"bad": True}, "counterexample", True),
    ):
        one = corpus.checkdp(name, function, half, **fixed)
        yield Row("CheckDP", name, one, 3, f"{seen} (at most 70 s)", long=long)
    for name, function, fixed, seen, budget in (
        ("smartsum", printing.smart_sum, {}, "proved", "2*eps"),
        ("badsmartsum", printing.smart_sum, {"bad": True}, "counterexample", "2*eps"),
        ("partialsum", printing.partial_sum, {}, "proved", "eps"),
        ("badpartialsum", printing.partial_sum, {"bad": True}, "counterexample", "eps"),
    ):
        one = printing.one_moved(name, function, half, budget, **fixed)
        yield Row("CheckDP", name, one, 3, f"{seen} (at most 70 s)")


def _checkdp() -> Iterator[Row]:
    shapes: list[tuple[str, Any, dict[str, Any], str]] = [
        ("noisymax", corpus.noisy_max, {}, "proved"),
        ("sparsevector", corpus.sparse_vector, {"threshold": 0}, "proved"),
        ("sparsevector NN=2", corpus.sparse_vector, {"threshold": 0, "cutoff": 2, "nu": 8},
         "proved"),
        ("badsparsevector1", corpus.sparse_vector, {"threshold": 0, "nu": 0, "cutoff": 0},
         "counterexample"),
        ("badsparsevector2", corpus.sparse_vector, {"threshold": 0, "nu": 2, "cutoff": 0},
         "counterexample"),
        ("badsparsevector3", corpus.sparse_vector,
         {"threshold": 0, "rho": 4, "nu": Fraction(4, 3)}, "counterexample"),
    ]  # fmt: skip
    for name, function, fixed, seen in shapes:
        one = corpus.checkdp(name, function, Fraction(1, 2), **fixed)
        yield Row("CheckDP", name, one, 3, f"{seen} (at most 70 s)")


def _dipapprox() -> Iterator[Row]:
    for name, kinds, seen in (
        ("SVT-Gauss", ("gaussian", "gaussian"), {2: "1.5 s", 5: "72.3 s"}),
        ("SVT-Mix1", ("laplace", "gaussian"), {2: "4.1 s", 5: "261.0 s"}),
        ("SVT-Mix2", ("gaussian", "laplace"), {2: "13.4 s", 5: "time out"}),
    ):
        one = corpus.on_bits(name, ("1.24", "0.01"), corpus.above_gaussian(*kinds))
        for n, seconds in seen.items():
            yield Row("DiPApprox", name, one, n, f"private ({seconds})", long=n == 5)
    one = corpus.on_bits("Noisy-Max-Gauss", ("0.5", "0.01"), corpus.noisy_max_gaussian)
    for n, seconds in ((2, "1.3 s"), (3, "3.1 s"), (4, "303.0 s")):
        yield Row("DiPApprox", one.name, one, n, f"private ({seconds})", long=n == 4)
    one = corpus.on_bits("m-Range-Gauss", ("0.5", "0.01"), corpus.in_range_gaussian)
    yield Row("DiPApprox", one.name, one, 1, "private (1.5 s)")
    yield Row("DiPApprox", one.name, one, 2, "private (344.4 s)", long=True)
    one = corpus.on_bits("k-Min-Max-Gauss", ("0.5", "0.01"), corpus.third_between_gaussian)
    yield Row("DiPApprox", one.name, one, 3, "private (5.7 s)")


ROWS = list(_rows())
"""Every row of the corpus that is written out so far."""


def certified(row: Row) -> tuple[dpaudit.Check, float]:
    """Return the audit of a row, and how many seconds it took."""
    start = time.perf_counter()
    found = dpaudit.check(row.one, n=row.n, budget=row.budget, digits=10)
    return found, time.perf_counter() - start


def main(words: list[str]) -> None:
    """Print the table, one row when it is done."""
    print(
        f"{'program':34} {'n':>2}  {'certified ε':34} {'δ at the budget’s ε':26} seconds  published"
    )
    only = [word for word in words if not word.startswith("--")]
    for row in ROWS:
        if (row.long and "--short" in words) or (only and row.name not in only):
            continue
        found, seconds = certified(row)
        (result,) = found.results
        epsilon = str(result.epsilon)
        print(
            f"{row.name:34} {row.n:2}  {epsilon:34} {result.delta.value!s:26} {seconds:7.2f}  "
            f"{row.published}",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
