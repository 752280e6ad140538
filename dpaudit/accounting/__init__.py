"""Composition of audited mechanisms, and what numerical accountants make of them."""
