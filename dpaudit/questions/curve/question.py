"""Row of the table: the privacy curve."""

from dpaudit.question import Form, Question

__all__ = ["QUESTION"]

QUESTION = Question(
    name="curve",
    line="The whole privacy curve δ(ε) of a mechanism.",
    rank=20,
    command="dpaudit.questions.curve.command:curve",
    words=(
        "profile",
        "privacy-profile",
    ),
    functions={
        "Curves": "dpaudit.questions.curve.function",
        "curve": "dpaudit.questions.curve.function",
    },
    uses=(("MECHANISM... --n SIZES", "the whole privacy curve"),),
    forms=(
        Form(
            "dpaudit.curve/1", "dpaudit.results:CurveReport", "dpaudit.questions.curve.view:CURVE"
        ),
    ),
    gate="dpaudit.questions.curve.gate:ENTRY",
)
