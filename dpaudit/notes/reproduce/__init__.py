"""The notes' tables, captions and figures, computed again and compared digit by digit."""
