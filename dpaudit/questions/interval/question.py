"""Row of the table: every value of a parameter in an interval, by `check` and `curve`."""

from dpaudit.question import Form, Question

__all__ = ["QUESTION"]

QUESTION = Question(
    name="interval",
    line="Audit every value of a parameter in an interval: check --eps 1/10..2.",
    rank=92,
    functions={
        "IntervalCheck": "dpaudit.questions.interval.function",
        "IntervalCurves": "dpaudit.questions.interval.function",
        "check_interval": "dpaudit.questions.interval.function",
        "curve_interval": "dpaudit.questions.interval.function",
    },
    forms=(
        Form(
            "dpaudit.interval/1",
            "dpaudit.results:IntervalAudit",
            "dpaudit.questions.interval.view:INTERVAL",
        ),
        Form(
            "dpaudit.interval-curve/1",
            "dpaudit.results:IntervalCurveReport",
            "dpaudit.questions.interval.curve_view:INTERVAL_CURVE",
        ),
    ),
    gate="dpaudit.questions.interval.gate:ENTRY",
)
