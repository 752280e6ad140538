"""The notes' tables, captions and figures, computed again and compared digit by digit."""

from dpaudit.notes.reproduce.findings import Item, PrintedCheck, PrintedOutcome
from dpaudit.notes.reproduce.targets import TARGETS, Target, chosen_targets, decided, reproduce
from dpaudit.results import Failed

__all__ = [
    "TARGETS",
    "Failed",
    "Item",
    "PrintedCheck",
    "PrintedOutcome",
    "Target",
    "chosen_targets",
    "decided",
    "reproduce",
]
