"""The pages on papers name what exists, and all that cites the paper."""

import re

import pytest

import pages
from rankgauge.campaigns.registry import STUDIES
from rankgauge.extensions.pages.figures.registry import FIGURES
from rankgauge.extensions.studies.papers import worked_examples
from rankgauge.measures import MEASURES, parse

# {page: pattern of the citations of its document}
CITED = {
    "cumulated-gain": "Järvelin (?:&|and) Kekäläinen(?:, Cumulated| 2002)",
    "twist": "Ferro(?! & Fuhr)",
    "alpha-ndcg": "Clarke et al.(?: 2008|, Novelty)",
    "q-measure": r"Sakai 2006|Sakai, Evaluating evaluation metrics|Sakai, SIGIR 2006",
}
REGISTRIES = {"study": STUDIES, "figure": FIGURES}


def section(name):
    """What the page on papers has on a document, by the command that reproduces it."""
    sections = re.split(r"^### ", pages.read("docs/how-to/reproduce-a-paper.md"), flags=re.M)
    (found,) = (each for each in sections if f"Command: `rankgauge reproduce {name}`" in each)
    return found


def rows(name):
    """[(where, [entries of registries])] of the table of a document."""
    found = []
    for line in re.findall(r"^\|(.*)\|$", section(name), flags=re.M)[2:]:
        where, _, code = (cell.strip() for cell in line.split(" | ", 2))
        found.append((where.strip("| "), [entry(span) for span in re.findall(r"`([^`]+)`", code)]))
    return found


def entry(span):
    """What a code span names: a study or a figure by its command, or a measure."""
    command = re.fullmatch(r"rankgauge (study|figure) ([\w-]+)", span)
    return REGISTRIES[command[1]][command[2]] if command else parse(span).spec


@pytest.mark.parametrize("name", worked_examples.DOCUMENTS)
def test_every_document_has_a_section_with_its_command_and_its_entries(name):
    assert rows(name)
    assert all(entries for _, entries in rows(name))


@pytest.mark.parametrize("name", CITED)
def test_a_page_points_where_its_entries_are_cited_from(name):
    for where, entries in rows(name):
        for each in entries:
            assert re.search(CITED[name], each.cite), each.cite
            assert where in each.cite, (where, each.cite)


@pytest.mark.parametrize("name", CITED)
def test_a_page_has_all_that_cites_its_document(name):
    listed = {id(each) for _, entries in rows(name) for each in entries}
    everything = [registry[key] for registry in (MEASURES, STUDIES, FIGURES) for key in registry]
    missing = [e.title for e in everything if re.search(CITED[name], e.cite) and id(e) not in listed]
    assert not missing


def test_the_lecture_page_has_the_measures_of_its_examples():
    listed = {each.name for _, entries in rows("lecture") for each in entries}
    used = {parse(c.measure).spec.name for e in worked_examples.of("lecture") for c in e.checks}
    assert used <= listed
