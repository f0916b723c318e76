"""trec_eval's values, to the printed digit, under the rules of version 10 and of version 9."""

import pytest

import rankgauge
from agreement.sets import QRELS, evaluated, lines, printed
from rankgauge.measures.settings import build

# Values at least, so that nothing passes by comparing nothing.
VALUES = {
    "ntcir13_www_english": 18_700,
    "trec_covid_rnd1": 43_200,
    "trec_dl_2019_passage": 53_200,
    "trec_dl_2021_passage": 316_500,
    "trec_web_2012": 18_900,
}
VALUES_AT_LEVEL_2 = {"trec_dl_2019_passage": 3_400, "trec_dl_2021_passage": 20_400}
# Texts rather than measures, and two that have a test of their own.
NOT_COMPARED = ("runid", "relstring", "rbp")
NEW_IN_10 = ("unj_",)


def measure(name, rel=None, version=10):
    """Our measure for one of trec_eval's names, perhaps at another level of relevance."""
    found = rankgauge.parse(name)
    own = {}
    if rel is not None and found.spec.binary:
        own["rel"] = rel
    if version == 9 and "levels" in found.settings:
        own["levels"] = "trec9"
    return build(found.spec, {**found.settings, **own}, found.cutoff)


def expected(path, passed_over=NOT_COMPARED):
    """{(run, topic, name): printed value} of the measures we have."""
    rows = (line.split("\t") for line in lines(path))
    return {
        (run, topic, name): value for run, name, topic, value, *_ in rows if not name.startswith(passed_over)
    }


def compared(folder, values, rel=None, version=10, **options):
    """(what, our value, theirs) for every value of theirs; like theirs, missing topics are left out."""
    ours = {name: str(measure(name, rel, version)) for name in sorted({name for _, _, name in values})}
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
def test_values_under_the_rules_of_version_9_are_those_of_trec_eval_9(name, data, agree):
    folder = data / name
    both = "trec_eval_10.0-rc3.all_trec.q.tsv.gz"
    values = expected(folder / "expected" / both, NOT_COMPARED + NEW_IN_10)
    values |= expected(folder / "expected" / "trec_eval_9.0.4.differs.tsv.gz")
    agree(compared(folder, values, version=9, score_precision="single"), 4, int(0.96 * VALUES[name]))


def test_precision_of_scores_and_recall_levels_are_what_makes_trec_eval_9_differ(data):
    folder = data / "trec_dl_2021_passage"
    differing = expected(folder / "expected" / "trec_eval_9.0.4.differs.tsv.gz")
    assert len(differing) > 4_000
    assert all(f"{found:.4f}" != value for _, found, value in compared(folder, differing))
    at_levels = {key: value for key, value in differing.items() if "iprec" in key[2] or "11pt" in key[2]}
    assert 1_000 < len(at_levels) < len(differing) - 1_000


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


def own_test(folder, output, qrels, run, rel=None, agree=None, at_least=0, version=10, **options):
    """Compare one of the outputs of trec_eval's own test suite."""
    rows = [line.split() for line in (folder / output).read_text().splitlines()]
    values = {(row[1], row[0]): row[2] for row in rows if not row[0].startswith(NOT_COMPARED)}
    ours = {name: str(measure(name, rel, version)) for _, name in values}
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
    ("out.test", "qrels.test", "results.test", None, "skip", 29),
    ("out.test", "qrels.test.with-comments", "results.test", None, "skip", 29),
    ("out.comment.test", "qrels.comment.test.gz", "results.comment.test.gz", None, "skip", 29),
    ("out.test.a", "qrels.test", "results.test", None, "skip", 93),
    ("out.test.aq", "qrels.test", "results.test", None, "skip", 363),
    ("out.test.aqc", "qrels.test", "results.trunc", None, "zero", 273),
    ("out.test.aql", "qrels.rel_level", "results.test", 2, "skip", 363),
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
def test_trec_eval_9s_own_tests_pass_under_its_rules(case, data, agree, tmp_path):
    options = {"version": 9, "score_precision": "single"}
    pass_own_test(data / "trec_eval_test", case, "v9.0.4_out/", agree, tmp_path, **options)


def test_trec_evals_measures_with_parameters_have_its_values(data, agree):
    folder = data / "trec_eval_test"
    own_test(
        folder, "out.test.meas_params", "qrels.test", "results.test", agree=agree, at_least=88, missing="skip"
    )


@pytest.mark.parametrize(
    ("name", "at_least"),
    [
        ("ntcir13_www_english", 374),
        ("trec_covid_rnd1", 900),
        ("trec_dl_2019_passage", 1_018),
        ("trec_dl_2021_passage", 6_237),
        ("trec_web_2012", 388),
    ],
)
def test_rank_biased_precision_and_its_residual_are_those_of_trec_eval_where_it_can_be_right(
    name, at_least, data, agree
):
    """It takes a topic's best grade for the highest there is, and forgets what may follow a judged list."""
    folder = data / name
    values = expected(folder / "expected" / "trec_eval_10.0-rc3.all_trec.q.tsv.gz", passed_over=("runid",))
    judged = [line.split() for line in lines(folder / QRELS[name])]
    highest = max(int(grade) for *_, grade in judged)
    complete = {topic for topic, *_, grade in judged if int(grade) == highest}
    by_topic, _ = evaluated(folder, ("Unjudged",), missing="skip")
    sound = {
        (run, topic, what): value
        for (run, topic, what), value in values.items()
        if (what == "rbp" and topic in complete)
        or (what == "rbp_resid" and topic != "all" and by_topic[run]["Unjudged"][topic] > 0)
    }
    agree(compared(folder, sound), 4, at_least)
