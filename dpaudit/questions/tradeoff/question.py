"""Row of the table: the trade-off function."""

from dpaudit.question import Form, Option, Question, Sweep

__all__ = ["QUESTION"]

QUESTION = Question(
    name="tradeoff",
    line="The trade-off function of a mechanism, and its Gaussian fit.",
    rank=90,
    sweep=Sweep(
        measure="dpaudit.questions.tradeoff.measure:tradeoffs_at",
        help="""Compute the trade-off function: the smallest type II error at each type I error.

    The errors are those of tests that tell two neighbouring datasets apart by the output, over
    every pair and both directions. μ is the smallest for which the mechanism is μ-GDP. There is no
    verdict (for one, use check --notion gdp): the exit code is 0 if every function was computed,
    3 if one could not be.
    """,
        options=(
            Option(
                "at_type_one",
                "Report the smallest type II error at these type I errors.",
                "LIST",
                "1/100,1/20,1/10,1/4,1/2",
            ),
        ),
        without=("at_eps", "budget"),
        within="every function was computed",
        undecided="a function could not be computed",
    ),
    words=("f-dp",),
    functions={
        "Tradeoffs": "dpaudit.questions.tradeoff.function",
        "tradeoff": "dpaudit.questions.tradeoff.function",
    },
    uses=(
        (
            "MECHANISM... --n SIZES",
            "the trade-off function: the smallest type II error at each type I error",
        ),
    ),
    forms=(
        Form(
            "dpaudit.tradeoff/1",
            "dpaudit.results:TradeoffReport",
            "dpaudit.questions.tradeoff.view:TRADEOFF",
        ),
    ),
    gate="dpaudit.questions.tradeoff.gate:ENTRY",
)
