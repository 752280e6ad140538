"""The expected privacy loss: a question that a test adds to a copy of the package."""
