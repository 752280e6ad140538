"""The account of many runs."""
