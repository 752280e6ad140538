"""Results of commands: typed values that are the documents, their schemas and their columns."""

from dpaudit.results import (
    accounts,
    accuracies,
    audits,
    calibrations,
    canaries,
    canary_plans,
    certificates,
    claims,
    curves,
    differences,
    gates,
    hunts,
    intervals,
    samples,
    values,
)
from dpaudit.results.accounts import *
from dpaudit.results.accuracies import *
from dpaudit.results.audits import *
from dpaudit.results.calibrations import *
from dpaudit.results.canaries import *
from dpaudit.results.canary_plans import *
from dpaudit.results.certificates import *
from dpaudit.results.claims import *
from dpaudit.results.curves import *
from dpaudit.results.differences import *
from dpaudit.results.gates import *
from dpaudit.results.hunts import *
from dpaudit.results.intervals import *
from dpaudit.results.samples import *
from dpaudit.results.values import *

__all__ = audits.__all__ + accuracies.__all__ + calibrations.__all__ + claims.__all__
__all__ += canaries.__all__ + certificates.__all__ + curves.__all__ + gates.__all__ + hunts.__all__
__all__ += intervals.__all__ + samples.__all__ + values.__all__ + accounts.__all__
__all__ += canary_plans.__all__ + differences.__all__
