"""Audits of training: what the guesses about inserted canaries say of ε."""
