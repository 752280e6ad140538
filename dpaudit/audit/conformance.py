"""Is this a mechanism at all?  What an author gets told before any privacy is measured.

Every check looks at every dataset and pair of the sizes it is given, says what it saw, and names
the first place where something is wrong.  A check that cannot be made because an earlier one failed
is *not reached*, which is no pass.
"""

from __future__ import annotations

import pickle
import re
import time
from typing import TYPE_CHECKING, Any

from dpaudit import errors
from dpaudit.audit.findings import Findings, is_of_the_package, listed_datasets, listed_pairs
from dpaudit.errors import counted
from dpaudit.laws.explicit import ExplicitLaw, OpenLaw, WrittenLaw
from dpaudit.laws.rest import RestLaw
from dpaudit.mechanisms.apart import DerivedApart
from dpaudit.mechanisms.law_tables import Table, same_law
from dpaudit.mechanisms.loading import load, spec_of
from dpaudit.mechanisms.user import FiniteMechanism
from dpaudit.mechanisms.user_laws import OwnLaws, read_table
from dpaudit.numbers.ball import Ball, PrecisionNeeded, Sign, precision, sign
from dpaudit.numbers.real import Real
from dpaudit.results import CHECKS, Conformance, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dpaudit.mechanisms.base import Mechanism

__all__ = ["check_what_is_relied_on", "conformance"]

_BITS = 128
_SECONDS_PER_ENTRY = 1e-5
_MOST_ASKED = 200
_ADDRESS = re.compile(r"\bat 0x[0-9a-f]{6,}")


def conformance(mechanism: Mechanism[Any], sizes: Sequence[int], cap: float = 60.0) -> Conformance:
    """Return what is wrong with ``mechanism`` as one, at the given ``sizes``.

    ``cap`` is the number of seconds that an audit may take; ``TimeCapReached``, when raised by
    whoever keeps the time, ends the checks and is itself a finding.
    """
    findings = Findings()
    try:
        with precision(_BITS):
            _guarded(findings, "budget", lambda: _budget(mechanism, findings))
            for n in sizes:
                _size(mechanism, n, findings, cap)
    except errors.TimeCapReached:
        waited = findings.doing or "it"
        findings.fail("speed", f"slow: {waited} took longer than the time cap of {cap:g} s")
    names = [name for name in CHECKS if name != "many" or _many(mechanism)]
    checks = tuple(findings.check(name) for name in names)
    conforms = all(check.status is Status.PASSED for check in checks)
    return Conformance(mechanism.name, tuple(sizes), conforms, checks, mechanism.loaded_from)


def _many(mechanism: Mechanism[Any]) -> bool:
    return isinstance(mechanism, FiniteMechanism) and mechanism.many is not None


def _budget(mechanism: Mechanism[Any], findings: Findings) -> None:
    findings.doing = "the budget"
    stated = mechanism.stated
    findings.notes["budget"] = (
        "none is stated: audits need --budget" if stated is None else str(stated)
    )


def _size(mechanism: Mechanism[Any], n: int, findings: Findings, cap: float) -> None:
    # What was complete at one size has to be complete at the next as well.
    findings.completed &= {"budget"}
    datasets = _guarded(
        findings, "datasets", lambda: listed_datasets(mechanism.adjacency(), n, findings)
    )
    if datasets is None:
        return
    pairs = _guarded(
        findings, "neighbours", lambda: listed_pairs(mechanism.adjacency(), n, datasets, findings)
    )
    start = time.perf_counter()
    laws = _own if isinstance(mechanism, FiniteMechanism) else _any
    outputs = laws(mechanism, datasets, findings)
    seconds = time.perf_counter() - start
    _complete_laws(findings)
    if outputs is None:
        return
    if _many(mechanism):
        _guarded(findings, "many", lambda: _hook(mechanism, datasets, findings))
    _guarded(findings, "texts", lambda: _texts(datasets, outputs, findings))
    _guarded(findings, "processes", lambda: _processes(mechanism, datasets[0], outputs, findings))
    if pairs is not None:
        visited = 1 if mechanism.adjacency().alike else pairs
        whole = seconds + visited * len(outputs) * _SECONDS_PER_ENTRY
        findings.complete("speed")
        _speed(n, seconds / (2 * len(datasets)), whole, findings, cap)


def _guarded(findings: Findings, check: str, action: Callable[[], Any]) -> Any:
    """Return what ``action`` returns; None if it fails, which is a finding of ``check``."""
    try:
        found = action()
        findings.complete(check)
        return found
    except errors.AmbiguousRelationError:
        raise  # which neighbours are meant is asked, not found
    except (errors.DpauditError, PrecisionNeeded) as error:
        findings.fail(check, str(error))
    except Exception as error:
        findings.fail(check, f"it raised {errors.one_line(error)}")
    return None


def check_what_is_relied_on(
    mechanism: Mechanism[Any], sizes: Sequence[int], adjacency: str | None = None
) -> None:
    """Check of a mechanism of others what an audit relies on and does not see by itself.

    The datasets are the same when they are listed again; the pairs of a relation of the author's
    own are those of its name; laws that are not tables are the same when they are asked for again
    (tables are asked for twice in every audit).

    Args:
        mechanism: one whose code is not of the package.
        sizes: the sizes of the audit.
        adjacency: the neighbouring relation; by default the mechanism's own.

    Raises:
        LawError: for the first thing that is not so.
        AmbiguousRelationError: where it is not clear which neighbours are meant.
    """
    relation = mechanism.adjacency(adjacency)
    with precision(_BITS):
        for n in sizes:
            findings = Findings()
            datasets = listed_datasets(relation, n, findings)
            if not is_of_the_package(relation):
                listed_pairs(relation, n, datasets, findings)
            if not isinstance(mechanism, FiniteMechanism):
                _any(mechanism, datasets[:: 1 + len(datasets) // _MOST_ASKED], findings)
            for failures in findings.failures.values():
                raise errors.LawError(failures[0])


# -- laws ------------------------------------------------------------------------------------------


def _complete_laws(findings: Findings) -> None:
    """Note which checks have seen every law: those that no earlier failure kept from it."""
    findings.complete("laws")
    for check in ("probabilities", "sums"):
        if findings.failures.keys() & {"laws", "probabilities"} - {check}:
            return
        findings.complete(check)
    findings.complete("stable")


def _own(mechanism: Any, datasets: list[Any], findings: Findings) -> list[Any] | None:
    """Check the laws of a written-out mechanism one by one; return outputs, None if there are none.

    A law that changes is told apart from one that is none: each is asked for twice.
    """
    outputs: dict[Any, None] = {}
    exact = open_ = 0
    for dataset in datasets:
        where = f"at {dataset!r}"
        findings.doing = f"the law {where}"
        if _is_no_table(mechanism, dataset, where, findings):
            open_ += 1
            continue
        tables: list[Any] = []
        for _ in range(2):
            table = _table(mechanism, dataset, where, findings)
            if table is not None:
                tables.append(table)
        if tables and isinstance(tables[0], OpenLaw):
            open_ += _hold(tables, where, findings)
            continue
        if len(tables) == 2 and not same_law(*tables):
            findings.fail("stable", f"{where}: two calls gave two different output distributions")
        for table in tables[:1]:
            outputs.update(dict.fromkeys(table))
            exact += all(isinstance(weight, Real) for weight in table.values())
            _weights(mechanism, table, where, findings)
    laws = f"{len(datasets)}, {open_} of them without a table" if open_ else str(len(datasets))
    findings.notes["laws"] = f"{laws}, with {counted(len(outputs), 'output')} in all"
    listed = len(datasets) - open_
    how = "exact" if exact == listed else f"exact at {exact} of {listed} datasets"
    findings.notes["probabilities"] = f"{how}, else balls" if exact < listed else how
    findings.notes["sums"] = "exactly" if mechanism.normalised else "they are divided by their sum"
    if exact < listed and mechanism.normalised:
        findings.notes["sums"] = f"to {_BITS} bits"
    if not listed:
        findings.notes["probabilities"] = findings.notes["sums"] = "as they were derived"
    return list(outputs) or ([] if open_ else None)


def _is_no_table(mechanism: Any, dataset: Any, where: str, findings: Findings) -> bool:
    """Tell whether a law that is derived, or has a rest, is none of listed outputs."""
    if mechanism.rest is None and not isinstance(mechanism, DerivedApart):
        return False
    try:
        laws = [mechanism.laws().law(dataset) for _ in range(2)]
    except (errors.DpauditError, PrecisionNeeded):
        return False  # what is wrong is said of the table
    return isinstance(laws[0], OpenLaw) and _hold(laws, where, findings)


def _hold(laws: Sequence[Any], where: str, findings: Findings) -> bool:
    """Hold a law to what it is when it is asked for again; return True."""
    # A law loses nothing against itself: any loss above 0 shows two laws.
    divergence = laws[0].divergence_from(laws[-1])
    loss = divergence.loss_from_below(forward=True) or divergence.max_loss(forward=True)
    if sign(loss.ball) is Sign.POSITIVE:
        findings.fail("stable", f"{where}: two calls gave two different output distributions")
    return True


def _table(mechanism: Any, dataset: Any, where: str, findings: Findings) -> Table | OpenLaw | None:
    """Return the law, as a table of numbers if it is one; None if it is none, which is noted."""
    book = OwnLaws(mechanism.title, mechanism.law)
    try:
        found = book.called(dataset)
        if isinstance(found, WrittenLaw):
            return found.written()
    except errors.LawError as error:
        findings.fail("laws", f"{where}: {error}")
        return None
    if not hasattr(found, "items") or not found:
        empty = "the output distribution has no outputs" if hasattr(found, "items") else ""
        kind = (
            f"it returned a {type(found).__name__}; return a mapping from outputs to probabilities"
        )
        findings.fail("laws", f"{where}: {empty or kind}")
        return None
    try:
        return read_table(found)
    except errors.LawError as error:
        findings.fail("probabilities", f"{where}: {error}")
        return None


def _weights(mechanism: Any, table: Table, where: str, findings: Findings) -> None:
    for output, weight in table.items():
        found = sign(weight) if isinstance(weight, Ball) else weight.sign()
        if found is Sign.NEGATIVE:
            findings.fail("probabilities", f"{where}: output {output!r} has {weight}, below 0")
            return
    try:
        if mechanism.rest is None:
            ExplicitLaw(table, normalised=mechanism.normalised)
        else:
            RestLaw(table, mechanism.rest)
    except (errors.DpauditError, PrecisionNeeded) as error:
        findings.fail("sums", f"{where}: {error}")


def _any(mechanism: Any, datasets: list[Any], findings: Findings) -> list[Any] | None:
    """Check the laws of any other mechanism by what they say of themselves."""
    book, other = mechanism.laws(), mechanism.laws()
    outputs: dict[Any, None] = {}
    for dataset in datasets:
        where = f"at {dataset!r}"
        findings.doing = f"the law {where}"
        for check, message in _self_comparison(book, other, dataset, outputs):
            findings.fail(check, f"{where}: {message}")
    findings.notes["laws"] = f"{len(datasets)}"
    findings.notes["sums"] = f"to {_BITS} bits"
    return list(outputs) or None


def _self_comparison(
    book: Any, other: Any, dataset: Any, outputs: dict[Any, None]
) -> Iterator[tuple[str, str]]:
    """Hold a law against itself, asked for twice: masses add up to 1, and no loss is above 0."""
    try:
        divergence = book.law(dataset).divergence_from(other.law(dataset))
        total = Ball(0)
        for atom in divergence.atoms(forward=True):
            outputs[atom.output] = None
            total += atom.p
            if sign(atom.p) is Sign.NEGATIVE:
                yield "probabilities", f"output {atom.output!r} has {atom.p}, below 0"
        if sign(total - 1) not in (Sign.ZERO, Sign.UNDECIDED):
            yield "sums", f"the sum of the probabilities is {total.str(12, radius=False)}"
        if sign(divergence.max_loss(forward=True).ball) is Sign.POSITIVE:
            yield "stable", "two calls gave two different output distributions"
    except (errors.DpauditError, PrecisionNeeded) as error:
        yield "laws", str(error)
    except Exception as error:
        yield "laws", f"it raised {errors.one_line(error)}"


def _hook(mechanism: Any, datasets: list[Any], findings: Findings) -> None:
    findings.doing = f"laws() of {len(datasets)} datasets"
    book = mechanism.laws()
    for dataset in datasets:
        if not same_law(book.table(dataset), read_table(book.called(dataset))):
            raise errors.LawError(f"they give different output distributions at {dataset!r}")


# -- what reports and workers need -----------------------------------------------------------------


def _texts(datasets: list[Any], outputs: list[Any], findings: Findings) -> None:
    findings.doing = "the texts of datasets and outputs"
    for what, values in (("datasets", datasets), ("outputs", outputs)):
        texts: dict[str, Any] = {}
        for value in values:
            try:
                text = str(value)
            except Exception as error:
                findings.fail(
                    "texts", f"the text of one of the {what} raised {errors.one_line(error)}"
                )
                continue
            if _ADDRESS.search(text):
                findings.fail(
                    "texts",
                    f"one of the {what} has the text {text}, which differs from run to "
                    "run: define its __str__",
                )
            elif text in texts:
                findings.fail(
                    "texts", f"two {what} have the same text {text}: {texts[text]!r} and {value!r}"
                )
            texts[text] = value


def _processes(mechanism: Any, dataset: Any, outputs: list[Any], findings: Findings) -> None:
    findings.doing = "a copy of the mechanism"
    try:
        pickle.loads(pickle.dumps((dataset, outputs)))
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise errors.LawError(f"{errors.one_line(error)}: audits with --jobs will fail") from None
    try:
        load(spec_of(mechanism))
    except errors.LoadError as error:
        findings.notes["processes"] = str(error)


def _speed(n: int, law: float, whole: float, findings: Findings, cap: float) -> None:
    findings.doing = "the laws"
    text = (
        f"{_duration(law)} for an output distribution, {_duration(whole)} for an audit at n = {n}"
    )
    if whole > cap:
        findings.fail("speed", f"slow: {text}, more than the {cap:g} s allowed")
    findings.notes["speed"] = text


def _duration(seconds: float) -> str:
    return "less than 1 s" if seconds < 1 else f"about {seconds:.0f} s"
