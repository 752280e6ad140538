"""Row of the table: bounds from guesses about canaries."""

from dpaudit.question import Form, Question

__all__ = ["QUESTION"]

QUESTION = Question(
    name="canaries",
    line="Lower bounds of ε from guesses about canaries in a training run.",
    rank=70,
    command="dpaudit.questions.canaries.command:command",
    functions={
        "CanaryAudit": "dpaudit.questions.canaries.function",
        "canaries": "dpaudit.questions.canaries.function",
        "CanaryPlanned": "dpaudit.questions.canaries.plan",
        "plan_canaries": "dpaudit.questions.canaries.plan",
        "CanariesNeeded": "dpaudit.questions.canaries.needs",
        "canaries_needed": "dpaudit.questions.canaries.needs",
        "Inclusion": "dpaudit.questions.canaries.inclusion",
        "plan_inclusion": "dpaudit.questions.canaries.inclusion",
    },
    uses=(
        (
            "SCORES.csv",
            "bounds ε of a training run from below by [guesses about canaries](canaries.md)",
        ),
        (
            "--plan-inclusion --m 1000",
            "chooses by coins [which canaries are in](canaries.md#which-canaries-are-in), "
            "and writes a manifest with a hash",
        ),
        (
            "--plan --m 1000",
            "shows, before a training, which ε [a number of "
            "canaries](canaries.md#how-many-canaries) can refute",
        ),
        (
            "--plan --refute 2 --delta 1e-5",
            "shows [how many canaries](canaries.md#how-many-canaries) an audit needs to "
            "refute an ε",
        ),
    ),
    forms=(
        Form(
            "dpaudit.canaries/1",
            "dpaudit.results:CanaryReport",
            "dpaudit.questions.canaries.view:CANARIES",
        ),
        Form(
            "dpaudit.canary-plan/1",
            "dpaudit.results:CanaryPlan",
            "dpaudit.questions.canaries.view:CANARY_PLAN",
        ),
        Form(
            "dpaudit.canary-needs/1",
            "dpaudit.results:CanaryNeeds",
            "dpaudit.questions.canaries.view:CANARY_NEEDS",
        ),
        Form(
            "dpaudit.inclusion/1",
            "dpaudit.results:InclusionManifest",
            "dpaudit.questions.canaries.view:INCLUSION",
        ),
    ),
)
