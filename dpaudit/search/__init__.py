"""Searching the parameters of a mechanism for where it is least private."""
