"""A second look at a report, from the definitions alone, in mpmath.

It reads a report into the same results as the one that wrote it, with closed forms as their texts,
and imports nothing else of the package but its errors: no balls, no closed forms, no laws.
``tests/test_architecture.py`` enforces it.
"""
