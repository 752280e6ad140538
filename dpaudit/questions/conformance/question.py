"""Row of the table: a check that something is a mechanism, asked by `check --conformance`."""

from dpaudit.question import Form, Question

__all__ = ["QUESTION"]

QUESTION = Question(
    name="conformance",
    line="Whether something is a mechanism at all: check --conformance.",
    rank=93,
    forms=(
        Form(
            "dpaudit.conformance/1",
            "dpaudit.results:ConformanceReport",
            "dpaudit.questions.conformance.view:CONFORMANCE",
        ),
    ),
)
