"""Programs: the output law of code, derived by visiting every path that it can take."""
