"""Audits over an interval: a verdict for every real nominal ε between two numbers."""
