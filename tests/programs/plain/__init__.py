"""Plain functions that are read ideally."""
