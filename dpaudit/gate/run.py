"""Running a gate: its mechanisms, each in a process of its own, and its claims in another.

So each can be slow, crash or hang alone.
"""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from dpaudit.audit.fork_server import parent_of
from dpaudit.audit.isolated import MOST_BYTES, Child
from dpaudit.errors import ConfigError, DpauditError, ParameterError, UsageError
from dpaudit.gate.config import MOST_DIGITS, Entry, GateConfig, hashed_config, in_keys
from dpaudit.gate.entries import check_keys, entry_question, entry_questions
from dpaudit.gate.functions import as_call, check_function
from dpaudit.gate.messages import finding, read_told
from dpaudit.gate.requests import check_entry, clean
from dpaudit.gate.revision import commit_of
from dpaudit.gate.work import preload, tell
from dpaudit.machine import LEAST_MEMORY, MOST_MEMORY, available
from dpaudit.mechanisms.references import reference
from dpaudit.results import ClaimFinding, Finding, GateDocument, GateVerdict, Kind
from dpaudit.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dpaudit.claims.discover import Registered
    from dpaudit.mechanisms.spec import Spec


__all__ = ["UNDECIDED", "run_claims", "run_entries", "run_gate", "with_digits"]


UNDECIDED = ("undecided", "failed", "unknown", "time cap", "crashed")
"""Outcomes of a claim that are no verdict; they never pass."""

_CLAIM_POLL = 0.02


def run_claims(config: GateConfig, progress: Callable[[str], None]) -> list[ClaimFinding]:
    """Return what became of every claim; those that are not decided in time have not passed."""
    wanted = list(config.claims.items())
    child = Child.start(_tell, (wanted,), config.time_cap)
    found: list[ClaimFinding] = []
    done, said = 0, 0  # patterns that are done with, findings of the next
    try:
        while done < len(wanted) and not child.over and not child.late:
            child.listen(_CLAIM_POLL)
            for line in child.lines():
                if done == len(wanted):
                    raise ValueError("it goes on after the last")
                if line:
                    found.append(_told(line, *wanted[done]))
                    progress(found[-1].id)
                    said += 1
                elif said:
                    done, said = done + 1, 0
                else:
                    raise ValueError(f"nothing about {wanted[done][0]}")
    except ValueError as error:
        reason = f"what their process said is no verdict: {error}"
        return found + [_claim_finding(*one, "crashed", reason) for one in wanted[done:]]
    finally:
        child.end()
    kind, reason = "crashed", f"its process ended ({child.how_it_ended()})"
    if not child.over:
        kind, reason = "time cap", f"not decided after {config.time_cap:g} s"
    return found + [_claim_finding(*one, kind, reason) for one in wanted[done:]]


class _ClaimMessage(msgspec.Struct, forbid_unknown_fields=True):
    """Outcome of one claim, from the process that decides it."""

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
        told = msgspec.json.decode(line, type=_ClaimMessage)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(str(error)) from None
    if told.id != pattern and not fnmatchcase(told.id, pattern):
        raise ValueError(f"{clean(told.id)} is not {pattern}")
    return _claim_finding(clean(told.id), expected, clean(told.found), clean(told.reason))


def _decide(known: dict[str, Registered], pattern: str) -> Iterator[_ClaimMessage]:
    from dpaudit.claims.claim import Settings
    from dpaudit.claims.deciding import decide
    from dpaudit.claims.discover import ClaimError, select

    try:
        chosen = select(known, (pattern,))
    except ClaimError as error:
        yield _ClaimMessage(pattern, "unknown", str(error))
        return
    for item in chosen:
        decision = decide(item.claim, Settings()) if not item.failure else None
        verdict = decision.headline if decision else "failed"
        reason = decision.reason if decision else item.failure
        yield _ClaimMessage(item.claim.id, verdict, reason)


def _claim_finding(claim: str, expected: str, found: str, reason: str) -> ClaimFinding:
    passed = found == expected and found not in UNDECIDED
    message = f"{found}, as expected" if passed else reason or f"{found}, not {expected}"
    return ClaimFinding(id=claim, expected=expected, found=found, passed=passed, message=message)


_POLL = 0.02


@dataclass
class _Running:
    index: int
    entry: Entry
    spec: Spec
    child: Child


def run_entries(
    config: GateConfig,
    specs: Sequence[Spec],
    jobs: int,
    progress: Callable[[str], None],
    *,
    curves: bool,
    memory_cap: int | None = None,
) -> list[Finding]:
    """Return what was found of every mechanism, at most ``jobs`` of them side by side.

    Each may take as many megabytes as its entry says, else ``memory_cap``, else as the
    configuration says; else they share what there is.
    """
    share = min(max(available() // jobs >> 20, LEAST_MEMORY), MOST_MEMORY)
    waiting = list(enumerate(zip(config.mechanisms, specs, strict=True)))[::-1]
    running: list[_Running] = []
    found: dict[int, Finding] = {}
    with ExitStack() as stack:
        parent = stack.enter_context(parent_of(preload)) if len(waiting) > 1 else None

        def end_all() -> None:
            for one in running:
                one.child.end()

        stack.callback(end_all)
        while waiting or running:
            while waiting and len(running) < jobs:
                index, (entry, spec) = waiting.pop()
                memory = entry.memory_cap or memory_cap or config.memory_cap or share
                given = (spec, replace(entry, memory_cap=memory), config, curves)
                seconds = entry.time_cap or config.time_cap
                child = Child.start(tell, given, seconds, parent=parent)
                running.append(_Running(index, entry, spec, child))
            for one in list(running):
                one.child.listen(0)
                if not one.child.over and not one.child.late:
                    continue
                running.remove(one)
                one.child.end()
                found[one.index] = _finding(one, config)
                progress(one.entry.title)
            time.sleep(_POLL)
    return [found[index] for index in sorted(found)]


def _finding(one: _Running, config: GateConfig) -> Finding:
    """Return what became of an entry whose process has come to its end."""
    child, entry = one.child, one.entry
    if child.too_much:
        reason = f"its process said more than {MOST_BYTES} bytes"
        return finding(entry, Kind.CRASHED, reason)
    if child.crowded:
        return finding(entry, Kind.CRASHED, f"its process was ended: {child.how_it_ended()}")
    if not child.over:
        cap = entry.time_cap or config.time_cap
        return finding(entry, Kind.TIME_CAP, f"not finished after {cap:g} s")
    if not child.said:
        return finding(entry, Kind.CRASHED, f"its process ended ({child.how_it_ended()})")
    try:
        return read_told(bytes(child.said), entry, config, one.spec)
    except ValueError as error:
        reason = f"what its process said is no audit of this entry: {error}"
        return finding(entry, Kind.CRASHED, reason)


def run_gate(
    path: str | Path,
    jobs: int = 1,
    progress: Callable[[str], None] = lambda title: None,
    *,
    curves: bool = False,
    digits: int | None = None,
    memory_cap: int | None = None,
) -> GateDocument:
    """Check everything that the configuration at ``path`` lists, and return what was found.

    The arguments are those of :func:`dpaudit.gate.interface.run_gate`.
    """
    path = Path(path)
    config, sha256 = hashed_config(path)
    config = _with_calls(path, with_digits(config, digits))
    specs = _check_entries(path, config)
    config = _together(path, config)
    findings = run_entries(config, specs, jobs, progress, curves=curves, memory_cap=memory_cap)
    claims = run_claims(config, progress) if config.claims else []
    return GateDocument(
        schema="dpaudit.gate/1",
        version=__version__,
        config=path.name,
        config_sha256=sha256,
        commit=commit_of(path.parent),
        verdict=_verdict(findings, claims),
        mechanisms=tuple(findings),
        claims=tuple(claims),
    )


def with_digits(config: GateConfig, digits: int | None) -> GateConfig:
    """Return a configuration whose entries have at least so many digits.

    Fewer are never taken: what is called a tie of the last digits would get coarser.  Of a sampler
    draws are counted, at no digits.
    Raises ``ParameterError`` for a number of digits that no configuration has.
    """
    if digits is None:
        return config
    if not 1 <= digits <= MOST_DIGITS:
        raise ParameterError("digits", f"digits = {digits}: must be from 1 to {MOST_DIGITS}")
    entries = [
        entry
        if entry_question(entry).counts_draws
        else replace(entry, digits=max(digits, entry.digits or config.digits))
        for entry in config.mechanisms
    ]
    return replace(config, mechanisms=entries, digits=max(digits, config.digits))


def _check_entries(path: Path, config: GateConfig) -> list[Spec]:
    """Return what the entries name; find what is wrong with them before any is looked at."""
    folder, specs = path.parent.resolve(), []
    for index, entry in enumerate(config.mechanisms):
        try:
            where = f"mechanism[{index}].interval"
            parameters = entry_question(entry).parameters(entry)
            specs.append(reference(entry.mechanism, parameters, folder))
            for key, check in check_keys(entry).items():
                where = f"mechanism[{index}].{key.replace('_', '-')}"
                check(entry)
            where = f"mechanism[{index}]"
            check_entry(entry, config, specs[-1])
        except UsageError as error:
            raise ConfigError(path, where, in_keys(str(error))) from None
        except DpauditError:
            continue  # its process will say the same
    return specs


def _with_calls(path: Path, config: GateConfig) -> GateConfig:
    """Return the configuration with calls for its functions; ``ConfigError`` for bad inputs."""
    entries = []
    for index, entry in enumerate(config.mechanisms):
        try:
            check_function(entry)
            entries.append(as_call(entry))
        except UsageError as error:
            raise ConfigError(
                path, f"mechanism[{index}].{_key_of_function(entry)}", str(error)
            ) from None
    return replace(config, mechanisms=entries)


def _key_of_function(entry: Entry) -> str:
    """Return the first key of a function that an entry has."""
    keys = ("inputs", "neighbours", "only", "accepts")
    return next(key for key in keys if getattr(entry, key) is not None)


def _together(path: Path, config: GateConfig) -> GateConfig:
    """Return the configuration, its entries with what those of one question share among them."""
    entries: Sequence[Entry] = config.mechanisms
    try:
        for question in entry_questions():
            entries = question.together(entries)
    except UsageError as error:
        raise ConfigError(path, "mechanism", str(error)) from None
    return replace(config, mechanisms=list(entries))


def _verdict(findings: list[Finding], claims: list[ClaimFinding]) -> GateVerdict:
    if not findings and not claims:
        return GateVerdict.UNDECIDED
    if all(finding.passed for finding in findings) and all(claim.passed for claim in claims):
        drawn = any(finding.kind.statistical for finding in findings)
        return GateVerdict.NOT_REFUTED if drawn else GateVerdict.WITHIN
    failing = (Kind.EXCEEDS, Kind.TIE, Kind.DIFFERS)
    certain = any(one.kind in failing for one in findings) or any(
        not one.passed and one.found not in UNDECIDED for one in claims
    )
    return GateVerdict.EXCEEDS if certain else GateVerdict.UNDECIDED
