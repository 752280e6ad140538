"""Real runs: the unchanged code of a program on real numbers, over raw streams that are known."""
