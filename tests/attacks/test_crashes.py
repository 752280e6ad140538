"""What one reader cannot show is no reason for the rest to be lost."""

from pathlib import Path

import pytest

from dpaudit.cli.main import invoke


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("epsilon", ["700", "1e400"])
def test_a_page_shows_a_budget_beyond_floats(epsilon: str) -> None:
    """A chart of it raised, and the reports after the page were lost."""
    Path("dpaudit.toml").write_text(
        f'[[mechanism]]\nmechanism = "LSHist"\nn = 10\nparameters = {{ epsilon = "{epsilon}" }}\n'
        f'[[mechanism]]\nmechanism = "EHDS"\nn = 10\nbudget = "{epsilon}"\n'
    )
    assert invoke(["gate", "--report", "html=page.html", "--report", "json=report.json"]) == 0
    assert epsilon in Path("page.html").read_text()
    assert Path("report.json").stat().st_size > 0


CLAIMS = """
from dpaudit.claims.certificate import OrthantCertificate
from dpaudit.claims.claim import Claim

def claim(name, positive):
    certificate = OrthantCertificate(
        title="t", positive=positive, shift={"s": "s"}, positive_variables=("s",)
    )
    return Claim(id=name, source="s", statement="s", domain="d", evidence=(certificate,))

CLAIMS = [claim("x-variable", "1/s"), claim("x-tiny", "1e-400*s"), claim("x-good", "s")]
"""


def test_a_claim_that_cannot_be_read_fails_alone(capfd: pytest.CaptureFixture[str]) -> None:
    """One certificate that divides by a variable stopped all the others, too."""
    Path("claims.py").write_text(CLAIMS)
    invoke(["prove", "--from", "claims.py", "x-*"])
    out = capfd.readouterr().out
    assert "3 claims: 1 argued (1 proved), 2 undecided" in out
    assert "x-variable: positivity certificate “t” does not hold: division by 's'" in out


def test_a_file_that_raises_what_is_no_exception_is_one_line(
    capfd: pytest.CaptureFixture[str],
) -> None:
    Path("base.py").write_text("raise BaseException('b')\n")
    assert invoke(["prove", "--from", "base.py"]) == 2
    said = capfd.readouterr().err
    assert said == "dpaudit: a file that was loaded raised BaseException: b\n"


@pytest.mark.parametrize("form", ["text", "json", "csv", "markdown"])
def test_text_that_is_not_unicode_is_shown(form: str) -> None:
    Path("odd.py").write_text(
        "class Odd:\n"
        "    budget, datasets, neighbours = '2', ['a', 'z\\ud800'], 'all'\n"
        "    def law(self, x):\n"
        "        return {'o\\udfff': '1/2', 'p': '1/2'}\n"
    )
    arguments = ("odd.py:Odd", "--format", form, "--output", "report", "--no-plot")
    assert invoke(["check", *arguments]) == 0
    assert Path("report").stat().st_size > 0
