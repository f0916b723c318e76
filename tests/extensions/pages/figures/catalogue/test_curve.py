"""Measures at every rank."""

import pytest

import rankgauge
from extensions.pages.figures.samples import curves, looks, many_runs, rows
from rankgauge import figures
from rankgauge.errors import OptionError
from rankgauge.extensions.pages.figures.drawing import MAX_POINTS, thin_ranks
from rankgauge.extensions.pages.figures.laws import encodings
from rankgauge.extensions.pages.figures.theme import MAX_HIGHLIGHTED, MAX_SERIES
from rankgauge.extensions.studies.simulation import examples


@pytest.mark.parametrize("normalise", ["no", "topics", "averages"])
def test_a_curve_is_the_mean_at_every_rank_with_the_ideal_beside_it(normalise):
    result = curves("nDCG DCG DCG(gains=exp2)")
    figure = figures.curve(result, normalise=normalise)
    for number, measure in enumerate(result.measures):
        table = rows(figure, f"curve {number + 1}")
        for run, vectors in result.mean(normalise).items():
            assert [row["value"] for row in table if row["run"] == run] == vectors[measure]
        best = result.mean_ideal()[measure]
        best = best if normalise == "no" else [1.0] * len(best)  # divided by itself it is 1
        ideal = [(row["rank"], row["value"]) for row in table if row["series"] == "ideal"]
        assert ideal == [*enumerate(best, 1)]


def test_the_curve_of_the_2002_paper():
    example = examples.load("jarvelin-2002")
    printed = example.expected["DCG(base=2)"]["G"]["1"]
    result = rankgauge.curves(example.qrels, example.runs, "DCG(base=2)", depth=len(printed))
    drawn_values = [row["value"] for row in rows(figures.curve(result)) if row["run"] == "G"]
    assert drawn_values == pytest.approx(printed, abs=0.011)  # printed digits are cut, not rounded


def ranges(figure):
    """The range of the vertical axis of each plot."""
    return [encoding["y"].get("scale", {}).get("domain") for _, encoding in encodings(figure.spec)]


def test_plots_that_can_be_compared_have_the_same_range():
    several = curves("DCG DCG(gains=exp2)")
    assert ranges(figures.curve(several, normalise="topics")) == [[0, 1]] * 2
    assert ranges(figures.curve(several, normalise="topics", ideal=False)) == [[0, 1]] * 2
    assert ranges(figures.curve(several)) == [None] * 2  # of other gains: each has its own
    shares = curves("P R")
    highest = max(value for run in shares.mean().values() for vector in run.values() for value in vector)
    assert ranges(figures.curve(shares, ideal=False)) == [[0, highest]] * 2
    assert ranges(figures.curve(curves("P"), ideal=False)) == [None]


def test_ten_runs_differ_in_colour_dash_or_shape_and_have_marks():
    runs = many_runs(MAX_SERIES)
    result = rankgauge.curves({"q": {"d1": 1}}, runs, "RR", depth=50)
    figure = figures.curve(result)
    marks = rows(figure, "marks 1")
    assert {row["series"] for row in marks} == {*runs}
    for row in marks:
        assert row["value"] == result.mean()[row["run"]]["RR"][row["rank"] - 1]
    (_, lines), (_, points) = encodings(figure.spec)
    for encoding, channel in ((points, "shape"), (lines, "strokeDash")):
        own = looks(encoding, "color", channel)
        assert len({own[run] for run in runs}) == MAX_SERIES
    assert not [*figures.curve(rankgauge.curves({"q": {"d1": 1}}, many_runs(7), "RR")).data][1:]


def test_a_band_is_that_of_the_curves():
    result = curves("P")
    figure = figures.curve(result, band=0.9)
    for run, bands in result.band(0.9).items():
        own = [row for row in rows(figure) if row["run"] == run]
        assert ([row["low"] for row in own], [row["high"] for row in own]) == bands["P"]
    assert "Bands are 90% confidence intervals of the mean." in figure.caption
    two = rankgauge.curves({"1": {"a": 1}, "2": {"a": 1}}, {"1": {"a": 1.0}, "2": {"b": 1.0}}, "P")
    assert "no bands: on fewer than 3 topics no interval is useful" in figures.curve(two, band=0.9).caption
    with pytest.raises(OptionError, match="apply to means over topics"):
        figures.curve(result, band=0.9, topic=result.topics[0])


def test_the_curve_of_a_topic_has_its_values_alone():
    result = curves("AP")
    figure = figures.curve(result, topic=result.topics[3], ideal=False)
    own = result.to_dict()
    for run in result.runs:
        values = [row["value"] for row in rows(figure) if row["run"] == run]
        assert values == own[run]["AP"][result.topics[3]]
    assert f"Topic {result.topics[3]}" in figure.spec["title"]["subtitle"][0]
    with pytest.raises(OptionError, match="no topic named 'q1'; use one of 101"):
        figures.curve(result, topic="q1")


def test_the_runs_that_are_highlighted_are_in_colour_and_no_others():
    result = rankgauge.curves({"q": {"d1": 1}}, many_runs(40), "RR", depth=50)
    figure = figures.curve(result, highlight=["r30", "r7"])
    entries = {row["run"]: row["series"] for row in rows(figure)}
    assert {run for run, series in entries.items() if series == run} == {"r30", "r7", "ideal"}
    assert {entries[f"r{i}"] for i in range(40) if i not in (7, 30)} == {"38 other runs"}
    assert "Of 40 runs, the highlighted ones are in colour, the others in grey." in figure.caption
    order = [*dict.fromkeys(row["series"] for row in rows(figure))]
    assert order == ["38 other runs", "r7", "r30", "ideal"]  # grey is drawn first, below
    many = [f"r{i}" for i in range(MAX_HIGHLIGHTED)]
    drawn = [encoding for _, encoding in encodings(figures.curve(result, highlight=many).spec)]
    (own,) = (looks(each, "color", "strokeDash") for each in drawn if "strokeDash" in each)
    assert len({own[run] for run in many}) == MAX_HIGHLIGHTED
    with pytest.raises(OptionError, match=f"at most {MAX_HIGHLIGHTED} runs can be highlighted, not 17"):
        figures.curve(result, highlight=[*many, "r20"])


def test_few_runs_are_all_in_colour_and_of_many_the_best_where_lower_may_be_better():
    runs = many_runs(MAX_SERIES)
    figure = figures.curve(rankgauge.curves({"q": {"d1": 1}}, runs, "RR", depth=50))
    assert {row["series"] for row in rows(figure, "curve 1")} == {*runs, "ideal"}
    for measure, best in (("RR", max), ("Unjudged", min)):
        result = rankgauge.curves({"q": {"d1": 1}}, many_runs(40), measure, depth=50)
        figure = figures.curve(result)
        entries = {row["series"] for row in rows(figure)}
        assert best(result.runs, key=lambda run: result.mean()[run][measure][-1]) in entries
        assert {"32 other runs", "ideal"} <= entries
        assert len(entries) == 10
        assert "Of 40 runs, the 8 best are in colour, the others in grey." in figure.caption


def test_runs_with_the_same_values_share_a_line_and_an_entry_of_the_legend():
    runs = many_runs(3)
    same = {**runs, **{f"copy {i}": runs["r1"] for i in range(3)}}
    figure = figures.curve(rankgauge.curves({"q": {"d1": 1}}, same, "RR", depth=5))
    assert figure.legend == ("r0", "r1 = copy 0 = copy 1 = 1 more", "r2", "ideal")
    assert "Runs joined by = have the same values." in figure.caption


def test_long_curves_are_drawn_at_some_ranks_and_say_so():
    ranks = thin_ranks(1_000_000, 100)
    assert ranks[:80] == [*range(1, 81)]
    assert ranks[-1] == 1_000_000
    assert ranks == sorted({*ranks})
    assert len(ranks) * 100 <= MAX_POINTS + 100
    assert thin_ranks(200, 1) == [*range(1, 201)]
    more = {f"x{i}": -float(i) for i in range(400)}
    runs = {run: {"q": more | own["q"]} for run, own in many_runs(150).items()}
    result = rankgauge.curves({"q": {"d1": 1}}, runs, "P", depth=400)
    figure = figures.curve(result)
    table = rows(figure)
    own = [(row["rank"], row["value"]) for row in table if row["run"] == "r149"]
    vector = result.mean()["r149"]["P"]
    assert own == [(rank, vector[rank - 1]) for rank, _ in own]
    assert own[-1][0] == 400
    assert f"Drawn at {len(own)} of 400 ranks." in figure.caption
    assert len(table) <= MAX_POINTS
