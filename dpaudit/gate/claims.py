"""Deciding the claims that a configuration lists, in a process of their own with a time cap."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import msgspec

from dpaudit.gate.children import Child, serve
from dpaudit.gate.result import ClaimFinding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection

    from dpaudit.claims.discover import Registered
    from dpaudit.gate.config import GateConfig

__all__ = ["UNDECIDED", "run_claims"]

UNDECIDED = ("undecided", "failed", "unknown", "time cap", "crashed")
"""What is no verdict, and never passes."""

_POLL = 0.02


def run_claims(config: GateConfig, tick: Callable[[str], None]) -> list[ClaimFinding]:
    """Return what became of every claim; those that are not decided in time have not passed."""
    wanted = list(config.claims.items())
    child = Child.start(_work, (wanted,), config.time_cap)
    found: list[ClaimFinding] = []
    done = 0
    try:
        while done < len(wanted):
            ended = child.ended
            message = child.message()
            if message == b"":
                done += 1
            elif message is not None:
                found.append(msgspec.json.decode(message, type=ClaimFinding))
                tick(found[-1].id)
            elif ended or child.late:
                kind = "time cap" if child.late else "crashed"
                reason = (
                    f"not decided after {config.time_cap:g} s"
                    if child.late
                    else f"its process ended (code {child.process.exitcode})"
                )
                return found + [_finding(*one, kind, reason) for one in wanted[done:]]
            else:
                time.sleep(_POLL)
    finally:
        child.end()
    return found


def _work(connection: Connection, wanted: list[tuple[str, str]]) -> None:
    def work(send: Callable[[bytes], None]) -> None:
        """Send every finding, and nothing after those of each pattern."""
        from dpaudit.claims.discover import discover

        known = discover()
        for pattern, expected in wanted:
            for finding in _decide(known, pattern, expected):
                send(msgspec.json.encode(finding))
            send(b"")

    serve(connection, work)


def _decide(known: dict[str, Registered], pattern: str, expected: str) -> Iterator[ClaimFinding]:
    from dpaudit.claims.claim import Settings
    from dpaudit.claims.decide import decide
    from dpaudit.claims.discover import ClaimError, select

    try:
        chosen = select(known, (pattern,))
    except ClaimError as error:
        yield _finding(pattern, expected, "unknown", str(error))
        return
    for item in chosen:
        decision = decide(item.claim, Settings()) if not item.failure else None
        verdict = decision.verdict.value if decision else "failed"
        reason = decision.reason if decision else item.failure
        yield _finding(item.claim.id, expected, verdict, reason)


def _finding(claim: str, expected: str, found: str, reason: str) -> ClaimFinding:
    passed = found == expected and found not in UNDECIDED
    message = reason or (f"{found}, as expected" if passed else f"{found}, not {expected}")
    return ClaimFinding(id=claim, expected=expected, found=found, passed=passed, message=message)
