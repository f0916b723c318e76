"""What holds for every figure in the registry."""

import math
import struct
import xml.etree.ElementTree as ElementTree
import zlib

import altair
import pytest

import rankgauge
from figures.samples import OPTIONS, drawn, fields, results, views
from rankgauge.errors import InputError, OptionError
from rankgauge.figures import Figure, figures
from rankgauge.figures.inputs import INPUTS
from rankgauge.model.tables import Table
from rankgauge.schema.json_text import to_json
from rankgauge.studies import STUDIES

HOSTILE = [
    "constructor",
    "__proto__",
    "a.b[0]",
    "</script><script>alert(1)</script>",
    "two\nlines",
    "quote'\"\\",
    "\udc80 no utf-8",
    "日本語",
    "ideal",
    "helps",
    "null",
    "x" * 300,
]


@pytest.mark.parametrize("name", figures())
def test_a_figure_has_title_sentence_source_example_and_options_with_words(name):
    plot = figures()[name]
    assert plot.title
    assert plot.help.endswith(".")
    assert plot.cite
    assert plot.example
    assert plot.needs in INPUTS
    assert all(parameter.help and parameter.kind.words for parameter in plot.parameters)
    assert plot.defaults.keys() == {*INPUTS[plot.needs].options}
    assert getattr(rankgauge.figures, name.replace("-", "_")) is plot


@pytest.mark.parametrize("name", figures())
def test_a_figure_is_a_valid_specification_that_refers_to_its_data(name):
    figure = drawn(name)
    assert isinstance(figure, Figure)
    altair.Chart.from_dict({**figure.spec, "datasets": {}})  # raises if it is not what Vega-Lite takes
    used = [*views(figure.spec)]
    assert {data for data, _ in used} == figure.data.keys() == figure.spec["datasets"].keys()
    for data, encoding in used:
        assert fields(encoding) <= {*figure.data[data].headers}


@pytest.mark.parametrize("name", figures())
def test_the_data_of_the_specification_are_the_tables(name):
    figure = drawn(name)
    for data, table in figure.data.items():
        cells = [
            {
                n: None if isinstance(c, float) and math.isnan(c) else c
                for n, c in zip(table.headers, row, strict=True)
            }
            for row in table.rows
        ]
        assert figure.spec["datasets"][data] == cells


@pytest.mark.parametrize("name", figures())
def test_words_say_which_measures_and_how_many_topics(name):
    figure, plot = drawn(name), figures()[name]
    heading = " ".join([*figure.spec["title"]["text"], *figure.spec["title"]["subtitle"]])
    assert figure.spec["description"] == figure.caption
    assert figure.caption.endswith(".")
    if plot.needs in ("table", "nothing"):
        return
    result = results(name)
    if plot.needs == "findings":
        sizes = [f"{result.settings['runs']} runs", f"{result.settings['topics']} topics"]
        needs_runs = STUDIES[plot.defaults["study"]].least_runs > 0
        assert ", ".join(sizes if needs_runs else sizes[1:]) in heading
        assert needs_runs or "run" not in heading
        return
    shown = [m for m in result.measures if m.partition("@")[0] in f"{heading} {figure.caption}"]
    assert len(shown) >= min(2, len(result.measures))
    assert "topic" in heading.lower()
    assert any(source in figure.caption for source in ("Manning", "Järvelin"))


@pytest.mark.parametrize("name", [n for n in figures() if figures()[n].needs in ("curves", "scores")])
def test_runs_and_measures_are_called_by_their_labels(name):
    result = results(name)
    labels = {**{run: f"System {run.upper()}" for run in result.runs}, **dict.fromkeys(result.measures, "M!")}
    figure = drawn.__wrapped__(name, labels=labels)
    cells = {cell for table in figure.data.values() for row in table.rows for cell in row}
    words = f"{to_json(figure.spec)} {figure.caption}"
    assert cells.isdisjoint(result.runs)
    assert "System " in words
    assert "M!" in words


@pytest.mark.parametrize("name", figures())
def test_the_same_results_are_the_same_bytes(name):
    assert drawn(name).render("json") == drawn.__wrapped__(name).render("json")


@pytest.mark.parametrize("name", figures())
@pytest.mark.parametrize(("theme", "width"), [("light", "page"), ("dark", "column")])
def test_a_figure_is_drawn_in_every_theme_and_width_from_the_same_data(name, theme, width):
    plain, figure = drawn(name), drawn(name, theme=theme, width=width)
    assert figure.spec["datasets"] == plain.spec["datasets"]
    assert figure.spec["config"] != plain.spec["config"]


@pytest.mark.parametrize("name", figures())
def test_a_picture_has_the_width_of_a_column_and_something_in_it(name):
    ppi = 72
    png = drawn(name).render("png", ppi=ppi)
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", png[16:24])
    assert 225 <= width <= 255
    assert 50 <= height <= 500
    # far more than paper and ink: colours, and greys at the edges of letters
    assert len(set(_pixels(png, width))) > 30


def _pixels(png, width):
    data, at = b"", 8
    while at < len(png):
        (size,) = struct.unpack(">I", png[at : at + 4])
        if png[at + 4 : at + 8] == b"IDAT":
            data += png[at + 8 : at + 8 + size]
        at += 12 + size
    raw = zlib.decompress(data)
    line = 1 + 4 * width
    return [raw[i : i + 4] for start in range(0, len(raw), line) for i in range(start + 1, start + line, 4)]


@pytest.mark.parametrize("name", figures())
def test_without_a_heading_there_is_none(name):
    figure = drawn(name, headed=False)
    assert "title" not in figure.spec
    assert figure.title


@pytest.mark.parametrize("name", [n for n in figures() if figures()[n].needs not in ("findings", "nothing")])
def test_names_from_files_are_values_and_never_anything_else(name, capfd):
    plot, options = figures()[name], {}
    if name == "differences":
        options = {"baseline": HOSTILE[7], "run": HOSTILE[6]}
    elif name == "crp":
        options = {"run": HOSTILE[7], "topic": HOSTILE[0]}
    figure = plot(hostile_results(plot), **options)
    words = {word for _, encoding in views(figure.spec) for word in fields(encoding)}
    assert words.isdisjoint(HOSTILE)
    picture = figure.render("svg")
    ElementTree.fromstring(picture)  # which is well-formed, whatever the names
    assert capfd.readouterr().err == ""  # where Vega says what went wrong
    assert "日本語" in to_json(figure.spec)


def hostile_results(plot):
    """What a figure draws, all names of which are hostile."""
    if plot.needs == "table":
        return Table(("x\ny", *HOSTILE), [(run, *range(len(HOSTILE))) for run in HOSTILE])
    runs = {
        run: {topic: {"d1": 2.0, "d2": 1.0 + i % 3, "d3": 0.5 * i} for topic in HOSTILE}
        for i, run in enumerate(HOSTILE)
    }
    qrels = {topic: {"d1": 1, "d2": i % 3} for i, topic in enumerate(HOSTILE)}
    measures = results(plot.name).measures
    if plot.needs == "scores":
        return rankgauge.evaluate(qrels, runs, measures)
    return rankgauge.curves(qrels, runs, measures, depth=3)


@pytest.mark.parametrize("name", [n for n in figures() if figures()[n].needs in ("curves", "scores")])
def test_one_run_one_topic_and_nothing_found_can_be_drawn(name):
    plot = figures()[name]
    runs = {"a": {"q1": {"d9": 1.0}}, "b": {"q1": {"d9": 1.0}}}
    make = rankgauge.evaluate if plot.needs == "scores" else rankgauge.curves
    if name not in ("differences", "significance"):  # which compare runs
        assert plot(make({"q1": {"d1": 1}}, {"a": runs["a"]}, results(name).measures)).spec
    nothing = make({"q1": {"d1": 0}}, runs, results(name).measures)  # much is undefined
    if name == "effort-gain":
        with pytest.raises(InputError, match="no point has both a defined effort and a defined gain"):
            plot(nothing)
    else:
        assert b"<svg" in plot(nothing).render("svg")


@pytest.mark.parametrize("name", figures())
def test_an_option_that_a_figure_does_not_have_is_named_with_those_it_has(name):
    with pytest.raises(OptionError, match=rf"the figure {name} has no option 'colour'.*theme, width"):
        drawn(name, colour="red")
    with pytest.raises(OptionError, match="theme must be one of light, dark"):
        drawn(name, theme="pink")


@pytest.mark.parametrize(
    "name", [n for n in figures() for p in figures()[n].parameters if p.name == "highlight"]
)
def test_a_run_that_is_not_there_cannot_be_highlighted(name):
    with pytest.raises(OptionError, match=r"no (run|line) is called 'bm52'"):
        figures()[name](results(name), **{**OPTIONS.get(name, {}), "highlight": "bm52"})


@pytest.mark.parametrize("name", [n for n in figures() if figures()[n].needs != "nothing"])
def test_a_figure_without_the_results_it_draws_names_them(name):
    with pytest.raises(OptionError, match=rf"the figure {name} draws .*; pass it"):
        figures()[name]()
