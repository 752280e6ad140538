"""Certified intervals of ε beside dp-accounting and prv-accountant, over a grid fixed beforehand.

python -m tests.accounting.accountants            print the page
python -m tests.accounting.accountants --write    and keep it in docs/accountants.md

Every setting of the grid is shown.  An estimate that fails, or an accountant that is not installed,
leaves its place empty; the certified column is computed first and whatever they do.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from functools import partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from itertools import product
from math import isnan
from multiprocessing import get_context
from pathlib import Path
from resource import RLIMIT_CPU, setrlimit
from signal import SIGXCPU
from time import process_time
from typing import Any, NamedTuple

from dpaudit.api.plans import mechanism
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.questions.account.certified import certified_account
from dpaudit.report.table import compact, markdown_table
from dpaudit.results.accounts import EpsilonRow

__all__ = ["DELTAS", "SETTINGS", "STEPS", "Setting", "page", "placed"]

PAGE = Path(__file__).parents[2] / "docs" / "accountants.md"


class Setting(NamedTuple):
    """Gaussian runs of sensitivity 1, each on a Poisson sample where the rate is below 1."""

    sigma: str
    rate: str
    runs: int


SETTINGS = (
    Setting("1", "1", 1),
    Setting("100", "1", 10_000),
    Setting("1000", "1", 1_000_000),
    Setting("1", "1/10", 1),
    Setting("1", "1/1000", 10_000),
    Setting("4/5", "1/100", 2000),
    Setting("2", "1/50", 1000),
)
"""σ, q and k."""

DELTAS = ("1e-5", "1e-10", "1e-12", "1e-15")
STEPS = (1e-3, 1e-4)
"""The steps of dp-accounting's grid of losses."""

PRV_ERROR = 0.01
"""The error of ε that prv-accountant is asked for; that of δ is a thousandth of δ."""

MOST = 60
"""Seconds of a processor that an accountant has for all δ of a setting; what comes later is left
out, and said."""

_HEADER = ["σ", "q", "k", "δ", "certified ε", "s", "accountant", "from", "to", "s", "its interval"]


def placed(low: float | None, high: float | None, certified: Enclosure) -> str:
    """Say how an interval that is meant to contain ε stands to the certified one.

    >>> placed(1.0, 2.0, Enclosure(Decimal("1.5"), Decimal("1.6")))
    'contains it'
    >>> placed(1.0, 1.4, Enclosure(Decimal("1.5"), Decimal("1.6")))
    'below it: ε is larger by at least 1.0e-01'
    """
    if low is None or high is None or isnan(low) or isnan(high):
        return "–"
    if Decimal(high) < certified.lower:
        return f"below it: ε is larger by at least {float(certified.lower - Decimal(high)):.1e}"
    if Decimal(low) > certified.upper:
        return f"above it: ε is smaller by at least {float(Decimal(low) - certified.upper):.1e}"
    if Decimal(low) <= certified.lower and certified.upper <= Decimal(high):
        return "contains it"
    return "meets it"


def _dp_accounting(setting: Setting, step: float) -> Callable[[str], tuple[float, float]]:
    from dp_accounting.pld import privacy_loss_distribution as pld

    sigma, rate = (float(Fraction(one)) for one in setting[:2])
    made = [
        pld.from_gaussian_mechanism(
            sigma,
            value_discretization_interval=step,
            pessimistic_estimate=up,
            sampling_prob=rate,
            use_connect_dots=up,
        ).self_compose(setting.runs)
        for up in (False, True)
    ]

    def at(delta: str) -> tuple[float, float]:
        low, high = (one.get_epsilon_for_delta(float(delta)) for one in made)
        return float(low), float(high)

    return at


def _prv(setting: Setting) -> Callable[[str], tuple[float, float]]:
    prv: Any = import_module("prv_accountant")

    sigma, rate = (float(Fraction(one)) for one in setting[:2])
    kind: Any = prv.GaussianMechanism(sigma)
    if rate < 1:
        kind = prv.PoissonSubsampledGaussianMechanism(rate, sigma)

    def at(delta: str) -> tuple[float, float]:
        made = prv.PRVAccountant(
            prvs=[kind],
            max_self_compositions=[setting.runs],
            eps_error=PRV_ERROR,
            delta_error=float(delta) / 1000,
        )
        low, _, high = made.compute_epsilon(float(delta), [setting.runs])
        return float(low), float(high)

    return at


def _asked(make: Callable[[], Callable[[str], tuple[float, float]]]) -> dict[str, list[Any]]:
    """Return what an accountant says in a process of its own, in :data:`MOST` seconds of it."""
    context = get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    found: dict[str, list[Any]] = {}

    def tell() -> None:
        setrlimit(RLIMIT_CPU, (MOST, MOST + 1))
        _ask(make, lambda delta, said: theirs.send((delta, said)))
        theirs.send(None)

    process = context.Process(target=tell, daemon=True)
    process.start()
    theirs.close()
    with suppress(EOFError):
        while (said := ours.recv()) is not None:
            found[said[0]] = said[1]
    process.join()
    reason = f"> {MOST} s" if process.exitcode == -SIGXCPU else "ended"
    return {delta: found.get(delta, [None, None, reason]) for delta in DELTAS}


def _ask(
    make: Callable[[], Callable[[str], tuple[float, float]]],
    tell: Callable[[str, list[Any]], None],
) -> None:
    """Tell, for each δ, both ends and seconds of an accountant, the making in the first."""
    begun = process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            at = make()
        except Exception as error:  # whatever others raise is no reason to stop
            for delta in DELTAS:
                tell(delta, [None, None, type(error).__name__])
            return
        for delta in DELTAS:
            try:
                low, high = at(delta)
                tell(delta, [low, high, f"{process_time() - begun:.1f}"])
            except Exception as error:
                tell(delta, [None, None, type(error).__name__])
            begun = process_time()


def _rows(setting: Setting) -> list[list[str]]:
    subject = mechanism("Gaussian", sigma=setting.sigma)
    rate = None if setting.rate == "1" else setting.rate
    known: dict[str, tuple[Enclosure, str]] = {}
    for delta in DELTAS:
        begun = process_time()
        (row,) = certified_account(
            subject, 1, setting.runs, at_delta=[delta], sample_rate=rate, adaptive=False
        ).rows
        assert isinstance(row, EpsilonRow)
        how = f"{process_time() - begun:.1f}, {row.method}"
        known[delta] = row.epsilon, how
    others = {
        f"dp-accounting, {step:g}": _asked(partial(_dp_accounting, setting, step)) for step in STEPS
    }
    others["prv-accountant"] = _asked(partial(_prv, setting))
    rows = []
    for delta, name in product(DELTAS, others):
        certified, how = known[delta]
        low, high, seconds = others[name][delta]
        ends = ["–" if end is None else f"{end:.9g}" for end in (low, high)]
        shown = compact(Enclosure(certified.lower, certified.upper).rounded(12))
        about = [*setting[:2], str(setting.runs), delta, shown, how]
        rows.append([*about, name, *ends, seconds, placed(low, high, certified)])
    return rows


def _version(name: str) -> str:
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return f"{name} (not installed)"


def page(rows: list[list[str]], settings: int) -> str:
    """Return the page of so many of the settings: every one at every δ, by every accountant."""
    left = len(SETTINGS) - settings
    counts = {
        name: (len(standing), sum(one.startswith(("below", "above")) for one in standing))
        for name in dict.fromkeys(row[6] for row in rows)
        if (standing := [row[-1] for row in rows if row[6] == name and row[-1] != "–"])
    }
    said = "; ".join(f"{name}: {wrong} of {all_} miss it" for name, (all_, wrong) in counts.items())
    return (
        "# Beside other accountants: ε at δ\n\n"
        "Gaussian noise of sensitivity 1, k runs, each on a Poisson sample at rate q where q < 1\n"
        "(records added and removed). The certified interval contains ε; where q = 1 it is by\n"
        "the closed form. *From* and *to* are what an accountant says ε lies between:\n"
        "dp-accounting's optimistic and pessimistic estimates with the step of its grid, and\n"
        f"prv-accountant's bounds (ε to {PRV_ERROR}, δ to a thousandth). Seconds, of a processor,\n"
        f"are for scale alone; an accountant has {MOST} s for all δ of a setting. Every setting\n"
        "of the grid is here:\n"
        "`python -m tests.accounting.accountants --write`,\n"
        f"{_version('dp-accounting')}, {_version('prv-accountant')}.\n\n"
        f"{f'{left} settings of the grid were not computed.{chr(10)}{chr(10)}' if left else ''}"
        f"**In short.** Intervals that do not meet the certified one: {said}.\n\n"
        f"{markdown_table(_HEADER, rows)}"
    )


def main(arguments: list[str]) -> int:
    """Print the page, or keep it."""
    rows: list[list[str]] = []
    for count, setting in enumerate(SETTINGS, start=1):
        rows += _rows(setting)
        if "--write" in arguments:  # each as it comes: the whole takes long
            PAGE.write_text(f"{page(rows, count).rstrip()}\n", encoding="utf-8")
    if "--write" not in arguments:
        sys.stdout.write(page(rows, len(SETTINGS)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
