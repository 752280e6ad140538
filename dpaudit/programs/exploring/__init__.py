"""Exploring a program: its runs, their decisions, and the paths that are left to follow."""
