"""How wide texts are, and where they are broken."""

import xml.etree.ElementTree as ElementTree

import pytest

from rankgauge import figures
from rankgauge.figures.letters import MANY_LINES, broken_at_words, broken_name
from rankgauge.figures.theme import Style
from rankgauge.model.output.tables import Table
from rankgauge.model.output.text_widths import width_in_em


@pytest.mark.parametrize(
    ("text", "width"), [("", 0), ("iiii", 0.8), ("WW", 1.9), ("日本", 2), ("e\u0301", 0.56)]
)
def test_letters_have_the_widths_of_helvetica(text, width):
    assert width_in_em(text) == pytest.approx(width, abs=0.05)


def test_a_text_is_broken_between_words_and_a_long_word_inside():
    assert broken_at_words("one two three", width_in_em("one two")) == ["one two", "three"]
    lines = broken_at_words("a " + "m" * 40, 10)
    assert "".join(lines) == "a" + "m" * 40
    assert all(width_in_em(line) <= 10 for line in lines)
    assert broken_at_words("", 10) == [""]


def test_a_name_is_broken_where_its_parts_end_and_cut_after_some_lines():
    assert broken_name("bm25-with-reranking", width_in_em("bm25-with-r")) == ["bm25-with-", "reranking"]
    lines = broken_name("x" * 300, 10)
    assert len(lines) == MANY_LINES
    assert lines[-1].endswith("…")
    assert all(width_in_em(line) <= 10 for line in lines)


@pytest.mark.parametrize("width", ["column", "page"])
def test_as_many_entries_of_a_legend_stand_on_a_line_as_fit(width):
    style = Style(width=width)
    short, long = ["a"] * 9, ["a rather long name of a run"] * 9
    assert style.legend_columns(short) > style.legend_columns(long) >= 1
    assert style.legend_columns(["x" * 500]) == 1
    # One long name makes its own column wide, and no other.
    assert style.legend_columns(["a rather long name of a run", "a", "b"]) >= 2


def test_a_legend_is_drawn_within_the_figure():
    names = [f"run-{'ab' * i}" for i in range(8)]
    table = Table(("run", "x", "y"), [(name, x, x + i) for i, name in enumerate(names) for x in (0, 1)])
    root = ElementTree.fromstring(figures.lines(table).render("svg"))
    texts = {node.text for node in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {*names} <= texts
    assert float(root.get("width")) <= Style().total_width + 15
