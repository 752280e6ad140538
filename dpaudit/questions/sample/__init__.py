"""Bounds from the draws of a sampler."""
