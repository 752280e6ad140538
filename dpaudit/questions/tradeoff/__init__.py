"""The trade-off function."""
