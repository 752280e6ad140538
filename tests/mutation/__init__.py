"""Whether the tests notice that the package is changed: mutants, and the tests that run them."""
