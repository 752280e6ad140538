"""Settings shared by all tests: property tests repeat exactly where the environment says CI."""

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.rechecking import rechecked_reports

SLOW = (HealthCheck.too_slow, HealthCheck.filter_too_much)
settings.register_profile("local", deadline=None, suppress_health_check=SLOW)
settings.register_profile("ci", deadline=None, suppress_health_check=SLOW, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")


@pytest.fixture(autouse=True)
def every_report_holds(request: pytest.FixtureRequest) -> Iterator[None]:
    """Recheck the reports of every test but those that make wrong ones on purpose."""
    if request.node.get_closest_marker("wrong_on_purpose"):
        yield
        return
    folder = request.getfixturevalue("tmp_path") if "tmp_path" in request.fixturenames else None
    with rechecked_reports(folder):
        yield
