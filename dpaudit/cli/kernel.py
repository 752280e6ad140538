"""``dpaudit prove --kernel`` and ``--export coq``: theorems about claims, checked by Coq."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from dpaudit.cli.destination import status_line, write_report
from dpaudit.cli.exits import Exit
from dpaudit.cli.isolated import quietly
from dpaudit.errors import OutputError, ParameterError
from dpaudit.kernel import development
from dpaudit.kernel.record import recorded, sources_of
from dpaudit.kernel.stated import graded
from dpaudit.report.files import check_writable
from dpaudit.report.fitting import aligned_table
from dpaudit.report.table import csv_table, markdown_table
from dpaudit.results import KernelClaim, KernelReport
from dpaudit.results.documents import encode
from dpaudit.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dpaudit.claims.claim import Settings
    from dpaudit.claims.discover import Registered


__all__ = ["check_kernel", "export_development", "recorded_note"]


def export_development(
    known: Mapping[str, Registered], chosen: Sequence[Registered], kind: str, folder: str
) -> int:
    """Write the development of the packages of the ``chosen`` claims to a folder."""
    if kind != "coq":
        raise ParameterError("export", f"--export {kind}: must be coq")
    development.write(sources_of(known, chosen), _made(Path(folder)))
    return Exit.WITHIN


def check_kernel(
    known: Mapping[str, Registered],
    chosen: Sequence[Registered],
    settings: Settings,
    *,
    build: str | None,
    jobs: int,
    form: str,
    output: str | None,
) -> int:
    """Let Coq check the theorems about the ``chosen`` claims, and report their axioms.

    A claim whose verdict theorems with the type of its statement say, and whose statement the
    engine sees to have a meaning, has the grade ``kernel``.
    """
    version = development.coq_version()
    if version is None:
        raise ParameterError("kernel", "--kernel needs Coq: coqc and coqchk are not installed")
    if output is not None:
        check_writable(Path(output))
    texts = sources_of(known, chosen)
    ids = {item.claim.id for item in chosen}
    if not any(one.claim in ids for one in development.marked(texts)):
        raise ParameterError("kernel", "no theorem is about any of these claims")
    with tempfile.TemporaryDirectory() as made, status_line() as show:
        folder = Path(made) if build is None else _made(Path(build))
        found = development.check(texts, folder, jobs, show)
    theorems = tuple(one for one in found if one.claim in ids)
    with quietly():
        claims = graded((item.claim for item in chosen), theorems, settings)
    if form == "json":
        report = KernelReport(
            schema="dpaudit.kernel/1",
            version=__version__,
            coq=version,
            theorems=theorems,
            development=development.fingerprint_of(texts),
            claims=claims,
        )
        written = encode(report)
    else:
        rows = [
            [
                one.claim,
                one.relation,
                one.theorem,
                "accepted" if one.accepted else "refused",
                ", ".join((*(axiom.rpartition(".")[2] for axiom in one.axioms), *one.open))
                or "none",
            ]
            for one in theorems
        ]
        header = ["claim", "it", "theorem", "Coq", "axioms and open hypotheses"]
        table = markdown_table if form == "markdown" else aligned_table
        accepted = sum(one.accepted for one in theorems)
        lines = [
            table(header, rows),
            "",
            f"{accepted} of {len(theorems)} accepted by Coq {version}",
        ]
        lines += [f"{one.theorem}: {one.reason}" for one in theorems if not one.accepted]
        lines.append(_tally(claims))
        written = csv_table(header, rows) if form == "csv" else ("\n".join(lines) + "\n").encode()
    write_report(written, output)
    return Exit.WITHIN if all(one.accepted for one in theorems) else Exit.EXCEEDS


def _tally(claims: Sequence[KernelClaim]) -> str:
    counts = Counter(one.verdict for one in claims)
    each = ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))
    return f"grade kernel: {len(claims)} claims" + (f" ({each})" if each else "")


def recorded_note(known: Mapping[str, Registered], chosen: Sequence[Registered]) -> str:
    """Return what the recorded report of Coq says of the ``chosen`` claims, in one line.

    It is a record: this run has not checked it.  Empty without a record of this very development.
    """
    count = len(recorded(known, chosen))
    if not count:
        return ""
    return f"Coq accepted theorems of {count} of these statements when it was last asked (--kernel)"


def _made(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(folder, error.strerror or str(error)) from None
    return folder
