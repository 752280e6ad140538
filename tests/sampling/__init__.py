"""Audits of samplers: exact bounds, false alarms, power."""
