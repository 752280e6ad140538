"""Plain functions read ideally: calls of random functions are draws of exact distributions."""
