"""What holds for every figure in the registry."""

import pytest
from rankgauge.figures import figures

import rankgauge
from extensions.pages.figures.samples import OPTIONS, campaign, drawn, results
from rankgauge.errors import InputError, OptionError
from rankgauge.extensions.pages.figures.laws import HOSTILE, tooltips
from rankgauge.model.output.tables import Table
from rankgauge.testing import check_figure

OF_RUNS = [n for n in figures() if figures()[n].needs in ("curves", "scores")]
# crp shows one run, differences two, difficulty the quartiles of all
OF_ALL_RUNS = [n for n in OF_RUNS if n not in ("crp", "differences", "difficulty")]


@pytest.mark.parametrize("name", figures())
def test_every_figure_obeys_the_laws_of_figures(name, capfd):
    check_figure(name, results(name), OPTIONS.get(name))
    assert getattr(rankgauge.figures, name.replace("-", "_")) is figures()[name]
    assert capfd.readouterr().err == ""  # where Vega says what went wrong


def test_results_are_made_for_a_figure_that_draws_no_table():
    check_figure("curve")
    check_figure("scatter", laws=["the same results are the same bytes"])
    with pytest.raises(OptionError, match="the figure matrix draws a table; pass one as `results`"):
        check_figure("matrix")


@pytest.mark.parametrize("name", OF_RUNS)
def test_captions_name_the_sources_of_measures(name):
    assert any(source in drawn(name).caption for source in ("Manning", "Järvelin"))


@pytest.mark.parametrize("name", ["lines", "intervals", "matrix"])
def test_headers_of_tables_are_values_and_nothing_else(name):
    table = Table(("x\ny", *HOSTILE), [(run, *range(len(HOSTILE))) for run in HOSTILE])
    assert figures()[name](table).render("svg")


@pytest.mark.parametrize("name", [n for n in OF_RUNS if n not in ("differences", "significance")])
def test_one_run_one_topic_and_nothing_found_can_be_drawn(name):
    make = rankgauge.evaluate if figures()[name].needs == "scores" else rankgauge.curves
    run = {"a": {"q1": {"d9": 1.0}}}
    assert figures()[name](make({"q1": {"d1": 1}}, run, results(name).measures)).spec


def test_a_figure_of_points_needs_a_point():
    nothing = rankgauge.evaluate({"q1": {"d1": 0}}, {"a": {"q1": {"d9": 1.0}}}, "Twist AP")
    with pytest.raises(InputError, match="no point has both a defined effort and a defined gain"):
        figures()["effort-gain"](nothing)


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


def test_a_name_that_is_too_long_is_cut_and_the_caption_says_so():
    labels = {"dense": "a-very-long-name-" * 20}
    figure = drawn.__wrapped__("pr", labels=labels)
    assert figure.caption.endswith("1 long name cut short.")
    assert figure.render("svg").decode().count("…") == 1


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
