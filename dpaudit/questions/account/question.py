"""Row of the table: the account of many runs."""

from dpaudit.question import Form, Question

__all__ = ["QUESTION"]

QUESTION = Question(
    name="account",
    line="The certified δ(ε) beside dp-accounting's estimates.",
    rank=80,
    command="dpaudit.questions.account.command:command",
    words=("compose",),
    functions={
        "Accounted": "dpaudit.questions.account.interface",
        "account": "dpaudit.questions.account.interface",
        "Run": "dpaudit.questions.account.joint",
        "account_dpsgd": "dpaudit.questions.account.dpsgd_interface",
        "to_dp_accounting": "dpaudit.questions.account.export",
    },
    uses=(
        (
            "MECHANISM --n N",
            "ε at δ and δ at ε of k runs, certified from both sides, beside the estimates of "
            "dp-accounting",
        ),
        (
            "dpsgd --noise-multiplier S --batch-size B --dataset-size N --epochs E",
            "[the ε of a DP-SGD run](dpsgd.md)",
        ),
    ),
    forms=(
        Form(
            "dpaudit.account/2",
            "dpaudit.results:CertifiedAccount",
            "dpaudit.questions.account.view:ACCOUNT",
        ),
    ),
    gate="dpaudit.questions.account.gate:ENTRY",
)
