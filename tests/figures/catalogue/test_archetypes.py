"""The shapes of curves of effort."""

import pytest

from figures.samples import rows
from rankgauge import Qrels, figures
from rankgauge.engines.local.reading import read_rankings
from rankgauge.engines.run_inputs import resolve_runs
from rankgauge.figures.catalogue.archetypes import IDEAL, PANELS, RANKINGS, N, judgments, ranking
from rankgauge.model.document_order import DocumentOrder
from rankgauge.studies import effort


def test_there_is_a_ranking_for_every_archetype():
    assert [*RANKINGS] == [name for panel in PANELS.values() for name in panel]
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
    panel = next(title for title, names in PANELS.items() if name in names)
    assert [row["value"] for row in rows(figure, panel) if row["series"] == label] == expected


def test_the_caption_describes_every_shape():
    caption = figures.archetypes().caption
    assert all(description in caption for description in effort.ARCHETYPES.values())
    assert rows(figures.archetypes(), "recall base") == [{"rank": len(IDEAL)}]
