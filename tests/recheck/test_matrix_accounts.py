"""Accounts of matrix mechanisms: a changed field is refused, or named as taken from the report."""

import copy
import json
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, get_args, get_origin

import msgspec
import numpy as np
import pytest

from dpaudit import results
from dpaudit.cli.main import invoke
from dpaudit.recheck.findings import NotAReportError
from dpaudit.recheck.verify import verify
from dpaudit.results.documents import seal_of

PREFIX = np.tril(np.ones((12, 12)))
SIGNED = np.tril(np.random.default_rng(3).normal(size=(12, 12)))
BANDED = np.tril(np.triu(SIGNED, -3))
NEAR = np.abs(np.tril(np.triu(SIGNED, -5)))
APART = ["--max-participations", "3", "--min-sep", "4"]
STRATEGIES: dict[str, tuple[Any, list[str], str]] = {
    "toeplitz": (PREFIX, APART, "toeplitz"),
    "orthogonal": (BANDED, APART, "orthogonal"),
    "neighbours": (NEAR, APART, "neighbours"),
    "search": (SIGNED, APART, "search"),
    "patterns": (SIGNED, [*APART, "--participation", "fixed-epoch"], "patterns"),
    "one step": (SIGNED, ["--max-participations", "1", "--min-sep", "1"], "orthogonal"),
}
"""Strategies, their participation, and the method of the upper end of the sensitivity."""

TAKEN = {
    "fingerprint": "fingerprint",
    "width": "how narrow it was asked for",
    "relative": "how narrow it was asked for",
    "max_participations": "participation",
    "min_sep": "participation",
    "participation": "participation",
    "bound": "search",
    "rows": "of the rows",
    "path": "strategy",
    "sha256": "the sensitivity",
}
"""Fields that may be changed, each with words that a recheck then says: it has not checked them."""

_PART = {"mechanism": {"name": "Gaussian", "sigma": "1"}, "stated": None, "compose": 1}
_SOLVED = {
    "parameter": "sigma",
    "value": "2",
    "failing": "1.9",
    "failing_delta": {"lower": "0.1", "upper": "0.1"},
    "failing_verdict": "exceeds",
}
OMITTED: dict[str, list[Any]] = {
    "adjacency_defaulted": [True],
    "at": ["0,1", "1,0", "0,5"],
    "epsilon_unit": ["bits"],
    "loaded": [{"reference": "a.py:f", "sha256": "0" * 64}],
    "then": [[_PART]],
    "sample_rate": ["1", "1/2"],
    "direction": ["add", "remove", "both", "substitution"],
    "batches": [{"sampling": "shuffle", "relation": "zero out"}],
    "training": [{"source": "opacus"}],
    "solved": [_SOLVED],
    "unmet": [True],
    "interrupted": [True],
    "refused": [["a question that was asked"]],
    "relation": ["add or remove"],
    "path": [],
    "exact": ["1", "1/3"],
}
"""Fields that a document leaves out at their defaults, with other values."""


def leaves(part: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Iterate over the places of a document, lists of numbers included, with what is there."""
    if isinstance(part, dict | list):
        for key in part if isinstance(part, dict) else range(len(part)):
            yield from leaves(part[key], (*path, key))
    if not isinstance(part, dict):
        yield path, part


FACTORS = ("2", "0.5", "1.001", "0.999", "0", "1.000000000000001", "0.999999999999999")
LITERALS = {
    field.encode_name: get_args(field.type)
    for kind in (results.CertifiedAccount, results.MatrixRelease, results.EpsilonRow)
    for field in msgspec.structs.fields(kind)
    if get_origin(field.type) is not None and all(isinstance(x, str) for x in get_args(field.type))
}
"""Fields whose values are listed, with all of them."""


def changes(path: tuple[Any, ...], value: Any) -> list[Any]:
    """Return other values for a place of a document."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, value - 1, value + 5]
    if isinstance(value, list):
        return [value[:-1], [*value, *value[-1:]], value[::-1]]
    others = [value + "x", *LITERALS.get(str(path[-1]), ())]
    others += ["histogram-add-remove", "vector-l1"] if path[-1] == "adjacency" else []
    others += [verdict.value for verdict in results.Verdict] if path[-1] == "verdict" else []
    try:
        number = Decimal(value)
    except InvalidOperation:
        return others
    return [*others, *(str(number * Decimal(by)) for by in FACTORS)]


def said(folder: Path, document: dict[str, Any]) -> tuple[str, str]:
    """Return the verdict on a document that is sealed anew, and what it does not rest on."""
    path = folder / "changed.json"
    path.write_text(json.dumps({**document, "sha256": seal_of(document)}, ensure_ascii=False))
    try:
        found = verify(path)
    except NotAReportError:
        return "rejected", ""
    return found.verdict, "\n".join([*found.taken, *(one.message for one in found.unconfirmed)])


def account(folder: Path, name: str) -> dict[str, Any]:
    """Return the document of an account, with rows of both kinds and a budget."""
    strategy, words, _ = STRATEGIES[name]
    path, report = folder / "strategy.npy", folder / "report.json"
    np.save(path, strategy)
    questions = ["--delta", "1e-5", "--epsilon", "2", "--budget", "9,1e-5"]
    options = ["--noise-multiplier", "6", *words, *questions, "--format", "json"]
    assert invoke(["account-matrix", str(path), *options, "--output", str(report)]) in (0, 1, 3)
    document: dict[str, Any] = json.loads(report.read_text())
    return document


def changed(document: dict[str, Any]) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    """Iterate over documents that differ in one place, each with that place."""
    places = [
        (path, other)
        for path, value in leaves(document)
        if path not in ((), ("sha256",))
        for other in changes(path, value)
        if json.dumps(other) != json.dumps(value)
    ]
    parts: list[tuple[Any, ...]] = [(), ("matrix",), ("matrix", "sensitivity")]
    parts += [("rows", number) for number in range(len(document["rows"]))]
    for path in parts:
        part: Any = document
        for key in path:
            part = part[key]
        places += [
            ((*path, name), other)
            for name, others in OMITTED.items()
            for other in others
            if name not in part and name in FIELDS[path[:1] if path[:1] == ("rows",) else path]
        ]
    for path, other in places:
        document_of = copy.deepcopy(document)
        part = document_of
        for key in path[:-1]:
            part = part[key]
        part[path[-1]] = other
        yield path, document_of


_STRUCTS: dict[tuple[Any, ...], list[Any]] = {
    (): [results.CertifiedAccount],
    ("matrix",): [results.MatrixRelease],
    ("matrix", "sensitivity"): [results.Enclosure],
    ("rows",): [results.EpsilonRow, results.DeltaRow],
}
FIELDS: dict[tuple[Any, ...], set[str]] = {
    path: {field.encode_name for kind in kinds for field in msgspec.structs.fields(kind)}
    for path, kinds in _STRUCTS.items()
}
"""Fields of the parts of an account of a matrix mechanism."""


@pytest.mark.wrong_on_purpose
@pytest.mark.parametrize("name", STRATEGIES)
def test_a_changed_field_is_refused_or_named_as_taken(name: str, tmp_path: Path) -> None:
    document = account(tmp_path, name)
    assert document["matrix"]["bound"] == STRATEGIES[name][2]
    assert said(tmp_path, document)[0] == "accepted"
    refused = set()
    for path, other in changed(document):
        verdict, words = said(tmp_path, other)
        if verdict == "rejected":
            refused.add(path)
            continue
        field = next(key for key in reversed(path) if isinstance(key, str))
        assert field in TAKEN, (path, verdict)
        assert TAKEN[field] in words, (path, verdict, words)
    fields = {path[-1] for path in refused}
    assert {"n", "pairs", "adjacency", "method", "adaptive_upper", "upper", "lower"} <= fields


def test_every_field_of_an_account_is_changed(tmp_path: Path) -> None:
    """A field that accounts gain has to be in ``OMITTED``, or in the document."""
    paths = {path for path, _ in changed(account(tmp_path, "search"))}
    for at, fields in FIELDS.items():
        place = len(at) + (at == ("rows",))
        inside = {path[place] for path in paths if path[: len(at)] == at and len(path) > place}
        assert fields - inside <= {"sha256"}, at


@pytest.mark.wrong_on_purpose
def test_another_method_of_an_upper_end_is_refused_without_its_second_computation(
    tmp_path: Path,
) -> None:
    """Of a long strategy, whose upper end is not computed again, the method still follows."""
    long = np.tril(np.random.default_rng(1).normal(size=(80, 80)))
    path, report = tmp_path / "long.npy", tmp_path / "report.json"
    np.save(path, long)
    words = ["--noise-multiplier", "50", *APART, "--delta", "1e-5", "--format", "json"]
    assert invoke(["account-matrix", str(path), *words, "--output", str(report)]) == 0
    document = json.loads(report.read_text())
    assert said(tmp_path, document)[0] == "unconfirmed"
    for bound in ("toeplitz", "orthogonal", "neighbours", "patterns"):
        document["matrix"]["bound"] = bound
        assert said(tmp_path, document)[0] == "rejected"


@pytest.mark.parametrize("name", ["toeplitz", "search"])
@pytest.mark.parametrize("noise", ["0.01", "0.37", "1e4", "1e40"])
def test_extreme_rows_are_accepted_as_they_are(name: str, noise: str, tmp_path: Path) -> None:
    """Infinite ε, ε = 0, and δ that are shown as 0 to 10 to minus 12,000 agree to 17 digits."""
    strategy, words, _ = STRATEGIES[name]
    path, report = tmp_path / "strategy.npy", tmp_path / "report.json"
    np.save(path, strategy)
    questions = ["--delta", "0,1e-400,1e-5,0.4,0.999", "--epsilon", "0,1e-9,1,300,1e5"]
    options = ["--noise-multiplier", noise, *words, *questions, "--format", "json"]
    assert invoke(["account-matrix", str(path), *options, "--output", str(report)]) == 0
    assert said(tmp_path, json.loads(report.read_text()))[0] == "accepted"
