"""The table of questions, and what is derived from it."""

import inspect
import re
from pathlib import Path

import click
import pytest

import dpaudit
from dpaudit.cli.main import main
from dpaudit.errors import UsageError
from dpaudit.gate.config import MEASURES, Entry
from dpaudit.gate.entries import check_keys, entry_question, entry_questions
from dpaudit.question import question_of_command, questions
from dpaudit.recheck.verify import RECHECKED
from dpaudit.report.view import view_of_kind
from dpaudit.results.documents import documents
from tests.commands_page import PAGE, with_rows

NAMES = [one.name for one in questions()]


def test_every_folder_is_a_question() -> None:
    folder = Path(dpaudit.__file__).parent / "questions"
    folders = {path.name for path in folder.iterdir() if (path / "__init__.py").exists()}
    assert folders == {name.replace("-", "_") for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_every_place_of_a_row_leads_somewhere(name: str) -> None:
    (row,) = (one for one in questions() if one.name == name)
    for public, module in row.functions.items():
        assert getattr(dpaudit, public).__module__.startswith("dpaudit."), module
    for form in row.forms:
        assert (form.schema in documents()) is form.published
    for kind, view in (
        (documents()[form.schema], form.view) for form in row.forms if form.published
    ):
        assert view_of_kind(kind) is not None, view


def test_the_default_of_an_option_is_that_of_the_function() -> None:
    """A row is read without loading an audit, and so writes its defaults out."""
    for one in questions():
        for option in one.sweep.options if one.sweep is not None else ():
            own = inspect.signature(getattr(dpaudit, one.function_name)).parameters[option.name]
            assert own.default == option.default, one.name


def test_words_of_the_field_lead_to_the_same_command() -> None:
    assert question_of_command("f-dp") is question_of_command("tradeoff")
    assert question_of_command("notion") is None  # an option of check asks it
    assert question_of_command("gate") is None


def test_no_two_questions_share_a_name_a_document_or_a_key() -> None:
    words = [word for one in questions() for word in (one.name, *one.words, *one.functions)]
    schemas = [form.schema for one in questions() for form in one.forms]
    keys = [key for one in entry_questions() for key in one.keys]
    for listed in (NAMES, schemas, keys):
        assert len(set(listed)) == len(listed)
    assert words


def test_the_page_of_commands_has_the_rows_of_the_table() -> None:
    page = PAGE.read_text()
    assert with_rows(page) == page, "python -m tests.commands_page writes them"


def test_the_recorded_corpus_has_every_command() -> None:
    corpus = (Path(__file__).parents[1] / "golden/commands.txt").read_text()
    for one in questions():
        if one.has_command:
            assert re.search(rf"^{one.name} ", corpus, re.MULTILINE), one.name


def entry(**keys: object) -> Entry:
    return Entry(mechanism="EHDS", **keys)  # type: ignore[arg-type]


def test_an_entry_asks_by_its_measure_and_by_a_key_that_says_more() -> None:
    schemas = {
        "audit": entry(),
        "notion": entry(notion="kl"),
        "interval": entry(interval="1/10..2"),
        **{
            name: entry(measure=name)
            for name in ("curve", "tradeoff", "accuracy", "account", "sample")
        },
    }
    for name, asked in schemas.items():
        assert entry_question(asked).schema.startswith(f"dpaudit.{name}/")
    assert {one.measure for one in entry_questions()} == set(MEASURES)


@pytest.mark.parametrize(
    ("keys", "where", "reason"),
    [
        ({"nominal": 1}, "nominal", 'it applies only to measure = "calibrate"'),
        (
            {"draws": 5},
            "draws",
            'draws, error, against, seed and events apply only to measure = "sample"',
        ),
        ({"order": 2}, "order", "it applies only with notion"),
        ({"notion": "kl", "measure": "curve"}, "notion", 'it does not apply to measure = "curve"'),
        ({"notion": "kl", "interval": "1..2"}, "interval", "it cannot be combined with notion"),
    ],
)
def test_a_key_of_another_question_is_refused(
    keys: dict[str, object], where: str, reason: str
) -> None:
    asked = entry(**keys)
    with pytest.raises(UsageError, match=re.escape(reason)):
        check_keys(asked)[where](asked)


def test_the_help_of_verify_names_every_question_that_it_rechecks() -> None:
    command = main.get_command(click.Context(main), "verify")
    assert command is not None
    for one in questions():
        rechecked = any(form.schema in RECHECKED for form in one.forms)
        if one.has_command:
            assert (one.name in str(command.help)) is rechecked, one.name
