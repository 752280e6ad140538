"""Checking the mechanisms that a configuration lists, each in a process of its own."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dpaudit.audit.contained import MOST_BYTES, Child
from dpaudit.errors import ConfigError, UsageError
from dpaudit.gate.told import read_told, without_audit
from dpaudit.gate.work import tell
from dpaudit.mechanisms.references import reference
from dpaudit.notions.question import check_notion_name
from dpaudit.results import Finding, Kind

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from dpaudit.gate.config import Entry, GateConfig
    from dpaudit.mechanisms.spec import Spec

__all__ = ["check_notion", "check_order", "run_entries"]

_POLL = 0.02


@dataclass
class _Running:
    index: int
    entry: Entry
    spec: Spec
    child: Child


def run_entries(
    path: Path, config: GateConfig, jobs: int, tick: Callable[[str], None], *, curves: bool
) -> list[Finding]:
    """Return what was found of every mechanism, at most ``jobs`` of them side by side."""
    folder = path.parent.resolve()
    waiting = list(enumerate(config.mechanisms))[::-1]
    running: list[_Running] = []
    found: dict[int, Finding] = {}
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                index, entry = waiting.pop()
                spec = reference(entry.mechanism, entry.parameters, folder)
                arguments = (spec, entry, config, curves)
                child = Child.start(tell, arguments, entry.time_cap or config.time_cap)
                running.append(_Running(index, entry, spec, child))
            for one in list(running):
                one.child.listen(0)
                if not one.child.over and not one.child.late:
                    continue
                running.remove(one)
                one.child.end()
                found[one.index] = finding = _finding(one, config)
                if finding.kind is Kind.NOT_LOADED:
                    raise ConfigError(path, f"mechanism[{one.index}]", finding.message)
                tick(finding.title)
            time.sleep(_POLL)
    finally:
        for one in running:
            one.child.end()
    return [found[index] for index in sorted(found)]


def _finding(one: _Running, config: GateConfig) -> Finding:
    """Return what became of an entry whose process has come to its end."""
    child, entry = one.child, one.entry
    if child.too_much:
        reason = f"its process said more than {MOST_BYTES} bytes"
        return without_audit(entry, Kind.CRASHED, reason)
    if not child.over:
        cap = entry.time_cap or config.time_cap
        return without_audit(entry, Kind.TIME_CAP, f"not finished after {cap:g} s")
    if not child.said:
        return without_audit(entry, Kind.CRASHED, f"its process ended ({child.how_it_ended()})")
    try:
        return read_told(bytes(child.said), entry, config, one.spec)
    except ValueError as error:
        reason = f"what its process said is no audit of this entry: {error}"
        return without_audit(entry, Kind.CRASHED, reason)


def check_notion(entry: Entry) -> None:
    """Raise ``UsageError`` for a notion that there is not."""
    if entry.notion is not None and entry.notion != "renyi":
        check_notion_name(entry.notion, None)


def check_order(entry: Entry) -> None:
    """Raise ``UsageError`` for an order that is none, or that does not go with the notion."""
    if isinstance(entry.order, bool):
        raise UsageError(f"{str(entry.order).lower()} is not a number")
    if entry.notion is not None:
        check_notion_name(entry.notion, entry.order)
    elif entry.order is not None:
        raise UsageError('it goes with notion = "renyi"')
