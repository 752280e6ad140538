"""Row of the table: bounds from the draws of a sampler."""

from dpaudit.question import Form, Question

__all__ = ["QUESTION"]

QUESTION = Question(
    name="sample",
    line="Audit a sampler by its draws, with exact confidence.",
    rank=60,
    command="dpaudit.questions.sample.command:command",
    functions={
        "Sampled": "dpaudit.questions.sample.function",
        "sample": "dpaudit.questions.sample.function",
    },
    uses=(
        (
            "SAMPLER --draws N",
            "bounds ε and δ from below by draws, where the output distribution cannot be computed",
        ),
    ),
    forms=(
        Form(
            "dpaudit.sample/1",
            "dpaudit.results:SampleReport",
            "dpaudit.questions.sample.view:SAMPLE",
        ),
    ),
    gate="dpaudit.questions.sample.gate:ENTRY",
)
