"""The recheck of calibrations: an audit at each nominal ε, what is gained, and the mean errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mpmath import mp, mpf

from dpaudit import results
from dpaudit.recheck.agreement import SLACK_DIGITS, at_same_value, contains, end, well_formed
from dpaudit.recheck.audits import check_size
from dpaudit.recheck.findings import Findings, NotAReportError, UnknownDefinitionError
from dpaudit.recheck.histograms import OverHistograms
from dpaudit.recheck.notes import log_gamma
from dpaudit.recheck.numbers import decimal, fraction, shown_digits, value
from dpaudit.recheck.options import MESSAGES, RecheckOptions
from dpaudit.recheck.registry import definition_of
from dpaudit.recheck.subject import Recheck

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpaudit.recheck.definition import Definition


__all__ = ["check_calibration", "hellinger"]

BEYOND = "how many nominal ε were tried, and what larger ones beyond a failing one do"
NO_ERROR = "why there is no mean error"
NO_SAFE_ONE = "that no nominal ε that was tried is safe cannot be computed again"
_MOST_OUTPUTS = 100_000


def check_calibration(
    calibration: results.CalibrationReport, findings: Findings, options: RecheckOptions
) -> None:
    """Recheck a calibration and note in ``findings`` what agrees and what does not."""
    recheck = Recheck(calibration, findings, options)
    recheck.head()
    recheck.sizes()
    if calibration.results:
        findings.take(BEYOND)
    with mp.workdps(recheck.dps):
        _check_first(recheck)
        for size, where in recheck.sizes_at(calibration.results):
            _check_search(recheck, size, where)
            _check_audits(recheck, size, where)
            if size.note:
                findings.take(MESSAGES)
            if size.error is not None:
                _check_error(recheck, size, size.error, where)
            elif size.no_error:
                findings.take(NO_ERROR)
            else:
                recheck.expect(
                    False, "mean errors", where, "it has no mean error, and gives no reason"
                )
    for without in calibration.uncalibrated:
        findings.unknown(f"{recheck.name} at n = {without.n}", NO_SAFE_ONE)
    recheck.verdict()


def _check_first(recheck: Recheck) -> None:
    """Check that the mechanism is given with the nominal ε of the budget."""
    nominal, budget = recheck.subject.described.get("epsilon"), recheck.subject.budget
    nats = None if nominal is None else value(str(nominal)) * _unit(recheck)
    same = nats is not None and at_same_value(nats, value(budget.epsilon))
    message = f"the nominal ε is {nominal}, not that of the budget"
    recheck.expect(same, "nominal ε", recheck.name, message)


def _unit(recheck: Recheck) -> mpf:
    """Return what one unit of the mechanism's own ε is in nats."""
    return mp.log(2) if recheck.subject.described.get("base") in ("2", "mixed") else mpf(1)


def _check_search(recheck: Recheck, size: results.CalibratedSize, where: str) -> None:
    """Check that the failing nominal ε is next to the safe one, and what the gain is."""
    first = value(recheck.subject.described["epsilon"])
    tolerance, safe = decimal(recheck.subject.tolerance), decimal(size.nominal)
    if tolerance is None or not safe:
        raise NotAReportError(f"nominal = {size.nominal}: must be a positive decimal")
    if size.failing is not None:
        failing = decimal(size.failing)
        near = failing is not None and safe < failing <= safe + tolerance
        message = f"{size.failing} is not above {size.nominal}, or by more than the tolerance"
        recheck.expect(near, "nominal ε", where, message)
    gain = fraction(safe) / first
    narrow = well_formed(size.gain, recheck.subject.digits)
    message = f"the gain is {shown_digits(gain, 20)}, not in {size.gain}"
    recheck.expect(narrow and recheck.inside(gain, size.gain), "gains", where, message)


def _check_audits(recheck: Recheck, size: results.CalibratedSize, where: str) -> None:
    """Recheck the audits before, at the safe and at the failing nominal ε."""
    audits = [(recheck.subject.described["epsilon"], size.before), (size.nominal, size.realised)]
    consistent = (size.failing is None) is (size.exceeded is None)
    if size.failing is not None and size.exceeded is not None:
        audits.append((size.failing, size.exceeded))
        consistent = size.exceeded.verdict is results.Verdict.EXCEEDS
    consistent = consistent and size.realised.verdict is results.Verdict.WITHIN is size.verdict
    consistent = consistent and all(audit.n == size.n for _, audit in audits)
    message = "its audits are not those of a safe and of a failing nominal ε"
    recheck.expect(consistent, "audits of calibrations", where, message)
    for nominal, audit in audits:
        at = Recheck(_at(recheck.subject, nominal, audit), recheck.findings, recheck.options)
        at.name = f"{recheck.name} with ε = {nominal}"
        for result, there in at.sizes_at([audit]):
            check_size(at, result, there)


def _at(
    calibration: results.CalibrationReport, nominal: str, size: results.SizeResult
) -> results.Audit:
    """Return the audit of the mechanism run with another nominal ε."""
    shared = ("version", "adjacency", "adjacency_defaulted", "at", "digits", "loaded", "budget")
    return results.Audit(
        schema="dpaudit.audit/1",
        described={**calibration.described, "epsilon": nominal},
        stated=None,
        verdict=size.verdict,
        sizes=(size.n,),
        results=(size,),
        missing=(),
        undecided=(),
        **{name: getattr(calibration, name) for name in shared},
    )


def _check_error(
    recheck: Recheck, size: results.CalibratedSize, error: results.ErrorChange, where: str
) -> None:
    """Check the mean errors before and after, and their quotient."""
    digits, mechanism = recheck.subject.digits, recheck.subject.described
    own, loaded = recheck.options.own, recheck.subject.loaded
    ends = (("before", mechanism["epsilon"]), ("after", size.nominal))
    means = []
    for name, nominal in ends:
        try:
            if recheck.definition is None:
                raise UnknownDefinitionError("verify has no definition of its own of the mechanism")
            with_nominal = definition_of({**mechanism, "epsilon": nominal}, own, loaded)
            mean = _mean_error(with_nominal, error.dataset, size.n)
        except UnknownDefinitionError as missing:
            recheck.findings.unknown(where, f"mean error: {missing}")
            return
        except (ValueError, TypeError) as wrong:
            recheck.expect(False, "datasets", where, str(wrong))
            return
        means.append(mean)
        interval: results.Enclosure = getattr(error, name)
        good = well_formed(interval, digits) and contains(interval, mean, _lost(mean, digits))
        message = f"the mean error {name} is {shown_digits(mean, 20)}, not in {interval}"
        recheck.expect(good, "mean errors", where, message)
    ratio = means[1] / means[0] if means[0] else mp.inf
    good = _is_quotient(error.ratio, means, digits)
    message = f"the ratio of the mean errors is {shown_digits(ratio, 20)}, not in {error.ratio}"
    recheck.expect(good, "mean errors", where, message)


def _mean_error(definition: Definition, reported: Any, n: int) -> mpf:
    """Return Σ over outputs r of P(r)·H(Dir(α + x), Dir(α + r))."""
    if not isinstance(definition, OverHistograms):
        raise UnknownDefinitionError("the outputs have no posterior")
    x, terms = definition.dataset(reported, n), []
    outputs = definition.outputs(n)
    for count, output in enumerate(outputs):
        if count >= _MOST_OUTPUTS:
            raise UnknownDefinitionError("there are too many outputs")
        terms.append(definition.probability(x, output) * hellinger(definition, x, output))
    return mp.fsum(terms)


def hellinger(definition: OverHistograms, x: Sequence[int], r: Sequence[int]) -> mpf:
    """Return the distance of two posteriors, H² = 1 − B((a + b)/2)/√(B(a)·B(b)) (A §1)."""
    prior = [fraction(part) for part in definition.prior]
    a, b = ([part + count for part, count in zip(prior, c, strict=True)] for c in (x, r))
    # The formula would leave a rounding instead of 0.
    if a == b:
        return mpf(0)
    middle = [(s + t) / 2 for s, t in zip(a, b, strict=True)]
    return mp.sqrt(-mp.expm1(_log_beta(middle) - (_log_beta(a) + _log_beta(b)) / 2))


def _log_beta(parameters: list[mpf]) -> mpf:
    return mp.fsum(log_gamma(parameter) for parameter in parameters) - log_gamma(
        mp.fsum(parameters)
    )


def _is_quotient(interval: results.Enclosure, means: list[mpf], digits: int) -> bool:
    """Tell whether an interval is that of after/before, as wide as those of both make it."""
    before, after = means
    lower, upper = end(interval.lower), end(interval.upper)
    if upper is None or lower is None or not before:
        return upper is None and lower is not None and not before
    unit = mpf(10) ** -digits
    narrow = fraction(upper - lower) <= unit * max(1, (before + after) / before**2)
    ratio = after / before
    return bool(narrow and contains(interval, ratio, _lost(ratio, digits)))


def _lost(computed: mpf, digits: int) -> mpf:
    """Return what may be lost of a value, in proportion to it: a tiny one may be all there is."""
    return abs(computed) * mpf(10) ** -(digits + SLACK_DIGITS)
