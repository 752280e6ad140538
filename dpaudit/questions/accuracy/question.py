"""Row of the table: the exact error at a dataset."""

from dpaudit.question import Form, Question

__all__ = ["QUESTION"]

QUESTION = Question(
    name="accuracy",
    line="The exact error of mechanisms at one dataset, side by side.",
    rank=40,
    command="dpaudit.questions.accuracy.command:command",
    functions={
        "Accuracies": "dpaudit.questions.accuracy.function",
        "compare_accuracy": "dpaudit.questions.accuracy.function",
    },
    uses=(("MECHANISM... --at COUNTS", "the exact error at a dataset"),),
    forms=(
        Form(
            "dpaudit.accuracy/2",
            "dpaudit.results:AccuracyReport",
            "dpaudit.questions.accuracy.view:ACCURACY",
        ),
    ),
    gate="dpaudit.questions.accuracy.gate:ENTRY",
)
