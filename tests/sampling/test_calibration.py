"""Mechanisms exactly at their budget, through the whole pipeline."""

from tests.sampling import recorded
from tests.sampling.calibration import ALPHA, TIES, alarm


def test_false_alarms_are_rare() -> None:
    """Of 24 audits more than 3 alarms have a probability below 10⁻⁴ at 1 %."""
    assert ALPHA == 0.01
    assert sum(alarm(name, 500, seed) for name in TIES for seed in range(8)) <= 3


def test_the_page_counts_ten_thousand_audits() -> None:
    *parts, total = recorded.rows("calibration")
    assert int(total["audits"]) == sum(int(row["audits"]) for row in parts) == 10_000
    alarms = [int(row["false alarms"]) for row in (*parts, total)]
    assert sum(alarms[:-1]) == alarms[-1] <= 130
