"""Every number of "Measures from scratch", again from the definitions, by the slow twins.

A table of the page is known by its headers, and each of its cells is computed here a second time. A
calculation in backticks, `5 / 6 = 0.833`, is carried out. Other text of the page has no decimal numbers.
"""

import ast
import math
import operator
import re
from itertools import accumulate

import pytest

import pages
from rankgauge import examples
from twins import TWINS
from twins.cumulated import divisor
from twins.diversity import gains_of, greedy
from twins.effort import Walk

PAGE = "docs/measures-from-scratch.md"
FIRST_PAGE, ALL = 10, 15  # documents on the first page of results, and on both


# The page: its tables, calculations and files.


def cells(line):
    return tuple(cell.strip() for cell in line.strip().strip("|").split("|"))


def tables(text):
    """{headers: rows} of the tables of a page."""
    found = {}
    for block in re.findall(r"(?:^\|.*\n)+", text, flags=re.M):
        headers, _, *rows = map(cells, block.splitlines())
        assert headers not in found, f"two tables have the headers {headers}"
        found[headers] = rows
    return found


def prose(text):
    """What is neither a table nor a fenced block."""
    return re.sub(r"^\|.*\n", "", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S), flags=re.M)


def spans(text):
    """The code spans of a page."""
    return re.findall(r"`([^`\n]+)`", prose(text))


def calculations(text):
    """[(expression, result as printed)] of the code spans that are calculations."""
    found = [span.rpartition(" = ") for span in spans(text)]
    return [(left, right) for left, equals, right in found if equals and re.fullmatch(r"[−\d.]+", right)]


OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}


def calculate(expression):
    """The value of an expression with + − × / and log2."""

    def value(node):
        match node:
            case ast.BinOp():
                return OPERATORS[type(node.op)](value(node.left), value(node.right))
            case ast.UnaryOp(op=ast.USub()):
                return -value(node.operand)
            case ast.Call(func=ast.Name(id="log2"), args=[argument]):
                return math.log2(value(argument))
            case ast.Constant(value=int() | float()):
                return node.value
        raise ValueError(f"not a calculation: {expression}")

    written = expression.replace("−", "-").replace("×", "*")
    return value(ast.parse(written, mode="eval").body)


def as_printed(value, result):
    """A value with as many decimals as a printed result has."""
    return f"{value:.{len(result.partition('.')[2])}f}".replace("-", "−")


@pytest.fixture(scope="module")
def page():
    return pages.read(PAGE)


def documents(text):
    """[(document, grade, subtopics)] by rank, as the two lists of results on the page have them."""
    of_page = tables(text)
    rows = (
        of_page["rank", "document", "grade", "subtopics"] + of_page["rank", "second page", "grade", "about"]
    )
    return [(document, int(grade), set(about.split()) - {"–"}) for _, document, grade, about in rows]


# The measures, from their definitions.


def three(value):
    return f"{value:.3f}"


def whole(value):
    return f"{value:.0f}".replace("-", "−")


def discounted(gains, discount="log2"):
    return [gain / divisor(rank, discount, None) for rank, gain in enumerate(gains, 1)]


def dcg(gains, discount="log2"):
    return list(accumulate(discounted(gains, discount)))


def shares(values, best):
    return [value / ideal for value, ideal in zip(values, best, strict=False)]


# The tables of the page, computed: {headers: function of the documents that returns the rows}.

EXPECTED = {}


def table(*headers):
    def register(function):
        EXPECTED[headers] = function
        return function

    return register


class Case:
    """What the tables are computed from."""

    def __init__(self, listed):
        self.names = [document for document, _, _ in listed]
        self.judgments = {document: grade for document, grade, _ in listed}
        self.all_grades = [grade for _, grade, _ in listed]
        self.grades = self.all_grades[:FIRST_PAGE]
        self.best = sorted((grade for grade in self.all_grades if grade), reverse=True)
        self.about = [about for _, _, about in listed]
        self.hits = list(accumulate(int(grade > 0) for grade in self.grades))
        self.subtopics = {s: {d: 1 for d, _, about in listed if s in about} for s in set().union(*self.about)}

    def value(self, name, cutoff=None, documents=None, **settings):
        """The value of a measure for the first page of results, or for other documents, by its twin."""
        return TWINS[name](documents or self.names[:FIRST_PAGE], self.judgments, cutoff=cutoff, **settings)

    def effort(self, documents=None):
        """Relative positions among twice as many ranks as there are relevant documents, and their sums."""
        return Walk(documents or self.names[:FIRST_PAGE], self.judgments, None, ALL, 1, "binary", "none")

    def gains(self, ranking):
        """The gain of each document from subtopics, half of it for each time that one was seen before."""
        return gains_of(ranking, self.subtopics, 1, 0.5)

    @property
    def ideal(self):
        """The documents in the order in which each adds the most."""
        return greedy(self.subtopics, 1, 0.5)


def ranked(*columns):
    """Rows of the ranks and of these columns of texts."""
    return [(str(rank), *row) for rank, row in enumerate(zip(*columns, strict=True), 1)]


@table("rank", "document", "grade", "subtopics")
def first_page(case):
    paper = examples.load("jarvelin-2002")
    scores = paper.runs["G"]["1"]
    grades = [paper.qrels["1"][document] for document in sorted(scores, key=scores.get, reverse=True)]
    names = [f"d{rank:02}" for rank in range(1, FIRST_PAGE + 1)]
    return ranked(names, map(str, grades), map(subtopics_as_text, case.about[:FIRST_PAGE]))


@table("rank", "second page", "grade", "about")
def second_page(case):
    about = case.about[FIRST_PAGE:]
    return [
        (str(rank), f"d{rank}", str(len(each)), subtopics_as_text(each))
        for rank, each in enumerate(about, FIRST_PAGE + 1)
    ]


def subtopics_as_text(about):
    return " ".join(sorted(about)) or "–"


@table("rank", "grade", "CG", "ideal grade", "ideal CG", "nCG")
def cumulated_gain(case):
    gain, ideal = list(accumulate(case.grades)), list(accumulate(case.best))
    return ranked(
        map(str, case.grades),
        map(str, gain),
        map(str, case.best),
        map(str, ideal),
        map(three, shares(gain, ideal)),
    )


@table("rank", "gain", "discount", "gain / discount", "DCG")
def discounted_gain(case):
    return ranked(
        map(str, case.grades),
        (three(divisor(rank, "log2", None)) for rank in range(1, FIRST_PAGE + 1)),
        map(three, discounted(case.grades)),
        map(three, dcg(case.grades)),
    )


@table("rank", "ideal gain", "ideal gain / discount", "ideal DCG", "DCG", "nDCG")
def normalised(case):
    found, best = dcg(case.grades), dcg(case.best)
    return ranked(
        map(str, case.best),
        map(three, discounted(case.best)),
        map(three, best),
        map(three, found),
        map(three, shares(found, best)),
    )


@table("rank", "divisor of 2002", "DCG", "ideal DCG", "nDCG")
def as_in_2002(case):
    found, best = dcg(case.grades, "jk"), dcg(case.best, "jk")
    return ranked(
        (three(divisor(rank, "jk", None)) for rank in range(1, FIRST_PAGE + 1)),
        map(three, found),
        map(three, best),
        map(three, shares(found, best)),
    )


@table("rank", "relevant", "hits", "precision")
def precisions(case):
    found = [hit / rank for rank, hit in enumerate(case.hits, 1)]
    return ranked(
        ("yes" if grade else "no" for grade in case.grades),
        map(str, case.hits),
        (three(p) if grade else "–" for p, grade in zip(found, case.grades, strict=True)),
    )


@table("rank", "CG + hits", "ideal CG + rank", "blended ratio", "precision")
def blended_ratios(case):
    gain, ideal = accumulate(case.grades), accumulate(case.best)
    rows = zip(gain, case.hits, ideal, case.grades, strict=True)
    return [
        (
            str(rank),
            f"{cg} + {hits} = {cg + hits}",
            f"{best} + {rank} = {best + rank}",
            three((cg + hits) / (best + rank)),
            three(hits / rank),
        )
        for rank, (cg, hits, best, grade) in enumerate(rows, 1)
        if grade
    ]


@table("rank", "subtopics", "seen before", "worth", "gain")
def novelty(case):
    first = case.about[:FIRST_PAGE]
    times = [[sum(s in other for other in first[:k]) for s in sorted(about)] for k, about in enumerate(first)]
    return ranked(
        map(subtopics_as_text, first),
        (" ".join(f"{before}×" for before in each) or "–" for each in times),
        (" + ".join(f"{0.5**before:g}" for before in each) or "–" for each in times),
        (f"{gain:g}" for gain in case.gains(case.names[:FIRST_PAGE])),
    )


@table("rank", "ideal document", "subtopics", "ideal gain")
def novel_ideal(case):
    about = dict(zip(case.names, case.about, strict=True))
    gains = [f"{gain:g}" for gain in case.gains(case.ideal)]
    return ranked(case.ideal, (subtopics_as_text(about[document]) for document in case.ideal), gains)


@table("rank", "gain / discount", "α-DCG", "ideal α-DCG", "α-nDCG")
def novelty_discounted(case):
    gains, best = case.gains(case.names[:FIRST_PAGE]), case.gains(case.ideal)
    return ranked(
        map(three, discounted(gains)),
        map(three, dcg(gains)),
        map(three, dcg(best)),
        map(three, shares(dcg(gains), dcg(best))),
    )


@table("grade", "ideal ranks")
def ideal_ranks(case):
    return [(str(grade), belongs_at(case, grade)) for grade in (3, 2, 1, 0)]


def belongs_at(case, grade):
    """The ranks of a grade in the ideal ranking."""
    first, last = case.effort().interval[(0.0, grade) if grade else None]
    return f"{first} to {last}"


@table("rank", "grade", "belongs at", "RP", "CRP")
def relative_positions(case):
    walk = case.effort()
    return ranked(
        map(str, case.grades),
        (belongs_at(case, grade) for grade in case.grades),
        map(whole, walk.rp[:FIRST_PAGE]),
        map(whole, walk.crp[:FIRST_PAGE]),
    )


@table("rank", "grade", "RP", "CRP")
def relative_positions_of_the_second_page(case):
    walk = case.effort(case.names)
    return ranked(map(str, case.all_grades), map(whole, walk.rp[:ALL]), map(whole, walk.crp[:ALL]))[
        FIRST_PAGE:
    ]


@table("full-scale ranks", "grade", "RP", "sum")
def full_scale(case):
    grades, own = sorted([*case.best, *[0] * len(case.best)]), case.effort().full
    rows = []
    for grade in range(4):
        ranks = [rank for rank, other in enumerate(grades, 1) if other == grade]
        steps = [own[rank - 1] for rank in ranks]
        rows.append(
            (f"{ranks[0]} to {ranks[-1]}", str(grade), " ".join(map(whole, steps)), whole(sum(steps)))
        )
    return rows


@table("run", "s⁺", "s⁻", "σ⁺", "σ⁻", "σ", "β", "ρ", "Twist")
def twist(case):
    rows = []
    for name, documents in (("first", case.names[:FIRST_PAGE]), ("both", case.names)):
        spaces = (case.value(f"{way}Space", None, documents, longest=ALL) for way in ("Forward", "Backward"))
        balance = case.value("BalancePoint", None, documents, longest=ALL)
        others = ("ForwardSpaceRatio", "BackwardSpaceRatio", "SpaceRatio", "RecoveryRatio", "Twist")
        *ratios, rho, value = (three(case.value(each, None, documents, longest=ALL)) for each in others)
        rows.append(
            (name, *map(whole, spaces), *ratios, "∞" if math.isinf(balance) else whole(balance), rho, value)
        )
    return rows


def values(case):
    """{measure: value for the first page of results}, of all measures of the page."""
    return {
        "nCG@10": case.value("nCG", 10),
        "nDCG@10": case.value("nDCG", 10),
        "AP": case.value("AP"),
        "Q": case.value("Q"),
        "alpha_nDCG@10": case.value("alpha_nDCG", 10, subtopics=case.subtopics),
        "Twist": case.value("Twist", longest=ALL),
    }


@table("measure", "value")
def summary(case):
    return [(f"`{measure}`", three(value)) for measure, value in values(case).items()]


def answers(case):
    """{number of an exercise: its answer}."""
    swapped = [case.grades[0], case.grades[2], case.grades[1]]
    later = [*case.names]
    later[9], later[10] = later[10], later[9]
    return {
        1: dcg(swapped)[2] - dcg(case.grades)[2],
        2: case.value("nDCG", 3, gains="exp2"),
        3: case.value("AP", rel=2),
        4: case.value("BR", 6, beta=10),
        5: case.value("alpha_nDCG", 10, subtopics=case.subtopics, alpha=0),
        6: case.value("Twist", None, later, longest=ALL),
    }


@table("exercise", "answer")
def solutions(case):
    return [(str(number), three(value)) for number, value in answers(case).items()]


# The tests.


def wrong_tables(text):
    """The headers of the tables that are not as computed."""
    case = Case(documents(text))
    return [headers for headers, rows in tables(text).items() if rows != EXPECTED[headers](case)]


def wrong_calculations(text):
    """The calculations that have another result."""
    return [
        (left, right) for left, right in calculations(text) if as_printed(calculate(left), right) != right
    ]


def test_every_table_has_the_values_of_the_definitions(page):
    assert tables(page).keys() == EXPECTED.keys()
    assert not wrong_tables(page)


def test_every_calculation_is_right(page):
    assert len(calculations(page)) > 25
    assert not wrong_calculations(page)


def test_prose_has_no_decimal_number_that_is_not_computed(page):
    text = re.sub(r"`[^`\n]+`", "", prose(page))
    assert not re.findall(r".*\d\.\d.*", text)
    # A code span with a decimal number is a calculation, or an option of a measure.
    others = {s for s in spans(page) if re.search(r"\d\.\d", s)} - {
        f"{a} = {b}" for a, b in calculations(page)
    }
    assert not [span for span in others if not re.search(r"=\d\.\d", span)]


def test_the_grade_of_a_document_is_the_number_of_its_subtopics(page):
    assert all(grade == len(about) for _, grade, about in documents(page))


def test_the_files_of_the_page_are_its_tables(page):
    listed = documents(page)
    judgments, subtopics = (
        re.search(rf"^\$ printf '1 {line}\\n' (.*) > {name}$", page, flags=re.M)[1].split()
        for line, name in (("0 d%s %s", "qrels.txt"), ("%s d%s 1", "subtopics.txt"))
    )
    assert judgments == [word for document, grade, _ in listed for word in (document[1:], str(grade))]
    pairs = [(subtopic, document[1:]) for document, _, about in listed for subtopic in sorted(about)]
    assert subtopics == [word for pair in pairs for word in pair]


PICTURES = ("gains", "cg", "discount", "ndcg", "blended", "subtopics", "crp")


@pytest.fixture
def pictures(monkeypatch):
    """The script that draws the pictures."""
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    return pages.script("from_scratch", monkeypatch)


def labels(picture):
    return re.findall(r"<text[^>]*>([^<]*)</text>", picture)


def test_the_pictures_are_those_that_the_page_shows_and_all_together_are_small(pictures, page):
    files = sorted((pages.DOCS / "from-scratch").iterdir())
    assert sorted(pictures.CHARTS) == [file.stem for file in files] == sorted(PICTURES)
    assert [f"from-scratch/{file.name}" in page for file in files] == [True] * len(files)
    assert sum(file.stat().st_size for file in files) < 100_000


def test_the_pictures_show_the_documents_of_the_page(pictures, page):
    listed = documents(page)
    assert [*pictures.GRADES] == [grade for _, grade, _ in listed]
    assert [set(held) for held in pictures.SUBTOPICS] == [about for _, _, about in listed]


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_up_to_date(name, pictures):
    drawn = (pages.DOCS / "from-scratch" / f"{name}.svg").read_text(encoding="utf-8")
    assert labels(drawn) == labels(pictures.draw(name))
    assert labels(drawn)
