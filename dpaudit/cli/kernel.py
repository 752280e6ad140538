"""``dpaudit prove --kernel`` and ``--export coq``: theorems about claims, checked by Coq."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from dpaudit.cli.destination import status_line, write_report
from dpaudit.cli.exits import Exit
from dpaudit.cli.isolated import quietly
from dpaudit.errors import OutputError, ParameterError, counted
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
    registered: Mapping[str, Registered], chosen: Sequence[Registered], kind: str, folder: str
) -> int:
    """Write the development of the packages of the ``chosen`` claims to a folder."""
    if kind != "coq":
        raise ParameterError("export", f"--export {kind}: must be coq")
    development.write(sources_of(registered, chosen), _made(Path(folder)))
    return Exit.WITHIN


def check_kernel(
    registered: Mapping[str, Registered],
    chosen: Sequence[Registered],
    settings: Settings,
    *,
    build: str | None,
    jobs: int,
    form: str,
    output: str | None,
) -> int:
    """Let Coq check the theorems about the ``chosen`` claims, and report their axioms.

    A claim has the grade ``kernel`` if theorems with the type of its statement say its verdict, and
    the engine finds that the statement has a meaning.
    """
    version = development.coq_version()
    if version is None:
        raise ParameterError("kernel", "--kernel needs Coq: coqc and coqchk are not installed")
    if output is not None:
        check_writable(Path(output))
    texts = sources_of(registered, chosen)
    ids = {item.claim.id for item in chosen}
    if not any(theorem.claim in ids for theorem in development.marked(texts)):
        raise ParameterError("kernel", "no Coq theorem is about any of these claims")
    with tempfile.TemporaryDirectory() as scratch, status_line() as show:
        folder = Path(scratch) if build is None else _made(Path(build))
        theorems_of_packages = development.check(texts, folder, jobs, show)
    theorems = tuple(theorem for theorem in theorems_of_packages if theorem.claim in ids)
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
                theorem.claim,
                theorem.relation,
                theorem.theorem,
                "accepted" if theorem.accepted else "refused",
                ", ".join((*(axiom.rpartition(".")[2] for axiom in theorem.axioms), *theorem.open))
                or "none",
            ]
            for theorem in theorems
        ]
        header = ["claim", "it", "theorem", "Coq", "axioms and open hypotheses"]
        table = markdown_table if form == "markdown" else aligned_table
        accepted = sum(theorem.accepted for theorem in theorems)
        lines = [
            table(header, rows),
            "",
            f"{accepted} of {len(theorems)} accepted by Coq {version}",
        ]
        lines += [
            f"{theorem.theorem}: {theorem.reason}" for theorem in theorems if not theorem.accepted
        ]
        lines.append(_tally(claims))
        written = csv_table(header, rows) if form == "csv" else ("\n".join(lines) + "\n").encode()
    write_report(written, output)
    return Exit.WITHIN if all(theorem.accepted for theorem in theorems) else Exit.EXCEEDS


def _tally(claims: Sequence[KernelClaim]) -> str:
    counts = Counter(claim.verdict for claim in claims)
    each = ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))
    return f"grade kernel: {counted(len(claims), 'claim')}" + (f" ({each})" if each else "")


def recorded_note(registered: Mapping[str, Registered], chosen: Sequence[Registered]) -> str:
    """Return in one line how many of the ``chosen`` claims Coq accepted when it was last run.

    It comes from the record: this run does not check it.  Empty without a record of this very
    development.
    """
    count = len(recorded(registered, chosen))
    if not count:
        return ""
    return (
        f"Coq accepted theorems about {count} of these statements in its last recorded run "
        "(--kernel runs it again)"
    )


def _made(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(folder, error.strerror or str(error)) from None
    return folder
