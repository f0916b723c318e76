"""Tables for print in other formats than LaTeX: marks, captions, and names that are only text."""

import html.parser
import math

import pytest

from rankgauge.model.output.tables import FORMATS, NumberText, Table, render
from typesetting import HOSTILE

PAPER = Table(
    ("run", "AP"),
    [("bm25", 0.25), ("ql", 0.5), ("Δ", NumberText("+0.2500", 0.25))],
    best={(1, 1)},
    second={(0, 1)},
    superscripts={(0, 0): "†", (1, 1): "†‡"},
    subscripts={(0, 1): "a"},
    caption="Means.",
    label="tab:means",
    note="Bold is best.",
)


def test_plain_text_keeps_numbers_aligned():
    assert render(PAPER) == (
        "run          AP\n"
        "bm25 †   0.2500 ↓a\n"
        "ql       0.5000 †‡\n"
        "Δ       +0.2500\n"
        "\n"
        "Means. Bold is best.\n"
    )  # fmt: skip


def test_markdown_raises_and_lowers_marks():
    assert render(PAPER, "markdown").splitlines() == [
        "| run | AP |",
        "|---|---|",
        "| bm25<sup>†</sup> | \u2007<u>0.2500</u><sub>a</sub> |",
        "| ql | \u2007**0.5000**<sup>†‡</sup> |",
        "| Δ | +0.2500 |",
        "",
        "Means. Bold is best.",
    ]


def test_html_has_a_caption_and_marks():
    text = render(PAPER, "html")
    assert "<caption>Means. Bold is best.</caption>" in text
    assert "<td>\u2007<b>0.5000</b><sup>†‡</sup></td>" in text


def test_formats_for_programs_have_the_rows_alone():
    bare = Table(PAPER.headers, PAPER.rows)
    for form in ("tsv", "csv", "json", "jsonl"):
        assert render(PAPER, form) == render(bare, form)


@pytest.mark.parametrize("form", FORMATS)
def test_labels_name_headers_and_cells_but_no_numbers(form):
    labels = {"bm25": "BM25", "AP": "MAP", "+0.2500": "wrong"}
    text = render(PAPER.labelled(lambda name: labels.get(name, name)), form)
    assert [name in text for name in ("BM25", "MAP", "bm25", "wrong")] == [True, True, False, False]


def test_no_name_is_markup_in_html():
    tags = set()
    parser = html.parser.HTMLParser()
    parser.handle_starttag = lambda tag, attrs: tags.add(tag)
    for name in (*HOSTILE, "<script>", '"><img src=x>'):
        table = Table((name,), [(name,)], {(0, 0)}, {(0, 0)}, {(0, 0): name}, {(0, 0): name}, name, note=name)
        parser.feed(render(table, "html"))
    assert tags <= {"table", "caption", "thead", "tbody", "tr", "th", "td", "b", "u", "sup", "sub"}


def test_typst_compiles_any_name(tmp_path):
    typst = pytest.importorskip("typst", reason="typst is not installed")
    tables = [
        Table(
            (name, "AP"),
            [(name, 0.5), (name, math.nan), ("", None)],
            {(0, 0)},
            {(0, 1)},
            {(0, 1): name},
            {(1, 1): name},
            caption,
            f"{label}{number}",
            name,
        )
        for number, name in enumerate(
            [*HOSTILE, "#panic()", "// x", "/* x", "= x", "- x", "1. x", "@x", "<x>"]
        )
        for caption, label in (("", ""), (f"About {name}.", "tab: x)#"))
    ]
    (tmp_path / "paper.typ").write_text("\n".join(render(table, "typst") for table in (PAPER, *tables)))
    assert typst.compile(str(tmp_path / "paper.typ"), format="pdf").startswith(b"%PDF")
    assert typst.query(str(tmp_path / "paper.typ"), "<tab:means>", field="caption", one=True)


@pytest.mark.parametrize(
    ("caption", "note", "legend"),
    [
        ("Our results", "Bold is best.", "Our results. Bold is best."),
        ("Our results.", "Bold is best.", "Our results. Bold is best."),
        ("Better?", "Bold is best.", "Better? Bold is best."),
        ("Our results", "", "Our results"),
        ("", "Bold is best.", "Bold is best."),
    ],
)
def test_a_caption_and_a_note_are_sentences_of_their_own(caption, note, legend):
    assert Table(("run",), [], caption=caption, note=note).legend == legend
