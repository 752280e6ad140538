"""Audits over an interval: true at every point, ties held, verdicts that follow from lines."""

import functools
import json
import random
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

import dpaudit
from dpaudit.api.plans import make_plan
from dpaudit.cli.main import invoke
from dpaudit.errors import UsageError
from dpaudit.laws.over_epsilon import EpsilonFamily, Lines
from dpaudit.notes.hellinger_over_parameter import hellinger_over_parameter
from dpaudit.numbers.real import ZERO
from dpaudit.questions.interval.measure import OverInterval
from dpaudit.questions.interval.pieces import pieces_of
from dpaudit.questions.interval.reading import read_interval
from dpaudit.recheck.intervals import LINES
from dpaudit.recheck.verify import verify
from dpaudit.results import IntervalBudget, IntervalSize, Piece, Verdict
from dpaudit.results.documents import seal_of
from tests.intervals.random_intervals import Case, at_point, check_case, draw, is_narrow, line

OWN = IntervalBudget(epsilon=None, delta=ZERO)


@pytest.mark.parametrize("seed", range(24))
def test_random_intervals_hold_every_point_that_is_looked_at(seed: int) -> None:
    rng = random.Random(seed)
    check_case(draw(rng), rng)


@pytest.mark.parametrize("name", ["EHDS", "EHD", "EHDL", "MH"])
def test_lines_are_true_at_the_ends_and_close_as_pieces_shrink(name: str) -> None:
    family = dpaudit.mechanism(name).over_epsilon(30)
    assert family is not None
    gaps = []
    for width in (Fraction(1, 4), Fraction(1, 16), Fraction(1, 64)):
        low = Fraction(4, 5)
        lines = family.lines(low, low + width)
        for share in (Fraction(0), Fraction(1, 3), Fraction(1)):
            point = dpaudit.check(name, 30, eps=low + share * width, budget=9).epsilon
            lower, upper = line_of(lines.lower, share), line_of(lines.upper, share)
            assert lower <= Fraction(point.upper)
            assert Fraction(point.lower) <= upper
        gaps.append(float(lines.upper[0] - lines.lower[0]))
    assert gaps[0] > 8 * gaps[1] > 64 * gaps[2]  # a sixteenth each, but for kinks


def line_of(ends: Any, share: Fraction) -> Fraction:
    found: Fraction = ends[0] + share * (ends[1] - ends[0])
    return found


def test_the_factors_of_mh_stay_between_their_lines_where_the_smoothing_changes_partner() -> None:
    mechanism = dpaudit.mechanism("MH", delta="1/3", prior="1/10,3")
    family: Any = mechanism.over_epsilon(25)
    low, high = Fraction(1), Fraction(9, 8)
    factors = family.factors(low, high)
    partners = set()
    for place in range(9):
        epsilon = low + (high - low) * Fraction(place, 8)
        polynomials = family._polynomials(epsilon)
        partners.add(tuple(polynomials.argmin(axis=0)))
        share = place / 8
        below, above = (a + share * (b - a) for a, b in (factors.lower, factors.upper))
        true = np.array([float(s) for s in _factors(mechanism, epsilon)])
        assert (below * (1 - 1e-9) <= true).all()
        assert (true <= above * (1 + 1e-9)).all()
        assert np.allclose(polynomials.min(axis=0), true, rtol=1e-12)
    assert len(partners) > 1


def _factors(mechanism: Any, epsilon: Fraction) -> list[Any]:
    found: list[Any] = dpaudit.mechanism("MH", eps=epsilon, delta="1/3", prior="1/10,3").factors(25)  # type: ignore[attr-defined]
    return found


@pytest.mark.parametrize(
    ("name", "n", "slope"),
    [
        ("LSHist", 40, "1"),
        ("LSDim", 40, "1/2"),
        ("TruncatedGeometric", 40, "1"),
        ("Geometric", 5, "1"),
        ("RR", 1, "1"),
        ("kRR", 1, "1"),
        ("PermuteAndFlip", 3, "1"),
    ],
)
def test_a_tie_is_held_over_the_whole_interval(name: str, n: int, slope: str) -> None:
    found = dpaudit.check_interval(name, n, eps="1/10..2")
    assert found.verdict is Verdict.WITHIN
    assert {piece.slope for piece in found.results[0].pieces} == {slope}
    assert [(one.first, one.last) for one in found.kept] == [("0.1", "2")]
    if slope == "1":  # the budget itself, and not a bit more
        less = dpaudit.check_interval(name, n, eps="1/10..2", budget="2").results[0]
        assert less.verdict is Verdict.WITHIN
        assert found.results[0].exceeded is None


def test_mh_with_a_hundred_bends_is_narrow_on_every_piece() -> None:
    (found,) = dpaudit.check_interval("MH", n=180, eps="1/10..2").results
    assert found.verdict is Verdict.WITHIN
    assert all(map(is_narrow, found.pieces))
    assert len(found.pieces) < 250


def test_a_bend_is_cut_at_and_one_beyond_the_piece_is_not() -> None:
    class Bent(EpsilonFamily):
        pairs = 1
        asked: list[tuple[Fraction, Fraction]]

        def lines(self, low: Fraction, high: Fraction) -> Lines:
            self.asked.append((low, high))
            wide = low < Fraction(9, 7) < high and high - low > Fraction(1, 10**4)
            ends = (low * (1 - Fraction(wide, 2)) / 2, high / 2)
            return Lines(ends, (low / 2, high / 2))

        def bends(self, low: Fraction, high: Fraction) -> Any:
            return [float("nan"), float("inf"), -1.0, 9 / 7]

    family = Bent()
    family.asked = []
    pieces = pieces_of(family, (Fraction(1), Fraction(2)), OWN)
    assert [piece.verdict for piece in pieces] == [Verdict.WITHIN] * len(pieces)
    assert abs(family.asked[1][0] - Fraction(9, 7)) < Fraction(1, 500)
    assert len(family.asked) < 30


def test_a_constant_budget_is_kept_up_to_the_tie_itself() -> None:
    found = dpaudit.check_interval("LSHist", 12, eps="1/10..2", budget=1)
    assert found.verdict is Verdict.EXCEEDS
    assert [(one.first, one.last) for one in found.kept] == [("0.1", "1")]
    stretches = found.results[0].stretches
    assert [one.verdict.value for one in stretches] == ["within", "undecided", "exceeds"]
    assert Fraction(stretches[2].first) - 1 < Fraction(1, 100_000)
    exceeded = found.results[0].exceeded
    assert exceeded is not None
    assert exceeded.found.verdict is Verdict.EXCEEDS


def test_the_nominal_epsilon_that_keep_a_budget_need_not_begin_at_the_first() -> None:
    """NotesLaplace, rounded toward zero, realises ln 2 + ε/2: too much below 2·ln 2, not above."""
    found = dpaudit.check_interval("NotesLaplace", 10, eps="1/10..2", rounding="toward-zero")
    assert found.verdict is Verdict.EXCEEDS
    ((first, last),) = [(one.first, one.last) for one in found.kept]
    assert last == "2"
    assert 0 < Fraction(first) - Fraction("1.386294361119") < Fraction(1, 100_000)


def test_ehdl_at_a_tenth_exceeds_on_intervals_of_epsilon() -> None:
    found = dpaudit.check_interval("EHDL", 300, eps="1/10..4", prior="1/10,1/10")
    stretches = found.results[0].stretches
    assert [one.verdict.value for one in stretches] == ["exceeds", "undecided", "within"]
    crossing = Fraction(stretches[1].first), Fraction(stretches[1].last)
    assert crossing[1] - crossing[0] < Fraction(1, 100_000)
    for end, verdict in ((crossing[0], Verdict.EXCEEDS), (crossing[1], Verdict.WITHIN)):
        point = dpaudit.check("EHDL", 300, eps=end, prior="1/10,1/10")
        assert point.verdict is verdict


def test_an_output_of_one_side_alone_exceeds_everywhere() -> None:
    found = dpaudit.check_interval("SVT5", 2, eps="1/10..2")
    (piece,) = found.results[0].pieces
    assert piece.lower == (Decimal("Infinity"),) * 2
    assert found.verdict is Verdict.EXCEEDS


class _Bumpy(EpsilonFamily):
    """A realised ε of |ε − 1|, known on a piece by its ends and its slope alone."""

    pairs = 1

    def lines(self, low: Fraction, high: Fraction) -> Lines:
        ends = abs(low - 1), abs(high - 1)
        if low < 1 < high:
            return Lines((Fraction(-1), Fraction(0)), ends)
        return Lines(ends, ends)


def test_pieces_cover_the_interval_and_lower_ends_may_be_below_zero() -> None:
    pieces = pieces_of(_Bumpy(), (Fraction(1, 10), Fraction(3)), OWN)
    ends = [Fraction(piece.first) for piece in pieces] + [Fraction(pieces[-1].last)]
    assert (ends[0], ends[-1]) == (Fraction(1, 10), Fraction(3))
    assert ends == sorted(set(ends))
    for piece in pieces:
        middle = (Fraction(piece.first) + Fraction(piece.last)) / 2
        if piece.verdict is Verdict.WITHIN:
            assert abs(middle - 1) <= middle
        if piece.verdict is Verdict.EXCEEDS:
            assert abs(middle - 1) > middle


def _measured(name: str = "EHDS", **more: Any) -> tuple[OverInterval, Any, Any, IntervalSize]:
    mechanism = dpaudit.mechanism(name, eps=2, **more)
    plan = make_plan(mechanism)
    measure = OverInterval((Fraction(1, 10), Fraction(2)))
    found = measure.at_size(mechanism, 10, plan, lambda pairs: None)
    return measure, mechanism, plan, found


def test_a_verdict_from_elsewhere_follows_from_the_lines() -> None:
    measure, _, plan, found = _measured()
    assert measure.judged(found, plan, 10) == found
    lie = replace(found, verdict=Verdict.EXCEEDS)
    assert measure.judged(lie, plan, 10).verdict is Verdict.WITHIN
    raised: Piece = replace(found.pieces[0], upper=(Decimal(9), Decimal(9)))
    changed = replace(found, pieces=(raised, *found.pieces[1:]))
    assert measure.judged(changed, plan, 10).verdict is Verdict.UNDECIDED
    sunk: Piece = replace(found.pieces[0], upper=(Decimal(0), Decimal(0)))
    for broken in (
        replace(found, pieces=found.pieces[1:]),
        replace(found, pieces=(*found.pieces[:2], *found.pieces[3:])),
        replace(found, pieces=(sunk, *found.pieces[1:])),
        replace(found, pairs_covered=11),
    ):
        with pytest.raises(ValueError, match=r".+"):
            measure.judged(broken, plan, 10)


def test_pairs_that_are_not_covered_leave_it_undecided() -> None:
    measure, _, plan, found = _measured()
    assert measure.judged(replace(found, pairs_covered=9), plan, 10).verdict is Verdict.UNDECIDED


@pytest.mark.parametrize(
    "text", ["2..1", "1..1", "0..1", "-1..1", "1/10..2,3", "a..b", "1..2..3", "..", "ln(2)..2"]
)
def test_what_is_no_interval_is_one_line(text: str, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UsageError):
        read_interval(text)
    code = invoke(["check", "EHDS", "--n", "10", f"--eps={text}", "--no-plot"])
    assert code == 2
    assert len(capfd.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["check", "EHDS", "--eps", "1..2", "--at", "5,5"], "--at"),
        (["check", "EHDS", "--eps", "1..2", "--at-eps", "1"], "--at-eps"),
        (["check", "EHDS", "--eps", "1..2", "--notion", "kl"], "--notion"),
        (["check", "NoisyHistogram", "--eps", "1..2"], "cannot be audited over an interval"),
        (["calibrate", "EHDS", "--eps", "1..2"], "--budget"),
        (["curve", "EHDS", "--eps", "1..2", "--at", "5,5"], "--at"),
    ],
)
def test_what_does_not_go_with_an_interval_is_one_line(
    arguments: list[str], why: str, capfd: pytest.CaptureFixture[str]
) -> None:
    code = invoke([*arguments, "--n", "10", "--no-plot"])
    told = capfd.readouterr().err
    assert code == 2
    assert why in told
    assert len(told.splitlines()) == 1


def test_every_form_says_the_same(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    asked = ["check", "EHDL", "LSHist", "--n", "4,9", "--eps", "1/10..2", "--budget", "4/5"]
    assert invoke([*asked, "--format", "json"]) == 1
    told = json.loads(capfd.readouterr().out)
    assert told["schema"] == "dpaudit.reports/1"
    assert invoke([*asked, "--format", "csv"]) == 1
    lines = capfd.readouterr().out.splitlines()
    pieces = [p for one in told["reports"] for size in one["results"] for p in size["pieces"]]
    assert len(lines) == 1 + len(pieces)
    assert invoke([*asked, "--plot", str(tmp_path / "band.svg")]) == 1
    assert "overall exceeds" in capfd.readouterr().out
    assert (tmp_path / "band.svg").stat().st_size > 1000


def test_a_point_inside_is_what_a_check_finds() -> None:
    case = Case("EHDS", 10, {}, Fraction(1, 10), Fraction(2), None)
    found = dpaudit.check_interval("EHDS", 10, eps="1/10..2").results[0]
    point = at_point(case, Fraction(4, 5))
    (piece,) = [p for p in found.pieces if Fraction(p.first) <= Fraction(4, 5) < Fraction(p.last)]
    share = (Fraction(4, 5) - Fraction(piece.first)) / (
        Fraction(piece.last) - Fraction(piece.first)
    )
    low, high = line(piece.lower, share), line(piece.upper, share)
    assert low is not None
    assert high is not None
    assert low < Fraction(point.epsilon.lower) < high
    assert high - low < low / 100


@pytest.mark.wrong_on_purpose  # reports are changed, to be rejected
@pytest.mark.parametrize(
    ("name", "n", "more"),
    [
        ("EHDS", 6, {"budget": "2/5"}),
        ("MH", 5, {}),
        ("EHDL", 5, {"prior": "1/10,1/10"}),
        ("LSHist", 4, {"budget": "ln(3)"}),
        ("SVT5", 2, {}),
        ("RR", 1, {}),
    ],
)
def test_verify_derives_verdicts_and_computes_points(
    name: str, n: int, more: dict[str, Any], tmp_path: Path
) -> None:
    report = tmp_path / "interval.json"
    report.write_text(dpaudit.check_interval(name, n, eps="1/10..2", **more).to_json())
    found = verify(report)
    assert found.verdict == "accepted", found
    assert found.rechecked["realised ε at points"] >= 1
    content = json.loads(report.read_text())
    pieces = content["results"][0]["pieces"]
    for changed in (
        {"upper": ["0.001", "0.001"], "lower": ["0", "0"]},  # lines that points lie above
        {"verdict": "exceeds" if pieces[0]["verdict"] == "within" else "within"},
        {"last": "0.3"},
    ):
        lied = {**pieces[0], **changed}
        lied.pop("slope", None)
        report.write_text(json.dumps(_with_pieces(content, [lied, *pieces[1:]])))
        assert verify(report).verdict == "rejected"


def _with_pieces(content: dict[str, Any], pieces: list[Any]) -> dict[str, Any]:
    changed = {**content, "results": [{**content["results"][0], "pieces": pieces}]}
    return {**changed, "sha256": seal_of(changed)}


def _as_one_piece(content: dict[str, Any], upto: Fraction, ends: list[str]) -> dict[str, Any]:
    """Return a report that is within: true pieces up to some place, and a false one to the end."""
    size = content["results"][0]
    true = [one for one in size["pieces"] if Fraction(one["last"]) <= upto]
    first = true[-1]["last"] if true else content["epsilon"]["first"]
    false = {"first": first, "last": content["epsilon"]["last"], "lower": ends, "upper": ends}
    pieces = [*true, {**false, "verdict": "within"}]
    whole = {**content["epsilon"], "verdict": "within"}
    more = {"stretches": [whole], "exceeded": None, "verdict": "within", "reason": ""}
    changed = {**content, "verdict": "within", "kept": [content["epsilon"]]}
    return {**changed, "results": [{**size, **more, "pieces": pieces}]}


@pytest.mark.wrong_on_purpose  # reports are changed, to be rejected
@pytest.mark.parametrize(
    ("name", "n", "given", "budget"),
    [
        ("EHDS", 10, {"eps": "1/10..2"}, "2/5"),
        ("EHDS", 5, {"gamma": "1/2..2"}, "1/5"),
        ("EHDS", 70, {"eps": "1/10..2"}, "1/5"),
        ("Laplace", 1, {"scale": "1..2"}, "3/4"),
    ],
)
def test_no_forged_report_is_accepted(
    name: str, n: int, given: dict[str, Any], budget: str, tmp_path: Path
) -> None:
    report = tmp_path / "forged.json"
    true = json.loads(dpaudit.check_interval(name, n, budget=budget, **given).to_json())
    assert true["verdict"] == "exceeds"
    kept = Fraction(true["kept"][0]["last"]) if n == 10 else Fraction(0)
    (size,) = true["results"]
    within = _as_one_piece(true, kept, ["0.19", "0.19"])
    forged = [within, {**true, "results": [{**size, "exceeded": None}]}, {**true, "at": "0,1"}]
    several: list[dict[str, Any]] = [
        {"outputs": 10**5},
        {"pairs": 10**5, "pairs_covered": 10**5},
        {"datasets": 99},
    ]
    for counts in several if n == 5 else []:
        forged.append({**within, "results": [{**within["results"][0], **counts}]})
        forged.append({**true, "results": [{**size, **counts}]})
    for one in forged[:1] if n == 70 else forged:
        report.write_text(json.dumps({**one, "sha256": seal_of(one)}))
        document = verify(report)
        assert document.verdict == "rejected", document


@pytest.mark.wrong_on_purpose  # reports are changed, to be rejected
@pytest.mark.parametrize("n", [6, 10])
def test_a_reason_is_the_one_that_the_pieces_give(n: int, tmp_path: Path) -> None:
    report = tmp_path / "reasons.json"
    true = json.loads(dpaudit.check_interval("EHDS", n, eps="1/10..2", budget="2/5").to_json())
    (size,) = true["results"]
    pieces = {one["verdict"] for one in size["pieces"]}
    assert ("undecided" in pieces) is ("reason" in size)
    others = ["everything is fine", "where the verdict is undecided, the bounds on the realised δ"]
    for reason in [*others, *([""] if "reason" in size else [])]:
        lied = {**true, "results": [{**size, "reason": reason}]}
        report.write_text(json.dumps({**lied, "sha256": seal_of(lied)}))
        document = verify(report)
        assert document.verdict == "rejected", document
        assert any("its pieces give the reason" in one.message for one in document.disagreements)
    left_open = {**true, "results": [], "undecided": [{"n": n, "reason": " "}], "kept": []}
    left_open |= {"verdict": "undecided"}
    report.write_text(json.dumps({**left_open, "sha256": seal_of(left_open)}))
    assert verify(report).verdict == "rejected"


def test_a_size_without_points_is_not_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = tmp_path / "interval.json"
    report.write_text(dpaudit.check_interval("EHDS", 6, eps="1/10..2").to_json())
    for most in (41, 42 * 3):  # no point, and not one for every piece
        monkeypatch.setattr("dpaudit.recheck.interval_points._MOST_ENTRIES", most)
        found = verify(report)
        assert found.verdict == "unconfirmed", found
        assert "no point is computed in" in found.unconfirmed[0].message
        assert LINES in found.taken
    assert verify(report, all_pairs=True).verdict == "accepted"


@pytest.mark.parametrize(
    "command",
    [
        ["tradeoff", "EHDS", "--n", "5", "--eps", "1/10..2"],
        ["tradeoff", "EHDS", "--n", "5", "--gamma", "1/10..2"],
        ["accuracy", "MH", "--n", "5", "--at", "2,3", "--delta", "1/10..1/2"],
        ["accuracy", "EHD", "--n", "5", "--at", "2,3", "--prior", "1/2..1"],
    ],
)
def test_what_takes_no_interval_says_what_does(
    command: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    assert invoke(command) == 2
    said = capfd.readouterr().err
    assert said.count("\n") == 1
    assert "this is an interval, and one number is needed here" in said


OTHERS = [
    ("EHDS", "gamma", Fraction(1, 4), Fraction(4), {}),
    ("EHDS", "prior", Fraction(1, 10), Fraction(3), {}),
    ("EHD", "prior", Fraction(1, 10), Fraction(3), {"gs": "computed"}),
    ("EHDL", "prior", Fraction(1, 10), Fraction(3), {}),
    ("MH", "prior", Fraction(1, 10), Fraction(3), {"delta": "1/3"}),
    ("MH", "delta", Fraction(1, 100), Fraction(9, 10), {"prior": "1/10,3"}),
    ("EHDS", "epsilon", Fraction(1, 10), Fraction(2), {}),
    ("Laplace", "scale", Fraction(1, 2), Fraction(4), {}),
    ("DiscreteLaplace", "scale", Fraction(1, 2), Fraction(4), {}),
]


@pytest.mark.parametrize(("name", "parameter", "low", "high", "rest"), OTHERS)
def test_lines_over_any_parameter_hold_audits_at_points_and_close_as_pieces_shrink(
    name: str, parameter: str, low: Fraction, high: Fraction, rest: dict[str, str]
) -> None:
    rng = random.Random(f"{name} {parameter}")
    mechanism: Any = dpaudit.mechanism(name, **rest)
    over = mechanism.over
    if parameter == "epsilon":  # the same as over_epsilon, by slopes
        over = functools.partial(hellinger_over_parameter, mechanism)
    gaps = []
    first = low + rng.randrange(200) * (high - low) / 200
    for parts in (200, 3200):
        width = (high - low) / parts
        lines = over(parameter, 7).lines(first, first + width)
        for share in (Fraction(0), Fraction(rng.randrange(1, 9), 9), Fraction(1)):
            value = first + share * width
            given: Any = (value,) * 2 if parameter == "prior" else value
            point = dpaudit.check(name, 7, budget=9, **{**rest, parameter: given}).epsilon
            assert line_of(lines.lower, share) <= Fraction(point.upper)
            assert Fraction(point.lower) <= line_of(lines.upper, share)
        gaps.append(float(lines.upper[0] - lines.lower[0]))
        assert gaps[-1] < 0.01 * float(lines.upper[0])
    assert gaps[0] > 8 * gaps[1] - 1e-12


@pytest.mark.parametrize("prior", ["1/2..1", "1/2..1,1/2..1,1/2..1"])
def test_an_interval_of_priors_is_that_of_every_category(prior: str) -> None:
    found = dpaudit.check_interval("EHDS", 3, prior=prior)
    size = found.results[0]
    assert found.verdict is Verdict.WITHIN
    assert found.report.described["prior"] == ["0.5..1"] * (2 if prior == "1/2..1" else 3)
    assert [(one.first, one.last) for one in found.kept] == [("0.5", "1")]
    assert all(map(is_narrow, size.pieces))


def test_a_tie_at_the_closed_end_of_an_interval_of_scales_is_within() -> None:
    kept = dpaudit.check_interval("Laplace", scale="2..3", budget="1/2")
    assert kept.verdict is Verdict.WITHIN
    split = dpaudit.check_interval("DiscreteLaplace", 4, scale="1/2..3", budget=1)
    assert split.verdict is Verdict.EXCEEDS
    assert Fraction(split.kept[0].first) - 1 < Fraction(1, 10**5)
    assert split.results[0].exceeded is not None


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"gamma": "1..2", "eps": "1..2"}, "only one parameter may be an interval"),
        ({"prior": "1..2,1..3"}, "the same for every category"),
        ({"gamma": "2..1"}, "FIRST < LAST"),
        ({"gamma": "1"}, "gamma = 1: .* FIRST..LAST"),
        ({"gamma": (1, 2)}, "gamma = .* FIRST..LAST"),
        ({"sigma": "1..2"}, "EHDS has no parameter sigma"),
        ({"prior": "1..2", "k": "x"}, "k = 'x' is not a number"),
        ({"prior": "0..1"}, "0 < FIRST"),
    ],
)
def test_what_is_no_interval_of_a_parameter_is_refused(given: dict[str, Any], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        dpaudit.check_interval("EHDS", 3, **given)


def test_what_moves_its_own_budget_wants_a_constant_one() -> None:
    with pytest.raises(UsageError, match="it is 1/3 at scale = 3"):
        dpaudit.check_interval("Laplace", scale="2..3")
    with pytest.raises(UsageError, match=r"sensitivity = 1..2: only eps"):
        dpaudit.check_interval("SVT1", 3, sensitivity="1..2")


@pytest.mark.parametrize("budget", [None, 1])
@pytest.mark.parametrize("delta", ["1/2..1", "1/2..2"])
def test_ends_are_read_as_the_parameter_is_whatever_the_budget(
    delta: str, budget: int | None
) -> None:
    with pytest.raises(UsageError, match="must be at least 0 and less than 1"):
        dpaudit.check_interval("MH", 3, delta=delta, budget=budget)


def test_laws_that_do_not_depend_on_the_parameter_are_followed() -> None:
    cases: list[dict[str, Any]] = [{"prior": "1,1,1"}, {"smoothing": "own"}]
    for more in cases:
        found = dpaudit.check_interval("MH", 2, delta="1/10..1/2", **more)
        at_point = dpaudit.check("MH", 2, delta="1/5", **more).epsilon
        assert found.verdict is Verdict.WITHIN
        for piece in found.results[0].pieces:
            if Fraction(piece.first) <= Fraction(1, 5) <= Fraction(piece.last):
                assert min(piece.lower) <= at_point.upper
                assert at_point.lower <= max(piece.upper)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["EHDS", "MH", "--gamma", "1..2"], "MH has no parameter gamma"),
        (["EHDS", "--prior", "1/2..1,1/2..1", "--k", "3"], "2 parameters but k = 3"),
    ],
)
def test_what_a_mechanism_cannot_be_given_is_refused_over_an_interval_too(
    arguments: list[str], why: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert invoke(["check", *arguments, "--n", "2", "--no-plot"]) == 2
    told = capfd.readouterr().err
    assert why in told
    assert len(told.splitlines()) == 1


@pytest.mark.wrong_on_purpose  # reports are changed, to be rejected
@pytest.mark.parametrize("given", ["gamma=1/2..2", "prior=1/2..1"])
def test_a_report_over_another_parameter_is_verified_and_a_wrong_one_is_not(
    given: str, tmp_path: Path
) -> None:
    name, text = given.split("=")
    path = tmp_path / "report.json"
    argv = ["check", "EHDS", "--n", "4", f"--{name}", text, "--format", "json"]
    assert invoke([*argv, "--output", str(path)]) == 0
    held = verify(path)
    assert held.verdict == "accepted", held
    assert held.rechecked["realised ε at points"] >= 3
    told = json.loads(path.read_text())
    other = "eps" if name == "gamma" else "gamma"
    told["parameter"] = {"eps": "epsilon"}.get(other, other)
    told["sha256"] = seal_of(told)
    wrong = tmp_path / "wrong.json"
    wrong.write_text(json.dumps(told))
    assert verify(wrong).verdict == "rejected"
