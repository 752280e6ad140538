"""A check that something is a mechanism at all, asked by `check --conformance`."""
