"""The command that studies: what it lists, writes and refuses."""

import json
from functools import partial

import pytest

from rankgauge import simulate, studies
from rankgauge.cli.main import main


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Judgments and runs of a small campaign, as arguments."""
    directory = tmp_path_factory.mktemp("campaign")
    simulate(topics=6, depth=10, systems=3).write(directory)
    return [str(directory / "qrels.txt"), str(directory / "runs" / "*.run")]


@pytest.fixture
def power(files, invoke):
    """The study of power on the campaign."""
    return partial(invoke, "study", "power", *files, "-m", "AP RR", "--samples", "50")


def test_the_findings_come_as_text_with_seed_and_settings(files, power):
    out = power("--seed", "7").out
    assert out.startswith("Discriminative power of measures\n")
    assert "seed 7" in out
    assert "curve (6 rows): The ASL curve" in out


@pytest.mark.parametrize("name", ["found.html", "found.md", "found.tex", "found.json", "found.txt"])
def test_the_ending_of_a_file_chooses_the_format(name, files, tmp_path, power):
    assert power("-o", str(tmp_path / name)).out == ""
    text = (tmp_path / name).read_text(encoding="utf-8")
    assert "Discriminative power of measures" in text
    first = {"html": "<!doctype", "md": "# Disc", "tex": r"\subsection*{Disc", "json": "{", "txt": "Disc"}
    assert text.startswith(first[name.partition(".")[2]])


def test_one_table_comes_whole_and_in_any_format(files, power):
    rows = [
        json.loads(line)
        for line in power("--table", "curve", "--format", "jsonl", "--limit", "1").out.splitlines()
    ]
    assert [(row["measure"], row["pair"]) for row in rows] == [
        (m, n) for m in ("AP", "RR") for n in (1, 2, 3)
    ]


def test_long_tables_are_cut_for_eyes_alone(files, invoke):
    argv = ["study", "correlation", *files, "-m", "AP RR P@5", "--samples", "0", "--limit", "2"]
    assert "The first 2 of 3 rows; the table pairs alone has them all." in invoke(*argv).out


def test_options_are_read_as_the_study_takes_them(files, power):
    gains = ["--gains", "{1:1,2:2,3:3},exp2", "--gains", "binary"]
    settings = json.loads(power(*gains, "--alphas", "0.1,0.5", "-m", "Q(beta=1|10)", "--format", "json").out)[
        "settings"
    ]
    assert settings["measures"] == ["AP", "RR", "Q", "Q(beta=10)"]
    assert settings["alphas"] == [0.1, 0.5]
    assert len(settings["gains"]) == 3
    assert settings["samples"] == 50


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (
            ["--alphas", "2"],
            "power: alphas must be one or more, each a number between 0 and 1 (exclusive), not 2",
        ),
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
def test_mistakes_are_refused(argv, message, files, refused):
    assert message in refused("study", "power", *files, *argv)


def test_a_file_that_holds_no_scores_is_refused(files, invoke):
    message = invoke("study", "power", files[0], code=2).err
    assert f"there are no runs, and the file cannot be read as scores: {files[0]}:2: " in message


def test_scores_stand_in_for_judgments_and_runs(files, tmp_path, invoke, power):
    path = tmp_path / "scores.json"
    assert main(["evaluate", *files, "-m", "AP RR", "-q", "-o", str(path), "--quiet"]) == 0
    from_scores = invoke("study", "power", path, "--samples", "50", "--table", "pairs", "--format", "csv").out
    assert power("--table", "pairs", "--format", "csv").out == from_scores
    assert (
        "no measure here named 'nDCG'; use one of AP, RR"
        in invoke("study", "power", path, "-m", "nDCG", code=2).err
    )


def test_a_study_is_found_in_any_spelling_and_shown_by_one(files, invoke, refused):
    argv = (*files, "-m", "AP", "--format", "json")
    one, other = (json.loads(invoke("study", name, *argv).out) for name in ("leave-out", "Leave_Out"))
    assert one == other
    assert one["study"] == "leave-out"
    assert "_" not in invoke("study").out
    assert "no study named 'powr' (did you mean power?)" in refused("study", "powr", *files)
    assert studies.STUDIES.find("leave_out").call is studies.leave_out
    with pytest.raises(AttributeError, match="no attribute 'leave_in'"):
        studies.leave_in  # noqa: B018


def test_the_help_of_a_study_has_its_options_example_and_source(invoke):
    out = invoke("study", "power", "--help").out
    for part in ("--alphas", "default 0.05,0.01", "For example:", "rankgauge study power", "source: Sakai"):
        assert part in out


def test_too_few_runs_are_refused_before_anything_is_read(files, tmp_path, invoke):
    one = ["nowhere.txt", files[1].replace("*", "bm25")]
    assert (
        "the study power needs at least 2 runs, not 1; add more" in invoke("study", "power", *one, code=2).err
    )
    assert (
        "the study power needs at least 2 runs, not 1; add more"
        in invoke("figure", "asl", *one, "-o", tmp_path / "x.svg", code=2).err
    )
