"""Row of the table: the account of a matrix mechanism from its strategy matrix."""

from dpaudit.question import Question

__all__ = ["QUESTION"]

QUESTION = Question(
    name="account-matrix",
    line="The certified ε of a matrix mechanism (DP-FTRL).",
    rank=82,
    command="dpaudit.questions.account_matrix.command:command",
    gate="dpaudit.questions.account_matrix.gate:ENTRY",
    functions={"account_matrix": "dpaudit.questions.account_matrix.function"},
    uses=(
        (
            "STRATEGY --noise-multiplier S --max-participations K --min-sep B --delta 1e-5",
            "the ε of a [matrix mechanism](matrix.md) (DP-FTRL, BandMF), from its strategy matrix",
        ),
    ),
)
