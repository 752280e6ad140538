"""The notes' tables, captions and figures, computed again and compared digit by digit."""

from dpaudit.notes.reproduce.findings import Check, Item, Outcome
from dpaudit.notes.reproduce.targets import TARGETS, Target, chosen_targets, decided, reproduce
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
