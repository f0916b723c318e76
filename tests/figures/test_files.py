"""Files of figures: pictures, pages and specifications; and how figures look in them."""

import json
import re
import subprocess
import sys

import pytest

from figures.samples import drawn
from rankgauge import figures
from rankgauge.errors import InputError, MissingDependency, OptionError
from rankgauge.figures.figure import FORMS
from rankgauge.figures.theme import DASHES, MOST, SHAPES, THEME, WIDTH, Style
from rankgauge.model.tables import Table

BEGINNINGS = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF-", "html": b"<!doctype html>", "json": b"{"}
HOSTILE = "</script><script>alert(1)</script><!--"


@pytest.mark.parametrize("form", [form for form in FORMS if form != "html"])
def test_a_figure_is_saved_in_the_form_of_its_ending(form, tmp_path):
    path = tmp_path / f"figure.{form.upper()}"
    drawn("matrix").save(path, ppi=50)
    assert path.read_bytes().startswith(BEGINNINGS[form])
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


def test_a_pdf_has_the_width_of_a_column_in_points():
    (width,) = re.findall(rb"MediaBox \[0 0 ([\d.]+) ", drawn("curve").rendered("pdf"))
    assert float(width) == 240


def test_a_specification_is_saved_with_its_data(tmp_path):
    drawn("matrix").save(tmp_path / "m.json")
    assert json.loads((tmp_path / "m.json").read_text(encoding="utf-8")) == drawn("matrix").spec


def test_an_unknown_ending_is_refused_and_a_directory_that_is_not_there_named(tmp_path):
    with pytest.raises(OptionError, match=r"end it in \.svg, \.png, \.pdf, \.html, \.json"):
        drawn("matrix").save(tmp_path / "figure.gif")
    with pytest.raises(InputError, match="cannot be written"):
        drawn("matrix").save(tmp_path / "nowhere" / "figure.json")
    assert not [*tmp_path.iterdir()]


def test_a_page_needs_nothing_from_elsewhere_and_names_are_no_part_of_its_script():
    table = Table(("", HOSTILE), [(HOSTILE, 0.5)])
    page = figures.matrix(table, title=HOSTILE).rendered("html").decode()
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


@pytest.mark.parametrize(("library", "told"), [("altair", "altair"), ("vl_convert", "vl-convert-python")])
def test_a_library_that_is_not_there_is_named_with_how_to_get_it(library, told, monkeypatch):
    figure = drawn("matrix")
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingDependency, match=rf"needs {told}.*pip install 'rankgauge\[plot\]'"):
        figure.chart() if library == "altair" else figure.rendered("svg")
    shown = figure._repr_mimebundle_()
    assert library == "altair" or "pip install" in shown["text/plain"]


def test_listing_figures_imports_nothing_heavy():
    code = (
        "import sys, rankgauge.figures as f; f.figures(); "
        "print([m for m in ('numpy', 'altair', 'vl_convert') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "[]\n"


def _channels(colour):
    """The red, green and blue of a colour as light, from 0 to 1."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def luminance(colour):
    """How bright a colour is, as WCAG 2 has it."""
    red, green, blue = _channels(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    """The contrast of two colours, as WCAG 2 has it."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


# What is left of colours without one kind of cones (Viénot, Brettel and Mollon 1999), in light.
BLIND = {
    "protanopia": ((0.11238, 0.88762, 0), (0.11238, 0.88762, 0), (0.00401, -0.00401, 1)),
    "deuteranopia": ((0.29275, 0.70725, 0), (0.29275, 0.70725, 0), (-0.02234, 0.02234, 1)),
}


@pytest.mark.parametrize("theme", THEME.rules)
def test_words_can_be_read_and_series_seen_on_the_paper(theme):
    c = Style(theme).colours
    assert contrast(c.ink, c.paper) >= 7
    assert contrast(c.soft, c.paper) >= 4.5
    assert all(contrast(colour, c.paper) >= 2 for colour in c.series)
    assert contrast(c.rest, c.paper) < min(contrast(colour, c.paper) for colour in c.series)


@pytest.mark.parametrize("kind", BLIND)
@pytest.mark.parametrize("theme", THEME.rules)
def test_readers_who_see_few_colours_can_tell_series_apart(theme, kind):
    seen = [
        tuple(sum(w * x for w, x in zip(weights, _channels(colour), strict=True)) for weights in BLIND[kind])
        for colour in Style(theme).colours.series
    ]
    apart = [
        sum((x - y) ** 2 for x, y in zip(a, b, strict=True)) ** 0.5 for a in seen for b in seen if a is not b
    ]
    assert min(apart) > 0.08


def test_in_grey_print_dashes_and_shapes_tell_series_apart():
    assert len({tuple(dash) for dash in DASHES}) == len({*SHAPES}) == MOST


@pytest.mark.parametrize("width", WIDTH.rules)
def test_lines_of_text_fit_the_width(width):
    style = Style(width=width)
    lines = style.wrapped("word " * 100)
    assert max(map(len, lines)) * 7.5 * 0.5 <= style.total
    assert style.legend_columns(["a"] * 9) > style.legend_columns(["a" * 20] * 9)
    assert style.legend_columns(["a" * 500]) == 1


@pytest.mark.parametrize("ppi", [0, 2401, 10**10, 10**40, 72.5])
def test_a_picture_that_no_memory_holds_is_refused(ppi, tmp_path):
    with pytest.raises(OptionError, match="ppi must be a whole number from 1 to 2400"):
        drawn("matrix").save(tmp_path / "figure.png", ppi=ppi)


def test_a_packed_file_is_no_figure(tmp_path):
    with pytest.raises(OptionError, match="stands for no kind of figure"):
        drawn("matrix").save(tmp_path / "figure.svg.gz")
