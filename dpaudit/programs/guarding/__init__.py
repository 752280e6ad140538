"""Guards of an exploration: code that answers for an unknown number, or draws from elsewhere."""
