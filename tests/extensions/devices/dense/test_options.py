"""The options of dense retrieval: one bundle, in all functions."""

import inspect

import numpy as np
import pytest

from rankgauge.errors import OptionError
from rankgauge.extensions.devices import dense
from rankgauge.extensions.devices.dense.documents import SEARCH, Options

ARGUMENTS = {"queries": np.eye(2), "documents": np.eye(2)}
QRELS = {"0": {"1": 1}}


@pytest.mark.parametrize("name", ["similarty", "back_end", "run_format"])
@pytest.mark.parametrize("verb", ["evaluate", "count", "retrieve"])
def test_an_unknown_option_is_an_error_that_lists_the_others(verb, name):
    arguments = ARGUMENTS if verb == "retrieve" else {"qrels": QRELS, **ARGUMENTS}
    expected = rf"has no option '{name}'.*query_ids, doc_ids, similarity, exclude"
    with pytest.raises(OptionError, match=expected) as caught:
        getattr(dense, verb)(**arguments, **{name: "cosine"})
    assert ("did you mean similarity?" in str(caught.value)) == (name == "similarty")


def test_rules_of_topics_are_no_options_of_a_run():
    with pytest.raises(OptionError, match=r"dense\.retrieve has no option 'missing'"):
        dense.retrieve(**ARGUMENTS, missing="zero")


def test_spark_names_its_own_options():
    from rankgauge.extensions.devices.dense import spark

    for name in ("block", "progress", "doc_ids"):
        with pytest.raises(OptionError, match=rf"dense\.spark\.evaluate has no option '{name}'"):
            spark.evaluate(QRELS, np.eye(2), None, **{name: None})


def test_every_option_is_documented():
    text = inspect.getdoc(dense.evaluate)
    rules = {"order", "score_precision", "duplicates", "missing", "undefined"}  # of `rankgauge.evaluate`
    assert [name for name in Options.__annotations__ if name not in text and name not in rules] == []


@pytest.mark.parametrize("name", Options.__annotations__)
def test_every_option_is_taken(name):
    given = {**SEARCH, "names": "canonical", "qrels_format": None, "qrels_columns": None}
    given |= {"grades": None, "order": "score", "ties": "docid_asc", "score_precision": "single"}
    given |= {"duplicates": "error", "missing": "zero", "undefined": "zero"}
    scores = dense.evaluate(QRELS, **ARGUMENTS, measures="RR", **{name: given[name]})
    assert scores.mean() == {"run": {"RR": 0.5}}
