"""trec_eval's values, to the printed digit, under the rules of version 10 and of version 9."""

import re

import pytest

import rankgauge
from agreement.sets import QRELS, evaluated, lines, printed

# Values at least, so that nothing passes by comparing nothing.
VALUES = {
    "ntcir13_www_english": 8_000,
    "trec_covid_rnd1": 19_000,
    "trec_dl_2019_passage": 23_000,
    "trec_dl_2021_passage": 139_000,
    "trec_web_2012": 8_000,
}
VALUES_AT_LEVEL_2 = {"trec_dl_2019_passage": 2_800, "trec_dl_2021_passage": 17_000}
OURS = re.compile(r"map|map_cut_\d+|P_\d+|recall_\d+|recip_rank|ndcg|ndcg_cut_\d+|set_P|set_recall")
WITHOUT_CUTOFF = {"set_P": "P", "set_recall": "R"}  # names that the language has otherwise


def measure(name, rel=None):
    """Our measure for one of trec_eval's names, perhaps at another level of relevance."""
    found = rankgauge.parse(WITHOUT_CUTOFF.get(name, name))
    if rel is None or not found.spec.binary:
        return found
    return rankgauge.parse(f"{found.spec.name}(rel={rel})" + (f"@{found.cutoff}" if found.cutoff else ""))


def expected(path):
    """{(run, topic, name): printed value} of the measures we have."""
    rows = (line.split("\t") for line in lines(path))
    return {(run, topic, name): value for run, name, topic, value, *_ in rows if OURS.fullmatch(name)}


def compared(folder, values, rel=None, **options):
    """(what, our value, theirs) for every value of theirs; like theirs, missing topics are left out."""
    ours = {name: str(measure(name, rel)) for name in sorted({name for _, _, name in values})}
    by_topic, mean = evaluated(folder, tuple(ours.values()), missing="skip", **options)
    for (run, topic, name), value in values.items():
        found = mean[run][ours[name]] if topic == "all" else by_topic[run][ours[name]][topic]
        yield (run, topic, name), printed(found), value


def test_every_collection_with_expected_values_is_compared(data):
    assert {path.parent.name for path in data.glob("*/expected")} == set(QRELS) == set(VALUES)


@pytest.mark.parametrize("name", VALUES)
def test_values_are_those_of_trec_eval_10(name, data, agree):
    folder = data / name
    values = expected(folder / "expected" / "trec_eval_10.0-rc3.all_trec.q.tsv.gz")
    agree(compared(folder, values), 4, VALUES[name])


@pytest.mark.parametrize("name", VALUES)
def test_values_in_single_precision_are_those_of_trec_eval_9(name, data, agree):
    folder = data / name
    values = expected(folder / "expected" / "trec_eval_10.0-rc3.all_trec.q.tsv.gz")
    values |= expected(folder / "expected" / "trec_eval_9.0.4.differs.tsv.gz")
    agree(compared(folder, values, precision="single"), 4, VALUES[name])


def test_single_precision_is_what_makes_trec_eval_9_differ(data):
    folder = data / "trec_dl_2021_passage"
    differing = expected(folder / "expected" / "trec_eval_9.0.4.differs.tsv.gz")
    assert len(differing) > 1_000
    doubles = compared(folder, differing)
    assert all(f"{found:.4f}" != value for _, found, value in doubles)


@pytest.mark.parametrize("name", VALUES_AT_LEVEL_2)
def test_values_at_the_second_level_of_relevance_are_those_of_trec_eval(name, data, agree):
    folder = data / name
    values = expected(folder / "expected" / "trec_eval_10.0-rc3.l2.q.tsv.gz")
    agree(compared(folder, values, rel=2), 4, VALUES_AT_LEVEL_2[name])


def of_six_columns(path, folder):
    """A copy without what follows the sixth column, which trec_eval overlooks and we refuse."""
    copy = folder / path.name
    copy.write_text("".join(" ".join(line.split()[:6]) + "\n" for line in path.read_text().splitlines()))
    return copy


def own_test(folder, output, qrels, run, rel=None, agree=None, at_least=0, **options):
    """Compare one of the outputs of trec_eval's own test suite."""
    rows = [line.split() for line in (folder / output).read_text().splitlines()]
    values = {(row[1], row[0]): row[2] for row in rows if OURS.fullmatch(row[0])}
    ours = {name: str(measure(name, rel)) for _, name in values}
    scores = rankgauge.evaluate(folder / qrels, folder / run, ours.values(), **options)
    [by_topic], [mean] = scores.to_dict().values(), scores.mean().values()
    agree(
        (
            (
                (topic, name),
                printed(mean[ours[name]] if topic == "all" else by_topic[ours[name]][topic]),
                value,
            )
            for (topic, name), value in values.items()
        ),
        4,
        at_least,
    )


# (expected output, judgments, run, level of relevance, missing topics, values at least)
OWN_TESTS = [
    ("out.test", "qrels.test", "results.test", None, "skip", 11),
    ("out.test", "qrels.test.with-comments", "results.test", None, "skip", 11),
    ("out.comment.test", "qrels.comment.test.gz", "results.comment.test.gz", None, "skip", 11),
    ("out.test.a", "qrels.test", "results.test", None, "skip", 40),
    ("out.test.aq", "qrels.test", "results.test", None, "skip", 160),
    ("out.test.aqc", "qrels.test", "results.trunc", None, "zero", 120),
    ("out.test.aql", "qrels.rel_level", "results.test", 2, "skip", 160),
]


def pass_own_test(folder, case, directory, agree, tmp_path, **options):
    output, qrels, run, rel, missing, at_least = case
    path = of_six_columns(folder / run, tmp_path) if run == "results.trunc" else run
    own_test(folder, f"{directory}{output}", qrels, path, rel, agree, at_least, missing=missing, **options)


@pytest.mark.parametrize("case", OWN_TESTS, ids=lambda case: f"{case[0]}-{case[1]}")
def test_trec_evals_own_tests_pass(case, data, agree, tmp_path):
    pass_own_test(data / "trec_eval_test", case, "", agree, tmp_path)


@pytest.mark.parametrize(
    "case", [c for c in OWN_TESTS if c[0] != "out.comment.test"], ids=lambda case: f"{case[0]}-{case[1]}"
)
def test_trec_eval_9s_own_tests_pass_in_single_precision(case, data, agree, tmp_path):
    pass_own_test(data / "trec_eval_test", case, "v9.0.4_out/", agree, tmp_path, precision="single")


def test_trec_evals_measures_with_parameters_have_its_values(data, agree):
    folder = data / "trec_eval_test"
    own_test(
        folder, "out.test.meas_params", "qrels.test", "results.test", agree=agree, at_least=24, missing="skip"
    )
