"""The data of figures over ranks and recall are the values that they are of."""

import pytest

import rankgauge
from figures.samples import campaign, drawn, results, rows, views
from rankgauge import figures
from rankgauge.errors import OptionError
from rankgauge.figures.by_rank import kept_ranks
from rankgauge.figures.points import POINTS
from rankgauge.figures.theme import MOST
from rankgauge.simulation import examples


def curves(measures, depth=30, runs=None):
    qrels, found = campaign()
    return rankgauge.curves(qrels, runs or found, measures, depth=depth)


def many_runs(count):
    """{name: run}: the first is the best, the others ever worse."""
    return {f"r{i}": {"q": {"d1": 1.0, **{f"x{j}": 2.0 for j in range(i)}}} for i in range(count)}


def test_a_curve_is_the_mean_at_every_rank_with_the_ideal_beside_it():
    found = curves("nDCG DCG")
    figure = figures.curve(found)
    for number, measure in enumerate(found.measures):
        table = rows(figure, f"curve {number + 1}")
        for run, vectors in found.mean().items():
            assert [row["value"] for row in table if row["run"] == run] == vectors[measure]
        ideal = [(row["rank"], row["value"]) for row in table if row["series"] == "ideal"]
        assert ideal == [*enumerate(found.mean_ideal()[measure], 1)]


def test_the_curve_of_the_2002_paper():
    example = examples.load("jarvelin-2002")
    printed = example.expected["DCG(base=2)"]["G"]["1"]
    found = rankgauge.curves(example.qrels, example.runs, "DCG(base=2)", depth=len(printed))
    drawn_values = [row["value"] for row in rows(figures.curve(found)) if row["run"] == "G"]
    assert drawn_values == pytest.approx(printed, abs=0.011)  # printed digits are cut, not rounded


@pytest.mark.parametrize("normalise", ["topics", "averages"])
def test_shares_of_the_ideal_are_those_of_the_curves_and_the_ideal_is_left_out(normalise):
    found = curves("DCG")
    table = rows(figures.curve(found, normalise=normalise))
    for run, vectors in found.mean(normalise).items():
        assert [row["value"] for row in table if row["run"] == run] == vectors["DCG"]
    assert {row["run"] for row in table} == {*found.runs}


def test_a_band_is_that_of_the_curves():
    found = curves("P")
    figure = figures.curve(found, band=0.9)
    for run, bands in found.band(0.9).items():
        own = [row for row in rows(figure) if row["run"] == run]
        assert ([row["low"] for row in own], [row["high"] for row in own]) == bands["P"]
    assert "Bands hold the mean of more topics with a confidence of 90%." in figure.caption
    with pytest.raises(OptionError, match="are of means over topics"):
        figures.curve(found, band=0.9, topic=found.topics[0])


def test_the_curve_of_a_topic_has_its_values_alone():
    found = curves("AP")
    figure = figures.curve(found, topic=found.topics[3], ideal=False)
    own = found.to_dict()
    for run in found.runs:
        values = [row["value"] for row in rows(figure) if row["run"] == run]
        assert values == own[run]["AP"][found.topics[3]]
    assert f"Topic {found.topics[3]}" in figure.spec["title"]["subtitle"][0]
    with pytest.raises(OptionError, match="no topic is called 'q1'; there are '101'"):
        figures.curve(found, topic="q1")


def test_of_many_runs_the_best_are_in_colour_and_the_others_grey_and_said_to_be():
    found = rankgauge.curves({"q": {"d1": 1}}, many_runs(40), "RR", depth=50)
    figure = figures.curve(found, highlight=["r30"])
    table = rows(figure)
    entries = {row["run"]: row["series"] for row in table if row["run"]}
    assert entries["r0"] == "r0"  # the best
    assert entries["r30"] == "r30"  # the chosen
    assert {entries[f"r{i}"] for i in range(40) if i not in (0, 30)} == {"38 other runs"}
    assert "Of 40 runs the best and the chosen are in colour, the others in grey." in figure.caption
    order = [*dict.fromkeys(row["series"] for row in table)]
    assert order == ["38 other runs", "r0", "r30", "ideal"]  # grey is drawn first, below
    assert figures.curve(found).data  # nobody has to choose
    assert {row["series"] for row in rows(figures.curve(found))} == {
        "37 other runs",
        "r0",
        "r1",
        "r2",
        "ideal",
    }


def test_few_runs_are_all_in_colour_and_lower_may_be_better():
    runs = many_runs(MOST)
    figure = figures.curve(rankgauge.curves({"q": {"d1": 1}}, runs, "RR", depth=50))
    assert {row["series"] for row in rows(figure)} == {*runs, "ideal"}
    found = rankgauge.curves({"q": {"d1": 1}}, many_runs(MOST + 1), "Unjudged", depth=9)
    best = min(found.mean().items(), key=lambda item: item[1]["Unjudged"][-1])[0]
    assert best in {row["series"] for row in rows(figures.curve(found))}


def test_long_curves_are_drawn_at_some_ranks_and_say_so():
    ranks = kept_ranks(1_000_000, 100)
    assert ranks[:80] == [*range(1, 81)]
    assert ranks[-1] == 1_000_000
    assert ranks == sorted({*ranks})
    assert len(ranks) * 100 <= POINTS + 100
    assert kept_ranks(200, 1) == [*range(1, 201)]
    found = rankgauge.curves({"q": {"d1": 1}}, many_runs(150), "P", depth=400)
    figure = figures.curve(found)
    table = rows(figure)
    own = [(row["rank"], row["value"]) for row in table if row["run"] == "r149"]
    vector = found.mean()["r149"]["P"]
    assert own == [(rank, vector[rank - 1]) for rank, _ in own]
    assert own[-1][0] == 400
    assert f"Drawn at {len(own)} of the 400 ranks." in figure.caption
    assert len(table) <= POINTS


def test_averaged_precision_is_that_of_the_levels():
    found = results("pr")
    for row in rows(drawn("pr")):
        level = f"IPrec@{row['recall']:g}"
        assert row["precision"] == found.mean()[row["run"]][level]
    assert len(rows(drawn("pr"))) == 11 * len(found.runs)


def test_relevance_levels_stand_side_by_side():
    found = rankgauge.evaluate(*campaign(), "IPrec@0,1 IPrec(rel=2)@0,1")
    figure = figures.pr(found)
    assert figure.data.keys() == {"levels 1", "levels 2"}
    (first, *_) = [row for row in rows(figure, "levels 2") if row["run"] == "bm25"]
    assert first["precision"] == found.mean()["bm25"]["IPrec(rel=2)@0"]
    titles = [encoding["y"]["title"] for _, encoding in views(figure.spec)]
    assert titles == ["precision, IPrec", "precision, IPrec(rel=2)"]
    with pytest.raises(OptionError, match=r"of IPrec at recall levels.*not of AP"):
        figures.pr(rankgauge.evaluate(*campaign(), "AP"))


def test_the_saw_and_the_stairs_of_a_topic_follow_their_definitions():
    depth = 60
    found, (qrels, runs) = curves("P R InterpolatedP", depth), campaign()
    topic = found.topics[5]
    figure = figures.pr_topic(found, topic=topic)
    for run in found.runs:
        ranking = sorted(runs[run][topic], key=lambda d: (runs[run][topic][d], d.encode()), reverse=True)
        relevant = [qrels[topic].get(doc, 0) >= 1 for doc in ranking]
        base = sum(grade >= 1 for grade in qrels[topic].values())
        saw = {r["rank"]: (r["recall"], r["precision"]) for r in rows(figure, "saw") if r["run"] == run}
        for rank, (recall, precision) in saw.items():
            hits = sum(relevant[:rank])
            assert (recall, precision) == (hits / base, hits / rank)
        found_at = [rank for rank in range(1, depth + 1) if relevant[rank - 1]]
        assert {*found_at} | {rank - 1 for rank in found_at} - {0} | {1, depth} == saw.keys()
        stairs = [(r["rank"], r["precision"]) for r in rows(figure, "stairs") if r["run"] == run]
        assert [rank for rank, _ in stairs] == [0, *found_at]
        for rank, precision in stairs:
            later = range(max(rank, 1), len(ranking) + 1)
            assert precision == max(sum(relevant[:k]) / k for k in later)


@pytest.mark.parametrize("form", ["raw", "interpolated"])
def test_one_form_of_the_curve_is_drawn_alone(form):
    figure = figures.pr_topic(curves("P R InterpolatedP"), form=form)
    assert [*figure.data] == [{"raw": "saw", "interpolated": "stairs"}[form]]
    assert len([*views(figure.spec)]) == 1


def test_other_measures_are_refused_by_the_curve_of_a_topic():
    with pytest.raises(OptionError, match="of P, R and InterpolatedP, not of P, R"):
        figures.pr_topic(curves("P R"))


@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0])
def test_along_a_line_of_equal_f_the_harmonic_mean_is_the_same(beta):
    figure = drawn("pr-scatter", beta=beta)
    alpha = 1 / (1 + beta**2)
    table = rows(figure, "equal F")
    assert {row["F"] for row in table} == {i / 10 for i in range(1, 10)}
    for row in table:
        assert 0 <= row["recall"] <= 1
        assert 0 <= row["precision"] <= 1
        assert 1 / (alpha / row["precision"] + (1 - alpha) / row["recall"]) == pytest.approx(row["F"])
    for row in rows(figure, "ends"):
        assert 1 / (alpha / row["precision"] + (1 - alpha)) == pytest.approx(row["F"])


def test_points_of_precision_and_recall_are_means_or_values_of_topics():
    found = results("pr-scatter")
    for row in rows(drawn("pr-scatter"), "points"):
        assert {"R@10": row["x"], "P@10": row["y"]} == found.mean()[row["run"]]
    values = found.to_dict()
    points = rows(drawn("pr-scatter", of="topics"), "points")
    assert len(points) == len(found.runs) * len(found.topics)
    for row in points:
        own = values[row["run"]]
        assert (row["x"], row["y"]) == (own["R@10"][row["topic"]], own["P@10"][row["topic"]])
    with pytest.raises(OptionError, match=r"a precision and a recall.*not of AP, P@5"):
        figures.pr_scatter(rankgauge.evaluate(*campaign(), "AP P@5"))


def test_the_recall_base_is_marked_where_the_ideal_has_found_everything():
    qrels, _ = campaign()
    found = results("crp")
    for topic in found.topics[:4]:
        base = sum(grade >= 1 for grade in qrels[topic].values())
        figure = figures.crp(found, run="dense", topic=topic)
        assert rows(figure, "recall base") == ([{"rank": base}] if base <= found.depth else [])
        own = found.to_dict()["dense"]
        assert [row["value"] for row in rows(figure, "effort")] == own[found.measures[0]][topic]
        gains = [row["value"] for row in rows(figure, "gain") if row["series"] == "dense"]
        assert gains == own["DCG"][topic]
        ideal = [row["value"] for row in rows(figure, "gain") if row["series"] == "ideal"]
        assert ideal == found.ideal[1, found.topics.index(topic)].tolist()
