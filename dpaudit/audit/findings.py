"""Findings of checks of conformance, collected while they run.

What a mechanism lists, datasets and pairs of neighbours, held to what it says of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from dpaudit.data.neighbouring import by_name
from dpaudit.errors import LawError, counted
from dpaudit.results import CHECKS, CheckResult, Status, steady_repr

__all__ = ["Findings", "is_of_the_package", "listed_datasets", "listed_pairs"]


@dataclass
class Findings:
    """Failures and notes by check, collected while the checks run."""

    failures: dict[str, list[str]] = field(default_factory=dict)
    """Failures of each check, in the order in which they were found."""
    notes: dict[str, str] = field(default_factory=dict)
    """Remarks on checks that are passed."""
    completed: set[str] = field(default_factory=set)
    """The checks that have looked at everything."""
    doing: str = ""
    """Step that is under way, for a message if it does not end."""

    def complete(self, *checks: str) -> None:
        """Note that ``checks`` have looked at everything there is at this size."""
        self.completed.update(checks)

    def fail(self, check: str, message: str) -> None:
        """Note one thing that is wrong."""
        self.failures.setdefault(check, []).append(message)

    def check(self, name: str) -> CheckResult:
        """Return what was found by the check of that ``name``."""
        if found := self.failures.get(name):
            more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
            return CheckResult(name, CHECKS[name], Status.FAILED, found[0] + more)
        if name not in self.completed:
            return CheckResult(name, CHECKS[name], Status.NOT_REACHED, "left unchecked")
        return CheckResult(name, CHECKS[name], Status.PASSED, self.notes.get(name, ""))


_MOST_NAMED = 1500


def listed_datasets(relation: Any, n: int, findings: Findings) -> list[Any]:
    """Return the datasets at ``n``; ``LawError`` for others the second time, or a wrong number."""
    findings.doing = f"the list of datasets at n = {n}"
    datasets = list(relation.datasets(n))
    again = getattr(relation, "read_datasets", relation.datasets)
    if list(again(n)) != datasets:
        raise LawError(f"a second listing gives different datasets at n = {n}")
    if not datasets:
        raise LawError(f"there are no datasets at n = {n}")
    if len(set(datasets)) != len(datasets):
        raise LawError(f"a dataset occurs twice at n = {n}")
    if relation.dataset_count(n) != len(datasets):
        raise LawError(
            f"{relation.dataset_count(n)} are announced at n = {n}, but {len(datasets)} are listed"
        )
    findings.notes["datasets"] = f"{len(datasets)} at n = {n}"
    return datasets


def listed_pairs(relation: Any, n: int, datasets: list[Any], findings: Findings) -> int:
    """Return how many pairs there are at ``n``; ``LawError`` unless they are of the relation."""
    findings.doing = f"the pairs of neighbours at n = {n}"
    known, seen = set(datasets), set()
    for left, right in relation.pairs(n):
        for dataset in (left, right):
            if dataset not in known:
                raise LawError(f"{dataset!r} has a neighbour, but is not a dataset at n = {n}")
        if not (relation.adjacent(left, right) and relation.adjacent(right, left)):
            raise LawError(f"{left!r} and {right!r} are a pair, but not adjacent in both orders")
        if frozenset((left, right)) in seen:
            raise LawError(f"the pair {left!r} and {right!r} is listed twice at n = {n}")
        seen.add(frozenset((left, right)))
    _named(relation, n, datasets, seen)
    for dataset in datasets:
        if relation.adjacent(dataset, dataset):
            raise LawError(f"{dataset!r} is its own neighbour")
    if relation.pair_count(n) != len(seen):
        raise LawError(
            f"{relation.pair_count(n)} pairs are announced at n = {n}, but {len(seen)} are listed"
        )
    alone = len(known.difference(*seen))
    lonely = f", {counted(alone, 'dataset')} without a neighbour" if alone else ""
    by_default = " (by default)" if relation.defaulted else ""
    findings.notes["neighbours"] = (
        f"{relation.name}{by_default}: {counted(len(seen), 'pair')} at n = {n}{lonely}"
    )
    return len(seen)


def _named(relation: Any, n: int, datasets: list[Any], seen: set[frozenset[Any]]) -> None:
    """Hold the pairs of a relation of an author's own to the relation whose name it bears."""
    named = None if is_of_the_package(relation) else by_name(relation.name)
    if named is None:
        return
    stranger = next((pair for pair in seen if not named.adjacent(*pair)), None)
    if stranger is not None:
        left, right = sorted(stranger, key=steady_repr)
        raise LawError(
            f"{left!r} and {right!r} are listed as a pair, but are not neighbours by {named.name}"
        )
    for left, right in combinations(datasets[:_MOST_NAMED], 2):
        if named.adjacent(left, right) and frozenset((left, right)) not in seen:
            raise LawError(
                f"{left!r} and {right!r} are neighbours by {named.name}, but are not listed as "
                f"a pair at n = {n}"
            )


def is_of_the_package(relation: Any) -> bool:
    """Tell whether the class of a relation is one of the package."""
    return type(relation).__module__.partition(".")[0] == "dpaudit"
