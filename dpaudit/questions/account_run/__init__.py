"""The account of a training from what its library leaves."""
