"""Precision at recall levels."""

import pytest

import rankgauge
from figures.samples import campaign, drawn, results, rows, views
from rankgauge import figures
from rankgauge.errors import OptionError


def test_averaged_precision_is_that_of_the_levels():
    result = results("pr")
    for row in rows(drawn("pr")):
        level = f"IPrec@{row['recall']:g}"
        assert row["precision"] == result.mean()[row["run"]][level]
    assert len(rows(drawn("pr"))) == 11 * len(result.runs)


def test_relevance_levels_stand_side_by_side():
    result = rankgauge.evaluate(*campaign(), "IPrec@0,1 IPrec(rel=2)@0,1")
    figure = figures.pr(result)
    assert figure.data.keys() == {"levels 1", "levels 2"}
    (first, *_) = [row for row in rows(figure, "levels 2") if row["run"] == "bm25"]
    assert first["precision"] == result.mean()["bm25"]["IPrec(rel=2)@0"]
    titles = [encoding["y"]["title"] for _, encoding in views(figure.spec)]
    assert titles == ["precision", "precision (rel = 2)"]
    with pytest.raises(OptionError, match=r"takes IPrec at recall levels.*not AP"):
        figures.pr(rankgauge.evaluate(*campaign(), "AP"))
