"""A plain function to be drawn from, for the recorded command lines."""

import random


def answered(truth: int) -> int:
    """The truth with probability 3/4."""
    return truth if random.random() < 0.75 else 1 - truth
