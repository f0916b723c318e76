"""The diff of two runs: topics, moves by brute force, names, rules, texts, and what is refused."""

import json
import math
import random

import numpy as np
import pytest

import rankgauge
from rankgauge.errors import InputError, OptionError
from rankgauge.explanation.diff import comment
from rankgauge.model.output.documents import FORMATS, document_lines
from rankgauge.model.texts import Texts

HOSTILE = [
    "<script>alert(1)</script>",
    "a|b",
    "`x`",
    "ünï\u202e",
    "new\nline",
    "@all #1 $x$",
    "\x1b[31m",
    "-",
    "x" * 1000,
]


def drawn(rng):
    """(judgments, old, new) with hostile ids, topics that either run lacks, and topics nobody judged."""
    docs = [*HOSTILE, *(f"d{number}" for number in range(20))]
    topics = ["1", "2", "<b>3", "4"]
    qrels = {t: {doc: rng.choice([0, 1, 2]) for doc in rng.sample(docs, 8)} for t in topics}
    old, new = (
        {
            t: rng.sample(docs, rng.randrange(1, 20))
            for t in [*topics, "other"]
            if t == "1" or rng.random() < 0.7
        }
        for _ in range(2)
    )
    return qrels, old, new


def moves_of(judged, old, new, depth):
    """(moved, came, went, and those of judged documents) of two lists, by brute force."""
    depth = depth or 10**9
    first, second = old[:depth], new[:depth]
    changes = (
        [doc for doc in first if doc in second and first.index(doc) != second.index(doc)],
        [doc for doc in second if doc not in first],
        [doc for doc in first if doc not in second],
    )
    return (*map(len, changes), *(sum(doc in judged for doc in each) for each in changes))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(("text", "depth"), [("nDCG@5", 5), ("AP", None), ("P(judged_only=true)@3", None)])
def test_moves_of_every_topic_are_those_of_brute_force(seed, text, depth):
    qrels, old, new = drawn(random.Random(seed))
    found = rankgauge.diff(qrels, old, new, text)
    assert found.depth == depth
    assert {each.topic for each in found.topics} == {*qrels}
    for each in found.topics:
        moves = moves_of(qrels[each.topic], old.get(each.topic, []), new.get(each.topic, []), depth)
        counts = (each.moves.moved, each.moves.came, each.moves.went)
        assert (*counts, each.moves.judged_moved, each.moves.judged_came, each.moves.judged_went) == moves


@pytest.mark.parametrize("depth", [3, None])
@pytest.mark.parametrize("block", [1, 20, 1 << 17])
@pytest.mark.parametrize("shuffled", [False, True])
def test_files_are_compared_some_topics_at_a_time(tmp_path, monkeypatch, depth, block, shuffled):
    rng = random.Random(block)
    docs, topics = [f"d{number}" for number in range(20)], [str(number) for number in range(9)]
    qrels = {t: {doc: rng.choice([0, 1]) for doc in rng.sample(docs, 8)} for t in topics}
    runs = [
        {t: rng.sample(docs, rng.randrange(1, 20)) for t in [*topics, "other"] if rng.random() < 0.6}
        for _ in range(2)
    ]
    for name, run in zip(("old", "new"), runs, strict=True):
        lines = [f"{t} Q0 {d} 0 {-rank} x\n" for t, docs in run.items() for rank, d in enumerate(docs)]
        if shuffled:
            rng.shuffle(lines)
        (tmp_path / name).write_text("".join(lines))
    options = {"depth": depth} if depth else {"measures": "AP"}
    whole = rankgauge.diff(qrels, *runs, **options)
    monkeypatch.setattr("rankgauge.explanation.diff.BLOCK", block)
    parts = rankgauge.diff(qrels, tmp_path / "old", tmp_path / "new", **options)
    assert parts.topics == whole.topics
    for topic in topics:
        assert parts.topic(topic).documents == whole.topic(topic).documents


@pytest.mark.parametrize("seed", range(12))
def test_ranks_and_grades_of_documents(seed):
    qrels, old, new = drawn(random.Random(seed))
    found = rankgauge.diff(qrels, old, new, topic="1")
    both = [*new["1"], *(doc for doc in old["1"] if doc not in new["1"])]
    assert [each.document for each in found.documents] == both
    for each in found.documents:
        was = old["1"].index(each.document) + 1 if each.document in old["1"] else None
        now = new["1"].index(each.document) + 1 if each.document in new["1"] else None
        assert (each.old, each.new, each.grade) == (was, now, qrels["1"].get(each.document))
        if was is None or now is None:
            assert each.move == ("new" if was is None else "lost")
        else:
            assert each.move == ("=" if was == now else f"↑{was - now}" if was > now else f"↓{now - was}")


@pytest.mark.parametrize("seed", range(6))
def test_values_and_means_are_those_of_evaluate_and_compare(seed):
    qrels, old, new = drawn(random.Random(seed))
    measures = ["nDCG@5", "AP"]
    found = rankgauge.diff(qrels, old, new, measures, test="randomisation", seed=3)
    scores = rankgauge.evaluate(qrels, {"old": old, "new": new}, measures)
    comparison = rankgauge.compare(scores, baseline="old", test="randomisation", seed=3)
    assert found.comparison.compared == comparison.compared
    for each in found.topics:
        place = scores.topics.index(each.topic)
        for number, measure in enumerate(measures):
            assert [each.old[measure], each.new[measure]] == scores.values[:, number, place].tolist()
    differences = [each.difference for each in found.topics]
    assert differences == sorted(differences)
    assert [each.topic for each in found.losses] == [
        each.topic for each in found.topics if each.difference < 0
    ]
    assert [each.topic for each in found.gains] == [
        each.topic for each in reversed(found.topics) if each.difference > 0
    ]


def test_where_lower_is_better_the_worst_topic_is_the_one_that_rose():
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}}
    old, new = {"q1": ["a"], "q2": ["x", "a"]}, {"q1": ["x", "y", "a"], "q2": ["a"]}
    found = rankgauge.diff(qrels, old, new, "ESL")
    assert [(each.topic, each.difference) for each in found.topics] == [("q1", 2.0), ("q2", -1.0)]
    assert [each.topic for each in found.losses] == ["q1"]


def test_a_topic_that_one_run_lacks_counts_as_empty_or_is_left_out():
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}}
    old, new = {"q1": ["a"], "q2": ["a"]}, {"q1": ["a"]}
    found = rankgauge.diff(qrels, old, new, "RR")
    assert [(each.topic, each.difference) for each in found.topics] == [("q2", -1.0), ("q1", 0.0)]
    assert found.topic("q2").documents[0].move == "lost"
    assert found.topic("q2").documents[0].shares["RR"] == -1.0
    skipped = rankgauge.diff(qrels, old, new, "RR", missing="skip")
    assert [each.topic for each in skipped.topics] == ["q1", "q2"]
    assert math.isnan(skipped.topics[-1].difference)
    assert "1 left out or undefined" in repr(skipped)
    assert skipped.topic("q2").changes["RR"].way == ""
    assert "lost" in repr(skipped.topic("q2"))


def test_identical_runs():
    qrels, run = {"q1": {"a": 1}, "q2": {"b": 1}}, {"q1": ["a", "b"], "q2": ["a", "b"]}
    found = rankgauge.diff(qrels, run, dict(run))
    assert not found.losses
    assert not found.gains
    assert "2 the same" in repr(found)
    assert "No document moved." in repr(found.topic("q1"))
    assert found.topic("q1").is_same
    assert not found.failed


def test_the_same_file_twice_is_no_error(write):
    qrels, run = str(write("qrels.txt", "q 0 a 1\n")), str(write("bm25.run", "q Q0 a 1 2 t\n"))
    found = rankgauge.diff(qrels, run, run)
    assert (found.old_run, found.new_run) == ("old", "new")


def test_files_of_the_same_name_are_named_by_their_paths(tmp_path, write):
    qrels = str(write("qrels.txt", "q 0 a 1\n"))
    paths = []
    for name in ("main", "change"):
        (tmp_path / name).mkdir()
        paths.append(tmp_path / name / "bm25.run")
        paths[-1].write_text("q Q0 a 1 2 t\n")
    found = rankgauge.diff(qrels, *paths)
    assert (found.old_run, found.new_run) == tuple(map(str, paths))


def test_ties_are_decided_as_evaluation_decides_them():
    qrels = {"q": {"a": 1}}
    old, new = {"q": {"a": 1.0, "b": 1.0}}, {"q": {"a": 2.0, "b": 1.0}}
    assert rankgauge.diff(qrels, old, new, "RR").topics[0].difference == 0.5
    assert rankgauge.diff(qrels, old, new, "RR", ties="docid_asc").topics[0].difference == 0.0
    (moved, _) = rankgauge.diff(qrels, old, new, "RR", topic="q").documents
    assert (moved.document, moved.move) == ("a", "↑1")


def test_judgments_by_subtopic():
    qrels = {"q": {"s1": {"a": 1, "b": 1}, "s2": {"c": 1}}}
    old, new = {"q": ["a", "b", "c"]}, {"q": ["a", "c", "b"]}
    found = rankgauge.diff(qrels, old, new, "alpha_nDCG@3 StRecall@2")
    scores = rankgauge.evaluate(qrels, {"old": old, "new": new}, "alpha_nDCG@3")
    difference = float(scores.values[1, 0, 0] - scores.values[0, 0, 0])
    assert found.topics[0].difference == difference > 0
    shares = [each.shares for each in found.topic("q").documents]
    assert math.fsum(each["alpha_nDCG@3"] for each in shares) == pytest.approx(difference)
    assert [each["StRecall@2"] for each in shares] == [0.0, 0.5, 0.0]


def test_the_depth_can_be_chosen():
    qrels = {"q": {"a": 1}}
    old, new = {"q": ["a", "b", "c", "d"]}, {"q": ["a", "b", "d", "c"]}
    assert rankgauge.diff(qrels, old, new, "AP").topics[0].moves.moved == 2
    assert rankgauge.diff(qrels, old, new, "AP", depth=2).topics[0].moves.moved == 0
    shallow = rankgauge.diff(qrels, old, new, "AP", depth=3)
    assert (shallow.topics[0].moves.came, shallow.topics[0].moves.went) == (1, 1)


def test_conditions_decide_whether_it_failed():
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}}
    old, new = {"q1": ["a"], "q2": ["x", "a"]}, {"q1": ["x", "a"], "q2": ["x", "y", "a"]}
    found = rankgauge.diff(qrels, old, new, "RR", fail_if=["RR drops by 10%", "P@1 rises"])
    assert found.failed
    assert found.measures == ("RR", "P@1")
    assert [bool(why) for why in found.checks.values()] == [True, False]
    assert not rankgauge.diff(qrels, new, old, "RR", fail_if="RR drops").failed


ONE = {"q": ["a"]}
EMPTY = ({}, {"q": []}, {"other": ["a"]})


@pytest.mark.parametrize(
    ("runs", "options", "error", "message"),
    [
        ((ONE, ONE), {"topic": "p"}, InputError, "no judged topic named 'p'"),
        ((ONE, [{"q": ["a"]}, {"q": ["b"]}]), {}, InputError, "the new run must be one"),
        ((ONE, ONE), {"ties": "average"}, OptionError, "one order of documents"),
        ((ONE, ONE), {"tie": "average"}, OptionError, "no option 'tie'"),
        ((ONE, ONE), {"depth": 0}, OptionError, "depth"),
        ((ONE, ONE), {"topic": "q", "fail_if": "RR drops"}, OptionError, "leave out the topic"),
        ((ONE, ONE), {"topic": "q", "by": {"q": "a"}}, OptionError, "by is for all topics"),
        ((ONE, ONE), {"topic": "q", "margin": 0.1}, OptionError, "margin is for all topics"),
        ((ONE,), {"by": np.ones((2, 2))}, OptionError, "by needs judgments"),
        ((ONE, ONE), {"fail_if": "RR falls"}, OptionError, "cannot be parsed"),
        *(((ONE, empty), {}, InputError, None) for empty in EMPTY),
        *(((empty, ONE), {}, InputError, None) for empty in EMPTY),
    ],
)
def test_what_is_refused(runs, options, error, message):
    with pytest.raises(error, match=message):
        rankgauge.diff({"q": {"a": 1}}, *runs, **options)


@pytest.mark.parametrize(
    "option",
    [
        {"documents": {"a": "a title"}},
        {"depth": 10},
        {"run_format": "trec"},
        {"qrels_columns": {"topic": "t"}},
        {"collapse": "prefix:#"},
        {"grades": {1: 0}},
        {"ties": "input"},
    ],
)
def test_options_of_judgments_and_runs_are_refused_with_scores(option):
    scores = rankgauge.evaluate({"q": {"a": 1}}, {"old": {"q": ["b", "a"]}, "new": {"q": ["a"]}}, "RR")
    assert [each.difference for each in rankgauge.diff(scores, "old", "new").topics] == [0.5]
    with pytest.raises(OptionError, match=f"{next(iter(option))} is for judgments and runs"):
        rankgauge.diff(scores, "old", "new", **option)


def test_runs_of_scores_are_given_by_name():
    scores = rankgauge.evaluate({"q": {"a": 1}}, {"old": {"q": ["b", "a"]}, "new": {"q": ["a"]}}, "RR")
    with pytest.raises(OptionError, match="with scores, pass the names of two runs, not a dict"):
        rankgauge.diff(scores, "old", {"q": ["a"]})


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("topic", [None, "1"])
def test_every_format_has_hostile_ids_escaped(form, topic, tmp_path):
    qrels, old, new = drawn(random.Random(2))
    old["1"], new["1"] = [*HOSTILE], [*reversed(HOSTILE)]
    qrels["1"] = dict.fromkeys(HOSTILE, 1)
    (tmp_path / "t.jsonl").write_text(
        "".join(
            json.dumps({"id": each, "text": f"</td><script>{each}"}) + "\n" for each in [*HOSTILE, *qrels]
        )
    )
    texts = Texts.open(tmp_path / "t.jsonl")
    found = rankgauge.diff(qrels, old, new, topic=topic, documents=texts, topics=texts)
    document = found.document() if topic else found.document(details=5)
    text = "\n".join(document_lines(document, form))
    assert "\x1b" not in text
    assert "\u202e" not in text
    if form in ("html", "markdown"):
        assert "<script" not in text.replace("\\<script", "")
        assert text.count("<details>") == text.count("</details>")
    assert "x" * 100 not in text


def test_json_has_everything_and_reads_back():
    qrels, old, new = drawn(random.Random(2))
    found = rankgauge.diff(qrels, old, new, "AP P@3", fail_if="AP drops")
    content = json.loads(json.dumps(found.as_dict(), allow_nan=False))
    assert [each["topic"] for each in content["topics"]] == [each.topic for each in found.topics]
    assert content["checks"][0]["condition"] == "AP drops"
    assert content["comparison"] == json.loads(json.dumps(found.comparison.as_dict()))
    topic = found.topic(found.topics[0].topic)
    content = json.loads(json.dumps(topic.as_dict(), allow_nan=False))
    assert [each["document"] for each in content["documents"]] == [each.document for each in topic.documents]
    assert [each["move"] for each in content["documents"]] == [each.move for each in topic.documents]
    assert content["changes"]["AP"]["difference"] == topic.changes["AP"].difference


def test_the_rows_of_a_long_table_and_what_is_left_out_add_up():
    docs = [f"d{number}" for number in range(60)]
    qrels = {"q": dict.fromkeys(docs, 1)}
    found = rankgauge.diff(qrels, {"q": docs[:30]}, {"q": docs[20:]}, "DCG", topic="q")
    section = found.explained(limit=7)
    rows = list(section.table.rows)
    assert rows[-2][0] == "(53 more documents)"
    assert rows[-1][0] == "(all)"
    assert math.fsum(row[-1] for row in rows[:-1]) == pytest.approx(rows[-1][-1])
    sizes = [abs(row[-1]) for row in rows[:7]]
    assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize(("text", "rest"), [("NumRet", 2.0), ("Utility", -2.0), ("P", 0.0)])
def test_what_is_due_to_the_number_of_documents_has_a_row_of_its_own(text, rest):
    qrels = {"q": {"a": 1, "b": 1}}
    found = rankgauge.diff(qrels, {"q": ["a"]}, {"q": ["x", "b", "a"]}, text, topic="q")
    change = found.changes[text]
    assert change.rest == rest
    assert math.fsum(each.shares[text] for each in found.documents) + rest == pytest.approx(change.difference)
    assert ("(the number of documents)" in repr(found)) == bool(rest)


def test_titles_and_queries_are_shown_and_cut(tmp_path):
    (tmp_path / "docs.jsonl").write_text(
        '{"id": "a", "title": "All about bears", "text": "..."}\n{"id": "b", "text": "'
        + "long " * 40
        + '"}\n'
    )
    (tmp_path / "topics.tsv").write_text("q\twhat do bears eat\n")
    qrels, old, new = {"q": {"a": 1, "b": 1}}, {"q": ["a", "b"]}, {"q": ["b", "c"]}
    options = {"documents": tmp_path / "docs.jsonl", "topics": tmp_path / "topics.tsv"}
    found = rankgauge.diff(qrels, old, new, **options)
    assert found.topics[0].query == "what do bears eat"
    assert "what do bears eat" in repr(found)
    text = repr(found.topic("q"))
    assert text.count("All about bears") == 2  # side by side, and among the shares
    assert "what do bears eat" in text
    assert "long long" in text
    assert "long " * 13 not in text
    assert [each.title for each in found.topic("q").documents][1] == ""


def test_a_notebook_shows_a_page_without_formulas():
    qrels, old, new = {"q": {"a": 1}}, {"q": ["a"]}, {"q": ["$x$", "a"]}
    assert "tex2jax_ignore" in rankgauge.diff(qrels, old, new)._repr_html_()
    topic = rankgauge.diff(qrels, old, new, topic="q")._repr_html_()
    assert "$x$" in topic
    assert "<h" not in topic


def test_undefined_values_get_one_note():
    qrels, run = {"q": {"a": 1}, "r": {"a": 0}}, {"q": ["a"], "r": ["a"]}
    (note,) = (each for each in rankgauge.diff(qrels, run, run, "R@1").notes if "undefined" in each)
    assert note.startswith("in each of old, new: R@1 undefined for 1 topic and counted as 0 in the mean")


def test_a_note_on_ties_names_no_rule_that_is_refused():
    tied = {"q1": {"a": 1.0, "b": 1.0}}
    notes = rankgauge.diff({"q1": {"a": 1, "b": 0}}, tied, tied, "RR").notes
    note = next(note for note in notes if "tie" in note)
    assert "`rankgauge evaluate` with best and worst shows the range" in note


def winning_with_the_lower_mean():
    """A new run that ranks the only relevant document higher on 24 of 30 topics, and far lower on 6."""
    docs = [f"d{n}" for n in range(1, 60)]
    qrels = {f"q{n}": {"r": 1} for n in range(30)}
    old = {topic: [*docs[:8], "r"] for topic in qrels}
    new = {topic: [*(docs[:7] if n < 24 else docs), "r"] for n, topic in enumerate(qrels)}
    return qrels, old, new


@pytest.mark.parametrize("shown", [lambda found: str(found.document()), comment])
def test_a_diff_says_which_run_the_test_finds_better_and_that_lower_is_better(shown):
    found = rankgauge.diff(*winning_with_the_lower_mean(), "ESL AP", test="sign")
    text = " ".join(shown(found).replace("\\", "").split())
    assert "new against old: ESL 9.0000 to 18.4000 (lower is better)" in text
    assert "ESL: lower is better." in text
    assert "ESL, AP: the means say otherwise for new > old." in text
    assert "better" in found.means().table.headers
    assert [row[list(found.means().table.headers).index("better")] for row in found.means().table.rows] == [
        "new",
        "new",
    ]


def test_the_diff_of_a_topic_says_that_lower_is_better():
    given = winning_with_the_lower_mean()
    both = repr(rankgauge.diff(*given, "ESL AP", topic="q1"))
    assert "ESL 9.0000 to 8.0000 (-1.0000) (lower is better), from old to new" in both
    assert "Values\n  ESL: lower is better.\n" in both
    assert "lower" not in repr(rankgauge.diff(*given, "AP", topic="q1"))
    assert "lower is better" in repr(rankgauge.diff(*given, "AP FirstRank", topic="q1"))


def test_a_diff_says_whether_it_corrects_for_its_measures():
    given = winning_with_the_lower_mean()
    single, together = rankgauge.diff(*given, "AP RR"), rankgauge.diff(*given, "AP RR", family="all")
    assert "p: by a two-sided paired t-test without correction for 2 measures;" in str(single.document())
    assert "t-test with Holm's correction for 2 measures;" in str(together.document())
    assert "corrected p" in together.means().table.headers
    assert "Interval: t interval of the mean difference, not corrected." in repr(together)
    assert "with Holm's correction for 2 measures, α = 0.05, 30 topics" in repr(together)
    assert "better" not in single.means().table.headers
