"""The gate: a list of mechanisms with their budgets, and of claims with their verdicts, for CI."""
