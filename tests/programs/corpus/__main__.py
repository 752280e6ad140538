"""Print certified figures beside published ones: python -m tests.programs.corpus.

``--short`` leaves out what takes more than about ten seconds; with ``--write PAGE`` all rows come
from one run.  With ``--resume FILE`` a run that was stopped goes on where it was: a row that has an
answer there is not computed again, nor one that was given as many seconds in vain.
"""

import argparse
import json
import re
import signal
import sys
import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import dpaudit
from dpaudit.programs.program import Program
from tests.programs.corpus import printing
from tests.programs.corpus import programs as corpus

__all__ = ["BEGIN", "END", "OPEN", "ROWS", "Row", "certified", "line", "main"]


class Row(NamedTuple):
    """One program at one size, with what was published of it."""

    suite: str
    name: str
    one: Program
    n: int
    published: str
    budget: Any = None
    long: int = 0
    """1 for more than a few seconds, 2 for more than a minute, 3 for what may not end."""


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
        yield Row(
            sniper, name, _named(name, sparse, 10, **fixed), 1, seen, long=2 * (name[-1] == "6")
        )
    yield from _printing()
    yield from _checkdp()
    yield from _dipapprox()


def _printing() -> Iterator[Row]:
    sniper, small, tenth = "dp-sniper", Fraction(1, 200), corpus.TENTH
    yield Row(sniper, "LaplaceMechanism",
              printing.on_counts("LaplaceMechanism", printing.laplace, tenth, "eps"), 1,
              "0.0976 (217 s); 0.0998 (409 s)")  # fmt: skip
    yield Row(sniper, "LaplaceParallel",
              printing.on_counts("LaplaceParallel", printing.parallel, small, "20*eps"), 1,
              "0.0350 (104 s); 0.0135 (5723 s)")  # fmt: skip
    yield Row(sniper, "LaplaceFixed",
              printing.on_counts("LaplaceFixed", corpus.snapped, tenth, "eps"), 1,
              "0.0979 (2900 s)")  # fmt: skip
    most, shown = Fraction(3, 4), (Fraction(9, 20), Fraction(11, 20))
    for name, body, budget, seen in (
        ("Rappor", corpus.rappor(most, shown), "8*ln(41/39)", "0.3008 (529 s); 0.2416 (2248 s)"),
        ("OneTimeRappor", corpus.rappor(Fraction(19, 20)), "8*ln(21/19)",
         "0.5999 (408 s); 0.4706 (1877 s)"),
    ):  # fmt: skip
        yield Row(sniper, name, printing.on_counts(name, body, tenth, budget), 1, seen)
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
        long = {"PrefixSum": 0, "SVT34Parallel": 3}.get(name, 1)
        yield Row(sniper, name, _named(name, function, 10), 1, seen, long=long)


_THIRDS = {"threshold": 0, "rho": 4, "nu": Fraction(4, 3)}
_OF_CHECKDP: list[tuple[str, Any, dict[str, Any], bool]] = [
    ("noisymax", corpus.noisy_max, {}, True),
    ("sparsevector", corpus.sparse_vector, {"threshold": 0}, True),
    ("sparsevector NN=2", corpus.sparse_vector, {"threshold": 0, "cutoff": 2, "nu": 8}, True),
    ("badsparsevector1", corpus.sparse_vector, {"threshold": 0, "nu": 0, "cutoff": 0}, False),
    ("badsparsevector2", corpus.sparse_vector, {"threshold": 0, "nu": 2, "cutoff": 0}, False),
    ("badsparsevector3", corpus.sparse_vector, _THIRDS, False),
    ("badsparsevector3 NN=2", corpus.sparse_vector, {**_THIRDS, "cutoff": 2}, False),
    ("svt_decreasing, svt_increasing", corpus.sparse_vector,
     {"neighbours": "unit-moves-one-sign", "threshold": 0, "nu": 2}, True),
    ("svt_decreasing, svt_increasing NN=2", corpus.sparse_vector,
     {"neighbours": "unit-moves-one-sign", "threshold": 0, "nu": 4, "cutoff": 2}, True),
    ("badnoisymax", printing.noisy_largest, {}, False),
    ("numsparsevector", printing.numerical, {"cutoff": 1, "threshold": 0}, True),
    ("numsparsevector NN=2", printing.numerical, {"threshold": 0}, True),
    ("gapsparsevector", printing.gap, {}, True),
    ("badgapsparsevector", printing.gap, {"bad": True}, False),
    ("adaptivesparsevector", printing.adaptive, {}, True),
    ("badadaptivesparsevector", printing.adaptive, {"bad": True}, False),
]  # fmt: skip
_ONE_MOVED: list[tuple[str, Any, str, dict[str, Any]]] = [
    ("smartsum", printing.smart_sum, "2*eps", {}),
    ("badsmartsum", printing.smart_sum, "2*eps", {"bad": True}),
    ("partialsum", printing.partial_sum, "eps", {}),
    ("badpartialsum", printing.partial_sum, "eps", {"bad": True}),
]


def _checkdp() -> Iterator[Row]:
    half, unit = Fraction(1, 2), Fraction(1)
    for n, eps in ((3, half), (3, unit), (5, half), (5, unit)):
        end = "" if eps < 1 else " eps=1"
        for name, function, fixed, proved in _OF_CHECKDP:
            one = corpus.checkdp(f"{name}{end}", function, eps, **fixed)
            seen = f"{'proved' if proved else 'counterexample'} (at most 70 s)"
            adaptive, prints = "adaptive" in name, function.__module__ == printing.__name__
            long = int(adaptive or n > 3) + (n > 3) * (prints + adaptive)
            yield Row("CheckDP", one.name, one, n, seen, long=long)
    for eps in (half, unit):
        end = "" if eps < 1 else " eps=1"
        for name, function, budget, fixed in _ONE_MOVED:
            one = printing.one_moved(f"{name}{end}", function, eps, budget, **fixed)
            seen = f"{'counterexample' if fixed else 'proved'} (at most 70 s)"
            for n in (3, 5):
                yield Row("CheckDP", one.name, one, n, seen, long=n > 3)


def _dipapprox() -> Iterator[Row]:
    suite, loose, tight = "DiPApprox", ("1.24", "0.01"), ("0.5", "0.01")
    for name, kinds, seen in (
        ("SVT-Gauss", ("gaussian", "gaussian"), {2: "1.5 s", 5: "72.3 s"}),
        ("SVT-Mix1", ("laplace", "gaussian"), {2: "4.1 s", 5: "261.0 s"}),
        ("SVT-Mix2", ("gaussian", "laplace"), {2: "13.4 s", 5: "time out"}),
    ):
        one = corpus.on_bits(name, loose, corpus.above_gaussian(*kinds))
        for n, seconds in seen.items():
            yield Row(suite, name, one, n, f"private ({seconds})", long=n == 5)
    below = corpus.above_gaussian("gaussian", "gaussian", below=True)
    for n, seconds in ((2, "2.4 s"), (5, "76.7 s")):
        one = corpus.on_bits("SVT-Gauss <", loose, below)
        yield Row(suite, one.name, one, n, f"private ({seconds})", long=n == 5)
    for name, function, seen in (
        ("Noisy-Max-Gauss", corpus.noisy_max_gaussian, {2: "1.3 s", 3: "3.1 s", 4: "303.0 s"}),
        ("Noisy-Min-Gauss", corpus.noisy_min_gaussian, {2: "1.3 s", 3: "3.1 s", 4: "303.6 s"}),
    ):
        one = corpus.on_bits(name, tight, function)
        for n, seconds in seen.items():
            yield Row(suite, name, one, n, f"private ({seconds})", long=n == 4)
    one = corpus.on_bits("m-Range-Gauss", tight, corpus.in_range_gaussian)
    yield Row(suite, one.name, one, 1, "private (1.8 s)", long=True)
    yield Row(suite, one.name, one, 2, "private (344.4 s)", long=True)
    one = corpus.on_bits("k-Min-Max-Gauss", tight, corpus.third_between_gaussian)
    yield Row(suite, one.name, one, 3, "private (5.7 s)")
    quarter = Fraction(1, 4)
    alone = corpus.above_gaussian("gaussian", "gaussian", scales=(0, quarter))
    one = corpus.on_bits("SVT-Gauss-Leaky-1", (4, "0.01"), alone)
    for n, seconds in ((5, "1.2 s"), (6, "1.7 s")):
        yield Row(suite, one.name, one, n, f"not private ({seconds})", long=True)
    shared = corpus.above_gaussian("gaussian", "gaussian", scales=(2, 0))
    one = corpus.on_bits("SVT-Gauss-Leaky-2", tight, shared)
    for n in (3, 6):
        yield Row(suite, one.name, one, n, "not private (1.0 s)", long=n == 6)
    yield from _laplace_of_dipapprox()


def _laplace_of_dipapprox() -> Iterator[Row]:
    suite = "DiPApprox"
    seen = {
        1: ("1 s; 23 s", "1 s; 29 s"),
        2: ("22 s; 163 s", "25 s; 145 s"),
        3: ("204 s; 1134 s", "227 s; 906 s"),
        4: ("1285 s; 4887 s", "1684 s; 4317 s"),
    }
    for n, seconds in seen.items():
        for eps, told in zip((Fraction(1, 2), Fraction(1)), seconds, strict=True):
            body = corpus.above_gaussian("laplace", "laplace", scales=(2 / eps, 4 / eps))
            one = corpus.on_bits(f"SVT-Laplace eps={eps}", eps, body)
            yield Row(suite, one.name, one, n, f"private ({told})")
    for eps, told in ((Fraction(1, 2), "152 s; 311 s"), (Fraction(1), "166 s; 278 s")):

        def largest(queries: Any, random: Any, eps: Fraction = eps) -> int:
            return corpus.noisy_max(queries, random, eps)

        one = corpus.on_bits(f"Noisy-Max-Laplace eps={eps}", eps, largest)
        yield Row(suite, one.name, one, 3, f"private ({told})")
    leaky = corpus.above_gaussian("laplace", "laplace", scales=(4, Fraction(4, 3)))
    one = corpus.on_bits("SVT-Laplace-Leaky-4", 1, leaky)
    yield Row(suite, one.name, one, 2, "not private (167 s; 80 s)")
    leaky = corpus.above_gaussian("laplace", "laplace", scales=(4, 0))
    one = corpus.on_bits("SVT-Laplace-Leaky-5", Fraction(1, 2), leaky)
    yield Row(suite, one.name, one, 2, "not private (1 s; 7 s)")

    def unstopped(queries: Any, random: Any) -> Any:
        return corpus.every_answer(queries, random, Fraction(1))

    one = corpus.on_bits("SVT-Laplace-Leaky-6", 1, unstopped)
    yield Row(suite, one.name, one, 3, "not private (1075 s; 526 s)")


ROWS = list(_rows())


def certified(row: Row) -> tuple[dpaudit.Check, float]:
    """Return the audit of a row, and how many seconds of processor time it took."""
    start = time.process_time()
    found = dpaudit.check(row.one, n=row.n, budget=row.budget, digits=10)
    return found, time.process_time() - start


OPEN = {
    "LaplaceMechanism as floating-point code": "the 64 bits of IEEE doubles: numbers here are real",
}

CELLS = "program | n | certified ε | δ at the stated ε | stated | verdict | seconds | published"
HEAD = f"| {CELLS} |\n{'|---' * 8}|\n"


class Late(BaseException):
    """A row takes too long."""


_RUNG: list[int] = []


def _late(*_: object) -> None:
    _RUNG.append(1)
    raise Late


def line(row: Row, limit: int) -> str:
    """Return the line of a row, open after more than ``limit`` seconds of processor time."""
    _RUNG.clear()
    previous = signal.signal(signal.SIGPROF, _late)
    signal.setitimer(signal.ITIMER_PROF, limit)
    try:
        found, seconds = certified(row)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) or not _RUNG:
            raise
        return _open(row, f"not done in {limit} s")
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, previous)
    (result,) = found.results
    assert found.verdict is not None
    marks = [found.verdict.value]
    lowers = [Fraction(one) for one in re.findall(r"(\d+\.\d+) \(", row.published)]
    upper = result.epsilon.upper
    if not upper.is_infinite() and any(one > Fraction(upper) for one in lowers):
        marks.append("**a published lower bound lies above the truth**")
    if "counterexample" in row.published or "not private" in row.published:
        if found.verdict == "within":
            marks.append("**called bad, and keeps its budget here**")
    elif "p" in row.published and found.verdict == "exceeds":
        marks.append("**called private, and is not**")
    told = (row.name, row.n, result.epsilon, result.delta_held.value, row.budget or row.one.stated)
    return (
        f"| {' | '.join(map(str, told))} | {'; '.join(marks)} | {seconds:.1f} | {row.published} |"
    )


def _open(row: Row, why: str) -> str:
    return f"| {row.name} | {row.n} | open | | | {why} | | {row.published} |"


def _kept(file: Path | None, limit: int) -> dict[tuple[str, int], str]:
    """Return the lines of a run that was stopped, without those that more seconds may answer."""
    kept = file.read_text().splitlines() if file is not None and file.exists() else []
    rows = map(json.loads, kept)
    return {(name, n): told for name, n, seconds, told in rows
            if "| open |" not in told or seconds >= limit}  # fmt: skip


def main(words: list[str]) -> int:
    """Print the table, one row when it is done, and write it."""
    parser = argparse.ArgumentParser(prog="python -m tests.programs.corpus")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--limit", type=int, default=60, help="seconds of a processor for a row")
    parser.add_argument("--write", type=Path, help="replace the table in this page")
    parser.add_argument("--resume", type=Path, help="keep the rows that are done in this file")
    given = parser.parse_args(words)
    wanted = [row for row in ROWS if not given.names or row.name in given.names]
    done = _kept(given.resume, given.limit)
    try:  # those that take long come last
        for row in sorted(wanted, key=lambda row: (row.long, row.suite == "CheckDP")):
            key = row.name, row.n
            if key in done or (row.long and given.short):
                continue
            done[key] = line(row, given.limit)
            print(done[key], flush=True)
            if given.resume is not None:
                with given.resume.open("a") as file:
                    file.write(f"{json.dumps([*key, given.limit, done[key]])}\n")
    except KeyboardInterrupt:
        print("stopped; the rows that are left are open", file=sys.stderr)
    if given.write is not None:
        lines: dict[str, list[str]] = {}
        for row in wanted:
            told = done.get((row.name, row.n)) or _open(row, "not reached in this run")
            lines.setdefault(row.suite, []).append(told)
        text = given.write.read_text()
        before, after = text.index(BEGIN) + len(BEGIN), text.index(END)
        tables = "\n\n".join(
            f"## {suite}\n\n{HEAD}" + "\n".join(found) for suite, found in lines.items()
        )
        given.write.write_text(f"{text[:before]}\n\n{tables}\n\n{text[after:]}")
    return 0


BEGIN, END = "<!-- the table begins -->", "<!-- the table ends -->"

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
