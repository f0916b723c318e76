"""The study of topic set sizes."""

from rankgauge.studies import Campaign, topics
from studies import small


def test_the_study_asks_for_more_topics_for_smaller_differences_more_systems_and_more_variance():
    rows = topics(small.campaign(), measures="AP", systems=(2, 20)).tables["topics"].rows
    by_way = {(row[2], row[3]): [r[5] for r in rows if r[2:4] == row[2:4]] for row in rows}
    assert set(by_way) == {("t", 2), ("anova", 2), ("anova", 20), ("interval", 2)}
    for counts in by_way.values():
        assert counts == sorted(counts, reverse=True)
    assert all(a <= b for a, b in zip(by_way["anova", 2], by_way["anova", 20], strict=True))
    within = topics(small.campaign(), measures="AP", systems=(2, 20), variance="within")
    assert all(a[5] <= b[5] for a, b in zip(rows, within.tables["topics"].rows, strict=True))


def test_runs_that_do_not_vary_need_two_topics():
    run = {"AP": {"1": 0.5, "2": 0.25, "3": 0.75}}
    findings = topics(Campaign.of_scores({"a": run, "b": run}))
    assert {row[5] for row in findings.tables["topics"].rows} == {2}
    assert {row[5] for row in findings.tables["detectable"].rows} == {0.0}
