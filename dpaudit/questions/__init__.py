"""The questions that can be asked of a mechanism, each in a folder; see :mod:`dpaudit.question`."""
