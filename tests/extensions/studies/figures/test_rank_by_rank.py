"""Effort rank by rank, and the shapes of its curves."""

import itertools
import json

import pytest

import rankgauge
from extensions.pages.figures.samples import campaign, results, rows
from rankgauge import Qrels, figures
from rankgauge.cli.main import main
from rankgauge.engines.local.reading import read_rankings
from rankgauge.engines.run_inputs import resolve_runs
from rankgauge.errors import OptionError
from rankgauge.extensions.studies import effort
from rankgauge.extensions.studies.figures.effort import (
    IDEAL,
    RANKINGS,
    N,
    archetype_values,
    judgments,
    ranking,
)
from rankgauge.model.rules import DocumentOrder


@pytest.mark.parametrize("first", [0, 1, 2, 3])
@pytest.mark.parametrize("count", [1, 2])
def test_a_topic_has_a_plot_whose_recall_base_is_where_the_ideal_has_found_everything(first, count):
    qrels, _ = campaign()
    result = results("crp")
    topics, own = result.topics[first : first + count], result.to_dict()["dense"]
    figure = figures.crp(result, run="dense", topic=topics)
    for number, topic in enumerate(topics, 1):
        suffix = f" {number}" if count > 1 else ""
        base = sum(grade >= 1 for grade in qrels[topic].values())
        assert rows(figure, f"recall base{suffix}") == ([{"rank": base}] if base <= result.depth else [])
        assert [row["value"] for row in rows(figure, f"effort{suffix}")] == own[result.measures[0]][topic]
        gains = {"dense": own["DCG"][topic], "ideal": result.ideal[1, result.topics.index(topic)].tolist()}
        for name, expected in gains.items():
            found = [row["value"] for row in rows(figure, f"gain{suffix}") if row["series"] == name]
            assert found == expected
    if count > 1:
        assert [panel["title"]["text"] for panel in figure.spec["concat"]] == [f"topic {t}" for t in topics]


def test_several_runs_are_lines_of_one_plot():
    result = results("crp")
    figure = figures.crp(result, run=["dense", "bm25"], topic=result.topics[2])
    own = result.to_dict()
    for run in ("bm25", "dense"):
        values = [row["value"] for row in rows(figure, "effort") if row["series"] == run]
        assert values == own[run][result.measures[0]][result.topics[2]]
    assert {row["series"] for row in rows(figure, "effort")} == {"bm25", "dense"}
    assert {row["series"] for row in rows(figure, "gain")} == {"bm25", "dense", "ideal"}
    assert "of dense, bm25, topic" in figure.title


@pytest.mark.parametrize("measure", ["CRP", "CRP(N=45,rel=2)"])
def test_the_full_scale_run_can_be_shown_without_being_given(measure, tmp_path):
    """Its curve ends at the most that CRP can be."""
    made = rankgauge.simulate(topics=3, depth=60, systems=1, seed=7)
    made.write(tmp_path)
    files = [str(tmp_path / "qrels.txt"), str(tmp_path / "runs/bm25.run")]
    options = ["-m", f"{measure} DCG R", "--topic", "101", "--run", "bm25", "--run", "full-scale"]
    assert main(["figure", "crp", *files, *options, "-o", str(tmp_path / "crp.json")]) == 0
    data = json.loads((tmp_path / "crp.json").read_text())["datasets"]["effort"]
    curve = [row["value"] for row in data if row["series"] == "full-scale"]
    length, rel = (60, 1) if measure == "CRP" else (45, 2)
    judged = {"101": made.qrels_dict()["101"]}
    (bound,) = effort.bounds(judged, length, rel=rel)
    assert (min(curve), curve[length - 1]) == (bound.least_crp, bound.most_crp)
    assert {row["series"] for row in data} == {"bm25", "full-scale"}


def test_runs_and_topics_that_are_not_there_are_named():
    with pytest.raises(OptionError, match="no run named 'bm52'"):
        figures.crp(results("crp"), run=["bm25", "bm52"])
    with pytest.raises(OptionError, match="no topic named 'q'"):
        figures.crp(results("crp"), topic=["101", "q"])


def test_there_is_a_ranking_for_every_archetype():
    assert {*RANKINGS} == {*effort.ARCHETYPES}


@pytest.mark.parametrize("name", RANKINGS)
def test_a_ranking_is_of_its_archetype(name):
    qrels, (run,) = Qrels.of(judgments()), resolve_runs({"1": ranking(name)})
    _, blocks = read_rankings(qrels, run, DocumentOrder())
    [(_, _, j)] = blocks
    assert [*effort.ARCHETYPES][effort.archetype_of(j, N=N)[0]] == name
    assert len(ranking(name)) == N


@pytest.mark.parametrize("name", RANKINGS)
def test_a_curve_is_the_cumulated_distance_from_the_ideal_interval(name):
    grades = [int(grade) for grade in RANKINGS[name].ljust(N, "0")]
    ideal = [int(grade) for grade in IDEAL.ljust(N, "0")]
    expected, total = [], 0
    for rank, grade in enumerate(grades, 1):
        places = [place for place, best in enumerate(ideal, 1) if best == grade]
        total += min(0, rank - min(places)) + max(0, rank - max(places))
        expected.append(total)
    figure = figures.archetypes()
    label = name[:-2] + " " + name[-1] if name[-2:] in ("-A", "-B") else name
    panel = next(title for title in figure.data if title.endswith(f") {label}"))
    assert [row["value"] for row in rows(figure, panel)] == expected


def test_ups_and_downs_are_below_0_twice_by_the_recall_base_and_stable_from_there_on():
    figure = figures.archetypes()
    curve = [row["value"] for row in rows(figure, "(f) ups-and-downs")]
    base = len(IDEAL)
    turns = [up for up, _ in itertools.groupby(value >= 0 for value in curve[:base])]
    assert turns == [False, True, False]
    assert {*curve[base:]} == {curve[base - 1]}


def test_the_values_are_those_that_the_paper_derives():
    """Figures 4 to 6: which values each archetype can have."""
    table = archetype_values()
    rows_of = (dict(zip(table.headers, row, strict=True)) for row in table.rows)
    values = {row["archetype"]: row for row in rows_of}
    base = len(IDEAL)
    for name in ("ideal", "excellent A", "excellent B", "ups-and-downs"):
        assert (values[name]["balance point"], values[name]["ρ"]) == (base, 1)
    for name in ("worst", "typical B"):
        assert values[name]["ρ"] == 0
    assert values["full-scale"]["balance point"] >= N - base + 1
    assert values["full-scale"]["ρ"] < 0.5
    assert values["typical A"]["ρ"] <= base / (base + 1)
    assert values["ideal"]["τ"] == 1
    assert values["worst"]["τ"] == 0
    assert values["full-scale"]["σ"] == 0
    assert all(row["τ"] == pytest.approx((row["ρ"] + row["σ"]) / 2) for row in values.values())


def test_the_caption_describes_every_shape():
    caption = figures.archetypes().caption
    assert all(description in caption for description in effort.ARCHETYPES.values())
    assert rows(figures.archetypes(), "recall base") == [{"rank": len(IDEAL)}]
