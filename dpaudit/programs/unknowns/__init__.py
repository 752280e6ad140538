"""Unknown numbers: what a program holds in the place of draws, and of what it makes of them."""
