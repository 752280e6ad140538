"""Exports to other checkers: certificates, and theorems for the Coq kernel."""
