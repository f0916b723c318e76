"""The command that studies: what it lists, writes and refuses."""

import json

import pytest

from rankgauge import simulate, studies
from rankgauge.cli.main import main


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Judgments and runs of a small campaign, as arguments."""
    directory = tmp_path_factory.mktemp("campaign")
    simulate(topics=6, depth=10, systems=3).write(directory)
    return [str(directory / "qrels.txt"), str(directory / "runs" / "*.run")]


def power(files, *argv):
    return main(["study", "power", *files, "-m", "AP RR", "--samples", "50", *argv])


def test_the_findings_come_as_text_with_seed_and_settings(files, capsys):
    assert power(files, "--seed", "7") == 0
    out = capsys.readouterr().out
    assert out.startswith("Discriminative power of measures\n")
    assert "seed 7" in out
    assert "curve (6 rows): The ASL curve" in out


@pytest.mark.parametrize("name", ["found.html", "found.md", "found.tex", "found.json", "found.txt"])
def test_the_ending_of_a_file_chooses_the_format(name, files, tmp_path, capsys):
    assert power(files, "-o", str(tmp_path / name)) == 0
    assert capsys.readouterr().out == ""
    text = (tmp_path / name).read_text(encoding="utf-8")
    assert "Discriminative power of measures" in text
    first = {"html": "<!doctype", "md": "# Disc", "tex": r"\subsection*{Disc", "json": "{", "txt": "Disc"}
    assert text.startswith(first[name.partition(".")[2]])


def test_one_table_comes_whole_and_in_any_format(files, capsys):
    assert power(files, "--table", "curve", "--format", "jsonl", "--limit", "1") == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(row["measure"], row["pair"]) for row in rows] == [
        (m, n) for m in ("AP", "RR") for n in (1, 2, 3)
    ]


def test_long_tables_are_cut_for_eyes_alone(files, capsys):
    argv = ["study", "correlation", *files, "-m", "AP RR P@5", "--samples", "0", "--limit", "2"]
    assert main(argv) == 0
    assert "The first 2 of 3 rows; the table pairs alone has them all." in capsys.readouterr().out


def test_options_are_read_as_the_study_takes_them(files, capsys):
    gains = ["--gains", "{1:1,2:2,3:3},exp2", "--gains", "binary"]
    assert power(files, *gains, "--alphas", "0.1,0.5", "-m", "Q(beta=1|10)", "--format", "json") == 0
    settings = json.loads(capsys.readouterr().out)["settings"]
    assert settings["measures"] == ["AP", "RR", "Q", "Q(beta=10)"]
    assert settings["alphas"] == [0.1, 0.5]
    assert len(settings["gains"]) == 3
    assert settings["samples"] == 50


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--alphas", "2"], "power: alphas must be one or more, each a number above 0 to below 1, not 2"),
        (["--samples", "few"], "power: samples must be a whole number from 10, not 'few'"),
        (["--seed", "-1"], "power: seed must be a whole number from 0, not -1"),
        (["--method", "guess"], "power: method must be one of bootstrap, tukey, not 'guess'"),
        (["-m", "nDGC"], "did you mean nDCG?"),
        (
            ["--table", "curves"],
            "table must be one of power, curve, pairs, not 'curves' (did you mean curve?)",
        ),
        (["--format", "csv"], "csv holds a single table; choose one with --table"),
        (["-o", "found.csv"], "cannot infer a format from found.csv"),
        (["--limit", "0"], "--limit must be a whole number from 1"),
    ],
)
def test_mistakes_are_refused(argv, message, files, capsys):
    assert power(files, *argv) == 2
    printed = capsys.readouterr()
    assert message in printed.err
    assert printed.out == ""


def test_an_unknown_study_or_option_is_a_usage_error(files, capsys):
    assert main(["study", "pwoer", *files]) == 2
    assert "power" in capsys.readouterr().err
    assert power(files, "--nonsense") == 2
    assert "--nonsense" in capsys.readouterr().err


def test_a_file_that_holds_no_scores_is_refused(files, capsys):
    assert main(["study", "power", files[0]]) == 2
    message = capsys.readouterr().err
    assert f"there are no runs, and the file cannot be read as scores: {files[0]}:2: " in message


def test_scores_stand_in_for_judgments_and_runs(files, tmp_path, capsys):
    path = tmp_path / "scores.json"
    assert main(["evaluate", *files, "-m", "AP RR", "-q", "-o", str(path), "--quiet"]) == 0
    assert main(["study", "power", str(path), "--samples", "50", "--table", "pairs", "--format", "csv"]) == 0
    from_scores = capsys.readouterr().out
    assert power(files, "--table", "pairs", "--format", "csv") == 0
    assert capsys.readouterr().out == from_scores
    assert main(["study", "power", str(path), "-m", "nDCG"]) == 2
    assert "no measure here is called 'nDCG'; use one of AP, RR" in capsys.readouterr().err


def test_a_study_is_found_by_either_spelling_and_shown_by_one(files, capsys):
    printed = []
    for name in ("leave-out", "leave_out"):
        assert main(["study", name, *files, "-m", "AP", "--format", "json"]) == 0
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]
    assert json.loads(printed[0])["study"] == "leave-out"
    assert main(["study"]) == 0
    assert "_" not in capsys.readouterr().out
    assert studies.STUDIES.find("leave_out").call is studies.leave_out
    with pytest.raises(AttributeError, match="no attribute 'leave_in'"):
        studies.leave_in  # noqa: B018


def test_the_help_of_a_study_has_its_options_example_and_source(capsys):
    assert main(["study", "power", "--help"]) == 0
    out = capsys.readouterr().out
    for part in ("--alphas", "default 0.05,0.01", "For example:", "rankgauge study power", "source: Sakai"):
        assert part in out


def test_completion_knows_studies_and_their_options(capsys):
    assert main(["completion", "bash"]) == 0
    out = capsys.readouterr().out
    assert "--alphas" in out
    assert "power" in out


def test_a_study_is_found_in_any_spelling_and_an_unknown_one_gets_the_nearest(capsys):
    assert main(["study", "Effort_Gain", "--help"]) == 0
    assert "rankgauge study effort-gain" in capsys.readouterr().out
    assert main(["study", "powr", "qrels.txt"]) == 2
    assert "no study is called 'powr' (did you mean power?)" in capsys.readouterr().err


def test_too_few_runs_are_refused_before_anything_is_read(files, tmp_path, capsys):
    one = ["nowhere.txt", files[1].replace("*", "bm25")]
    assert main(["study", "power", *one]) == 2
    assert "the study power needs at least 2 runs, not 1; add more" in capsys.readouterr().err
    assert main(["figure", "asl", *one, "-o", str(tmp_path / "x.svg")]) == 2
    assert "the study power needs at least 2 runs, not 1; add more" in capsys.readouterr().err
