"""Row of the table: the parameters at which a mechanism is least private."""

from dpaudit.question import Form, Question

__all__ = ["QUESTION"]

QUESTION = Question(
    name="hunt",
    line="Search the parameters of a mechanism for where it is least private.",
    rank=50,
    command="dpaudit.questions.hunt.command:command",
    functions={
        "Hunt": "dpaudit.questions.hunt.function",
        "hunt": "dpaudit.questions.hunt.function",
    },
    uses=(
        (
            "MECHANISM --over NAME=VALUES",
            "searches for the parameters at which a mechanism uses most of its budget, or "
            "exceeds it",
        ),
    ),
    forms=(
        Form("dpaudit.hunt/1", "dpaudit.results:HuntReport", "dpaudit.questions.hunt.view:HUNT"),
        Form(
            "dpaudit.hunt-points/1",
            "dpaudit.results:HuntPoints",
            "dpaudit.questions.hunt.view:POINTS",
            published=False,
        ),
    ),
)
