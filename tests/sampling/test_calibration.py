"""Mechanisms exactly at their budget, through the whole pipeline."""

from tests.sampling.calibration import ALPHA, SUBJECTS, alarm


def test_false_alarms_are_rare() -> None:
    """Of 8 audits more than 2 alarms have a probability below 6·10⁻⁵ at 1 %."""
    assert ALPHA == 0.01
    alarms = sum(
        alarm(subject, epsilon, 500, seed)
        for subject, epsilon in SUBJECTS.items()
        for seed in range(4)
    )
    assert alarms <= 2
