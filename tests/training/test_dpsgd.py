"""A run of DP-SGD in the words of those who train is the account of its steps."""

import json
from decimal import Decimal
from typing import Any

import pytest

import dpaudit
from dpaudit.cli.main import invoke
from dpaudit.errors import UsageError
from dpaudit.questions.account.dpsgd import read_training
from dpaudit.results import Verdict

RUN = ["--noise-multiplier", "2", "--batch-size", "100", "--dataset-size", "5000", "--epochs", "3"]
GIVEN: dict[str, Any] = {
    "noise_multiplier": "2",
    "batch_size": 100,
    "dataset_size": 5000,
    "epochs": "3",
    "steps": None,
    "sample_rate": None,
}


def account(capfdbinary: pytest.CaptureFixture[bytes], *words: str) -> tuple[int, Any, str]:
    code = invoke(["account", *words, "--format", "json"])
    captured = capfdbinary.readouterr()
    return int(code), captured.out and json.loads(captured.out), captured.err.decode()


def test_it_is_the_account_of_its_steps(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    code, found, said = account(capfdbinary, "dpsgd", *RUN, "--delta", "1e-5")
    plain = ["Gaussian", "--set", "sigma=2", "--sample-rate", "1/50", "--compose", "150"]
    _, wanted, _ = account(capfdbinary, *plain, "--at-delta", "1e-5", "--width", "1%")
    assert code == 0
    assert found == wanted
    assert "150 steps" in said
    assert "one example added or removed" in said


def test_a_whole_batch_is_no_sample(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    words = ["--noise-multiplier", "20", "--sample-rate", "1", "--steps", "10", "--delta", "1e-5"]
    _, found, _ = account(capfdbinary, "dpsgd", *words)
    plain = ["Gaussian", "--set", "sigma=20", "--compose", "10", "--at-delta", "1e-5"]
    plain += ["--width", "1%"]
    assert found == account(capfdbinary, *plain)[1]


def test_substitution_is_not_read_as_add_or_remove(
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    words = ["Gaussian", "--set", "sigma=2", "--sample-rate", "1/50", "--at-delta", "1e-5"]
    code, _, said = account(capfdbinary, *words, "--adjacency", "substitution")
    assert code == 2
    assert "added or removed" in said
    then = ["--then", "Gaussian sigma=2 sample-rate=1/50"]
    plain = ["Gaussian", "--set", "sigma=2", "--at-delta", "1e-5", "--adjacency", "substitution"]
    code, _, said = account(capfdbinary, *plain, *then)
    assert code == 2
    assert "added or removed" in said


@pytest.mark.parametrize(("budget", "code"), [("2/5,1e-5", 1), ("1/2,1e-5", 0)])
def test_a_budget_has_a_verdict(
    capfdbinary: pytest.CaptureFixture[bytes], budget: str, code: int
) -> None:
    assert account(capfdbinary, "dpsgd", *RUN, "--budget", budget)[0] == code


def test_epsilon_asks_for_delta(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    _, found, _ = account(capfdbinary, "dpsgd", *RUN, "--epsilon", "2/5,1/2")
    _, wanted, _ = account(capfdbinary, "dpsgd", *RUN, "--at-eps", "2/5,1/2")
    assert found == wanted
    given = dpaudit.account_dpsgd(
        noise_multiplier="2", batch_size=100, dataset_size=5000, epochs=3, epsilon=["2/5", "1/2"]
    )
    assert [str(row.delta.upper) for row in given.rows] == [
        row["delta"]["upper"] for row in wanted["rows"]
    ]


SOUGHT = {
    "noise-multiplier": ({"batch_size": 100, "dataset_size": 5000, "epochs": "3"}, "sigma"),
    "epochs": ({"batch_size": 100, "dataset_size": 5000, "noise_multiplier": "2"}, "steps"),
    "batch-size": ({"dataset_size": 5000, "steps": 150, "noise_multiplier": "2"}, "q"),
}


@pytest.mark.parametrize("sought", SOUGHT)
def test_what_is_sought_keeps_the_budget_and_the_next_does_not(
    capfdbinary: pytest.CaptureFixture[bytes], sought: str
) -> None:
    """The account of the value beside it, made anew, exceeds the budget."""
    words, parameter = SOUGHT[sought]
    options = [
        x for name, value in words.items() for x in (f"--{name.replace('_', '-')}", str(value))
    ]
    asked = ["--solve", sought, "--epsilon", "1/2", "--delta", "1e-5"]
    code, found, said = account(capfdbinary, "dpsgd", *options, *asked)
    solved = found["solved"]
    assert (code, found["verdict"], solved["parameter"]) == (0, "within", parameter)
    assert solved["failing_verdict"] == "exceeds"
    given = dpaudit.account_dpsgd(**words, solve=sought, budget=("1/2", "1e-5"))  # type: ignore[arg-type]
    assert str(given.report.solved.value) == solved["value"]  # type: ignore[union-attr]
    run: dict[str, Any] = {"sigma": "2", "q": "1/50", "steps": 150, parameter: solved["failing"]}
    beside = dpaudit.account(
        "Gaussian",
        1,
        sigma=run["sigma"],
        sample_rate=run["q"],
        compose=int(run["steps"]),
        budget=("1/2", "1e-5"),
    )
    assert beside.verdict is Verdict.EXCEEDS
    assert {
        "noise-multiplier": f"is {solved['value']}",
        "epochs": f"{solved['value']} steps, or {Decimal(solved['value']) / 50} epochs",
        "batch-size": f"batches of {int(5000 * Decimal(solved['value']))} examples",
    }[sought] in said


def test_steps_are_rounded_up() -> None:
    assert read_training(**GIVEN).steps == 150
    assert read_training(**GIVEN | {"batch_size": 256, "dataset_size": 60_000}).steps == 704
    assert read_training(**GIVEN | {"epochs": "1/1000"}).steps == 1
    rate = {"batch_size": None, "dataset_size": None, "sample_rate": "1/3", "epochs": "1"}
    assert read_training(**GIVEN | rate).steps == 3


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"noise_multiplier": None}, "--noise-multiplier"),
        ({"batch_size": None}, "--batch-size and --dataset-size"),
        ({"sample_rate": "1/2"}, "give either"),
        ({"steps": 3}, "exactly one of"),
        ({"epochs": None}, "exactly one of"),
        ({"epochs": "0"}, "above 0"),
        ({"epochs": None, "steps": 0}, "at least 1"),
        ({"batch_size": 5001}, "from 1 to 5000"),
        ({"batch_size": None, "dataset_size": None, "sample_rate": "2"}, "at most 1"),
    ],
)
def test_what_cannot_be_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        read_training(**GIVEN | given)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["Gaussian", "--epochs", "3"], "applies only to dpsgd"),
        (["dpsgd", *RUN], "ε depends on δ"),
        (["dpsgd", *RUN, "--compose", "3"], "--steps"),
        (
            ["dpsgd", *RUN, "--set", "sigma=3", "--delta", "1e-5"],
            "dpsgd has no parameters other than the options that",
        ),
        (["dpsgd", *RUN, "--delta", "1e-5", "--at-delta", "1e-6"], "give one"),
        (["dpsgd", *RUN, "--epsilon", "1", "--at-eps", "1"], "give one"),
        (["RR", "--epsilon", "1"], "--at-eps"),
        (["RR", "--at-delta", "1e-5", "--solve", "epochs"], "applies only to dpsgd"),
        (["dpsgd", *RUN, "--solve", "epochs", "--budget", "1,1e-5"], "leave it out"),
        (["dpsgd", *RUN, "--solve", "noise-multiplier", "--budget", "1,1e-5"], "leave it out"),
        (["dpsgd", *RUN, "--solve", "batch-size", "--budget", "1,1e-5"], "leave it out"),
        (["dpsgd", *RUN[:2], *RUN[4:], "--solve", "batch-size", "--budget", "1,1e-5"], "--steps"),
        (["dpsgd", *RUN[2:], "--solve", "noise-multiplier"], "--epsilon and --delta"),
        (["dpsgd", *RUN[2:], "--solve", "noise-multiplier", "--epsilon", "1"], "and --delta"),
        (["dpsgd", *RUN[2:], "--solve", "sigma", "--budget", "1,1e-5"], "noise-multiplier"),
        (["dpsgd", *RUN[2:], "--solve", "noise-multiplier", "--budget", "1"], "0 < δ < 1"),
        (["dpsgd", *RUN, "--delta", "1e-5", "--n", "3"], "--n applies only to other mechanisms"),
        (
            ["dpsgd", *RUN, "--delta", "1e-5", "--adjacency", "flow"],
            "dpsgd accepts only",
        ),
        (
            ["dpsgd", *RUN, "--delta", "1e-5", "--sampling", "fixed", "--direction", "add"],
            "applies only to Poisson",
        ),
        (["dpsgd", *RUN, "--delta", "1e-5", "--sampling", "fixed", "--plot", "f.png"], "--plot"),
        (["dpsgd", *RUN, "--delta", "1e-5", "--sampling", "fixed", "--then", "RR"], "--then"),
        (
            [
                "dpsgd",
                "--noise-multiplier",
                "2",
                "--sample-rate",
                "1",
                "--steps",
                "9",
                "--delta",
                "0",
                "--sampling",
                "fixed",
            ],
            "there is no sampling",
        ),
        (
            ["dpsgd", *RUN[2:], *["--solve", "noise-multiplier", "--sampling", "shuffle"]],
            "--solve supports only Poisson sampling with one example",
        ),
        (["dpsgd", *RUN, "--delta", "1e-5", "--sampling", "uniform"], "poisson"),
        (["RR", "--at-delta", "1e-5", "--sampling", "poisson"], "applies only to dpsgd"),
    ],
)
def test_words_that_do_not_go_together_are_refused(
    capfdbinary: pytest.CaptureFixture[bytes], words: list[str], said: str
) -> None:
    code, out, told = account(capfdbinary, *words)
    assert (code, out) == (2, b"")
    assert said in told
    assert told.count("\n") == 1


@pytest.mark.parametrize("noise", ["0", "-1", "0.01", "1/11"])
def test_too_little_noise_is_refused_at_once(noise: str, capfd: pytest.CaptureFixture[str]) -> None:
    """With 0.01 an account went on for ten minutes, with 0.05 it took all memory."""
    given = ["--batch-size", "256", "--dataset-size", "60000", "--epochs", "15", "--delta", "1e-5"]
    assert invoke(["account", "dpsgd", "--noise-multiplier", noise, *given]) == 2
    told = capfd.readouterr()
    assert told.err.count("\n") == 1
    assert "must be at least 0.1" in told.err
