"""Notions of privacy beyond (ε, δ): Rényi, concentrated and Gaussian, KL and total variation."""
