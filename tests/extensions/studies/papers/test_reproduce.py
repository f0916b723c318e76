"""Experiments of documents on other collections: what is written, and when it is not made again."""

import html
import json
import math
import os
import re

import pytest
from rankgauge.studies import STUDIES, Campaign

from extensions.studies import small
from rankgauge import simulate
from rankgauge.cli.main import main
from rankgauge.comparison.procedures import ranks
from rankgauge.errors import InputError, OptionError
from rankgauge.extensions.pages.figures.specs import layers_of, plots_of
from rankgauge.extensions.studies.papers import EXPERIMENTS, reproduce
from rankgauge.extensions.studies.papers import registry as registry_module
from rankgauge.extensions.studies.papers.catalogue import alpha_ndcg, twist
from rankgauge.extensions.studies.papers.catalogue.cumulated_gain import table_2
from rankgauge.extensions.studies.papers.registry import Inputs, file_name, gains_of, side_by_side
from rankgauge.model.output.documents import document_lines
from rankgauge.model.output.tables import Table


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """Two simulated campaigns with graded judgments by subtopic, as directories."""
    made = {}
    for seed, systems in enumerate((5, 3)):
        directory = tmp_path_factory.mktemp("campaign")
        simulate(topics=6, depth=15, systems=systems, subtopics=3, seed=seed).write(directory)
        made["AB"[seed]] = directory
    return made


def options(places, judgments="qrels.txt"):
    return [
        part
        for name, place in places.items()
        for part in ("--collection", f"{name}={place}/{judgments},{place}/runs/*.run")
    ]


def files(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def run(name, places, folder, *more):
    experiment = EXPERIMENTS.find(name)
    collections = options(places, "qrels.diversity.txt" if experiment.needs_subtopics else "qrels.txt")
    given = collections if experiment.needs_collections else []
    return main(["reproduce", name, *given, "-o", str(folder), "--samples", "10", "--quiet", *more])


@pytest.fixture(scope="module")
def made(places, tmp_path_factory):
    """Every experiment, reproduced once: {name: its folder}; Twist on two collections, the others on one."""
    folders = {}
    with pytest.MonkeyPatch.context() as patch:
        for name in EXPERIMENTS:
            pdf = [".pdf"] if name == "alpha-ndcg" else []  # which takes long: one experiment is enough
            patch.setattr("rankgauge.extensions.studies.papers.folder.FIGURE_FORMS", (*pdf, ".svg", ".json"))
            folders[name] = tmp_path_factory.mktemp("reproduced") / name
            assert run(name, places if name == "twist" else {"A": places["A"]}, folders[name]) == 0
    return folders


@pytest.mark.parametrize("name", list(EXPERIMENTS))
def test_every_part_leaves_its_tables_figures_and_numbers(name, made):
    written = files(made[name])
    assert {"index.html", "index.md", "made-with.json"} <= written
    for part in EXPERIMENTS[name].parts.values():
        record = json.loads((made[name] / f"numbers/{part.name}.json").read_text())
        assert record["tables"] or record["figures"]
        for table in record["tables"]:
            assert {f"tables/{table}.tex", f"tables/{table}.csv"} <= written
        for figure in record["figures"]:
            assert f"figures/{figure}.svg" in written
            if name == "alpha-ndcg":
                assert (made[name] / f"figures/{figure}.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize("name", list(EXPERIMENTS))
def test_the_page_shows_every_part_and_every_picture(name, made):
    page = (made[name] / "index.html").read_text()
    for source in re.findall(r'<img src="([^"]+)"', page):
        assert (made[name] / source).is_file()
    experiment = EXPERIMENTS[name]
    for text in (experiment.help, experiment.cite, *(part.title for part in experiment.parts.values())):
        assert html.escape(text) in page
    assert page.count("<img") == sum(file.endswith(".svg") for file in files(made[name]))


@pytest.mark.parametrize("name", list(EXPERIMENTS))
def test_how_it_was_made_is_written_down(name, made):
    facts = json.loads((made[name] / "made-with.json").read_text())
    assert facts["experiment"] == name
    assert facts["settings"] == {"samples": 10, "seed": 1}
    assert {"rankgauge", "python", "numpy", "altair"} <= facts["versions"].keys()
    assert set(facts["parts"]) == set(EXPERIMENTS[name].parts)
    if EXPERIMENTS[name].needs_collections:
        assert all(len(run["sha256"]) == 64 for run in facts["collections"]["A"]["runs"].values())
        assert facts["collections"]["A"]["options"]["ties"] == "docid_desc"


@pytest.mark.parametrize("name", list(EXPERIMENTS))
def test_no_table_leaks_how_it_is_programmed(name, made):
    for file in files(made[name]):
        if file.endswith((".tex", ".csv", ".md")):
            text = (made[name] / file).read_text()
            assert not re.search(r"Gains\(|scheme=|object at 0x|<lambda>", text), file


@pytest.mark.parametrize("name", list(EXPERIMENTS))
def test_commands_can_be_typed_in_a_shell(name, made):
    facts = json.loads((made[name] / "made-with.json").read_text())
    for command in (each for part in facts["parts"].values() for each in part["commands"]):
        assert not re.search(r"[{}|()*]", re.sub(r'"[^"]*"', "", command)), command
        assert command.startswith("rankgauge figure") == command.endswith("-o FILE"), command


def test_numbers_are_those_of_the_studies(places, made):
    campaign = Campaign(places["A"] / "qrels.txt", str(places["A"] / "runs/*.run"))
    record = json.loads((made["twist"] / "numbers/table-2.json").read_text())
    row = next(row for row in record["tables"]["table-2"]["rows"] if row[0] == "A")
    assert row[1:] == list(STUDIES["archetypes"].call(campaign).table("collection").rows[0][1:])


def test_what_is_there_is_not_made_again(places, tmp_path):
    assert run("twist", places, tmp_path, "--part", "table-2") == 0
    before = (tmp_path / "numbers/table-2.json").stat().st_mtime_ns
    assert run("twist", places, tmp_path, "--part", "table-1", "--part", "table-2") == 0
    assert (tmp_path / "numbers/table-2.json").stat().st_mtime_ns == before
    page = (tmp_path / "index.md").read_text()
    assert "Table 1: " in page
    assert "Table 2: " in page
    assert run("twist", places, tmp_path, "--part", "table-1") == 0  # the other part stays on the page
    assert "Table 2: " in (tmp_path / "index.md").read_text()
    assert run("twist", places, tmp_path, "--part", "table-2", "--again") == 0
    assert (tmp_path / "numbers/table-2.json").stat().st_mtime_ns > before


@pytest.mark.parametrize("change", ["seed", "rule", "judgments", "cut", "lost"])
def test_a_part_is_made_again_where_anything_has_changed(change, places, tmp_path):
    own = tmp_path / "own"
    simulate(topics=5, depth=10, systems=3, seed=3).write(own)
    folder = tmp_path / "twist"
    command = ["reproduce", "twist", "--collection", f"A={own}/qrels.txt,{own}/runs/*.run", "-o", str(folder)]
    command += ["--part", "table-2", "--quiet"]
    assert main(command) == 0
    numbers = folder / "numbers/table-2.json"
    before = numbers.read_text()
    stamp = numbers.stat().st_mtime_ns
    if change == "judgments":
        (own / "qrels.txt").write_text((own / "qrels.txt").read_text().replace(" 1\n", " 2\n", 1))
    elif change == "cut":
        numbers.write_text(numbers.read_text()[:100])
    elif change == "lost":
        (folder / "tables/table-2.csv").unlink()
    assert main([*command, *{"seed": ["--seed", "2"], "rule": ["--ties", "docid_asc"]}.get(change, [])]) == 0
    assert numbers.stat().st_mtime_ns > stamp
    same = change in ("cut", "lost")
    assert (json.loads(numbers.read_text())["stamp"] == json.loads(before)["stamp"]) == same
    assert (folder / "tables/table-2.csv").is_file()


def test_an_interrupted_experiment_goes_on_where_it_stopped(places, tmp_path, monkeypatch, capsys):
    experiment = EXPERIMENTS["twist"]
    made = []

    def stop(given):
        raise KeyboardInterrupt

    stopping = experiment.parts["table-2"]
    monkeypatch.setitem(experiment.parts, "table-2", registry_module.Part("table-2", "x", 1, stop))
    assert run("twist", places, tmp_path, "--part", "table-1", "--part", "table-2") == 130
    assert "numbers/table-1.json" in files(tmp_path)
    assert "numbers/table-2.json" not in files(tmp_path)
    monkeypatch.setitem(experiment.parts, "table-2", stopping)
    first = experiment.parts["table-1"]
    again = registry_module.Part(first.name, first.title, 1, lambda given: made.append(1))
    monkeypatch.setitem(experiment.parts, "table-1", again)
    assert run("twist", places, tmp_path, "--part", "table-1", "--part", "table-2") == 0
    assert not made
    assert "numbers/table-2.json" in files(tmp_path)


def test_progress_has_an_estimate_from_the_second_part_on(places, tmp_path):
    seen = []
    campaign = Campaign(places["A"] / "qrels.txt", str(places["A"] / "runs/*.run"))
    reproduce(
        "twist",
        {"A": campaign},
        tmp_path,
        parts=["table-1", "table-2"],
        progress=lambda part, number, parts, left: seen.append((part.name, number, parts, left)),
    )
    assert [each[:3] for each in seen] == [("table-1", 1, 2), ("table-2", 2, 2)]
    assert seen[0][3] is None
    assert seen[1][3] >= 0


def test_a_campaign_without_a_description_is_studied_again(places, tmp_path):
    campaign = Campaign(places["A"] / "qrels.txt", str(places["A"] / "runs/*.run"))
    times = [
        reproduce("twist", {"A": campaign}, tmp_path, parts="table-2")
        .folder.joinpath("numbers/table-2.json")
        .stat()
        .st_mtime_ns
        for _ in range(2)
    ]
    assert times[1] > times[0]


def test_a_part_that_a_collection_does_not_allow_is_left_out_with_the_reason(places, tmp_path, invoke):
    place = places["A"]
    one = next((place / "runs").iterdir())
    command = [
        "reproduce",
        "twist",
        "--collection",
        f"A={place}/qrels.txt,{one}",
        "-o",
        str(tmp_path),
        "--quiet",
    ]
    err = invoke(*command, "--part", "table-2", "--part", "tables-3-4").err
    assert "not made: Tables 3 and 4" in err
    assert "collection A" in err
    assert "at least 2 runs" in err
    page = (tmp_path / "index.md").read_text()
    assert "What could not be made" in page
    assert "Table 2: " in page
    with pytest.raises(InputError, match="at least 2 runs"):
        reproduce(
            "twist", {"A": Campaign(place / "qrels.txt", str(one))}, tmp_path / "none", parts="tables-3-4"
        )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["twits", "-o", "x"], "did you mean twist"),
        (["twist", "-o", "x"], "at least one collection"),
        (["twist", "--collection", "A=q,r"], "name the folder to write to"),
        (
            ["twist", "--collection", "A=q,r", "--collection", "A=q,r", "-o", "x"],
            "two collections are named 'A'",
        ),
        (
            ["twist", "--collection", "A b=q,r", "--collection", "a-B=q,r", "-o", "x"],
            "the collections 'A b' and 'a-B' would have files of the same names",
        ),
        (["twist", "--collection", "A=-,r", "-o", "x"], "standard input"),
        (["twist", "--collection", "A=missing,r", "-o", "x"], "missing: no such file"),
        (["twist", "--collection", "A=pipe,r", "-o", "x"], "can be read only once"),
        (["twist", "--collection", "A=q,r,subtopics=nope", "-o", "x"], "nope: no such file"),
        (["twist", "--collection", "A=q,r", "-o", "x", "--part", "table-9"], "part must be"),
        (["twist", "--collection", "A=q,r", "-o", "x", "--baseline", "r"], "twist has no baseline"),
        (["twist", "--collection", "A=q,r", "-o", "x", "--select", "teams=none"], "none: no such file"),
    ],
)
def test_what_cannot_be_done_is_refused_before_anything_is_written(
    arguments, message, tmp_path, monkeypatch, invoke
):
    monkeypatch.chdir(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "q").write_text("1 0 d 1\n")
    (tmp_path / "r").write_text("1 Q0 d 1 1 r\n")
    assert message in invoke("reproduce", *arguments, code=2).err
    assert not (tmp_path / "x").exists()


def test_a_file_is_no_folder(places, tmp_path, capsys):
    (tmp_path / "file").write_text("mine")
    assert run("twist", places, tmp_path / "file") == 2
    assert "name a folder" in capsys.readouterr().err
    assert (tmp_path / "file").read_text() == "mine"


def test_help_says_what_each_experiment_computes(invoke):
    shown = " ".join(invoke("reproduce", "--help", "--all").out.split())
    for name, experiment in EXPERIMENTS.items():
        assert f"{name} {experiment.help} source: {experiment.cite}" in shown


def test_without_a_name_the_experiments_are_listed(invoke):
    lines = invoke("reproduce").out.splitlines()
    assert [line.split("\t")[0] for line in lines[1:]] == list(EXPERIMENTS)


def test_names_with_markup_are_escaped(places, tmp_path):
    campaign = Campaign(places["A"] / "qrels.txt", str(places["A"] / "runs/*.run"))
    made = reproduce("twist", {"<b>A&_": campaign}, tmp_path, parts="table-2")
    page = (tmp_path / "index.html").read_text()
    assert "<b>A&" not in page
    assert "&lt;b&gt;A&amp;_" in page
    assert r"\_" in (tmp_path / "tables/table-2.tex").read_text()
    assert any("<b>A&_" in line for line in document_lines(made.document))


def test_figure_11_marks_rankings_and_draws_each_on_its_own_scales(places):
    campaign = Campaign(places["A"] / "qrels.txt", str(places["A"] / "runs/*.run"))
    contents = twist.figure_11(Inputs({"A": campaign}))
    figure, rankings = contents.figures["figure-11-a"], [*contents.tables["figure-11"].rows]
    assert len(rankings) > 1
    marked = [[*row] for row in figure.data["a marked"].rows]
    assert marked == [[place, *row[2:]] for place, row in enumerate(rankings, 1)]
    for letter, (place, (_, effort, run, topic, *_)) in zip("bcd", enumerate(rankings, 1), strict=False):
        assert f"({letter}) {place}: {effort} effort, {run}, topic {topic}" in figure.caption
    for plot in plots_of(figure.spec)[2:]:  # the first two are of effort and gain
        (name, line), *_ = (each for each in layers_of(plot) if each[1]["mark"]["type"] == "line")
        values = [row[2] for row in figure.data[name].rows]
        assert line["encoding"]["y"].get("scale", {}).get("domain") in (None, [min(values), max(values)])


def test_figure_11_is_no_taller_than_a_page(places, tmp_path, monkeypatch):
    campaign = Campaign(places["A"] / "qrels.txt", str(places["A"] / "runs/*.run"))
    four = zip(twist.EFFORTS, campaign.runs, campaign.topics, [0.1, 0.3, 0.6, 0.9], [0.9] * 4, strict=False)
    monkeypatch.setattr(twist, "_examples", lambda given, four=[*four]: four)
    (figure,) = twist.figure_11(Inputs({"A": campaign})).figures.values()
    figure.save(tmp_path / "11.svg")
    height = float(re.search(r'height="([\d.]+)"', (tmp_path / "11.svg").read_text())[1])
    assert len(plots_of(figure.spec)) == 2 + 2 * 4
    assert height < 650  # of about 680 pt that a page has


def test_the_runs_that_are_compared_with_a_baseline_can_be_chosen(places, tmp_path):
    judgments = "qrels.diversity.txt"
    names = [path.stem for path in sorted((places["A"] / "runs").iterdir())]
    command = ["reproduce", "alpha-ndcg", *options({"A": places["A"]}, judgments), "-o", str(tmp_path)]
    command += ["--quiet", "--part", "figure-3", "--samples", "10", "--baseline", names[3], "--run", names[4]]
    assert main([*command, "--run", names[0]]) == 0
    page = (tmp_path / "index.md").read_text()
    assert f"A: gain of 2 of 4 runs over {names[3]}." in page
    assert "with 2 runs" not in page
    tables = json.loads((tmp_path / "numbers/figure-3.json").read_text())["tables"].values()
    assert [each["caption"].partition(",")[0] for each in tables] == [f"A: {names[n]}" for n in (4, 0)]
    assert main([*command[:-1], "other"]) == 2


def test_gains_over_a_baseline_have_a_row_for_each_alpha_in_a_table_for_each_run(places):
    campaign = Campaign(
        places["A"] / "qrels.diversity.txt", str(places["A"] / "runs/*.run"), by_subtopic=True
    )
    tables = alpha_ndcg.figure_3(Inputs({"A": campaign})).tables
    assert [*tables] == [f"figure-3-a-{number}" for number in (1, 2, 3, 4)]
    for run, table in zip(campaign.runs[1:], tables.values(), strict=True):
        assert f"A: {run}, gain over {campaign.runs[0]}" in table.caption
        studied = STUDIES["alpha"].call(campaign.only([campaign.runs[0], run])).records("gains")
        assert len([*table.rows]) == len({row["alpha"] for row in studied}) == 11
        cells = {row[0]: dict(zip(table.headers, row, strict=True)) for row in table.rows}
        for row in studied:
            at = cells[row["alpha"]]
            depth = row["depth"]
            assert (at[f"gain@{depth}"], at[f"p@{depth}"]) == (row["gain in %"], row["p"])


def test_judgments_without_subtopics_cannot_show_what_alpha_does(places, tmp_path, invoke):
    command = ["reproduce", "alpha-ndcg", *options({"A": places["A"]}), "-o", str(tmp_path), "--quiet"]
    err = invoke(*command).err
    for part in ("Figure 2", "Figure 3"):
        assert re.search(f"not made: {part}: .*: collection A: no topic has more than one subtopic", err)
    assert "The document finds" not in (tmp_path / "index.md").read_text()


def test_subtopics_without_a_relevant_document_are_no_nuggets(write, tmp_path, invoke):
    qrels = write("q", "1 1 a 1\n1 2 a 1\n1 3 a 0\n2 1 b 2\n2 2 b 0\n")
    run = write("a.run", "1 Q0 a 1 2 a\n2 Q0 b 1 1 a\n")
    invoke(
        "reproduce",
        "alpha-ndcg",
        "--collection",
        f"X={qrels},{run}",
        "--part",
        "statistics",
        "-o",
        tmp_path / "o",
    )
    assert re.search(r"\| X +\| +2 \| +1.50 \| +1 \| +2 \| +1 \|", (tmp_path / "o" / "index.md").read_text())


def test_names_of_files_hold_nothing_that_a_file_system_refuses():
    assert file_name("figure-1", "TREC 10/Web: ‘é’") == "figure-1-trec-10-web"
    assert file_name("figure-1", "日本") == "figure-1"


@pytest.mark.parametrize(
    ("grades", "gains"),
    [
        ([0, 1, 2, 3], "{1:1,2:10,3:100}"),
        ([-1, 0, 1, 4], "{1:10,4:100}"),
        ([1], "{1:100}"),
        ([1, 2, 3, 4, 5.5], "{1:1,2:10,3:100,4:100,5.5:100}"),
        ([0.1234567, 1, 2], "{0.1234567:1,1:10,2:100}"),
    ],
)
def test_grades_get_the_weights_of_the_document_in_their_order(grades, gains):
    judgments = {"q": {f"d{number}": grade for number, grade in enumerate(grades)}}
    assert gains_of(Campaign(judgments, {"r": {"q": {"d0": 1.0}}}), (1, 10, 100)) == gains


def test_the_outcomes_of_table_2_are_in_the_order_of_its_letters():
    made = simulate(topics=20, depth=20, systems=5, seed=2)
    runs = {name: made.run_dict(name) for name in made.systems}
    contents = table_2(Inputs({"x": Campaign(made.qrels_dict(), runs)}))
    outcomes = [row[-1] for row in contents.tables["table-2-x"].rows if row[-1]]
    assert outcomes
    for text in outcomes:
        clauses = [clause.rstrip("*").split(" > ") for clause in text.split("; ")]
        assert [worse for _, worse in clauses] == sorted(worse for _, worse in clauses)
        assert all(better.split(", ") == sorted(better.split(", ")) for better, _ in clauses)


def test_a_folder_that_cannot_be_made_is_no_fault_of_a_part(places, tmp_path, capsys):
    (tmp_path / "file").write_text("mine")
    assert run("twist", places, tmp_path / "file" / "x", "--part", "table-1") == 2
    assert capsys.readouterr().err.startswith(
        f"rankgauge: {tmp_path}/file/x/tables: the folder cannot be made"
    )


def test_random_runs_hardly_ever_get_a_star_in_the_table_of_cumulated_gain(monkeypatch):
    monkeypatch.setattr(ranks, "rank_sums", lambda doubled: None)  # as for so many topics, in less time
    campaigns = 60
    starred = refuted = 0
    for seed in range(campaigns):
        contents = table_2(Inputs({"A": small.campaign_by_grade(seed, 0.0, runs=5)}))
        (table,) = contents.tables.values()
        starred += any(">" in row[-1] for row in table.rows)
        refuted += contents.claims[0]["outcomes"]["A"]["held"] is False
    limit = campaigns * (0.05 + 3 * math.sqrt(0.05 * 0.95 / campaigns))
    assert starred <= limit
    assert refuted <= limit
    assert "overall corrected p" in table.headers
    assert "10 pairs of each measure, 60 tests in all, significant only if the overall test is" in table.note
    assert "with Holm's correction for 6 measures" in table.note


def test_a_collection_with_two_grades_shows_its_own_weights(tmp_path):
    made = simulate(topics=8, depth=15, systems=5, seed=4)
    qrels = {
        topic: {doc: min(grade, 2) for doc, grade in docs.items()}
        for topic, docs in made.qrels_dict().items()
    }
    campaign = Campaign(qrels, {name: made.run_dict(name) for name in made.systems})
    inputs = Inputs({"x": campaign}, samples=20)
    parts = {name: EXPERIMENTS[name].parts for name in ("cumulated-gain", "q-measure")}
    table = parts["cumulated-gain"]["table-2"].function(inputs).tables["table-2-x"]
    assert [row[0] for row in table.rows][:4] == [
        "nCG (0-1-1)",
        "nDCG (0-1-1)",
        "nCG (0-10-100)",
        "nDCG (0-10-100)",
    ]
    figures = parts["cumulated-gain"]["figure-4"].function(inputs).figures.values()
    assert all("weights 0-10-100" in json.dumps(each.spec) for each in figures)
    assert not any("0-1-10-100" in json.dumps(each.spec) for each in figures)
    contents = parts["q-measure"]["figures-13-14"].function(inputs)
    assert {row[1] for row in contents.tables["tables-2-3"].rows} == {None, "3:2", "10:5"}
    assert "x: the best 5 runs by AP, gains 3:2 and 10:5." in contents.tables["tables-2-3"].caption
    caption = parts["q-measure"]["figures-1-4"].function(inputs).tables["figures-1-2"].caption
    assert caption.endswith("x: the best 5 runs by AP, gains 3:2.")


def test_measures_above_ap_in_every_condition_are_bold(made):
    record = json.loads((made["q-measure"] / "numbers/figures-13-14.json").read_text())
    marked = Table(("measure",), [["AP"], ["Q"]], {(1, 0)})
    assert side_by_side({"x": marked, "y": marked}, "").best == {(1, 1), (3, 1)}
    assert "In bold: more pairs than AP in every condition." in record["tables"]["tables-2-3"]["caption"]
    assert sum(len(each["rows"]) * (len(each["headers"]) - 1) for each in record["reported"]) == 96
    bold = [{each["rows"][row][0] for row, _ in each["best"]} for each in record["reported"]]
    assert bold == [{"Q(beta=0.1)", "Q(beta=1)", "Q(beta=10)"}, set()]


def test_no_p_is_printed_as_zero(tmp_path):
    better, worse = [f"d{n}" for n in range(4)], [f"x{n}" for n in range(6)]
    topics = [f"t{t}" for t in range(12)]
    rows = [f"{topic} {n + 1} {doc} 1" for topic in topics for n, doc in enumerate(better)]
    (tmp_path / "qrels").write_text("\n".join(rows) + "\n")
    runs = {
        "a": {topic: [*worse[: 4 + n % 3], *better] for n, topic in enumerate(topics)},
        "b": dict.fromkeys(topics, better),
    }
    campaign = Campaign(tmp_path / "qrels", runs, by_subtopic=True)
    reproduce("alpha-ndcg", {"x": campaign}, tmp_path / "out", parts="figure-3", samples=20)
    for file in ("tables/figure-3-x-1.tex", "index.md"):
        lines = (tmp_path / "out" / file).read_text().splitlines()
        last = [re.split(r"[|&]", line.rstrip(" |\\"))[-1].strip() for line in lines]  # p, of rows
        assert {"< .001"} < {cell.replace(r"\textless{}", "<").replace(r"\<", "<") for cell in last}, file
        assert not any(re.fullmatch(r"0?\.0+", cell) for cell in last), file


def test_the_baseline_is_the_one_that_is_named(places, tmp_path, invoke):
    place = places["B"]
    names = sorted(path.stem for path in (place / "runs").iterdir())
    command = ["reproduce", "alpha-ndcg", *options({"B": place}, "qrels.diversity.txt"), "--part", "figure-3"]
    command += ["-o", str(tmp_path / "a"), "--samples", "10"]
    invoke(*command, "--baseline", names[-1])
    assert (
        f"gain of {len(names) - 1} of {len(names) - 1} runs over {names[-1]}"
        in (tmp_path / "a/index.md").read_text()
    )
    assert json.loads((tmp_path / "a/made-with.json").read_text())["settings"]["baseline"] == names[-1]
    err = invoke(*command[:-3], str(tmp_path / "b"), "--samples", "10", "--baseline", "none", code=2).err
    assert "collection B" in err
    assert "none" in err


def test_labels_name_runs_and_collections(places, tmp_path, invoke):
    place = places["B"]
    first, second, *_ = sorted(path.stem for path in (place / "runs").iterdir())
    (tmp_path / "labels.csv").write_text(f"{first},Plain\nB,News\nmissing,Nobody\n")
    command = ["reproduce", "alpha-ndcg", *options({"B": place}, "qrels.diversity.txt"), "--part", "figure-3"]
    command += ["--samples", "10", "-o", str(tmp_path / "a")]
    err = invoke(*command, "--labels", str(tmp_path / "labels.csv"), "--baseline", first).err
    assert 'no run, measure or topic named "missing"' in err
    page = (tmp_path / "a/index.md").read_text()
    assert "News: gain of 2 of 2 runs over Plain." in page
    assert first not in page.partition("How this was made")[0]
    assert (tmp_path / "a/tables/figure-3-news-1.csv").is_file()
    campaign = Campaign(place / "qrels.txt", str(place / "runs/*.run"))
    with pytest.raises(OptionError, match="two runs have the label 'x'"):
        reproduce("twist", {"B": campaign}, tmp_path / "b", parts="table-1", labels={first: "x", second: "x"})


def test_the_best_run_of_each_team_is_selected_and_a_changed_file_of_teams_noticed(places, tmp_path, invoke):
    names = sorted(path.stem for path in (places["A"] / "runs").iterdir())
    teams = tmp_path / "teams.txt"
    teams.write_text("".join(f"{name} team{number % 2}\n" for number, name in enumerate(names)))
    command = [
        "reproduce",
        "twist",
        *options({"A": places["A"]}),
        "--part",
        "table-1",
        "-o",
        str(tmp_path / "t"),
    ]
    invoke(*command, "--select", f"teams={teams}")
    rows = json.loads((tmp_path / "t/numbers/table-1.json").read_text())["tables"]["table-1"]["rows"]
    assert ["runs", 2] in rows
    teams.write_text("".join(f"{name} team{number % 3}\n" for number, name in enumerate(names)))
    invoke(*command, "--select", f"teams={teams}")
    rows = json.loads((tmp_path / "t/numbers/table-1.json").read_text())["tables"]["table-1"]["rows"]
    assert ["runs", 3] in rows
