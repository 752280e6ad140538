"""The claims of the notes, decided: one module for each claim or family of claims.

A module offers its claims as ``CLAIMS``; the entry point of the group ``dpaudit.claims`` names the
package, so that a new module is found without a new installation.
"""
