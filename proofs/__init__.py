"""The claims of the notes, decided: one module for each claim or family of claims.

Every module offers ``CLAIMS``; the entry points of the group ``dpaudit.claims`` name them.
"""
