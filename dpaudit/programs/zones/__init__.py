"""Zones of draws, and how probable they are: closed forms, or balls."""
