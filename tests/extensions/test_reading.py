"""Verbs and commands of extensions read runs and judgments as evaluation does."""

import html.parser

import pyarrow as pa
import pytest
from pyarrow import parquet

import rankgauge
from rankgauge.campaigns.campaign import Campaign
from rankgauge.cli.main import main
from rankgauge.extensions.judging import agreement, pool

QRELS = {"q1": {"d1": 1, "d2": 1}, "q2": {"d3": 2, "d1": 0}}
PASSAGES = {
    "q1": {"d1#2": 7.0, "d9#1": 9.0, "d1#1": 8.0, "d2#7": 6.0},
    "q2": {"d3#1": 4.0, "d1#3": 5.0, "d3#3": 4.5},
}
DOCUMENTS = {"q1": {"d1": 15.0, "d9": 9.0, "d2": 6.0}, "q2": {"d3": 8.5, "d1": 5.0}}  # sums of passages
RULE = "sum,prefix:#"


def test_passages_are_collapsed():
    fused = rankgauge.fuse([PASSAGES], "sum", collapse=RULE)
    assert fused.to_dict() == rankgauge.fuse([DOCUMENTS], "sum").to_dict()
    assert pool([PASSAGES], depth=1, collapse=RULE).to_dict() == {"q1": {"d1": 1}, "q2": {"d3": 1}}
    campaign = rankgauge.report(QRELS, [PASSAGES], "AP", collapse=RULE).session.campaign
    assert campaign.scores("AP").provenance.choices["collapse"] == RULE
    assert pool([PASSAGES, {"q1": {"d1": 1.0}}], collapse="prefix:#").notes[0] == (
        "run2: 1 result has no document by collapse and stays as it is"
    )


def test_grades_are_recoded():
    grades, strict = {1: 0, 2: 1}, {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 1, "d1": 0}}
    page = rankgauge.report(QRELS, {"a": DOCUMENTS}, "AP", grades=grades).markdown()
    assert "| grades | 1=0,2=1 |" in page
    assert agreement(QRELS, strict, grades={1: 0}).settings["grades"] == "1=0"


@pytest.mark.parametrize(
    "command",
    [
        "study topics Q A B -m AP --measures nDCG",
        "pool A B --judged Q --depth 2",
        "agreement Q Q",
        "report Q A B -m AP --format md -o -",
    ],
)
def test_commands_take_grades(command, tmp_path, monkeypatch, capsys):
    printed = []
    for name, changed, option in (("before", {}, ["--grades", "1=0,2=1"]), ("after", {1: 0, 2: 1}, [])):
        folder = tmp_path / name
        folder.mkdir()
        monkeypatch.chdir(folder)
        judged = [(t, d, changed.get(g, g)) for t, docs in QRELS.items() for d, g in docs.items()]
        (folder / "Q").write_text("".join(f"{t} 0 {d} {g}\n" for t, d, g in judged))
        for run, sign in (("A", 1), ("B", -1)):
            rows = [(t, d, sign * s) for t, docs in DOCUMENTS.items() for d, s in docs.items()]
            (folder / run).write_text("".join(f"{t} Q0 {d} 1 {s} {run}\n" for t, d, s in rows))
        assert main([*command.split(), *option]) == 0
        printed.append([line for line in capsys.readouterr().out.splitlines() if "grades" not in line])
    assert printed[0] == printed[1] != []


def test_a_pool_takes_whole_files_and_directories(tmp_path):
    rows = [(t, d, s) for t in map(str, range(8)) for d, s in zip("abcdefg", range(7), strict=True)]
    whole = pa.table(dict(zip(("query_id", "doc_id", "score"), zip(*rows, strict=True), strict=True)))
    parquet.write_table(whole, tmp_path / "run.parquet")
    (tmp_path / "run").mkdir()
    for name, part in (("a", whole[:30]), ("b", whole[:0]), ("c", whole[30:])):
        parquet.write_table(part, tmp_path / "run" / f"{name}.parquet")
    expected = pool(whole, depth=5).to_dict()
    assert expected["0"] == dict.fromkeys("cdefg", 1)
    assert pool(tmp_path / "run.parquet", depth=5).to_dict() == expected
    assert pool(tmp_path / "run", depth=5).to_dict() == expected


def test_a_report_takes_iterators(tmp_path):
    judged = ((topic, doc, grade) for topic, docs in QRELS.items() for doc, grade in docs.items())
    ranked = ((topic, doc, score) for topic, docs in DOCUMENTS.items() for doc, score in docs.items())
    made = rankgauge.report(judged, {"x": ranked, "y": DOCUMENTS})
    made.save(tmp_path / "report.html")
    assert "nDCG" in (tmp_path / "report.html").read_text()


def test_findings_show_names_as_text_in_a_notebook():
    name = "<script>alert(1)</script>$x$\x1b"
    run = {"1": {name: 1.0}, name: {"b": 1.0}}
    found = rankgauge.studies.leave_out(Campaign({"1": {name: 1}, name: {"b": 1}}, {name: run, "b": run}))
    page, tags = found._repr_html_(), []
    parser = html.parser.HTMLParser()
    parser.handle_starttag = lambda tag, _: tags.append(tag)
    parser.feed(page)
    assert "script" not in tags
    assert ("&lt;script&gt;" in page, "\x1b" in page) == (True, False)
    assert page.startswith('<div class="tex2jax_ignore mathjax_ignore">')  # or $x$ would be a formula
