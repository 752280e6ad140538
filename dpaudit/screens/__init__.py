"""Proved bounds in floats on what all pairs of laws have: which of them may hold a maximum."""
