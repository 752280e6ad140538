"""Attacks that were tried, one file a class: each runs small in the suite and long as a script."""
