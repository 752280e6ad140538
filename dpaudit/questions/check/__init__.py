"""Audit in ε and δ."""
