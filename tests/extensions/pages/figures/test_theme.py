"""The look of figures: options, sizes, the widths of texts and where they are broken."""

import xml.etree.ElementTree as ElementTree

import pytest

from rankgauge import figures
from rankgauge.extensions.pages.figures.theme import (
    DASHES,
    MANY_LINES,
    MAX_COLOURS,
    SHAPES,
    THEME,
    WIDTH,
    Style,
    broken_at_words,
    broken_name,
    width_in_em,
)
from rankgauge.model.output.tables import Table

# What is left of colours without one kind of cones (Viénot, Brettel and Mollon 1999), in light.
BLIND = {
    "protanopia": ((0.11238, 0.88762, 0), (0.11238, 0.88762, 0), (0.00401, -0.00401, 1)),
    "deuteranopia": ((0.29275, 0.70725, 0), (0.29275, 0.70725, 0), (-0.02234, 0.02234, 1)),
}


def _channels(colour):
    """The red, green and blue of a colour as light, from 0 to 1."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def luminance(colour):
    """How bright a colour is, as WCAG 2 has it."""
    red, green, blue = _channels(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    """The contrast of two colours, as WCAG 2 has it."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", THEME.rules)
def test_words_can_be_read_and_series_seen_on_the_paper(theme):
    c = Style(theme).colours
    assert contrast(c.ink, c.paper) >= 7
    assert contrast(c.soft, c.paper) >= 4.5
    assert all(contrast(colour, c.paper) >= 2 for colour in c.series)
    assert contrast(c.muted, c.paper) < min(contrast(colour, c.paper) for colour in c.series)


@pytest.mark.parametrize("kind", BLIND)
@pytest.mark.parametrize("theme", THEME.rules)
def test_readers_who_see_few_colours_can_tell_series_apart(theme, kind):
    seen = [
        tuple(sum(w * x for w, x in zip(weights, _channels(colour), strict=True)) for weights in BLIND[kind])
        for colour in Style(theme).colours.series
    ]
    apart = [
        sum((x - y) ** 2 for x, y in zip(a, b, strict=True)) ** 0.5 for a in seen for b in seen if a is not b
    ]
    assert min(apart) > 0.08


def test_in_grey_print_dashes_and_shapes_tell_series_apart():
    assert len({tuple(dash) for dash in DASHES}) == len({*SHAPES}) == MAX_COLOURS


@pytest.mark.parametrize("width", WIDTH.rules)
def test_lines_of_text_fit_the_width(width):
    style = Style(width=width)
    lines = style.wrap("word " * 100)
    assert max(map(len, lines)) * 7.5 * 0.5 <= style.total_width
    assert style.legend_columns(["a"] * 9) > style.legend_columns(["a" * 20] * 9)
    assert style.legend_columns(["a" * 500]) == 1
    # One long name makes its own column wide, and no other.
    assert style.legend_columns(["a rather long name of a run", "a", "b"]) >= 2


def test_labels_of_axes_are_as_wide_as_they_are_shown():
    style = Style()
    assert style.label_width([]) == 0
    assert style.label_width(["ab", "a"]) == pytest.approx(2 * style.label_width(["a"]))
    assert style.label_width(["iiii"]) < style.label_width(["WW"])
    assert style.label_width(["x" * 500]) <= style.total_width / 2


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


def test_a_legend_is_drawn_within_the_figure():
    names = [f"run-{'ab' * i}" for i in range(8)]
    table = Table(("run", "x", "y"), [(name, x, x + i) for i, name in enumerate(names) for x in (0, 1)])
    root = ElementTree.fromstring(figures.lines(table).render("svg"))
    texts = {node.text for node in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {*names} <= texts
    assert float(root.get("width")) <= Style().total_width + 15
