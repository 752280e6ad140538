"""Exact numbers: closed forms, balls that enclose them, and the decisions they allow."""
