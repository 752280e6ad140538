"""The mechanisms of the notes, each with its source, readings, stated budget and output law."""
