"""Row of the table: audit in ε and δ."""

from dpaudit.question import Form, Question

__all__ = ["QUESTION"]

QUESTION = Question(
    name="check",
    line="Audit mechanisms over every pair of neighbouring datasets.",
    rank=10,
    command="dpaudit.questions.check.command:command",
    functions={
        "Check": "dpaudit.questions.check.function",
        "check": "dpaudit.questions.check.function",
    },
    uses=(("MECHANISM... --n SIZES", "audits over every pair; `--help` lists the parameters"),),
    forms=(Form("dpaudit.audit/1", "dpaudit.results:Audit", "dpaudit.questions.check.view:AUDIT"),),
    gate="dpaudit.questions.check.gate:ENTRY",
)
