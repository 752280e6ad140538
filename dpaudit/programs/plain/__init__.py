"""Plain functions read ideally: their calls of random functions are draws of exact distributions."""
