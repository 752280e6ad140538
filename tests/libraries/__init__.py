"""Mechanisms of libraries that people install, audited in environments of their own."""
