"""Bayesian inference with Dirichlet priors: Hellinger distances and their sensitivities."""
