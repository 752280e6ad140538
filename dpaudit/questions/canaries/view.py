"""Views of audits by canaries, and of plans of such audits."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_CEILING, Context
from fractions import Fraction

from dpaudit.questions.canaries.words import FAIR, coins_in_words, kind_of, probabilities_of
from dpaudit.report.view import Block, Row, View
from dpaudit.results import (
    CanaryBound,
    CanaryNeed,
    CanaryNeeds,
    CanaryPlan,
    CanaryReport,
    CanaryVerdict,
    Enclosure,
    InclusionManifest,
    PlannedBounds,
    ProfileTest,
)
from dpaudit.results.values import decimal_text

__all__ = ["CANARIES", "CANARY_NEEDS", "CANARY_PLAN", "INCLUSION"]

_COLUMNS = (
    *("canaries", "guesses", "right", "delta", "level", "epsilon_lower", "epsilon_upper"),
    *("budget_epsilon", "budget_delta", "verdict"),
)
_GROUP = ("group", "group_epsilon_lower", "group_epsilon_upper")
_PROFILE = ("mu", "p_value_lower", "p_value_upper", "mu_lower", "mu_upper")
_PLANNED = (
    *("canaries", "share", "delta", "level", "guesses", "right", "epsilon_lower", "epsilon_upper"),
    "best",
)
_NEEDED = ("epsilon", "share", "delta", "level", "canaries", "right", "above")
_MATCHED = (
    "all sets of as many canaries were equally likely to be in, and the seed {seed} of the "
    "matching was chosen before the scores were seen; ε and δ are for one replaced example"
)
_FIXED = "the number of guesses was fixed before the scores were seen"
_ASSUMED = f"assumed: {FAIR}; {_FIXED}"
_TWO_WORLDS = (
    "assumed: the trainings were independent, and the rule that decides each call was fixed "
    "beforehand"
)
_SHOWN = 5
_SIGNIFICANT = 3
_WORDS = {
    CanaryVerdict.EXCEEDS: "the guesses refute {budget} at level {level}",
    CanaryVerdict.NOT_REFUTED: "the guesses do not contradict {budget}, which proves nothing",
    CanaryVerdict.UNDECIDED: (
        "{budget} is too close to the refuted bound at level {level} to be decided"
    ),
}


def _blocks(report: CanaryReport) -> Iterator[Block]:
    header = ["δ", "level", "ε at least"]
    rows = [
        [str(bound.delta), str(bound.level), decimal_text(bound.epsilon.lower)]
        for bound in report.bounds
    ]
    whose = ""
    if report.group > 1:
        header[2:] = ["ε of one example at least", "ε of a group at least"]
        for row, bound in zip(rows, report.bounds, strict=True):
            row += [decimal_text(end.lower) for end in (bound.group_epsilon,) if end is not None]
        whose = "one example: "
    notes = [
        f"{whose}{_bound_in_words(bound.epsilon, bound)}"
        for bound in report.bounds
        if bound.epsilon.lower
    ]
    notes += [
        f"a group of {report.group}: {_bound_in_words(bound.group_epsilon, bound)}"
        for bound in report.bounds
        if bound.group_epsilon is not None and bound.group_epsilon.lower
    ]
    if not notes:
        notes = ["nothing is refuted, which proves nothing"]
    if report.group > 1:
        size = report.group
        notes.append(
            f"a training that is (ε, δ)-DP for one example is ({size}ε, δ·(e^({size}ε) − 1)/(e^ε "
            f"− 1))-DP for {size} examples"
        )
    if report.profile is not None:
        notes += _profile_notes(report.profile)
    if report.verdict is not None:
        words = _WORDS[report.verdict]
        claim = report.budget if report.profile is None else f"{report.profile.mu}-GDP"
        told = words.format(budget=claim, level=report.bounds[0].level)
        notes.append(f"{report.verdict.value}: {told}")
    if report.inclusion_sha256:
        notes.append(f"members: the manifest with SHA-256 {report.inclusion_sha256}")
    assumed = f"assumed: {'; '.join(_assumptions(report))}"
    if report.worlds is not None:
        assumed = _TWO_WORLDS
    yield Block(_title(report), header, rows, [*notes, assumed], whole=True)


def _bound_in_words(epsilon: Enclosure, bound: CanaryBound) -> str:
    return (
        f"ε ≥ {decimal_text(epsilon.lower)} at δ = {bound.delta} (error probability at most "
        f"{bound.level})"
    )


def _title(report: CanaryReport) -> str:
    """Return how many guesses were right."""
    if (worlds := report.worlds) is not None:
        return (
            f"{worlds.true_positives} of {worlds.members} trainings with the canary called so, and "
            f"{worlds.false_positives} of {worlds.others} without it"
        )
    kind = kind_of(report)
    if not any(bound.sizes for bound in report.bounds):
        guesses = 'guesses "in"' if report.one_sided else "guesses"
        return f"{report.right} of {report.guesses} {guesses} right about {report.canaries} {kind}"
    if report.one_sided:
        return f"{report.right} of the {report.guesses} {kind} with the highest scores were in"
    return f"{report.right} of {report.canaries} {kind} on the right side of the median score"


def _assumptions(report: CanaryReport) -> Iterator[str]:
    """Yield what the bounds of one run assume."""
    yield _MATCHED.format(seed=report.matching) if report.matching else coins_in_words(report)
    if report.group > 1 and report.matching:
        yield f"each canary was a group of {report.group} examples"
    if report.one_sided:
        yield 'every guess was "in"'
    sizes = max((bound.sizes for bound in report.bounds), key=len)
    if not sizes:
        yield _FIXED
        return
    what = "highest scores" if report.one_sided else "scores farthest from their median"
    yield f"the guesses are the {what}"
    tried = [str(one.guesses) for one in sizes]
    shown = tried if len(tried) <= _SHOWN else [*tried[:3], "…", tried[-1]]
    yield f"the numbers of guesses {', '.join(shown)} were tried together"


def _conditions(report: CanaryReport) -> Iterator[str]:
    """Yield what has to be true for the bounds and the verdict, a sentence each."""
    if report.worlds is not None:
        yield "The trainings were independent: each had its own random numbers."
        yield "Trainings with and without the canary differed in nothing else but random numbers."
        yield "The rule that calls a training in or out was fixed before the trainings."
    elif report.matching:
        yield (
            "The number of canaries in the training was fixed beforehand, and all sets of that "
            "number were equally likely."
        )
        yield (
            f"The seed {report.matching} of the matching was chosen before anybody saw the scores, "
            "and no other was tried."
        )
        if report.group > 1:
            yield f"Each canary was a group of {report.group} examples."
        yield "ε and δ are for one replaced example."
    else:
        coins = coins_in_words(report)
        yield f"{coins[0].upper()}{coins[1:]}."
        if report.inclusion_sha256:
            yield (
                f"The manifest with the SHA-256 {report.inclusion_sha256} was made before the "
                "training, and its seed was not chosen among several."
            )
        yield "ε and δ are for one example that is added or removed."
    if report.worlds is None:
        yield (
            "The scores were computed from what the training publishes, without looking at which "
            "canaries were in."
        )
        if report.one_sided:
            yield 'That every guess is "in" was decided before anybody saw the scores.'
        if not any(bound.sizes for bound in report.bounds):
            yield (
                f"The number of guesses, {report.guesses}, was fixed before anybody saw the scores."
            )
    yield "δ, the level and the claim to test were chosen before anybody saw the scores."
    yield (
        "If all this is true, an ε that is true is refuted with a probability of at most the "
        "level. No audit by canaries shows that a training is private."
    )


def _profile_notes(profile: ProfileTest) -> Iterator[str]:
    """Yield the sentences about a claimed profile; probabilities are rounded up."""
    largest = Context(prec=_SIGNIFICANT, rounding=ROUND_CEILING).plus(profile.p_value.upper)
    yield (
        f"if the training is {profile.mu}-GDP, this many right guesses have probability at most "
        f"{decimal_text(largest)}"
    )
    for bound in profile.bounds:
        if bound.mu.lower:
            yield f"μ ≥ {decimal_text(bound.mu.lower)} (error probability at most {bound.level})"


def _profile_cells(profile: ProfileTest, level: str) -> Row:
    lower, upper = profile.p_value.texts()
    found = {"mu": str(profile.mu), "p_value_lower": lower, "p_value_upper": upper}
    for bound in profile.bounds:
        if str(bound.level) == level:
            found["mu_lower"], found["mu_upper"] = bound.mu.texts()
    return found


def _group_cells(report: CanaryReport, bound: CanaryBound) -> Row:
    if bound.group_epsilon is None:
        return {}
    return dict(zip(_GROUP, (str(report.group), *bound.group_epsilon.texts()), strict=True))


def _lines(report: CanaryReport) -> Iterator[Row]:
    budget = report.budget
    for bound in report.bounds:
        lower, upper = bound.epsilon.texts()
        yield {
            "canaries": str(report.canaries),
            "guesses": str(report.guesses),
            "right": str(report.right),
            "delta": str(bound.delta),
            "level": str(bound.level),
            "epsilon_lower": lower,
            "epsilon_upper": upper,
            "budget_epsilon": "" if budget is None else str(budget.epsilon),
            "budget_delta": "" if budget is None else str(budget.delta),
            "verdict": "" if report.verdict is None else report.verdict.value,
            **({"one_sided": "1"} if report.one_sided else {}),
            **_group_cells(report, bound),
            **({"probability": probabilities_of(report)} if report.coins else {}),
        } | ({} if report.profile is None else _profile_cells(report.profile, str(bound.level)))


CANARIES = View(
    blocks=_blocks,
    columns=lambda report: (
        *_COLUMNS,
        *(("one_sided",) if report.one_sided else ()),
        *(_GROUP if report.group > 1 else ()),
        *(("probability",) if report.coins else ()),
        *(() if report.profile is None else _PROFILE),
    ),
    lines=_lines,
    figure="dpaudit.questions.canaries.figure:plot_canaries",
    assumed=lambda report: [*_conditions(report)],
)


def _plan_blocks(plan: CanaryPlan) -> Iterator[Block]:
    questions: dict[tuple[str, str], list[PlannedBounds]] = {}
    for bounds in plan.bounds:
        questions.setdefault((str(bounds.delta), str(bounds.level)), []).append(bounds)
    last = len(questions) - 1
    for place, ((delta, level), several) in enumerate(questions.items()):
        header = ["guesses", *(f"{_percent(one)} right" for one in several)]
        rows = [
            [str(cells[0].guesses), *(decimal_text(cell.epsilon.lower) for cell in cells)]
            for cells in zip(*(one.sizes for one in several), strict=True)
        ]
        notes = [_best(one) for one in several]
        if place == last:
            notes.append(_ASSUMED)
        title = f"{plan.canaries} canaries, δ = {delta}, level {level}: ε at least"
        yield Block(title, header, rows, notes, whole=True)


def _percent(bounds: PlannedBounds | CanaryNeed) -> str:
    percent = 100 * Fraction(str(bounds.share))
    return f"{percent} %" if percent.denominator == 1 else str(bounds.share)


def _best(bounds: PlannedBounds) -> str:
    for size in bounds.sizes:
        if size.guesses == bounds.best:
            return (
                f"{_percent(bounds)} right: at best ε ≥ {decimal_text(size.epsilon.lower)}, with "
                f"{size.right} of {size.guesses} guesses"
            )
    return f"{_percent(bounds)} right: nothing is refuted; take more canaries or a smaller δ"


def _plan_lines(plan: CanaryPlan) -> Iterator[Row]:
    for bounds in plan.bounds:
        for size in bounds.sizes:
            lower, upper = size.epsilon.texts()
            yield {
                "canaries": str(plan.canaries),
                "share": str(bounds.share),
                "delta": str(bounds.delta),
                "level": str(bounds.level),
                "guesses": str(size.guesses),
                "right": str(size.right),
                "epsilon_lower": lower,
                "epsilon_upper": upper,
                "best": str(int(size.guesses == bounds.best)),
            }


CANARY_PLAN = View(
    blocks=_plan_blocks,
    columns=lambda plan: _PLANNED,
    lines=_plan_lines,
    figure="dpaudit.questions.canaries.plan_figure:plot_plan",
)


_ALL_GUESSED = (
    "all canaries are guessed, each is in with probability 1/2, independently of all others; with "
    "fewer canaries no number of guesses is enough"
)


def _need_blocks(document: CanaryNeeds) -> Iterator[Block]:
    questions: dict[tuple[str, str], list[CanaryNeed]] = {}
    for need in document.needs:
        questions.setdefault((str(need.delta), str(need.level)), []).append(need)
    last = len(questions) - 1
    for place, ((delta, level), several) in enumerate(questions.items()):
        rows = [[f"{_percent(need)} right", *_need_cells(need)] for need in several]
        title = f"ε = {document.epsilon}, δ = {delta}, level {level}: canaries needed to refute it"
        notes = [_ALL_GUESSED] if place == last else []
        yield Block(title, ("guesses", "canaries", "of them right"), rows, notes, whole=True)


def _need_cells(need: CanaryNeed) -> tuple[str, str]:
    if need.canaries is not None:
        return str(need.canaries), str(need.right)
    return ("no number is enough" if need.above is None else f"more than {need.above}"), ""


def _need_lines(document: CanaryNeeds) -> Iterator[Row]:
    for need in document.needs:
        counts = {"canaries": need.canaries, "right": need.right, "above": need.above}
        yield {
            "epsilon": str(document.epsilon),
            "share": str(need.share),
            "delta": str(need.delta),
            "level": str(need.level),
        } | {name: "" if count is None else str(count) for name, count in counts.items()}


CANARY_NEEDS = View(
    blocks=_need_blocks,
    columns=lambda document: _NEEDED,
    lines=_need_lines,
)


def _inclusion_blocks(manifest: InclusionManifest) -> Iterator[Block]:
    inside = manifest.member.count("1")
    yield Block(
        f"{inside} of {manifest.canaries} canaries are in, by independent fair coins",
        notes=[
            f"seed: {manifest.seed}",
            f"SHA-256: {manifest.sha256}",
            "before the training, keep the JSON in a file (--format json --output FILE) and "
            "publish its SHA-256; the audit then reads the file with --inclusion FILE",
        ],
    )


def _inclusion_lines(manifest: InclusionManifest) -> Iterator[Row]:
    for place, digit in enumerate(manifest.member):
        yield {"canary": str(place), "member": digit}


INCLUSION = View(
    blocks=_inclusion_blocks,
    columns=lambda manifest: ("canary", "member"),
    lines=_inclusion_lines,
)
