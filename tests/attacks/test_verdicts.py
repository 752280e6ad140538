"""A verdict compares with its word, and never silently with what is none."""

import enum
import importlib
import pickle
import pkgutil

import pytest

import dpaudit
from dpaudit.worded import Worded


def enums() -> list[type[enum.Enum]]:
    """All enums of the package."""
    for module in pkgutil.walk_packages(dpaudit.__path__, "dpaudit."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    found: list[type[enum.Enum]] = []
    left = [enum.Enum]
    while left:
        for kind in left.pop().__subclasses__():
            left.append(kind)
            if kind.__module__.startswith("dpaudit.") and len(kind):
                found.append(kind)
    return sorted(set(found), key=lambda kind: (kind.__module__, kind.__qualname__))


ENUMS = enums()


def test_every_enum_but_the_exit_codes_compares_with_its_words() -> None:
    others = [kind for kind in ENUMS if not issubclass(kind, Worded)]
    assert [kind.__qualname__ for kind in others] == ["Exit"]
    names = {kind.__qualname__ for kind in ENUMS}
    assert {"Verdict", "ClaimVerdict", "HuntVerdict", "Kind", "PrintedOutcome", "Standing"} <= names


@pytest.mark.parametrize("kind", [k for k in ENUMS if issubclass(k, Worded)])
def test_a_member_equals_its_word_and_no_other(kind: type[Worded]) -> None:
    words = [member.value for member in kind]
    for member in kind:
        for word in words:
            assert (member == word) is (word == member.value)
            assert (word == member) is (word == member.value)
            assert (member != word) is (word != member.value)
        assert hash(member) == hash(member.value)
        assert member in {member.value}
        assert member.value in {member}
        assert member in words
        assert {member: 1}[member.value] == 1
        assert {member.value: 1}[member] == 1
        assert pickle.loads(pickle.dumps(member)) is member
        assert kind(member.value) is member
        assert member != 1
        assert member != None  # noqa: E711  (an object like any other)
        with pytest.raises(ValueError, match=f"is no {kind.__name__}"):
            _ = member == f"{member.value}s"
        with pytest.raises(ValueError, match=f"is no {kind.__name__}"):
            _ = member != member.name
        with pytest.raises(TypeError, match="is not a bool"):
            bool(member)


def test_members_of_two_enums_are_not_compared() -> None:
    from dpaudit.results import HuntVerdict, Verdict

    with pytest.raises(TypeError, match="different kinds"):
        _ = Verdict.UNDECIDED == HuntVerdict.UNDECIDED


def test_a_verdict_that_exceeds_says_so_in_python() -> None:
    found = dpaudit.check("MH", n=10, divisor=1)
    assert found.verdict == "exceeds"
    assert found.verdict != "within"
    assert found.only.verdict in ("exceeds", "undecided")
    with pytest.raises(ValueError, match="'exceed' is no Verdict; did you mean exceeds"):
        _ = found.verdict == "exceed"
