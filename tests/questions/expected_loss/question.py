"""Row of the table: the expected privacy loss."""

from dpaudit.question import Form, Option, Question, Sweep

__all__ = ["QUESTION"]

QUESTION = Question(
    name="expected-loss",
    line="The largest expected privacy loss of a mechanism.",
    sweep=Sweep(
        measure="dpaudit.questions.expected_loss.measure:asked",
        help="""Give the largest expected privacy loss over every pair of neighbouring datasets.

    It is the relative entropy of the two output laws, in nats or in bits.
    """,
        options=(Option("unit", "The unit: nats or bits.", "UNIT", "nats"),),
        without=("at_eps", "budget"),
    ),
    forms=(
        Form(
            "dpaudit.expected-loss/1",
            "dpaudit.questions.expected_loss.result:ExpectedLossReport",
            "dpaudit.questions.expected_loss.view:EXPECTED_LOSS",
        ),
    ),
    gate="dpaudit.questions.expected_loss.gate:ENTRY",
)
