"""Deciding the claims that a configuration lists, in a process of their own with a time cap."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import msgspec

from dpaudit.audit.contained import Child
from dpaudit.gate.asked import clean
from dpaudit.results import ClaimFinding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dpaudit.claims.discover import Registered
    from dpaudit.gate.config import GateConfig

__all__ = ["UNDECIDED", "run_claims"]

UNDECIDED = ("undecided", "failed", "unknown", "time cap", "crashed")
"""What is no verdict, and never passes."""

_POLL = 0.02


def run_claims(config: GateConfig, tick: Callable[[str], None]) -> list[ClaimFinding]:
    """Return what became of every claim; those that are not decided in time have not passed."""
    wanted = list(config.claims.items())
    child = Child.start(_tell, (wanted,), config.time_cap)
    found: list[ClaimFinding] = []
    done, said = 0, 0  # patterns that are done with, findings of the next
    try:
        while done < len(wanted) and not child.over and not child.late:
            child.listen(_POLL)
            for line in child.lines():
                if done == len(wanted):
                    raise ValueError("it goes on after the last")
                if line:
                    found.append(_told(line, *wanted[done]))
                    tick(found[-1].id)
                    said += 1
                elif said:
                    done, said = done + 1, 0
                else:
                    raise ValueError(f"nothing about {wanted[done][0]}")
    except ValueError as error:
        reason = f"what their process said is no verdict: {error}"
        return found + [_finding(*one, "crashed", reason) for one in wanted[done:]]
    finally:
        child.end()
    kind, reason = "crashed", f"its process ended ({child.how_it_ended()})"
    if not child.over:
        kind, reason = "time cap", f"not decided after {config.time_cap:g} s"
    return found + [_finding(*one, kind, reason) for one in wanted[done:]]


class _Told(msgspec.Struct, forbid_unknown_fields=True):
    """What became of one claim, by the process that decides it."""

    id: str
    found: str
    reason: str


def _tell(send: Callable[[bytes], None], wanted: list[tuple[str, str]]) -> None:
    """Send every finding on a line, and an empty line after those of each pattern."""
    from dpaudit.claims.discover import discover

    known = discover()
    for pattern, _ in wanted:
        for told in _decide(known, pattern):
            send(msgspec.json.encode(told) + b"\n")
        send(b"\n")


def _told(line: bytes, pattern: str, expected: str) -> ClaimFinding:
    """Return what became of a claim that a pattern means; whether it passes is decided here."""
    try:
        told = msgspec.json.decode(line, type=_Told)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(str(error)) from None
    if told.id != pattern and not fnmatchcase(told.id, pattern):
        raise ValueError(f"{clean(told.id)} is not {pattern}")
    return _finding(clean(told.id), expected, clean(told.found), clean(told.reason))


def _decide(known: dict[str, Registered], pattern: str) -> Iterator[_Told]:
    from dpaudit.claims.claim import Settings
    from dpaudit.claims.decide import decide
    from dpaudit.claims.discover import ClaimError, select

    try:
        chosen = select(known, (pattern,))
    except ClaimError as error:
        yield _Told(pattern, "unknown", str(error))
        return
    for item in chosen:
        decision = decide(item.claim, Settings()) if not item.failure else None
        verdict = decision.verdict.value if decision else "failed"
        reason = decision.reason if decision else item.failure
        yield _Told(item.claim.id, verdict, reason)


def _finding(claim: str, expected: str, found: str, reason: str) -> ClaimFinding:
    passed = found == expected and found not in UNDECIDED
    message = reason or (f"{found}, as expected" if passed else f"{found}, not {expected}")
    return ClaimFinding(id=claim, expected=expected, found=found, passed=passed, message=message)
