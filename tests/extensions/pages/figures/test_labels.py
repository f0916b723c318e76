"""What figures call measures, runs and columns."""

from extensions.pages.figures.samples import results
from rankgauge import figures
from rankgauge.extensions.pages.figures.labels import in_words, unique_labels
from rankgauge.extensions.pages.figures.specs import layers_of, plots_of
from rankgauge.extensions.pages.figures.theme import Style
from rankgauge.model.output.labels import Labels
from rankgauge.model.output.tables import Table


def test_a_measure_is_written_as_everywhere_else():
    for text in ("nDCG@10", "AP(rel=2)", "DCG(gains={1:1,2:10})"):
        assert Style().name(text) == text
    assert Style().name("alpha_nDCG(alpha=0.3)@10") == "α-nDCG(alpha=0.3)@10"


def test_a_column_in_words():
    assert in_words("tau_b to AP") == "Kendall's τ-b to AP"
    assert in_words("beta") == "β"
    assert in_words("tau_bars") == "tau_bars"


def test_labels_that_two_runs_share_differ_in_the_end():
    labels = Labels.read({"a": "System", "b": "System"})
    assert unique_labels(["a", "b", "c"], call=labels) == {"a": "System", "b": "System′", "c": "c"}


def test_a_measure_is_labelled_in_any_spelling_and_defined_by_its_text():
    figure = figures.scatter(results("scatter"), labels={"ndcg@10": "graded"})
    assert figure.title == "graded against AP"
    assert "graded (nDCG@10) is normalised discounted cumulated gain" in figure.caption


def test_titles_of_axes_are_broken_into_lines_that_fit():
    long = "the mean difference in what every single one of these systems scores"
    figure = figures.lines(Table((long, long + " again"), [(1, 2.0), (2, 3.0)]))
    ((_, layer),) = layers_of(*plots_of(figure.spec))
    assert " ".join(layer["encoding"]["y"]["title"]) == long + " again"
    assert max(map(len, layer["encoding"]["y"]["title"])) * 7.5 * 0.5 < figure.spec["height"]
    assert len(layer["encoding"]["x"]["title"]) == 2
