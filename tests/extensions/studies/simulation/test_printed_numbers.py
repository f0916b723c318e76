"""Numbers printed in the literature, and the definitions behind them."""

import pytest

import rankgauge


@pytest.mark.parametrize(
    ("example", "run", "asked", "printed", "expected"),
    [
        ("lecture-ndcg", "system", "DCG@10", "16.80", "DCG(gains=exp2)@10"),
        ("lecture-ndcg", "system", "nDCG@6", "0.69", "nDCG(gains=exp2)@6"),
        ("jarvelin-2002", "G", "DCG@10", "9.61", "DCG(base=2)@10"),
        ("jarvelin-2002", "G", "DCG@6", "7.28", "DCG(base=2)@6"),
        ("clarke-2008", "bm25", "alpha_DCG(alpha=0)@3", "2.440", "alpha_DCG@3"),
        ("lecture-ap", "system-1", "AP@10", "0.66", "AP@10"),
    ],
)
def test_numbers_in_the_literature_are_found_under_the_definition_of_the_source(
    example, run, asked, printed, expected
):
    loaded = rankgauge.examples.load(example)
    qrels = loaded.subtopics if "alpha" in asked else loaded.qrels
    found = rankgauge.explain(qrels, loaded.runs[run], measure=asked, target=printed)
    assert found.matches[0].measure == expected
    assert found.matches[0].rules == {}
