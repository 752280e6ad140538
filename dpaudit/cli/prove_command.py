"""``dpaudit prove``: decide claims, with evidence anyone can replay."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import click

from dpaudit import machine
from dpaudit.audit.workers import executor_for
from dpaudit.claims.claim import ClaimVerdict, Decision, EvidenceResult, Grade, Settings
from dpaudit.claims.deciding import decide_registered, decide_statement
from dpaudit.claims.discover import Registered, discover, select
from dpaudit.claims.evidence import SMTProof
from dpaudit.claims.ledger import ledger_bytes, load_ledgers, read_ledger, standing
from dpaudit.cli.completion import complete_claim
from dpaudit.cli.destination import status_line, write_report
from dpaudit.cli.exits import Exit, epilogue
from dpaudit.cli.isolated import DEFAULT_CAP, contained_run, quietly
from dpaudit.cli.options import OUTPUT_FILE, form_option, memory_cap_option, time_cap_option
from dpaudit.cli.run import exit_when_stopped, read_jobs
from dpaudit.errors import DomainError, OutputError, ParameterError
from dpaudit.report.files import check_distinct, check_writable, write_whole

__all__ = ["command"]

_BYTES_A_WORKER = 130 << 20
_BYTES_A_CLAIM = 1300 << 10
"""Bytes that the solvers and the computer algebra hold of each claim decided."""

_EPILOGUE = epilogue(
    within="every verdict is as recorded in the ledger (or not recorded there)",
    exceeds="a verdict differs from the ledger",
    internal="internal error, or a claim whose own code failed",
)


@click.command("prove", epilog=_EPILOGUE)
@click.argument("claims", nargs=-1, metavar="[ID|GLOB]...", shell_complete=complete_claim)
@click.option("--explain", is_flag=True, help="Print the whole statement, derivation and evidence.")
@click.option("--list", "list_only", is_flag=True, help="List the claims; check nothing.")
@click.option(
    "--from",
    "files",
    multiple=True,
    metavar="FILE.py",
    help="Decide claims of your own: the list CLAIMS of this file.",
)
@click.option(
    "--solver",
    type=click.Choice(["z3", "cvc5", "both"]),
    default="z3",
    show_default=True,
    help="The SMT solvers that must agree.",
)
@click.option(
    "--timeout",
    type=float,
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="Time limit of one solver for one query.",
)
@click.option("--export-smt", metavar="DIR", help="Write every SMT query as SMT-LIB 2.")
@click.option(
    "--trust",
    "trusted",
    multiple=True,
    metavar="MODULE:CLASS",
    help="Also accept this class of evidence, which is not dpaudit's own.",
)
@click.option(
    "--check-statement",
    "question",
    metavar="FILE.json",
    help="Decide the statement in the file with the evidence of the claim that it names.",
)
@click.option(
    "--export",
    nargs=2,
    metavar="coq DIR",
    help="Write the Coq development of the claims to DIR, and check nothing.",
)
@click.option(
    "--kernel",
    is_flag=True,
    help="Let Coq check the theorems about the claims (coqc, coqchk), and list their axioms.",
)
@click.option(
    "--build", metavar="DIR", help="With --kernel: keep compiled files in DIR for the next run."
)
@click.option(
    "--ledger", metavar="FILE", help="Compare with this ledger instead of the packaged one."
)
@click.option("--record", metavar="FILE", help="Write the verdicts as a ledger.")
@click.option("--jobs", metavar="N", help="Number of worker processes; default: 1.")
@time_cap_option(
    f"Stop after SECONDS and report what is decided; default: no limit, but {DEFAULT_CAP} with "
    "--from."
)
@memory_cap_option("Stop if more than MB megabytes are used; default: the memory of the machine.")
@form_option()
@OUTPUT_FILE
def command(
    claims: tuple[str, ...],
    *,
    explain: bool,
    list_only: bool,
    files: tuple[str, ...],
    solver: str,
    timeout: float,
    export_smt: str | None,
    trusted: tuple[str, ...],
    question: str | None,
    export: tuple[str, str] | None,
    kernel: bool,
    build: str | None,
    ledger: str | None,
    record: str | None,
    jobs: str | None,
    time_cap: str | None,
    memory_cap: str | None,
    form: str,
    output: str | None,
) -> int:
    """Decide mathematical claims: all installed ones, those of --from, or those whose ids match.

    Claims come from the entry points of the group dpaudit.claims, and from files named with --from.
    Each verdict follows from evidence that is checked now.
    """
    further = bool(record or export_smt or ledger)
    contradictions = {
        "list": (
            list_only and further,
            "--list checks nothing; leave out --record, --export-smt and --ledger",
        ),
        "build": (build is not None and not kernel, "--build applies only to --kernel"),
        "kernel": (
            (kernel or bool(export)) and (further or explain or list_only or bool(files)),
            "with --kernel or --export, leave out --record, --export-smt, --ledger, --explain, "
            "--list and --from",
        ),
        "check-statement": (
            question is not None and (further or bool(claims) or list_only),
            "the file of --check-statement names its claim; give no claims and no other options",
        ),
    }
    for option, (contradicted, reason) in contradictions.items():
        if contradicted:
            raise ParameterError(option, reason)
    if not 0 < timeout <= 86_400:
        raise DomainError("timeout", timeout, "must be above 0 and at most 86400 seconds")
    settings = Settings(_solvers(solver), timeout, trusted)
    ending = contained_run(files, time_cap, memory=memory_cap)
    if ending is not None:
        return ending
    with quietly():
        registered = discover(files)
    if question is not None:
        return _check_statement(registered, Path(question), settings, form, output)
    chosen = select(registered, claims, files)
    if export is not None or kernel:
        from dpaudit.cli.kernel import check_kernel, export_development

        if export is not None:
            return export_development(registered, chosen, *export)
        workers = read_jobs(jobs) or 1
        return check_kernel(
            registered, chosen, settings, build=build, jobs=workers, form=form, output=output
        )
    written = [Path(path) for path in (output, record) if path is not None]
    for path in written:
        check_writable(path)
    check_distinct(written)
    entries = load_ledgers(chosen) if ledger is None else read_ledger(Path(ledger))
    if list_only:
        return _list(chosen, form, output)
    if export_smt is not None:
        _export(chosen, Path(export_smt))
    workers = read_jobs(jobs) or 1
    machine.require(
        workers * _BYTES_A_WORKER + len(chosen) * _BYTES_A_CLAIM,
        f"{len(chosen)} claims in {workers} processes: deciding them",
    )
    from dpaudit.report.claims import claims_report, verdict_of

    with quietly():
        decisions, interrupted = _decide(chosen, files, settings, workers)
    hashes = {item.claim.id: item.hash for item in chosen}
    standings = {
        d.claim.id: standing(entries.get(d.claim.id), d.verdict, d.grade, hashes[d.claim.id])
        for d in decisions
    }
    if record is not None and not interrupted:
        write_whole(Path(record), ledger_bytes(decisions, hashes))
    verdict = verdict_of(decisions, standings)
    code = _EXITS[verdict]
    if interrupted:
        verdict, code = "undecided", exit_when_stopped(Exit.UNDECIDED)
    note = _recorded_note(registered, chosen) if form == "text" and not explain else ""
    report = claims_report(decisions, standings, form, verdict=verdict, explain=explain, note=note)
    write_report(report, output)
    return code


def _recorded_note(registered: Mapping[str, Registered], chosen: Sequence[Registered]) -> str:
    from dpaudit.cli.kernel import recorded_note  # it writes the development, to compare it

    return recorded_note(registered, chosen)


def _check_statement(
    registered: Mapping[str, Registered],
    path: Path,
    settings: Settings,
    form: str,
    output: str | None,
) -> int:
    from dpaudit.report.claims import read_question, statement_report

    question = read_question(path)
    (item,) = select(dict(registered), (question.claim,))
    with quietly():
        finding = decide_statement(
            question.statement, item.claim.evidence, settings, item.claim.points
        )
    write_report(statement_report(question, finding, form), output)
    return Exit.UNDECIDED if finding.verdict is ClaimVerdict.UNDECIDED else Exit.WITHIN


def _solvers(name: str) -> tuple[str, ...]:
    chosen = ("z3", "cvc5") if name == "both" else (name,)
    if "cvc5" in chosen:
        from importlib.util import find_spec

        if find_spec("cvc5") is None:
            raise ParameterError("solver", "--solver cvc5 needs the package cvc5: pip install cvc5")
    return chosen


def _list(chosen: Sequence[Registered], form: str, output: str | None) -> int:
    from dpaudit.report.claims import claims_listed

    listed = claims_listed([item.claim for item in chosen], form)
    write_report(listed, output)
    return Exit.WITHIN


def _export(chosen: Sequence[Registered], folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(folder, error.strerror or str(error)) from None
    for item in chosen:
        proofs = [e for e in item.claim.evidence if isinstance(e, SMTProof)]
        for number, proof in enumerate(proofs, start=1):
            write_whole(folder / f"{item.claim.id}-{number}.smt2", proof.smt_lib().encode())


def _decide(
    chosen: Sequence[Registered], files: tuple[str, ...], settings: Settings, jobs: int
) -> tuple[list[Decision], bool]:
    """Return the decisions in the order of the claims, and whether Ctrl-C cut the run short."""
    decisions: list[Decision] = []
    try:
        with status_line() as show:
            for decision in _decisions(chosen, files, settings, jobs):
                decisions.append(decision)
                show(f"{len(decisions)}/{len(chosen)} {decision.claim.id}")
    except KeyboardInterrupt:
        return decisions, True
    return decisions, False


def _decisions(
    chosen: Sequence[Registered], files: tuple[str, ...], settings: Settings, jobs: int
) -> Iterator[Decision]:
    solved = any(isinstance(one, SMTProof) for item in chosen for one in item.claim.evidence)
    with executor_for(min(jobs, max(1, len(chosen))), apart=solved) as executor:
        if executor is None:
            yield from (decide_registered(item, settings) for item in chosen)
            return
        # Claims hold functions, which do not travel: a worker finds them again by their ids.
        futures = [
            executor.submit(_decide_by_id, item.claim.id, files, settings) for item in chosen
        ]
        for item, future in zip(chosen, futures, strict=True):
            verdict, outcomes, domain, reason, seconds, grade = future.result()
            yield Decision(
                item.claim, ClaimVerdict(verdict), outcomes, domain, reason, seconds, Grade(grade)
            )


_Travelling = tuple[str, tuple[EvidenceResult, ...], str, str, float, str]
"""A decision without its claim: what comes back from a worker."""

_KNOWN: dict[tuple[str, ...], dict[str, Registered]] = {}


def _decide_by_id(claim_id: str, files: tuple[str, ...], settings: Settings) -> _Travelling:
    if files not in _KNOWN:
        _KNOWN[files] = discover(files)
    decision = decide_registered(_KNOWN[files][claim_id], settings)
    parts = (
        decision.verdict.value,
        decision.outcomes,
        decision.domain,
        decision.reason,
        decision.seconds,
    )
    return (*parts, decision.grade.value)


_EXITS = {
    "as recorded": Exit.WITHIN,
    "changed": Exit.EXCEEDS,
    "undecided": Exit.UNDECIDED,
    "failed": Exit.INTERNAL,
}
"""Exit codes, by the standing of decisions in the ledger."""
