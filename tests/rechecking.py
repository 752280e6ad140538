"""Every report that a test makes is rechecked: whatever it was made for, it has to be true.

Reports are collected where every document is laid out and where every process is listened to, by
attributes that are looked up at each call.  No module imports those by name, so that none keeps a
collector, or is missed by one.
"""

import json
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import comb
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dpaudit.recheck.calibrations import NO_SAFE_ONE
from dpaudit.recheck.certified import BOUNDED
from dpaudit.recheck.hunts import UNTOLD
from dpaudit.recheck.selection import DENSITY
from dpaudit.recheck.strategies import ELSEWHERE, OF_AN_ARRAY, TOO_MANY_PATTERNS
from dpaudit.recheck.verify import RECHECKED, verify

__all__ = ["collected_reports", "rechecked_reports"]

_MOST_WORK = 2_000_000
_WITHOUT_SECOND_DEFINITION = (
    "verify cannot recompute an output distribution with a rest",
    "verify needs the code of ",  # a mechanism of a test's own
    "verify has no definition of its own of ",
    DENSITY,
    ELSEWHERE,
    "the printed digits do not show whether",
    "of counts outside [0, n] is not defined here",
    "the outputs are not listed here a second time",
    "the outputs have no posterior",
    "there are too many outputs",
    BOUNDED,
    NO_SAFE_ONE,
    OF_AN_ARRAY,
    TOO_MANY_PATTERNS,
    UNTOLD,  # of a function that makes mechanisms
)
"""Why a statement cannot be rechecked; any other reason is a gap that a test should show."""
_WITHOUT_SIZES = ("dpaudit.account/2", "dpaudit.interval/1", "dpaudit.sample/1")
"""Reports in a gate of which a recheck does little."""
_true: set[str] = set()
"""The seals of reports that were found to be true."""


@contextmanager
def rechecked_reports(folder: Path | None) -> Iterator[None]:
    """Recheck the reports that are made meanwhile, and those in ``folder`` at the end."""
    with collected_reports() as found:
        yield
    if folder is not None:
        found.extend(path.read_bytes() for path in folder.rglob("*.json") if path.is_file())
    for content in found:
        recheck(content)


@contextmanager
def collected_reports() -> Iterator[list[bytes]]:
    """Collect the documents that are written meanwhile, here or by a process that is run."""
    found: list[bytes] = []
    lay_out, listen = msgspec.json.format, subprocess.Popen.communicate

    def laying_out(document: Any, **how: Any) -> Any:
        found.append(document)
        return lay_out(document, **how)

    def listening(process: Any, *arguments: Any, **options: Any) -> Any:
        said = listen(process, *arguments, **options)
        if said[0]:
            found.append(said[0] if isinstance(said[0], bytes) else said[0].encode())
        return said

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(msgspec.json, "format", laying_out)
        patched.setattr(subprocess.Popen, "communicate", listening)
        yield found


def recheck(content: bytes) -> None:
    """Recheck a report that has not been seen before; what is none is passed over."""
    if not content.startswith(b"{") or b'"dpaudit.' not in content[:200]:
        return
    try:
        document = json.loads(content)
    except ValueError:
        return  # a file that a test has broken
    seal = document.get("sha256")
    if document.get("schema") not in RECHECKED or seal is None or seal in _true:
        return
    if _work(document) > _MOST_WORK:
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.json"
        path.write_bytes(content)
        verified = verify(path)
    assert not verified.disagreements, verified.disagreements[:5]
    for entry in verified.unconfirmed:
        assert any(reason in entry.message for reason in _WITHOUT_SECOND_DEFINITION), entry
    assert verified.verdict == ("unconfirmed" if verified.unconfirmed else "accepted")
    _true.add(seal)


def _outputs(dataset: list[int]) -> int:
    """Return how many histograms there are, each compared with all neighbours at every output."""
    n, k = sum(dataset), len(dataset)
    return comb(n + k - 1, k - 1) * k**3


def _work(document: dict[str, Any]) -> int:
    """Return about how many probabilities a recheck computes."""
    if "metric" in document:
        return sum(_outputs(one["dataset"]) for one in document["results"])
    found = [document["worst"]] if document.get("worst") else document.get("mechanisms", [])
    audits = document.get("reports") or [
        one[part]
        for one in found
        for part in ("audit", "report")
        if one.get(part) and one[part]["schema"] not in _WITHOUT_SIZES
    ]
    if audits:
        return sum(map(_work, audits))
    sizes = document.get("results", []) + document.get("curves", [])
    many: Callable[[dict[str, Any]], int] = lambda size: size.get("datasets", size["pairs"])  # noqa: E731
    if "uncalibrated" in document:
        sizes = [size[at] for size in sizes for at in ("before", "realised")]
    events = sum(len(size.get("upper", ())) for size in sizes)
    return sum(4 * many(size) for size in sizes) + 2 * events * max(map(many, sizes), default=0)
