"""`rankgauge agreement --judges`: judges and runs are told apart, and tables written."""

import json

from rankgauge.extensions.judging import judges

HUMAN = "".join(f"q{t} 0 d{d} {(t + d) % 3}\n" for t in range(4) for d in range(5))
JUDGE = "".join(f"q{t} 0 d{d} {min(2, (t + d) % 3 + (d == 1))}\n" for t in range(4) for d in range(5))
RUNS = {
    f"{name}.run": "".join(f"q{t} Q0 d{d} 1 {(step * d) % 5} x\n" for t in range(4) for d in range(5))
    for name, step in (("a", 1), ("b", 2), ("c", 3))
}


def test_judges_and_runs_are_recognised_by_their_content(working_folder, invoke):
    working_folder(
        {"human.txt": HUMAN, "one.txt": JUDGE, "two.txt": HUMAN, **RUNS, "groups.txt": "a x\nb x\nc y\n"}
    )
    argv = [
        "agreement",
        "--judges",
        "human.txt",
        "one.txt",
        "a.run",
        "two.txt",
        "b.run",
        "c.run",
        "--groups",
        "groups.txt",
    ]
    found = json.loads(invoke(*argv, "-m", "P@2", "--samples", 50, "--seed", 3, "--format", "json").out)
    expected = judges(
        "human.txt",
        ["one.txt", "two.txt"],
        ["a.run", "b.run", "c.run"],
        groups="groups.txt",
        measure="P@2",
        samples=50,
        seed=3,
    )
    assert found["tables"] == json.loads(json.dumps(expected.as_dict()["tables"]))
    assert found["settings"]["judges"] == ["one", "two"]
    assert invoke(*argv, "--table", "runs", "--format", "csv").out.count("\n") == 1 + 2 * 3


def test_labels_alone_are_compared_without_runs(working_folder, invoke):
    working_folder({"human.txt": HUMAN, "one.txt": JUDGE})
    assert [
        *json.loads(invoke("agreement", "--judges", "human.txt", "one.txt", "--format", "json").out)["tables"]
    ] == [
        "agreement",
        "grades",
    ]


def test_repeated_labels_need_a_rule(working_folder, invoke):
    working_folder({"human.txt": HUMAN, "one.txt": JUDGE + JUDGE})
    assert (
        "majority, median or mean combines repeated labels"
        in invoke("agreement", "--judges", "human.txt", "one.txt", code=2).err
    )
    shown = invoke("agreement", "--judges", "human.txt", "one.txt", "--duplicates", "majority").out
    assert (
        "one: 20 repeated labels of documents were combined with the others (--duplicates majority)." in shown
    )
    assert "same label, repeated" in shown
