"""A second look at a report, from the definitions alone, in mpmath.

Nothing here may import what an audit computes with: no balls, no closed forms, no laws, not even
the classes a report is written with.  ``tests/test_architecture.py`` enforces it.
"""
