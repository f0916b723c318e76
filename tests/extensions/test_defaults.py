"""No figure or study fails on judgments and runs alone, has a single value, or drops runs in silence."""

import json

import pytest
from rankgauge.figures import figures

import rankgauge
from rankgauge.campaigns.registry import STUDIES

RUNS = 9
OF_PAIRS = ("differences",)  # two runs, and no more
BY_SUBTOPIC = ("alpha", "alpha-gain", "reversed-ideal")
DRAWN = [name for name, plot in figures().items() if plot.needs not in ("table", "nothing")]
SLOW = ("alpha-gain", "asl", "correlation", "robustness", "sweep")  # on many runs


@pytest.fixture(scope="module")
def simulated(tmp_path_factory):
    """The folder of a simulated campaign."""
    folder = tmp_path_factory.mktemp("campaign")
    rankgauge.simulate(topics=12, systems=RUNS, depth=60, subtopics=4, seed=3).write(folder)
    return folder


def drawn(invoke, path, name, *files):
    """The specification of a figure, its datasets and its words."""
    invoke("figure", name, *files, "-o", path)
    spec = json.loads(path.read_text())
    words = " ".join([*spec["title"]["text"], *spec["title"].get("subtitle", ()), spec["description"]])
    return spec["datasets"], words


def values(rows):
    """The different numbers in each column."""
    columns = {name: {row[name] for row in rows if isinstance(row[name], (int, float))} for name in rows[0]}
    return [each for each in columns.values() if each]


def is_count(column):
    """Whether a column counts from 0 or 1 on, as ranks do."""
    return min(column) in (0, 1) and column == {*range(int(min(column)), int(max(column)) + 1)}


def check(datasets, words, runs):
    """Whether something varies beside ranks and places, and every run is drawn or counted."""
    columns = [column for rows in datasets.values() if rows for column in values(rows)]
    assert any(len(column) > 1 and not is_count(column) for column in columns), "a picture of one value"
    cells = {str(cell) for rows in datasets.values() for row in rows for cell in row.values()}
    counted = f"{len(runs)} runs" in words or f"{len(runs) * (len(runs) - 1) // 2} pairs" in words
    assert counted or all(run in cells or run in words for run in runs), f"not drawn: {set(runs) - cells}"


def test_pictures_of_one_value_and_without_some_runs_are_found():
    flat = [{"run": run, "rank": rank, "value": 1.0} for run in "ab" for rank in (1, 2, 3)]
    with pytest.raises(AssertionError, match="one value"):
        check({"data": flat}, "", ["a", "b"])
    check({"data": [{**row, "value": 1 / row["rank"]} for row in flat]}, "", ["a", "b"])
    with pytest.raises(AssertionError, match="not drawn"):
        check({"data": [{**row, "value": 1 / row["rank"]} for row in flat]}, "", ["a", "b", "c"])


@pytest.mark.parametrize("name", DRAWN)
def test_every_figure_draws_a_campaign_without_options(name, simulated, tmp_path, invoke):
    runs = sorted(path.stem for path in (simulated / "runs").iterdir())
    files = [simulated / "runs"]
    if name in OF_PAIRS:
        runs = runs[:2]
        files = [simulated / "runs" / f"{run}.run" for run in runs]
    qrels = "qrels.diversity.txt" if name in BY_SUBTOPIC else "qrels.txt"
    if name == "reversed-ideal":
        runs, files = [], []
        sentence = "no topic has more than one subtopic"
        assert sentence in invoke("figure", name, simulated / "qrels.txt", "-o", "x.svg", code=2).err
    check(*drawn(invoke, tmp_path / "figure.json", name, simulated / qrels, *files), runs)


@pytest.mark.parametrize("name", STUDIES)
def test_every_study_finds_something_without_options(name, simulated, invoke):
    qrels = "qrels.diversity.txt" if name in BY_SUBTOPIC else "qrels.txt"
    files = [simulated / "runs"] if STUDIES[name].least_runs else []
    found = json.loads(invoke("study", name, simulated / qrels, *files, "--format", "json", "--quiet").out)
    assert found["sentences"]
    tables = [rows for rows in found["tables"].values() if rows]
    assert any(len(column) > 1 for rows in tables for column in values(rows)), "the same number everywhere"


@pytest.mark.parametrize("name", [n for n in DRAWN if n not in (*SLOW, *OF_PAIRS, "reversed-ideal")])
def test_every_figure_draws_a_real_campaign_without_options(name, data, tmp_path, invoke):
    folder = data / "trec_dl_2021_passage"
    runs = sorted(path.name.split(".")[0] for path in (folder / "runs").glob("*.gz"))
    check(
        *drawn(invoke, tmp_path / "figure.json", name, folder / "qrels.dl21-passage.txt.gz", folder / "runs"),
        runs,
    )


def test_intervals_of_several_runs_and_measures_are_told_apart(simulated, tmp_path, invoke):
    table = tmp_path / "intervals.csv"
    for measures, panels in (("AP", 1), ("AP RR", 2)):
        files = (simulated / "qrels.txt", simulated / "runs", "-m", measures)
        invoke("evaluate", *files, "--interval", "-o", table)
        datasets, _ = drawn(invoke, tmp_path / "figure.json", "intervals", table)
        assert [len({row["name"] for row in rows}) for rows in datasets.values()] == [RUNS] * panels
