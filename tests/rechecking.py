"""Every report that a test makes is rechecked: whatever it was made for, it has to be true."""

import json
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from dpaudit.recheck.calibrations import NO_SAFE_ONE
from dpaudit.recheck.queries import DENSITY
from dpaudit.recheck.verify import RECHECKED, verify
from dpaudit.results import documents

__all__ = ["rechecked_reports"]

_MOST_WORK = 2_000_000
_WITHOUT_SECOND_DEFINITION = (
    "is not defined here a second time",  # a mechanism of a test's own
    DENSITY,
    "the printed digits do not tell the budget and",
    "pairs around one dataset of an own mechanism",
    NO_SAFE_ONE,
)
"""Why a statement cannot be rechecked; any other reason is a gap that a test should show."""
_seen: set[str] = set()


@contextmanager
def rechecked_reports(monkeypatch: pytest.MonkeyPatch, folder: Path | None) -> Iterator[None]:
    """Collect the reports that are encoded, printed by a command or written, and recheck them."""
    found: list[bytes] = []
    seal_of, run = documents.seal_of, subprocess.run

    def sealing(content: dict[str, Any]) -> str:
        seal = seal_of(content)
        found.append(json.dumps({**content, "sha256": seal}).encode())
        return seal

    def running(*arguments: Any, **options: Any) -> Any:
        done = run(*arguments, **options)
        if done.stdout:
            found.append(done.stdout if isinstance(done.stdout, bytes) else done.stdout.encode())
        return done

    monkeypatch.setattr(documents, "seal_of", sealing)  # every writer of a report calls it there
    monkeypatch.setattr(subprocess, "run", running)
    yield
    if folder is not None:
        found.extend(path.read_bytes() for path in folder.rglob("*.json") if path.is_file())
    for content in found:
        recheck(content)


def recheck(content: bytes) -> None:
    """Recheck a report that has not been seen before; what is none is passed over."""
    if not content.startswith(b"{") or b'"dpaudit.' not in content[:200]:
        return
    try:
        document = json.loads(content)
    except ValueError:
        return  # a file that a test has broken
    seal = document.get("sha256")
    if document.get("schema") not in RECHECKED or seal is None or seal in _seen:
        return
    _seen.add(seal)
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


def _work(document: dict[str, Any]) -> int:
    """Return about how many probabilities a recheck computes."""
    audits = document.get("audits") or [
        one["audit"] for one in document.get("mechanisms", []) if one["audit"]
    ]
    audits = audits or document.get("calibrations")
    if audits:
        return sum(map(_work, audits))
    sizes = document.get("results", []) + document.get("curves", [])
    many: Callable[[dict[str, Any]], int] = lambda size: size.get("datasets", size["pairs"])  # noqa: E731
    if "uncalibrated" in document:
        sizes = [size[at] for size in sizes for at in ("before", "realised")]
    events = sum(len(size.get("upper", ())) for size in sizes)
    return sum(4 * many(size) for size in sizes) + 2 * events * max(map(many, sizes), default=0)
