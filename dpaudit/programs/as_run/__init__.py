"""Programs as they run: code that draws from Python's or NumPy's own modules, unchanged."""
