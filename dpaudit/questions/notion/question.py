"""Row of the table: audit in another notion of privacy, asked by `check --notion`."""

from dpaudit.question import Form, Question

__all__ = ["QUESTION"]

QUESTION = Question(
    name="notion",
    line="Audit in another notion of privacy: check --notion.",
    rank=91,
    functions={
        "NotionCheck": "dpaudit.questions.notion.function",
        "check_notion": "dpaudit.questions.notion.function",
    },
    forms=(
        Form(
            "dpaudit.notion/1",
            "dpaudit.results:MeasuredAudit",
            "dpaudit.questions.notion.view:MEASURED_AUDIT",
        ),
    ),
    gate="dpaudit.questions.notion.gate:ENTRY",
)
