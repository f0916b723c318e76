"""Labels of language models: JSON lines, CSV, journals, and what umbrela writes."""

import json

import pytest

from rankgauge import Qrels
from rankgauge.errors import InputError

ROW = {"query_id": "q1", "doc_id": "d1", "judge": "gpt-4o", "repeat": 1, "reason": "it says so, twice"}


@pytest.mark.parametrize("name", ["grade", "label", "judgment", "relevance"])
def test_labels_in_json_lines_have_a_judge(name, write):
    rows = [ROW | {name: 2}, ROW | {"doc_id": "d2", name: "0"}]
    qrels = Qrels.read(write("labels.jsonl", "".join(json.dumps(row) + "\n" for row in rows)))
    assert qrels.to_dict() == {"q1": {"d1": 2, "d2": 0}}
    assert qrels.iterations.texts() == ["gpt-4o", "gpt-4o"]


def test_labels_in_csv_have_a_judge(write):
    qrels = Qrels.read(write("labels.csv", 'query_id,doc_id,label,judge,reason\nq1,d1,2,gpt-4o,"a, b"\n'))
    assert (qrels.to_dict(), qrels.iterations.texts()) == ({"q1": {"d1": 2}}, ["gpt-4o"])


def test_a_journal_of_grades_is_read_and_another_has_its_command_named(write):
    grade = '{"time": "2026-11-16", "assessor": "gpt-4o", "topic": "q1", "document": "d1", "grade": 2}\n'
    qrels = Qrels.read(write("journal.jsonl", grade))
    assert (qrels.to_dict(), qrels.iterations.texts()) == ({"q1": {"d1": 2}}, ["gpt-4o"])
    with pytest.raises(InputError, match="`rankgauge convert JOURNAL QRELS` writes"):
        Qrels.read(write("skipped.jsonl", grade + grade.replace('"grade": 2', '"skip": true')))


def test_requests_of_umbrela_have_judged_candidates(write):
    candidates = [
        {"docid": f"d{n}", "doc": {"segment": "some text"}, "score": 9.5 - n, "judgment": n} for n in (1, 3)
    ]
    rows = [{"query": {"qid": f"q{n}", "text": "a question"}, "candidates": candidates} for n in (1, 2)]
    path = write("judged.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    assert Qrels.read(path).to_dict() == {"q1": {"d1": 1, "d3": 3}, "q2": {"d1": 1, "d3": 3}}


def test_records_of_umbrela_without_ids_are_refused(write):
    row = {"model": "gpt-4o", "query": "how long", "passage": "The life cycle of a flea", "judgment": 3}
    with pytest.raises(
        InputError, match="the texts of queries and passages, as umbrela writes them, and no ids"
    ):
        Qrels.read(write("judgments.jsonl", json.dumps(row) + "\n"))
