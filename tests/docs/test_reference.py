"""The reference is up to date and complete."""

import importlib
import inspect
import re

import pytest

import pages
import rankgauge
from rankgauge import errors, formats
from rankgauge.cli.parser import COMMANDS
from rankgauge.comparison.registry import CORRECTIONS, TESTS
from rankgauge.measures import MEASURES, set_names
from rankgauge.measures.interpolated import LEVELS
from rankgauge.measures.other_tools import DIFFERENT, REFUSED
from rankgauge.measures.rankings.discounts import DISCOUNTS
from rankgauge.measures.rankings.gains import SCHEMES
from rankgauge.measures.spec import meanings
from rankgauge.model import rules
from rankgauge.model.output import tables
from rankgauge.schema.options import AVERAGES
from rankgauge.studies import STUDIES


@pytest.fixture
def generate(monkeypatch):
    """The script that writes the reference."""
    monkeypatch.syspath_prepend(pages.DOCS)
    return importlib.import_module("generate")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of all pages, also of those that are not committed."""
    folder = tmp_path_factory.mktemp("site")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(pages.DOCS)
        importlib.import_module("generate").main([str(folder)])
    return folder


def section(page, heading, folder=pages.DOCS / "reference"):
    """The text under a heading of a page of the reference."""
    text = (folder / f"{page}.md").read_text(encoding="utf-8")
    match = re.search(rf"^(##+) {re.escape(heading)}\n(.*?)(?=^##+ |\Z)", text, flags=re.M | re.S)
    assert match, f"{page}.md has no section {heading}"
    return match[2]


def test_the_reference_is_up_to_date(generate, capsys):
    assert generate.main(["--check"]) == 0, capsys.readouterr().err


def test_help_writes_no_page(generate, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit, match="0"):
        generate.main(["--help"])
    assert "--check" in capsys.readouterr().out
    assert [*tmp_path.iterdir()] == []


def test_a_page_that_is_out_of_date_is_reported_and_rewritten(generate, tmp_path, capsys):
    folder = str(tmp_path)
    assert generate.main([folder]) == 0
    assert generate.main([folder, "--check"]) == 0
    page = tmp_path / "options.md"
    text = page.read_text(encoding="utf-8")
    page.write_text(text.replace("ties", "knots"), encoding="utf-8")
    capsys.readouterr()
    assert generate.main([folder, "--check"]) == 1
    assert capsys.readouterr().err.startswith(f"{page} is out of date")
    assert generate.main([folder]) == 0
    assert page.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("name", MEASURES)
def test_a_measure_has_title_sentence_formula_source_and_example(name):
    spec = MEASURES[name]
    text = section("measures", name)
    for fact in (spec.title, spec.help.split("\n\n")[0], spec.formula, spec.cite, spec.example):
        assert fact
        assert fact in text
    assert f"`{spec.example}` = " in text
    for parameter in spec.parameters:
        shared = f"| `{parameter.name}` | " in section("language", "Parameters of every measure")
        words = "" if parameter.name == "gains" else f"{parameter.kind.words}; "
        family = section("measures", spec.family.rpartition(".")[2].capitalize())
        above = re.search(rf"^- .*`{parameter.name}`.*: as above$", text, re.M) and family
        assert shared or f"- `{parameter.name}` ({words}" in (above or text)
    assert all(f"`{other}`" in text for other in spec.trec)


def test_every_name_of_a_measure_is_in_the_page_on_names():
    for spec in MEASURES.values():
        link = f"(measures.md#{spec.name.lower()})"
        for user, names in (("trec_eval", spec.trec), ("Papers and people", meanings(spec.names.aliases))):
            for name in names:
                assert re.search(
                    rf"^\| `{re.escape(name)}` \| .*{re.escape(link)}", section("names", user), re.M
                )
        for tool, names in spec.names.tools.items():
            for name, stands in meanings(names).items():
                text = f"{spec.name}({stands})" if stands else spec.name
                assert f"| `{name}` | [`{text}`]{link} |" in section("names", tool)
    different, refused = (
        section("names", "Names with another meaning"),
        section("names", "Names without a measure"),
    )
    assert all(f"| {tool} | `{name}` | `{write}` |" in different for tool, name, write, *_ in DIFFERENT)
    assert all(f"| {tool} | `{name}` | " in refused for tool, name, _, _ in REFUSED)


def listed(entries):
    """The rows of a table of words and meanings."""
    return [f"| `{name}` | {meaning} |" for name, meaning in entries.items()]


# {(page, heading): what is below it}
NO_TEXT = ("parquet", "arrow", "beir", "mteb", "dataset", "irds")
FACTS = {
    ("language", "Gains"): listed(SCHEMES),
    ("language", "Discounts"): listed(DISCOUNTS),
    ("language", "Averages over topics"): listed(AVERAGES),
    ("language", "Recall levels"): listed(LEVELS),
    ("language", "Named sets"): [f"| `{name}` |" for name in set_names()],
    ("tests", "Corrections"): [
        f"| `{name}` | {each.title} | {each.help} | {each.cite} |" for name, each in CORRECTIONS.items()
    ],
    **{
        ("tests", name): [test.help, test.statistic, test.interval, test.cite] for name, test in TESTS.items()
    },
    **{
        ("options", option.name): [
            option.title[1:],
            f"--{option.name.replace('_', '-')} ",
            *listed(option.rules),
        ]
        for option in rules.OPTIONS
    },
    **{("formats", f"{name}: scores"): ["```"] for name in (*tables.FORMATS, "trec")},
    **{
        ("studies", name): [study.title, study.help.split("\n")[0], study.cite, study.example]
        for name, study in STUDIES.items()
    },
    **{
        ("errors", name): [str(kind.__doc__), "```text\n"]
        for name, kind in vars(errors).items()
        if inspect.isclass(kind) and issubclass(kind, Exception)
    },
}


@pytest.mark.parametrize(("page", "heading"), FACTS)
def test_a_section_has_the_facts_of_its_entry(page, heading):
    text = section(page, heading)
    for fact in FACTS[page, heading]:
        assert fact
        assert fact in text


@pytest.mark.parametrize("name", formats.FORMATS)
def test_a_format_has_title_and_example(name):
    form, text = formats.FORMATS[name], section("formats", name)
    assert form.title[1:].replace("<", "\\<") in text
    assert text.count("Example") >= 1
    assert all(f"`{extension}`" in text for extension in form.extensions)


@pytest.mark.parametrize("kind", ["run", "qrels"])
@pytest.mark.parametrize("name", [n for n in formats.FORMATS if n not in NO_TEXT])
def test_the_example_of_a_format_can_be_read(name, kind, write):
    if kind not in formats.FORMATS[name].kinds:
        return
    holds = {"run": "runs", "qrels": "judgments"}[kind]
    (sample,) = re.findall(rf"Example of {holds}:\n\n```text\n(.*?)```", section("formats", name), flags=re.S)
    columns = formats.read(write("301", sample), kind, name).checked()
    assert columns.topic.texts() == ["301", "301"]
    assert columns.doc.texts() == ["d7", "d2"]
    assert columns.value[0] > columns.value[1]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_sentence_example_and_arguments(name, site):
    text = section("commands", name, site)
    assert f"rankgauge {name}" in text
    assert "For example:" in text
    assert "| argument | meaning |" in text
    assert "| `-h, --help` |" in text


@pytest.mark.parametrize("name", [name for name in rankgauge.__all__ if not name.startswith("_")])
def test_a_public_name_has_its_docstring(name, site):
    first_line = inspect.cleandoc(getattr(rankgauge, name).__doc__).splitlines()[0]
    assert first_line in section("python", name, site)
