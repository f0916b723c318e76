"""The command `rankgauge decide`."""

import json

import pytest

from rankgauge.extensions.judging import decide

LLM = {f"q{n}": {f"d{k}": (n + k) % 3 for k in range(6)} for n in range(4)}
RUNS = {
    "new": {topic: {f"d{k}": 6.0 - k for k in range(6)} for topic in LLM},
    "old": {topic: {f"d{k}": 1.0 + k for k in range(6)} for topic in LLM},
}


@pytest.fixture
def files(write):
    llm = "".join(f"{topic} 0 {doc} {grade}\n" for topic, of in LLM.items() for doc, grade in of.items())
    runs = (
        "".join(f"{t} Q0 {doc} 1 {score} {run}\n" for t, of in topics.items() for doc, score in of.items())
        for run, topics in RUNS.items()
    )
    return [str(write(*each)) for each in zip(("llm.txt", "new.run", "old.run"), (llm, *runs), strict=True)]


def test_the_command_is_the_function(files, invoke):
    for words, options in (
        ((), {}),
        (
            ("-m", "P@3", "--batch", "5", "--budget", "9", "--seed", "3"),
            {"measure": "P@3", "batch": 5, "budget": 9, "seed": 3},
        ),
        (("--human-qrels", files[0], "--margin", "0.4"), {"human_qrels": LLM, "margin": 0.4}),
    ):
        found = decide(LLM, RUNS, **options)
        printed = json.loads(invoke("decide", *files, *words, "--format", "json").out)
        assert printed == json.loads(json.dumps(found.as_dict()))


def test_a_batch_is_written_for_people_and_for_models(files, invoke, write, tmp_path):
    batch = decide(LLM, RUNS, batch=4).interim.batch
    rows = [[topic, doc] for topic, docs in batch.items() for doc in docs]
    written = invoke("decide", *files, "--batch", "4", "--table", "batch", "--format", "csv").out
    assert written.splitlines() == ["topic,document", *map(",".join, rows)]
    texts = str(write("corpus.jsonl", "".join(f'{{"_id": "d{k}", "text": "of {k}"}}\n' for k in range(6))))
    requests = tmp_path / "batch.jsonl"
    invoke("decide", *files, "--batch", "4", "--requests", str(requests), "--documents", texts)
    found = [json.loads(line) for line in requests.read_text().splitlines()]
    assert [[each["query_id"], each["doc_id"]] for each in found] == rows
    assert all(each["text"] == f"of {each['doc_id'][1:]}" and each["grade"] is None for each in found)


def test_measures_that_are_no_sums_are_refused(files, invoke):
    assert "is no sum over documents; choose one" in invoke("decide", *files, "-m", "nDCG@10", code=2).err
