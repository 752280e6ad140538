"""Mechanisms exactly at their budget, through the whole pipeline."""

from tests.sampling.calibration import ALPHA, SUBJECTS, alarm


def test_false_alarms_are_rare() -> None:
    """Of 16 audits more than 3 alarms have a probability below 2·10⁻⁵ at 1 %."""
    assert ALPHA == 0.01
    alarms = sum(
        alarm(subject, epsilon, 500, seed)
        for subject, epsilon in SUBJECTS.items()
        for seed in range(8)
    )
    assert alarms <= 3
