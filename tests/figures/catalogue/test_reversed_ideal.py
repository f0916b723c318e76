"""The worst order of relevant documents, by rank."""

import rankgauge
from figures.samples import drawn, rows, studied, table
from rankgauge.cli.main import main


def test_there_is_a_line_for_each_alpha_with_the_values_of_the_study():
    points = {(row["series"], row["x"]): row["y"] for row in rows(drawn("reversed-ideal"))}
    ranks = table(studied("reversed-ideal"), "ranks")
    assert points == {
        (name.replace("alpha", "α ="), row["rank"]): value
        for row in ranks
        for name, value in row.items()
        if name != "rank"
    }


def test_no_runs_are_needed_and_those_given_play_no_part(tmp_path, monkeypatch, capsys):
    rankgauge.simulate(topics=4, depth=20, systems=1, subtopics=3, seed=7).write(tmp_path)
    monkeypatch.chdir(tmp_path)
    command = ["figure", "reversed-ideal", "qrels.diversity.txt"]
    assert main([*command, "-o", "a.json", "--depth", "5"]) == 0
    assert main([*command, "runs/bm25.run", "-o", "b.json", "--depth", "5"]) == 0
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    alone = ["study", "reversed-ideal", "qrels.diversity.txt", "--depth", "3", "--table", "ranks"]
    assert main(alone) == 0
    assert len(capsys.readouterr().out.splitlines()) > 3
