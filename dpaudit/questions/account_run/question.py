"""Row of the table: the account of a training from what its library leaves."""

from dpaudit.question import Question

__all__ = ["QUESTION"]

QUESTION = Question(
    name="account-run",
    line="The certified ε of a training, from what its library leaves.",
    rank=81,
    command="dpaudit.questions.account_run.command:command",
    gate="dpaudit.questions.account_run.gate:ENTRY",
    functions={"account_run": "dpaudit.questions.account_run.function"},
    uses=(
        (
            "FILE --delta 1e-5",
            "the ε of a [training that was run](dpsgd.md#a-training-that-was-run), beside "
            "what Opacus, TensorFlow Privacy, jax-privacy or dp-accounting said",
        ),
    ),
)
