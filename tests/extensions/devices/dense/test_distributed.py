"""Two processes of torch.distributed, over gloo on the loopback interface."""

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from extensions.devices.dense.shards import Corpus, assert_same

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def processes(tmp_path_factory, torch):
    """(messages, scores) of each of two processes."""
    folder = tmp_path_factory.mktemp("distributed")
    environment = {**os.environ, "GLOO_SOCKET_IFNAME": "lo", "OMP_NUM_THREADS": "1"}
    environment["PYTHONPATH"] = os.pathsep.join(
        [str(HERE.parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])]
    )
    started = [
        subprocess.Popen(
            [sys.executable, str(HERE / "distributed_process.py"), str(rank), str(folder)],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for rank in range(2)
    ]
    try:
        printed = [process.communicate(timeout=300)[0] for process in started]
    finally:
        for process in started:
            process.kill()
            process.wait()
    assert [process.returncode for process in started] == [0, 0], "\n".join(printed)
    return [
        (
            json.loads((folder / f"{rank}.json").read_text()),
            pickle.loads((folder / f"{rank}.pickle").read_bytes()),
        )
        for rank in range(2)
    ]


@pytest.mark.parametrize("rank", [0, 1])
def test_every_process_has_the_scores_of_the_whole(processes, rank):
    scores, corpus = processes[rank][1], Corpus(8)
    whole = corpus.whole(ties="average")
    assert_same(scores["arrays"], whole)
    assert_same(scores["mixed"], whole)
    assert_same(scores["added"], corpus.whole())
    assert_same(scores["excluded"], corpus.whole(ties="average", exclude={"q1": corpus.ids[:20]}, depth=7))
    assert scores["bfloat16"].mean() == whole.mean()  # small whole numbers are exact
    assert scores["bfloat16"].provenance.runs["run"].source.startswith("bfloat16 vectors")


@pytest.mark.parametrize(
    ("case", "kind", "message"),
    [
        ("number", "InputError", "has numbers that are not finite"),
        (
            "depth",
            "InputError",
            "process 1: these counts are not of parts of one corpus: they differ in their depths",
        ),
        ("same documents", "InputError", "is in both parts; a document has one vector"),
        ("numbered", "OptionError", "the documents of a part of a corpus need ids"),
        ("sizes", "InputError", "vectors must have as many numbers each; there are: part 1 2, part 2 3"),
        ("judgments", "InputError", "process 1: these counts are not of parts of one corpus"),
    ],
)
def test_every_process_has_the_error(processes, case, kind, message):
    for messages, _ in processes:
        assert message in messages[case]
        assert messages[case].startswith(kind)


def test_a_process_without_documents(processes):
    (first, _), (second, _) = processes
    assert first["empty"] == "InputError: there are no documents: no row of vectors"
    assert second["empty"] == "InputError: process 0: there are no documents: no row of vectors"


def test_a_group_of_some_processes(processes):
    (first, _), (second, _) = processes
    assert first["alone"].startswith("OptionError: this process is not one of the group")
    assert second["alone"] == "no error"


def test_processes_that_are_not_connected(processes):
    for messages, _ in processes:
        assert messages["before"].startswith("OptionError: torch.distributed is not initialized; call")
