"""What the messages of errors show of a name or a text."""

import pytest

from dpaudit.errors import NumberSyntaxError, nearest


def test_three_names_are_proposed_and_no_more() -> None:
    assert nearest("size", ["size1", "size2", "size3", "size4", "other"]).count("size") == 3


@pytest.mark.parametrize("length", [60, 61])
def test_a_text_is_shown_up_to_sixty_characters(length: int) -> None:
    text = "x" * length
    shown = text if length == 60 else f"{'x' * 57}..."
    assert str(NumberSyntaxError(text, "why")).startswith(f"'{shown}' is not a number: why;")
