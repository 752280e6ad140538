"""Certified plans: the smallest noise, largest sampling rate or most runs that keep a budget.

δ at a fixed ε falls with the noise and grows with the rate and the runs, since more noise, and a
sample of a sample, are post-processing.  What is reported does not rest on that for its verdicts:
the value that is found certainly keeps the budget, and the next one does not, or is not certain to.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from math import log, nan
from typing import TYPE_CHECKING, Any, get_args

import msgspec

from dpaudit.arithmetic import DECIMALS
from dpaudit.errors import ParameterError
from dpaudit.mechanisms.parameters import read_number
from dpaudit.numbers.ball import Sign
from dpaudit.questions.account.certified import MAX_RUNS, certified_account
from dpaudit.questions.calibrate.search import Probed, narrow
from dpaudit.results import Budget, CertifiedAccount, DeltaRow, Solution, Sought, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.numbers.real import Number


__all__ = ["SOUGHT", "account_or_plan", "solve"]

SOUGHT: tuple[Sought, ...] = get_args(Sought)
"""Parameters that can be solved for: a scale of noise, the sampling rate, the number of runs."""

_DIGITS, _PLACES = 4, 9000
"""To how many digits noise and rates are sought, and how many such numbers a power of ten has."""

_ROUGH = "1e-2"
"""Accepted width of intervals of ε during the search, for any width asked of the solution."""

_ROUGH_SHARE = "20%"
"""The same where a width is in proportion."""

_LEAST, _MOST = Decimal("1e-6"), Decimal("1e9")


def account_or_plan(
    sought: Sought | None,
    subject_at: Callable[[str | None], Mechanism[Any]],
    n: int,
    runs: int,
    held: Budget | None,
    **options: Any,
) -> CertifiedAccount:
    """Return the account, or what :func:`solve` finds where something is sought for a budget."""
    if sought is None:
        return certified_account(subject_at(None), n, runs, budget=held, **options)
    if held is None:
        raise ParameterError("solve", "--solve needs a budget to keep; give --budget EPS,DELTA")
    return solve(sought, subject_at, n, runs, held, **options)


def solve(
    sought: Sought,
    subject_at: Callable[[str | None], Mechanism[Any]],
    n: int,
    runs: int,
    held: Budget,
    *,
    sample_rate: Number | None = None,
    **options: Any,
) -> CertifiedAccount:
    """Return the account of the smallest noise (largest rate, most runs) that keeps a budget.

    Args:
        sought: one of :data:`SOUGHT`; noise and rates are sought to four digits.
        subject_at: makes the mechanism with a value of ``sought``, or as it is with None.
        n: the size.
        runs: how many runs; for ``steps`` where the search begins.
        held: the budget (ε, δ), δ > 0.
        sample_rate: as for :func:`~dpaudit.questions.account.certified.certified_account`; for
            ``q`` where the search begins.
        options: what else that function takes.

    Returns:
        the account, whose ``solved`` has the value, and the one beside it that fails.

    Raises:
        ParameterError: for what cannot be sought, and where nothing, or everything, keeps it.
    """
    if held.delta.sign() is not Sign.POSITIVE:
        raise ParameterError("solve", f"budget {held}: --solve needs a δ greater than 0")
    if sought == "q" and sample_rate is None:
        raise ParameterError(
            "solve", "--solve q needs --sample-rate, the rate at which the search starts"
        )
    subject = subject_at(None)
    options = {"adaptive": False, **options}
    if sought in ("sigma", "scale") and all(one.name != sought for one in subject.parameters):
        raise ParameterError("solve", f"{subject.name} has no parameter {sought}")
    begin = {"q": sample_rate, "steps": runs}.get(sought) or getattr(subject, sought)

    def account(value: Decimal, **how: Any) -> CertifiedAccount:
        found = certified_account(
            subject_at(str(value)) if sought in ("sigma", "scale") else subject,
            n,
            int(value) if sought == "steps" else runs,
            budget=held,
            sample_rate=str(value) if sought == "q" else sample_rate,
            **{**options, **how},
        )
        if found.interrupted:  # there is no value yet
            raise KeyboardInterrupt
        return found

    relative = str(options.get("width", "")).endswith("%")

    def decided(value: Decimal) -> CertifiedAccount:
        return account(value, width=_ROUGH_SHARE if relative else _ROUGH, decide=True)

    whole = sought == "steps"
    most = {"q": Decimal("0.9999"), "steps": Decimal(MAX_RUNS)}.get(sought, _MOST)
    least = Decimal(1) if whole else _LEAST
    sign = 1 if sought in ("sigma", "scale") else -1
    search = _Search(decided, whole, sign, (_place(least, whole), _place(most, whole)), held)
    begun = _place(Decimal.from_float(float(read_number(begin, "solve").ball())), whole)
    within, failing = search.run(min(max(begun, search.ends[0]), search.ends[1]))
    found, beside = (
        _narrower(account(_value(place, whole)), search.seen[place]) for place in (within, failing)
    )
    delta = _delta(beside, held)
    assert beside.verdict is not None
    solution = Solution(
        parameter=sought,
        value=_value(within, whole),
        failing=_value(failing, whole),
        failing_delta=delta.delta,
        failing_verdict=beside.verdict,
    )
    return msgspec.structs.replace(found, solved=solution)


def _narrower(narrow: CertifiedAccount, rough: CertifiedAccount) -> CertifiedAccount:
    """Return the narrower account, unless it leaves open what the rough one decided."""
    return narrow if narrow.verdict is rough.verdict else rough


@dataclass
class _Search:
    """A search over places, each a value of four digits or a whole number."""

    account: Callable[[Decimal], CertifiedAccount]
    whole: bool
    sign: int
    """1 where larger values keep more budgets."""
    ends: tuple[int, int]
    held: Budget
    seen: dict[int, CertifiedAccount] = field(default_factory=dict)

    def run(self, start: int) -> tuple[int, int]:
        """Return neighbouring places: one that keeps the budget, and one that does not."""
        keeps = self._keeps(start)
        direction = self.sign * (-1 if keeps else 1)  # towards the other verdict
        inside, step = start, self._first_step(start)
        while True:
            other = min(max(inside + direction * step, self.ends[0]), self.ends[1])
            if other == inside:
                raise ParameterError(
                    "solve",
                    f"the search ended at its limit, {_value(inside, self.whole)}, and found "
                    f"{'only values that keep' if keeps else 'no value that keeps'} {self.held}; "
                    f"give a {'smaller' if keeps else 'larger'} budget",
                )
            if self._keeps(other) is not keeps:
                break
            inside, step = other, 2 * step
        within, failing = (inside, other) if keeps else (other, inside)
        turned = -self.sign  # places are counted so that larger ones fail

        def probe(place: int) -> Probed:
            return Probed(self._keeps(turned * place), -self._excess(turned * place), nan)

        found = narrow(probe, turned * within, turned * failing)
        assert found.passing is not None
        assert found.failing is not None
        return turned * found.passing, turned * found.failing

    def _first_step(self, start: int) -> int:
        """Return a step towards the other verdict that is not far beyond it.

        Far away δ is tiny, and takes long.  A value that is a sixteenth larger changes it by e or
        more in most accounts; where it changes less, later steps are longer.
        """
        share = min(0.5, abs(self._excess(start)) / 16)
        size = start if self.whole else start % _PLACES + _PLACES // 9
        return 1 + int(share * size)

    def _keeps(self, place: int) -> bool:
        if place not in self.seen:
            self.seen[place] = self.account(_value(place, self.whole))
        return self.seen[place].verdict is Verdict.WITHIN

    def _excess(self, place: int) -> float:
        upper = float(_delta(self.seen[place], self.held).delta.upper)
        return log(max(upper, 1e-300)) - log(float(self.held.delta.ball()))


def _delta(account: CertifiedAccount, budget: Budget) -> DeltaRow:
    return next(
        row for row in account.rows if isinstance(row, DeltaRow) and row.epsilon == budget.epsilon
    )


def _place(value: Decimal, whole: bool) -> int:
    """Return the place of a positive value: 9000 of them for each power of ten."""
    if whole:
        return int(value)
    exponent = value.adjusted()
    mantissa = int(DECIMALS.scaleb(value, _DIGITS - 1 - exponent))
    return _PLACES * exponent + mantissa - _PLACES // 9


def _value(place: int, whole: bool) -> Decimal:
    if whole:
        return Decimal(place)
    exponent, rest = divmod(place, _PLACES)
    found = DECIMALS.scaleb(Decimal(rest + _PLACES // 9), exponent - _DIGITS + 1)
    return Decimal(f"{DECIMALS.normalize(found):f}")
