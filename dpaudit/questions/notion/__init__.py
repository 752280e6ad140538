"""Audit in another notion of privacy, asked by `check --notion`."""
