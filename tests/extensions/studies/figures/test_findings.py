"""Figures of studies."""

import json

import pytest
from rankgauge.studies import Campaign

import rankgauge
from extensions.pages.figures.samples import SIZES, STUDIES, campaign, drawn, rows, studied
from rankgauge import figures, simulate, studies
from rankgauge.cli.main import main
from rankgauge.errors import InputError, OptionError
from rankgauge.extensions.pages.figures.laws import encodings
from rankgauge.model.subtopics import SubtopicQrels


@pytest.mark.parametrize(("depth", "shown"), [(None, 5), (10, 10)])
def test_gains_are_those_of_the_study_at_one_depth(depth, shown):
    gains = {
        (row["run"], row["alpha"]): row["gain in %"]
        for row in studied("alpha").records("gains")
        if row["depth"] == shown
    }
    figure = drawn("alpha-gain", depth=depth)
    assert {(row["name"], row["x"]): row["y"] for row in rows(figure, "lines")} == gains
    assert f"nDCG@{shown}" in figure.title


def test_a_depth_that_the_study_does_not_have_is_refused():
    with pytest.raises(OptionError, match="depth must be one of 5, 10, not 7"):
        drawn("alpha-gain", depth=7)


@pytest.mark.parametrize("run", ["dense", None])
def test_one_run_has_a_line_for_each_depth(run):
    findings = studied("alpha")
    if run is None:  # the only one that is compared
        qrels = SubtopicQrels.of(simulate(**SIZES, subtopics=4).subtopics_dict())
        runs = {name: campaign()[1][name] for name in ("bm25", "dense")}
        findings = studies.alpha(Campaign(qrels, runs), **STUDIES["alpha"])
    figure = figures.alpha_gain(findings, **({"run": run} if run else {}))
    gains = {
        (f"depth {row['depth']}", row["alpha"]): row["gain in %"]
        for row in findings.records("gains")
        if row["run"] == "dense"
    }
    assert {(row["name"], row["x"]): row["y"] for row in rows(figure, "lines")} == gains
    assert figure.title == "α-nDCG: gain of dense over bm25"
    assert {row["series"] for row in rows(figure, "lines")} == {"depth 5", "depth 10"}
    one = figures.alpha_gain(findings, run="dense", depth=10)
    assert one.title == "α-nDCG@10: gain of dense over bm25"
    with pytest.raises(OptionError, match="no run that is compared with the baseline named 'bm25'"):
        figures.alpha_gain(findings, run="bm25")


def test_asl_curves_have_every_pair_and_power_and_delta_in_the_legend():
    result = studied("power")
    lines = rows(drawn("asl", near=False), "lines")
    power = {row["measure"]: row for row in result.records("power") if row["alpha"] == 0.05}
    for measure, row in power.items():
        legend = f"{measure} ({row['percent'].text} %, Δ {row['delta'].text}, sd {row['delta sd'].text})"
        own = [(line["x"], line["y"], line["low"], line["high"]) for line in lines if line["name"] == legend]
        expected = [row for row in result.records("curve") if row["measure"] == measure]
        assert own == [(row["pair"], row["asl"], row["low"], row["high"]) for row in expected]
        assert len(own) == 3
    assert rows(drawn("asl"), "rule") == [{"y": 0.05}]


def test_the_only_pair_of_runs_is_a_point():
    scored = Campaign(*campaign()).only(Campaign(*campaign()).runs[:2])
    marks = [layer["mark"]["type"] for layer in figures.asl(studies.power(scored, samples=20)).spec["layer"]]
    assert "point" in marks
    layers = drawn("asl").spec["layer"]
    assert "point" not in [layer["mark"]["type"] for layer in layers]


def test_asl_curves_show_where_significance_is_decided_and_axes_of_other_numbers_of_pairs_differ():
    drawings = []
    for systems in (8, 6):
        made = rankgauge.simulate(topics=30, depth=60, systems=systems, seed=7)
        scored = Campaign(made.qrels_dict(), {name: made.run_dict(name) for name in made.systems})
        result = studies.power(scored, measures="AP nDCG", gains="exp2", samples=400, repeats=1)
        near, whole = figures.asl(result), figures.asl(result, near=False)
        levels = [(row["pair"], row["asl"]) for row in result.records("curve")]
        assert {(row["x"], row["y"]) for row in rows(whole, "lines")} == {*levels}
        end = max(pair for pair, level in levels if level >= 0.005) + 1
        kept = {(pair, level) for pair, level in levels if level <= 0.2 and pair <= end}
        assert {(row["x"], row["y"]) for row in rows(near, "lines")} == kept < {*levels}
        assert "Left out: levels above 0.2" in near.caption
        assert "Left out" not in whole.caption
        assert "Gains: exp2." in near.caption
        drawings.append(near)
    domains = [
        encoding["x"]["scale"]["domain"]
        for _, encoding in encodings(figures.compose(drawings).spec)
        if "x" in encoding
    ]
    assert domains == [
        [min(xs), max(xs)] for each in drawings for xs in [[row["x"] for row in rows(each, "lines")]]
    ]


def test_gains_are_conditions_of_their_own_and_a_measure_without_gains_has_one_line():
    scored = Campaign(*campaign())
    result = studies.power(scored, measures="nDCG AP", gains=["linear", "exp2"], samples=20)
    labels = [*dict.fromkeys(row["name"] for row in rows(figures.asl(result), "lines"))]
    assert sorted(label.partition(" (")[0] for label in labels) == ["AP", "nDCG exp2", "nDCG linear"]


def test_a_single_test_has_no_band_and_no_spread_and_an_unknown_delta_is_left_out():
    scored = Campaign(*campaign())
    drawn_once = figures.asl(studies.power(scored, measures="nDCG", repeats=1, samples=40))
    assert "low" not in rows(drawn_once, "lines")[0]
    assert all("Δ" in row["name"] and "sd" not in row["name"] for row in rows(drawn_once, "lines"))
    unknown = figures.asl(studies.power(scored, measures="nDCG", samples=10, alphas=0.01))
    assert not any("Δ" in row["name"] for row in rows(unknown, "lines"))


@pytest.mark.parametrize("coefficient", ["tau_b", "tau_a", "tau_ap", "tau_w", "rbo"])
def test_a_correlation_matrix_has_the_coefficients_of_the_study(coefficient):
    result = {
        row["measure"]: {name: row[name] for name in row if name != "measure"}
        for row in studied("correlation").records(coefficient)
    }
    for cell in rows(drawn("correlation", coefficient=coefficient)):
        assert cell["value"] == result[cell["row"]][cell["column"]]


def test_there_is_a_line_for_each_alpha_with_the_values_of_the_study():
    points = {(row["series"], row["x"]): row["y"] for row in rows(drawn("reversed-ideal"), "lines")}
    ranks = studied("reversed-ideal").records("ranks")
    assert points == {
        (name.replace("alpha", "α ="), row["rank"]): value
        for row in ranks
        for name, value in row.items()
        if name != "rank"
    }


def test_the_ideal_is_a_line_at_1_above_its_reversal():
    figure = drawn("reversed-ideal")
    assert rows(figure, "rule") == [{"y": 1}]
    assert "The ideal ranking has 1 at every rank, the horizontal line." in figure.caption


def test_no_runs_are_needed_and_those_given_play_no_part(tmp_path, monkeypatch, invoke):
    rankgauge.simulate(topics=4, depth=20, systems=1, subtopics=3, seed=7).write(tmp_path)
    monkeypatch.chdir(tmp_path)
    command = ["figure", "reversed-ideal", "qrels.diversity.txt"]
    assert main([*command, "-o", "a.json", "--depth", "5"]) == 0
    assert main([*command, "runs/bm25.run", "-o", "b.json", "--depth", "5"]) == 0
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    alone = ["study", "reversed-ideal", "qrels.diversity.txt", "--depth", "3", "--table", "ranks"]
    assert len(invoke(*alone).out.splitlines()) > 3


def test_robustness_has_the_spread_over_shuffles_and_1_with_all_judgments():
    result = {(row["measure"], row["percent"]): row for row in studied("robustness").records("spread")}
    points = rows(drawn("robustness"), "lines")
    assert len(points) == len(result) + 2
    for point in points:
        own = (point["y"], point["low"], point["high"])
        if point["x"] == 100:
            assert own == (1, 1, 1)
        else:
            row = result[point["name"], point["x"]]
            assert own == (row["mean"], row["min"], row["max"])


def test_a_sweep_runs_over_the_parameter_that_varies_with_a_line_for_each_reference():
    result = {(row["measure"], row["reference"]): row for row in studied("correlation").records("sweep")}
    texts = {0.1: "Q(beta=0.1)", 1.0: "Q", 10.0: "Q(beta=10)"}
    figure = drawn("sweep")
    for name, reference in {"with AP": "AP", "with β = 1": "Q"}.items():
        points = [point for point in rows(figure, "lines") if point["series"] == name]
        assert [point["x"] for point in points] == [*texts]
        for point in points:
            row = result[texts[point["x"]], reference]
            assert (point["y"], point["low"], point["high"]) == (row["tau_b"], row["low"], row["high"])
    assert len(rows(figure, "lines")) == 6
    assert axes(figure) == {("β", "Kendall's τ")}
    assert "tau_b" not in json.dumps(figure.spec)
    assert "order of runs by Q and that by AP or β = 1, for each value of β" in figure.caption


def axes(figure):
    """The titles of both axes, wherever they are set."""
    return {(encoding["x"]["title"], encoding["y"]["title"]) for _, encoding in encodings(figure.spec)}


def test_a_sweep_has_a_line_for_any_measure_that_is_asked_for():
    result = studies.correlation(
        Campaign(*campaign()), measures="nDCG(base=2|3|10)", reference="RR P@10", samples=0
    )
    figure = figures.sweep(result)
    lines = {point["series"] for point in rows(figure, "lines")}
    assert lines == {"with P@10", "with RR", "with base = 2"}
    only = studies.correlation(Campaign(*campaign()), measures="Q(beta=1|10)", reference="Q", samples=0)
    assert axes(figures.sweep(only)) == {("β", "Kendall's τ with Q")}


def test_several_parameters_make_a_line_for_each_of_the_others():
    result = studies.correlation(Campaign(*campaign()), measures="AP nDCG(gains=linear|exp2)@5|10", samples=0)
    points = rows(figures.sweep(result), "lines")
    assert {(point["series"], point["x"]) for point in points} == {
        (name, cutoff)
        for name in (
            "nDCG with AP",
            "nDCG with cutoff = 5",
            "nDCG(gains=exp2) with AP",
            "nDCG(gains=exp2) with nDCG@5",
        )
        for cutoff in (5, 10)
    }
    with pytest.raises(OptionError, match="has no numeric parameter 'gains'"):
        figures.sweep(result, parameter="gains")


def test_without_a_grid_there_is_no_sweep():
    result = studies.correlation(Campaign(*campaign()), measures="AP RR", samples=0)
    with pytest.raises(InputError, match="there is no sweep"):
        figures.sweep(result)
