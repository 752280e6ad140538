"""The exact error at a dataset."""
