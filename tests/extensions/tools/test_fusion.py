"""Fusion of runs, against definitions written out document by document."""

import gzip
import math
import statistics

import numpy as np
import pytest

import rankgauge
from rankgauge.engines.local import document_ranks
from rankgauge.errors import InputError, OptionError
from rankgauge.extensions.tools import fusion
from rankgauge.extensions.tools.fusion_methods import FUSION_METHODS, NORMALISATIONS

WEIGHTS = [0.5, 0.2, 0.3]


def random_runs(topics=12, seed=5):
    """Three runs with ties, overlapping documents, different topics in different orders."""
    source = np.random.default_rng(seed)
    runs = {}
    for name in ("bm25", "dense", "splade"):
        order = source.permutation(topics)[: topics - 2].tolist()
        runs[name] = {
            f"q{topic}": {
                f"d{doc}": float(source.integers(-3, 9)) / 4
                for doc in source.permutation(14)[: source.integers(1, 12)].tolist()
            }
            for topic in order
        }
    return runs


def ranks_of(scores):
    """{document: rank}: by score, equal scores by id, both descending."""
    ordered = sorted(scores, key=lambda doc: (scores[doc], doc), reverse=True)
    return {doc: rank for rank, doc in enumerate(ordered, 1)}


def normalised(scores, name):
    """The scores of one run and topic, normalised by the definition."""
    values, ranks = [*scores.values()], ranks_of(scores)
    low, high, mean = min(values), max(values), statistics.fmean(values)
    each = {
        "min-max": lambda doc: (scores[doc] - low) / max(high - low, 1e-9),
        "max": lambda doc: scores[doc] / max(high, 1e-9),
        "sum": lambda doc: (scores[doc] - low) / max(sum(v - low for v in values), 1e-9),
        "z-score": lambda doc: (scores[doc] - mean) / max(statistics.pstdev(values), 1e-9),
        "rank": lambda doc: 1 - (ranks[doc] - 1) / len(values),
        "none": lambda doc: scores[doc],
    }[name]
    return {doc: each(doc) for doc in scores}


def by_definition(lists, method, normalise):
    """{document: fused score} of one topic; `lists` has the scores of each run, {} if it has none."""
    pool = {doc for scores in lists for doc in scores}
    scaled = [normalised(scores, normalise) if scores else {} for scores in lists]
    ranks = [ranks_of(scores) for scores in lists]
    weighted = [*zip(WEIGHTS, scaled, strict=True)]

    def points(rank, doc):
        return len(pool) - rank[doc] + 1 if doc in rank else (len(pool) - len(rank) + 1) / 2

    def fused(doc):
        scores = [each[doc] for each in scaled if doc in each]
        places = [each[doc] for each in ranks if doc in each]
        return {
            "rrf": lambda: sum(1 / (60 + place) for place in places),
            "sum": lambda: sum(scores),
            "mnz": lambda: sum(scores) * len(scores),
            "anz": lambda: sum(scores) / len(scores),
            "max": lambda: max(scores),
            "min": lambda: min(scores),
            "med": lambda: statistics.median(scores),
            "wsum": lambda: sum(w * each.get(doc, 0) for w, each in weighted),
            "wmnz": lambda: (
                sum(scores) * sum(w for w, each in zip(WEIGHTS, scaled, strict=True) if doc in each)
            ),
            "mixed": lambda: (
                sum(w * each.get(doc, 0) for w, each in zip(WEIGHTS, scaled, strict=True))
                * len(scores) ** 0.5
            ),
            "borda": lambda: sum(points(rank, doc) for rank in ranks),
            "isr": lambda: len(places) * sum(1 / place**2 for place in places),
            "log_isr": lambda: math.log(len(places)) * sum(1 / place**2 for place in places),
        }[method]()

    return {doc: fused(doc) for doc in pool}


WEIGHTED = ("wsum", "wmnz", "mixed")
CASES = [
    (name, normalise)
    for name, method in FUSION_METHODS.items()
    for normalise in ([None] if method.ranks else NORMALISATIONS)
]


@pytest.mark.parametrize(("method", "normalise"), CASES)
def test_every_method_is_as_defined(method, normalise):
    runs = random_runs()
    result = rankgauge.fuse(
        runs, method, normalise=normalise, weights=WEIGHTS if method in WEIGHTED else None
    )
    topics = dict.fromkeys(topic for run in runs.values() for topic in run)
    assert list(result.topics.texts()) == list(topics)
    for topic, scores in result.to_dict().items():
        lists = [run.get(topic, {}) for run in runs.values()]
        expected = by_definition(lists, method, normalise or "min-max")
        assert scores == pytest.approx(expected, rel=1e-12, abs=1e-12)
        ordered = list(scores)
        assert ordered == list(ranks_of(scores)), "rows are in the order of evaluation"
    starts = [rank for rank in result.ranks.tolist() if rank == 1]
    assert len(starts) == len(topics)


@pytest.mark.parametrize("rows", [1, 20, 50])
@pytest.mark.parametrize("method", FUSION_METHODS)
def test_blocks_and_threads_do_not_show(method, rows, monkeypatch):
    runs, weights = random_runs(), WEIGHTS if method in WEIGHTED else None
    whole = rankgauge.fuse(runs, method, weights=weights, threads=1)
    monkeypatch.setattr(fusion, "ROWS", rows)
    assert rankgauge.fuse(runs, method, weights=weights, threads=3).to_dict() == whole.to_dict()


def lines(run, name="a"):
    """The lines of a TREC file with ranks."""
    return [
        f"{topic} Q0 {doc} {rank} {scores[doc]} {name}\n"
        for topic, scores in run.items()
        for doc, rank in ranks_of(scores).items()
    ]


@pytest.fixture
def files(tmp_path):
    """The random runs in files: without a last newline, with a byte order mark, with the lines of DOS."""
    paths = [tmp_path / f"{name}.run" for name in random_runs()]
    texts = ["".join(lines(run)).encode() for run in random_runs().values()]
    forms = texts[0][:-1], b"\xef\xbb\xbf" + texts[1], texts[2].replace(b"\n", b"\r\n")
    for path, text in zip(paths, forms, strict=True):
        path.write_bytes(text)
    return paths


def in_memory(files, *args, **options):
    return rankgauge.fuse([rankgauge.Run.read(file) for file in files], *args, **options)


@pytest.mark.parametrize("size", [1, 500, 10**9])
@pytest.mark.parametrize("rules", [{}, {"order": "rank"}, {"ties": "input"}, {"depth": 3}], ids=str)
@pytest.mark.parametrize("method", ["rrf", "mnz", "med"])
def test_files_are_fused_some_topics_at_a_time_as_in_memory(method, rules, size, files, monkeypatch):
    expected = in_memory(files, method, **rules)
    monkeypatch.setattr(document_ranks, "BYTES", size)
    monkeypatch.setattr(document_ranks, "load_run", None)  # which takes all of a run into memory
    found = rankgauge.fuse(files, method, threads=2, **rules)
    assert found.columns().named() == expected.columns().named()


OTHERS = {
    "topics are spread": lambda text: b"".join(
        sorted(text.splitlines(keepends=True), key=lambda x: x.split()[3])
    ),
    "a comment": lambda text: b"# made by hand\n" + text,
    "a blank line": lambda text: text.replace(b"\n", b"\n \n", 1),
    "compressed": gzip.compress,
}


@pytest.mark.parametrize("change", OTHERS.values(), ids=OTHERS)
def test_other_files_are_read_as_a_whole(change, files, monkeypatch):
    files[2].write_bytes(change(files[2].read_bytes()))
    expected = in_memory(files)
    monkeypatch.setattr(document_ranks.TextIndex, "run", None)
    assert rankgauge.fuse(files).columns().named() == expected.columns().named()


def test_topics_have_one_order_where_duplicates_are_left_out(tmp_path):
    text = b"q1 Q0 d1 1 1 a\nq2 Q0 d2 1 1 a\nq1 Q0 d1 2 2 a\n"
    (tmp_path / "a.run").write_bytes(text)
    (tmp_path / "a.run.gz").write_bytes(gzip.compress(text))
    one, other = (rankgauge.fuse([tmp_path / name], duplicates="max") for name in ("a.run", "a.run.gz"))
    assert one.columns().named() == other.columns().named()


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (b"q0 Q0 d1 5 high a\n", r"run:\d+: the score is not a number: .high."),
        (b"q0\n", r"run:\d+: "),
        (b"# \0\n", r"run:\d+: .* NUL bytes"),
        (b"\0" * 3_000_000, r"run:\d+: .* more than 1,048,576 bytes"),
        (b"q1 Q0 d1 1 1 a\nq1 Q0 d1 1 1 a\n", r"run:\d+: document .d1. occurs twice in topic .q1."),
        (b"q0 Q0 d99 1 inf a\n", r"topic .q0., document .d99.: the fused score is inf"),
    ],
)
@pytest.mark.parametrize("size", [1, 10**9])
def test_a_wrong_line_of_a_file_is_named(more, message, size, files, monkeypatch):
    monkeypatch.setattr(document_ranks, "BYTES", size)
    with files[1].open("ab") as file:
        file.write(more)
    with pytest.raises(InputError, match=message):
        rankgauge.fuse(files, "sum", normalise="none")


def test_a_wrong_line_is_named_also_where_ranks_are_missing(tmp_path, monkeypatch):
    monkeypatch.setattr(document_ranks, "BYTES", 1)
    (tmp_path / "a.run").write_text("q1 Q0 d1 x 1 a\nq2 Q0 d2 1 high a\n")
    with pytest.raises(InputError, match=r"a\.run:2: the score is not a number"):
        rankgauge.fuse([tmp_path / "a.run"], order="rank")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n# q Q0\n",
        "q Q0 d 1 1 a\n".encode("utf-16"),
        b"q\rq\r",
        b"q\xa0Q0 d\n",
        b"PK\x03\x04 Q0 d1 1 1 a\n",
    ],
)
def test_a_file_without_results_is_refused_beside_others(data, files):
    files[1].write_bytes(data)
    with pytest.raises(InputError) as alone:
        rankgauge.Run.read(files[1], format="trec")
    with pytest.raises(InputError) as fused:
        rankgauge.fuse(files, run_format="trec")
    assert str(fused.value) == str(alone.value)


def test_depth_keeps_the_first_documents():
    runs = random_runs()
    everything = rankgauge.fuse(runs).to_dict()
    assert rankgauge.fuse(runs, depth=3).to_dict() == {
        topic: dict([*scores.items()][:3]) for topic, scores in everything.items()
    }


def test_weights_by_name_and_a_weighted_rrf():
    runs = {"a": {"q": {"x": 2.0, "y": 1.0}}, "b": {"q": {"y": 5.0}}}
    assert rankgauge.fuse(runs, weights={"b": 3, "a": 1}, k=1).to_dict() == {
        "q": {"y": 3 / 2 + 1 / 3, "x": 1 / 2}
    }
    assert rankgauge.fuse(runs, "weighted sum", weights=[1, 0], normalise="none").to_dict() == {
        "q": {"x": 2.0, "y": 1.0}
    }


def test_the_rules_of_evaluation_decide_ties():
    run = rankgauge.Run.from_dict({"q": {"a": 1.0, "b": 1.0}})
    assert rankgauge.fuse([run], k=0).to_dict() == {"q": {"b": 1.0, "a": 0.5}}
    assert rankgauge.fuse([run], k=0, ties="docid_asc").to_dict() == {"q": {"a": 1.0, "b": 0.5}}
    with pytest.raises(OptionError, match="ties=rank needs a rank for every result"):
        rankgauge.fuse([run], ties="rank")
    ranked = {"qid": ["q", "q"], "docno": ["a", "b"], "score": [1.0, 2.0], "rank": [1, 2]}
    assert rankgauge.fuse([ranked], k=0, order="rank").to_dict() == {"q": {"a": 1.0, "b": 0.5}}


def test_a_fused_run_is_written_and_read_again(tmp_path):
    result = rankgauge.fuse(random_runs(), "mnz", name="all three")
    result.write(tmp_path / "fused.run")
    again = rankgauge.Run.read(tmp_path / "fused.run")
    assert (again.to_dict(), again.tag) == (result.to_dict(), "all_three")
    assert again.ranks.tolist() == result.ranks.tolist()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "comb"}, "no fusion method named 'comb'"),
        ({"method": "sum", "normalise": "minmin"}, "no normalisation named 'minmin'.*min-max"),
        ({"normalise": "max"}, "rrf uses ranks, not scores; leave out the normalisation 'max'"),
        (
            {"method": "sum", "weights": [1, 2, 3]},
            "sum takes no weights; leave out weights, or use rrf, wsum",
        ),
        ({"method": "wsum"}, "wsum needs weights, one for each run"),
        ({"method": "wsum", "weights": [1, 2]}, "there are 2 weights for 3 runs"),
        (
            {"method": "wsum", "weights": {"x": 1}},
            "weights are of the runs x; the runs are bm25, dense, splade",
        ),
        ({"method": "wsum", "weights": [1, 2, math.nan]}, "weights must be finite numbers"),
        (
            {"method": "wsum", "weights": "1,2,3"},
            "weights must be finite numbers, one for each run, not '1,2,3'",
        ),
        ({"method": "wsum", "weights": 2}, "weights must be finite numbers, one for each run, not 2"),
        ({"method": "wsum", "weights": [1, 2, 10**400]}, "weights must be finite numbers"),
        ({"weights": {"bm25": 1, "dense": None, "splade": 2}}, "weights must be finite numbers"),
        ({"weights": {1: 2}}, "weights are of the runs 1; the runs are bm25"),
        ({"k": -1}, "k must be a number of at least 0, such as 60, not -1"),
        ({"k": "60"}, "k must be a number of at least 0, such as 60, not '60'"),
        ({"method": 5}, "no fusion method named '5'"),
        ({"method": "sum", "normalise": ""}, "no normalisation named ''"),
        ({"depth": 0}, "depth"),
        ({"ties": "average"}, "fusion needs one order of documents"),
    ],
)
def test_what_is_refused(options, message):
    with pytest.raises(OptionError, match=message):
        rankgauge.fuse(random_runs(), **options)


@pytest.mark.filterwarnings("error")
def test_an_infinite_score_is_named():
    runs = [{"q": {"a": math.inf, "b": 1.0}}, {"q": {"b": 1.0}}]
    for method in ("sum", "med", "anz"):
        for normalise in NORMALISATIONS.keys() - {"rank"}:
            with pytest.raises(InputError, match=r'topic "q", document "[ab]": the fused score is'):
                rankgauge.fuse(runs, method, normalise=normalise)
    assert list(rankgauge.fuse(runs, k=0).to_dict()["q"]) == ["b", "a"]


def test_the_median_of_large_scores_is_finite():
    runs = [{"q": {"a": 1.5e308}}, {"q": {"a": 1.7e308}}]
    assert rankgauge.fuse(runs, "med", normalise="none").to_dict() == {"q": {"a": 1.6e308}}


def test_equal_scores_are_normalised_to_zero():
    run = {"q": dict.fromkeys("abcdefghijk", 0.1)}
    for name in ("z-score", "min-max", "sum"):
        assert {*rankgauge.fuse([run], "sum", normalise=name).to_dict()["q"].values()} == {0.0}


def test_tied_documents_may_keep_the_order_of_the_runs():
    runs = [{"q": {"b": 1.0, "a": 1.0}}, {"q": {"c": 1.0}}]
    order = [list(rankgauge.fuse(runs, "max", ties=rule).to_dict()["q"]) for rule in ("input", "docid_asc")]
    assert order == [["b", "a", "c"], ["a", "b", "c"]]


@pytest.mark.parametrize("normalise", NORMALISATIONS)
@pytest.mark.parametrize("method", FUSION_METHODS)
def test_the_order_of_rows_makes_no_difference(method, normalise):
    source = np.random.default_rng(3)
    runs = [{"q": {f"d{n}": score for n, score in enumerate(source.random(99))}} for _ in WEIGHTS]
    turned = [{"q": dict(reversed(run["q"].items()))} for run in runs]
    options = {"weights": WEIGHTS} if method in WEIGHTED else {}
    options |= {} if FUSION_METHODS[method].ranks else {"normalise": normalise}
    assert (
        rankgauge.fuse(runs, method, **options).to_dict()
        == rankgauge.fuse(turned, method, **options).to_dict()
    )
