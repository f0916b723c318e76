"""The reference is what the code says, and leaves nothing out."""

import importlib
import inspect
import re

import pytest

import pages
import rankgauge
from rankgauge import errors, formats
from rankgauge.cli.main import COMMANDS
from rankgauge.comparison.registry import CORRECTIONS, TESTS
from rankgauge.measures import MEASURES, set_names
from rankgauge.measures.interpolated import LEVELS
from rankgauge.model import document_order, tables, topic_rules
from rankgauge.studies import STUDIES

OPTIONS = {option.name: option for option in (*document_order.OPTIONS, *topic_rules.OPTIONS)}
ERRORS = [
    name for name, kind in vars(errors).items() if inspect.isclass(kind) and issubclass(kind, Exception)
]


@pytest.fixture
def generate(monkeypatch):
    """The script that writes the reference."""
    monkeypatch.syspath_prepend(pages.DOCS)
    return importlib.import_module("generate")


def section(page, heading):
    """The text under a heading of a page of the reference."""
    text = pages.read(f"docs/reference/{page}.md")
    found = re.search(rf"^(##+) {re.escape(heading)}\n(.*?)(?=^##+ |\Z)", text, flags=re.M | re.S)
    assert found, f"{page}.md says nothing of {heading}"
    return found[2]


def test_the_reference_is_up_to_date(generate, capsys):
    assert generate.main(["--check"]) == 0, capsys.readouterr().err


def test_a_page_that_is_out_of_date_is_named_and_written_anew(generate, tmp_path, capsys):
    assert generate.main([], tmp_path) == 0
    assert generate.main(["--check"], tmp_path) == 0
    page = tmp_path / "options.md"
    text = page.read_text(encoding="utf-8")
    page.write_text(text.replace("ties", "knots"), encoding="utf-8")
    capsys.readouterr()
    assert generate.main(["--check"], tmp_path) == 1
    assert capsys.readouterr().err.startswith(f"{page} is out of date")
    assert generate.main([], tmp_path) == 0
    assert page.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("name", MEASURES)
def test_a_measure_has_title_sentence_formula_source_and_example(name):
    spec = MEASURES[name]
    family = spec.family.rpartition(".")[2]
    said = section(f"measures-{family}", name)
    assert f"[{name}](measures-{family}.md#{name.lower()})" in pages.read("docs/reference/measures.md")
    for fact in (spec.title, spec.help, spec.formula, spec.cite, spec.example):
        assert fact
        assert fact in said
    assert f"Example: `{spec.example}` is " in said
    for parameter in spec.parameters:
        assert f"| `{parameter.name}` | " in said
        assert parameter.kind.words in said
    for other in (*spec.trec, *spec.aliases):
        assert f"`{other}`" in said


def test_every_gain_discount_and_set_is_in_the_page_on_the_language():
    gains, discounts = section("language", "Gains"), section("language", "Discounts")
    assert all(f"| `{name}` | {said} |" in gains for name, said in gains.SCHEMES.items())
    assert all(f"| `{name}` | {said} |" in discounts for name, said in gains.DISCOUNTS.items())
    assert all(f"| `{name}` |" in section("language", "Named sets") for name in set_names())


def test_every_average_and_rule_for_recall_levels_is_in_the_page_on_the_language():
    averages, levels = section("language", "Averages over topics"), section("language", "Recall levels")
    assert all(f"| `{name}` | {said} |" in averages for name, said in topic_rules.AVERAGES.items())
    assert all(f"| `{name}` | {said} |" in levels for name, said in LEVELS.items())


@pytest.mark.parametrize("name", TESTS)
def test_a_test_has_sentence_statistic_source_and_example(name):
    test, said = TESTS[name], section("tests", name)
    for fact in (test.title[1:], test.help, test.statistic, test.interval, test.cite):
        assert fact
        assert fact in said
    assert f"--test {name}`" in said


@pytest.mark.parametrize("name", CORRECTIONS)
def test_a_correction_has_sentence_and_source(name):
    each = CORRECTIONS[name]
    assert f"| `{name}` | {each.title} | {each.help} | {each.cite} |" in section("tests", "Corrections")


@pytest.mark.parametrize("name", OPTIONS)
def test_an_option_has_sentence_example_and_every_rule(name):
    said = section("options", name)
    assert OPTIONS[name].title[1:] in said
    assert f"--{name} " in said
    assert all(f"| `{word}` | {effect} |" in said for word, effect in OPTIONS[name].rules.items())


@pytest.mark.parametrize("name", formats.FORMATS)
def test_a_format_has_title_and_example(name):
    form, said = formats.FORMATS[name], section("formats", name)
    assert form.title[1:].replace("<", "\\<") in said
    assert said.count("Example") >= 1
    assert all(f"`{extension}`" in said for extension in form.extensions)


@pytest.mark.parametrize("kind", ["run", "qrels"])
@pytest.mark.parametrize("name", [n for n in formats.FORMATS if n not in ("parquet", "arrow")])
def test_the_example_of_a_format_can_be_read(name, kind, write):
    if kind not in formats.FORMATS[name].kinds:
        return
    holds = {"run": "runs", "qrels": "judgments"}[kind]
    (sample,) = re.findall(rf"Example of {holds}:\n\n```text\n(.*?)```", section("formats", name), flags=re.S)
    columns = formats.read(write("301", sample), kind, name).checked()
    assert columns.topic.texts() == ["301", "301"]
    assert columns.doc.texts() == ["d7", "d2"]
    assert columns.value[0] > columns.value[1]


@pytest.mark.parametrize("name", [*tables.FORMATS, "trec"])
def test_a_format_of_scores_has_sentence_and_example(name):
    assert "```" in section("formats", f"{name}: scores")


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_has_title_help_options_source_and_example(name):
    study, said = STUDIES[name], section("studies", name)
    for fact in (study.title, study.help.split("\n")[0], study.cite, study.example):
        assert fact in said
    for parameter in study.parameters:
        assert f"| `{parameter.name}` | " in said


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_sentence_example_and_arguments(name):
    said = section("commands", name)
    assert f"rankgauge {name}" in said
    assert "For example:" in said
    assert "| argument | meaning |" in said
    assert "| `-h, --help` |" in said


@pytest.mark.parametrize("name", ERRORS)
def test_an_error_has_sentence_and_message(name):
    said = section("errors", name)
    assert getattr(errors, name).__doc__ in said
    assert "```text\n" in said


@pytest.mark.parametrize("name", [name for name in rankgauge.__all__ if not name.startswith("_")])
def test_a_public_name_has_its_docstring(name):
    first_line = inspect.cleandoc(getattr(rankgauge, name).__doc__).splitlines()[0]
    assert first_line in section("python", name)
