"""Figures as panels of one figure."""

import re

import altair
import pytest
from rankgauge.figures import Figure

import rankgauge
from extensions.pages.figures.samples import campaign, drawn, many_runs, results, scores_of
from rankgauge import figures
from rankgauge.errors import OptionError
from rankgauge.extensions.pages.figures.drawing import LOOKS
from rankgauge.extensions.pages.figures.figure import compose
from rankgauge.extensions.pages.figures.laws import encodings, fields
from rankgauge.extensions.pages.figures.specs import layers_of, plots_of
from rankgauge.model.output.tables import Table

KINDS = [*figures.figures()]


@pytest.fixture
def two():
    """The same kind of figure for two collections: other runs, other depths."""
    qrels, runs = campaign()
    names = [*runs]
    first = rankgauge.curves(qrels, {name: runs[name] for name in names[:2]}, "nDCG", depth=10)
    second = rankgauge.curves(qrels, {name: runs[name] for name in names[1:]}, "nDCG", depth=30)
    return [figures.curve(first), figures.curve(second)]


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("width", ["page", "column"])
def test_every_figure_can_be_a_panel(name, width):
    one = drawn(name)
    before = one.render("json")
    both = compose([one, one], ["here", "there"], width=width)
    assert isinstance(both, Figure)
    assert one.render("json") == before
    assert [*both.data.values()] == [*one.data.values()] * 2
    altair.Chart.from_dict({**both.spec, "datasets": {}})
    assert [*both.data] == [f"{letter} {data}" for letter in "ab" for data in one.data]
    assert both.spec["datasets"].keys() == both.data.keys() == {data for data, _ in encodings(both.spec)}
    for data, encoding in encodings(both.spec):
        assert fields(encoding) <= {*both.data[data].headers}
    assert [panel["title"]["text"] for panel in both.spec["concat"]] == [["(a) here"], ["(b) there"]]
    if width == "page":
        assert b"(a) here" in both.render("svg")


def test_axes_of_the_same_quantity_have_the_same_range(two):
    def ranges(figure, axis):
        return [
            layer["encoding"][axis]["scale"].get("domain")
            for plot in plots_of(figure.spec)
            for _, layer in layers_of(plot)
        ]

    both = compose(two)
    assert ranges(both, "x") == [[1, 30]] * 2
    assert ranges(both, "y") == [[0, 1]] * 2
    only_y = compose(two, shared=("y",))
    assert ranges(only_y, "x") == [None, None]
    # Two quantities: no common range.
    low = figures.scatter(scores_of([[[0.1, 0.2], [0.3, 0.4]]], ("AP", "RR")))
    high = figures.scatter(scores_of([[[0.5, 0.9], [0.3, 0.4]]], ("nDCG", "RR")))
    mixed = compose([low, high])
    assert ranges(mixed, "x") == [[0, 0.2], [0, 0.9]]
    assert ranges(mixed, "y") == [[0, 0.4]] * 2


def test_a_range_has_room_for_everything_drawn():
    one, other = (
        figures.lines(Table(("x", "y", "low", "high"), rows), low="low", high="high", rule=rule)
        for rows, rule in (([(1, 2.0, 1.5, 2.5), (2, 3.0, 2.0, 9.0)], 4.0), ([(5, 1.0, -7.0, 2.0)], 12.0))
    )
    for plot in plots_of(compose([one, other]).spec):
        scales = [layer["encoding"]["y"]["scale"]["domain"] for _, layer in layers_of(plot)]
        assert scales == [[-7.0, 12.0]] * 3


def test_a_run_looks_the_same_in_every_panel_and_like_no_other(two):
    both = compose(two)
    for channel in ("color", "strokeDash"):
        one, other = (encoding[channel]["scale"] for _, encoding in encodings(both.spec))
        assert one == other
        assert one["domain"] == ["bm25", "dense", "hybrid", "ideal"]
        assert len({str(look) for look in one["range"]}) == 4
    for _, encoding in encodings(both.spec):
        assert encoding["color"]["legend"] is not None


def test_marks_of_one_panel_are_in_the_legend_of_all(two):
    many = rankgauge.curves({"q": {"d1": 1}}, many_runs(9), "nDCG", depth=20)
    both = compose([two[0], figures.curve(many)])
    for _, encoding in encodings(both.spec):
        shown = {channel for channel in LOOKS if encoding.get(channel, {}).get("legend")}
        assert shown == {"color", "shape"} & encoding.keys()
        assert encoding["color"]["scale"]["domain"][-1] == "ideal"
        if "strokeDash" in encoding:
            dashes = encoding["strokeDash"]["scale"]
            looks = dict(zip(dashes["domain"], map(tuple, dashes["range"]), strict=True))
            assert looks["bm25"] == (1, 0)
            assert looks["ideal"] == (1, 2.5)


def test_long_names_of_rows_leave_less_room_for_plots():
    short, long = (
        figures.distribution(results("distribution"), labels={"bm25": label}) for label in ("b", "b" * 60)
    )
    for width, points in (("column", 240), ("page", 504)):
        picture = compose([long, long], width=width).render("svg").decode()
        assert float(re.search(r'width="([\d.]+)"', picture)[1]) <= points * 1.05
    assert compose([long]).spec["concat"][0]["width"] < compose([short]).spec["concat"][0]["width"]


def test_a_legend_that_is_not_of_series_is_as_wide_as_in_the_figures():
    one = drawn("differences")
    assert one.legend == ("helps", "hurts")
    assert compose([one, one]).spec["config"]["legend"]["columns"] == 2


def test_kinds_of_figure_keep_their_ranges_apart():
    both = compose([drawn("archetypes"), drawn("crp")])
    ranges = {
        data: encoding["x"]["scale"]["domain"]
        for data, encoding in encodings(both.spec)
        if "scale" in encoding.get("x", {})
    }
    assert ranges["a (g) typical A"] == [1, 40]
    assert ranges["b effort"] == [1, 30]


def test_panels_of_one_run_each_have_a_legend():
    qrels, runs = campaign()
    one, other = (
        figures.scatter(rankgauge.evaluate(qrels, {name: runs[name]}, "AP RR")) for name in ("bm25", "dense")
    )
    assert all(enc["color"]["legend"] is None for _, enc in encodings(one.spec))
    both = compose([one, other])
    assert all(enc["color"]["legend"] for _, enc in encodings(both.spec))
    assert {enc["color"]["scale"]["range"][0] for _, enc in encodings(both.spec)} == {
        one.style.colours.series[0]
    }


def test_a_caption_has_what_panels_share_once_and_the_rest_by_letter(two):
    one = drawn("crp")
    qrels, runs = campaign()
    dense = figures.crp(rankgauge.curves(qrels, {"dense": runs["dense"]}, "CRP DCG R", depth=30))
    caption = compose([one, dense]).caption
    assert caption.count("CRP is cumulated relative position") == 1
    assert caption.startswith(f"(a) {one.title}; (b) {dense.title}.")
    assert f"(b) {dense.sentences[0]}" in caption


def test_letters_and_titles_can_be_left_out(two):
    plain = compose(two, ["", ""], letters=False, headed=False)
    assert all("title" not in panel for panel in plain.spec["concat"])
    assert "title" not in plain.spec
    assert compose(two, title="Two collections").spec["title"]["text"] == ["Two collections"]
    assert plots_of(compose(two * 14).spec)[27]["title"]["text"] == ["(ab)"]


def test_columns_are_what_fits_or_what_is_given(two):
    assert compose(two).spec["columns"] == 2
    assert compose(two * 3).spec["columns"] == 3
    assert compose(two, width="column").spec["columns"] == 1
    narrow, wide = compose(two * 2, columns=4), compose(two * 2)
    assert narrow.spec["columns"] == 4
    assert narrow.spec["concat"][0]["width"] < wide.spec["concat"][0]["width"]


@pytest.mark.parametrize("kind", ["curve", "crp", "effort-gain", "lines"])
@pytest.mark.parametrize(("width", "points"), [("column", 240), ("page", 504)])
def test_panels_fit_the_width_of_print(kind, width, points):
    picture = compose([drawn(kind)] * 3, width=width).render("svg").decode()
    assert points * 0.9 <= float(re.search(r'width="([\d.]+)"', picture)[1]) <= points * 1.02


def test_panels_of_panels_are_stacked(two):
    nested = compose([compose(two), two[0]])
    assert {"a a curve 1", "a b curve 1", "b curve 1"} == nested.data.keys()
    assert nested.spec["concat"][0]["columns"] == 1
    assert b"<svg" in nested.render("svg")


def test_what_cannot_be_composed_is_refused(two):
    other = [two[0], figures.curve(results("curve"), theme="dark")]
    for given, options, message in (
        ([], {}, "at least one figure"),
        (two, {"titles": ["one"]}, "give 2 titles, not 1"),
        (two, {"shared": ("x", "z")}, "axes x and y, not 'z'"),
        (two, {"columns": 0}, "columns must be"),
        (other, {}, "one theme"),
        (two, {"width": "wide"}, "width must be one of column, page"),
    ):
        with pytest.raises(OptionError, match=message):
            compose(given, **options)
