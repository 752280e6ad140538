"""The field's words for mechanisms, relations, notions and commands mean what the glossary says."""

import re

import pytest

import dpaudit
from dpaudit.cli.main import invoke
from dpaudit.mechanisms.registry import built_in_name
from dpaudit.questions.notion.measure import NOTIONS, notion_name
from tests.pages import PAGES

ROWS = [
    [re.findall(r"`([^`]+)`", cell) for cell in row.split("|")[1:3]]
    for row in PAGES["docs/glossary.md"].splitlines()
    if row.startswith("| ")
]


def test_words_for_mechanisms_and_notions_are_those_of_the_glossary() -> None:
    known = 0
    for words, names in ROWS:
        for word in words:
            if names and built_in_name(names[0]) == names[0]:
                assert built_in_name(word) == names[0], word
                known += 1
            notions = {name.removeprefix("--notion ") for name in names} & set(NOTIONS)
            if notions:
                assert notion_name(word) in notions, word
                known += 1
    assert known >= 12


@pytest.mark.parametrize(
    ("word", "relation"),
    [
        ("replace-one", "histogram-substitution"),
        ("bounded", "histogram-substitution"),
        ("unbounded", "histogram-add-remove"),
        ("add-remove-one", "histogram-add-remove"),
        ("add/remove", "histogram-add-remove"),
        ("change-one", "histogram-substitution"),
        ("substitute", "histogram-substitution"),
    ],
)
def test_words_for_neighbours_are_read_and_said(
    word: str, relation: str, capsys: pytest.CaptureFixture[str]
) -> None:
    invoke(["check", "LSHist", "--n", "3", "--adjacency", word, "--no-plot"])
    shown = capsys.readouterr()
    assert f"; {relation}, all pairs" in shown.out
    assert f"adjacency = {word} is read as {relation}" in shown.err


def test_a_word_that_may_mean_two_relations_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    @dpaudit.finite_mechanism(datasets=[(0, 1), (1, 0)], neighbours="bounded", budget=1)
    def law(counts: tuple[int, int]) -> dict[int, str]:
        return {0: "1/2", 1: "1/2"}

    with pytest.raises(dpaudit.errors.AmbiguousRelationError, match="is ambiguous"):
        dpaudit.check(law)


def test_the_same_from_python() -> None:
    assert dpaudit.check("GRR", k=4).audit.mechanism == "kRR"
    assert dpaudit.check_notion("grr", None, "rdp", order=2, k=4).report.notion.name == "renyi"


def test_the_field_calls_a_curve_a_profile(capsys: pytest.CaptureFixture[str]) -> None:
    told = []
    for command in ("curve", "profile", "privacy-profile"):
        assert invoke([command, "LSHist", "--n", "3", "--no-plot"]) == 0
        told.append(capsys.readouterr().out)
    assert len(set(told)) == 1
