"""`rankgauge evaluate --curve`: measures rank by rank."""

import json

import pytest

from rankgauge.cli.main import main

QRELS = "1 0 a 1\n1 0 b 3\n2 0 c 2\n"
RUNS = {
    "x.run": "1 Q0 a 1 3 x\n1 Q0 u 2 2 x\n1 Q0 b 3 1 x\n2 Q0 c 1 1 x\n",
    "y.run": "1 Q0 b 1 3 y\n2 Q0 u 1 1 y\n",
}


@pytest.fixture
def files(write):
    return [str(write(name, text)) for name, text in {"qrels.txt": QRELS, **RUNS}.items()]


def test_eyes_get_some_ranks_and_what_they_tell(files, invoke):
    shown = invoke("evaluate", "--curve", *files, "-m", "CG", "--depth", "30", "--format", "table").out
    assert "The ideal is constant from rank 2 on" in shown
    assert "   30  3.0000  1.5000  3.0000" in shown
    assert "rank of ideal  x  x: %  y  y: %" in shown


def test_programs_get_every_rank_with_the_band(files, invoke):
    rows = [
        json.loads(line)
        for line in invoke(
            "evaluate", "--curve", *files, "-m", "P", "--depth", "7", "--format", "jsonl"
        ).out.splitlines()
    ]
    assert len(rows) == 2 * 7
    names = ("run", "topic", "measure", "rank", "value", "ideal", "low", "high", "reach", "more")
    assert tuple(rows[0]) == names
    assert (
        len(invoke("evaluate", "--curve", *files, "-q", "--depth", "7", "--format", "csv").out.splitlines())
        == 1 + 2 * 3 * 7
    )


def test_curves_are_shares_of_the_ideal_on_request(files, invoke):
    for how, message in (("topics", "The curve of each topic"), ("averages", "The average curve")):
        assert (
            message
            in invoke(
                "evaluate", "--curve", *files, "-m", "CG", "--normalise", how, "--format", "markdown"
            ).out
        )
        assert (
            "ideal"
            not in invoke("evaluate", "--curve", *files, "-m", "CG", "--normalise", how, "--depth", "1").out
        )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--goal", "z", "--format", "table"], "goal must be one of x, y, not 'z'"),
        (["--ranks", "5,200", "--format", "table"], "raise --depth"),
        (["--ranks", "0"], "--ranks must be a whole number from 1, not 0"),
        (["--level", "95"], "--level must be a number between 0 and 1"),
        (["--goal", "x", "--normalise", "topics", "--format", "table"], "omit --normalise"),
        (["-q", "--format", "markdown"], "-q: markdown does not show topics; use csv"),
        (["--level", "0.9", "--format", "table"], "--level: table does not show bands; use csv"),
        (["--level", "0.9", "--normalise", "averages"], "has no band over topics"),
        (["--level", "0.9", "-m", "P(average=median)"], "bands are for means"),
        (["-m", "P(average=micro)"], "there is no micro average of curves"),
        (["--depth", "10000000000"], "--depth must be a whole number from 1 to 1000000"),
        (["-m", "Rprec"], "one value per topic"),
        (["--sort", "AP"], "--sort is not for curves; leave out --sort or --curve"),
    ],
)
def test_wrong_options_are_refused(files, refused, arguments, message):
    assert message in refused("evaluate", "--curve", *files, *arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--ties", "average"], "curves follow one order of documents"),
        (["-m", "nDCG@10"], "leave out the cutoff"),
    ],
)
def test_what_has_no_curve_is_refused_before_anything_is_read(invoke, arguments, message):
    assert message in invoke("evaluate", "--curve", "no such qrels", "no such run", *arguments, code=2).err


def test_reading_across_goes_through_a_pipe_as_a_table_and_into_files(files, invoke):
    command = ["evaluate", "--curve", *files, "-m", "CG", "--goal", "y", "--ranks", "1,3"]
    assert "rank of y  x  x: %" in invoke(*command).out
    for row in json.loads(invoke(*command, "--format", "json").out):
        if row["run"] == "y":
            assert (row["reach"], row["more"]) == (1, 0)  # y is constant from rank 1 on


def test_an_ideal_that_is_the_same_everywhere_tells_nothing_of_where_to_stop(files, invoke):
    shown = invoke("evaluate", "--curve", *files, "--format", "table").out
    assert "The ideal is the same at every rank, so it does not show how far to read" in shown
    assert "nothing more can be gained" not in shown
    assert "ranks needed" not in shown
    assert (
        "nDCG, ranks needed" in invoke("evaluate", "--curve", *files, "--format", "table", "--goal", "x").out
    )


def test_undefined_and_unreached_ideals_have_a_sentence(files, tmp_path, invoke):
    (tmp_path / "none.txt").write_text("1 0 a 0\n")
    arguments = ["--undefined", "skip", "--format", "table"]
    assert (
        "The ideal is undefined at every rank."
        in invoke("evaluate", "--curve", tmp_path / "none.txt", *files[1:], "-m", "R", *arguments).out
    )
    assert (
        "Down to rank 3, no run reaches the value of the ideal at these ranks."
        in invoke("evaluate", "--curve", *files[::2], "-m", "CG", "--depth", "3", "--format", "table").out
    )


def test_programs_get_the_ranks_that_were_asked_for_and_bands_where_there_are_any(files, invoke):
    rows = [
        json.loads(line)
        for line in invoke(
            "evaluate", "--curve", *files, "-m", "CG", "-q", "--ranks", "1,3", "--format", "jsonl"
        ).out.splitlines()
    ]
    assert [row["rank"] for row in rows] == [1, 3] * 2 * 3
    assert rows[1] == {
        **{"run": "x", "topic": "1", "measure": "CG", "rank": 3, "value": 4, "ideal": 4},
        **dict.fromkeys(("low", "high", "reach", "more")),
    }
    assert invoke("evaluate", "--curve", *files, "-m", "P(average=median)", "--format", "csv").out.startswith(
        "run,topic,measure,rank,value,ideal,reach,more\n"
    )


def test_notes_and_advice_are_those_of_evaluate(files, capsys):
    def notes(*options):
        assert main(["evaluate", *files, "-m", "nDCG", *options]) == 0
        return capsys.readouterr().err

    assert notes("--curve") == notes() != ""
    assert notes("--curve", "--no-advice") == notes("--no-advice")
    assert notes("--curve", "--quiet", "--threads", "1") == ""


def test_options_of_curves_need_curves(files, refused):
    assert "--depth is for curves; add --curve" in refused("evaluate", *files, "--depth", "5")
