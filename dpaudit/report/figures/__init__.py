"""Figures for print.  Only this room imports matplotlib, and never pyplot: no global state."""
