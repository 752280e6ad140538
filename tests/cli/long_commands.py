"""Command lines that run for long, one at least for each command, to be interrupted."""

from dataclasses import dataclass, field

__all__ = ["LONG", "SHORT", "Long"]

_GATE = """
[[mechanism]]
mechanism = "EHDS"
n = "2000..3000"

[[mechanism]]
mechanism = "LSHist"
n = "2000..3000"
"""
_DRAWN = """
import numpy as np

from dpaudit import sampler


@sampler(datasets=[0, 1], neighbours="all", budget="ln(3)")
def drawn(x, size, rng):
    return np.where(rng.random(size) < 0.75, x, 1 - x)
"""


@dataclass(frozen=True)
class Long:
    """A command line that takes longer than a minute."""

    words: str
    """The command line."""
    files: dict[str, str] = field(default_factory=dict)
    """Files beside it, with their content."""
    report: str = ""
    """A command line that writes a report which it reads."""

    @property
    def command(self) -> str:
        """Name of the command."""
        return self.words.split()[0]


_DPSGD = "account dpsgd --sample-rate 1/1000 --steps 10000"

LONG = {
    "check": Long("check EHDS --n 2000..6000 --no-plot"),
    "check, saved": Long("check EHDS --n 100..6000 --format json --output saved.json"),
    "notion": Long("check EHDS --n 400..3000 --notion kl --budget 1 --no-plot"),
    "interval": Long("check EHDS --eps 1/10..2 --n 300..900 --no-plot"),
    "curve": Long("curve EHDS --n 400..3000 --no-plot"),
    "tradeoff": Long("tradeoff EHDS --n 400..3000 --no-plot"),
    "calibrate": Long("calibrate EHDS --n 500..3000 --no-plot"),
    "accuracy": Long("accuracy EHDS --at uniform --n 3000..6000 --no-plot"),
    "account": Long("account EHDS --n 180 --compose 100 --at-delta 1e-5"),
    "account, compared": Long(
        "account EHDS --n 40 --compose 3 --epsilon-grid 0..2..1/20 --digits 60 --no-estimates"
    ),
    "account dpsgd": Long(f"{_DPSGD} --noise-multiplier 1 --delta 1e-5,1e-12,1e-20 --width 1e-9"),
    "account --solve": Long(f"{_DPSGD} --budget 1,1e-6 --solve noise-multiplier"),
    "hunt": Long(
        "hunt EHD --over prior=1/1000..1 --over n=2..300 --evaluations 1000000 --time-cap 600 "
        "--no-plot"
    ),
    "sample": Long("sample drawn.py:drawn --draws 1e9 --no-plot", {"drawn.py": _DRAWN}),
    "sample --jobs": Long(
        "sample drawn.py:drawn --draws 1e9 --no-plot --jobs 2", {"drawn.py": _DRAWN}
    ),
    "gate": Long("gate", {"dpaudit.toml": _GATE}),
    "verify": Long("verify report.json --all-pairs", report="check EHDS --n 200 --no-plot"),
    "prove": Long("prove --solver both --jobs 1"),
    "prove --jobs": Long("prove --solver both --jobs 2"),
    "reproduce": Long("reproduce"),
}
"""By name; those of a command's further questions are beside it."""

SHORT = {
    "canaries": "counts and plans of a million canaries take seconds",
    "account-matrix": "a strategy of 2,048 steps takes seconds, in parts of less than one",
    "account-run": "it composes by the code of `account dpsgd`, which is tried",
    "diff": "reports are read and compared, which takes a second",
    "new": "a file is written",
    "list": "a table is printed",
    "show": "a mechanism is described",
    "schema": "a file is printed",
}
"""Commands that end within seconds, and why."""
