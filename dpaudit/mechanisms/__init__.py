"""Mechanisms: their interface, those of the notes, the classics, and loading of your own."""
