"""Audit of every value of a parameter in an interval, asked by `check` and `curve`."""
