"""The shapes of curves of effort."""

import pytest

from figures.samples import rows
from rankgauge import Qrels, figures
from rankgauge.engines.local.reading import read_rankings
from rankgauge.engines.run_inputs import resolve_runs
from rankgauge.figures.catalogue import archetypes
from rankgauge.figures.catalogue.archetypes import IDEAL, RANKINGS, N, judgments, ranking
from rankgauge.model.document_order import DocumentOrder
from rankgauge.studies import effort


def test_there_is_a_ranking_for_every_archetype():
    assert {*RANKINGS} == {*effort.ARCHETYPES}


@pytest.mark.parametrize("name", RANKINGS)
def test_a_ranking_is_of_its_archetype(name):
    qrels, (run,) = Qrels.of(judgments()), resolve_runs({"1": ranking(name)}, None, None)
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


def test_the_values_are_those_that_the_paper_derives():
    """Figures 4 to 6: which values each archetype can have."""
    table = archetypes.values()
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
