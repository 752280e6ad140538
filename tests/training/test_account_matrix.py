"""Accounts of matrix mechanisms: their Gaussian mechanism, files, and what is refused."""

import json
import zipfile
from decimal import Decimal
from math import erfc, exp, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dpaudit
from dpaudit.cli.main import invoke
from dpaudit.errors import UsageError
from dpaudit.results import Verdict
from dpaudit.results.documents import seal_of

PREFIX = np.tril(np.ones((12, 12)))
SIGNED = np.tril(np.random.default_rng(3).normal(size=(12, 12)))
"""Its worst steps have products whose signs no contributions along one line agree with."""
OPTIONS = ["--max-participations", "3", "--min-sep", "4"]


def delta_of(mu: float, epsilon: float) -> float:
    """Return δ(ε) of the Gaussian mechanism (Balle and Wang 2018, Theorem 8)."""
    shift, half = epsilon / mu / sqrt(2), mu / 2 / sqrt(2)
    return (erfc(shift - half) - exp(epsilon) * erfc(shift + half)) / 2


def account(capfd: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    status = invoke(["account-matrix", *map(str, words)])
    return status, *capfd.readouterr()


def saved(folder: Path, array: Any, name: str = "c.npy") -> Path:
    path = folder / name
    np.save(path, array)
    return path


@pytest.mark.quick
def test_the_account_is_that_of_one_gaussian_mechanism() -> None:
    found = dpaudit.account_matrix(
        PREFIX, noise_multiplier=6, max_participations=3, min_sep=4, delta="1e-5", epsilon=[2]
    )
    matrix: Any = found.reports[0].matrix
    squared = sum(12 - max(i, j) for i in (0, 4, 8) for j in (0, 4, 8))
    assert matrix.pattern == (0, 4, 8)
    assert float(matrix.sensitivity.exact) ** 2 == pytest.approx(squared)
    mu = sqrt(squared) / 6
    at_delta, at_epsilon = found.rows
    assert delta_of(mu, float(at_delta.epsilon.upper)) == pytest.approx(1e-5, rel=1e-9)
    assert float(at_epsilon.delta.lower) == pytest.approx(delta_of(mu, 2), rel=1e-9)


def test_identity_is_dp_sgd_without_samples() -> None:
    """Steps that are released as they are compose as Gaussian runs do."""
    steps: Any = np.int64(5)
    ours = dpaudit.account_matrix(
        np.eye(20), noise_multiplier=3, max_participations=steps, min_sep=4, delta="1e-6"
    )
    runs = dpaudit.account("Gaussian", sigma=3, compose=5, at_delta="1e-6", width="1%")
    ours_at, theirs_at = ours.rows[0].epsilon, runs.rows[0].epsilon
    assert ours_at.lower <= theirs_at.upper
    assert theirs_at.lower <= ours_at.upper


def test_an_interval_of_the_sensitivity_is_one_of_the_account() -> None:
    """Where products have both signs, both ends of ε are those of the sensitivity's ends."""
    found = dpaudit.account_matrix(
        SIGNED, noise_multiplier=6, max_participations=3, min_sep=4, epsilon=1, budget=[9, "1e-5"]
    )
    matrix: Any = found.reports[0].matrix
    low, high = float(matrix.sensitivity.lower), float(matrix.sensitivity.upper)
    row = found.rows[0]
    assert low < high
    assert float(row.delta.lower) == pytest.approx(delta_of(low / 6, 1), rel=1e-9)
    assert float(row.delta.upper) == pytest.approx(delta_of(high / 6, 1), rel=1e-9)
    between = (delta_of(low / 6, 1) + delta_of(high / 6, 1)) / 2
    undecided = dpaudit.account_matrix(
        SIGNED, noise_multiplier=6, max_participations=3, min_sep=4, budget=[1, between]
    )
    assert undecided.verdict is Verdict.UNDECIDED


@pytest.mark.parametrize("strategy", [PREFIX, SIGNED])
@pytest.mark.parametrize("budget", [("2", "1e-5"), ("1/10", "1e-9"), ("20", "1e-3")])
def test_the_noise_that_is_found_keeps_the_budget_and_less_does_not(
    strategy: Any, budget: tuple[str, str]
) -> None:
    def verdict(noise: Decimal | None) -> tuple[Any, Any]:
        found = dpaudit.account_matrix(
            strategy,
            noise_multiplier=noise,
            max_participations=3,
            min_sep=4,
            budget=budget,
            solve=None if noise else "noise-multiplier",
        )
        matrix: Any = found.reports[0].matrix
        return found.verdict, matrix.noise_multiplier

    kept, noise = verdict(None)
    assert kept is Verdict.WITHIN
    number = Decimal(float(noise))
    less = number - Decimal(10) ** (number.adjusted() - 3)
    assert verdict(less)[0] is not Verdict.WITHIN


@pytest.mark.wrong_on_purpose
@pytest.mark.parametrize("name", ["c.npy", "c.npz", "c.csv", "f.npy", "i.npy"])
def test_files_are_read_and_verified(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / name
    if name == "c.npz":
        np.savez_compressed(path, c=PREFIX)
    elif name == "c.csv":
        np.savetxt(path, PREFIX, delimiter=",", fmt="%g")
    elif name == "f.npy":
        np.save(path, np.asfortranarray(PREFIX.astype(">f4")))
    else:
        np.save(path, PREFIX.astype(np.int8 if name == "i.npy" else float))
    report = tmp_path / "report.json"
    words = [path, "--noise-multiplier", 6, *OPTIONS, "--delta", "1e-5", "--format", "json"]
    status, _, said = account(capfd, *words, "--output", report)
    assert status == 0
    assert not said
    content = json.loads(report.read_text())["matrix"]
    assert content["sensitivity"]["exact"] == "2*sqrt(2)*sqrt(7)"
    assert content["bound"] == "toeplitz"
    assert invoke(["verify", str(report)]) == 0
    said = capfd.readouterr().out
    assert "upper ends of sensitivities" in said
    path.write_bytes(path.read_bytes() + b" ")
    assert invoke(["verify", str(report)]) == 3
    assert "another file" in capfd.readouterr().out
    path.unlink()
    assert invoke(["verify", str(report)]) == 3


FALSE: dict[str, Any] = {
    "a smaller sensitivity": lambda m: m["sensitivity"].update(lower="6", upper="6", exact="6"),
    "a larger one": lambda m: m["sensitivity"].update(lower="7", upper="7", exact="7"),
    "another pattern": lambda m: m.update(pattern=[1, 5, 9]),
    "steps too close": lambda m: m.update(pattern=[0, 3, 8]),
    "too many steps": lambda m: m.update(pattern=[0, 4, 8, 12], signs=[1, 1, 1, 1]),
    "other signs": lambda m: m.update(signs=[1, -1, 1]),
    "more noise": lambda m: m.update(noise_multiplier="7"),
    "one participation fewer": lambda m: m.update(max_participations=2),
    "no triangle": lambda m: m.update(triangular=False),
}


@pytest.mark.wrong_on_purpose
@pytest.mark.parametrize("change", FALSE)
def test_falsified_reports_are_rejected(
    change: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "report.json"
    words = [saved(tmp_path, PREFIX), "--noise-multiplier", 6, *OPTIONS, "--delta", "1e-5"]
    assert account(capfd, *words, "--format", "json", "--output", report)[0] == 0
    content = json.loads(report.read_text())
    FALSE[change](content["matrix"])
    content["sha256"] = seal_of(content)
    report.write_text(json.dumps(content))
    assert invoke(["verify", str(report)]) == 1
    assert "contradicted" in capfd.readouterr().out


@pytest.mark.wrong_on_purpose
@pytest.mark.parametrize("steps", [12, 40])
def test_reports_with_two_signs_are_verified_where_steps_are_few(
    steps: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    strategy = np.tril(np.random.default_rng(steps).normal(size=(steps, steps)))
    report = tmp_path / "report.json"
    words = [saved(tmp_path, strategy), "--noise-multiplier", 6, *OPTIONS, "--delta", "1e-5"]
    assert account(capfd, *words, "--format", "json", "--output", report)[0] == 0
    assert invoke(["verify", str(report)]) == 0
    content = json.loads(report.read_text())
    high = Decimal(content["rows"][0]["epsilon"]["upper"])
    content["rows"][0]["epsilon"]["upper"] = str(high * Decimal("0.9"))
    content["sha256"] = seal_of(content)
    report.write_text(json.dumps(content))
    assert invoke(["verify", str(report)]) == 1


def bad_files() -> dict[str, tuple[Any, str]]:
    """Return arrays that are no strategies, and a part of what is said about each."""
    nan, infinite, empty = PREFIX.copy(), PREFIX.copy(), PREFIX.copy()
    nan[3, 1], infinite[2, 0], empty[:, 5] = np.nan, -np.inf, 0
    return {
        "nan": (nan, r"entry \(3, 1\) is nan"),
        "infinite": (infinite, r"entry \(2, 0\) is -inf"),
        "a zero column": (empty, "column 5 is 0"),
        "not square": (np.ones((3, 4)), "shape is 3 × 4"),
        "a vector": (np.ones(3), "shape is 3;"),
        "a number": (np.array(3.0), "a single number"),
        "nothing": (np.ones((0, 0)), "shape is 0 × 0"),
        "complex": (PREFIX.astype(complex), "complex128"),
        "text": (PREFIX.astype(str), "type <U"),
        "truth": (PREFIX.astype(bool), "type bool"),
        "too many steps": (np.broadcast_to(np.int8(1), (4097, 4097)), "at most 4096 steps"),
        "large whole numbers": (np.full((2, 2), 2**53 + 1), "at most 2"),
        "far apart": (np.array([[1.0, 0], [1e-300, 1]]), "size from 1e-70"),
    }


@pytest.mark.parametrize("kind", bad_files())
def test_what_is_no_strategy_is_refused_in_one_line(
    kind: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    array, said = bad_files()[kind]
    path = saved(tmp_path, array)
    with pytest.raises(UsageError, match=said):
        dpaudit.account_matrix(
            array, noise_multiplier=1, max_participations=1, min_sep=1, delta="1e-5"
        )
    status, out, error = account(
        capfd, path, "--noise-multiplier", 1, *OPTIONS[:1], 1, *OPTIONS[2:3], 1, "--delta", "1e-5"
    )
    assert (status, out, error.count("\n")) == (2, "", 1)
    assert str(path) in error


def test_files_that_are_no_arrays_are_refused(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Pickles are never loaded, and archives are not unpacked beyond what a matrix has."""
    ran = tmp_path / "ran"

    class Evil:
        def __reduce__(self) -> Any:
            return Path.touch, (ran,)

    objects = np.array([[Evil()]], dtype=object)
    np.save(tmp_path / "objects.npy", objects, allow_pickle=True)
    np.savez(tmp_path / "two.npz", a=PREFIX, b=PREFIX)
    np.savez_compressed(tmp_path / "bomb.npz", a=np.zeros((6000, 6000)))
    (tmp_path / "bomb.npy").write_bytes((tmp_path / "bomb.npz").read_bytes())
    with zipfile.ZipFile(tmp_path / "member.npz", "w") as archive:
        archive.writestr("a.txt", "no array")
    (tmp_path / "text.npy").write_text("no array")
    (tmp_path / "text.npz").write_text("no archive")
    (tmp_path / "ragged.csv").write_text("1,0\n1\n")
    (tmp_path / "words.csv").write_text("a,b\nc,d\n")
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "run.json").write_text("{}")
    (tmp_path / "bytes.csv").write_bytes(b"\xff\xfe\xfd")
    (tmp_path / "huge.csv").write_text("1e999999")
    whole = saved(tmp_path, PREFIX, "whole.npy")
    (tmp_path / "cut.npy").write_bytes(whole.read_bytes()[:-5])
    for path in sorted({*tmp_path.iterdir(), tmp_path / "missing.npy", tmp_path} - {whole}):
        status, out, error = account(
            capfd, path, "--noise-multiplier", 1, *OPTIONS[:1], 1, *OPTIONS[2:3], 1, "--delta", 0.1
        )
        assert (status, out, error.count("\n")) == (2, "", 1), path
        assert "Traceback" not in error
        assert "internal error" not in error, path
        assert path.stem != "bomb" or "at most 4096 steps" in error
    assert not ran.exists()


@pytest.mark.quick
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"noise_multiplier": None}, "give --noise-multiplier"),
        ({"noise_multiplier": 0}, "must be at least 0.01"),
        ({"noise_multiplier": -1}, "must be at least 0.01"),
        ({"solve": "noise-multiplier"}, "not both"),
        ({"solve": "noise-multiplier", "noise_multiplier": None}, "needs --budget"),
        ({"solve": "sigma", "noise_multiplier": None}, "must be noise-multiplier"),
        ({"delta": ()}, "ε depends on δ"),
        ({"delta": 2}, "must be at least 0 and less than 1"),
        ({"max_participations": 0}, "from 1 to 12"),
        ({"max_participations": 13}, "from 1 to 12"),
        ({"max_participations": 2.5}, "whole number"),
        ({"min_sep": 0}, "from 1 to 12"),
        ({"participation": "poisson"}, "must be one of min-sep, fixed-epoch"),
    ],
)
def test_options_are_refused(options: dict[str, Any], said: str) -> None:
    given: dict[str, Any] = {
        "noise_multiplier": 1,
        "max_participations": 3,
        "min_sep": 4,
        "delta": "1e-5",
    }
    with pytest.raises(UsageError, match=said):
        dpaudit.account_matrix(PREFIX, **{**given, **options})


@pytest.mark.quick
def test_a_matrix_that_is_not_triangular_says_what_it_loses(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = saved(tmp_path, PREFIX.T)
    words = [path, "--noise-multiplier", 6, *OPTIONS, "--delta", "1e-5"]
    status, out, error = account(capfd, *words)
    assert status == 0
    assert not error
    assert "not lower triangular" in out
    assert "gradients that do not depend on earlier outputs" in " ".join(out.split())


def test_memory_is_refused_before_it_is_taken(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = saved(tmp_path, np.tril(np.random.default_rng(0).random((1500, 1500))))
    words = [path, "--noise-multiplier", 6, *OPTIONS, "--delta", "1e-5", "--memory-cap", 256]
    status, out, error = account(capfd, *words)
    assert (status, out, error.count("\n")) == (2, "", 1)
    assert "a strategy of 1500 steps needs about" in error
