"""Mechanisms that the field knows by name."""
