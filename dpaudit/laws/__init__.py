"""Output laws: what a mechanism may print on one dataset, with its exact probabilities."""
