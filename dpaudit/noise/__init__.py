"""Continuous noise in closed form: densities, distribution functions and integrals of products."""
