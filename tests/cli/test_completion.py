"""The shell completes mechanisms, claims and files."""

import os
import subprocess
import sys

import pytest


def completed(*words: str) -> list[list[str]]:
    given = ["dpaudit", *words]
    extra = {
        "COMP_WORDS": " ".join(given),
        "COMP_CWORD": str(len(given) - 1),
        "_DPAUDIT_COMPLETE": "bash_complete",
    }
    done = subprocess.run(
        [sys.executable, "-m", "dpaudit"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **extra},
    )
    assert done.stderr == ""
    return [line.split(",", 1) for line in done.stdout.splitlines()]


@pytest.mark.parametrize(
    ("words", "value"),
    [
        (("check", "EHD"), "EHDS"),
        (("check", "G"), "GRR"),
        (("show", "report"), "report-noisy-max"),
        (("check", "EHDS", "--adjacency", "re"), "replace-one"),
        (("check", "EHDS", "--adjacency", "hist"), "histogram-add-remove"),
        (("check", "EHDS", "--notion", "r"), "rdp"),
        (("check", "EHDS", "--notion", ""), "renyi"),
    ],
)
def test_names_and_the_fields_words_complete(words: tuple[str, ...], value: str) -> None:
    assert ["plain", value] in completed(*words)


def test_claims_complete_by_their_ids() -> None:
    found = [value for _, value in completed("prove", "I-l")]
    assert "I-left" in found
    assert all(value.startswith("I-l") for value in found)


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        (("check", "EHDS", "--output", ""), "file"),
        (("check", "EHDS", "--plot", ""), "file"),
        (("gate", "--config", ""), "file"),
        (("verify", ""), "file"),
        (("prove", "--from", ""), "file"),
        (("prove", "--export-smt", ""), "dir"),
        (("check", "min"), "file"),
    ],
)
def test_options_that_take_files_complete_to_files(words: tuple[str, ...], kind: str) -> None:
    assert [found[0] for found in completed(*words)] == [kind]
