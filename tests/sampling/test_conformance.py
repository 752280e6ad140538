"""The package's own samplers beside their laws, with few draws; conformance.py takes a million."""

import pytest

from dpaudit.results import SampleVerdict
from tests.sampling.conformance import CASES, Case, compared


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_sampler_of_the_package_is_compared_with_its_law(case: Case) -> None:
    """Also where a law has few outputs and does not list them."""
    report = compared(case._replace(draws=4_000))
    assert report.verdict in (SampleVerdict.CONFORMS, SampleVerdict.TOO_FEW)
    assert all(one.outputs > 1 for one in report.comparisons)
