"""Files of figures: pictures, pages and specifications."""

import json
import re
import sys

import pytest

from extensions.pages.figures.samples import drawn
from rankgauge import figures
from rankgauge.errors import InputError, MissingDependency, OptionError
from rankgauge.extensions.pages.figures.figure import FORMS
from rankgauge.model.output.tables import Table

BEGINNINGS = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF-", "html": b"<!doctype html>", "json": b"{"}
HOSTILE = "</script><script>alert(1)</script><!--"


@pytest.mark.parametrize("form", [form for form in FORMS if form != "html"])
def test_a_figure_is_saved_in_the_format_of_its_extension(form, tmp_path):
    path = tmp_path / f"figure.{form.upper()}"
    drawn("matrix").save(path, ppi=50)
    assert path.read_bytes().startswith(BEGINNINGS[form])
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


def test_a_pdf_has_the_width_of_a_column_in_points():
    (width,) = re.findall(rb"MediaBox \[0 0 ([\d.]+) ", drawn("curve").render("pdf"))
    assert float(width) == 240


def test_a_specification_is_saved_with_its_data(tmp_path):
    drawn("matrix").save(tmp_path / "m.json")
    assert json.loads((tmp_path / "m.json").read_text(encoding="utf-8")) == drawn("matrix").spec


def test_an_unknown_extension_is_refused_and_a_directory_that_is_not_there_named(tmp_path):
    for name in ("figure.gif", "figure.svg.gz"):
        with pytest.raises(OptionError, match=r"use the extension \.svg, \.png, \.pdf, \.html, \.json"):
            drawn("matrix").save(tmp_path / name)
    with pytest.raises(InputError, match="cannot be written"):
        drawn("matrix").save(tmp_path / "nowhere" / "figure.json")
    assert not [*tmp_path.iterdir()]


def test_a_page_needs_nothing_from_elsewhere_and_names_are_no_part_of_its_script():
    table = Table(("", HOSTILE), [(HOSTILE, 0.5)])
    page = figures.matrix(table, title=HOSTILE).render("html").decode()
    assert page.count("<script") == 2  # the data, and the program
    assert page.count("</script>") == 2
    assert "<!--" not in page.split("<script")[1]
    assert not re.search(r'(src|href)\s*=\s*"https?:', page)
    (data,) = re.findall(r'<script type="application/json" id="spec">(.*?)</script>', page, flags=re.S)
    assert json.loads(data)["datasets"]["cells"][0]["row"] == HOSTILE
    assert "&lt;/script&gt;" in page.partition("<style>")[0]  # in its title


def test_a_notebook_gets_a_picture_and_words():
    bundle = drawn("matrix")._repr_mimebundle_()
    assert bundle["image/svg+xml"].startswith("<svg")
    assert bundle["text/plain"].startswith("Figure matrix: Correlations\n")


def test_a_chart_of_altair_can_be_had_for_changing_it():
    assert drawn("matrix").chart().properties(width=77).to_dict()["width"] == 77


@pytest.mark.parametrize(("library", "package"), [("altair", "altair"), ("vl_convert", "vl-convert-python")])
def test_a_library_that_is_not_there_is_named_with_how_to_get_it(library, package, monkeypatch):
    figure = drawn("matrix")
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingDependency, match=rf"needs {package}.*pip install 'rankgauge\[plot\]'"):
        figure.chart() if library == "altair" else figure.render("svg")
    shown = figure._repr_mimebundle_()
    assert library == "altair" or "pip install" in shown["text/plain"]


@pytest.mark.parametrize("ppi", [0, 2401, 10**10, 10**40, 72.5])
def test_a_picture_that_no_memory_holds_is_refused(ppi, tmp_path):
    with pytest.raises(OptionError, match="ppi must be a whole number from 1 to 2400"):
        drawn("matrix").save(tmp_path / "figure.png", ppi=ppi)
