"""Audits: every neighbouring pair, both directions, every output, and the verdict."""
