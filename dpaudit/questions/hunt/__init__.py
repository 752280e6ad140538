"""The parameters at which a mechanism is least private."""
