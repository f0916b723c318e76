"""Notes and advice: what they say, when they speak up, and that they change nothing."""

import gzip
import random

import pytest

import rankgauge
from rankgauge.campaigns.campaign import Campaign
from rankgauge.cli.main import main
from rankgauge.measures import MEASURES
from rankgauge.measures.cumulated import NOT_NORMALISED
from rankgauge.measures.rankings.programs import Unsupported
from rankgauge.model import notes
from rankgauge.model.provenance import Provenance

EMPTY = Provenance().as_dict()
RULES = {"ties": "docid_desc", "duplicates": "first", "missing": "zero", "undefined": "zero"}


def facts_of(runs, **options):
    return list(notes.on_data(Provenance.from_dict({**EMPTY, "options": RULES | options, "runs": runs})))


ORDERS = "over 1000 random orders of tied documents (seed 7)"
RANDOM_ORDERS = {"topics": {"ERR": 3, "Q": 3, "AP11": 1}, "orders": 1000, "seed": 7}
FACTS = {
    "counts": (
        {
            "bm25": {
                "missing": 1,
                "unjudged_topics": 2,
                "decisive_ties": 4,
                "undefined": {"AP": 3, "R@5": 3},
            },
            "ql": {"missing": 0, "unjudged_topics": 1, "decisive_ties": 1, "undefined": {"AP": 0, "R@5": 0}},
        },
        {},
        [
            "bm25: 1 judged topic has no results and counts as empty (missing=skip leaves it out)",
            "bm25: 2 topics have no judgments and are left out",
            "ql: 1 topic has no judgments and is left out",
            "bm25: AP, R@5 undefined for 3 topics and counted as 0 in the mean "
            "(undefined=skip leaves it out)",
            "bm25: 4 ties could change a score (broken by ties=docid_desc; best and worst show the range)",
            "ql: 1 tie could change a score (broken by ties=docid_desc; best and worst show the range)",
        ],
    ),
    "the rules in force": (
        {"bm25": {"missing": 2, "duplicates_dropped": 1, "undefined": {"AP": 1}}},
        {"missing": "skip", "undefined": "skip"},
        [
            "bm25: 2 judged topics have no results and are left out (missing=zero counts them)",
            "bm25: 1 duplicate of a document was left out (duplicates=first)",
            "bm25: AP undefined for 1 topic and left out of the mean (undefined=zero counts it as 0)",
        ],
    ),
    "orders of ties": (
        {"bm25": {"decisive_ties": 4, "random_orders": RANDOM_ORDERS}, "ql": {"decisive_ties": 0}},
        {"ties": "average"},
        [
            "bm25: 4 ties could change a score (all orders count: ties=average)",
            f"bm25: ERR, Q {ORDERS} for 3 topics, which have too many orders to enumerate",
            f"bm25: AP11 {ORDERS} for 1 topic, which has too many orders to enumerate",
        ],
    ),
    "many runs stay few": (
        {f"run{i}": {"missing": i, "decisive_ties": 2, "undefined": {"AP": 1, "RR": 1}} for i in range(50)},
        {},
        [
            "in each of run1, run2, run3 and 46 more: 1 to 49 judged topics have no results and count as "
            "empty (missing=skip leaves them out)",
            "in each of 50 runs: AP, RR undefined for 1 topic and counted as 0 in the mean "
            "(undefined=skip leaves it out)",
            "in each of 50 runs: 2 ties could change a score "
            "(broken by ties=docid_desc; best and worst show the range)",
        ],
    ),
}


@pytest.mark.parametrize("name", FACTS)
def test_facts_of_runs_are_noted(name):
    runs, options, expected = FACTS[name]
    assert facts_of(runs, **options) == expected


def campaign(topics, relevant=1, retrieved=1):
    """Judgments and a run of so many topics, each with so many relevant documents, the first retrieved."""
    docs = [f"d{n}" for n in range(relevant)]
    qrels = {f"t{t}": dict.fromkeys(docs, 1) for t in range(topics)}
    run = {topic: {doc: float(-n) for n, doc in enumerate(docs[:retrieved])} for topic in qrels}
    return qrels, run


def notes_of(measures, *, topics=30, relevant=1, retrieved=1, **options):
    qrels, run = campaign(topics, relevant, retrieved)
    return rankgauge.evaluate(qrels, run, measures, **options).notes


BELOW_BASE = (
    "30 topics have fewer relevant documents than the base, up to which no rank is discounted; "
    "use a smaller base="
)
BELOW_CUTOFF = (
    "30 topics have more relevant documents than the cutoff, so 1 is out of reach; use a deeper cutoff"
)
ORDINAL = MEASURES["RR"].shows.caution
FAR_BEYOND = (
    "30 topics have fewer relevant documents than half of the cutoff, so 0.5 is out of reach; "
    "Rprec adapts to each topic"
)


@pytest.mark.parametrize(
    ("measures", "relevant", "expected"),
    [
        ("AP P@10 nDCG@10 R@10", 6, ()),
        ("AP RR P@10 nDCG@10 R@1000", 6, (f"RR: {ORDINAL}",)),
        ("RR(average=median) FirstRank", 6, ()),
        ("CG@5 DCG@5 ADCG@5 RR@5", 6, (f"CG@5, DCG@5, ADCG@5: {NOT_NORMALISED}", f"RR@5: {ORDINAL}")),
        *((f"nDCG(base={base})@100", 3, ()) for base in (2, 3)),
        *((f"nDCG(base={base})@100", 3, (f"nDCG(base={base})@100: {BELOW_BASE}",)) for base in (4, 10)),
        *((measure, 6, (f"{measure}: {BELOW_CUTOFF}",)) for measure in ("R@5", "AP@5")),
        *((m, 6, ()) for m in ("AP(norm=cut)@5", "P@5", "nDCG@5", "R@6", "AP", "nCG@5")),
        ("R@1 R@2 R@3 AP@1", 4, (f"all 4 measures: {BELOW_CUTOFF}",)),  # which share a sentence
        ("P@10 P P@1", 4, (f"P@10: {FAR_BEYOND}",)),
        *(("P@10 P P@1", relevant, ()) for relevant in (5, 30)),
    ],
)
def test_what_the_judgments_leave_out_of_reach_is_noted(measures, relevant, expected):
    assert notes_of(measures, relevant=relevant) == expected
    assert notes.on_data(Provenance()) == notes.advice(Provenance()) == ()


@pytest.mark.parametrize(("topics", "text"), [(1, "only 1 topic"), (24, "only 24 topics"), (25, None)])
def test_few_topics_are_noted(topics, text):
    found = notes_of("AP", topics=topics)
    assert [note.partition(":")[0] for note in found] == ([text] if text else [])


def test_what_holds_whatever_the_data_is_shown_where_a_measure_is_explained(invoke):
    caution = "RR(average=median) reports the median"
    assert caution in repr(rankgauge.explain({"q": {"a": 1}}, {"q": {"a": 1.0}}, measure="RR", topic="q"))
    assert caution in " ".join(invoke("measures", "RR").out.split())


def test_topics_without_relevant_documents_have_no_base_to_fall_short_of():
    scores = rankgauge.evaluate({"q": {"a": 0}}, {"q": {"a": 1.0}}, "nDCG(base=10)")
    assert not any("than the base" in note for note in scores.notes)


def test_unjudged_documents_above_a_cutoff_are_counted_if_a_measure_looks_at_all_that_is_judged():
    qrels, run = campaign(30, 3, 3)
    run["t0"] |= {"u": 1.0, "v": 2.0}
    run["t1"] |= {"u": -9.0}
    scores = rankgauge.evaluate(qrels, run, "P(judged_only=true)@3 P@5")
    assert scores.provenance.runs["run"].unjudged == {"3": 2, "5": 3}
    assert scores.notes == (
        "run: 2 unjudged documents in the top 3 and 3 in the top 5 (judged_only=true ignores them)",
    )
    assert rankgauge.evaluate(qrels, run, "P@3 P@5").provenance.runs["run"].unjudged == {}


@pytest.fixture
def files(write):
    """Judgments of two topics and a run with results for one."""
    return str(write("qrels", "1 0 a 1\n2 0 a 1\n")), str(write("run", "1 Q0 a 1 1 t\n"))


@pytest.mark.parametrize(
    ("option", "kinds"),
    [((), ["note", *["advice"] * 2]), (("--no-advice",), ["note"]), (("--quiet",), [])],
)
def test_notes_and_advice_go_to_stderr_and_can_be_silenced(option, kinds, files, invoke):
    out, err = invoke("evaluate", *files, "-m", "RR", *option)
    assert out == "run\tRR\nrun\t0.5000\n"
    assert [line.partition(":")[0] for line in err.splitlines()] == kinds


@pytest.mark.parametrize(
    ("judged", "noted"),
    [("1 0 a 1\n2 0 a 1\n", True), ("1 1 a 1\n1 2 b 1\n2 1 a 1\n", False), ("1 7 a 1\n2 8 a 1\n", True)],
)
def test_judgments_without_subtopics_are_noted_where_a_measure_needs_some(judged, noted, write, capsys):
    qrels, run = str(write("qrels", judged)), str(write("run", "1 Q0 a 1 1 t\n2 Q0 a 1 1 t\n"))
    assert main(["evaluate", qrels, run, "-m", "alpha_nDCG@10 P_IA AP"]) == 0
    text = (
        "advice: alpha_nDCG@10, P_IA: no topic has more than one subtopic, so there is nothing to diversify"
    )
    assert (text in capsys.readouterr().err) == noted


def test_a_run_without_a_judged_document_is_noted(write, invoke):
    qrels = write("qrels", "1 0 doc1 1\n1 0 doc2 0\n")
    runs = [write("bad.run", "1 Q0 DOC1 1 2 t\n1 Q0 DOC2 2 1 t\n"), write("one.run", "1 Q0 DOC1 1 2 t\n")]
    runs.append(write("good.run", "1 Q0 doc2 1 2 t\n1 Q0 doc1 2 1 t\n"))
    files = [*map(str, (qrels, *runs))]
    cause = 'document ids differ in case ("DOC1" in the run, "doc1" in the judgments)'
    expected = [f"bad: none of 2 results is judged; {cause}", f"one: the only result is not judged; {cause}"]
    assert [note for note in rankgauge.evaluate(qrels, runs, "nDCG@10").notes if "judged" in note] == expected
    assert [
        line for line in invoke("evaluate", *files, "--no-advice").err.splitlines() if "judged" in line
    ] == [f"note: {sentence}" for sentence in expected]
    with pytest.raises(Unsupported, match="hardly anything is judged"):  # another back end finds out why
        rankgauge.Evaluator(files[0], "nDCG@10", back_end="programs").evaluate(files[1])


@pytest.mark.parametrize("back_end", ["arrays", "programs"])
def test_a_grade_below_rel_that_has_no_gain_is_advised_upon(write, back_end):
    qrels, run = write("qrels", "1 0 a 0.5\n1 0 b 1\n1 0 c 0.25\n"), write("x.run", "1 Q0 a 1 2 t\n")
    evaluator = rankgauge.Evaluator(str(qrels), "RBP(gains=linear) Q RBP nDCG Q(rel=0.75)", back_end=back_end)
    found = [note for note in evaluator.evaluate(str(run)).notes if "has no gain" in note]
    assert found == [
        "RBP(gains=linear), Q: grade 0.5 has no gain, since it is below rel=1 (rel=0.5 counts it)"
    ]
    whole = rankgauge.evaluate({"1": {"a": 1, "b": 0, "c": -1}}, {"1": {"a": 1.0}}, "Q RBP(gains=linear)")
    assert "has no gain" not in " ".join(whole.notes)


def tied_at_90(write):
    lines = [f"1 Q0 d{n} {n} {200 - (n if n != 91 else 90)} t\n" for n in range(1, 101)]
    return write("qrels", "1 0 d5 1\n1 0 d90 1\n"), write("x.run", "".join(lines))


def ties_noted(scores):
    return [note for note in scores.notes if "could change a score" in note]


@pytest.mark.parametrize(
    ("measures", "noted"),
    [
        ("nDCG@10", False),
        ("nDCG@89", False),
        ("nDCG@90", True),
        ("AP", True),
        ("P R NumRet Judged F", False),  # sets have no order
        ("nDCG@10 RR", False),  # the first relevant document is at rank 5
        ("RR(judged_only=true)", True),  # no order changes it, which is not looked into
        ("P@90", True),  # the cutoff divides the tie
        ("P@91 P@89", False),
        ("R@91 nDCG@91", True),
        ("Success@90", False),
        ("P(judged_only=true)@2", True),
        ("Success@5", False),
        ("Rprec IPrec@0.1 SlidingRatio@10", True),  # only the first ranks count, which is not looked into
        ("IPrec@0.9", True),
        ("ESL", False),  # which is about ties
    ],
)
def test_ties_are_noted_where_a_measure_can_see_them(write, measures, noted):
    qrels, run = tied_at_90(write)
    assert bool(ties_noted(rankgauge.evaluate(qrels, run, measures))) is noted
    assert bool(ties_noted(Campaign(qrels, run).scores(measures))) is noted
    runs = rankgauge.Run.read(run).to_dict()
    assert bool(ties_noted(rankgauge.evaluate(qrels, runs, measures))) is noted
    if not {"ESL", "Judged", "IPrec@0.1", "SlidingRatio@10"} & {*measures.split()}:  # which need arrays
        small = rankgauge.Evaluator(str(qrels), measures, back_end="programs").evaluate(str(run))
        assert bool(ties_noted(small)) is noted


def test_a_campaign_counts_the_ties_that_an_evaluation_counts():
    draw = random.Random(4)
    docs, topics = [f"d{n}" for n in range(60)], [*map(str, range(8))]
    qrels = {topic: {doc: draw.randrange(3) for doc in docs[::2]} for topic in topics}
    runs = {name: {topic: {doc: draw.randrange(40) for doc in docs} for topic in topics} for name in "ab"}
    for measures in ("nDCG@5", "AP", "Bpref nDCG@10"):
        expected = rankgauge.evaluate(qrels, runs, measures).provenance.runs
        found = Campaign(qrels, runs).scores(measures).provenance.runs
        counts = {run: facts.decisive_ties for run, facts in expected.items()}
        assert {run: facts.decisive_ties for run, facts in found.items()} == counts
        assert any(counts.values())


@pytest.mark.parametrize("back_end", ["arrays", "programs"])
def test_scores_that_rise_with_the_ranks_are_noted(write, back_end):
    def lines(score, count=12):
        return "".join(f"{t} Q0 d{n} {n} {score(n)} t\n" for t in (1, 2) for n in range(1, count))

    qrels = write("qrels", "1 0 d1 1\n2 0 d1 1\n")
    runs = {
        "distances.run": lines(lambda n: n / 10),
        "gzipped.run.gz": gzip.compress(lines(lambda n: n / 10).encode()),
        "ties.run": lines(lambda n: n // 2 * 2),
        "ordinary.run": lines(lambda n: -n),
        "constant.run": lines(lambda n: 1),
        "few.run": lines(lambda n: n, 5),
        "mixed.run": lines(lambda n: n % 7),
        "unordered.run": "".join(reversed(lines(lambda n: -n).splitlines(keepends=True))),
    }
    paths = [str(write(name, text)) for name, text in runs.items()]
    evaluator = rankgauge.Evaluator(str(qrels), "RR", back_end=back_end)
    found = [note for path in paths for note in evaluator.evaluate(path).notes if "rise" in note]
    assert found == [
        f"{name}: scores rise with the ranks in {pairs} pairs of neighbours looked at, so that the last "
        "document comes first; are they distances? (order=rank goes by the ranks)"
        for name, pairs in (("distances", 20), ("gzipped", 20), ("ties", 10))
    ]
    by_rank = rankgauge.evaluate(qrels, paths[0], "RR", order="rank")
    assert "rise" not in " ".join(by_rank.notes)


def ranked_rows(score, topics=12, depth=30):
    rows = [(str(t), f"d{n}", n, float(score(t, n))) for t in range(topics) for n in range(1, depth)]
    return dict(zip(("query_id", "doc_id", "rank", "score"), map(list, zip(*rows, strict=True)), strict=True))


@pytest.mark.parametrize(
    ("score", "noted"),
    [
        (lambda t, n: n, True),
        (lambda t, n: -n, False),
        (lambda t, n: n if t % 2 else -n, False),
        (lambda t, n: -n if t == 0 else n, True),  # most topics are enough
        (lambda t, n: n * 7919 % 101, False),  # ranks of another order
        (lambda t, n: 1, False),
    ],
)
def test_scores_that_rise_with_the_ranks_of_frames_and_files_are_noted(score, noted, tmp_path):
    frame = ranked_rows(score)
    qrels = {str(t): {"d1": 1} for t in range(12)}
    run = rankgauge.Run.from_frame(frame)
    runs = {"frame": frame, "run": run}
    for name in ("x.parquet", "x.csv", "x.run"):
        run.write(tmp_path / name)
        runs[name] = tmp_path / name
    for each, given in runs.items():
        found = " ".join(rankgauge.evaluate(qrels, {each: given}, "RR").notes)
        assert (f"{each}: scores rise with the ranks in " in found) == noted, each
        assert "rise" not in " ".join(rankgauge.evaluate(qrels, {each: given}, "RR", order="rank").notes)


def test_the_whole_of_a_large_run_is_sampled(write):
    """Only the first topic, which is longer than what is read to find out the format, is in order."""
    lines = [f"1 Q0 document{n} {n} {-n} t\n" for n in range(5000)]
    lines += [f"{t} Q0 document{n} {n} {n} t\n" for t in range(2, 40) for n in range(1000)]
    found = rankgauge.evaluate(
        write("qrels", "1 0 document1 1\n2 0 document1 1\n"), write("x", "".join(lines)), "AP"
    )
    assert "x: scores rise with the ranks in " in " ".join(found.notes)


@pytest.mark.parametrize(("cutoff", "noted"), [(3, False), (4, True), (100, True)])
def test_ncg_below_the_relevant_documents_is_noted(cutoff, noted):
    sentence = "30 topics have fewer relevant documents than the cutoff"
    found = [note for note in notes_of(f"nCG@{cutoff} nDCG@{cutoff} nCG", relevant=3) if sentence in note]
    effect = "below their number, a late document costs nothing (nDCG discounts it)"
    assert found == ([f"nCG@{cutoff}: {sentence}: {effect}"] if noted else [])


# Rankings of two relevant documents that are in place at rank 1, at rank 2, at both or at neither.
EFFORT = {t: {"a": 2, "b": 1, "c": 1} for t in ("q1", "q2")}
PLACED, LATE = {"a": 9.0, "x": 8.0, "b": 7.0, "c": 6.0}, {"x": 9.0, "y": 8.0, "z": 7.0, "a": 6.0}


def readings_of(runs, measures, **options):
    advice = rankgauge.evaluate(EFFORT, runs, measures, **options).notes
    return [note for note in advice if " another value " in note]


def test_what_depends_on_the_reading_of_twist_is_noted():
    runs = {"one": {"q1": PLACED, "q2": LATE}, "two": {"q1": LATE, "q2": LATE}}
    slow = {
        crossing: rankgauge.evaluate(EFFORT, runs, f"Twist(crossing={crossing},N=6)")
        for crossing in ("return", "definition")
    }
    differing = int((slow["return"].values != slow["definition"].values).sum())
    assert 0 < differing < 4
    (note,) = readings_of(runs, "Twist(N=6) AP SpaceRatio(N=6)")
    assert note == (
        f"Twist(N=6): Twist(N=6,crossing=definition) has another value for {differing} of 4 rankings "
        "and another order for 0 of 1 pairs of runs"
    )
    (note,) = readings_of(runs["one"], "RecoveryRatio(N=6,crossing=definition)")
    assert note.startswith(
        "RecoveryRatio(N=6,crossing=definition): RecoveryRatio(N=6) has another value for 1"
    )
    assert "pairs" not in note


def test_readings_that_agree_are_not_noted():
    assert readings_of({"q1": {"a": 9.0, "b": 8.0, "c": 7.0}, "q2": LATE}, "Twist(N=6)") == []
    assert readings_of({"q1": PLACED, "q2": LATE}, "Twist(N=6)", ties="average") == []
    assert readings_of({"q1": PLACED, "q2": LATE}, "SpaceRatio(N=6) AP") == []


def test_facts_on_readings_are_saved_and_count_pairs_of_runs(tmp_path):
    runs = {"one": {"q1": PLACED, "q2": PLACED}, "two": {"q1": {"b": 9.0, "a": 8.0, "c": 7.0}, "q2": LATE}}
    scores = rankgauge.evaluate(EFFORT, {**runs, "three": {"q1": LATE, "q2": LATE}}, "Twist(N=6)")
    means = [
        [of_run[str(m)] for of_run in rankgauge.evaluate(EFFORT, scores_runs, m).mean().values()]
        for m in ("Twist(N=6)", "Twist(N=6,crossing=definition)")
        for scores_runs in [{**runs, "three": {"q1": LATE, "q2": LATE}}]
    ]
    pairs = [(i, j) for i in range(3) for j in range(i)]
    signs = [[(m[i] > m[j]) - (m[i] < m[j]) for i, j in pairs] for m in means]
    facts = scores.provenance.measure("Twist(N=6)").other_reading
    assert facts.swapped == sum(a != b for a, b in zip(*signs, strict=True))
    assert (facts.pairs, facts.values) == (3, 6)
    scores.save(tmp_path / "s.parquet")
    assert rankgauge.Scores.load(tmp_path / "s.parquet").provenance == scores.provenance
