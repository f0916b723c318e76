"""The command `rankgauge explain`."""

import json
from pathlib import Path

import pytest

import rankgauge
from rankgauge.cli.main import main
from rankgauge.model.output.documents import document_lines

QRELS = "q1 0 a 2\nq1 0 b 0\nq1 0 <i> 1\nq2 0 a 1\n"
RUN = "q1 Q0 u 1 9 t\nq1 Q0 a 2 8 t\nq1 Q0 <i> 3 7 t\n"


@pytest.fixture
def files(write):
    """Paths of judgments and of a run."""
    return str(write("qrels.txt", QRELS)), str(write("bm25.run", RUN))


def test_a_value_is_explained_as_text_where_there_is_no_terminal(files, invoke):
    output = invoke("explain", *files, "--topic", "q1", "-m", "nDCG@5").out
    found = rankgauge.explain(*files, topic="q1", measure="nDCG@5")
    assert output == "".join(f"{line}\n" for line in document_lines(found.document()))
    assert repr(found).split("Rank by rank")[0] == output.split("Rank by rank")[0]
    assert output.startswith(f"nDCG@5 of run bm25 for topic q1 is {found.value:.4f}\n")


def test_the_default_measure_is_ndcg_at_ten(files, invoke):
    assert invoke("explain", *files, "--topic", "q1").out.startswith("nDCG@10 of run bm25 ")


def test_json_has_everything_with_every_digit(files, invoke):
    record = json.loads(
        invoke("explain", *files, "--topic", "q1", "-m", "AP", "--format", "json", "--limit", "1").out
    )
    found = rankgauge.explain(*files, topic="q1", measure="AP")
    assert record == json.loads(json.dumps(found.as_dict()))
    assert record["value"] == found.value == (1 / 2 + 2 / 3) / 2
    assert [step["relevant"] for step in record["steps"]] == [None, True, True]


def test_the_extension_of_a_file_chooses_the_format(files, tmp_path):
    page, notes = tmp_path / "why.html", tmp_path / "why.md"
    assert main(["explain", *files, "--topic", "q1", "-o", str(page)]) == 0
    assert main(["explain", *files, "--topic", "q1", "-o", str(notes)]) == 0
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert '<meta charset="utf-8">' in text
    assert "<i>" not in text
    assert "&lt;i&gt;" in text
    assert notes.read_text(encoding="utf-8").startswith("# nDCG@10 of run bm25 for topic q1 is ")
    assert "\\<i\\>" in notes.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["why.csv", "why.parquet"])
def test_an_extension_without_a_format_of_explanations_is_refused(files, tmp_path, name, invoke):
    assert (
        "use one of .txt .json .md .tex .typ .html .htm, or pass --format"
        in invoke("explain", *files, "--topic", "q1", "-o", tmp_path / name, code=2).err
    )
    assert not (tmp_path / name).exists()


def test_decimals_and_lines_can_be_chosen(files, invoke):
    output = invoke("explain", *files, "--topic", "q1", "-m", "P@3", "--places", "2", "--limit", "1").out
    assert output.startswith("P@3 of run bm25 for topic q1 is 0.67\n")
    assert "(2 more lines)" in output


def test_the_order_is_an_option_as_in_evaluate(write, invoke):
    qrels, run = write("q", "q1 0 a 1\n"), write("r", "q1 Q0 a 2 1 t\nq1 Q0 b 1 1 t\n")
    found = {}
    for ties in ("docid_desc", "docid_asc"):
        argv = ["explain", str(qrels), str(run), "--topic", "q1", "-m", "RR", "--ties", ties]
        found[ties] = json.loads(invoke(*argv, "--format", "json").out)["value"]
    assert found == {"docid_desc": 0.5, "docid_asc": 1.0}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("{qrels} {run} --topic q3", "no judged topic named 'q3'; use one of q1, q2"),
        (
            "{qrels} {run} {other}",
            "one run is explained at a time; these are 2 ('bm25', 'other'); choose one",
        ),
        (
            "{qrels} {folder}/*.run",
            "one run is explained at a time; these are 2 ('bm25', 'other'); choose one",
        ),
        ("{qrels} {empty}", "empty: the input has no rows"),
        *(
            (
                f"{{qrels}} {{run}} --target {target}",
                f"target must be a finite number such as 0.3421 or 34.21%, not '{target}'",
            )
            for target in ("nan", "about_0.3", "inf")
        ),
    ],
)
def test_what_cannot_be_explained_is_refused(arguments, message, files, write, tmp_path, refused):
    paths = {"other": write("other.run", RUN), "empty": write("empty", ""), "folder": tmp_path}
    paths |= zip(("qrels", "run"), files, strict=True)
    assert message in refused("explain", *arguments.format(**paths).split())


def test_without_a_topic_the_mean_is_explained(files, invoke):
    output = invoke("explain", *files, "-m", "AP").out
    found = rankgauge.explain(*files, measure="AP")
    assert output.startswith(f"AP of run bm25 is {found.value:.4f}\n")
    assert "--missing skip" in output  # rules are written as on the command line
    record = json.loads(invoke("explain", *files, "-m", "AP", "--missing", "skip", "--format", "json").out)
    assert record["value"] == rankgauge.explain(*files, measure="AP", missing="skip").value == 2 * found.value
    assert [each["topic"] for each in record["topics"]] == ["q1", "q2"]


def test_standard_input_is_read_under_every_rule(files, invoke, monkeypatch):
    with Path(files[1]).open(encoding="utf-8") as file:
        monkeypatch.setattr("sys.stdin", file)
        assert invoke("explain", files[0], "-", "-m", "RR").out.startswith("RR of run stdin is 0.2500\n")
        assert "u " in invoke("explain", files[0], "-", "-m", "RR", "--topic", "q1").out


def test_on_a_terminal_tables_are_drawn(files, invoke, monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("TERM", "dumb")
    output = invoke("explain", *files, "--topic", "q1").out
    assert "────" in output
    assert "Rank by rank" in output


def test_a_printed_number_is_traced_to_its_definition(files, invoke):
    output = invoke("explain", *files, "-m", "AP", "--target", "0.5833").out
    assert output.startswith("Which definition gives 0.5833 for run bm25?\n")
    assert "AP with --missing skip (as trec_eval 10, trec_eval 9, pytrec_eval)" in output
    record = json.loads(invoke("explain", *files, "-m", "AP", "--target", "58.33%", "--format", "json").out)
    assert record["matches"][0]["rules"] == {"missing": "skip"}
    assert record["matches"][0]["value"] == (1 / 2 + 2 / 3) / 2
    assert record["measure"] == "AP"


def test_without_a_measure_a_number_is_sought_among_the_well_known_ones(files, invoke):
    record = json.loads(invoke("explain", *files, "--topic", "q1", "--target", "0.5", "--format", "json").out)
    assert record["measure"] is None
    assert "RR" in [each["measure"] for each in record["matches"]]


def test_a_target_below_0_is_noted(files, invoke):
    assert (
        "-0.25 cannot be a value of AP, which goes from 0 to 1."
        in invoke("explain", *files, "-m", "AP", "--target", "-0.25").out
    )


def test_a_long_search_shows_its_progress_on_a_terminal(files, invoke, monkeypatch):
    monkeypatch.setattr("rankgauge.cli.terminal.PATIENCE", -1)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    assert "AP with" in invoke("explain", *files, "-m", "AP", "--target", "0.5833").out
