"""``assert_private`` and the pytest plugin, in test files of their own."""

import subprocess
import sys
from collections.abc import Hashable
from decimal import ROUND_FLOOR, Context, Decimal

import pytest

from dpaudit import check, finite_mechanism
from dpaudit.errors import ParameterError
from dpaudit.testing import assert_private

pytest_plugins = ["pytester"]


def test_private_mechanisms_pass() -> None:
    assert_private("EHDS", n="10..14")
    assert_private("LSHist", n=10, budget="4/5")
    assert_private("MH", n=10, budget=("4/5", "0.0005"), divisor="2")


def test_the_message_shows_the_witness() -> None:
    with pytest.raises(AssertionError) as found:
        assert_private("EHD", n=5, prior="1/20,1/20")
    assert str(found.value) == (
        "EHD is not private to ε = 4/5 and δ = 0: at n = 5, with (0,5) against (1,4), output (0,5) "
        "is e^0.823 times likelier; realised ε ≥ 0.822893421543455, budget 4/5"
    )


def test_a_message_shows_the_digits_that_differ() -> None:
    """It said: realised ε ≥ 0.399999999999999, budget 3999…9/10⁴⁰, both in full."""

    @finite_mechanism(budget=1, datasets=[0, 1], neighbours="all", normalised=False)
    def near(x: int) -> dict[Hashable, str]:
        return {x: "exp(2/5)", 1 - x: "1"}

    budget = f"{4 * 10**39 - 1}/{10**40}"
    for fails in (
        lambda: assert_private(near, n=1, budget=budget),
        lambda: assert_private(near, n=1, budget=budget, notion="pure"),
    ):
        with pytest.raises(AssertionError) as found:
            fails()
        assert "= 2/5, budget 0.39999999999999999999…, exceeded by 1E-40 or more" in str(
            found.value
        )
        assert "9" * 30 not in str(found.value)
    with pytest.raises(AssertionError) as found:
        assert_private(near, n=1, budget="1/3")
    assert "realised ε ≥ 0.4, budget 1/3" in str(found.value)


def test_an_excess_in_late_digits_is_shown_or_said() -> None:
    """Budgets that share 15, 20 and 30 digits with what EHDS realises."""
    realised = check("EHDS", 10, digits=60).epsilon.lower
    for digits in (15, 20, 30):
        budget = Context(prec=digits, rounding=ROUND_FLOOR).plus(realised)
        with pytest.raises(AssertionError) as found:
            assert_private("EHDS", n=10, budget=str(budget), digits=6)
        told = str(found.value).partition("realised ε ")[2]
        if told.startswith("≥ "):
            lower, shown = told.removeprefix("≥ ").split(", budget ")
            assert Decimal(lower) > Decimal(shown)
        else:
            assert "exceeded by less than is shown" in told


def test_budgets_in_a_notion() -> None:
    found = assert_private("EHDS", n=10, notion="zcdp", budget="1/8")
    assert found.verdict.value == "within"
    with pytest.raises(AssertionError) as failed:
        assert_private("LSHist", n=10, notion="gdp", budget="3/4")
    assert str(failed.value) == (
        "LSHist is not private to μ = 3/4: at n = 10, with (0,10) against (1,9): realised "
        "μ ≥ 0.756534218950067, budget 3/4"
    )


def test_a_budget_belongs_to_its_notion() -> None:
    with pytest.raises(ParameterError, match="order = 2: it applies only to notion"):
        assert_private("EHDS", n=10, budget="1/8", order=2)
    with pytest.raises(ParameterError, match="write budget="):
        assert_private("EHDS", n=10, notion="zcdp", epsilon=1)


def test_what_is_undecided_fails() -> None:
    with pytest.raises(AssertionError, match=r"not certainly private to ε = 1 .* a tie"):
        assert_private("EHD", n=8, budget=1, eps=2, prior="1,2,1")


def test_the_marker_and_the_failure_in_a_test_run(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest
        from dpaudit.testing import assert_private

        @pytest.mark.dpaudit
        def test_sound():
            assert_private("LSHist", n=5)

        @pytest.mark.dpaudit
        def test_broken():
            assert_private("EHD", n=5, prior="1/20,1/20")

        def test_other():
            pass
        """
    )
    done = pytester.runpytest_subprocess("--strict-markers", "-m", "dpaudit")
    done.assert_outcomes(passed=1, failed=1, deselected=1)
    done.stdout.fnmatch_lines(["E * AssertionError: EHD is not private*(0,5)*"])


def test_the_plugin_imports_nothing() -> None:
    code = (
        "import sys, dpaudit.pytest_plugin;"
        "loaded = {name.split('.')[0] for name in sys.modules};"
        "sys.exit(bool(loaded & {'flint', 'numpy', 'msgspec', 'click', 'mpmath'}))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
