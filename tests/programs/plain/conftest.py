"""Files that are imported late: what they create costs every check in the process."""

collect_ignore = ["made_before.py"]
