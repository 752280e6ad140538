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
from dpaudit.gate.baseline import read_baseline
from dpaudit.gate.config import MOST_DIGITS, Entry, GateConfig, hashed_config, in_keys
from dpaudit.gate.entries import check_keys, entry_question, entry_questions
from dpaudit.gate.functions import as_call, check_function
from dpaudit.gate.messages import finding, read_message
from dpaudit.gate.requests import check_entry, clean
from dpaudit.gate.revision import commit_of
from dpaudit.gate.work import preload, tell
from dpaudit.machine import LEAST_MEMORY, MOST_MEMORY, available
from dpaudit.report.differing import compare_with_gate
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
    """Return a finding for every claim; one that is not decided in time has not passed.

    One process decides all claims and has ``config.time_cap`` seconds for them together.
    """
    patterns = list(config.claims.items())
    child = Child.start(_tell, (patterns,), config.time_cap)
    findings: list[ClaimFinding] = []
    done, answers = 0, 0  # finished patterns; findings so far of the pattern after them
    try:
        while done < len(patterns) and not child.over and not child.late:
            child.listen(_CLAIM_POLL)
            for line in child.lines():
                if done == len(patterns):
                    raise ValueError("it has more answers than there are claims")
                if line:
                    findings.append(_claim_outcome(line, *patterns[done]))
                    progress(findings[-1].id)
                    answers += 1
                elif answers:
                    done, answers = done + 1, 0
                else:
                    raise ValueError(f"nothing about {patterns[done][0]}")
    except ValueError as error:
        reason = f"the message of their process is not a verdict: {error}"
        return findings + [_claim_finding(*claim, "crashed", reason) for claim in patterns[done:]]
    finally:
        child.end()
    kind, reason = "crashed", f"its process ended ({child.how_it_ended()})"
    if not child.over:
        kind, reason = "time cap", f"not decided after {config.time_cap:g} s"
    return findings + [_claim_finding(*claim, kind, reason) for claim in patterns[done:]]


class _ClaimMessage(msgspec.Struct, forbid_unknown_fields=True):
    """Outcome of one claim, from the process that decides it."""

    id: str
    found: str
    reason: str


def _tell(send: Callable[[bytes], None], patterns: list[tuple[str, str]]) -> None:
    """Send every finding on a line, and an empty line after those of each pattern."""
    from dpaudit.claims.discover import discover

    claims = discover()
    for pattern, _ in patterns:
        for message in _decide(claims, pattern):
            send(msgspec.json.encode(message) + b"\n")
        send(b"\n")


def _claim_outcome(line: bytes, pattern: str, expected: str) -> ClaimFinding:
    """Return the finding of a claim that a pattern selects; whether it passes is decided here.

    Raises ``ValueError`` for a line that is no message, or that is about another claim.
    """
    try:
        message = msgspec.json.decode(line, type=_ClaimMessage)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(str(error)) from None
    if message.id != pattern and not fnmatchcase(message.id, pattern):
        raise ValueError(f"{clean(message.id)} is not {pattern}")
    return _claim_finding(clean(message.id), expected, clean(message.found), clean(message.reason))


def _decide(registered: dict[str, Registered], pattern: str) -> Iterator[_ClaimMessage]:
    from dpaudit.claims.deciding import decide_registered
    from dpaudit.claims.discover import ClaimError, select

    try:
        chosen = select(registered, (pattern,))
    except ClaimError as error:
        yield _ClaimMessage(pattern, "unknown", str(error))
        return
    for item in chosen:
        decision = decide_registered(item)
        yield _ClaimMessage(item.claim.id, decision.headline, decision.reason)


def _claim_finding(claim: str, expected: str, outcome: str, reason: str) -> ClaimFinding:
    passed = outcome == expected and outcome not in UNDECIDED
    message = f"{outcome}, as expected" if passed else reason or f"{outcome}, not {expected}"
    return ClaimFinding(id=claim, expected=expected, found=outcome, passed=passed, message=message)


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
    """Return the finding of every mechanism, at most ``jobs`` of them at the same time.

    Each may take as many megabytes as its entry says, else ``memory_cap``, else as the
    configuration says; else they share what there is.
    """
    share = min(max(available() // jobs >> 20, LEAST_MEMORY), MOST_MEMORY)
    # Reversed, for entries are popped from its end: they start in the order of the configuration.
    waiting = list(enumerate(zip(config.mechanisms, specs, strict=True)))[::-1]
    running: list[_Running] = []
    findings: dict[int, Finding] = {}
    with ExitStack() as stack:
        parent = stack.enter_context(parent_of(preload)) if len(waiting) > 1 else None

        def end_all() -> None:
            for process in running:
                process.child.end()

        stack.callback(end_all)  # an interrupted gate leaves no process behind
        while waiting or running:
            while waiting and len(running) < jobs:
                index, (entry, spec) = waiting.pop()
                memory = entry.memory_cap or memory_cap or config.memory_cap or share
                arguments = (spec, replace(entry, memory_cap=memory), config, curves)
                seconds = entry.time_cap or config.time_cap
                child = Child.start(tell, arguments, seconds, parent=parent)
                running.append(_Running(index, entry, spec, child))
            for process in list(running):
                process.child.listen(0)  # no wait: the others must be heard too
                if not process.child.over and not process.child.late:
                    continue
                running.remove(process)
                process.child.end()
                findings[process.index] = _finding(process, config)
                progress(process.entry.title)
            time.sleep(_POLL)
    return [findings[index] for index in sorted(findings)]


def _finding(process: _Running, config: GateConfig) -> Finding:
    """Return the finding of an entry whose process has ended."""
    child, entry = process.child, process.entry
    if child.too_much:
        reason = f"its process sent more than {MOST_BYTES} bytes"
        return finding(entry, Kind.CRASHED, reason)
    if child.crowded:
        return finding(entry, Kind.CRASHED, f"its process was ended: {child.how_it_ended()}")
    if not child.over:
        cap = entry.time_cap or config.time_cap
        return finding(entry, Kind.TIME_CAP, f"not finished after {cap:g} s")
    if not child.said:
        return finding(entry, Kind.CRASHED, f"its process ended ({child.how_it_ended()})")
    try:
        return read_message(bytes(child.said), entry, config, process.spec)
    except ValueError as error:
        reason = f"the message of its process is not an audit of this entry: {error}"
        return finding(entry, Kind.CRASHED, reason)


def run_gate(
    path: str | Path,
    jobs: int = 1,
    progress: Callable[[str], None] = lambda title: None,
    *,
    curves: bool = False,
    digits: int | None = None,
    memory_cap: int | None = None,
    baseline: str | Path | None = None,
) -> GateDocument:
    """Check everything that the configuration at ``path`` lists, and return the findings.

    The arguments are those of :func:`dpaudit.gate.interface.run_gate`.
    """
    path = Path(path)
    config, sha256 = hashed_config(path)
    config = _with_calls(path, with_digits(config, digits))
    specs = _check_entries(path, config)
    config = _together(path, config)
    older = read_baseline(path, config, baseline)
    findings = run_entries(config, specs, jobs, progress, curves=curves, memory_cap=memory_cap)
    claims = run_claims(config, progress) if config.claims else []
    document = GateDocument(
        schema="dpaudit.gate/1",
        version=__version__,
        config=path.name,
        config_sha256=sha256,
        commit=commit_of(path.parent),
        verdict=_verdict(findings, claims),
        mechanisms=tuple(findings),
        claims=tuple(claims),
    )
    if older is None:
        return document
    return replace(document, baseline=compare_with_gate(older, document))


def with_digits(config: GateConfig, digits: int | None) -> GateConfig:
    """Return a configuration whose entries have at least so many digits.

    Digits are only ever raised, for fewer would let a coarser interval count as a tie.  Entries
    that count draws have no digits and are unchanged.

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
    """Return the references of all entries; ``ConfigError`` naming the first key that is wrong.

    All entries are checked before the first is audited.
    """
    folder, specs = path.parent.resolve(), []
    for index, entry in enumerate(config.mechanisms):
        try:
            where = f"mechanism[{index}].interval"
            question = entry_question(entry)
            specs.append(question.spec(entry, folder))
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
    certain = any(finding.kind in failing for finding in findings) or any(
        not claim.passed and claim.found not in UNDECIDED for claim in claims
    )
    return GateVerdict.EXCEEDS if certain else GateVerdict.UNDECIDED
