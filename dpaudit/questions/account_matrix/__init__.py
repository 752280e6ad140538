"""The account of a matrix mechanism (DP-FTRL) from its strategy matrix."""
