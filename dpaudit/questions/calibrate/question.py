"""Row of the table: the largest nominal ε that keeps a budget."""

from dpaudit.question import Form, Question

__all__ = ["QUESTION"]

QUESTION = Question(
    name="calibrate",
    line="The largest nominal ε whose realised ε is certified to keep a budget.",
    rank=30,
    command="dpaudit.questions.calibrate.command:calibrate",
    functions={
        "Calibrations": "dpaudit.questions.calibrate.function",
        "calibrate": "dpaudit.questions.calibrate.function",
    },
    uses=(("MECHANISM... --n SIZES", "the largest nominal ε found that certainly keeps a budget"),),
    forms=(
        Form(
            "dpaudit.calibration/1",
            "dpaudit.results:CalibrationReport",
            "dpaudit.questions.calibrate.view:CALIBRATION",
        ),
    ),
    gate="dpaudit.questions.calibrate.gate:ENTRY",
)
