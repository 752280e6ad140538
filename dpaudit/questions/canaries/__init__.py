"""Bounds from guesses about canaries."""
