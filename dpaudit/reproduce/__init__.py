"""The notes' tables, captions and figures, computed again and compared digit by digit."""

from dpaudit.reproduce.findings import Check, Item, Outcome
from dpaudit.reproduce.run import decided, reproduce
from dpaudit.reproduce.targets import TARGETS, Target, chosen_targets
from dpaudit.results import Failed

__all__ = [
    "TARGETS",
    "Check",
    "Failed",
    "Item",
    "Outcome",
    "Target",
    "chosen_targets",
    "decided",
    "reproduce",
]
