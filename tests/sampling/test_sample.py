"""``dpaudit.sample`` and its command: verdicts, refusals, one answer from any process."""

import json
from collections.abc import Callable
from math import log
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from click.testing import CliRunner

import dpaudit
from dpaudit.cli.main import invoke
from dpaudit.errors import DpauditError, LawError, ParameterError, UsageError
from dpaudit.results import SampleVerdict
from dpaudit.results.documents import published
from dpaudit.sampling.calls import sizes_of
from dpaudit.sampling.independence import LEAST_CHUNKS, ChunkCount, Repeats, check_chunks, echo
from tests.sampling import subjects

HERE = "tests.sampling.subjects"
FILE = Path(subjects.__file__)


@pytest.mark.parametrize(
    ("subject", "given", "verdict"),
    [
        (subjects.response, {}, "not refuted"),
        (subjects.response, {"p": "4/5"}, "exceeds"),
        (subjects.binned, {}, "not refuted"),
        (subjects.noisy_values, {}, "exceeds"),
        (subjects.above, {}, "exceeds"),
        (subjects.words, {}, "exceeds"),
        (subjects.leaking, {}, "exceeds"),
        (subjects.constant, {}, "vacuous"),
    ],
)
def test_verdicts(subject: Any, given: dict[str, Any], verdict: str) -> None:
    found = dpaudit.sample(subject, draws=30_000, error="1e-6", **given)
    assert found.verdict == verdict
    assert found.report.verdict is not None
    if verdict == "exceeds":
        assert found.report.budget is not None
        assert float(found.report.epsilon) > float(found.report.budget.epsilon)


def test_bounds_are_below_the_truth() -> None:
    truths = {subjects.response: log(3), subjects.binned: 0.5, subjects.noisy_values: 0.5}
    for subject, truth in truths.items():
        report = dpaudit.sample(subject, draws=40_000, error="1e-6", budget="1/100").report
        assert 0.3 * truth < float(report.epsilon) < truth


def test_more_digits_come_nearer_from_below() -> None:
    found = [
        dpaudit.sample(subjects.response, draws=20_000, error="1e-3", budget="1/2", digits=digits)
        for digits in (1, 4, 7)
    ]
    rough, plain, fine = (float(one.report.epsilon) for one in found)
    assert rough <= plain <= fine < log(3)
    assert fine <= rough * 1.11
    assert fine <= plain * (1 + 1.1e-4)
    assert len({one.report.epsilon for one in found}) == 3
    with pytest.raises(DpauditError, match="from 1 to 12"):
        dpaudit.sample(subjects.response, digits=13)


def test_floats_leak_through_their_last_bits() -> None:
    report = dpaudit.sample(subjects.laplace, draws=100_000, error="1e-6").report
    assert report.verdict == "exceeds"
    assert report.event is not None
    assert "last bits" in report.event.words


def test_an_event_that_one_side_never_has_bounds_delta() -> None:
    report = dpaudit.sample(subjects.leaking, draws=30_000, error="1e-6").report
    assert 0.03 < float(report.delta) < 0.05
    assert report.event is not None
    assert "ValueError" in report.event.words


def test_few_draws_decide_nothing() -> None:
    assert dpaudit.sample(subjects.response, draws=20).verdict == "too few draws"


def test_draws_that_repeat_are_refused() -> None:
    with pytest.raises(LawError, match="its own generator, which starts again"):
        dpaudit.sample(subjects.seeded_again, draws=5_000)


@pytest.mark.parametrize(
    ("subject", "how"),
    [
        (subjects.all_alike, "the draws of one call resemble each other"),
        (subjects.drifting, "the draws of one call resemble each other"),
        (subjects.repeating, "an event follows itself|depend on each other"),
        (subjects.sorted_draws, "an event follows itself|depend on each other"),
        (subjects.sticky, "an event follows itself"),
    ],
)
def test_draws_that_depend_on_each_other_are_refused(subject: Any, how: str) -> None:
    """Each keeps ln(3), and counts of its draws are not binomial."""
    with pytest.raises(LawError, match=how):
        dpaudit.sample(subject, draws=20_000)


def test_calls_that_rarely_fail_as_a_whole_are_refused_or_show_nothing() -> None:
    """Both sides are alike, and a call fails with 2 %, too rarely for the first calls to show it.

    No seed may exceed: counts are of many calls, and those that fail differ from the others.
    """
    refused = 0
    for seed in range(12):
        try:
            assert dpaudit.sample(subjects.failing_calls, draws=20_000, seed=seed).verdict != (
                "exceeds"
            )
        except LawError as error:
            assert "depend on each other" in str(error)  # noqa: PT017
            refused += 1
    assert refused >= 8
    with pytest.raises(LawError, match="depend on each other"):
        dpaudit.sample(subjects.failing_calls, against=subjects.uneven, draws=200_000, seed=3)


@pytest.mark.parametrize("draws", [1, 31, 32, 800, 8_000, 80_000, 10**8])
def test_what_is_counted_comes_from_many_calls(draws: int) -> None:
    sizes = sizes_of(draws)
    assert sum(sizes) == draws
    assert len(sizes) >= min(LEAST_CHUNKS, draws)
    assert max(sizes) <= 1 << 15


def test_a_rare_event_that_is_all_in_one_call_is_refused() -> None:
    rare = [ChunkCount(1_000, 0) for _ in range(63)]
    with pytest.raises(LawError, match="chunks of draws differ"):
        check_chunks("bursts", 0, [*rare, ChunkCount(1_000, 40)])
    with pytest.raises(LawError, match="chunks of draws differ"):
        check_chunks(
            "bursts", 0, [*[ChunkCount(1_000, 1_000) for _ in rare], ChunkCount(1_000, 960)]
        )
    assert check_chunks("rare", 0, [ChunkCount(1_000, index % 2) for index in range(64)]) == 32


def test_chunks_that_repeat_are_refused_however_small() -> None:
    """Each alone might be chance, all together are not."""
    repeats = Repeats()
    found = [repeats.add([("same", 20.0)], f"chunk {index}") for index in range(10)]
    assert found[1] is None
    assert found[-1] is not None
    assert not found[-1].alone
    many = Repeats()
    draw = np.random.default_rng(3)
    for _ in range(3_000):  # five fair coins repeat, and that is nothing
        assert many.add([(str(draw.integers(32)), 5 * log(2))], "coins") is None


def test_independent_draws_are_not_refused() -> None:
    draw = np.random.default_rng(7)
    for size, share in [(2_000, 0.05), (2_000, 0.5), (32_768, 0.05), (32_768, 0.9)] * 40:
        assert echo(draw.random(size) < share) < 8
    parts = [ChunkCount(2_000, int(draw.binomial(2_000, 0.3))) for _ in range(2_000)]
    assert check_chunks("even", 0, parts) == sum(one.inside for one in parts)
    with pytest.raises(LawError, match="chunks of draws differ"):
        check_chunks("uneven", 0, [ChunkCount(2_000, 600 + 300 * (i % 2)) for i in range(8)])


def test_what_is_no_number_is_seen() -> None:
    report = dpaudit.sample(subjects.not_numbers, draws=20_000).report
    assert report.verdict == "exceeds"
    assert float(report.delta) > 0.05
    assert dpaudit.sample(subjects.unhashable, draws=20_000).verdict == "exceeds"


def test_randomness_of_its_own_at_one_dataset_has_one_process() -> None:
    with pytest.raises(ParameterError, match="give --jobs 1"):
        dpaudit.sample(f"{HERE}:partly_own", draws=2_000, jobs=2)


def test_a_generator_of_its_own_is_said_and_has_one_process() -> None:
    assert not dpaudit.sample(subjects.own_generator, draws=2_000).report.reproducible
    with pytest.raises(ParameterError, match="give --jobs 1"):
        dpaudit.sample(f"{HERE}:own_generator", draws=2_000, jobs=2)


@pytest.mark.parametrize(
    ("subject", "said"),
    [
        (subjects.failing, "it raised RuntimeError: no"),
        (subjects.short, "outputs, but it must return"),
        (subjects.sized, "give --n N"),
        (subjects.law, "it is not a sampler, and its output distribution is"),
    ],
)
def test_what_cannot_be_sampled_is_one_line(subject: Any, said: str) -> None:
    with pytest.raises(DpauditError, match=said) as caught:
        dpaudit.sample(subject, draws=2_000)
    assert "\n" not in str(caught.value)
    assert "Mechanism(" not in str(caught.value)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"draws": "1.5"}, "draws = 1.5"),
        ({"draws": 0}, "draws = 0"),
        ({"error": "1"}, "error"),
        ({"error": "1e-99"}, "at least 1e-30"),
        ({"seed": -1}, "seed = -1"),
        ({"jobs": 0}, "jobs"),
        ({"budget": "-1"}, "epsilon"),
        ({"q": 1}, "no parameter q"),
        ({"n": 0}, "n = 0"),
        ({"budget": 1, "against": subjects.law}, "either with a budget or with against"),
    ],
)
def test_bad_arguments_are_named(given: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        dpaudit.sample(subjects.response, **{"draws": 2_000, **given})


def test_a_sampler_without_a_law_says_so_to_an_audit() -> None:
    with pytest.raises(LawError, match="audit it with dpaudit sample"):
        dpaudit.check(subjects.response)


def test_sizes_are_asked_for() -> None:
    report = dpaudit.sample(subjects.sized, n=2, draws=2_000).report
    assert (report.datasets, report.pairs) == (3, 2)


def test_a_sampler_conforms_to_its_law_and_another_one_does_not() -> None:
    same = dpaudit.sample(subjects.response, against=subjects.law, draws=200_000)
    assert same.verdict == "conforms"
    other = dpaudit.sample(subjects.response, against=subjects.law, draws=10**6, p="0.76")
    assert other.verdict == "differs"
    assert dpaudit.sample(subjects.constant, against=subjects.law, draws=1_000).verdict == "differs"
    few = dpaudit.sample(subjects.response, against=subjects.law, draws=1_000)
    assert few.verdict == "too few draws"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, str]]:
    monkeypatch.chdir(tmp_path)

    def run_in_folder(*arguments: str) -> tuple[int, str]:
        output = tmp_path / "out"
        code = invoke([*arguments, "--output", str(output)])
        return code, output.read_text()

    return run_in_folder


def test_the_command_line(run: Callable[..., tuple[int, str]], tmp_path: Path) -> None:
    named = f"{FILE}:response"
    code, text = run("sample", named, "--draws", "2e4", "--set", "p=9/10", "--plot", "a.svg")
    assert code == 1
    assert "exceeds: the budget is exceeded (error probability at most 1/1000000000)" in text
    assert (tmp_path / "a.svg").read_text().startswith("<?xml")
    code, text = run("sample", named, "--draws", "2e4", "--format", "json")
    assert code == 0
    document = json.loads(text)
    jsonschema.validate(document, json.loads(published("dpaudit.sample/1")))
    assert document["verdict"] == "not refuted"
    _, again = run("sample", named, "--draws", "2e4", "--format", "json", "--jobs", "2")
    assert again == text
    code, text = run("sample", named, "--draws", "2e5", "--against", f"{FILE}:law")
    assert (code, "conforms" in text) == (0, True)
    code, text = run("sample", f"{FILE}:constant", "--draws", "2e3", "--format", "csv")
    assert (code, text.splitlines()[1].endswith("vacuous")) == (3, True)


def test_help_says_that_nothing_is_proved() -> None:
    from dpaudit.questions.sample.command import command

    assert "proves nothing" in " ".join(CliRunner().invoke(command, ["--help"]).output.split())


@pytest.mark.parametrize(
    "form",
    [np.squeeze, lambda drawn: drawn[0] if len(drawn) == 1 else drawn,
     lambda drawn: drawn.tolist()[0] if len(drawn) == 1 else drawn.tolist()],
)  # fmt: skip
def test_a_call_of_one_draw_may_return_it_alone(form: Any) -> None:
    """NumPy's functions drop an axis of length 1; the law is the same in calls of all sizes."""

    @dpaudit.sampler(**subjects.BITS, budget="ln(3)")
    def squeezed(x: Any, size: Any, rng: Any) -> Any:
        return form(np.where(rng.random(size) < 0.75, x, 1 - x))

    report = dpaudit.sample(squeezed, against=subjects.law, draws=20_000).report
    assert report.verdict is SampleVerdict.TOO_FEW
    assert all(sum(cell.count for cell in one.cells) == 20_000 for one in report.comparisons)


@pytest.mark.parametrize("output", [None, 1, iter([1]), np.array(1)])
def test_what_is_no_list_is_told_as_such(output: Any) -> None:
    @dpaudit.sampler(**subjects.BITS, budget="ln(3)")
    def wrong(x: Any, size: Any, rng: Any) -> Any:
        return output

    with pytest.raises(LawError, match="but it must return a list of 256 outputs"):
        dpaudit.sample(wrong, draws=1_000)
