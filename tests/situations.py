"""From the settings of the oracles to the mechanisms of the package."""

from typing import Any

from dpaudit.mechanisms.base import HistogramMechanism
from dpaudit.mechanisms.registry import mechanism_class
from tests.oracles.setting import Setting

__all__ = ["build"]


def build(setting: Setting) -> HistogramMechanism:
    """The mechanism of a setting, with exactly the parameters it has."""
    cls = mechanism_class(setting.mechanism)
    known = {parameter.name for parameter in cls.parameters}
    given: dict[str, Any] = {
        "epsilon": str(setting.epsilon),
        "prior": setting.prior,
        "delta": setting.delta,
        "gamma": setting.gamma,
        **dict(setting.readings),
    }
    mechanism = cls.build({name: value for name, value in given.items() if name in known})
    assert isinstance(mechanism, HistogramMechanism)
    return mechanism
