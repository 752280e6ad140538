"""Datasets and the pairs of them that count as neighbours."""
