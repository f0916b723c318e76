"""How ids differ from judged ones, and what is reported of it."""

import pytest

import rankgauge
from rankgauge.campaigns.campaign import Campaign
from rankgauge.cli.main import main
from rankgauge.errors import InputError, NoCommonTopic
from rankgauge.model.id_differences import difference
from rankgauge.model.provenance import hardly_any

# (ids of a run, judged ids, what differs)
DIFFERENT = [
    (["DOC1"], ["doc1"], "in case"),
    (["straße1"], ["STRASSE1"], "in case"),
    (["doc1 "], ["doc1"], "in whitespace"),
    (["\ufeffdoc1", "\ufeffdoc2"], ["doc1", "doc2"], "in case and punctuation"),
    (['"doc1"'], ["doc1"], "in quotes"),
    (["1.0", "2.0"], ["1", "2"], "in a decimal point"),
    (["001", "002"], ["1", "2"], "in leading zeros"),
    (["D7"], ["D007"], "in leading zeros"),
    (["a00b0107"], ["a0b107"], "in leading zeros"),
    (["file:///home/x/a.html"], ["a.html"], "in the directory or host"),
    (["https://example.org/wiki/Rome/"], ["Rome"], "in the directory or host"),
    (["a"], ["a.html"], "in the extension"),
    (["cord-uid-x1"], ["cord_uid_x1"], "in hyphens and underscores"),
    (["MSMARCO passage 1"], ["msmarco_passage_1"], "in case and punctuation"),
    (["xmsmarco_1_22", "xmsmarco_2_44"], ["msmarco_1_22"], 'by the prefix "x" in the run'),
    (["22", "44"], ["msmarco_22", "msmarco_44"], 'by the prefix "msmarco_" in the judgments'),
    (["q1", "q2"], ["1", "2"], 'by the prefix "q" in the run'),
    (["x" * 21], ["x" * length for length in range(20, 10, -1)], 'by the prefix "x" in the run'),
    (["doc1#0", "doc2#0"], ["doc1", "doc2"], 'by the suffix "#0" in the run'),
]


@pytest.mark.parametrize(("ids", "judged", "what"), DIFFERENT)
def test_the_difference_of_ids_is_named(ids, judged, what):
    found = difference([(ids, judged)])
    assert found.startswith(f"{what} ("[: len(what)])
    assert found.endswith("in the judgments)")


@pytest.mark.parametrize(
    ("ids", "judged"),
    [
        (["d1", "d2"], ["e1", "e2"]),
        (["4523", "123456"], ["523", "999"]),  # a number is not cut
        (["x1"], ["1"]),  # one short id may be a part of another by chance
        (["", " "], ["", "a"]),
        ([], []),
        (["a"], []),
    ],
)
def test_where_it_is_not_clear_no_difference_is_named(ids, judged):
    assert difference([(ids, judged)]) == ""


class Cut(str):
    """An id that counts how often it is cut."""

    times = 0

    def __getitem__(self, place):
        Cut.times += 1
        return super().__getitem__(place)


@pytest.mark.parametrize(("ids", "length"), [(500, 300), (1, 100_000)])
def test_the_work_does_not_grow_with_the_length_of_ids(ids, length):
    Cut.times = 0
    known = [f"{'y' * 250}{number}" for number in range(200)]
    assert difference([([Cut("x" * length + str(number)) for number in range(ids)], known)]) == ""
    assert Cut.times <= 20 * ids


def run_of(change, topics=30, depth=20):
    """Judgments of some documents, and a run whose ids are changed."""
    qrels = {f"t{t}": {f"msmarco_{t}_{n}": n % 2 for n in range(10)} for t in range(topics)}
    run = {t: {change(f"msmarco_{t[1:]}_{n}"): float(-n) for n in range(depth)} for t in qrels}
    return qrels, run


@pytest.fixture
def written(tmp_path):
    """Writes judgments and runs, {file name: run}, and returns their paths."""

    def write(qrels, **runs):
        paths = [str(tmp_path / "qrels.txt"), *(str(tmp_path / name) for name in runs)]
        rankgauge.Qrels.from_dict(qrels).write(paths[0])
        for path, run in zip(paths[1:], runs.values(), strict=True):
            rankgauge.Run.from_dict(run).write(path)
        return paths

    return write


@pytest.mark.parametrize(
    ("change", "what", "mend"),
    [
        (str.upper, "in case", None),
        ("x{}".format, 'by the prefix "x"', "regex:x(.+)"),
        ("{}.0".format, "in a decimal point", r"regex:(.+)\.0+"),
        ("id:ns::{}".format, 'by the prefix "id:ns::"', "regex:id:ns::(.+)"),
        ("http://a.org/{}".format, "in the directory or host", "regex:.*/([^/]+)/*"),
    ],
)
def test_a_run_without_a_judged_document_is_refused_with_the_cause_and_the_mend(change, what, mend):
    qrels, run = run_of(change)
    with pytest.raises(InputError, match="run: none of 600 results is judged; document ids differ") as error:
        rankgauge.evaluate(qrels, run, "nDCG@10")
    assert f"differ {what}" in str(error.value)
    assert ("collapse" in str(error.value)) is (mend is not None)
    if mend is not None:
        assert f"; collapse={mend!r} makes them equal" in str(error.value)
        found = rankgauge.evaluate(qrels, run, "nDCG@10", collapse=mend)
        assert found.mean() == rankgauge.evaluate(*run_of(str), "nDCG@10").mean()
    for evaluate in (lambda: Campaign(qrels, run).scores("AP"), lambda: rankgauge.curves(qrels, run, "P")):
        with pytest.raises(InputError, match="none of 600 results is judged"):
            evaluate()
    good = rankgauge.evaluate(qrels, {"bad": run, "good": run_of(str)[1]}, "nDCG@10")
    assert good.notes[0].startswith("bad: none of 600 results is judged")
    assert good.notes[0] in repr(good)


@pytest.mark.parametrize("name", ["x.run", "x.run.gz", "x.parquet", "x.jsonl"])
def test_files_of_every_kind_are_looked_into(name, written, capsys, invoke):
    qrels, run = run_of("x{}".format)
    paths = written(qrels, **{name: run})
    assert main(["evaluate", *paths, "--quiet"]) == 2
    printed = capsys.readouterr()
    sentence = 'none of 600 results is judged; document ids differ by the prefix "x" in the run'
    assert sentence in printed.err
    assert "; --collapse 'regex:x(.+)' makes them equal" in printed.err
    assert not printed.out
    assert main(["evaluate", *paths, "--collapse", "regex:x(.+)"]) == 0
    assert (
        'is judged: document ids differ by the prefix "x" in the run'
        in invoke("validate", paths[1], "--qrels", paths[0]).out
    )


def test_a_few_judged_documents_do_not_hide_that_the_others_have_other_ids():
    qrels, run = run_of("x{}".format)
    run["t0"]["msmarco_0_1"] = 5.0
    (note, *_) = rankgauge.evaluate(qrels, run, "nDCG@10").notes
    assert note.startswith('run: only 1 of 601 results is judged; document ids differ by the prefix "x"')


def test_a_run_of_few_judged_documents_whose_ids_are_alike_by_chance_is_not_noted(written, invoke):
    """As with one judged document per topic among many results, and addresses that end alike."""
    ends = ["index.html", *(f"{n}.html" for n in range(300))]
    qrels = {f"t{n}": {f"http://{n}.org/index.html": 1} for n in range(3)}
    run = {
        topic: dict.fromkeys(docs, 2.0) | {f"http://other.org/{end}": 1.0 for end in ends}
        for topic, docs in qrels.items()
    }
    paths = written(qrels, **{"r.run": run})
    assert not any("judged" in note for note in rankgauge.evaluate(*paths, "nDCG@10").notes)
    assert "are judged" not in invoke("validate", paths[1], "--qrels", paths[0]).out
    ids = [f"http://{n}.org/{end}" for n in "ab" for end in ("index.html", "x")]
    assert difference([(ids, ["http://other.org/index.html"])]) == ""


def test_a_run_of_which_hardly_anything_is_judged_is_noted_without_a_cause(written, invoke):
    qrels, run = run_of(lambda doc: f"{hash(doc)}")
    (note,) = rankgauge.evaluate(qrels, run, "nDCG@10").notes
    assert note == "run: none of 600 results is judged; do run and judgments have the same document ids?"
    run["t0"]["msmarco_0_1"] = run["t1"]["msmarco_1_1"] = 5.0
    sentence = "only 2 of 602 results are judged; do run and judgments have the same document ids?"
    (note,) = rankgauge.evaluate(qrels, run, "nDCG@10").notes
    assert note == f"run: {sentence}"
    paths = written(qrels, **{"r.run": run})
    assert f"note: r: {sentence}" in invoke("evaluate", *paths).err
    shown = invoke("validate", paths[1], "--qrels", paths[0]).out
    assert 'only 2 of the 602 results of judged topics are judged: topic "t0" has "' in shown
    assert "check that run and judgments use the same document ids" in shown


def test_a_file_without_a_judged_document_is_refused_unless_that_may_be_chance(written, invoke):
    qrels, run = run_of(lambda doc: f"{hash(doc)}")
    paths = written(qrels, **{"many.run": run, "few.run": {"t0": dict(list(run["t0"].items())[:9])}})
    for command in ("evaluate", "compare", "explain"):
        assert "many: none of 600 results is judged" in invoke(command, *paths[:2], code=2).err
    assert "many: none of 600" in invoke("evaluate", *paths[:2], "--curve", "-m", "P", code=2).err
    assert "few: none of 9 results is judged" in invoke("evaluate", paths[0], paths[2]).err


def test_a_run_whose_judged_documents_are_not_relevant_is_one_of_the_same_ids():
    qrels, run = run_of(str)
    qrels = {topic: {**dict.fromkeys(docs, 0), "other": 1} for topic, docs in qrels.items()}
    (note,) = rankgauge.evaluate(qrels, run, "nDCG@10").notes
    assert note == "run: none of 600 results is relevant to these measures; 300 are judged"


def test_an_ordinary_run_is_not_read_twice(monkeypatch):
    from rankgauge.engines.local import reading

    monkeypatch.setattr(reading, "document_difference", None)
    qrels, run = run_of(str)
    assert rankgauge.evaluate(qrels, run, "nDCG@10").notes == ()


@pytest.mark.parametrize(
    ("topics", "what"),
    [(("001", "002"), "in leading zeros"), (("Q1", "Q2"), "in case"), (("q-1", "q-2"), "in hyphens")],
)
def test_the_error_of_no_common_topic_names_the_cause(topics, what):
    judged = {str(int(t)) if t.isdecimal() else t.lower().replace("-", ""): {"d": 1} for t in topics}
    with pytest.raises(NoCommonTopic, match=f"topic ids differ {what}"):
        rankgauge.evaluate(judged, {t: {"d": 1.0} for t in topics}, "AP")


def test_runs_that_are_copies_are_noted_whatever_their_form(written, invoke):
    qrels, run = run_of(str)
    turned = {t: dict(reversed(docs.items())) for t, docs in reversed(run.items())}
    other = {
        t: {**docs, "unjudged": -9.5} for t, docs in run.items()
    }  # as long, with the same judged documents
    shorter = {t: {d: s for d, s in docs.items() if s > -19} for t, docs in other.items()}
    paths = written(qrels, **{"a.run": run, "b.jsonl": turned, "c.run": shorter})
    scores = rankgauge.evaluate(paths[0], paths[1:], "AP nDCG@10")
    assert [note for note in scores.notes if "same documents" in note] == [
        "b has the same documents in the same order as a in all topics"
    ]
    assert {name: facts.copy_of for name, facts in scores.provenance.runs.items()} == {
        "a": "",
        "b": "a",
        "c": "",
    }
    assert "b has the same documents in the same order as a" in invoke("evaluate", *paths[:3], "-m", "AP").err
    assert invoke("validate", *paths[1:]).out.count("remark: a copy of") == 1


@pytest.mark.parametrize(
    ("judged", "results", "topics", "expected"),
    [
        (0, 0, 0, True),
        (0, 5, 1, True),
        (1, 200, 11, False),  # one in 200 results
        (1, 201, 11, True),
        (1, 201, 10, False),  # one in ten topics
        (5, 1001, 51, True),
        (5, 1000, 51, False),
        (5, 1001, 50, False),
    ],
)
def test_hardly_any_result_is_judged_below_one_in_200_and_one_in_ten_topics(
    judged, results, topics, expected
):
    assert hardly_any(judged, results, topics) == expected
