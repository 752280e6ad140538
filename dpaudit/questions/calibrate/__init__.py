"""The largest nominal ε that keeps a budget."""
