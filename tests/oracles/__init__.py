"""Independent oracles: the definitions once more, by brute force, sharing no code with the package.

Nothing below imports the package under test or its interval arithmetic. The oracles enumerate
every dataset, neighbour and output and use no symmetry, product rule or closed form, so that an
agreement with the package is evidence about both.
"""

__all__: list[str] = []
