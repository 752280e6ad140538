"""Row of the table: a check that something is a mechanism, asked by `check --conformance`."""

from dpaudit.question import Form, Question

__all__ = ["QUESTION"]

QUESTION = Question(
    name="conformance",
    line="Check that something is a valid mechanism: check --conformance.",
    rank=93,
    forms=(
        Form(
            "dpaudit.conformance/1",
            "dpaudit.results:ConformanceReport",
            "dpaudit.questions.conformance.view:CONFORMANCE",
        ),
    ),
)
