"""Reports with one leaf changed and sealed anew: none that states something false is accepted.

``python -m tests.attacks.reports --count 1000 --seed 1`` holds so many mutants of every kind of
report to the engine, and ends with 1 if one that is accepted states what is not so.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import signal
import sys
import tempfile
from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

from dpaudit.api.rechecks import own_mechanisms
from dpaudit.cli.main import invoke
from dpaudit.gate.run import run_gate
from dpaudit.recheck.findings import NotAReportError
from dpaudit.recheck.verify import verify
from dpaudit.results.documents import encode, seal_of
from tests.attacks.report_changes import Document, Place, changes, leaves
from tests.attacks.report_truths import why_true

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["KINDS", "Mutant", "judged", "made", "mutants", "own_file", "refutation"]

_SECONDS = 20
_MORE = 30
"""Digits of reports that tell whether a changed one is true."""

OWN = '''
from fractions import Fraction

class Coin:
    """Randomised response with the probability p of the truth."""

    budget, neighbours, datasets = "2", "all", ["no", "yes"]

    def __init__(self, p: Fraction = Fraction(3, 4)):
        self.p = p

    def law(self, answer):
        other = "no" if answer == "yes" else "yes"
        return {answer: self.p, other: 1 - self.p}
'''

CONFIG = """
[[mechanism]]
mechanism = "EHDS"
n = "3..4"

[[mechanism]]
label = "MH with divisor 1"
mechanism = "MH"
n = 5
parameters = { divisor = "1" }

[[mechanism]]
mechanism = "LSHist"
n = 4
notion = "renyi"
order = 2
budget = "1/2"

[claims]
I-right = "proved"
"""


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory()


@cache
def own_file() -> str:
    """The reference of the mechanism of a user's that one report is about."""
    path = Path(_folder().name) / "coin.py"
    path.write_text(OWN)
    return f"{path}:Coin"


def _data_file() -> str:
    path = Path(_folder().name) / "data.csv"
    path.write_text("answer\nyes\nno\nyes\nyes\n")
    return str(path)


def _gate(digits: int) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "dpaudit.toml"
        path.write_text(f"digits = {digits}\n{CONFIG}")
        return encode(run_gate(path, jobs=2)).decode()


KINDS = {
    "within": "check EHDS --n 4,5 --at-eps 0.1,1/3",
    "exceeds": "check EHDL --n 5 --budget 1/5",
    "with a delta": "check MH --n 5 --divisor 1 --budget 0.5,0.01",
    "a tie": "check LSHist --n 3 --prior 1,1,1 --at-eps 0.3",
    "around data": "check EHDL --n 4 --at 2,2 --budget 0.8",
    "infinitely many outputs": "check Geometric --n 3 --adjacency histogram-add-remove",
    "infinite": "check EHDS --n 3 --adjacency histogram-add-remove",
    "one user": "check kRR --n 1 --k 3 --base 2 --budget 2",
    "queries": "check AboveThreshold --n 2 --low -1 --high 1",
    "own": "check OWN --set p=76/100",
    "audits": "check EHDS EHDL --n 4 --budget 1/2",
    "curve": "curve EHDS --n 3,4 --at-eps 0.1",
    "curves": "curve EHDS LSHist --n 3",
    "renyi": "check EHDS --n 4,5 --notion renyi --order 3/2 --budget 1/5",
    "zcdp": "check EHDS --n 4 --prior 1,3 --notion zcdp",
    "gdp": "check LSHist --n 4 --notion gdp --budget 1",
    "approximate": "check EHDS --n 4 --notion approximate --budget 1/5,1/20",
    "tradeoff": "tradeoff EHDS --n 4",
    "tradeoffs": "tradeoff EHDS LSHist --n 3",
    "notions": "check EHDS LSHist --n 3 --notion kl",
    "calibration": "calibrate LSHist --n 4",
    "calibrations": "calibrate LSHist LSDim --n 3",
    "account": "account EHDS --n 4 --compose 2 --epsilon-grid 0..4/5..2/5",
    "certified": "account Gaussian --sigma 10 --compose 10 --budget 1,1/1000",
    "certified by brute force": "account RR --n 1 --compose 3 --at-delta 1/1000 --at-eps 1",
    "interval": "check EHDS --n 3 --eps 1/2..1",
    "interval of small δ": "check Gaussian --sigma 1..1.1 --budget 25/2,1e-30",
    "curve over an interval": "curve Gaussian --sigma 1..1.1 --at-eps 25/2",
    "data": "check EHDL --data DATA --column answer --budget 1/2",
    "gate": "",
}
"""The kinds of reports that are changed, and the commands that make them."""


@cache
def made(kind: str, digits: int = 12) -> Document:
    """The report of one kind, with intervals of so many digits."""
    if kind == "gate":
        return _content(_gate(digits))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.json"
        files = {"OWN": own_file(), "DATA": _data_file()}
        command = [files.get(word, word) for word in KINDS[kind].split()]
        how = ["--format", "json", "--output", str(path)]
        how += [] if kind.startswith("certified") else ["--digits", str(digits)]
        with patch("dpaudit.cli.isolated.is_contained", lambda: True):
            assert invoke([*command, *how]) in (0, 1)
        return _content(path.read_text())


def _content(text: str) -> Document:
    """The content of a report."""
    content: Document = json.loads(text)
    return content


# -- changing one leaf


class Mutant:
    """A report with one place changed, sealed anew."""

    def __init__(self, kind: str, place: Place, what: str, document: Document) -> None:
        """Take where and how it was changed."""
        self.kind, self.place, self.what, self.document = kind, place, what, document

    def text(self) -> bytes:
        """The file."""
        sealed = {key: part for key, part in self.document.items() if key != "sha256"}
        # A reader that takes the last of two keys finds the seal right.
        last = json.loads(self._as_read(sealed))
        sealed["sha256"] = seal_of(last)
        return self._as_read(sealed).encode()

    def _as_read(self, document: Document) -> str:
        return json.dumps(document, ensure_ascii=False).replace("\\u0000twice", "")

    def __str__(self) -> str:
        """Return where and how."""
        return f"{self.kind}: {'.'.join(map(str, self.place)) or 'the whole'}: {self.what}"


@cache
def _every(kind: str) -> list[tuple[Place, int]]:
    document = made(kind)
    return [
        (place, number)
        for place in leaves(document)
        for number in range(sum(1 for _ in changes(document, place)))
    ]


def mutants(count: int, seed: int, kinds: list[str] | None = None) -> Iterator[Mutant]:
    """Iterate over so many mutants: kinds in turn, places and changes by chance."""
    chance = random.Random(seed)
    kinds = kinds or list(KINDS)
    for number in range(count):
        kind = kinds[number % len(kinds)]
        # A place first: long lists of events would have most of the changes.
        by_shape: dict[Place, list[tuple[Place, int]]] = {}
        for place, change in _every(kind):
            shape = tuple("*" if isinstance(key, int) else key for key in place)
            by_shape.setdefault(shape, []).append((place, change))
        place, change = chance.choice(by_shape[chance.choice(list(by_shape))])
        document = copy.deepcopy(made(kind))
        what, apply = list(changes(document, place))[change]
        apply(document)
        yield Mutant(kind, place, what, document)


# -- what becomes of it


class _TooLongError(Exception):
    pass


def _too_long(number: int, frame: object) -> None:
    raise _TooLongError


def judged(content: bytes, seconds: int = _SECONDS) -> tuple[str, list[str]]:
    """What ``verify`` makes of a report, and what it takes from it; other failures propagate."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.json"
        path.write_bytes(content)
        before = signal.signal(signal.SIGALRM, _too_long)
        signal.alarm(seconds)
        try:
            found = verify(path, own_mechanisms((own_file(),)), all_pairs=True)
            return found.verdict, found.taken
        except NotAReportError:
            return "refused", []
        except _TooLongError:
            return "unconfirmed", []  # the time cap of the command
        finally:
            signal.alarm(0)
            signal.signal(signal.SIGALRM, before)


def refutation(mutant: Mutant) -> tuple[str, str]:
    """What becomes of a mutant, and why that is wrong: empty if it is right."""
    try:
        content = mutant.text()
    except (ValueError, UnicodeError) as error:
        return "refused", f"cannot be written: {error}"
    try:
        verdict, taken = judged(content)
    except Exception as error:
        return "crashed", f"{mutant}: {type(error).__name__}: {error}"
    if verdict != "accepted":
        return verdict, ""
    original, precise = (made(mutant.kind, digits) for digits in (12, _MORE))
    reason = why_true(original, precise, json.loads(content), mutant.place, taken)
    return verdict, "" if reason else f"{mutant}: accepted, and nothing says that it is true"


def main() -> int:
    """Hold mutants to what is true, and say what became of them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", action="append", choices=list(KINDS))
    given = parser.parse_args()
    became: Counter[str] = Counter()
    wrong = [
        f"{kind}: the true report is not accepted"
        for kind in given.kind or KINDS
        if judged(json.dumps(made(kind), ensure_ascii=False).encode(), 60)[0] != "accepted"
    ]
    for mutant in mutants(given.count, given.seed, given.kind):
        verdict, why = refutation(mutant)
        became[verdict] += 1
        if why:
            wrong.append(why)
            print(why, flush=True)
    print(dict(became), f"{len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
