"""The worked examples agree with what their papers print, by slow plain formulas."""

import subprocess
import sys

import pytest

from rankgauge.errors import OptionError
from rankgauge.extensions.studies.simulation import examples


def ranking(run, topic):
    return sorted(run[topic], key=lambda document: -run[topic][document])


def grades(example, run, topic):
    return [example.qrels[topic].get(d, 0) for d in ranking(example.runs[run], topic)]


def recall_base(example, topic):
    return sorted((g for g in example.qrels[topic].values() if g > 0), reverse=True)


def test_the_ideal_vector_of_2002_is_the_recall_base():
    example = examples.load("jarvelin-2002")
    assert recall_base(example, "1") == [3, 3, 3, 2, 2, 2, 1, 1, 1, 1]
    assert grades(example, "G", "1") == [3, 2, 3, 0, 0, 1, 2, 2, 3, 0]


def test_the_grade_of_a_document_is_the_number_of_questions_it_answers():
    example = examples.load("clarke-2008")
    for document, grade in example.qrels["85"].items():
        assert grade == sum(document in answered for answered in example.subtopics["85"].values())
    best = grades(example, "by-number", "85")
    assert best == sorted(best, reverse=True)


@pytest.mark.parametrize("name", examples.names())
def test_every_example_is_complete(name):
    example = examples.load(name)
    assert example.title
    assert example.source
    assert example.note
    assert example.expected
    for run, topics in example.runs.items():
        assert topics.keys() == example.qrels.keys(), run
        for topic, scores in topics.items():
            assert list(scores.values()) == [float(n) for n in range(len(scores), 0, -1)]
            assert scores.keys() <= example.qrels[topic].keys()
    for topics in example.expected.values():
        assert topics.keys() <= example.runs.keys()


def test_an_example_belongs_to_who_loads_it():
    examples.load("sakai-2006").qrels.clear()
    assert examples.load("sakai-2006").qrels


def test_an_unknown_example_is_named_with_the_nearest():
    with pytest.raises(OptionError, match="'sakai-2007' \\(did you mean sakai-2006"):
        examples.load("sakai-2007")


def test_examples_do_not_need_numpy():
    code = (
        "import sys; from rankgauge.extensions.studies.simulation import examples; "
        "examples.load('ferro-2016'); sys.exit('numpy' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
