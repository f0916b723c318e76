"""Results write their tables in formats for papers, pages and spreadsheets."""

import csv
import io

import numpy as np
import pytest

from rankgauge import compare, curves, evaluate
from rankgauge.errors import InputError, OptionError
from rankgauge.measures import MEASURES
from rankgauge.model.output.table_cells import fitted, plain_widths
from rankgauge.model.output.tables import Table, render
from rankgauge.model.scores import Scores

QRELS = {"1": {"a": 1, "b": 2}, "2": {"a": 1}, "3": {"c": 1}}
RUNS = {
    "good": {"1": {"b": 3, "a": 2}, "2": {"a": 1}, "3": {"c": 2}},
    "poor": {"1": {"x": 3, "a": 2}, "2": {"x": 2, "a": 1}, "3": {"c": 2}},
}


@pytest.fixture(scope="module")
def scores():
    return evaluate(QRELS, RUNS, "AP nDCG@10")


METHODS = {"latex": "to_latex", "markdown": "to_markdown", "html": "to_html", "csv": "to_csv"}


@pytest.mark.parametrize(("form", "method"), METHODS.items())
def test_scores_are_the_table_of_means_in_each_format_and_file(scores, form, method, tmp_path):
    text = getattr(scores, method)()
    assert text == render(scores.table(), form)
    assert getattr(scores, method)(tmp_path / "table.txt") is None
    assert (tmp_path / "table.txt").read_bytes().decode() == text
    assert [path.name for path in tmp_path.iterdir()] == ["table.txt"]


def test_a_file_that_cannot_be_written_is_an_error_and_leaves_the_old_one(scores, tmp_path):
    with pytest.raises(InputError, match="there is no directory"):
        scores.to_latex(tmp_path / "none" / "table.tex")
    (tmp_path / "table.tex").write_text("old")
    with pytest.raises(OptionError):
        scores.to_latex(tmp_path / "table.tex", labelz={})
    assert (tmp_path / "table.tex").read_text() == "old"


def test_labels_places_per_cent_and_the_rest_are_those_of_the_table(scores):
    text = scores.to_latex(
        labels={"good": "BM25", "AP": "MAP"}, percent=True, second=True, caption="Means.", label="tab:means"
    )
    # two decimals in per cent
    assert all(part in text for part in ("BM25", "MAP", r"\textbf{100.00}", r"\label{tab:means}", "Means."))
    assert "S[table-format" in scores.to_latex(siunitx=True)
    assert "1.0 " in scores.to_markdown(places=1).replace("**", " ")


def test_csv_keeps_every_digit_and_of_topics_has_a_row_for_each_value(scores):
    wide = list(csv.DictReader(io.StringIO(scores.to_csv())))
    assert [float(row["AP"]) for row in wide] == [mean["AP"] for mean in scores.mean().values()]
    long = list(csv.DictReader(io.StringIO(scores.to_csv(topics=True))))
    assert len(long) == 2 * 2 * (3 + 1)
    assert {row["topic"] for row in long} == {"1", "2", "3", "all"}
    with pytest.raises(OptionError, match="csv of topics has names and values as they are; omit percent"):
        scores.to_csv(topics=True, percent=True)


def test_a_comparison_is_the_table_of_a_paper_and_all_numbers_in_csv(scores):
    comparison = compare(scores, baseline="poor")
    options = {"labels": {"good": "BM25"}, "delta": True, "percent": True}
    assert comparison.to_latex(**options) == render(comparison.paper(places=2, **options), "latex", 2)
    assert comparison.to_markdown(marks="stars") == render(comparison.paper(marks="stars"), "markdown")
    assert comparison.to_html(places=3) == render(comparison.paper(places=3), "html", 3)
    (row, _) = csv.DictReader(io.StringIO(comparison.to_csv(labels={"good": "BM25"})))
    assert row["run"] == "BM25"
    assert float(row["p"]) == comparison["AP"].pairs[0].p


def test_a_table_itself_takes_labels_and_its_fields():
    table = Table(("run", "AP"), [("bm25", 0.5)])
    assert (
        table.to_markdown(labels={"bm25": "BM25"}, places=2) == "| run | AP |\n|---|---:|\n| BM25 | 0.50 |\n"
    )
    assert r"\caption{Means.}" in table.to_latex(caption="Means.")
    assert str(table) == "run       AP\nbm25  0.5000"


def test_counts_have_no_decimals_but_their_means_and_expectations_do():
    qrels, run = {"1": {"a": 1, "b": 0}, "2": {"a": 1}}, {"1": {"a": 1, "b": 1}, "2": {"a": 1}}
    scores = evaluate(qrels, run, "NumQ NumRel NumRet(average=mean) NumRelRet(average=median) RR")
    assert scores.to_markdown().splitlines()[-1] == "| run | 2 | 2 | 1.5000 | 1.0000 | 0.7500 |"
    assert "| run | 1 | 1 | 1 | 2 | 1 | 0.5000 |" in scores.to_markdown(topics=True)
    expected = evaluate(qrels, run, "NumRelRet@1", ties="average")
    assert expected.to_markdown().splitlines()[-1] == "| run | 1.5000 |"
    other = Scores.from_table({"x": {"1": 3.0}}, "clicks")  # of which nothing is declared
    assert other.to_markdown().splitlines()[-1] == "| x | 3.0000 |"
    assert evaluate(qrels, run, "NumRel").to_csv().splitlines()[-1] == "run,2.0"  # a number for programs


def many():
    values = {"AP": [0.2, 0.5, np.nan, 0.3], "ASL": [3.0, 1.0, 2.0, 9.0]}
    table = {
        run: {m: {"1": column[i]} for m, column in values.items()}
        for i, run in enumerate(["d", "a", "c", "b"])
    }
    return Scores.from_table(table)


@pytest.mark.parametrize(
    ("options", "runs"),
    [
        ({"by": "map"}, "abdc"),
        ({"by": "ASL"}, "acdb"),  # lower is better
        ({"by": "name"}, "abcd"),
        ({"top": 2}, "ab"),
        ({"by": "ASL", "top": 9}, "acdb"),
    ],
)
def test_runs_are_sorted_with_the_best_first_and_undefined_means_last(options, runs):
    assert many().sorted(**options).runs == tuple(runs)


def test_a_table_of_the_top_runs_says_so():
    table = many().table(sort="ASL", top=2)
    assert ([row[0] for row in table.rows], table.note) == (
        ["a", "c"],
        "2 of 4 runs. ASL: lower is better.",
    )
    assert many().table(sort="ASL").note == "ASL: lower is better."


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"by": "nDCG"}, "no measure here named 'nDCG'"),
        ({"by": "name", "top": 2}, "best by a measure"),
        ({"top": 0}, "top"),
    ],
)
def test_sorting_by_what_is_not_there_and_the_top_by_name_are_refused(options, message):
    with pytest.raises((InputError, OptionError), match=message):
        many().sorted(**options)


def test_the_repr_fits_a_screen_and_shows_all_measures_of_a_run():
    scores = evaluate(QRELS, RUNS["good"], "official")
    lines = repr(scores).splitlines()
    assert len(lines) == 1 + 29 + 1
    assert lines[1].split() == ["NumQ", "3"]
    assert "<td>NumQ</td>" in scores._repr_html_()
    wide = repr(evaluate(QRELS, RUNS, "official")).splitlines()
    assert max(map(len, wide)) <= 80


def test_curves_are_tables_of_ranks_and_long_tables_in_csv():
    found = curves(QRELS, RUNS, "P", depth=2)
    assert found.to_markdown(places=1).splitlines()[0] == "| rank | good | poor | ideal |"
    assert found.to_latex(normalise="topics") == render(found.table(normalise="topics"), "latex")
    assert found.to_csv(topics=True) == render(found.long_table(topics=True), "csv")


def test_the_repr_of_a_comparison_fits_a_screen_but_for_its_sentences(scores):
    comparison = compare(scores.only(measures=["AP"]).sorted("name"))
    tables = [line for line in str(comparison.document()).splitlines() if "  " in line.strip()]
    assert any("practical" in line for line in tables)
    assert max(map(len, tables)) <= 80


def test_topics_by_many_runs_keep_the_measure_in_the_corner():
    table = Scores.from_table({f"run_{i}": {"1": 0.5, "2": 0.25} for i in range(30)}, "AP").by_topic()
    (shown,) = fitted(table, 80, plain_widths())
    assert shown.headers == ["AP", "1", "2", "all"]


COUNTS = [name for name, spec in MEASURES.items() if spec.shows.counts]


@pytest.mark.parametrize("name", COUNTS)
def test_measures_that_are_declared_to_count_have_whole_values_and_add_them_up(name):
    rng = np.random.default_rng(3)
    qrels = {str(t): {f"d{d}": int(rng.integers(-1, 3)) for d in range(20)} for t in range(30)}
    run = {str(t): {f"d{d}": float(rng.random()) for d in range(10, 30)} for t in range(25)}
    values = evaluate(qrels, run, name).values
    assert (values == values.round()).all()
    assert MEASURES[name].average == "sum"
    assert {"NumQ", "NumRet", "NumRel", "NumRelRet", "NumNonrelRet"} <= {*COUNTS}  # those of trec_eval


@pytest.mark.parametrize("places", [-1, 1.5, "2", 10**6])
def test_places_are_a_whole_number(scores, places):
    with pytest.raises(OptionError, match="places must be a whole number from 0"):
        scores.to_markdown(places=places)


def test_sums_of_counts_have_no_decimals_in_comparisons_either():
    runs = {"x": {"1": ["a", "b"], "2": ["a"]}, "y": {"1": ["a"], "2": ["x"], "3": ["x"]}}
    text = str(compare(QRELS, runs, "NumRelRet"))
    assert "3\n" in text  # the sum of x
    assert "3.0000" not in text
    assert "1.0000" in str(compare(QRELS, runs, "NumRelRet(average=mean)"))


@pytest.mark.parametrize("form", ["latex", "markdown", "html", "csv"])
def test_unknown_options_are_refused_with_those_there_are(scores, form):
    compared = compare(QRELS, {"x": {"1": ["a"], "2": ["a"]}, "y": {"1": ["b"], "2": ["a"]}}, "AP")
    for held in (scores, compared, scores.table()):
        with pytest.raises(OptionError, match=rf"a table in {form} has no option 'foo'; it has .*labels"):
            getattr(held, f"to_{form}")(foo=1)
        with pytest.raises(
            OptionError, match=r"labels are \{name: label\}, or the path of a file of them, not 5"
        ):
            getattr(held, f"to_{form}")(labels=5)
    with pytest.raises(OptionError, match="it has .*places" if form != "csv" else "csv has every digit"):
        scores.to_latex(precision=2) if form != "csv" else scores.to_csv(places=2)
