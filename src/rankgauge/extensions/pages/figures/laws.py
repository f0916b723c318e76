"""The laws of figures."""

from __future__ import annotations

import json
import math
import re
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from random import Random
from typing import Any
from xml.etree import ElementTree

from rankgauge.campaigns.campaign import Campaign
from rankgauge.campaigns.registry import STUDIES
from rankgauge.errors import OptionError, RankgaugeError
from rankgauge.extensions.pages.figures.drawing import Spec, alt
from rankgauge.extensions.pages.figures.figure import Figure
from rankgauge.extensions.pages.figures.registry import FIGURES, INPUTS, Plot
from rankgauge.extensions.pages.figures.specs import layers_of, plots_of
from rankgauge.model.output.tables import Table
from rankgauge.schema.json_text import to_json
from rankgauge.testing import examples
from rankgauge.testing.laws import Laws

DEPTH = 30
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
COLUMNS = {"x", "y", "low", "high", "q1", "q3", "value", "series", "name", "label"}  # which say nothing alone


@dataclass(frozen=True, eq=False)
class Sample:
    """A figure with results that it draws, and the options that it needs."""

    plot: Plot
    results: Any
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def of_runs(self) -> bool:
        """Whether it draws scores or curves."""
        return self.plot.needs in ("scores", "curves")

    @cached_property
    def figure(self) -> Figure:
        """The figure as it is drawn by default."""
        return self.draw()

    def draw(self, **looks: Any) -> Figure:
        """The figure with other looks or options."""
        return self.plot(self.results, **{**self.options, **looks})

    def of(self, qrels: Any, runs: Any) -> Any:
        """Results for the figure from another campaign."""
        make = examples.evaluate if self.plot.needs == "scores" else examples.curves
        return make(
            qrels, runs, self.results.measures, **({"depth": DEPTH} if make is examples.curves else {})
        )


LAWS: Laws[Sample] = Laws("figure")


def check_figure(
    name: str,
    results: Any = None,
    options: Mapping[str, Any] | None = None,
    *,
    laws: Iterable[str] | None = None,
) -> None:
    """Check that a registered figure obeys the laws of figures.

    Args:
        name: its name, such as "scatter"
        results: what it draws; by default made from a small campaign, except for a figure of a table
        options: those that it cannot be drawn without
        laws: the names of the laws to check; by default all

    """
    plot = FIGURES.find(name)
    if results is None:
        results = _results(plot)
    LAWS.check(name, Sample(plot, results, options or {}), laws, 1, 0)


@cache
def _results(plot: Plot) -> Any:
    """What a figure draws, made from a small campaign."""
    if plot.needs == "nothing":
        return None
    if plot.needs == "table":
        raise OptionError(f"the figure {plot.name} draws a table; pass one as `results`")
    campaign = Campaign(*examples.large_campaign())
    if plot.needs == "findings":
        return STUDIES[plot.defaults["study"]].call(campaign)
    measures = plot.defaults["measures"]
    return campaign.scores(measures) if plot.needs == "scores" else campaign.curves(measures, depth=DEPTH)


def encodings(spec: Spec) -> Iterator[tuple[str, Any]]:
    """(the name of its data, its encoding) for every mark of a specification."""
    for plot in plots_of(spec):
        yield from ((data, layer["encoding"]) for data, layer in layers_of(plot))


def fields(encoding: Any) -> set[str]:
    """The names of all columns that an encoding refers to."""
    if isinstance(encoding, dict):
        own = {encoding["field"]} if isinstance(encoding.get("field"), str) else set()
        return own.union(*(fields(part) for part in encoding.values()))
    return set().union(*(fields(part) for part in encoding)) if isinstance(encoding, list) else set()


def tooltips(spec: Spec) -> list[tuple[str, Any]]:
    """(the name of its data, its tooltip) for every mark that has one."""
    return [(data, encoding["tooltip"]) for data, encoding in encodings(spec) if "tooltip" in encoding]


def _cells(figure: Figure) -> set[Any]:
    return {cell for table in figure.data.values() for row in table.rows for cell in row}


def _refusal(plot: Plot, *results: Any, **options: Any) -> str:
    """The message with which a figure refuses results or options; "" if it does not."""
    try:
        plot(*results, **options)
    except RankgaugeError as error:
        return str(error)
    return ""


@LAWS.law("a figure has a title, a source, help, an example, and words for its options", random=False)
def _described(sample: Sample, _: Random) -> None:
    plot = sample.plot
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", plot.name), plot.name
    for part in ("title", "cite", "example"):
        assert getattr(plot, part), f"it has no {part}"
    assert plot.help.endswith("."), "the docstring is no sentence"
    assert plot.needs in INPUTS, f"it needs {plot.needs!r}, which is none of {', '.join(INPUTS)}"
    assert plot.defaults.keys() == {*INPUTS[plot.needs].options}, (
        "its defaults are not those of what it needs"
    )
    for parameter in plot.parameters:
        assert parameter.help, f"the option {parameter.name} has no help"
        assert parameter.kind.words, f"the kind of the option {parameter.name} has no words"


@LAWS.law("its specification is valid, and uses all of its tables", random=False)
def _valid(sample: Sample, _: Random) -> None:
    figure = sample.figure
    alt.Chart.from_dict({**figure.spec, "datasets": {}})  # raises if it is not what Vega-Lite takes
    used = [*encodings(figure.spec)]
    assert {data for data, _ in used} == figure.data.keys(), "a table is not drawn, or there is none"
    for data, encoding in used:
        unknown = fields(encoding) - {*figure.data[data].headers}
        assert not unknown, f"the table {data} has no column {', '.join(unknown)}"


@LAWS.law("the data of the specification are the tables", random=False)
def _data(sample: Sample, _: Random) -> None:
    figure = sample.figure
    assert figure.spec["datasets"].keys() == figure.data.keys()
    for data, table in figure.data.items():
        rows = [
            {
                header: None if isinstance(cell, float) and math.isnan(cell) else cell
                for header, cell in zip(table.headers, row, strict=True)
            }
            for row in table.rows
        ]
        assert figure.spec["datasets"][data] == rows, data


@LAWS.law("its words say which measures, and how many runs or topics", random=False)
def _words(sample: Sample, _: Random) -> None:
    figure, plot, results = sample.figure, sample.plot, sample.results
    heading = " ".join([*figure.spec["title"]["text"], *figure.spec["title"]["subtitle"]])
    assert figure.spec["description"] == figure.caption
    assert figure.caption.endswith("."), f"the caption is no sentence: {figure.caption}"
    if plot.needs == "findings":
        runs, topics = f"{results.settings['runs']} runs", f"{results.settings['topics']} topics"
        needs_runs = STUDIES[plot.defaults["study"]].least_runs > 0
        assert (f"{runs}, {topics}" if needs_runs else topics) in heading, heading
        assert needs_runs or "run" not in heading, heading
    elif sample.of_runs:
        named = [each for each in results.measures if each.partition("@")[0] in f"{heading} {figure.caption}"]
        assert len(named) >= min(2, len(results.measures)), f"a measure is not named: {heading}"
        assert "topic" in heading.lower(), f"topics are not mentioned: {heading}"


@LAWS.law("runs, measures and topics have their labels", lambda sample: sample.of_runs, random=False)
def _labels(sample: Sample, _: Random) -> None:
    results = sample.results
    labels = {
        **{run: f"System {run.upper()}" for run in results.runs},
        **{topic: f"Query {topic}" for topic in results.topics},
        **dict.fromkeys(results.measures, "M!"),
    }
    figure = sample.draw(labels=labels)
    words = f"{to_json(figure.spec)} {figure.caption}"
    bare = _cells(figure) & {*results.runs, *results.topics}
    assert not bare, f"without their labels: {bare}"
    assert "System " in words, "no run has its label"
    assert "M!" in words, "no measure has its label"
    heading = " ".join([figure.title, *figure.spec["title"]["subtitle"], figure.caption])
    for topic in results.topics:
        assert not re.search(rf"(?<!Query )\b{re.escape(topic)}\b", heading), heading


@LAWS.law(
    "runs and measures of findings have their labels", lambda s: s.plot.needs == "findings", random=False
)
def _labels_of_findings(sample: Sample, _: Random) -> None:
    named = {
        str(row[place])
        for table in sample.results.tables.values()
        for place, header in enumerate(table.headers)
        if header in ("run", "measure", "reference", "baseline")
        for row in table.rows
    }
    figure = sample.draw(labels={each: f"Label of {each}" for each in named})
    bare = _cells(figure) & named
    assert not bare, f"without their labels: {bare}"
    assert "Label of" in to_json(figure.spec) or not named


@LAWS.law("the same results are the same bytes", random=False)
def _repeatable(sample: Sample, _: Random) -> None:
    assert sample.figure.render("json") == sample.draw().render("json")


@LAWS.law("themes and widths change looks, and no data", random=False)
def _themes(sample: Sample, _: Random) -> None:
    plain = sample.figure.spec
    for theme, width in (("light", "page"), ("dark", "column")):
        spec = sample.draw(theme=theme, width=width).spec
        assert spec["datasets"] == plain["datasets"], f"{theme}, {width}"
        assert spec["config"] != plain["config"], f"{theme}, {width}"


@LAWS.law("a picture has the width of a column, and something in it", random=False)
def _picture(sample: Sample, _: Random) -> None:
    png = sample.figure.render("png", ppi=72)
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", png[16:24])
    assert 225 <= width <= 255, f"{width} points wide"
    assert 50 <= height <= 500, f"{height} points high"
    # far more than paper and ink: colours, and greys at the edges of letters
    assert len({*_pixels(png, width)}) > 30, "there is hardly anything in it"


def _pixels(png: bytes, width: int) -> Iterator[bytes]:
    data, at = b"", 8
    while at < len(png):
        (size,) = struct.unpack(">I", png[at : at + 4])
        if png[at + 4 : at + 8] == b"IDAT":
            data += png[at + 8 : at + 8 + size]
        at += 12 + size
    raw, line = zlib.decompress(data), 1 + 4 * width
    for start in range(0, len(raw), line):
        yield from (raw[i : i + 4] for i in range(start + 1, start + line, 4))


@LAWS.law("without a heading there is none", random=False)
def _bare(sample: Sample, _: Random) -> None:
    figure = sample.draw(headed=False)
    assert "title" not in figure.spec
    assert figure.title


def _hostile(sample: Sample) -> Sample:
    """The same figure of a campaign or a table whose names are hostile, also where options name them."""
    if sample.plot.needs == "table":
        texts = {cell: None for row in sample.results.rows for cell in row if isinstance(cell, str)}
        known = dict(zip(texts, HOSTILE[::-1], strict=False))
        rows = [[known.get(cell, cell) for cell in row] for row in sample.results.rows]
        return replace(sample, results=Table(sample.results.headers, rows))
    by_subtopic, runs = examples.large_campaign(topics=len(HOSTILE), systems=HOSTILE)
    names = dict(zip(by_subtopic, HOSTILE, strict=True))
    qrels = {
        names[topic]: {doc: grade for judged in subtopics.values() for doc, grade in judged.items()}
        for topic, subtopics in by_subtopic.items()
    }
    renamed = {run: {names[topic]: each for topic, each in found.items()} for run, found in runs.items()}
    known = dict(zip([*sample.results.runs, *sample.results.topics], HOSTILE[::-1], strict=False))
    options = {name: known.get(each, each) for name, each in sample.options.items()}
    return Sample(sample.plot, sample.of(qrels, renamed), options)


@LAWS.law("names are values, and nothing else", lambda s: s.of_runs or s.plot.needs == "table", random=False)
def _names(sample: Sample, _: Random) -> None:
    figure = _hostile(sample).draw()
    referred = set().union(*(fields(encoding) for _, encoding in encodings(figure.spec)))
    assert referred.isdisjoint(HOSTILE), "a name is taken for that of a column"
    ElementTree.fromstring(figure.render("svg"))  # which is well-formed, whatever the names
    assert _cells(figure) & {*HOSTILE}, "no name is shown as it is"


@LAWS.law("an odd campaign is drawn, or refused in words", lambda sample: sample.of_runs, random=False)
def _odd(sample: Sample, _: Random) -> None:
    relevant, nothing = {"q1": {"d1": 1}}, {"q1": {"d1": 0}}  # of the second, much is undefined
    one = {"a": {"q1": {"d9": 1.0}}}
    for qrels, runs in ((relevant, one), (relevant, {**one, "b": {"q1": {"d1": 1.0}}}), (nothing, one)):
        found = sample.of(qrels, runs)
        if message := _refusal(sample.plot, found):
            assert len(message) > 20, message
        else:
            assert b"<svg" in sample.plot(found).render("svg")


@LAWS.law("what a figure cannot take is refused in the same words", random=False)
def _refused(sample: Sample, _: Random) -> None:
    plot = sample.plot
    message = _refusal(plot, sample.results, **sample.options, colour="red")
    assert f"the figure {plot.name} has no option 'colour'" in message, message
    assert "theme, width" in message, message
    message = _refusal(plot, sample.results, **sample.options, theme="pink")
    assert "theme must be one of light, dark" in message, message
    if plot.needs != "nothing":
        for other in (None, 5, sample):
            message = _refusal(plot, other)
            assert re.search(rf"the figure {plot.name} draws .*; pass it", message), message
    if any(parameter.name == "highlight" for parameter in plot.parameters):
        message = _refusal(plot, sample.results, **{**sample.options, "highlight": "bm52"})
        assert re.search("no (run|line) named 'bm52'", message), message


@LAWS.law("what shows at the pointer has titles that readers know", random=False)
def _tooltips(sample: Sample, _: Random) -> None:
    shown = tooltips(sample.figure.spec)
    assert shown, "no mark has a tooltip"
    for _data, tooltip in shown:
        for each in tooltip:
            assert each["title"] not in COLUMNS, f"the title {each['title']!r} says nothing"
            assert "_" not in each["title"], f"the title {each['title']!r}"
            assert each["type"] == "nominal" or each["format"], f"{each['title']} has no format"
        assert len(tooltip) == 1 or any(each["type"] == "nominal" for each in tooltip), "it names nothing"


@LAWS.law("titles of axes are words, in at most three lines", random=False)
def _axes(sample: Sample, _: Random) -> None:
    for _data, encoding in encodings(sample.figure.spec):
        for axis in ("x", "y"):
            title = encoding.get(axis, {}).get("title") or ""
            lines = [title] if isinstance(title, str) else title
            assert len(lines) <= 3, lines
            assert not {*"{}_"} & {*" ".join(lines)}, lines


@LAWS.law("no name is cut short that fits in two lines", lambda sample: sample.of_runs, random=False)
def _whole_names(sample: Sample, _: Random) -> None:
    long = {
        run: f"{run}-with-query-expansion-and-reranking-by-a-cross-encoder" for run in sample.results.runs
    }
    for width in ("column", "page"):
        figure = sample.draw(labels=long, width=width)
        assert "cut short" not in figure.caption, width
        assert "…" not in figure.render("svg").decode(), width


@LAWS.law("on a page, every line has points to hover over", random=False)
def _hover(sample: Sample, _: Random) -> None:
    figure = sample.figure
    live = figure.live_spec
    alt.Chart.from_dict({**live, "datasets": {}})
    assert live["datasets"] is figure.spec["datasets"]
    for plain, plot in zip(plots_of(figure.spec), plots_of(live), strict=True):
        lines = [layer for _, layer in layers_of(plain) if layer["mark"]["type"] == "line"]
        shown = [layer for layer in lines if "tooltip" in layer["encoding"]]
        hovered = [layer for _, layer in layers_of(plot) if "params" in layer]
        assert len(hovered) == min(1, len(shown)), "a line has no points"
        for layer in hovered:
            assert layer["params"][0]["select"]["nearest"] is True
            titles = [json.dumps(each["title"]) for each in shown[-1]["encoding"]["tooltip"]]
            assert all(title in layer["encoding"]["tooltip"]["value"]["expr"] for title in titles)
