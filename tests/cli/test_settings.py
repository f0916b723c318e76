"""Settings of a project, in `[tool.rankgauge]` of pyproject.toml or in rankgauge.toml."""

import json
from pathlib import Path

import pytest

from rankgauge.cli.settings import KEYS

RUN = "1 Q0 a 1 2.0 t\n1 Q0 b 2 2.0 t\n"


@pytest.fixture(autouse=True)
def project(working_folder, monkeypatch):
    """A project with settings; commands run in a folder of it."""
    working_folder({"pyproject.toml": '[tool.rankgauge]\nties = "docid_asc"\nmissing = "skip"\n'})
    Path("data").mkdir()
    monkeypatch.chdir("data")
    for name, text in {"qrels.txt": "1 0 b 1\n2 0 a 1\n", "a.run": RUN, "b.run": RUN}.items():
        Path(name).write_text(text)


def rr(invoke, *options, file="rr.json"):
    said = invoke("evaluate", "qrels.txt", "a.run", "-m", "RR", "--quiet", "-q", "-o", file, *options).err
    saved = json.loads(Path(file).read_text())
    return saved["mean"]["a"]["RR"], saved["provenance"]["options"], said


def test_settings_are_noted_in_provenance_and_give_way_to_options(invoke):
    value, rules, said = rr(invoke)
    assert (value, rules["ties"], rules["missing"]) == (0.5, "docid_asc", "skip")
    assert said == f"note: from {Path('..').resolve() / 'pyproject.toml'}: ties = docid_asc, missing = skip\n"
    value, rules, said = rr(invoke, "--ties", "docid_desc")
    assert (value, rules["ties"]) == (1.0, "docid_desc")
    assert said.endswith("pyproject.toml: missing = skip\n")
    Path("rankgauge.toml").write_text("")  # the nearest file counts
    assert rr(invoke)[::2] == (0.5, "")


def test_every_kind_of_command_reads_them_and_saved_scores_are_as_they_are(invoke):
    rr(invoke)
    for words in (["compare", "qrels.txt", "a.run", "b.run"], ["explain", "qrels.txt", "a.run"]):
        assert "ties = docid_asc" in invoke(*words).err
    assert "docid_asc" not in invoke("trec_eval", "qrels.txt", "a.run").err
    assert "there is only 'a'" in invoke("compare", "rr.json", code=2).err
    Path("../pyproject.toml").write_text('[tool.rankgauge]\nqrels_columns = "topic=q,doc=d,grade=g"\n')
    Path("qrels.csv").write_text("q,d,g\n1,a,1\n")
    assert "qrels-columns = topic=q,doc=d,grade=g" in invoke("evaluate", "qrels.csv", "a.run").err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('tise = "input"', "no setting named 'tise' (did you mean ties?); use one of qrels-format"),
        ('ties = "inptu"', "ties: ties must be one of docid_desc, docid_asc, input, rank"),
        ("ties = 3", "ties must be a text, as after --ties, not 3"),
        ('run-format = "tre"', "run-format: the format must be one of "),
        ('grades = "x"', "grades: "),
        ("ties = ", "this is not TOML: "),
    ],
)
def test_a_wrong_setting_is_an_error_that_names_the_file(text, said, refused):
    Path("../pyproject.toml").write_text(f"[tool.rankgauge]\n{text}\n")
    message = refused("evaluate", "qrels.txt", "a.run")
    assert said in message
    assert f"{Path('..').resolve() / 'pyproject.toml'}: " in message


def test_help_and_commands_that_read_otherwise_do_without_a_broken_file(invoke):
    Path("../pyproject.toml").write_text("[tool.rankgauge]\nties = \n")
    assert invoke("evaluate", "--help").out
    assert invoke("convert", "a.run", "a.csv").err == ""


def test_the_help_names_the_file_and_all_settings_are_options(invoke):
    assert "[tool.rankgauge] in pyproject.toml" in invoke("--help").out
    options = invoke("evaluate", "--help", "--all").out
    assert all(f"--{key} " in options for key in KEYS)
