"""Samplers: what can be drawn from and not be looked into, audited with exact confidence."""
