"""Attacks that found a fault once, and the classes around them: one file for each class."""
