"""Collections on the command line: NAME=QRELS,RUN[,RUN...]."""

import json

import pytest

from rankgauge import simulate, studies
from rankgauge.cli.collections import Collection, collection
from rankgauge.cli.main import main
from rankgauge.errors import OptionError


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """Two campaigns, as directories."""
    made = {}
    for seed, systems in enumerate((4, 3)):
        directory = tmp_path_factory.mktemp("campaign")
        simulate(topics=6, depth=10, systems=systems, subtopics=2, seed=seed).write(directory)
        made[f"{'AB'[seed]}"] = directory
    return made


def options(places):
    return [
        part
        for name, place in places.items()
        for part in ("--collection", f"{name}={place}/qrels.txt,{place}/runs/*.run")
    ]


def test_the_text_of_a_collection_is_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run=bm25" / "part").mkdir(parents=True)
    assert collection("COVID=q.txt,a.run, runs/*.gz") == Collection("COVID", "q.txt", ("a.run", "runs/*.gz"))
    assert collection("a b=s.parquet") == Collection("a b", "s.parquet")
    assert collection("W=q,run=bm25/part,subtopics=d.txt,probabilities=p,alphas=a") == Collection(
        "W", "q", ("run=bm25/part",), "d.txt", "p", "a"
    )


@pytest.mark.parametrize("text", ["", "X", "=q,r", "X=", "X=q,,r", "X=,r", "X=subtopics=d", "X=q,subtopics="])
def test_other_texts_are_refused(text):
    with pytest.raises(OptionError, match=r"a collection looks like NAME=QRELS,RUN"):
        collection(text)
    with pytest.raises(OptionError, match=r"has alphas= twice"):
        collection("X=q,r,alphas=a,alphas=b")


def test_a_study_has_every_collection_in_each_table(places, invoke):
    argv = ["-m", "AP RR", "--samples", "20"]
    found = json.loads(invoke("study", "power", *options(places), *argv, "--format", "json").out)[
        "collections"
    ]
    for name, place in places.items():
        campaign = studies.Campaign(place / "qrels.txt", f"{place}/runs/*.run")
        assert found[name] == studies.power(campaign, measures="AP RR", samples=20).as_dict()
    header, *rows = invoke(
        "study", "power", *options(places), *argv, "--table", "pairs", "--format", "csv"
    ).out.splitlines()
    assert header.startswith("collection,")
    assert [row[0] for row in rows] == ["A"] * 12 + ["B"] * 6


def test_runs_are_selected_within_each_collection(places, invoke):
    argv = ["study", "power", *options(places), "-m", "AP", "--samples", "20", "--select", "top=2"]
    assert [row[0] for row in invoke(*argv, "--table", "pairs", "--format", "csv").out.splitlines()[1:]] == [
        "A",
        "B",
    ]


def test_judgments_by_subtopic_are_used_where_they_are_needed(places, capsys, invoke):
    with_subtopics = [
        f"{name}={place}/qrels.txt,{place}/runs/*.run,subtopics={place}/qrels.diversity.txt"
        for name, place in places.items()
    ]
    printed = []
    for files in (
        with_subtopics,
        [text.split(",subtopics=")[0].replace("qrels", "qrels.diversity") for text in with_subtopics],
    ):
        argv = [part for text in files for part in ("--collection", text)]
        assert main(["study", "alpha", *argv, "--values", "0.5", "--depths", "5", "--table", "gains"]) == 0
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]
    argv = [part for text in with_subtopics for part in ("--collection", text)]
    by_files = json.loads(
        invoke("study", "correlation", *argv, "-m", "AP RR", "--samples", "0", "--format", "json").out
    )
    assert (
        json.loads(
            invoke(
                "study", "correlation", *options(places), "-m", "AP RR", "--samples", "0", "--format", "json"
            ).out
        )
        == by_files
    )


def test_files_of_scores_are_collections(places, tmp_path, invoke):
    for name, place in places.items():
        files = [f"{place}/qrels.txt", f"{place}/runs/*.run"]
        assert (
            main(["evaluate", *files, "-m", "AP RR", "-q", "-o", str(tmp_path / f"{name}.json"), "--quiet"])
            == 0
        )
    argv = [part for name in places for part in ("--collection", f"{name}={tmp_path}/{name}.json")]
    tail = ["--samples", "20", "--table", "pairs"]
    from_scores = invoke("study", "power", *argv, *tail).out
    assert invoke("study", "power", *options(places), "-m", "AP RR", *tail).out == from_scores


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ([], "there are no judgments; pass QRELS RUN..., or several with --collection"),
        (["q", "--collection", "X=q,r"], "pass either QRELS RUN... or --collection, not both"),
        (["--collection", "X=q,r", "--collection", "X=p,s"], "two collections are named 'X'"),
        (["--collection", "X"], "a collection looks like NAME=QRELS,RUN[,RUN...], not 'X'"),
        (["--collection", "X=nowhere,r"], "collection X: r: no such file"),
        (["--collection", "X=nowhere,none/*"], "collection X: none/*: no file matches"),
        (["--collection", "X=q,r,s", "--topic-alphas", "f"], "write probabilities=FILE or alphas=FILE in it"),
    ],
)
def test_mistakes_are_refused(argv, message, refused):
    assert message in refused("study", "power", *argv)


@pytest.mark.parametrize("name", ["curve", "distribution", "asl"])
def test_a_figure_of_several_collections_has_a_panel_for_each(name, places, tmp_path, invoke):
    path = tmp_path / "figure.json"
    more = ["--samples", "10"] if name == "asl" else []
    assert invoke(
        "figure", name, *options(places), "-m", "AP" if name == "curve" else "AP nDCG@5", *more, "-o", path
    ).out.startswith("(a) A; (b) B.")
    panels = json.loads(path.read_text())["concat"]
    assert [panel["title"]["text"] for panel in panels] == [["(a) A"], ["(b) B"]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "there are no judgments; pass QRELS RUN..., or several with --collection"),
        (["q.txt", "--collection", "A=q.txt,r"], "pass either QRELS RUN... or --collection"),
        (["--collection", "A=q.txt"], "collection A: the figure curve needs runs"),
        (["q.txt"], "the figure curve needs runs"),
    ],
)
def test_a_figure_names_what_is_missing(arguments, message, tmp_path, monkeypatch, invoke):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.txt").write_text("1 0 d 1\n")
    assert invoke("figure", "curve", *arguments, "-o", "figure.json", code=2).err.startswith(
        f"rankgauge: {message}"
    )
    assert not (tmp_path / "figure.json").exists()
