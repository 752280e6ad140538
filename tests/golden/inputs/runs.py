"""Code that draws from Python's own random module."""

import random as python_random

from dpaudit import program


class Client:
    """A client that keeps its value with probability p, and gives any of three otherwise."""

    def __init__(self, p):
        self.p = p

    def privatise(self, value):
        """Return the value, or another."""
        return value if python_random.random() < self.p else python_random.randrange(3)


@program(datasets=[0, 1], neighbours="all", budget="ln(7/3)")
def respond(bit, random, p=0.7):
    """Randomised response, from whatever has a function random."""
    return bit ^ (random.random() >= p)
