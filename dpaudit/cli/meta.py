"""What commands find in the ``meta`` of their Click context."""

__all__ = ["ARGUMENTS", "OPTIONS"]

ARGUMENTS = "dpaudit.arguments"
"""The words after the name of the command."""

OPTIONS = "dpaudit.options"
"""The options of parameters that the command has for them."""
