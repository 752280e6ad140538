"""The folder of a question is none of tests: the test puts it where its imports lead."""

collect_ignore = ["expected_loss"]
