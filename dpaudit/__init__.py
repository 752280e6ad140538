"""Certified audits of differentially private mechanisms."""
