"""Reports: what an audit found, as text, data and pictures."""
