"""The field's classics: mechanisms whose privacy is known, and their known mistakes."""
