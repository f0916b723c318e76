"""Large outputs of trec_eval on real runs, through the command, line by line in their order."""

import gzip

import pytest

from agreement.sets import QRELS

# Lines at least, so that nothing passes by comparing nothing.
LINES = {
    "ntcir13_www_english": 19_000,
    "trec_covid_rnd1": 8_000,
    "trec_dl_2019_passage": 12_000,
    "trec_dl_2021_passage": 15_000,
    "trec_web_2012": 14_000,
}
# trec_eval compares the gains of rbp with numbers that it never set: what it printed says nothing.
NO_REFERENCE = ("rbp",)
NEW_IN_10 = ("rbp", "rbp_resid", "unj_5", "unj_10", "unj_20")


def rows(path):
    with gzip.open(path, "rt") as file:
        return [line.rstrip("\n").split("\t") for line in file]


def some_runs(folder):
    """Three runs of a collection: the first, the last, and one in between."""
    names = sorted(path.name.removesuffix(".run.gz") for path in (folder / "runs").glob("*.run.gz"))
    return sorted({names[0], names[len(names) // 2], names[-1]})


def with_residuals(lines):
    """The lines, but of rankings without unjudged documents the residual that lies below them.

    trec_eval has 0 there. The mean of a run that has such rankings is nothing to compare with.
    """
    retrieved = {topic: int(value) for name, topic, value in lines if name == "num_ret"}
    right = []
    for name, topic, value in lines:
        if name == "rbp_resid" and topic != "all" and value == "0.0000":
            value = f"{0.9 ** retrieved[topic]:.4f}"
        right.append((name, topic, value))
    same = right == lines
    return [line for line in right if same or line[:2] != ("rbp_resid", "all")]


def compare(trec_eval, folder, expected, rules, left_out, at_least):
    compared = 0
    for run in some_runs(folder):
        said = trec_eval(
            *("-q", "-m", "all_trec", "--rules", rules),
            *(folder / QRELS[folder.name], folder / "runs" / f"{run}.run.gz"),
        )
        assert said.status == 0, said.err
        wanted = [line for line in with_residuals(expected[run]) if line[0] not in left_out]
        compared_with = {line[:2] for line in wanted}
        found = [line for line in said.lines if line[:2] in compared_with]
        assert found == wanted
        assert len(said.lines) - len(found) <= len(left_out) * len({topic for _, topic, _ in found}) + 1
        compared += len(found)
    assert compared >= at_least


@pytest.fixture(scope="session")
def tables(data):
    """{collection: {run: lines of version 10}}."""
    found = {}
    for name in LINES:
        by_run = found.setdefault(name, {})
        for run, measure, topic, value in rows(
            data / name / "expected" / "trec_eval_10.0-rc3.all_trec.q.tsv.gz"
        ):
            by_run.setdefault(run, []).append((measure, topic, value))
    return found


@pytest.mark.parametrize("name", LINES)
def test_the_lines_are_those_of_version_10(name, data, tables, trec_eval):
    compare(trec_eval, data / name, tables[name], 10, NO_REFERENCE, LINES[name])


@pytest.mark.parametrize("name", LINES)
def test_the_lines_are_those_of_version_9(name, data, tables, trec_eval):
    other = {
        (run, measure, topic): value
        for run, measure, topic, value, *_ in rows(
            data / name / "expected" / "trec_eval_9.0.4.differs.tsv.gz"
        )
    }
    expected = {
        run: [(m, t, other.get((run, m, t), v)) for m, t, v in lines] for run, lines in tables[name].items()
    }
    compare(trec_eval, data / name, expected, 9, NEW_IN_10, int(LINES[name] * 0.9))
