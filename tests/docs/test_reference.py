"""The reference is complete."""

import inspect
import re

import pytest
from rankgauge.studies import STUDIES

import rankgauge
from rankgauge import errors, formats
from rankgauge.cli.parser import COMMANDS
from rankgauge.comparison.registry import CORRECTIONS, TESTS
from rankgauge.extensions.tools.fusion_methods import FUSION_METHODS, NORMALISATIONS
from rankgauge.measures import MEASURES, set_names
from rankgauge.measures.interpolated import LEVELS
from rankgauge.measures.other_tools import DIFFERENT, REFUSED
from rankgauge.measures.rankings.discounts import DISCOUNTS
from rankgauge.measures.rankings.gains import SCHEMES
from rankgauge.measures.spec import meanings
from rankgauge.model import rules
from rankgauge.model.output import tables
from rankgauge.model.output.markup import markdown
from rankgauge.schema.options import AVERAGES


@pytest.fixture
def section(reference):
    """A function from a page and a heading to the text below it."""

    def text_below(page, heading):
        text = reference[f"{page}.md"]
        match = re.search(rf"^(##+) {re.escape(heading)}\n(.*?)(?=^##+ |\Z)", text, flags=re.M | re.S)
        assert match, f"{page}.md has no section {heading}"
        return match[2]

    return text_below


@pytest.mark.parametrize("name", MEASURES)
def test_a_measure_has_a_page_with_title_help_source_and_example(name, reference):
    spec = MEASURES[name]
    text = reference[f"measures/{name.lower()}.md"]
    assert f"[{name}](measures/{name.lower()}.md) | {spec.title} |" in reference["measures.md"]
    for fact in (spec.title, spec.help.split("\n\n")[0], spec.example, markdown(spec.cite)):
        assert fact
        assert fact in text
    assert re.search(rf"^`{re.escape(spec.example)}` = (-?[\d.]+|inf)$", text, re.M)
    assert all(f"| `{p.name}` | " in text for p in spec.parameters)


def test_every_name_of_a_measure_is_in_the_page_on_names(section):
    for spec in MEASURES.values():
        link = f"(measures/{spec.name.lower()}.md)"
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
def test_a_section_has_the_facts_of_its_entry(page, heading, section):
    text = section(page, heading)
    for fact in FACTS[page, heading]:
        assert fact
        assert fact in text


@pytest.mark.parametrize("name", formats.FORMATS)
def test_a_format_has_title_and_example(name, section):
    form, text = formats.FORMATS[name], section("formats", name)
    assert form.title[1:].replace("<", "\\<") in text
    assert text.count("Example") >= 1
    assert all(f"`{extension}`" in text for extension in form.extensions)


@pytest.mark.parametrize("kind", ["run", "qrels"])
@pytest.mark.parametrize("name", [n for n in formats.FORMATS if n not in NO_TEXT])
def test_the_example_of_a_format_can_be_read(name, kind, write, section):
    if kind not in formats.FORMATS[name].kinds:
        return
    holds = {"run": "runs", "qrels": "judgments"}[kind]
    (sample,) = re.findall(rf"Example of {holds}:\n\n```text\n(.*?)```", section("formats", name), flags=re.S)
    columns = formats.read(write("301", sample), kind, name).checked()
    assert columns.topic.texts() == ["301", "301"]
    assert columns.doc.texts() == ["d7", "d2"]
    assert columns.value[0] > columns.value[1]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_sentence_example_and_arguments(name, section):
    text = section("commands", name)
    assert f"rankgauge {name}" in text
    assert "For example:" in text
    assert "| argument | meaning |" in text
    assert "| `-h, --help` |" in text


@pytest.mark.parametrize("name", [name for name in rankgauge.__all__ if not name.startswith("_")])
def test_a_public_name_has_its_docstring(name, section):
    first_line = inspect.cleandoc(getattr(rankgauge, name).__doc__).splitlines()[0]
    assert first_line in section("python", name)


def test_every_fusion_method_and_normalisation_is_listed(section):
    for heading, registry in (("Methods", FUSION_METHODS), ("Normalisations", NORMALISATIONS)):
        for name, entry in registry.items():
            assert f"| `{name}` | {entry.title} |" in section("fusion", heading)
