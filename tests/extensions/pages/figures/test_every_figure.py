"""What holds for every figure in the registry."""

import json
import math
import re
import struct
import xml.etree.ElementTree as ElementTree
import zlib

import altair
import pytest
from rankgauge.figures import Figure, figures
from rankgauge.studies import STUDIES

import rankgauge
from extensions.pages.figures.samples import OPTIONS, campaign, drawn, fields, results, views
from rankgauge.errors import InputError, OptionError
from rankgauge.extensions.pages.figures.registry import INPUTS
from rankgauge.extensions.pages.figures.specs import layers_of, plots_of
from rankgauge.model.output.tables import Table
from rankgauge.schema.json_text import to_json

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


OF_RUNS = [n for n in figures() if figures()[n].needs in ("curves", "scores")]
OF_STUDIES = [n for n in figures() if figures()[n].needs == "findings"]


def cells_of(figure):
    """The content of all cells of a figure's tables."""
    return {cell for table in figure.data.values() for row in table.rows for cell in row}


@pytest.mark.parametrize("name", OF_RUNS)
def test_runs_measures_and_topics_are_called_by_their_labels(name):
    result = results(name)
    labels = {
        **{run: f"System {run.upper()}" for run in result.runs},
        **{topic: f"Query {topic}" for topic in result.topics},
        **dict.fromkeys(result.measures, "M!"),
    }
    figure = drawn.__wrapped__(name, labels=labels)
    words = f"{to_json(figure.spec)} {figure.caption}"
    assert cells_of(figure).isdisjoint({*result.runs, *result.topics})
    assert "System " in words
    assert "M!" in words
    headings = [figure.title, *figure.spec["title"]["subtitle"], figure.caption]
    for topic in result.topics:  # which are numbers, as other things are
        assert not re.search(rf"(?<!Query ){topic}\b", " ".join(headings))


@pytest.mark.parametrize("name", OF_STUDIES)
def test_what_a_study_names_is_called_by_its_label(name):
    named = {
        str(cell)
        for table in results(name).tables.values()
        for place, header in enumerate(table.headers)
        if header in ("run", "measure", "reference", "baseline")
        for row in table.rows
        for cell in [row[place]]
    }
    figure = drawn.__wrapped__(name, labels={each: f"Label of {each}" for each in named})
    assert cells_of(figure).isdisjoint(named)
    assert "Label of" in to_json(figure.spec) or not named


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


@pytest.mark.parametrize(
    ("name", "measures", "message"),
    [
        ("pr", "AP", r"takes IPrec at recall levels.*not AP"),
        ("pr-scatter", "AP P@5", r"a precision and a recall.*not AP, P@5"),
        ("pr-topic", "P R", "takes P, R and InterpolatedP, not P, R"),
        ("crp", "CRP", "takes three measures.*not CRP"),
        ("scatter", "AP", r"takes two measures.*not 1"),
        ("effort-gain", "Twist", r"a measure of effort and one or more of gain.*not Twist; name another"),
        ("significance", "AP RR", "takes one measure, not 2"),
    ],
)
def test_a_figure_refuses_other_measures_and_names_its_own(name, measures, message):
    with pytest.raises(OptionError, match=message):
        figures()[name](results(name, measures))


BARE = ("x", "y", "low", "high", "q1", "q3", "value", "series", "name", "label")  # names of columns alone


def tooltips(spec):
    """(data, tooltip) of every mark that has one."""
    return [(data, encoding["tooltip"]) for data, encoding in views(spec) if "tooltip" in encoding]


@pytest.mark.parametrize("name", figures())
def test_what_shows_at_the_pointer_has_titles_that_readers_know(name):
    shown = tooltips(drawn(name).spec)
    assert shown
    for _, fields_shown in shown:
        for field in fields_shown:
            assert field["title"] not in BARE
            assert "_" not in field["title"]
            assert field["type"] == "nominal" or field["format"]
        assert any(field["type"] == "nominal" for field in fields_shown) or len(fields_shown) == 1


@pytest.mark.parametrize("name", figures())
def test_titles_of_axes_are_words(name):
    for _, encoding in views(drawn(name).spec):
        for axis in ("x", "y"):
            title = encoding.get(axis, {}).get("title") or ""
            lines = [title] if isinstance(title, str) else title
            assert len(lines) <= 3
            assert not {*"@{}_"} & {*" ".join(lines)}


@pytest.mark.parametrize("name", OF_RUNS)
@pytest.mark.parametrize("width", ["column", "page"])
def test_no_name_is_cut(name, width):
    labels = {
        run: f"{run}-with-query-expansion-and-reranking-by-a-cross-encoder" for run in results(name).runs
    }
    figure = drawn.__wrapped__(name, labels=labels, width=width)
    assert "cut short" not in figure.caption
    assert "…" not in figure.render("svg").decode()


def test_a_name_that_is_too_long_is_cut_and_the_caption_says_so():
    labels = {"dense": "a-very-long-name-" * 20}
    figure = drawn.__wrapped__("pr", labels=labels)
    assert figure.caption.endswith("1 long name cut short.")
    assert figure.render("svg").decode().count("…") == 1


# crp shows one run, differences two, difficulty the quartiles of all
OF_ALL_RUNS = [n for n in OF_RUNS if n not in ("crp", "differences", "difficulty")]


@pytest.mark.parametrize("name", OF_ALL_RUNS)
def test_every_run_shows_its_name_at_the_pointer_also_in_grey(name):
    plot, count = figures()[name], 16
    qrels = {"q1": {"d1": 1, "d2": 2}, "q2": {"d1": 2}}
    runs = {
        f"r{i}": {topic: {f"d{(j + i) % 20}": 1 / (j + 1) for j in range(5 + i)} for topic in qrels}
        for i in range(count)
    }
    make = rankgauge.evaluate if plot.needs == "scores" else rankgauge.curves
    figure = plot(make(qrels, runs, results(name).measures))
    named = {
        row[field["field"]]
        for data, shown in tooltips(figure.spec)
        for field in shown
        if field["type"] == "nominal"
        for row in figure.spec["datasets"][data]
    }
    assert {*runs} <= named


@pytest.mark.parametrize("name", figures())
def test_on_a_page_every_line_has_points_to_hover_over(name):
    figure = drawn(name)
    live = figure.live_spec
    altair.Chart.from_dict({**live, "datasets": {}})
    assert live["datasets"] is figure.spec["datasets"]
    for plain, plot in zip(plots_of(figure.spec), plots_of(live), strict=True):
        lines = [layer for _, layer in layers_of(plain) if layer["mark"]["type"] == "line"]
        shown = [layer for layer in lines if "tooltip" in layer["encoding"]]
        hovered = [layer for _, layer in layers_of(plot) if "params" in layer]
        assert len(hovered) == min(1, len(shown))
        for layer in hovered:
            assert layer["params"][0]["select"]["nearest"] is True
            titles = [json.dumps(field["title"]) for field in shown[-1]["encoding"]["tooltip"]]
            assert all(title in layer["encoding"]["tooltip"]["value"]["expr"] for title in titles)


@pytest.mark.parametrize("name", [n for n in figures() if figures()[n].needs == "curves"])
def test_nothing_is_drawn_beyond_the_longest_list(name):
    qrels, runs = campaign()
    curves = rankgauge.curves(qrels, runs, results(name).measures, depth=1000)
    longest = max(len(ranking) for run in runs.values() for ranking in run.values())
    most = max(longest, *(sum(grade > 0 for grade in judged.values()) for judged in qrels.values()))
    figure = figures()[name](curves)
    tables = [table for table in figure.data.values() if "rank" in table.headers]
    drawn_to = max(row[table.headers.index("rank")] for table in tables for row in table.rows)
    assert drawn_to <= (most if name == "crp" else longest)
    assert "1000" not in figure.caption
    assert "1,000" not in figure.caption
