"""What a pass over pairs holds on to while it goes on."""

import weakref
from fractions import Fraction

from dpaudit.audit.losses import LargestLoss
from dpaudit.audit.scan import scan
from dpaudit.laws.weighted import WeightedLaw
from dpaudit.numbers.ball import ball


class Book:
    """Laws over three outputs; counts how many of them are alive when one more is asked for."""

    def __init__(self) -> None:
        self.made: list[weakref.ref[WeightedLaw]] = []
        self.most = 0

    def law(self, dataset: int) -> WeightedLaw:
        self.most = max(self.most, sum(one() is not None for one in self.made))
        law = WeightedLaw("abc", [ball(Fraction(dataset * output, 100)) for output in range(3)])
        self.made.append(weakref.ref(law))
        return law


def test_laws_are_gone_before_those_of_the_next_pair_are_made() -> None:
    book = Book()
    pairs = [(2 * i, 2 * i + 1) for i in range(20)]
    found = scan(book, pairs, [LargestLoss()], lambda done: None)
    assert found.covered == 20
    assert len(book.made) == 40
    assert book.most == 1  # the first of the two
