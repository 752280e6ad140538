"""Hostile configurations: refused in one line, or never a pass.

What is malformed in other ways is in ``tests/gate/test_config.py``.
"""

from pathlib import Path

import pytest

from dpaudit.cli.main import invoke

GOOD = '[[mechanism]]\nmechanism = "EHDS"\nn = 3\n'
LOOSE = """
from dpaudit.numbers.ball import Ball
from dpaudit.numbers.real import real


class Delta:
    \"\"\"δ(1) lies in [1e-14, 9.9e-13], and nothing more is known.\"\"\"

    datasets = [0, 1]

    def law(self, bit):
        loose = Ball("5e-13", "4.9e-13")
        return {"a": loose, "rest": Ball(1) - loose} if bit else {"rest": 1}


class Nearly(Delta):
    \"\"\"δ(1) is 1/10, known to 10^-15 of it, whatever the precision.\"\"\"

    def law(self, bit):
        loose = Ball("0.1", "1e-16")
        return {"a": loose, "rest": Ball(1) - loose} if bit else {"rest": 1}


class Tie(Delta):
    \"\"\"δ(1) is ln(2)·10^-14, given as a ball: no precision tells it from itself.\"\"\"

    def law(self, bit):
        small = real("ln(2)*1e-14").ball()
        return {"a": small, "rest": Ball(1) - small} if bit else {"rest": 1}
"""


def entry(name: str, budget: str, *more: str) -> str:
    lines = [f'mechanism = "loose.py:{name}"', f"budget = {budget}", "n = 1", *more]
    return "\n".join(["[[mechanism]]", 'ties = "accept"', *lines, ""])


HOSTILE: dict[str, tuple[str, tuple[int, ...]]] = {
    # nothing to check
    "nothing": ("", (2,)),
    "no mechanism, no claim": ("mechanism = []\n[claims]\n", (2,)),
    "only settings": ('fail-on = "tie"\ntime-cap = 3\n', (2,)),
    "claims that nothing matches": ('[claims]\n"no-such-*" = "proved"\n', (3,)),
    "a claim that is to be unknown": ('[claims]\nno-such-claim = "unknown"\n', (3,)),
    "a claim that is to crash": ('[claims]\nno-such-claim = "crashed"\n', (3,)),
    # keys
    "a key twice": (GOOD + "n = 4\n", (2,)),
    "a table twice": ("[claims]\n[claims]\n" + GOOD, (2,)),
    "a key in other letters": (GOOD + "Budget = 1\n", (2,)),
    "a key that looks alike": (GOOD + '"b\\u0443dget" = 1\n', (2,)),
    "a key with a line break": (GOOD + '"bud\\nget" = 1\n', (2,)),
    "a key of 100,000 letters": (GOOD + "x" * 100_000 + " = 1\n", (2,)),
    "a parameter twice": (GOOD + "parameters = { epsilon = 1, epsilon = 2 }\n", (2,)),
    "ε under both its names": (GOOD + 'parameters = { eps = "1", epsilon = "9" }\n', (2,)),
    # names
    "a name that turns the line": (GOOD.replace("EHDS", "EHDS\\u202e"), (2,)),
    "a name with a null": (GOOD.replace("EHDS", "EHDS\\u0000"), (2,)),
    "a name in other letters": (GOOD.replace("EHDS", "\\u0395HDS"), (2,)),
    "a path with a null": (GOOD.replace("EHDS", "a\\u0000.py:x"), (2,)),
    "a path out of a device": (GOOD.replace("EHDS", "/dev/zero.py:x"), (2,)),
    "a path in a circle": (GOOD.replace("EHDS", "circle.py:x"), (2,)),
    # sizes
    "10^12 sizes": (GOOD.replace("3", '"1..1000000000000"'), (2,)),
    "10^7 sizes": (GOOD.replace("3", '"1..10000000"'), (2, 3)),
    "10^7 sizes ten thousand times": (
        GOOD.replace("3", '"' + ",".join(["1..10000000"] * 10_000) + '"'),
        (2,),
    ),
    "sizes backwards": (GOOD.replace("3", '"3..1"'), (2,)),
    "a step of nothing": (GOOD.replace("3", '"1..3..0"'), (2,)),
    "a size of 10^30": (GOOD.replace("3", "1" + 30 * "0"), (2,)),
    "sizes in other digits": (GOOD.replace("3", '"\\u0663"'), (2,)),
    "no sizes between commas": (GOOD.replace("3", '"1,,3"'), (2,)),
    # budgets
    "nan": (GOOD + "budget = nan\n", (2,)),
    "inf": (GOOD + "budget = inf\n", (2,)),
    "inf in quotes": (GOOD + 'budget = "inf"\n', (2,)),
    "negative": (GOOD + 'budget = "-ln(2)"\n', (2,)),
    "nothing but zero": (GOOD + 'budget = "ln(1)"\n', (2,)),
    "δ of one": (GOOD + "budget = [1, 1]\n", (2,)),
    "δ below zero": (GOOD + "budget = [1, -1e-9]\n", (2,)),
    "δ of nan": (GOOD + "budget = [1, nan]\n", (2,)),
    "a budget of 10^6 digits": (GOOD + "budget = 0." + "0" * 900_000 + "1\n", (2,)),
    "a budget of other digits": (GOOD + 'budget = "\\u0661"\n', (2,)),
    "a budget that is no sum": (GOOD + 'budget = "exp(exp(exp(exp(9))))"\n', (2, 3)),
    # settings
    "digits that are half": (GOOD + "digits = 1.5\n", (2,)),
    "digits of 10^9": (GOOD + "digits = 1000000000\n", (2,)),
    "a time cap of inf": (GOOD + "time-cap = inf\n", (2,)),
    "a time cap of nan": (GOOD + "time-cap = nan\n", (2,)),
    "no time at all": (GOOD.replace("3", '"1..4000"') + "time-cap = 1e-9\n", (3,)),
    "true where a number is": (GOOD + "digits = true\n", (2,)),
    "ties in other letters": (GOOD + 'ties = "Accept"\n', (2,)),
    # line 10: ties that are none
    "line 10: a δ beside a small δ": (entry("Delta", '[1, "2e-14"]'), (3,)),
    "line 10: a δ that stays as wide": (entry("Nearly", '[1, "1/10"]'), (3,)),
    "line 10: nothing is nearly nothing": (
        entry("Delta", '[1, "0"]', 'notion = "approximate"'),
        (1, 3),
    ),
    "line 10: wide with few digits": (entry("Delta", '[1, "2e-14"]', "digits = 1"), (3,)),
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "loose.py").write_text(LOOSE)
    (tmp_path / "circle.py").symlink_to(tmp_path / "circle.py")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_configuration_is_no_pass(
    name: str, project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    config, codes = HOSTILE[name]
    (project / "dpaudit.toml").write_text(config)
    code = invoke(["gate", "--jobs", "1"])
    out, err = capfd.readouterr()
    assert code in codes, (out, err)
    assert "Traceback" not in err
    assert "internal" not in err
    if code == 2:
        assert out == ""
        assert err.count("\n") == 1
        assert err.rstrip("\n").isprintable()
        assert len(err) < 2000


FILES = {
    "10 MB": lambda path: path.write_bytes(b"#" * 10_000_000),
    "not text": lambda path: path.write_bytes(b"\xff\xfe"),
    "a null": lambda path: path.write_bytes(b"\0"),
    "a folder": lambda path: path.mkdir(),
    "a link to itself": lambda path: path.symlink_to(path),
    "a link to nothing": lambda path: path.symlink_to("nowhere"),
    "a device without end": lambda path: path.symlink_to("/dev/zero"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_hostile_file_is_refused(
    name: str, project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    FILES[name](project / "given.toml")
    assert invoke(["gate", "--config", "given.toml"]) == 2
    out, err = capfd.readouterr()
    assert (out, err.count("\n")) == ("", 1)


def test_a_true_tie_of_a_small_delta_is_accepted(
    project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Line 10: balls at the precision cap do not tell ln(2)·10⁻¹⁴ from ln(2)·10⁻¹⁴."""
    config = entry("Tie", '[1, "ln(2)*1e-14"]')
    (project / "dpaudit.toml").write_text(config)
    assert invoke(["gate", "--jobs", "1"]) == 0, capfd.readouterr()
    assert "tie accepted" in capfd.readouterr().out
    (project / "dpaudit.toml").write_text(config.replace("accept", "fail"))
    assert invoke(["gate", "--jobs", "1"]) == 3
