"""The gallery of figures is complete, and its commands draw them."""

import importlib

import pytest
from rankgauge.figures import figures

import pages
import rankgauge


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A directory with a small campaign in it."""
    path = tmp_path_factory.mktemp("campaign")
    rankgauge.simulate(topics=6, depth=30, systems=3, subtopics=4, seed=7).write(path)
    return path


@pytest.fixture
def gallery(monkeypatch, folder):
    """The script that draws the gallery, in the directory of the campaign."""
    monkeypatch.syspath_prepend(pages.DOCS)
    monkeypatch.chdir(folder)
    return importlib.import_module("gallery")


@pytest.mark.parametrize("name", figures())
def test_a_figure_has_its_picture_and_its_command_in_the_reference(name, reference):
    picture = pages.DOCS / "figures" / f"{name}.svg"
    assert picture.read_text(encoding="utf-8").startswith("<svg")
    text = reference["figures.md"]
    assert f"](../figures/{name}.svg)" in text
    assert f"\nrankgauge figure {name} " in text


def test_there_is_one_picture_per_figure_and_all_together_are_small():
    pictures = [*(pages.DOCS / "figures").iterdir()]
    assert {picture.stem for picture in pictures} == {*figures()}
    assert sum(picture.stat().st_size for picture in pictures) < 600_000


@pytest.mark.parametrize("name", figures())
def test_the_command_of_a_figure_draws_it(name, gallery, folder):
    if name in gallery.TABLES:
        gallery.run(f"rankgauge {gallery.TABLES[name]} -o table.csv")
    command = gallery.example(figures()[name]).replace(f"{name}.svg", f"{name}.json")
    gallery.run(command)
    assert (folder / f"{name}.json").stat().st_size > 1000


def test_coordinates_are_rounded_and_text_is_not(gallery):
    assert (
        gallery.shrink('<path d="M1.23456,2"/><text>0.12345</text>')
        == '<path d="M1.23,2"/><text>0.12345</text>'
    )
