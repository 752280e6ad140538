"""Calibration: the largest nominal ε whose realised privacy is certified to keep a budget."""
