"""The Coq development that comes with claims: its files, its theorems, and what Coq says of them.

A package of claims keeps Coq files in its folder ``coq``.  A comment in front of a theorem says
what it is to a claim: ``(* claim: ID *)``, or another of :data:`RELATIONS`.  A theorem that is said
to prove or to disprove the typed statement has to have the type that is made from that statement
(:mod:`dpaudit.kernel.stated`), by Coq's word; whether any other says what its claim says is for a
reader to judge.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from dpaudit.errors import ParameterError
from dpaudit.kernel.coq_text import source
from dpaudit.kernel.stated import KINDS, stated_file, wanted_type
from dpaudit.report.files import write_whole
from dpaudit.results import KernelTheorem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from dpaudit.claims.claim import Claim

__all__ = [
    "CLASSICAL",
    "OPEN",
    "RELATIONS",
    "Marked",
    "check",
    "coq_version",
    "fingerprint_of",
    "marked",
    "sources",
    "write",
]

OWN = ("Laws",)
"""The package's own files that a development may build on."""

CLASSICAL = frozenset(
    {
        "Classical_Prop.classic",
        "ClassicalDedekindReals.sig_forall_dec",
        "ClassicalDedekindReals.sig_not_dec",
        "FunctionalExtensionality.functional_extensionality_dep",
    }
)
"""The axioms of Coq's classical real numbers."""

RELATIONS = {
    "proves": "it is the typed statement",
    "proves on": "it is the typed statement on the smaller domain",
    "disproves": "it is the negation of the typed statement",
    "claim": "it states the claim",
    "smaller domain": "it states the claim on a smaller domain, which it names",
    "abstract": "it states the claim from hypotheses about what the claim defines",
    "part of": "it states a step",
    "refutes": "it shows a point of the claim's domain where the claim is false",
}
"""Relations of a theorem to its claim."""

OPEN = ("is_gamma",)
"""Hypotheses that a theorem leaves open: a function is given by its properties."""

Axioms = tuple[tuple[str, ...], tuple[str, ...]]
"""The axioms that a theorem rests on, and the hypotheses that it leaves open."""

_TOGETHER = 8
"""Coq is asked about so many theorems at once: each of them is a walk through all it rests on."""

_MARK = re.compile(
    rf"^\(\* ({'|'.join(RELATIONS)}): ([\w.+-]+) \*\)\n(?:Theorem|Corollary|Lemma) ([\w']+)",
    re.MULTILINE,
)
_NEEDS = re.compile(r"^From dpaudit Require (?:Import|Export) ([\w\s]+)\.", re.MULTILINE)
_AXIOM = re.compile(r"^([^\s@]\S*)", re.MULTILINE)  # also what is assumed to be guarded, say
_SECONDS = 600


@dataclass(frozen=True)
class Marked:
    """A theorem and the claim that it is about."""

    file: str
    name: str
    relation: str
    """One of :data:`RELATIONS`."""
    claim: str


def sources(packages: Iterable[str], claims: Iterable[Claim] = ()) -> dict[str, str]:
    """Return the Coq files of some packages of claims, and what they build on, by name.

    Args:
        packages: where the files are.
        claims: what the file ``Stated`` is made from, where a file needs it.

    Raises:
        ParameterError: where two packages have a file of the same name, or one that is missing.
    """
    found = {name: source(name) for name in OWN}
    for package in packages:
        folder = files(package) / "coq"
        for entry in sorted(folder.iterdir(), key=lambda e: e.name) if folder.is_dir() else ():
            name, _, ending = entry.name.partition(".")
            if ending != "v":
                continue
            if name in found:
                raise ParameterError("kernel", f"two Coq files are called {entry.name}")
            found[name] = entry.read_text(encoding="utf-8")
    if "Stated" in found:
        raise ParameterError("kernel", "Stated.v is made from the typed statements, not written")
    if any("Stated" in _needs(text) for text in found.values()):
        found["Stated"] = stated_file(claims)
    _levels(found)
    return found


def marked(texts: Mapping[str, str]) -> list[Marked]:
    """Return the theorems that are about claims."""
    return [
        Marked(file, name, relation, claim)
        for file, text in texts.items()
        for relation, claim, name in _MARK.findall(text)
    ]


def write(texts: Mapping[str, str], folder: Path) -> None:
    """Write a self-contained development: the files, and ``_CoqProject`` with their order.

    Raises:
        ParameterError: where an axiom of one's own would pass for one of Coq's, by its file's name.
    """
    order = [name for level in _levels(texts) for name in level]
    for name in sorted({axiom.partition(".")[0] for axiom in CLASSICAL} & texts.keys()):
        raise ParameterError("kernel", f"{name}.v has the name of a file of Coq that has axioms")
    for name in order:
        write_whole(folder / f"{name}.v", texts[name].encode())
    project = "\n".join(["-Q . dpaudit", *(f"{name}.v" for name in order)])
    write_whole(folder / "_CoqProject", f"{project}\n".encode())


def fingerprint_of(texts: Mapping[str, str]) -> str:
    """Return a hash of a development, the statements that it is about included."""
    parts = (part for name in sorted(texts) for part in (name, texts[name]))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def coq_version() -> str | None:
    """Return the version of the Coq that is installed, with ``coqc`` and ``coqchk``; or None."""
    if shutil.which("coqc") is None or shutil.which("coqchk") is None:
        return None
    return subprocess.run(
        ["coqc", "--print-version"], capture_output=True, text=True, check=False
    ).stdout.split()[0]


def check(
    texts: Mapping[str, str], folder: Path, jobs: int, show: Callable[[str], None]
) -> list[KernelTheorem]:
    """Compile a development in ``folder``, check the compiled files, and ask for axioms.

    A file that was compiled there before, with the same text, needs and Coq, is not again.

    Args:
        texts: the files by name.
        folder: where they are written and compiled.
        jobs: how many files are compiled at a time.
        show: is told of what is being done.

    Returns:
        What came of every theorem that is about a claim.
    """
    write(texts, folder)
    keys: dict[str, str] = {}
    failures: dict[str, str] = {}
    seconds: dict[str, float] = {}
    version = coq_version() or ""
    for level in _levels(texts):
        for name in level:
            needs = [keys[need] for need in _needs(texts[name])]
            keys[name] = hashlib.sha256(
                "\n".join([version, texts[name], *needs]).encode()
            ).hexdigest()
        show(f"coqc {' '.join(level)}")
        with ThreadPoolExecutor(jobs) as pool:
            for name, (failure, taken) in zip(
                level,
                pool.map(partial(_compiled, folder, keys, texts), level),
                strict=True,
            ):
                seconds[name] = taken
                if failure:
                    failures[name] = failure
    theorems = marked(texts)
    show("Print Assumptions")
    parts = list(_shared([one for one in theorems if one.file not in failures]))
    found: dict[str, Axioms] = {}
    with ThreadPoolExecutor(jobs) as pool:
        for told in pool.map(partial(_assumptions, folder), range(len(parts)), parts):
            found |= told
    return [_result(one, failures, found, seconds) for one in theorems]


def _shared(theorems: Iterable[Marked]) -> Iterator[list[Marked]]:
    """Part theorems by file into parts that take Coq about as long."""
    for _, own in groupby(sorted(theorems, key=lambda one: one.file), key=lambda one: one.file):
        listed = list(own)
        for start in range(0, len(listed), _TOGETHER):
            yield listed[start : start + _TOGETHER]


def _result(
    one: Marked,
    failures: Mapping[str, str],
    found: Mapping[str, Axioms],
    seconds: Mapping[str, float],
) -> KernelTheorem:
    reason = failures.get(one.file, "")
    name = f"{one.file}.{one.name}"
    axioms, left_open = found.get(name, ((), ()))
    if not reason and name not in found:
        reason = "Coq did not list its axioms"
        if one.relation in KINDS:
            reason = f"it is not a proof of {wanted_type(one.claim, one.relation)}"
    strange = sorted(set(axioms) - CLASSICAL)
    if strange:
        reason = f"it rests on {', '.join(strange)}"
    return KernelTheorem(
        claim=one.claim,
        relation=one.relation,
        theorem=name,
        accepted=not reason,
        axioms=axioms,
        open=left_open,
        seconds=round(seconds[one.file], 1),
        reason=reason,
    )


def _compiled(
    folder: Path, keys: Mapping[str, str], texts: Mapping[str, str], name: str
) -> tuple[str, float]:
    """Compile and check one file; return why that failed, or nothing, and the seconds."""
    started = time.monotonic()
    stamp = folder / f"{name}.key"
    if stamp.exists() and stamp.read_text() == keys[name] and (folder / f"{name}.vo").exists():
        return "", 0.0
    stamp.unlink(missing_ok=True)
    for command in (
        ["coqc", "-q", "-Q", ".", "dpaudit", f"{name}.v"],
        ["coqchk", "-silent", "-Q", ".", "dpaudit", "-norec", f"dpaudit.{name}"],
    ):
        code, said = _run(command, folder)
        if code:
            return f"{command[0]}: {said.strip()[-300:]}", time.monotonic() - started
    stamp.write_text(keys[name])
    return "", time.monotonic() - started


def _assumptions(folder: Path, number: int, own: Sequence[Marked]) -> dict[str, Axioms]:
    """Return the axioms and the open hypotheses of theorems of one file, by its name and theirs."""
    found = _asked(folder, number, own)
    if found is None:  # one of them does not say what it is to say: the others may
        found = {}
        for one in own:
            found |= _asked(folder, number, [one]) or {}
    return found


def _asked(folder: Path, number: int, own: Sequence[Marked]) -> dict[str, Axioms] | None:
    file = own[0].file
    needs = f"{file} Stated" if any(one.relation in KINDS for one in own) else file
    lines = [f"From dpaudit Require {needs}."]  # no import: names are whole, and not shadowed
    for one in own:
        term, shown = f"dpaudit.{file}.{one.name}", f"Check @dpaudit.{file}.{one.name}."
        if one.relation in KINDS:
            wanted = wanted_type(one.claim, one.relation)
            lines.append(f"Definition asked_{one.name} : {wanted} := {term}.")
            term, shown = f"asked_{one.name}", f"Print {wanted}."  # coercions included
        lines += [
            f'Goal True. idtac "@axioms {one.name}". Abort.',
            f"Print Assumptions {term}.",
            f'Goal True. idtac "@type {one.name}". Abort.',
            shown,
        ]
    asked = folder / f"Asked{number}.v"
    asked.write_text("\n".join(lines) + "\n")
    code, said = _run(["coqc", "-q", "-Q", ".", "dpaudit", asked.name], folder)
    if code:
        return None
    parts = re.split(r"^@(axioms|type) (\w+)$", said, flags=re.MULTILINE)[1:]
    told = {(kind, name): text for kind, name, text in zip(*[iter(parts)] * 3, strict=True)}
    return {
        f"{file}.{name}": (
            tuple(sorted(set(_AXIOM.findall(told["axioms", name].partition("Axioms:")[2])))),
            tuple(word for word in OPEN if re.search(rf"\b{word}\b", told["type", name])),
        )
        for name in (one.name for one in own)
    }


def _run(command: Sequence[str], folder: Path) -> tuple[int, str]:
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return 1, f"not finished after {_SECONDS} seconds"
    return done.returncode, done.stdout + done.stderr


def _needs(text: str) -> list[str]:
    return [name for names in _NEEDS.findall(text) for name in names.split()]


def _levels(texts: Mapping[str, str]) -> list[list[str]]:
    """Return the files so that each needs earlier ones alone; ``ParameterError`` where none is."""
    levels: list[list[str]] = []
    done: set[str] = set()
    while len(done) < len(texts):
        level = [n for n in texts if n not in done and set(_needs(texts[n])) <= done]
        if not level:
            rest = ", ".join(sorted(set(texts) - done))
            raise ParameterError("kernel", f"Coq files need what is missing, or each other: {rest}")
        levels.append(level)
        done.update(level)
    return levels
