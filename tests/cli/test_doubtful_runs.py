"""What may be wrong with a run is printed by every command that judges it."""

import json

import pytest

import installed
import rankgauge
from rankgauge.campaigns.campaign import Campaign
from rankgauge.cli.main import main

TOPICS = [f"t{n}" for n in range(6)]
QRELS = {topic: {f"{topic}_{n}": n % 2 for n in range(4)} for topic in TOPICS}
RUN = {topic: {doc: float(-n) for n, doc in enumerate(docs)} for topic, docs in QRELS.items()}
OTHER = "other: none of 24 results is judged; document ids differ by the prefix"
COPY = "copy has the same documents in the same order as run"
RISE = "rise: scores rise with the ranks"


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    """A run, a copy of it, one with other ids, and one whose scores are distances."""
    monkeypatch.chdir(tmp_path)
    rankgauge.Qrels.from_dict(QRELS).write("qrels.txt")
    for name, prefix, sign in (("run", "", -1), ("copy", "", -1), ("other", "x", -1), ("rise", "", 1)):
        with (tmp_path / f"{name}.run").open("w") as file:
            for topic, docs in QRELS.items():
                file.writelines(f"{topic} Q0 {prefix}{d} {n} {sign * n} t\n" for n, d in enumerate(docs, 1))


RUNS = "run.run copy.run other.run rise.run"
COMMANDS = installed.rows(
    {
        f"evaluate qrels.txt {RUNS}": (OTHER, COPY, RISE),
        f"compare qrels.txt {RUNS}": (OTHER, COPY, RISE),
        f"evaluate --curve qrels.txt {RUNS} -m P": (OTHER, COPY, RISE),
        f"study correlation qrels.txt {RUNS}": (OTHER, COPY, RISE),
        f"study correlation --collection c=qrels.txt,{RUNS.replace(' ', ',')}": (OTHER, COPY, RISE),
        f"figure pr qrels.txt {RUNS} -o f.json": (OTHER, COPY, RISE),
        "explain qrels.txt rise.run --topic t0 -o e.html": (RISE,),
        "explain qrels.txt rise.run --target 0.5 --format json -o e.json": (RISE,),
    }
)


@pytest.mark.parametrize("command", COMMANDS)
def test_each_note_is_printed_once(command, invoke):
    printed = invoke(*command.split())
    assert [printed.err.count(text) for text in (OTHER, COPY, RISE)] == [
        int(text in COMMANDS[command]) for text in (OTHER, COPY, RISE)
    ]


def test_an_explanation_on_the_screen_has_the_note_itself(invoke):
    printed = invoke("explain", "qrels.txt", "rise.run", "-m", "AP", "--topic", "t1")
    assert RISE in printed.out
    assert RISE not in printed.err
    notes = json.loads(invoke("explain", "qrels.txt", "rise.run", "--format", "json").out)["notes"]
    assert any(note.startswith(RISE) for note in notes)
    assert OTHER in invoke("explain", "qrels.txt", "other.run", code=2).err


def test_a_good_run_has_no_note(invoke):
    assert main(["explain", "qrels.txt", "run.run"]) == 0
    printed = invoke("compare", "qrels.txt", "run.run", "rise.run", "--order", "rank")
    assert "Notes" not in printed.out
    assert RISE not in printed.err
    assert Campaign(QRELS, RUN).notes == ()
