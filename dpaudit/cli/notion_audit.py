"""``dpaudit check --notion``: the audit in another notion of privacy."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from dpaudit.audit.result import worst_verdict
from dpaudit.cli.contained import quietly
from dpaudit.cli.data_options import check_feasible, read_data, with_data
from dpaudit.cli.destination import Destination
from dpaudit.cli.exits import exit_for
from dpaudit.cli.naming import plot_name
from dpaudit.cli.reading import read_tasks
from dpaudit.cli.run import Workforce, exit_when_stopped, run_tasks
from dpaudit.errors import ParameterError
from dpaudit.notions.question import ask
from dpaudit.notions.sweep import assemble_notion, estimated_notion_seconds, sweep_notion
from dpaudit.report.notions import render_notions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dpaudit.audit.result import UndecidedSize
    from dpaudit.cli.run import Task
    from dpaudit.notions.question import Question
    from dpaudit.notions.result import NotionAudit, NotionResult

__all__ = ["check_notion"]


def check_notion(mechanisms: tuple[str, ...], given: Mapping[str, Any]) -> int:
    """Run ``dpaudit check`` in the notion that ``given`` names; return the exit code."""
    for name, flag in (("at_eps", "--at-eps"), ("resume", "--resume")):
        if given[name]:
            raise ParameterError(name, f"{flag} does not go together with --notion")
    if given["plots"]:
        raise ParameterError("plot", "--plot: an audit with --notion has no plot")
    # The plan's own budget is of no account here; 1 keeps it from asking for one.
    data = read_data(given)
    with quietly():
        tasks = read_tasks(mechanisms, with_data({**given, "budget": "1"}, data))
        questions = [
            ask(task.mechanism, given["notion"], order=given["order"], budget=given["budget"])
            for task in tasks
        ]
    check_feasible(data, tasks)
    workforce = Workforce.read(given)
    destination = Destination.read({**given, "no_plot": True}, plot_name("check", tasks))
    with quietly():
        audits, interrupted = _run(tasks, questions, workforce)
        report = render_notions(audits, given["form"])
    destination.write(report, None)
    code = exit_for(worst_verdict(audit.verdict for audit in audits))
    return exit_when_stopped(code) if interrupted else code


def _run(
    tasks: Sequence[Task], questions: Sequence[Question], workforce: Workforce
) -> tuple[list[NotionAudit], bool]:
    audits: list[NotionAudit] = []
    interrupted = False
    for task, question in zip(tasks, questions, strict=True):
        found: list[NotionResult | UndecidedSize] = []
        if not interrupted:
            (found,), interrupted = run_tasks(
                [task], workforce, partial(sweep_notion, question), estimated_notion_seconds
            )
        audits.append(assemble_notion(task.mechanism, task.sizes, task.plan, question, found))
    return audits, interrupted
